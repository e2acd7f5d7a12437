//! Why the chain gave no answer.

use super::logs::PayloadMismatch;
use crate::store::StoreError;
use duet_primitives::{BlockNumber, JustificationError, KeysetError, SetId, H256};
use sp_api::ApiError;

/// Why the chain gave no answer. Usually the block or its state is missing; the question is repeated later.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChainError {
    #[error("the chain cannot be read: {0}")]
    Chain(#[from] sp_blockchain::Error),
    #[error("the runtime cannot be called: {0}")]
    Runtime(#[from] ApiError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the runtime does not have this method yet")]
    NotInThisRuntime,
    #[error("there is no finalized block {0}")]
    NoBlock(BlockNumber),
    #[error("the runtime has no sets at block {0}")]
    NoSets(H256),
    #[error(transparent)]
    PayloadMismatch(#[from] PayloadMismatch),
    #[error("the keys of set {id} are not known")]
    UnknownSet { id: SetId },
    #[error("the keys of set {id} do not match its commitment: {error}")]
    Keys { id: SetId, error: KeysetError },
    #[error("the signature of the statement does not hold")]
    NoSignature,
}

/// Why a justification was not accepted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckError {
    /// It could not be checked: its set is unknown or unreadable here.
    #[error("its set cannot be read: {0}")]
    Set(#[from] ChainError),
    /// It was checked, and breaks a rule.
    #[error(transparent)]
    Broken(#[from] JustificationError),
}
