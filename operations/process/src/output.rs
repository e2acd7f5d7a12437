//! Standard output, standard error, and the exit status.

use clap::error::ErrorKind;
use std::{
    fmt::{self, Display},
    io::{self, Write},
    process::ExitCode,
    sync::OnceLock,
};

/// The exit status after standard output could not be written, as `EX_IOERR` of sysexits.h.
pub const UNWRITTEN: u8 = 74;
/// The exit status after standard output was closed, as shells report SIGPIPE.
pub const CLOSED: u8 = 141;

/// These two, for the help of a program.
pub const EXIT_STATUS: &str = "
  74   standard output cannot be written, for example to a full disk
  141  the reader of standard output has closed it";

/// Why standard output was lost.
static LOST: OnceLock<io::Error> = OnceLock::new();
/// Tells `Signals` of it.
#[cfg(feature = "signals")]
pub(crate) static IS_LOST: tokio::sync::Notify = tokio::sync::Notify::const_new();

/// Standard output is lost. [`exit`] tells why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost;

impl Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("standard output is lost")
    }
}

impl std::error::Error for Lost {}

/// The command line. Prints help, or what is wrong with the arguments, and exits if there is nothing to run.
#[must_use]
pub fn arguments<A: clap::Parser>() -> A {
    try_arguments().unwrap_or_else(|error| std::process::exit(refuse(&error).into()))
}

/// The command line.
///
/// # Errors
/// What is wrong with the arguments, or a wish for help: for [`refuse`].
pub fn try_arguments<A: clap::Parser>() -> Result<A, clap::Error> {
    A::try_parse().map_err(with_names::<A>)
}

/// What clap finds wrong with this program's arguments. Those that are not UTF-8 have their names, which clap leaves out.
#[must_use]
pub fn with_names<A: clap::CommandFactory>(error: clap::Error) -> clap::Error {
    match error.kind() {
        ErrorKind::InvalidUtf8 => A::command().error(ErrorKind::InvalidUtf8, not_utf8()),
        _ => error,
    }
}

/// The arguments that are not UTF-8, each with the one before it, which may be its option.
fn not_utf8() -> String {
    let all: Vec<_> = std::env::args_os().skip(1).collect();
    let bad = all.iter().enumerate();
    let bad = bad.filter(|(_, argument)| argument.to_str().is_none());
    let bad = bad.map(|(at, _)| all.get(at.saturating_sub(1)..=at).unwrap_or_default());
    let bad: Vec<_> = bad.map(|pair| format!("{pair:?}")).collect();
    format!("expected UTF-8 in the arguments {}", bad.join(", "))
}

/// Prints help, or what is wrong with the arguments. Returns the exit status.
#[must_use]
pub fn refuse(error: &clap::Error) -> u8 {
    let used_stderr = error.use_stderr();
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed {
        Err(error) if !used_stderr => lose(error),
        Ok(()) | Err(_) => {}
    }
    ended(if used_stderr { 2 } else { 0 })
}

/// Writes text to standard output.
///
/// # Errors
/// This write, or an earlier one, failed.
pub fn print(text: impl AsRef<[u8]>) -> Result<(), Lost> {
    put(text.as_ref());
    LOST.get().map_or(Ok(()), |_| Err(Lost))
}

/// Writes a line to standard output. If that fails, `Signals` and [`exit`] end the program.
pub fn tell(line: impl Display) {
    put(format!("{line}\n").as_bytes());
}

/// Writes a line to standard error. If that fails, there is nobody to report to.
pub fn warn(line: impl Display) {
    // As a whole, so that lines of two processes do not mix.
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// The exit status of a program. `complain` reports its failure and gives the status for it.
///
/// A program that ended because its output was lost has nothing else to report.
pub fn exit<F>(result: Result<(), F>, complain: impl FnOnce(F) -> u8) -> ExitCode {
    let status = match result {
        Err(failure) if LOST.get().is_none() => complain(failure),
        Ok(()) | Err(_) => 0,
    };
    ExitCode::from(ended(status))
}

/// This exit status, unless standard output was lost.
pub(crate) fn ended(status: u8) -> u8 {
    match LOST.get() {
        None => status,
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => CLOSED,
        Some(error) => {
            warn(format_args!("standard output cannot be written: {error}"));
            UNWRITTEN
        }
    }
}

fn put(bytes: &[u8]) {
    if LOST.get().is_none() {
        let mut out = io::stdout().lock();
        let written = out.write_all(bytes).and_then(|()| out.flush());
        written.unwrap_or_else(lose);
    }
}

pub(crate) fn lose(error: io::Error) {
    LOST.get_or_init(|| error);
    #[cfg(feature = "signals")]
    IS_LOST.notify_one();
}
