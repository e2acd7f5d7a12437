//! What calls cost, measured in this runtime.

use crate::{
    constants::{MIN_VALIDATOR_BOND, UNIT},
    AccountId, AllPalletsWithSystem, Balances, BridgeDuet, Duet, DuetRecovery, RuntimeOrigin,
    Staking, Sudo, Timestamp, Utility,
};
use alloc::{string::String, vec::Vec};
use frame_benchmarking::{define_benchmarks, BenchmarkBatch, BenchmarkConfig, BenchmarkList};
use frame_support::traits::{
    fungible::Mutate, StorageInfo, StorageInfoTrait, WhitelistedStorageKeys,
};
use pallet_staking::RewardDestination;

define_benchmarks!(
    [pallet_balances, Balances]
    [pallet_bridge_duet, BridgeDuet]
    [pallet_duet, Duet]
    [pallet_duet_recovery, DuetRecovery]
    [pallet_staking, Staking]
    [pallet_sudo, Sudo]
    [pallet_timestamp, Timestamp]
    [pallet_utility, Utility]
);

/// What can be measured.
pub(crate) fn metadata(extra: bool) -> (Vec<BenchmarkList>, Vec<StorageInfo>) {
    let mut list = Vec::<BenchmarkList>::new();
    list_benchmarks!(list, extra);
    (list, AllPalletsWithSystem::storage_info())
}

/// Measures.
pub(crate) fn dispatch(config: BenchmarkConfig) -> Result<Vec<BenchmarkBatch>, String> {
    let whitelist = AllPalletsWithSystem::whitelisted_storage_keys();
    let mut batches = Vec::<BenchmarkBatch>::new();
    let params = (&config, &whitelist);
    add_benchmarks!(params, batches);
    Ok(batches)
}

/// Lets accounts register keys, by bonding for them.
pub struct Bond;

impl pallet_duet::BenchmarkHelper<AccountId> for Bond {
    fn make_validator(account: &AccountId) {
        Balances::set_balance(account, MIN_VALIDATOR_BOND + 1_000 * UNIT);
        Staking::bond(
            RuntimeOrigin::signed(account.clone()),
            MIN_VALIDATOR_BOND,
            RewardDestination::Staked,
        )
        .expect("a new account with enough to bond");
    }
}
