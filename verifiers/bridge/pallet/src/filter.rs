//! Filters for the transaction extension of `bridge-runtime-common`.

use crate::{CallSubType, Config, Pallet};
use bp_relayers::ExplicitOrAccountParams;
use bridge_runtime_common::extensions::BridgeRuntimeFilterCall;
use core::marker::PhantomData;
use frame_support::pallet_prelude::{Get, TransactionValidity};
use pallet_bridge_relayers::Pallet as Relayers;
use sp_runtime::transaction_validity::{TransactionPriority, ValidTransactionBuilder};

impl<T, I: 'static> BridgeRuntimeFilterCall<T::AccountId, T::RuntimeCall> for Pallet<T, I>
where
    T: Config<I>,
    T::RuntimeCall: CallSubType<T, I>,
{
    type ToPostDispatch = ();

    fn validate(_: &T::AccountId, call: &T::RuntimeCall) -> ((), TransactionValidity) {
        let checked = CallSubType::<T, I>::check_obsolete_submit_finality_proof(call);
        (
            (),
            checked.and_then(|_| ValidTransactionBuilder::default().build()),
        )
    }
}

/// The same, for relayers that are registered in `pallet-bridge-relayers`: each block by which a submission improves the best
/// header, beyond the first, adds `Priority` to that of their transaction. Whose submission fails is slashed in favour of
/// `SlashAccount` and loses its registration.
pub struct CheckAndBoostBridgeDuetTransactions<T, I, Priority, SlashAccount>(
    PhantomData<(T, I, Priority, SlashAccount)>,
);

impl<T, I: 'static, Priority, SlashAccount> BridgeRuntimeFilterCall<T::AccountId, T::RuntimeCall>
    for CheckAndBoostBridgeDuetTransactions<T, I, Priority, SlashAccount>
where
    T: Config<I> + pallet_bridge_relayers::Config,
    T::RuntimeCall: CallSubType<T, I>,
    Priority: Get<TransactionPriority>,
    SlashAccount: Get<T::AccountId>,
{
    /// Number of the header of a submission.
    type ToPostDispatch = Option<u32>;

    fn validate(
        who: &T::AccountId,
        call: &T::RuntimeCall,
    ) -> (Self::ToPostDispatch, TransactionValidity) {
        match CallSubType::<T, I>::check_obsolete_submit_finality_proof(call) {
            Ok(Some(submission)) => {
                let boost = if Relayers::<T>::is_registration_active(who) {
                    let beyond = submission.improved_by.saturating_sub(1);
                    Priority::get().saturating_mul(beyond.into())
                } else {
                    0
                };
                let valid = ValidTransactionBuilder::default().priority(boost).build();
                (Some(submission.base.block_number), valid)
            }
            Ok(None) => (None, ValidTransactionBuilder::default().build()),
            Err(error) => (None, Err(error)),
        }
    }

    fn post_dispatch(who: &T::AccountId, has_failed: bool, submitted: Self::ToPostDispatch) {
        let Some(number) = submitted else { return };
        let is_best = Pallet::<T, I>::best_finalized().is_some_and(|best| best.number() == number);
        // One that stopped the pallet did what it should.
        let helped = is_best || Pallet::<T, I>::ensure_active().is_err();
        if has_failed || !helped {
            let account = ExplicitOrAccountParams::Explicit::<_, ()>(SlashAccount::get());
            Relayers::<T>::slash_and_deregister(who, account);
        }
    }
}
