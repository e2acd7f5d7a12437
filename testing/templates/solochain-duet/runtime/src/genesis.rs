//! The genesis of the development chain and of a local network. Their secret keys are public.

use crate::{
    AccountId, BalancesConfig, RuntimeGenesisConfig, SessionConfig, SessionKeys, SudoConfig, UNIT,
};
use alloc::{string::ToString, vec, vec::Vec};
use frame_support::build_struct_json_patch;
use serde_json::Value;
use sp_genesis_builder::{PresetId, DEV_RUNTIME_PRESET, LOCAL_TESTNET_RUNTIME_PRESET};
use sp_keyring::{Ed25519Keyring, Sr25519Keyring};

/// What each account owns at the start.
const ENDOWMENT: u128 = 1_000_000 * UNIT;

/// The validators of the local network, of whom the first is the development chain's.
const VALIDATORS: [(Sr25519Keyring, Ed25519Keyring); 4] = [
    (Sr25519Keyring::Alice, Ed25519Keyring::Alice),
    (Sr25519Keyring::Bob, Ed25519Keyring::Bob),
    (Sr25519Keyring::Charlie, Ed25519Keyring::Charlie),
    (Sr25519Keyring::Dave, Ed25519Keyring::Dave),
];

pub(crate) fn preset_names() -> Vec<PresetId> {
    vec![
        PresetId::from(DEV_RUNTIME_PRESET),
        PresetId::from(LOCAL_TESTNET_RUNTIME_PRESET),
    ]
}

/// A preset as JSON; `None` if there is none of this name.
pub(crate) fn preset(name: &PresetId) -> Option<Vec<u8>> {
    let validators = match name.as_str() {
        DEV_RUNTIME_PRESET => &VALIDATORS[..1],
        LOCAL_TESTNET_RUNTIME_PRESET => &VALIDATORS[..],
        _ => return None,
    };
    Some(network(validators).to_string().into_bytes())
}

/// All well-known accounts are endowed; Alice administers.
fn network(validators: &[(Sr25519Keyring, Ed25519Keyring)]) -> Value {
    build_struct_json_patch!(RuntimeGenesisConfig {
        balances: BalancesConfig {
            balances: Sr25519Keyring::well_known()
                .map(|account| (account.to_account_id(), ENDOWMENT))
                .collect::<Vec<_>>(),
        },
        session: SessionConfig {
            keys: validators
                .iter()
                .map(|keys| validator(*keys))
                .collect::<Vec<_>>(),
        },
        sudo: SudoConfig {
            key: Some(Sr25519Keyring::Alice.to_account_id())
        },
    })
}

/// The account, the validator's id, which is the same, and its keys.
fn validator(
    (account, grandpa): (Sr25519Keyring, Ed25519Keyring),
) -> (AccountId, AccountId, SessionKeys) {
    let keys = SessionKeys {
        aura: account.public().into(),
        grandpa: grandpa.public().into(),
    };
    (account.to_account_id(), account.to_account_id(), keys)
}
