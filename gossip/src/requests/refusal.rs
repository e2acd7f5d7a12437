//! Why a request is not served, and whether that is the fault of the peer that asks.

use crate::reputation::PeerBehaviour;

/// Why a request is not served. `E` is what the store says when it fails.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal<E> {
    /// Its bytes are not a request.
    #[error("REQ-2: the request does not decode: {0}")]
    Malformed(#[from] codec::Error),
    /// It asks for none, or for too many.
    #[error("REQ-2: {got} proofs were asked for, 1 to {limit} are allowed")]
    Count {
        /// The most that is allowed.
        limit: u8,
        /// What was asked for.
        got: u8,
    },
    /// Its sender has used up its quota.
    #[error("REQ-2: the peer asks too often")]
    TooOften,
    /// This node's store failed.
    #[error("the store failed: {0}")]
    Store(E),
}

impl<E> Refusal<E> {
    /// What the request says about its sender; `None` when the fault is this node's.
    pub(super) fn behaviour(&self) -> Option<PeerBehaviour> {
        match self {
            Self::Malformed(_) | Self::Count { .. } => Some(PeerBehaviour::BadRequest),
            Self::TooOften => Some(PeerBehaviour::TooManyRequests),
            Self::Store(_) => None,
        }
    }
}

/// Refuses to answer with no entries or with more than `limit`.
pub(super) fn check_count<E>(got: u8, limit: u8) -> Result<(), Refusal<E>> {
    if (1..=limit).contains(&got) {
        Ok(())
    } else {
        Err(Refusal::Count { limit, got })
    }
}
