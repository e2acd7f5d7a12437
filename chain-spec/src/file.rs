//! Reads a chain specification from a file and reports precisely what is wrong with it.
//!
//! The reader finds faults that the SDK reports only when the node starts, or never: a file of another kind, a
//! missing runtime, an invalid proof for a Duet key. The file's own runtime, which may not be ours, checks the rest
//! of the genesis.

use crate::{
    error::{ChainSpecError, FileFault},
    ChainSpec,
};
use duet_primitives::{ownership_statement, DualKeyBytes, Pk1Bytes, PossessionProof, H256};
use duet_runtime::{genesis, AccountId};
use serde_json::{Map, Value};
use sp_core::{bytes::to_hex, storage::well_known_keys::CODE};
use std::{collections::HashMap, fs, path::Path};

type Object = Map<String, Value>;

/// Reads a chain specification, plain or raw.
///
/// Cost: for a plain file, one proof of possession (two DLEQ checks, one product of two pairings) per Duet key.
///
/// # Errors
/// [`ChainSpecError::File`] with the first fault.
pub fn from_file(path: impl AsRef<Path>) -> Result<ChainSpec, ChainSpecError> {
    let path = path.as_ref();
    let at = |fault| ChainSpecError::File {
        path: path.into(),
        fault,
    };
    let bytes = fs::read(path).map_err(|error| at(FileFault::Read(error)))?;
    read(bytes).map_err(at)
}

fn read(bytes: Vec<u8>) -> Result<ChainSpec, FileFault> {
    let json: Value = serde_json::from_slice(&bytes).map_err(FileFault::NotJson)?;
    check(&json)?;
    ChainSpec::from_json_bytes(bytes).map_err(FileFault::Refused)
}

fn check(json: &Value) -> Result<(), FileFault> {
    let spec = json.as_object().ok_or(FileFault::NotAnObject)?;
    let Some(genesis) = spec.get("genesis") else {
        let is_patch = ["balances", "staking", "duet"]
            .iter()
            .any(|pallet| spec.contains_key(*pallet));
        return Err(if is_patch {
            FileFault::IsPatch
        } else {
            FileFault::Missing("genesis")
        });
    };
    for field in ["name", "id"] {
        if !spec.contains_key(field) {
            return Err(FileFault::Missing(field));
        }
    }
    let genesis = genesis.as_object().ok_or(FileFault::UnknownGenesis)?;
    let part = |name| genesis.get(name).and_then(Value::as_object);
    match (part("runtimeGenesis"), part("raw")) {
        (Some(plain), _) => check_plain(plain),
        (None, Some(raw)) => check_raw(raw),
        (None, None) => Err(FileFault::UnknownGenesis),
    }
}

/// A genesis as the runtime's configuration, in full or as changes to the default.
fn check_plain(genesis: &Object) -> Result<(), FileFault> {
    if is_empty_hex(genesis.get("code")) {
        return Err(FileFault::NoRuntime("genesis.runtimeGenesis.code"));
    }
    let config = ["patch", "config"]
        .iter()
        .find_map(|form| genesis.get(*form));
    let config = config.ok_or(FileFault::UnknownGenesis)?;
    let entries = config.pointer("/duet/keys").and_then(Value::as_array);
    let entries = entries.filter(|entries| !entries.is_empty());
    match entries {
        Some(entries) => check_keys(entries),
        None if config.pointer("/duet/inactive") == Some(&Value::Bool(true)) => Ok(()),
        None => Err(FileFault::NoDuetKeys("duet.keys")),
    }
}

/// A genesis as state.
fn check_raw(genesis: &Object) -> Result<(), FileFault> {
    let top = genesis.get("top").and_then(Value::as_object);
    let top = top.ok_or(FileFault::Missing("genesis.raw.top"))?;
    if is_empty_hex(top.get(&to_hex(CODE, false))) {
        return Err(FileFault::NoRuntime(":code"));
    }
    // The keys were checked when the state was built. A chain that adopts Duet later names no block, and has no set.
    let has = |key: [u8; 32]| top.contains_key(&to_hex(&key, false));
    if has(genesis::active_from_key()) && !has(genesis::keysets_key()) {
        return Err(FileFault::NoDuetKeys("Duet.Keysets"));
    }
    Ok(())
}

fn is_empty_hex(value: Option<&Value>) -> bool {
    value
        .and_then(Value::as_str)
        .is_none_or(|hex| hex.trim_start_matches("0x").is_empty())
}

