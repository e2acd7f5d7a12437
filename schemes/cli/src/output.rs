//! Output and exit status.

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{json, Value};
use std::{
    fmt::{Display, Write as _},
    io::Write as _,
    process::ExitCode,
};

/// Why a command failed, in one line.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A check failed: a signature, a proof or a ciphertext is not valid. Exit status 1.
    Refused(String),
    /// The arguments or a file are invalid, or a file cannot be read or written. Exit status 2.
    Input(String),
}

impl Failure {
    /// A check failed.
    pub(crate) fn refused(why: impl Display) -> Self {
        Self::Refused(why.to_string())
    }

    /// The input is invalid.
    pub(crate) fn input(why: impl Display) -> Self {
        Self::Input(why.to_string())
    }

    /// The same failure with another text.
    pub(crate) fn map(self, say: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Refused(why) => Self::Refused(say(why)),
            Self::Input(why) => Self::Input(say(why)),
        }
    }

    /// Combines two failures. The result is an input failure if one of them is.
    pub(crate) fn and(self, other: Self) -> Self {
        let why = format!("{}; {}", self.text(), other.text());
        match (self, other) {
            (Self::Refused(_), Self::Refused(_)) => Self::Refused(why),
            _ => Self::Input(why),
        }
    }

    /// The exit status.
    pub(crate) fn code(&self) -> ExitCode {
        match self {
            Self::Refused(_) => ExitCode::from(1),
            Self::Input(_) => ExitCode::from(2),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Refused(why) | Self::Input(why) => why,
        }
    }
}

/// Prints results to standard output, and failures and progress to standard error.
pub(crate) struct Output {
    json: bool,
    quiet: bool,
}

impl Output {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        Self { json, quiet }
    }

    /// Prints a result: as one JSON object per line, or as `text` with the same content.
    ///
    /// # Errors
    /// Standard output is closed.
    pub(crate) fn result(&self, value: &Value, text: impl Display) -> Result<(), Failure> {
        let line = if self.json {
            value.to_string()
        } else {
            text.to_string()
        };
        writeln!(std::io::stdout(), "{line}")
            .map_err(|error| Failure::input(format!("standard output: {error}")))
    }

    /// Prints a failure in one line.
    pub(crate) fn failure(&self, failure: &Failure) {
        let mut line = String::new();
        // Writing to a string cannot fail. If standard error is closed, there is nobody to report to.
        let _ = if self.json {
            let kind = match failure {
                Failure::Refused(_) => "refused",
                Failure::Input(_) => "input",
            };
            write!(line, "{}", json!({ "error": failure.text(), "kind": kind }))
        } else {
            write!(line, "error: {}", failure.text())
        };
        let _ = writeln!(std::io::stderr(), "{line}");
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
