//! From one trusted state to the next: the rules, in the order in which they are checked.
//!
//! The order is written once: [`before_equation`], the pairing equation (JUST-5), [`after_equation`]. [`verify`] runs
//! all three for one proof. [`verify_prefix`] runs the first and the last for each proof, and then checks all
//! equations together.

use crate::{
    error::Error,
    misbehaviour::{Conflict, DisputedRecovery, Misbehaviour},
    rules,
    trusted::{Best, Trusted, TrustedSet},
    update::Update,
};
use alloc::{boxed::Box, vec::Vec};
use duet_primitives::{
    check_stateless, prepare_stateless, Commitment, Justification, JustificationError,
    KeysetCommitment, PreparedJustification, SetId, StatelessProof, UncheckedJustification,
    Witness,
};

/// The result of a valid proof.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It is about a newer block.
    New(Box<Verified>),
    /// It is about the block that is already trusted, and says the same.
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
    fn new(trusted: Trusted, justification: Justification) -> Self {
        Self {
            set_len: trusted.signing().len,
            trusted,
            justification,
        }
    }

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

/// Verifies one proof from an untrusted sender.
///
/// Rules: LIGHT-4 the block is not old; LIGHT-5 and LIGHT-6 the set is trusted (LIGHT-7 when it is not yet); JUST-1 to
/// JUST-5, or STATELESS-1, STATELESS-2 and JUST-1 to JUST-5; LIGHT-5 the successor follows; LIGHT-4 and LIGHT-5 no
/// conflict with what was proven before; LIGHT-3 the next set's keys, where they are sent along. After a crossing, until
/// the new set's first proof, a proof by a lower set is checked against the state before it, and contradicts the recovery
/// if it holds. (RECOVER-8)
/// Cost: one justification or stateless proof, at most two where LIGHT-7 applies; with keys,
/// [`duet_primitives::Keyset::check`].
///
/// # Errors
/// The first broken rule in that order; the state is unchanged.
pub fn verify(trusted: &Trusted, update: Update) -> Result<Outcome, Error> {
    verify_with(trusted, &update, PreparedJustification::verify)
}

fn verify_with(
    trusted: &Trusted,
    update: &Update,
    check: impl FnOnce(PreparedJustification) -> Result<Justification, JustificationError>,
) -> Result<Outcome, Error> {
    if let Some(before) = before_crossing(trusted, update) {
        return disputed(before, verify_with(before, update, check)?);
    }
    let (set, prepared) = match before_equation(trusted, update, None) {
        Err(error @ Error::TooFarAhead { .. }) => {
            set_id_is_unchanged(trusted, update)?;
            return Err(error);
        }
        found => found?,
    };
    let justification = check(prepared)?;
    match after_equation(trusted, set, update) {
        Ok(Some(next)) => Ok(Outcome::New(Box::new(Verified::new(next, justification)))),
        Ok(None) => Ok(Outcome::Known),
        Err(Objection::Rule(error)) => Err(error),
        Err(Objection::Contradiction(conflict)) => {
            Err(contradicted(trusted, conflict, justification))
        }
    }
}

/// Verifies the first proofs of `updates`, each against the state that the one before it leads to, as far as
/// they are new and hold.
///
/// The verdicts are those of [`verify`], one after the other; the pairing equations are checked together, which
/// takes about half the time. (JUST-6) Where this stops before the end, [`verify`] of the next proof says why.
pub fn verify_prefix(trusted: &Trusted, updates: &[Update]) -> Vec<Verified> {
    let mut prepared = Vec::new();
    // No state is trusted before the equations of all proofs up to it hold.
    let mut states: Vec<Trusted> = Vec::new();
    for update in updates {
        let before = states.last().unwrap_or(trusted);
        let Ok((set, one)) = before_equation(before, update, prepared.last()) else {
            break;
        };
        let Ok(Some(state)) = after_equation(before, set, update) else {
            break;
        };
        prepared.push(one);
        states.push(state);
    }
    let proven = PreparedJustification::verify_all(prepared).into_iter();
    let verified = states.into_iter().zip(proven);
    verified
        .map(|(state, justification)| Verified::new(state, justification))
        .collect()
}

impl Trusted {
    /// Verifies one proof against this state: [`verify`].
    ///
    /// # Errors
    /// As [`verify`].
    pub fn verify(&self, update: impl Into<Update>) -> Result<Outcome, Error> {
        verify(self, update.into())
    }

