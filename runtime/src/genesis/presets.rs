//! The development network, of Alice alone, and the local one, of Alice, Bob, Charlie and Dave.

use super::{network, Validator};
use crate::{AccountId, SessionKeys};
use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};
use duet_primitives::{DualKeyBytes, PossessionProof};
use serde_json::Value;
use sp_genesis_builder::{PresetId, DEV_RUNTIME_PRESET, LOCAL_TESTNET_RUNTIME_PRESET};
use sp_keyring::{Ed25519Keyring, Sr25519Keyring};

/// The Duet keys of `//Alice` and so on with their proofs, since a runtime does no arithmetic on secrets.
///
/// A test of `duet-chain-spec` derives them again and says how to write this file.
const DUET_KEYS: &str = include_str!("duet_keys.json");

/// The Duet key of a well-known secret URI, and its proof for the genesis; `None` if it is in no preset.
pub fn duet_key(suri: &str) -> Option<(DualKeyBytes, PossessionProof)> {
    let mut keys: BTreeMap<String, (DualKeyBytes, PossessionProof)> =
        serde_json::from_str(DUET_KEYS).expect("committed with the code and read by its tests");
    keys.remove(suri)
}

/// Alice validates alone and administers.
pub fn development() -> Value {
    well_known(&[(Sr25519Keyring::Alice, Ed25519Keyring::Alice)])
}

/// Alice, Bob, Charlie and Dave validate; Alice administers.
pub fn local_testnet() -> Value {
    well_known(&[
        (Sr25519Keyring::Alice, Ed25519Keyring::Alice),
        (Sr25519Keyring::Bob, Ed25519Keyring::Bob),
        (Sr25519Keyring::Charlie, Ed25519Keyring::Charlie),
        (Sr25519Keyring::Dave, Ed25519Keyring::Dave),
    ])
}

/// The presets that the runtime offers.
pub fn preset_names() -> Vec<PresetId> {
    vec![
        PresetId::from(DEV_RUNTIME_PRESET),
        PresetId::from(LOCAL_TESTNET_RUNTIME_PRESET),
    ]
}

/// A preset as JSON; `None` if there is none of this name.
pub fn preset(name: &PresetId) -> Option<Vec<u8>> {
    let patch = match name.as_str() {
        DEV_RUNTIME_PRESET => development(),
        LOCAL_TESTNET_RUNTIME_PRESET => local_testnet(),
        _ => return None,
    };
    Some(patch.to_string().into_bytes())
}

fn well_known(validators: &[(Sr25519Keyring, Ed25519Keyring)]) -> Value {
    let validators: Vec<_> = validators.iter().map(|keys| validator(*keys)).collect();
    let others: Vec<AccountId> = Sr25519Keyring::well_known()
        .map(|account| account.to_account_id())
        .collect();
    network(&validators, &others, Sr25519Keyring::Alice.to_account_id())
}

fn validator((account, grandpa): (Sr25519Keyring, Ed25519Keyring)) -> Validator {
    let (duet_key, duet_proof) =
        duet_key(&format!("//{account}")).expect("committed for every validator of a preset");
    Validator {
        account: account.to_account_id(),
        session_keys: SessionKeys::new(account.public(), grandpa.public()),
        duet_key,
        duet_proof,
    }
}
