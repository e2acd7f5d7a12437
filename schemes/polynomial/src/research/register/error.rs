//! Errors of the label register.

use duet_journal::{register::Refusal, FileError};
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
    /// The register belongs to another key than the one that is to sign with it.
    #[error("the register belongs to another key")]
    OtherKey,
    /// The journal or the anchor cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}

impl<M> From<Refusal<M>> for RegisterError {
    fn from(refusal: Refusal<M>) -> Self {
        match refusal {
            Refusal::LabelUsed { index, .. } => Self::LabelAlreadyUsed { position: index },
            Refusal::File(error) => Self::File(error),
        }
    }
}
