//! What is printed, and how the program ends.

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{json, Value};
use std::{
    fmt::{Display, Write as _},
    io::Write as _,
    process::ExitCode,
};

/// Why a command did not do what it was asked, in one line.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was checked does not hold: a signature, a proof, a ciphertext. Exit status 1.
    Refused(String),
    /// The arguments or a file make no sense, or a file cannot be read or written. Exit status 2.
    Input(String),
}

impl Failure {
    /// Something was checked and does not hold.
    pub(crate) fn refused(why: impl Display) -> Self {
        Self::Refused(why.to_string())
    }

    /// Something handed in makes no sense.
    pub(crate) fn input(why: impl Display) -> Self {
        Self::Input(why.to_string())
    }

    /// The same failure with more to say.
    pub(crate) fn map(self, say: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Refused(why) => Self::Refused(say(why)),
            Self::Input(why) => Self::Input(say(why)),
        }
    }

    /// Both failures as one; it is bad input as soon as one of them is.
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

    /// Prints a result: as one JSON object in a line, or as `text`, which holds the same for people.
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

    /// Says in one line what went wrong.
    pub(crate) fn failure(&self, failure: &Failure) {
        let mut line = String::new();
        // Writing to a string cannot fail, and a closed standard error leaves nobody to tell.
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

    /// A bar for `total` steps of long work, on standard error; hidden where nobody looks.
    pub(crate) fn progress(&self, total: u64, what: &'static str) -> ProgressBar {
        if self.quiet || self.json {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        ProgressBar::new(total).with_style(style).with_message(what)
    }
}
