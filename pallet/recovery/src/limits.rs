//! Limits that a runtime must keep, checked by its tests, and the weights of the calls: those of Duet's calls that do
//! the same or more, and reads and writes of their own.

use crate::{Config, Pallet, Terms};
use duet_primitives::suite;
use frame_support::{
    traits::{Get, PalletInfoAccess},
    weights::Weight,
};
use pallet_duet::WeightInfo;

type Weights<T> = <T as pallet_duet::Config>::WeightInfo;

/// [`Config::Delay`] is not among them: it may be in storage, which a test of the runtime has not.
///
/// # Panics
/// With the broken limit.
pub(crate) fn integrity_test<T: Config>() {
    assert_name(Pallet::<T>::name());
    assert!(
        Terms::<T>::hashed_key() == suite::RECOVERY_TERMS_STORAGE_KEY,
        "RECOVER-4: the terms are stored under another key than light clients read"
    );
    assert!(
        T::DrillPeriod::get() > 0,
        "RECOVER-2: DrillPeriod is zero, so no key would ever be ready"
    );
}

/// Light clients prove storage under this name.
pub(crate) fn assert_name(name: &str) {
    let expected = suite::RECOVERY_PALLET_NAME;
    assert!(
        name == expected,
        "RECOVER-4: the pallet is called {name}, but light clients read storage under {expected}"
    );
}

/// The weight of `register_key`: the same proof and deposit as for a key in use.
pub(crate) fn register_key<T: Config>() -> Weight {
    Weights::<T>::register_keys().saturating_add(T::DbWeight::get().reads(1))
}

/// The weight of `withdraw_key`: the same writes and deposit as for a key in use.
pub(crate) fn withdraw_key<T: Config>() -> Weight {
    Weights::<T>::deregister_keys()
}

/// The weight of `drill`: one of the two signatures of a proof of possession, and no pairing.
pub(crate) fn drill<T: Config>() -> Weight {
    Weights::<T>::register_keys()
}

/// The weight of `report`, from the number of accused and of keys of non-signers: that of a report by a finality proof,
/// and what it reads besides.
pub(crate) fn report<T: Config>((accused, non_signers): (u32, u32)) -> Weight {
    let most = T::ValidatorsPerBlock::get();
    Weights::<T>::report_false_statement(accused, non_signers, most)
        .saturating_add(T::DbWeight::get().reads(3))
}
