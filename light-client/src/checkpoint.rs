//! A trusted starting point other than the genesis.

use crate::{error::StateError, misbehaviour::Conflict, rules};
use codec::{Decode, Encode};
use duet_primitives::{
    suite::MAX_VALIDATORS, BlockNumber, Commitment, KeysetCommitment, Keysets, H256,
};

/// A block that a user trusts, with the sets that sign from there on. About 300 bytes, whatever the set's size.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Checkpoint {
    /// Which chain.
    pub genesis_hash: H256,
    /// Number of the block.
    pub block_number: BlockNumber,
    /// Hash of the block.
    pub block_hash: H256,
    /// The set that signs at this block, and its successor.
    pub keysets: Keysets,
}

impl Checkpoint {
    /// Checks the form, whoever vouches for it: an impossible set is refused here, and not blamed on an honest server
    /// later.
    pub(crate) fn check(&self) -> Result<(), StateError> {
        let Keysets { current, next } = &self.keysets;
        check_set(current)?;
        check_set(next)?;
        Ok(rules::successor_follows(current, next)?)
    }

    /// LIGHT-4 and LIGHT-5: a signed commitment does not contradict this checkpoint.
    pub(crate) fn agrees_with(&self, commitment: &Commitment) -> Result<(), Conflict> {
        if commitment.block_number == self.block_number && commitment.block_hash != self.block_hash
        {
            return Err(Conflict::SameBlock);
        }
        let Keysets { current, next } = &self.keysets;
        let has_successor = next != current;
        if !has_successor || commitment.validator_set_id != current.id || commitment.next == *next {
            return Ok(());
        }
        Err(if commitment.is_handoff() {
            Conflict::Successors
        } else {
            Conflict::Retraction
        })
    }
}

/// SET-1 for the length, KEY-1 for the total.
pub(crate) fn check_set(set: &KeysetCommitment) -> Result<(), StateError> {
    let KeysetCommitment { id, len, .. } = *set;
    if !(1..=MAX_VALIDATORS).contains(&len) {
        return Err(StateError::Len { set: id, len });
    }
    set.apk1
        .check()
        .map_err(|error| StateError::Total { set: id, error })?;
    Ok(())
}
