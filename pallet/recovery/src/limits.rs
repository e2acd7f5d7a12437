//! Limits that a runtime must keep, checked by its tests, and the weight of the call that depends on its argument.

use crate::{weights::WeightInfo, Config, Pallet, Terms};
use duet_primitives::suite;
use frame_support::{
    traits::{Get, PalletInfoAccess},
    weights::Weight,
};

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

/// The weight of `report`, from the number of accused, of keys of non-signers and of members.
pub(crate) fn report<T: Config>((accused, non_signers): (u32, u32), members: u32) -> Weight {
    <T as Config>::WeightInfo::report(accused, non_signers, members)
}
