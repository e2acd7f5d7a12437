//! Why a file cannot be used.

use crate::header::HeaderError;
use std::{
    io,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// A file that cannot be used, and why.
#[derive(Debug, Error)]
#[error("{}: {fault}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// The rule that it breaks.
    pub fault: FileFault,
}

/// Why a file cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileFault {
    /// There is no such file.
    #[error("missing, so its contents are unknown")]
    Missing,
    /// The new file exists already.
    #[error("exists already")]
    Exists,
    /// The file does not begin with the expected tag.
    #[error("wrong file type or version, or a damaged header")]
    OtherFile,
    /// The file is of the right type, but belongs to another owner.
    #[error("it belongs to another signer")]
    OtherOwner,
    /// Bytes are wrong in a way that no interrupted write explains.
    #[error("corrupt at byte {at}")]
    Corrupt {
        /// The offset of the first corrupt entry; 0 in an anchor.
        at: u64,
    },
    /// The journal does not contain the position of its anchor: it was truncated, restored from a copy, or replaced.
    #[error(
        "the journal has {entries} entries, but the key has signed {expected}: it was rolled back or replaced"
    )]
    RolledBack {
        /// The whole entries of the journal.
        entries: u64,
        /// The entries that the anchor records.
        expected: u64,
    },
    /// Another process has the file open.
    #[error("in use by another process")]
    InUse,
    /// An earlier write failed, so the content on disk is unknown.
    #[error("an earlier write failed; reopen the file")]
    Poisoned,
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl FileFault {
    /// The error for the file with this path.
    pub(crate) fn of(self, path: &Path) -> FileError {
        FileError {
            path: path.to_owned(),
            fault: self,
        }
    }

    /// The fault of a file that could not be created.
    pub(crate) fn creating(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::AlreadyExists => Self::Exists,
            _ => Self::Io(error),
        }
    }

    /// The fault of a file that could not be opened.
    pub(crate) fn opening(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Io(error),
        }
    }
}

impl From<HeaderError> for FileFault {
    fn from(error: HeaderError) -> Self {
        match error {
            HeaderError::OtherFile => Self::OtherFile,
            HeaderError::OtherOwner => Self::OtherOwner,
        }
    }
}
