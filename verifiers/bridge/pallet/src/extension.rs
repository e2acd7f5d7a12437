//! A transaction extension that refuses submissions that cannot succeed, before anybody pays for them.

use crate::{obsolete::submission_in, CallSubType, Config};
use codec::{Decode, DecodeWithMemTracking, Encode};
use core::marker::PhantomData;
use frame_support::{
    pallet_prelude::{Get, TransactionSource, ValidTransaction, Weight},
    CloneNoBound, DebugNoBound, DefaultNoBound, EqNoBound, PartialEqNoBound,
};
use scale_info::TypeInfo;
use sp_runtime::{
    impl_tx_ext_default,
    traits::{DispatchInfoOf, DispatchOriginOf, TransactionExtension, ValidateResult},
};

/// The reads to judge a submission: mode, contradiction, best header, sets, free submissions left.
const READS: u64 = 5;

/// Refuses submissions that [`CallSubType`] says cannot succeed, and lets all other calls pass.
///
/// It adds no bytes to a transaction or its signed payload. In the pool it drops obsolete submissions; in a block it
/// keeps the slower of two relayers from paying for the same header. It stands before the extension that charges the
/// fee.
///
/// # What it does not do
/// It does not check the proof: the sender of a wrong one pays for it. It does not check nested calls: a batch of the
/// utility pallet pays also for submissions that would be free alone, and only its administrator has the sudo pallet.
/// It gives no priority; the feature `relayers` has an extension that does.
#[derive(
    CloneNoBound,
    DebugNoBound,
    Decode,
    DecodeWithMemTracking,
    DefaultNoBound,
    Encode,
    EqNoBound,
    PartialEqNoBound,
    TypeInfo,
)]
#[scale_info(skip_type_params(T, I))]
pub struct RejectObsoleteHeaders<T, I = ()>(PhantomData<(T, I)>);

impl<T, I> RejectObsoleteHeaders<T, I> {
    /// For builders of transactions.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T, I> TransactionExtension<T::RuntimeCall> for RejectObsoleteHeaders<T, I>
where
    T: Config<I> + Send + Sync,
    T::RuntimeCall: CallSubType<T, I>,
    I: Send + Sync + 'static,
{
    const IDENTIFIER: &'static str = "RejectObsoleteHeaders";
    type Implicit = ();
    type Val = ();
    type Pre = ();

    /// The call reads the same items, so no bytes come to its proof of validity.
    fn weight(&self, call: &T::RuntimeCall) -> Weight {
        match submission_in::<T, I>(call) {
            Some(_) => T::DbWeight::get().reads(READS),
            None => Weight::zero(),
        }
    }

    fn validate(
        &self,
        origin: DispatchOriginOf<T::RuntimeCall>,
        call: &T::RuntimeCall,
        _info: &DispatchInfoOf<T::RuntimeCall>,
        _len: usize,
        _implicit: Self::Implicit,
        _implication: &impl Encode,
        _source: TransactionSource,
    ) -> ValidateResult<Self::Val, T::RuntimeCall> {
        call.check_obsolete_submit_finality_proof()?;
        Ok((ValidTransaction::default(), (), origin))
    }

    impl_tx_ext_default!(T::RuntimeCall; prepare);
}
