//! What several modules name.

use crate::Config;
use frame_support::traits::fungible::Inspect;

/// Log target of everything in this pallet.
pub(crate) const LOG_TARGET: &str = "runtime::duet-recovery";

/// The balance of deposits for recovery keys.
pub type BalanceOf<T> =
    <<T as Config>::Currency as Inspect<<T as frame_system::Config>::AccountId>>::Balance;
