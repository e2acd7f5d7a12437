//! A transaction extension that refuses messages that are there already, before anybody pays for them.

use crate::{Runtime, RuntimeCall};
use codec::{Decode, DecodeWithMemTracking, Encode};
use frame_support::{
    pallet_prelude::{TransactionSource, ValidTransaction, Weight},
    traits::IsSubType,
};
use pallet_bridge_messages::{Call, CallSubType};
use scale_info::TypeInfo;
use sp_runtime::{
    impl_tx_ext_default,
    traits::{DispatchInfoOf, DispatchOriginOf, TransactionExtension, ValidateResult},
};

/// What is read to judge messages that are brought: mode, lane.
const READS: u64 = 2;

/// Refuses messages and confirmations that `pallet-bridge-messages` says cannot be taken, and lets all other calls pass. It has no
/// bytes. It does not look at the proof: who brings a wrong one pays for it.
///
/// The SDK has the check in the pallet, and the extension in `bridge-runtime-common`, which brings crates that are under the GPL without
/// an exception.
#[derive(Clone, Debug, Decode, DecodeWithMemTracking, Default, Encode, Eq, PartialEq, TypeInfo)]
pub struct RejectObsoleteMessages;

impl TransactionExtension<RuntimeCall> for RejectObsoleteMessages {
    const IDENTIFIER: &'static str = "RejectObsoleteMessages";
    type Implicit = ();
    type Val = ();
    type Pre = ();

    fn weight(&self, call: &RuntimeCall) -> Weight {
        match IsSubType::<Call<Runtime>>::is_sub_type(call) {
            Some(
                Call::receive_messages_proof { .. } | Call::receive_messages_delivery_proof { .. },
            ) => <Runtime as frame_system::Config>::DbWeight::get().reads(READS),
            _ => Weight::zero(),
        }
    }

    fn validate(
        &self,
        origin: DispatchOriginOf<RuntimeCall>,
        call: &RuntimeCall,
        _info: &DispatchInfoOf<RuntimeCall>,
        _len: usize,
        _implicit: Self::Implicit,
        _implication: &impl Encode,
        _source: TransactionSource,
    ) -> ValidateResult<Self::Val, RuntimeCall> {
        // The pallet's mode is read before the call is looked at.
        if IsSubType::<Call<Runtime>>::is_sub_type(call).is_some() {
            CallSubType::<Runtime, ()>::check_obsolete_call(call)?;
        }
        Ok((ValidTransaction::default(), (), origin))
    }

    impl_tx_ext_default!(RuntimeCall; prepare);
}
