//! Errors of the label register.

use std::{io, path::PathBuf};
use thiserror::Error;

/// Why a register refused a request or cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The label was already used for another message.
    #[error("label {position} of the request was already used for another message")]
    LabelAlreadyUsed {
        /// The position of the label in the request.
        position: usize,
    },
    /// The register belongs to another key.
    #[error("the register belongs to another key")]
    OtherKey,
    /// Another signer has the register open.
    #[error("another signer has the register open")]
    InUse,
    /// The journal is older than its anchor or diverges from it: it was restored from a copy, or truncated.
    #[error(
        "the journal has {records} records, but the key has signed {expected}: it was rolled back or replaced"
    )]
    RolledBack {
        /// The complete records of the journal.
        records: u64,
        /// The records that the anchor counts.
        expected: u64,
    },
    /// A record is corrupt, or the file is not a journal. The key must not sign until the owner has found the cause.
    #[error("the journal is damaged at byte {offset}")]
    Damaged {
        /// The offset of the corrupt record.
        offset: u64,
    },
    /// The anchor is corrupt.
    #[error("the anchor is damaged")]
    DamagedAnchor,
    /// An earlier write failed, so the content on disk is unknown. Open the register again.
    #[error("an earlier write to the register failed; open it again")]
    Poisoned,
    /// A file is missing, exists already, or cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}
