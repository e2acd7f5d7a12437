//! Errors of the label register.

use crate::{error::SignError, identity::SignerId, scalar::Scalar};
use duet_journal::{register::Refusal, FileError};

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
        used: Scalar,
        /// The requested message.
        asked: Scalar,
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
    #[error("the register belongs to {register}, but the key to {key}")]
    WrongKey {
        /// The owner of the register.
        register: SignerId,
        /// The owner of the key.
        key: SignerId,
    },
    /// The journal or the anchor cannot be used. Without its register a key signs nothing.
    #[error(transparent)]
    File(#[from] FileError),
}

impl RegisterError {
    /// The index of the request at fault, from 0, if one is.
    pub fn request(&self) -> Option<usize> {
        match self {
            Self::LabelAlreadyUsed { index, .. } | Self::Sign { index, .. } => Some(*index),
            Self::WrongKey { .. } | Self::File(_) => None,
        }
    }
}

impl From<Refusal<Scalar>> for RegisterError {
    fn from(refusal: Refusal<Scalar>) -> Self {
        match refusal {
            Refusal::LabelUsed { index, used, asked } => {
                Self::LabelAlreadyUsed { index, used, asked }
            }
            Refusal::File(error) => Self::File(error),
        }
    }
}
