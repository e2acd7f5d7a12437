//! For programs whose libraries write to standard output and take signals themselves.
//!
//! The SDK does both: its commands panic at a failed write, tell nobody of it, or succeed; and it takes no SIGHUP.

use crate::{
    output::{ended, lose},
    signals::ignores_hangup,
    warn,
};
use nix::{
    sys::signal::{raise, Signal},
    unistd::dup2_stdout,
};
use std::{
    fs::File,
    io::{self, PipeReader, Write},
    os::fd::AsFd,
    process, thread,
};
use tokio::signal::unix::{signal, SignalKind};

/// Does some work, during which standard output is a pipe to a thread that writes on what comes. A write that fails ends
/// the program at once: the work could go on for hours, for a reader that is gone.
///
/// # Errors
/// The system gives no pipe or no thread.
pub fn relayed<T>(work: impl FnOnce() -> T) -> io::Result<T> {
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    let (reader, writer) = io::pipe()?;
    let to = File::from(output.try_clone()?);
    let relay = thread::Builder::new().name("stdout".to_owned());
    let relay = relay.spawn(move || relay_all(reader, to))?;
    dup2_stdout(writer)?;
    let done = work();
    // What a library has not flushed. The pipe takes it: its reader ends after its last writer, or with the program.
    io::stdout().flush()?;
    dup2_stdout(output)?;
    relay
        .join()
        .map_err(|_| io::Error::other("the thread of standard output"))?;
    Ok(done)
}

fn relay_all(mut from: PipeReader, mut to: File) {
    if let Err(error) = io::copy(&mut from, &mut to) {
        lose(error);
        process::exit(ended(0).into());
    }
}

/// From here on SIGHUP ends the program as SIGTERM does, which a library takes. In a runtime of tokio.
///
/// # Errors
/// The system does not allow it.
pub fn hangup_terminates() -> io::Result<()> {
    if ignores_hangup() {
        return Ok(());
    }
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        hangup.recv().await;
        if let Err(error) = raise(Signal::SIGTERM) {
            warn(format_args!("SIGHUP does not stop this program: {error}"));
        }
    });
    Ok(())
}