    /// [`Trusted::verify`] by a witness of the equation, which spares WASM the final exponentiation. (JUST-11)
    ///
    /// # Errors
    /// As [`verify`]; a wrong witness is refused as an equation that does not hold.
    pub fn verify_by(
        &self,
        update: impl Into<Update>,
        witness: &Witness,
    ) -> Result<Outcome, Error> {
        let check = |prepared: PreparedJustification| prepared.verify_by(witness);
        verify_with(self, &update.into(), check)
    }

    /// The witness of the equation of a proof by a set that may sign. (JUST-11)
    ///
    /// # Errors
    /// As [`verify`], save for JUST-5 and for what is checked after it.
    pub fn witness(&self, update: impl Into<Update>) -> Result<Witness, Error> {
        let update = update.into();
        let state = before_crossing(self, &update).unwrap_or(self);
        let (_, prepared) = before_equation(state, &update, None)?;
        Ok(prepared.witness())
    }

    /// The set with this id, when it may sign the next proof. (LIGHT-5, LIGHT-6)
    ///
    /// # Errors
    /// [`Error::OldSet`] when the set was replaced, [`Error::TooFarAhead`] when it is not known yet. Unlike
    /// [`verify`], this does not look for a set whose id was changed. (LIGHT-7)
    pub fn signer(&self, id: SetId) -> Result<&KeysetCommitment, Error> {
        set_is_trusted(self, id).map(|set| &set.commitment)
    }

    /// Verifies a proof of any block, older ones too, by a set that may sign, without following it: for two proofs that are said to
    /// contradict each other ([`Misbehaviour::new`]).
    ///
    /// Rules: LIGHT-5 and LIGHT-6 the set is trusted, STATELESS-1, STATELESS-2, JUST-1 to JUST-5.
    /// Cost: that of one stateless proof.
    ///
    /// # Errors
    /// As [`Trusted::signer`]; [`Error::Justification`] and [`Error::Stateless`].
    pub fn check_stateless(&self, proof: StatelessProof) -> Result<Justification, Error> {
        let signer = self.signer(proof.justification.commitment.validator_set_id)?;
        Ok(check_stateless(proof, signer, self.genesis_hash())?)
    }

    /// Verifies proofs that follow each other, together: [`verify_prefix`].
    pub fn verify_prefix(&self, updates: &[Update]) -> Vec<Verified> {
        verify_prefix(self, updates)
    }
}

/// RECOVER-8: the state before a crossing, for a proof by a set that cannot sign behind it. Of an older block it says
/// nothing about the reset.
fn before_crossing<'a>(trusted: &'a Trusted, update: &Update) -> Option<&'a Trusted> {
    let commitment = update.commitment();
    let is_of_ended = commitment.validator_set_id < trusted.signing().id
        && commitment.block_number >= trusted.best_number();
    trusted.before.as_deref().filter(|_| is_of_ended)
}

/// RECOVER-8: what holds against the state before the crossing contradicts the recovery.
fn disputed(before: &Trusted, outcome: Outcome) -> Result<Outcome, Error> {
    let (Outcome::New(verified), Some(announced)) = (&outcome, before.announced()) else {
        return Ok(outcome);
    };
    Err(Error::DisputedRecovery(Box::new(DisputedRecovery {
        recovery: announced.proof().clone(),
        proof: verified.justification.clone().into_unchecked(),
    })))
}

/// The rules on the signers and on the form of the proof, up to the equation. The proof's content is not trusted yet.
fn before_equation<'a>(
    trusted: &'a Trusted,
    update: &Update,
    before: Option<&PreparedJustification>,
) -> Result<(&'a TrustedSet, PreparedJustification), Error> {
    let commitment = update.commitment();
    rules::block_is_not_old(trusted.best_number(), commitment.block_number)?;
    let set = set_is_trusted(trusted, commitment.validator_set_id)?;
    let prepared = proof_is_well_formed(update, set, trusted, before)?;
    Ok((set, prepared))
}

/// The rules on the signed commitment, and the resulting state; none when the block is known. They count only when
/// the equation holds.
fn after_equation(
    trusted: &Trusted,
    set: &TrustedSet,
    update: &Update,
) -> Result<Option<Trusted>, Objection> {
    let commitment = update.commitment();
    follows(trusted, set, &commitment.next)?;
    no_conflict(trusted, commitment).map_err(Objection::Contradiction)?;
    let next = successor(trusted, update)?;
    let is_new = commitment.block_number > trusted.best_number();
    Ok(is_new.then(|| after(trusted, set, next, update.justification())))
}

/// The objection to a signed commitment.
enum Objection {
    /// It breaks a rule.
    Rule(Error),
    /// It contradicts the trusted state.
    Contradiction(Conflict),
}

