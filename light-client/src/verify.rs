//! From one trusted state to the next: the rules, in the order in which they are checked.

use crate::{
    error::Error,
    rules,
    trusted::{Best, Trusted, TrustedSet},
    update::Update,
};
use alloc::{boxed::Box, vec::Vec};
use duet_primitives::{
    Commitment, Justification, Pk1Bytes, PreparedJustification, SetId, UncheckedJustification,
};

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

    /// The set that the proof names as the next one, when it is a handoff.
    pub fn next_set(&self) -> Option<SetId> {
        let commitment = self.justification.commitment();
        commitment.is_handoff().then_some(commitment.next.id)
    }
}

/// Verifies one proof from a stranger.
///
/// Rules: LIGHT-4 the block is not old; LIGHT-5 and LIGHT-6 the set is trusted; JUST-1 to JUST-5, or STATELESS-1,
/// STATELESS-2 and JUST-1 to JUST-5; LIGHT-5 the successor follows; LIGHT-4 and LIGHT-5 no conflict with what was
/// proven before; LIGHT-3 the next set's keys, where they are sent along.
/// Cost: that of one justification or stateless proof; with keys, [`duet_primitives::Keyset::check`].
///
/// # Errors
/// The first broken rule in that order; the state stays as it was.
pub fn verify(trusted: &Trusted, update: Update) -> Result<Outcome, Error> {
    let commitment = update.commitment();
    rules::block_is_not_old(trusted.best_number(), commitment.block_number)?;
    let set = rules::set_is_trusted(trusted, commitment.validator_set_id)?;

    let next_keys = match &update {
        Update::Handoff(proof) => Some(proof.next_keys.clone()),
        Update::Justification(_) | Update::Stateless(_) => None,
    };
    let justification = rules::proof_holds(update, set, trusted.genesis_hash())?;
    let commitment = justification.commitment();
    rules::successor_follows(&set.commitment, &commitment.next).map_err(|_| Error::Successor {
        set: commitment.validator_set_id,
        next: commitment.next.id,
    })?;
    rules::no_conflict(trusted, &justification)?;

    let next = successor(trusted, commitment, next_keys)?;
    if commitment.block_number == trusted.best_number() {
        return Ok(Outcome::Known);
    }
    let set_len = set.commitment.len;
    Ok(Outcome::New(Box::new(Verified {
        trusted: after(trusted, set, next, justification.as_unchecked()),
        justification,
        set_len,
    })))
}

/// Verifies proofs from the front of `updates`, each against the state that the one before it leads to, as far as
/// they are new and hold.
///
/// The verdicts are those of [`verify`], one after the other; the pairing equations are checked together, which
/// takes about half the time. (JUST-6) Where this stops before the end, [`verify`] of the next proof says why.
pub fn verify_prefix(trusted: &Trusted, updates: &[Update]) -> Vec<Verified> {
    let mut pending = Vec::new();
    // Nothing of these is believed before the equations of all proofs up to it hold.
    let mut states: Vec<(Trusted, u32)> = Vec::new();
    for update in updates {
        let before = states.last().map_or(trusted, |(state, _)| state);
        let Some((opened, state, set_len)) = open(before, update) else {
            break;
        };
        pending.push(opened);
        states.push((state, set_len));
    }
    PreparedJustification::verify_all(pending)
        .into_iter()
        .zip(states)
        .map(|(justification, (trusted, set_len))| Verified {
            trusted,
            justification,
            set_len,
        })
        .collect()
}

/// Everything that [`verify`] checks of a new proof but its equation; `None` when anything is wrong or known.
fn open(trusted: &Trusted, update: &Update) -> Option<(PreparedJustification, Trusted, u32)> {
    let commitment = update.commitment();
    let set = rules::set_is_trusted(trusted, commitment.validator_set_id).ok()?;
    if commitment.block_number <= trusted.best_number() {
        return None;
    }
    let pending = rules::proof_opens(update.clone(), set, trusted.genesis_hash()).ok()?;
    rules::successor_follows(&set.commitment, &commitment.next).ok()?;
    if rules::contradicts(trusted, commitment).is_some() {
        return None;
    }
    let next_keys = match update {
        Update::Handoff(proof) => Some(proof.next_keys.clone()),
        Update::Justification(_) | Update::Stateless(_) => None,
    };
    let next = successor(trusted, commitment, next_keys).ok()?;
    let state = after(trusted, set, next, update.justification());
    Some((pending, state, set.commitment.len))
}

/// The state that a proof by `set` leads to.
fn after(
    trusted: &Trusted,
    set: &TrustedSet,
    next: Option<TrustedSet>,
    proof: &UncheckedJustification,
) -> Trusted {
    Trusted {
        genesis_hash: trusted.genesis_hash(),
        mode: trusted.mode(),
        best: Best {
            number: proof.commitment.block_number,
            hash: proof.commitment.block_hash,
            proof: Some(Box::new(proof.clone())),
        },
        signing: set.clone(),
        next,
    }
}

/// LIGHT-3, LIGHT-5: the successor that the proof names, with the keys that came along or are known.
fn successor(
    trusted: &Trusted,
    commitment: &Commitment,
    keys: Option<Vec<Pk1Bytes>>,
) -> Result<Option<TrustedSet>, Error> {
    if !commitment.is_handoff() {
        return match keys {
            Some(_) => Err(Error::NoSuccessor {
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
