//! Configuration types that several modules name.

use crate::Config;
use frame_support::traits::fungible::Inspect;
use sp_runtime::traits::HeaderProvider;

/// Log target of everything in this pallet.
pub(crate) const LOG_TARGET: &str = "runtime::duet";

/// The offender's identification for `ReportOffence`.
pub type IdentificationTuple<T> = (
    <T as pallet_session::Config>::ValidatorId,
    <T as Config>::FullIdentification,
);

/// The balance of deposits for keys.
pub type BalanceOf<T> =
    <<T as Config>::Currency as Inspect<<T as frame_system::Config>::AccountId>>::Balance;

/// Setup that a runtime does before the calls of this pallet and of `pallet-duet-recovery` can be measured.
pub trait BenchmarkHelper<AccountId> {
    /// Makes an account one that may register keys, and that can pay the deposits.
    fn make_validator(account: &AccountId);
}

/// The chain's headers.
pub type HeaderOf<T> = <<T as frame_system::Config>::Block as HeaderProvider>::HeaderT;
