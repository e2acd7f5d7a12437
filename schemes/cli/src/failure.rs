//! Why a command failed, and its exit status.

use serde_json::{json, Value};
use std::{fmt::Display, process::ExitCode};

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

    /// One JSON object.
    pub(crate) fn to_json(&self) -> Value {
        let kind = match self {
            Self::Refused(_) => "refused",
            Self::Input(_) => "input",
        };
        json!({ "error": self.text(), "kind": kind })
    }

    /// The line, without what kind it is.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Refused(why) | Self::Input(why) => why,
        }
    }
}
