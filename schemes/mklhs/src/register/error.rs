//! Errors of the label register.

use crate::{error::SignError, identity::SignerId};
use duet_journal::{AnchorError, OpenError};
use std::{
    io,
    path::{Path, PathBuf},
};

/// Why nothing was signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The key signed another message under this label before.
    #[error("request {index}: the label was already used for the message {used}, so {asked} is not signed")]
    LabelAlreadyUsed {
        /// The index of the request, from 0.
        index: usize,
        /// The message that was signed before.
        used: crate::Scalar,
        /// The requested message.
        asked: crate::Scalar,
    },
    /// The label or the message is invalid.
    #[error("request {index}: {source}")]
    Sign {
        /// The index of the request, from 0.
        index: usize,
        /// The cause.
        source: SignError,
    },
    /// The key does not belong to this register.
    #[error("the register belongs to {register}, but the key is that of {key}")]
    WrongKey {
        /// The owner of the register.
        register: SignerId,
        /// The owner of the key.
        key: SignerId,
    },
    /// A file is missing. Without its register a key signs nothing.
    #[error("{}: missing; without it, the labels that the key has used are unknown", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file exists already: the key has a register.
    #[error("{}: exists already, so the key already has a register", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The journal is older than its anchor or diverges from it: it was restored from a backup.
    #[error(
        "{}: the journal has {entries} entries, but the key has signed {expected}: it was rolled back or replaced",
        path.display()
    )]
    RolledBack {
        /// The journal.
        path: PathBuf,
        /// The entries of the journal.
        entries: u64,
        /// The entries that the anchor records.
        expected: u64,
    },
    /// A file is corrupt.
    #[error("{}: corrupt at byte {at}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The offset of the first corrupt entry.
        at: u64,
    },
    /// A file is the one of another signer.
    #[error("{}: it belongs to another signer", path.display())]
    OtherSigner {
        /// The file.
        path: PathBuf,
    },
    /// Another process has the register open.
    #[error("{}: in use by another process", path.display())]
    InUse {
        /// The journal.
        path: PathBuf,
    },
    /// An earlier write failed, so the state on disk is unknown. Open the register again.
    #[error("an earlier write to the register failed; open it again")]
    Poisoned,
    /// An I/O error.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl RegisterError {
    /// The index of the request at fault, from 0, if one is.
    pub fn request(&self) -> Option<usize> {
        match self {
            Self::LabelAlreadyUsed { index, .. } | Self::Sign { index, .. } => Some(*index),
            Self::WrongKey { .. }
            | Self::Missing { .. }
            | Self::Exists { .. }
            | Self::RolledBack { .. }
            | Self::Corrupt { .. }
            | Self::OtherSigner { .. }
            | Self::InUse { .. }
            | Self::Poisoned
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

/// Maps the error of opening or creating a file.
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

pub(super) fn anchor_error(path: &Path, error: AnchorError) -> RegisterError {
    match error {
        AnchorError::Damaged => RegisterError::Corrupt {
            path: path.to_owned(),
            at: 0,
        },
        AnchorError::OtherOwner => RegisterError::OtherSigner {
            path: path.to_owned(),
        },
        AnchorError::Io(error) => open_error(path, error.into()),
    }
}
