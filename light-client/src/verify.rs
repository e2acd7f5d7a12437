//! From one trusted state to the next: the rules, in the order in which they are checked.

use crate::{
    error::Error,
    rules,
    trusted::{Best, Trusted, TrustedSet},
    update::Update,
};
use alloc::{boxed::Box, vec::Vec};
use duet_primitives::{Justification, Pk1Bytes, SetId};

/// What came of a proof that holds.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It is about a newer block.
    New(Box<Verified>),
    /// It is about the block that is trusted already, and says the same.
    Known,
}

/// A proof that was verified, and the state that it leads to.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The state after it.
    pub trusted: Trusted,
    /// The proof.
    pub justification: Justification,
    /// How many validators its set has.
    pub set_len: u32,
}

impl Verified {
    /// How many validators signed.
    pub fn signers(&self) -> u32 {
        self.justification.signers().count()
    }

    /// The set that the proof names as the next one, when it hands over.
    pub fn next_set(&self) -> Option<SetId> {
        let commitment = self.justification.commitment();
        commitment.hands_over().then_some(commitment.next.id)
    }
}

/// Verifies one proof from a stranger.
///
/// Rules: LIGHT-5 and LIGHT-6 the set is trusted; LIGHT-4 the block is not old; JUST-1 to JUST-5, or STATELESS-1,
/// STATELESS-2 and JUST-1 to JUST-5; LIGHT-5 the successor follows; LIGHT-4 and LIGHT-5 no conflict with what was
/// proven before; LIGHT-3 the next set's keys, where they are sent along.
/// Cost: that of one justification or stateless proof; with keys, [`duet_primitives::Keyset::check`].
///
/// # Errors
/// The first broken rule in that order; the state stays as it was.
pub fn verify(trusted: &Trusted, update: Update) -> Result<Outcome, Error> {
    let commitment = update.commitment();
    let set = rules::set_is_trusted(trusted, commitment.validator_set_id)?;
    rules::block_is_not_old(trusted.best_number(), commitment.block_number)?;

    let next_keys = match &update {
        Update::Set(proof) => Some(proof.next_keys.clone()),
        Update::Justification(_) | Update::Stateless(_) => None,
    };
    let justification = rules::proof_holds(update, set, trusted.genesis_hash())?;
    let commitment = justification.commitment();
    rules::successor_follows(&set.commitment, &commitment.next).map_err(|_| Error::Successor {
        set: commitment.validator_set_id,
        next: commitment.next.id,
    })?;
    rules::no_conflict(trusted, &justification)?;

    let next = successor(trusted, &justification, next_keys)?;
    if commitment.block_number == trusted.best_number() {
        return Ok(Outcome::Known);
    }
    let best = Best {
        number: commitment.block_number,
        hash: commitment.block_hash,
        proof: Some(Box::new(justification.as_unchecked().clone())),
    };
    let trusted = Trusted {
        genesis_hash: trusted.genesis_hash(),
        mode: trusted.mode(),
        best,
        signing: set.clone(),
        next,
    };
    let set_len = set.commitment.len;
    Ok(Outcome::New(Box::new(Verified {
        trusted,
        justification,
        set_len,
    })))
}

/// LIGHT-3, LIGHT-5: the set that the proof hands over to, with the keys that came along or are known.
fn successor(
    trusted: &Trusted,
    justification: &Justification,
    keys: Option<Vec<Pk1Bytes>>,
) -> Result<Option<TrustedSet>, Error> {
    let commitment = justification.commitment();
    if !commitment.hands_over() {
        return match keys {
            Some(_) => Err(Error::NoHandOver {
                set: commitment.validator_set_id,
            }),
            None => Ok(None),
        };
    }
    let next = &commitment.next;
    if let Some(keys) = keys {
        return Ok(Some(TrustedSet::new(
            rules::keys_match(next, &keys)?,
            trusted.mode(),
        )));
    }
    let known = trusted.set(next.id).filter(|set| set.commitment == *next);
    Ok(Some(
        known
            .cloned()
            .unwrap_or_else(|| TrustedSet::without_keys(next.clone())),
    ))
}