/// POP-1 to POP-3 and CHAIN-1 for every entry of the registry.
fn check_keys(entries: &[Value]) -> Result<(), FileFault> {
    let mut accounts: HashMap<AccountId, usize> = HashMap::new();
    let mut keys: HashMap<Pk1Bytes, usize> = HashMap::new();
    for (index, entry) in entries.iter().enumerate() {
        let (account, key, proof): (AccountId, DualKeyBytes, PossessionProof) =
            serde_json::from_value(entry.clone())
                .map_err(|source| FileFault::KeyShape { index, source })?;
        let earlier = accounts.insert(account.clone(), index);
        if let Some(first) = keys.insert(key.pk1(), index).or(earlier) {
            return Err(FileFault::RepeatedKey {
                index,
                first,
                account,
            });
        }
        key.check_possession(&ownership_statement(H256::zero(), &account), &proof)
            .map_err(|source| FileFault::Possession {
                index,
                account,
                source,
            })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_runtime::genesis::local_testnet;
    use serde_json::json;

    /// A valid specification; its runtime is never run.
    fn valid() -> Value {
        json!({
            "name": "Mine",
            "id": "mine",
            "chainType": "Live",
            "bootNodes": [],
            "telemetryEndpoints": null,
            "protocolId": null,
            "properties": null,
            "codeSubstitutes": {},
            "genesis": { "runtimeGenesis": { "code": "0x01", "patch": local_testnet() } },
        })
    }

    fn fault(spec: &Value) -> FileFault {
        read(spec.to_string().into_bytes())
            .err()
            .expect("has a fault")
    }

    fn keys(spec: &mut Value) -> &mut Vec<Value> {
        let keys = &mut spec["genesis"]["runtimeGenesis"]["patch"]["duet"]["keys"];
        keys.as_array_mut().expect("four of them")
    }

    #[test]
    fn a_plain_specification_is_read() {
        assert_eq!(read(valid().to_string().into_bytes()).unwrap().id(), "mine");
    }

    #[test]
    fn a_raw_specification_is_read() {
        let mut spec = valid();
        let keysets = to_hex(&genesis::keysets_key(), false);
        spec["genesis"] = json!({ "raw": {
            "top": { "0x3a636f6465": "0x01", keysets: "0x01" },
            "childrenDefault": {},
        } });
        assert_eq!(read(spec.to_string().into_bytes()).unwrap().id(), "mine");
    }

    #[test]
    fn what_is_not_json_is_said_to_be_not_json_with_the_place() {
        let fault = read(b"{\n  name: Mine }".to_vec())
            .err()
            .expect("has a fault");
        assert!(matches!(fault, FileFault::NotJson(_)));
        assert!(fault.to_string().contains("line 2"), "{fault}");
    }

    #[test]
    fn json_of_another_kind_is_said_to_be_no_specification() {
        assert!(matches!(fault(&json!([1, 2])), FileFault::NotAnObject));
        assert!(matches!(
            fault(&json!({ "name": "a" })),
            FileFault::Missing("genesis")
        ));
    }

    #[test]
    fn a_bare_patch_is_told_where_it_belongs() {
        let fault = fault(&local_testnet());
        assert!(matches!(fault, FileFault::IsPatch));
        assert!(
            fault.to_string().contains("genesis.runtimeGenesis.patch"),
            "{fault}"
        );
    }

    #[test]
    fn a_missing_name_is_named() {
        let mut spec = valid();
        spec.as_object_mut().unwrap().remove("name");
        assert!(matches!(fault(&spec), FileFault::Missing("name")));
    }

    #[test]
    fn a_genesis_that_is_only_a_hash_is_refused() {
        let mut spec = valid();
        spec["genesis"] = json!({ "stateRootHash": "0x00" });
        assert!(matches!(fault(&spec), FileFault::UnknownGenesis));
    }

    #[test]
    fn a_genesis_without_a_runtime_is_refused() {
        let mut spec = valid();
        spec["genesis"]["runtimeGenesis"]["code"] = json!("0x");
        assert!(matches!(
            fault(&spec),
            FileFault::NoRuntime("genesis.runtimeGenesis.code")
        ));

        spec["genesis"] = json!({ "raw": { "top": {}, "childrenDefault": {} } });
        assert!(matches!(fault(&spec), FileFault::NoRuntime(":code")));
    }

    #[test]
    fn a_genesis_without_duet_keys_is_refused() {
        let mut spec = valid();
        keys(&mut spec).clear();
        assert!(matches!(fault(&spec), FileFault::NoDuetKeys("duet.keys")));

        let active_from = to_hex(&genesis::active_from_key(), false);
        let top = json!({ "0x3a636f6465": "0x01", active_from: "0x00000000" });
        spec["genesis"] = json!({ "raw": { "top": top, "childrenDefault": {} } });
        assert!(matches!(
            fault(&spec),
            FileFault::NoDuetKeys("Duet.Keysets")
        ));
    }

    /// ACTIVE-1.
    #[test]
    fn a_chain_that_takes_duet_up_later_needs_no_keys_in_its_genesis() {
        let mut spec = valid();
        keys(&mut spec).clear();
        spec["genesis"]["runtimeGenesis"]["patch"]["duet"]["inactive"] = json!(true);
        assert!(read(spec.to_string().into_bytes()).is_ok());

        let top = json!({ "0x3a636f6465": "0x01" });
        spec["genesis"] = json!({ "raw": { "top": top, "childrenDefault": {} } });
        assert!(read(spec.to_string().into_bytes()).is_ok());
    }

    #[test]
    fn a_proof_of_another_account_is_refused_with_the_account_and_the_rule() {
        let mut spec = valid();
        let keys = keys(&mut spec);
        keys[2][2] = keys[0][2].clone();
        let fault = fault(&spec);
        assert!(matches!(fault, FileFault::Possession { index: 2, .. }));
        let charlie = sp_keyring::Sr25519Keyring::Charlie
            .to_account_id()
            .to_string();
        assert!(fault.to_string().contains(&charlie), "{fault}");
        assert!(fault.to_string().contains("POP-1"), "{fault}");
    }

    #[test]
    fn an_account_or_a_key_that_stands_twice_is_refused() {
        let mut spec = valid();
        let keys = keys(&mut spec);
        let again = keys[1].clone();
        keys.push(again);
        assert!(matches!(
            fault(&spec),
            FileFault::RepeatedKey {
                index: 4,
                first: 1,
                ..
            }
        ));
    }

    #[test]
    fn an_entry_that_is_no_key_is_refused_with_its_index() {
        let mut spec = valid();
        keys(&mut spec)[3][1] = json!("0x00");
        assert!(matches!(fault(&spec), FileFault::KeyShape { index: 3, .. }));
    }

    #[test]
    fn a_file_that_is_not_there_is_said_to_be_missing_and_what_else_could_be_meant() {
        let error = from_file("/no/such/file")
            .err()
            .expect("is not there")
            .to_string();
        assert!(
            error.contains("/no/such/file") && error.contains("local"),
            "{error}"
        );
    }
}
