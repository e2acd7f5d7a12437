//! Errors of the standard statistics.

use duet_mklhs::{
    CombineError, DecodeError, LabelError, ProgramError, RegisterError, SignerId, VerifyError,
};

/// The largest magnitude of a value. Its square is signed too, and signed numbers have at most 64 bits.
pub const MAX_VALUE: u64 = u32::MAX as u64;

/// Why an operation was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StandardError {
    /// The square of a value has more than 64 bits.
    #[error("the value {value} is larger than {MAX_VALUE}")]
    ValueOutOfRange {
        /// The value.
        value: i64,
    },
    /// A data set has more values than there are indices.
    #[error("{got} values exceed the maximum size of a data set")]
    TooManyValues {
        /// The number of values.
        got: usize,
    },
    /// The numbers of records or coefficients and of values in the view differ.
    #[error("expected {expected} records or coefficients, one per value of the view, got {got}")]
    CountMismatch {
        /// The number of values in the view.
        expected: usize,
        /// The number of records or coefficients.
        got: usize,
    },
    /// A value of the view has weight zero.
    #[error("value {position} has weight zero")]
    ZeroWeight {
        /// The position of the value in the view.
        position: usize,
    },
    /// The proof is for another type of statistic.
    #[error("the proof is for another type of statistic")]
    WrongProof,
    /// The proof is valid, but for another value.
    #[error("the statistic does not have the claimed value")]
    ValueMismatch,
    /// No values have this sum and this sum of squares: the source signed a number that is not the square.
    #[error("no values of {source_id} have both this sum and this sum of squares")]
    NoSuchValues {
        /// The source.
        source_id: SignerId,
    },
    /// A name is too long for a label.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// The register refused the request or could not be written.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// The view has no values, or has one twice.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// Records are invalid or cannot be combined.
    #[error(transparent)]
    Combine(#[from] CombineError),
    /// The proof is invalid.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The bytes do not encode a signature.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}
