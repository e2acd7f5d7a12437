//! Why a log could not be decoded.

use crate::record::MalformedRecord;
use thiserror::Error;

/// The version of logs.
pub(super) const VERSION: u32 = 2;

/// Why a log could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LogError {
    /// The header is not that of a log.
    #[error("not a queue log")]
    NotALog,
    /// Another version than the expected one.
    #[error("expected version {VERSION}, got {got}")]
    Version {
        /// The version.
        got: u32,
    },
    /// Bytes before the last frame are corrupt.
    #[error("corrupt at byte {offset}")]
    Damaged {
        /// The offset of the corrupt frame.
        offset: usize,
    },
    /// A frame is intact, but a change in it is invalid.
    #[error("an invalid change in the frame at byte {offset}")]
    Change {
        /// The offset of the frame.
        offset: usize,
    },
    /// A record in the log is malformed.
    #[error("a malformed record in the frame at byte {offset}: {error}")]
    Record {
        /// The offset of the frame.
        offset: usize,
        /// The cause.
        error: MalformedRecord,
    },
    /// The changes are too long for one frame.
    #[error("{got} bytes of changes are too long for one frame")]
    TooLong {
        /// The length of the changes.
        got: usize,
    },
}
