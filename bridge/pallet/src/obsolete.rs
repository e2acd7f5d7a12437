//! What is refused without a look at the proof: by the call, and by a transaction extension before anybody pays.

use crate::{
    chain::{BridgedHeader, ChainWithDuet},
    BestFinalized, Call, Config, Error, Followed, FreeHeadersRemaining, Pallet,
};
use bp_header_chain::SubmitFinalityProofInfo;
use codec::Encode;
use duet_primitives::{SetId, StatelessProof};
use frame_support::{
    dispatch::CallableCallFor,
    ensure,
    pallet_prelude::{Get, InvalidTransaction, TransactionValidityError, Weight},
    traits::IsSubType,
};
use sp_runtime::{traits::Header as _, SaturatedConversion};

/// What a submission says of itself.
pub(crate) type Info = SubmitFinalityProofInfo<u32>;

/// A submission that may succeed, by all that can be said without a look at its proof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerifiedSubmitFinalityProofInfo {
    /// What it says of itself.
    pub base: SubmitFinalityProofInfo<u32>,
    /// How many blocks it is above the best header.
    pub improved_by: u32,
}

/// A runtime's call that may be one of this pallet.
pub trait CallSubType<T: Config<I, RuntimeCall = Self>, I: 'static>:
    IsSubType<CallableCallFor<Pallet<T, I>, T>>
{
    /// What a submission says of itself; `None` for another call.
    fn submit_finality_proof_info(&self) -> Option<SubmitFinalityProofInfo<u32>> {
        match self.is_sub_type()? {
            Call::submit_finality_proof {
                finality_target,
                proof,
            } => Some(info::<T, I>(finality_target, proof, None, false)),
            Call::submit_finality_proof_ex {
                finality_target,
                proof,
                current_set_id,
                is_free_execution_expected,
            } => Some(info::<T, I>(
                finality_target,
                proof,
                Some(*current_set_id),
                *is_free_execution_expected,
            )),
            _ => None,
        }
    }

    /// Refuses a submission that cannot succeed, so that relayers who bring the same proof do not pay for each other's haste, and
    /// one that would not be free though it should. `Ok(None)` for another call.
    ///
    /// # Errors
    /// `Stale` when the header is not above the best one, else `Call`.
    fn check_obsolete_submit_finality_proof(
        &self,
    ) -> Result<Option<VerifiedSubmitFinalityProofInfo>, TransactionValidityError>
    where
        Self: Sized,
    {
        let Some(base) = self.submit_finality_proof_info() else {
            return Ok(None);
        };
        match Pallet::<T, I>::ensure_active().and_then(|()| check_with_fee::<T, I>(&base)) {
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

/// What a submission says of itself, and whether its header is mandatory: whether it names a set that is not known yet.
pub(crate) fn info<T: Config<I>, I: 'static>(
    header: &BridgedHeader<T, I>,
    proof: &StatelessProof,
    expected_set: Option<SetId>,
    is_free_execution_expected: bool,
) -> Info {
    let statement = &proof.justification.commitment;
    let latest = Followed::<T, I>::get().map(|followed| followed.keysets.next.id);
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
pub(crate) fn check<T: Config<I>, I: 'static>(submission: &Info) -> Result<u32, Error<T, I>> {
    let best = BestFinalized::<T, I>::get().ok_or(Error::NotInitialized)?;
    let improved_by = submission.block_number.saturating_sub(best.number());
    ensure!(improved_by > 0, Error::OldHeader);
    if let Some(expected) = submission.current_set_id {
        let signing = Followed::<T, I>::get().map(|followed| followed.keysets.current.id.get());
        ensure!(signing == Some(expected), Error::InvalidAuthoritySetId);
    }
    Ok(improved_by)
}

/// As [`check`], and it is free when its sender expects that.
fn check_with_fee<T: Config<I>, I: 'static>(submission: &Info) -> Result<u32, Error<T, I>> {
    let improved_by = check::<T, I>(submission)?;
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
