//! Why nothing was signed.

use crate::{error::SignError, keys::SignerId};
use duet_journal::{AnchorError, OpenError};
use std::{
    io,
    path::{Path, PathBuf},
};

/// Why nothing was signed.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// The key signed another message under this label.
    #[error("request {index}: the label was used for the message {used}, and is not signed again for {asked}")]
    LabelAlreadyUsed {
        /// Which of the labels that were handed in, from 0.
        index: usize,
        /// What was signed.
        used: crate::Scalar,
        /// What should have been signed.
        asked: crate::Scalar,
    },
    /// The label is somebody else's.
    #[error("request {index}: {source}")]
    Sign {
        /// Which of the labels that were handed in, from 0.
        index: usize,
        /// Whose it is.
        source: SignError,
    },
    /// The key that should sign is not the one whose register this is.
    #[error("the register is of {register}, and the key of {key}")]
    WrongKey {
        /// Whose register.
        register: SignerId,
        /// Whose key.
        key: SignerId,
    },
    /// A file is not there. A key that has a register signs nothing without it.
    #[error("{}: missing, and without it nobody knows what the key has signed", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file is there already: the key has a register.
    #[error("{}: the key has a register already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The journal is older than its anchor, or another one: it was restored from a backup.
    #[error(
        "{}: this journal has {entries} entries, and the key has signed {expected}: it is an earlier one or another one",
        path.display()
    )]
    RolledBack {
        /// The journal.
        path: PathBuf,
        /// Entries that it has.
        entries: u64,
        /// Entries that the anchor knows of.
        expected: u64,
    },
    /// A file is not as it was written.
    #[error("{}: not as it was written, at byte {at}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Where it goes wrong.
        at: u64,
    },
    /// Another process works with it.
    #[error("{}: another process works with this register", path.display())]
    InUse {
        /// The journal.
        path: PathBuf,
    },
    /// An earlier write failed, so that nobody knows what is on the disk. Open the register again.
    #[error("an earlier write to the register failed; it has to be opened again")]
    Failed,
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

impl RegisterError {
    /// Which of the labels that were handed in is to blame, from 0, where it is one of them.
    pub fn request(&self) -> Option<usize> {
        match self {
            Self::LabelAlreadyUsed { index, .. } | Self::Sign { index, .. } => Some(*index),
            Self::WrongKey { .. }
            | Self::Missing { .. }
            | Self::Exists { .. }
            | Self::RolledBack { .. }
            | Self::Corrupt { .. }
            | Self::InUse { .. }
            | Self::Failed
            | Self::Io { .. } => None,
        }
    }
}

pub(super) fn io_error(path: &Path, source: io::Error) -> RegisterError {
    RegisterError::Io {
        path: path.to_owned(),
        source,
    }
}

/// A file could not be opened, or made anew.
pub(super) fn open_error(path: &Path, error: OpenError) -> RegisterError {
    let path = path.to_owned();
    match error {
        OpenError::InUse => RegisterError::InUse { path },
        OpenError::Io(source) => match source.kind() {
            io::ErrorKind::NotFound => RegisterError::Missing { path },
            io::ErrorKind::AlreadyExists => RegisterError::Exists { path },
            _ => RegisterError::Io { path, source },
        },
    }
}

/// An anchor of another signer says as little as a damaged one.
pub(super) fn anchor_error(path: &Path, error: AnchorError) -> RegisterError {
    match error {
        AnchorError::Damaged | AnchorError::OtherOwner => RegisterError::Corrupt {
            path: path.to_owned(),
            at: 0,
        },
        AnchorError::Io(error) => open_error(path, error.into()),
    }
}
