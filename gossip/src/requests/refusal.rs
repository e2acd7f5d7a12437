//! Why a request is refused, and whether the requesting peer is to blame.

use crate::reputation::PeerBehaviour;

/// Why a request is refused. `E` is the store's error.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal<E> {
    /// The bytes are not a request.
    #[error("REQ-2: the request does not decode: {0}")]
    Malformed(#[from] codec::Error),
    /// The request asks for none, or for too many.
    #[error("REQ-2: {got} proofs were requested, but 1 to {limit} are allowed")]
    Count {
        /// The limit.
        limit: u8,
        /// The requested number.
        got: u8,
    },
    /// The sender has used up its quota.
    #[error("REQ-2: the peer sends requests too often")]
    TooOften,
    /// This node's store failed.
    #[error("the store failed: {0}")]
    Store(E),
}

impl<E> Refusal<E> {
    /// The sender's behaviour; `None` when the fault is this node's.
    pub(super) fn behaviour(&self) -> Option<PeerBehaviour> {
        match self {
            Self::Malformed(_) | Self::Count { .. } => Some(PeerBehaviour::BadRequest),
            Self::TooOften => Some(PeerBehaviour::TooManyRequests),
            Self::Store(_) => None,
        }
    }
}

/// Refuses requests for no entries or for more than `limit`.
pub(super) fn check_count<E>(got: u8, limit: u8) -> Result<(), Refusal<E>> {
    if (1..=limit).contains(&got) {
        Ok(())
    } else {
        Err(Refusal::Count { limit, got })
    }
}
