//! Refusals that do not need the proof: by the call, and by a transaction extension before any fee is paid.

use crate::{
    beginning::now,
    chain::{BridgedHeader, ChainWithDuet, FollowedChain},
    BestFinalized, Call, Config, Error, Followed, FreeHeadersRemaining, Pallet,
};
use bp_header_chain::SubmitFinalityProofInfo;
use bp_runtime::HeaderId;
use codec::Encode;
use duet_primitives::{SetId, StatelessProof, H256};
use frame_support::{
    dispatch::CallableCallFor,
    ensure,
    pallet_prelude::{Get, InvalidTransaction, TransactionValidityError, Weight},
    traits::IsSubType,
};
use sp_runtime::{traits::Header as _, SaturatedConversion};

/// The claims of a submission.
pub(crate) type Info = SubmitFinalityProofInfo<u32>;

/// The pallet's state of the followed chain.
pub(crate) struct Known {
    /// The highest header.
    pub(crate) best: HeaderId<H256, u32>,
    pub(crate) followed: FollowedChain,
}

impl Known {
    /// # Errors
    /// When no chain is followed, or its newest header came too long ago. (LIGHT-9)
    pub(crate) fn get<T: Config<I>, I: 'static>() -> Result<Self, Error<T, I>> {
        let known = BestFinalized::<T, I>::get().zip(Followed::<T, I>::get());
        let (best, followed) = known.ok_or(Error::NotInitialized)?;
        ensure!(followed.is_awake(now::<T, I>()), Error::Expired);
        Ok(Self { best, followed })
    }
}

/// A submission that may succeed, by all that can be said without a look at its proof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerifiedSubmitFinalityProofInfo {
    /// The claims of the submission.
    pub base: SubmitFinalityProofInfo<u32>,
    /// How many blocks it is above the best header.
    pub improved_by: u32,
}

/// A runtime's call that may be one of this pallet.
pub trait CallSubType<T: Config<I, RuntimeCall = Self>, I: 'static>:
    IsSubType<CallableCallFor<Pallet<T, I>, T>>
{
    /// The claims of a submission; `None` for another call.
    fn submit_finality_proof_info(&self) -> Option<SubmitFinalityProofInfo<u32>> {
        let call = submission_in::<T, I>(self)?;
        info_of_call::<T, I>(call, Followed::<T, I>::get().as_ref())
    }

    /// Refuses a submission that cannot succeed, so that relayers of the same proof do not pay for each other's haste,
    /// or that should be free and would not be. `Ok(None)` for another call.
    ///
    /// # Errors
    /// `Stale` when the header is not above the best one, else `Call`.
    fn check_obsolete_submit_finality_proof(
        &self,
    ) -> Result<Option<VerifiedSubmitFinalityProofInfo>, TransactionValidityError>
    where
        Self: Sized,
    {
        // First, because it is asked about every transaction, and only submissions pay for the reads.
        let Some(call) = submission_in::<T, I>(self) else {
            return Ok(None);
        };
        let known = Known::get::<T, I>();
        let followed = known.as_ref().ok().map(|known| &known.followed);
        let Some(base) = info_of_call::<T, I>(call, followed) else {
            return Ok(None);
        };
        let improved_by = Pallet::<T, I>::ensure_active()
            .and_then(|()| known.and_then(|known| check_with_fee::<T, I>(&known, &base)));
        match improved_by {
            Ok(improved_by) => Ok(Some(VerifiedSubmitFinalityProofInfo { base, improved_by })),
            Err(Error::OldHeader) => Err(InvalidTransaction::Stale.into()),
            Err(_) => Err(InvalidTransaction::Call.into()),
        }
    }
}

impl<T: Config<I>, I: 'static> CallSubType<T, I> for T::RuntimeCall where
    T::RuntimeCall: IsSubType<CallableCallFor<Pallet<T, I>, T>>
{
}

