//! One function per rule, named after what it demands. [`verify`](fn@crate::verify) and [`GenesisProof`] compose them.
//!
//! [`GenesisProof`]: crate::GenesisProof

use crate::{
    error::{Error, StateError},
    genesis::{read_keysets, Header},
    misbehaviour::{Conflict, Misbehaviour},
    trusted::{Best, Trusted, TrustedSet},
    update::Update,
};
use alloc::{boxed::Box, vec::Vec};
use duet_primitives::{
    prepare_stateless, suite::MAX_VALIDATORS, BlockNumber, Commitment, Justification, Keyset,
    KeysetCommitment, Keysets, Pk1Bytes, PreparedJustification, SetId, UncheckedJustification,
    H256,
};
use sp_core::{Blake2Hasher, Hasher};

/// LIGHT-1: the header hashes to the trusted genesis hash, and is one of block 0.
pub(crate) fn genesis_header(header: &[u8], expected: H256) -> Result<Header, Error> {
    let got = Blake2Hasher::hash(header);
    if got != expected {
        return Err(Error::WrongGenesis { expected, got });
    }
    Header::read_genesis(header).ok_or(Error::NotAGenesisHash)
}

/// LIGHT-2: the nodes prove the keysets under the state root, and no node is there for nothing.
pub(crate) fn keysets_are_proven(nodes: &[Vec<u8>], state_root: H256) -> Result<Keysets, Error> {
    read_keysets(nodes, state_root)
}

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

/// LIGHT-5 and LIGHT-6: the set is the signing one or the next one.
///
/// The signing set may go on after it has named its successor, until that one starts.
pub(crate) fn set_is_trusted(trusted: &Trusted, got: SetId) -> Result<&TrustedSet, Error> {
    let signing = trusted.signing().id;
    if got < signing {
        return Err(Error::OldSet { signing, got });
    }
    trusted.set(got).ok_or_else(|| Error::TooFarAhead {
        latest: trusted.latest_set().id,
        got,
    })
}

/// JUST-1 to JUST-5, and STATELESS-1 and STATELESS-2 where the proof brings its own keys.
pub(crate) fn proof_holds(
    update: Update,
    set: &TrustedSet,
    genesis_hash: H256,
) -> Result<Justification, Error> {
    Ok(proof_opens(update, set, genesis_hash)?.verify()?)
}

/// The same but for JUST-5.
pub(crate) fn proof_opens(
    update: Update,
    set: &TrustedSet,
    genesis_hash: H256,
) -> Result<PreparedJustification, Error> {
    let with_keys = |justification: UncheckedJustification| {
        let keys = set.keys.as_ref().ok_or(Error::KeysNeeded {
            set: set.commitment.id,
        })?;
        Ok(justification.prepare(keys, genesis_hash)?)
    };
    match update {
        Update::Justification(justification) => with_keys(justification),
        Update::Handoff(proof) => with_keys(proof.justification),
        Update::Stateless(proof) => Ok(prepare_stateless(proof, &set.commitment, genesis_hash)?),
    }
}

/// LIGHT-5: a set is followed by itself, unchanged, or by the set with the next number.
pub(crate) fn successor_follows(
    current: &KeysetCommitment,
    next: &KeysetCommitment,
) -> Result<(), StateError> {
    let follows = if next.id == current.id {
        next == current
    } else {
        current.id.checked_next() == Some(next.id) && (1..=MAX_VALIDATORS).contains(&next.len)
    };
    follows.then_some(()).ok_or(StateError::Successor {
        current: current.id,
        next: next.id,
    })
}

/// LIGHT-4 and LIGHT-5: what was proven now does not contradict what was proven before.
pub(crate) fn no_conflict(trusted: &Trusted, justification: &Justification) -> Result<(), Error> {
    let commitment = justification.commitment();
    let Some(conflict) = contradicts(trusted, commitment) else {
        return Ok(());
    };
    Err(match &trusted.best().proof {
        Some(kept) => Error::Misbehaviour(Box::new(Misbehaviour::of_kept(
            conflict,
            kept,
            justification.clone(),
        ))),
        None => Error::CheckpointContradicted {
            number: commitment.block_number,
            conflict,
        },
    })
}

/// How a commitment contradicts what was proven before, or the checkpoint.
pub(crate) fn contradicts(trusted: &Trusted, commitment: &Commitment) -> Option<Conflict> {
    let Best {
        number,
        hash,
        proof,
    } = trusted.best();
    match proof {
        Some(kept) => Conflict::between(&kept.commitment, commitment),
        None => checkpoint_conflict(trusted, *number, *hash, commitment),
    }
}

/// What a signed commitment says against a checkpoint, which has no proof to compare it with.
fn checkpoint_conflict(
    trusted: &Trusted,
    number: BlockNumber,
    hash: H256,
    commitment: &Commitment,
) -> Option<Conflict> {
    if commitment.block_number == number && commitment.block_hash != hash {
        return Some(Conflict::SameBlock);
    }
    let next = trusted.next()?;
    if commitment.validator_set_id != trusted.signing().id || commitment.next == *next {
        return None;
    }
    Some(if commitment.is_handoff() {
        Conflict::Successors
    } else {
        Conflict::Retraction
    })
}
