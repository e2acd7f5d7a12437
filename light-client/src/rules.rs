//! One function per rule on values, named after its requirement. The functions do not know a client's state:
//! [`verify`](fn@crate::verify), [`StartProof`](crate::StartProof), [`Checkpoint`](crate::Checkpoint) and
//! [`Trusted`](crate::Trusted) put them in order.

use crate::error::{Error, StateError};
use duet_primitives::{
    suite::MAX_VALIDATORS, BlockNumber, Commitment, Keyset, KeysetCommitment, Pk1Bytes, SetId,
};

/// LIGHT-3: the keys are those that the commitment commits to.
pub(crate) fn keys_match(set: &KeysetCommitment, keys: &[Pk1Bytes]) -> Result<Keyset, Error> {
    Keyset::check(set, keys).map_err(|error| Error::Keys { set: set.id, error })
}

/// LIGHT-4: the block is not older than the trusted one. The same block passes: it may be known, or it may be
/// evidence against the validators.
pub(crate) fn block_is_not_old(best: BlockNumber, got: BlockNumber) -> Result<(), Error> {
    if got < best {
        return Err(Error::OldBlock { best, got });
    }
    Ok(())
}

/// LIGHT-5: the set has not been replaced. It may sign more blocks after it has named its successor, until that one
/// signs.
pub(crate) fn set_still_signs(signing: SetId, got: SetId) -> Result<(), Error> {
    if got < signing {
        return Err(Error::OldSet { signing, got });
    }
    Ok(())
}

/// LIGHT-5: a proof with the keys of a successor names one.
pub(crate) fn successor_is_named(commitment: &Commitment) -> Result<(), Error> {
    if !commitment.is_handoff() {
        let set = commitment.validator_set_id;
        return Err(Error::NoSuccessor { set });
    }
    Ok(())
}

/// Why a set cannot follow another one. (LIGHT-5)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotASuccessor {
    /// It has neither the same id and keys nor the next id.
    Id {
        /// The set that is followed.
        current: SetId,
        /// The next set according to the commitments.
        next: SetId,
    },
    /// It has the next id, and no keys or too many.
    Len {
        /// The set that is followed.
        current: SetId,
        /// The next set according to the commitments.
        next: SetId,
        /// How many keys it has.
        len: u32,
    },
}

/// LIGHT-5: a set is followed by itself, unchanged, or by the set with the next id, which has 1 to
/// [`MAX_VALIDATORS`] keys.
pub(crate) fn successor_follows(
    current: &KeysetCommitment,
    next: &KeysetCommitment,
) -> Result<(), NotASuccessor> {
    if next == current {
        return Ok(());
    }
    let (current, len, next) = (current.id, next.len, next.id);
    if current.checked_next() != Some(next) {
        return Err(NotASuccessor::Id { current, next });
    }
    if !(1..=MAX_VALIDATORS).contains(&len) {
        return Err(NotASuccessor::Len { current, next, len });
    }
    Ok(())
}

impl From<NotASuccessor> for Error {
    fn from(why: NotASuccessor) -> Self {
        match why {
            NotASuccessor::Id { current: set, next } => Self::Successor { set, next },
            NotASuccessor::Len {
                current: set,
                next,
                len,
            } => Self::SuccessorLen { set, next, len },
        }
    }
}

impl From<NotASuccessor> for StateError {
    fn from(why: NotASuccessor) -> Self {
        match why {
            NotASuccessor::Id { current, next } => Self::Successor { current, next },
            NotASuccessor::Len { next, len, .. } => Self::SuccessorLen { next, len },
        }
    }
}
