//! The presets of the development and local networks, and the parts to make one's own.
//!
//! Every secret key of these presets is public: use them for development and test networks only.

mod presets;

pub use presets::{development, duet_key, local_testnet, preset, preset_names};

use crate::{
    constants::{LANE, MIN_NOMINATOR_BOND, MIN_VALIDATOR_BOND, UNIT, VALIDATOR_SEATS},
    AccountId, Balance, BalancesConfig, BridgeMessagesConfig, DuetConfig, RuntimeGenesisConfig,
    SessionConfig, SessionKeys, StakingConfig, SudoConfig,
};
use alloc::{vec, vec::Vec};
use duet_primitives::{DualKeyBytes, PossessionProof};
use frame_support::build_struct_json_patch;
use pallet_staking::StakerStatus;
use serde_json::Value;
use sp_runtime::Perbill;

/// What an account of a preset owns at the start.
pub const ENDOWMENT: Balance = 1_000_000 * UNIT;
/// What a validator of a preset has bonded of it.
pub const STAKE: Balance = 1_000 * UNIT;

/// A validator of the genesis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validator {
    /// Its stash, which also pays for its transactions.
    pub account: AccountId,
    /// Its keys for authoring, for GRANDPA, and for its node's addresses.
    pub session_keys: SessionKeys,
    /// Its Duet key.
    pub duet_key: DualKeyBytes,
    /// The proof that it has that key; names the account and 32 zero bytes for the genesis hash. (POP-1)
    pub duet_proof: PossessionProof,
}

/// The genesis of a network, as the changes to the default one.
///
/// Validators own [`ENDOWMENT`] each, as `others` do, and have [`STAKE`] of it bonded.
pub fn network(validators: &[Validator], others: &[AccountId], admin: AccountId) -> Value {
    let mut accounts: Vec<_> = validators
        .iter()
        .map(|validator| &validator.account)
        .collect();
    accounts.extend(others);
    accounts.sort();
    accounts.dedup();

    build_struct_json_patch!(RuntimeGenesisConfig {
        balances: BalancesConfig {
            balances: accounts
                .into_iter()
                .map(|account| (account.clone(), ENDOWMENT))
                .collect(),
        },
        staking: StakingConfig {
            validator_count: VALIDATOR_SEATS,
            minimum_validator_count: 1,
            slash_reward_fraction: Perbill::from_percent(10),
            min_validator_bond: MIN_VALIDATOR_BOND,
            min_nominator_bond: MIN_NOMINATOR_BOND,
            stakers: validators.iter().map(staker).collect::<Vec<_>>(),
        },
        duet: DuetConfig {
            keys: validators
                .iter()
                .map(|it| (it.account.clone(), it.duet_key, it.duet_proof))
                .collect::<Vec<_>>(),
        },
        session: SessionConfig {
            keys: validators
                .iter()
                .map(|it| (
                    it.account.clone(),
                    it.account.clone(),
                    it.session_keys.clone()
                ))
                .collect::<Vec<_>>(),
        },
        sudo: SudoConfig { key: Some(admin) },
        bridge_messages: BridgeMessagesConfig {
            opened_lanes: vec![LANE],
        },
    })
}

/// The second account was the controller; stashes are their own nowadays.
fn staker(validator: &Validator) -> (AccountId, AccountId, Balance, StakerStatus<AccountId>) {
    let account = &validator.account;
    (
        account.clone(),
        account.clone(),
        STAKE,
        StakerStatus::Validator,
    )
}

/// The storage key of the block from which on the chain makes sets. (ACTIVE-1)
#[cfg(feature = "std")]
pub fn active_from_key() -> [u8; 32] {
    pallet_duet::ActiveFrom::<crate::Runtime>::hashed_key()
}

/// The storage key of Duet's pair of keysets, which light clients prove against a genesis. (LIGHT-2)
#[cfg(feature = "std")]
pub fn keysets_key() -> [u8; 32] {
    pallet_duet::Keysets::<crate::Runtime>::hashed_key()
}
