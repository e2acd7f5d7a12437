//! Submitted proofs.

use crate::{
    beginning::now,
    chain::{BridgedHeader, LOG_TARGET},
    headers,
    obsolete::{self, Known},
    rule::Rule,
    Config, Contradicted, Error, Event, Followed, FreeHeadersRemaining, Pallet,
};
use alloc::{boxed::Box, vec, vec::Vec};
use bp_runtime::HeaderId;
use duet_light_client::{Conflict, Error as Refusal, Misbehaviour, Outcome, Update, Verified};
use duet_primitives::{SetId, StatelessProof, Witness};
use frame_support::{
    dispatch::{DispatchResultWithPostInfo, Pays, PostDispatchInfo},
    ensure,
};
use frame_system::ensure_signed;
use sp_runtime::traits::Header as _;

/// Body of `submit_finality_proof`, `submit_finality_proof_ex` and `submit_finality_proof_by_witness`.
pub(crate) fn submit<T: Config<I>, I: 'static>(
    origin: T::RuntimeOrigin,
    header: &BridgedHeader<T, I>,
    proof: StatelessProof,
    expected_set: Option<SetId>,
    witness: Option<&Witness>,
) -> DispatchResultWithPostInfo {
    ensure_signed(origin)?;
    Pallet::<T, I>::ensure_active()?;
    let known = Known::get::<T, I>()?;
    let followed = Some(&known.followed);
    let submission = obsolete::info::<T, I>(followed, header, &proof, expected_set, false);
    let improved_by = obsolete::check::<T, I>(&known, &submission)?;
    let Known { best, followed } = known;

    let id = HeaderId(*header.number(), header.hash());
    let statement = &proof.justification.commitment;
    ensure!(
        (statement.block_number.get(), statement.block_hash) == (id.number(), id.hash()),
        Error::<T, I>::HeaderMismatch
    );
    let trusted = followed.clone().trusted_at(best);
    // Before the verifier, which takes longer to say why such a proof does not hold. (LIGHT-7)
    let signer = trusted.signer(statement.validator_set_id);
    signer.map_err(|error| refused::<T, I>(&error))?;
    let update = Update::Stateless(proof.clone());
    let outcome = match witness {
        Some(witness) => trusted.verify_by(update, witness),
        None => trusted.verify(update),
    };
    let verified = match outcome {
        Ok(Outcome::New(verified)) => verified,
        Ok(Outcome::Known) => return Err(Error::<T, I>::OldHeader.into()),
        Err(Refusal::CheckpointContradicted { conflict, .. }) => {
            return Ok(contradicted::<T, I>(conflict, vec![proof]));
        }
        Err(error) => return Err(refused::<T, I>(&error).into()),
    };

    let Verified { trusted, .. } = *verified;
    Followed::<T, I>::put(followed.at_newer(trusted.checkpoint().keysets, now::<T, I>()));
    headers::insert::<T, I>(header, id);
    let pays_fee = if takes_free_place::<T, I>(&submission, improved_by) {
        Pays::No
    } else {
        Pays::Yes
    };
    Pallet::<T, I>::deposit_event(Event::UpdatedBestFinalizedHeader {
        number: id.number(),
        hash: id.hash(),
        proof: Box::new(proof),
        is_mandatory: submission.is_mandatory,
    });
    Ok(pays_fee.into())
}

/// Body of `report_misbehaviour`.
pub(crate) fn report<T: Config<I>, I: 'static>(
    origin: T::RuntimeOrigin,
    first: StatelessProof,
    second: StatelessProof,
) -> DispatchResultWithPostInfo {
    ensure_signed(origin)?;
    Pallet::<T, I>::ensure_active()?;
    let Known { best, followed } = Known::get::<T, I>()?;
    let statements = [&first, &second].map(|proof| &proof.justification.commitment);
    let [one, other] = statements;
    ensure!(
        Conflict::between(one, other).is_some(),
        Error::<T, I>::NoContradiction
    );
    let checked = |proof: &StatelessProof| {
        let signer = proof.justification.commitment.validator_set_id;
        let trusted = followed.as_of(signer, now::<T, I>()).trusted_at(best);
        let checked = trusted.check_stateless(proof.clone());
        checked.map_err(|error| refused::<T, I>(&error))
    };
    let misbehaviour = Misbehaviour::new(checked(&first)?, checked(&second)?)
        .ok_or(Error::<T, I>::NoContradiction)?;
    Ok(contradicted::<T, I>(
        misbehaviour.conflict(),
        vec![first, second],
    ))
}

fn refused<T: Config<I>, I: 'static>(error: &Refusal) -> Error<T, I> {
    log::debug!(target: LOG_TARGET, "a proof is refused: {error}");
    match error {
        Refusal::OldSet { .. } => Error::OldSet,
        Refusal::TooFarAhead { .. } => Error::HandoffsMissing,
        _ => Error::InvalidProof(Rule::from(error)),
    }
}

/// Stops the pallet.
fn contradicted<T: Config<I>, I: 'static>(
    conflict: Conflict,
    proofs: Vec<StatelessProof>,
) -> PostDispatchInfo {
    log::error!(target: LOG_TARGET, "valid proofs contradict each other: {conflict}");
    Contradicted::<T, I>::put(conflict);
    Pallet::<T, I>::deposit_event(Event::ContradictionProven { conflict, proofs });
    Pays::No.into()
}

/// Whether a submission that held is free; then it takes one of the block's free places.
fn takes_free_place<T: Config<I>, I: 'static>(
    submission: &obsolete::Info,
    improved_by: u32,
) -> bool {
    let is_free = FreeHeadersRemaining::<T, I>::get().is_some_and(|count| count > 0)
        && submission.fits_limits()
        && (submission.is_mandatory || obsolete::is_far_enough::<T, I>(improved_by));
    if is_free {
        FreeHeadersRemaining::<T, I>::mutate(|remaining| {
            *remaining = remaining.map(|count| count.saturating_sub(1));
        });
    }
    is_free
}