/// The call of this pallet, if it submits a header.
pub(crate) fn submission_in<T: Config<I>, I: 'static>(
    call: &(impl IsSubType<CallableCallFor<Pallet<T, I>, T>> + ?Sized),
) -> Option<&Call<T, I>> {
    call.is_sub_type().filter(|call| {
        matches!(
            call,
            Call::submit_finality_proof { .. }
                | Call::submit_finality_proof_ex { .. }
                | Call::submit_finality_proof_by_witness { .. }
        )
    })
}

fn info_of_call<T: Config<I>, I: 'static>(
    call: &Call<T, I>,
    followed: Option<&FollowedChain>,
) -> Option<Info> {
    match call {
        Call::submit_finality_proof {
            finality_target,
            proof,
        } => Some(info::<T, I>(followed, finality_target, proof, None, false)),
        Call::submit_finality_proof_ex {
            finality_target,
            proof,
            current_set_id,
            is_free_execution_expected,
        }
        | Call::submit_finality_proof_by_witness {
            finality_target,
            proof,
            current_set_id,
            is_free_execution_expected,
            ..
        } => Some(info::<T, I>(
            followed,
            finality_target,
            proof,
            Some(*current_set_id),
            *is_free_execution_expected,
        )),
        _ => None,
    }
}

/// The claims of a submission, and whether its header is mandatory: whether it names a set that is not known yet.
pub(crate) fn info<T: Config<I>, I: 'static>(
    followed: Option<&FollowedChain>,
    header: &BridgedHeader<T, I>,
    proof: &StatelessProof,
    expected_set: Option<SetId>,
    is_free_execution_expected: bool,
) -> Info {
    let statement = &proof.justification.commitment;
    let latest = followed.map(|followed| followed.keysets.next.id);
    let size: u32 = header.encoded_size().saturated_into();
    SubmitFinalityProofInfo {
        block_number: *header.number(),
        current_set_id: expected_set.map(SetId::get),
        is_mandatory: latest.is_some_and(|latest| statement.next.id > latest),
        is_free_execution_expected,
        // What a proof may have depends on its set and on its signers alone, and is checked.
        extra_weight: Weight::zero(),
        extra_size: size.saturating_sub(T::BridgedChain::MAX_FREE_HEADER_SIZE),
    }
}

/// LIGHT-4, and the set that signs is the expected one. Says how many blocks the header is above the best one.
pub(crate) fn check<T: Config<I>, I: 'static>(
    known: &Known,
    submission: &Info,
) -> Result<u32, Error<T, I>> {
    let improved_by = submission.block_number.saturating_sub(known.best.number());
    ensure!(improved_by > 0, Error::OldHeader);
    if let Some(expected) = submission.current_set_id {
        let signing = known.followed.keysets.current.id.get();
        ensure!(signing == expected, Error::InvalidAuthoritySetId);
    }
    Ok(improved_by)
}

/// As [`check`], and it is free when its sender expects that.
fn check_with_fee<T: Config<I>, I: 'static>(
    known: &Known,
    submission: &Info,
) -> Result<u32, Error<T, I>> {
    let improved_by = check::<T, I>(known, submission)?;
    if submission.is_free_execution_expected {
        ensure!(has_free_place::<T, I>(), Error::FreeHeadersLimitExceded);
        ensure!(
            submission.is_mandatory || is_far_enough::<T, I>(improved_by),
            Error::BelowFreeHeaderInterval
        );
        ensure!(submission.fits_limits(), Error::HeaderOverflowLimits);
    }
    Ok(improved_by)
}

/// Whether the block has a free submission left. Outside of a block, in the pool, it may have.
pub(crate) fn has_free_place<T: Config<I>, I: 'static>() -> bool {
    FreeHeadersRemaining::<T, I>::get() != Some(0)
}

/// Whether a header that is not mandatory is far enough above the best one to be free.
pub(crate) fn is_far_enough<T: Config<I>, I: 'static>(improved_by: u32) -> bool {
    T::FreeHeadersInterval::get().is_some_and(|interval| improved_by >= interval)
}
