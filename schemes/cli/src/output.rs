//! Output, and the options of all commands.

use crate::{
    failure::Failure,
    files::{self, Existing},
};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use std::{
    fmt::Display,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Prints results to standard output, and failures and progress to standard error; with the options of all commands.
pub(crate) struct Output {
    json: bool,
    quiet: bool,
    existing: Existing,
    /// How long to wait for a register or a queue that another process uses.
    wait: Duration,
}

/// Where the output of a command goes.
#[derive(Args)]
pub(crate) struct To {
    /// The output file; `-` is standard output.
    #[arg(
        id = "output",
        long = "output",
        short = 'o',
        value_name = "FILE",
        default_value = "-"
    )]
    pub(crate) path: PathBuf,
}

/// Where a secret goes that a command derives.
#[derive(Args)]
pub(crate) struct SecretTo {
    /// The output file: a new file that only its owner can read.
    #[arg(id = "output", long = "output", short = 'o', value_name = "FILE")]
    pub(crate) path: PathBuf,
}

/// How often it is looked whether the other process has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);

impl Output {
    pub(crate) fn new(json: bool, quiet: bool, existing: Existing, wait: Duration) -> Self {
        Self {
            json,
            quiet,
            existing,
            wait,
        }
    }

    /// The handling of an existing output file.
    pub(crate) fn existing(&self) -> Existing {
        self.existing
    }

    /// Opens a file that another process may use, and waits for it up to the user's limit.
    pub(crate) fn when_free<T, E>(
        &self,
        open: impl Fn() -> Result<T, E>,
        is_in_use: impl Fn(&E) -> bool,
    ) -> Result<T, E> {
        let end = Instant::now().checked_add(self.wait);
        loop {
            match open() {
                Err(error) if is_in_use(&error) && end.is_none_or(|end| Instant::now() < end) => {
                    std::thread::sleep(LOOK_EVERY);
                }
                opened => return opened,
            }
        }
    }

    /// As [`Output::result`], unless one of these outputs of the command went to standard output, which the next command
    /// of a pipe must be able to read.
    pub(crate) fn made(
        &self,
        outputs: &[&Path],
        value: &Value,
        text: impl Display,
    ) -> Result<(), Failure> {
        if outputs.iter().any(|path| files::is_standard_output(path)) {
            return Ok(());
        }
        self.result(value, text)
    }

    /// Prints a result: as one JSON object per line, or as `text` with the same content.
    ///
    /// # Errors
    /// Standard output is lost.
    pub(crate) fn result(&self, value: &Value, text: impl Display) -> Result<(), Failure> {
        let line = if self.json {
            value.to_string()
        } else {
            text.to_string()
        };
        Ok(duet_process::print(format!("{line}\n"))?)
    }

    /// Prints a failure in one line.
    pub(crate) fn failure(&self, failure: &Failure) {
        if self.json {
            duet_process::warn(failure.to_json());
        } else {
            duet_process::warn(format_args!("error: {}", failure.text()));
        }
    }

    /// A progress bar for `total` steps, on standard error. Hidden if it is not a terminal.
    pub(crate) fn progress(&self, total: u64, what: &'static str) -> ProgressBar {
        if self.quiet || self.json {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        ProgressBar::new(total).with_style(style).with_message(what)
    }
}
