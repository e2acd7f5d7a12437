//! The error of decoding signatures.

use crate::suite::HopCountOutOfRange;
use thiserror::Error;

/// Why a signature could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MalformedAggregate {
    /// The bytes end before the suite and the number of hops.
    #[error("truncated after {got} bytes")]
    CutOff {
        /// The number of bytes.
        got: usize,
    },
    /// Unknown version.
    #[error("unknown version {got}")]
    Version {
        /// The version.
        got: u8,
    },
    /// Unknown suite.
    #[error("unknown suite {got}")]
    Suite {
        /// The suite.
        got: u8,
    },
    /// No hops, or more than 255.
    #[error(transparent)]
    HopCount(#[from] HopCountOutOfRange),
    /// Too few or too many bytes.
    #[error("expected {expected} bytes, got {got}")]
    Length {
        /// The expected length.
        expected: usize,
        /// The actual length.
        got: usize,
    },
    /// `x` is not below `2^(K-1)`.
    #[error("the highest bit of x is set")]
    TopBit,
    /// A padding bit after the last hop's bit is set.
    #[error("a padding bit is set")]
    Padding,
}
