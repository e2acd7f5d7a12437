//! Why the program fails, and with which status.

use duet_armour::ArmourError;
use duet_searchable::{BadHomKey, EvaluationError, KeywordTooLong};
use duet_telemetry::{BatchError, GroupError};
use std::{
    io,
    path::{Path, PathBuf},
};

/// Why the program fails.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A file or folder.
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    /// The machine.
    #[error("{what}: {error}")]
    Machine {
        what: &'static str,
        error: io::Error,
    },
    /// A kept reading is damaged.
    #[error("{}: {error}", path.display())]
    Damaged { path: PathBuf, error: Damage },
    /// The group's key.
    #[error(transparent)]
    Group(#[from] GroupError),
    /// The trapdoor.
    #[error("{}: {error}", path.display())]
    Trapdoor { path: PathBuf, error: BadTrapdoor },
    /// A number that is none, or a name that is too long.
    #[error("{0}")]
    Argument(String),
    /// Nothing to add.
    #[error("there is no reading of {metric} in hour {hour}")]
    Nothing { metric: String, hour: u64 },
    /// The found readings cannot be added.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

/// An error in a stored reading.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Damage {
    #[error(transparent)]
    Armour(#[from] ArmourError),
    #[error(transparent)]
    Batch(#[from] BatchError),
}

/// An error in a trapdoor.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadTrapdoor {
    #[error(transparent)]
    Armour(#[from] ArmourError),
    #[error(transparent)]
    Key(#[from] BadHomKey),
}

impl From<KeywordTooLong> for Failure {
    fn from(error: KeywordTooLong) -> Self {
        Self::Argument(error.to_string())
    }
}

impl Failure {
    /// Of a file.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |error| Self::File {
            path: path.to_owned(),
            error,
        }
    }

    /// The exit status.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::File { .. }
            | Self::Group(GroupError::File { .. })
            | Self::Machine { .. }
            | Self::Damaged { .. }
            | Self::Evaluation(_) => 1,
            Self::Group(_) | Self::Trapdoor { .. } | Self::Argument(_) => 2,
            Self::Nothing { .. } => 3,
        }
    }
}