impl From<Error> for Objection {
    fn from(error: Error) -> Self {
        Self::Rule(error)
    }
}

/// LIGHT-5 and LIGHT-6: the set is the signing one or the next one.
fn set_is_trusted(trusted: &Trusted, got: SetId) -> Result<&TrustedSet, Error> {
    let latest = trusted.latest_set().id;
    rules::set_still_signs(trusted.signing().id, got)?;
    trusted.set(got).ok_or(Error::TooFarAhead { latest, got })
}

/// LIGHT-7: a proof of a set beyond the trusted ones is not a proof of a trusted set under another id.
fn set_id_is_unchanged(trusted: &Trusted, update: &Update) -> Result<(), Error> {
    let holds_for = |set: &&TrustedSet| {
        let renamed = update.with_set_id(set.commitment.id);
        let prepared = proof_is_well_formed(&renamed, set, trusted, None);
        prepared.is_ok_and(|prepared| prepared.verify().is_ok())
    };
    match trusted.sets().find(holds_for) {
        Some(set) => Err(Error::SetIdChanged {
            expected: set.commitment.id,
            got: update.commitment().validator_set_id,
        }),
        None => Ok(()),
    }
}

/// JUST-1 to JUST-4, STATELESS-1 and STATELESS-2 where the proof contains keys, and ENC-1 to ENC-4 for its points.
fn proof_is_well_formed(
    update: &Update,
    set: &TrustedSet,
    trusted: &Trusted,
    before: Option<&PreparedJustification>,
) -> Result<PreparedJustification, Error> {
    let genesis_hash = trusted.genesis_hash();
    if let Update::Stateless(proof) = update {
        let prepared = prepare_stateless(proof.clone(), &set.commitment, genesis_hash, before);
        return Ok(prepared?);
    }
    let keys = set.keys.as_ref().ok_or(Error::KeysNeeded {
        set: set.commitment.id,
    })?;
    let justification = update.justification().clone();
    Ok(justification.prepare(keys, genesis_hash, before)?)
}

/// LIGHT-5: the signed successor follows.
fn follows(trusted: &Trusted, set: &TrustedSet, next: &KeysetCommitment) -> Result<(), Error> {
    rules::successor_follows(&set.commitment, next).map_err(|why| {
        // Its total alone is known to be right: whoever vouched for the rest may be wrong about its root or its length.
        let is_vouched_for = trusted.best_proof().is_none() && set.keys.is_none();
        if is_vouched_for && next.id == set.commitment.id {
            return Error::CheckpointSet { set: next.id };
        }
        why.into()
    })
}

/// LIGHT-4 and LIGHT-5: the signed commitment does not contradict the newest stored proof, or the checkpoint.
fn no_conflict(trusted: &Trusted, commitment: &Commitment) -> Result<(), Conflict> {
    let Some(kept) = trusted.best_proof() else {
        return trusted.checkpoint().agrees_with(commitment);
    };
    match Conflict::between(&kept.commitment, commitment) {
        Some(conflict) => Err(conflict),
        None => Ok(()),
    }
}

/// The error for a valid proof that contradicts the trusted state.
fn contradicted(trusted: &Trusted, conflict: Conflict, second: Justification) -> Error {
    match trusted.best_proof() {
        Some(kept) => {
            let evidence = Misbehaviour::of_kept(conflict, kept, second);
            Error::Misbehaviour(Box::new(evidence))
        }
        None => Error::CheckpointContradicted {
            number: second.commitment().block_number,
            conflict,
        },
    }
}

/// LIGHT-3, LIGHT-5: the successor that the proof names, with the keys that came along or are known.
fn successor(trusted: &Trusted, update: &Update) -> Result<Option<TrustedSet>, Error> {
    let commitment = update.commitment();
    let next = &commitment.next;
    if let Some(keys) = update.next_keys() {
        rules::successor_is_named(commitment)?;
        let keys = rules::keys_match(next, keys)?;
        return Ok(Some(TrustedSet::new(keys, trusted.mode())));
    }
    if !commitment.is_handoff() {
        return Ok(None);
    }
    let known = trusted.set(next.id).filter(|set| set.commitment == *next);
    let unknown = || TrustedSet::without_keys(next.clone());
    Ok(Some(known.cloned().unwrap_or_else(unknown)))
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
        dated: trusted.dated(),
        // A newer proof ends an announcement, and is by the set behind the reset. (RECOVER-8)
        recovery: None,
        before: None,
    }
}
