//! Where a client begins when it does not begin at genesis.

use crate::{error::StateError, rules};
use codec::{Decode, Encode};
use duet_primitives::{suite::MAX_VALIDATORS, BlockNumber, KeysetCommitment, Keysets, H256};

/// A block that a user trusts, with the sets that sign from there on. About 300 bytes, whatever the set's size.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Checkpoint {
    /// Which chain.
    pub genesis_hash: H256,
    /// Number of the block.
    pub block_number: BlockNumber,
    /// Hash of the block.
    pub block_hash: H256,
    /// The set that signs at this block, and the one that follows it.
    pub keysets: Keysets,
}

impl Checkpoint {
    /// What a checkpoint must be like whoever vouches for it: sets that are none are refused before they are
    /// used against an honest server.
    pub(crate) fn check(&self) -> Result<(), StateError> {
        let Keysets { current, next } = &self.keysets;
        check_set(current)?;
        check_set(next)?;
        rules::successor_follows(current, next)
    }
}

fn check_set(set: &KeysetCommitment) -> Result<(), StateError> {
    let KeysetCommitment { id, len, .. } = *set;
    if !(1..=MAX_VALIDATORS).contains(&len) {
        return Err(StateError::Len { set: id, len });
    }
    set.apk1
        .check()
        .map_err(|error| StateError::Total { set: id, error })?;
    Ok(())
}
