//! Why a command failed, and its exit status.

use duet_armour::ArmourError;
use duet_process::Lost;
use serde_json::{json, Value};
use std::{fmt::Display, path::Path};

/// The kind of a failure. Each kind has its own exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A check failed: a signature, a proof or a ciphertext is not valid.
    Refused = 1,
    /// The arguments are wrong, or an input is malformed.
    Input = 2,
    /// A file cannot be read or written, or exists already.
    File = 3,
    /// Another process uses a register or a queue, and did not end in time.
    Busy = 4,
    /// The register or the queue does not allow it: a label was used before, or the files were rolled back, damaged or lost.
    Register = 5,
}

/// The exit statuses, for the help.
pub(crate) const EXIT_STATUS: &str = "\
Exit status:
  0    success
  1    a check failed: a signature, a proof or a ciphertext is not valid
  2    the arguments are wrong, or an input is malformed
  3    a file cannot be read or written, or exists already
  4    another process uses the register or the queue (see --wait)
  5    the register or the queue does not allow it: a label was used before, or
       its files were rolled back, damaged or lost";

impl Kind {
    /// Its name in JSON.
    fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Input => "input",
            Self::File => "file",
            Self::Busy => "busy",
            Self::Register => "register",
        }
    }
}

/// Why a command failed, in one line.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    why: String,
}

impl Failure {
    pub(crate) fn new(kind: Kind, why: impl Display) -> Self {
        let why = why.to_string();
        Self { kind, why }
    }

    /// A check failed.
    pub(crate) fn refused(why: impl Display) -> Self {
        Self::new(Kind::Refused, why)
    }

    /// The input is invalid.
    pub(crate) fn input(why: impl Display) -> Self {
        Self::new(Kind::Input, why)
    }

    /// The same failure, with the name of the file that it is about.
    pub(crate) fn in_file(self, path: &Path) -> Self {
        let why = format!("{}: {}", path.display(), self.why);
        Self { why, ..self }
    }

    /// The same failure with another text.
    pub(crate) fn map(self, say: impl FnOnce(String) -> String) -> Self {
        Self {
            why: say(self.why),
            ..self
        }
    }

    /// Combines two failures. The kind is the one with the larger exit status.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            kind: self.kind.max(other.kind),
            why: format!("{}; {}", self.why, other.why),
        }
    }

    /// The exit status.
    pub(crate) fn code(&self) -> u8 {
        self.kind as u8
    }

    /// One JSON object.
    pub(crate) fn to_json(&self) -> Value {
        json!({ "error": self.why, "kind": self.kind.name() })
    }

    /// The line, without what kind it is. Files and arguments may contain anything, so all characters that are not visible
    /// as themselves are escaped.
    pub(crate) fn text(&self) -> String {
        one_line(&self.why)
    }
}

impl From<Lost> for Failure {
    fn from(error: Lost) -> Self {
        Self::new(Kind::File, error)
    }
}

impl From<ArmourError> for Failure {
    fn from(error: ArmourError) -> Self {
        Self::input(error)
    }
}

/// Escapes all characters that are not visible as themselves.
pub(crate) fn one_line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\'' | '\\' => shown.push(character),
            _ => shown.extend(character.escape_debug()),
        }
    }
    shown
}
