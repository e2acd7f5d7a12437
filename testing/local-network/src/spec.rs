//! The genesis of a network.

use crate::{Error, Result};
use duet_keystore::secret_of_suri;
use duet_primitives::ownership_statement;
use duet_runtime::{
    genesis::{network, Validator},
    Hash, SessionKeys,
};
use serde_json::{json, Value};
use sp_core::{
    bytes::{from_hex, to_hex},
    Bytes,
};
use sp_keyring::{Ed25519Keyring, Sr25519Keyring};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, PoisonError},
};

/// The number of validators of the network that nodes know as `local`.
pub(crate) const LOCAL: usize = 4;

/// Changes a chain's genesis state: the storage values by key.
pub type EditGenesis = Box<dyn FnOnce(&mut State) + Send>;

/// Changes the genesis that a node's specification of the local network states, before the runtime builds it.
pub type EditPatch = fn(&mut Value);

/// A chain's storage values by key.
pub type State = BTreeMap<Vec<u8>, Vec<u8>>;

/// Writes a raw chain specification whose genesis has these validators, and returns its path.
///
/// It is the node's own specification of the local network, with the patch; without one, its genesis is replaced for
/// another number of validators. The edit comes last. It is raw, because otherwise each node would compile the runtime
/// once more for the genesis.
///
/// # Errors
/// [`Error::ChainSpec`] when the node does not export it or the export is unexpected, [`Error::Io`].
pub(crate) fn write(
    node: &Path,
    validators: &[Sr25519Keyring],
    patch: Option<EditPatch>,
    edit: Option<EditGenesis>,
    directory: &Path,
) -> Result<PathBuf> {
    let mut spec = match patch {
        Some(patch) => built(node, &patched(node, patch)?, directory)?,
        None => raw(node, validators, directory)?,
    };
    if let Some(edit) = edit {
        edit_state(&mut spec, edit)?;
    }
    save(&spec, directory, "chain-spec-raw.json")
}

/// The raw specification, made once per process.
fn raw(node: &Path, validators: &[Sr25519Keyring], directory: &Path) -> Result<Value> {
    type Made = BTreeMap<(PathBuf, usize), Value>;
    static MADE: Mutex<Made> = Mutex::new(Made::new());
    let key = (node.to_owned(), validators.len());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(spec) = made.get(&key) {
        return Ok(spec.clone());
    }
    let spec = if validators.len() == LOCAL {
        export(node, &["--chain", "local", "--raw"])?
    } else {
        built(node, &with_validators(node, validators)?, directory)?
    };
    Ok(made.entry(key).or_insert(spec).clone())
}

/// A specification whose genesis the node's runtime has built.
fn built(node: &Path, spec: &Value, directory: &Path) -> Result<Value> {
    let path = save(spec, directory, "chain-spec.json")?;
    export(node, &["--chain", &path.display().to_string(), "--raw"])
}

/// The node's specification of the local network, with another genesis.
fn patched(node: &Path, patch: EditPatch) -> Result<Value> {
    let mut spec = export(node, &["--chain", "local"])?;
    let genesis = ["patch", "config"].map(|name| format!("/genesis/runtimeGenesis/{name}"));
    let found = genesis
        .iter()
        .find(|path| spec.pointer(path).is_some())
        .ok_or_else(|| Error::ChainSpec("it has no runtime genesis".into()))?;
    spec.pointer_mut(found).into_iter().for_each(patch);
    Ok(spec)
}

/// The node's specification of the local network, with these validators instead of its own.
fn with_validators(node: &Path, validators: &[Sr25519Keyring]) -> Result<Value> {
    let mut spec = export(node, &["--chain", "local"])?;
    let genesis = spec.pointer_mut("/genesis/runtimeGenesis");
    let genesis = genesis.and_then(Value::as_object_mut);
    let genesis = genesis.ok_or_else(|| Error::ChainSpec("it has no runtime genesis".into()))?;
    genesis.remove("config");
    let admin = Sr25519Keyring::Alice.to_account_id();
    let others: Vec<_> = Sr25519Keyring::well_known()
        .map(|other| other.to_account_id())
        .collect();
    let validators = validators
        .iter()
        .copied()
        .map(validator)
        .collect::<Result<Vec<_>>>()?;
    genesis.insert("patch".into(), network(&validators, &others, admin));
    spec["id"] = json!(format!("duet_local_{}", validators.len()));
    Ok(spec)
}

fn edit_state(spec: &mut Value, edit: EditGenesis) -> Result<()> {
    let top = spec.pointer_mut("/genesis/raw/top");
    let top = top.ok_or_else(|| Error::ChainSpec("it has no raw genesis".into()))?;
    let wrong = |error: serde_json::Error| Error::ChainSpec(error.to_string());
    let state: BTreeMap<String, Bytes> = serde_json::from_value(top.take()).map_err(wrong)?;
    let mut state: State = state
        .into_iter()
        .map(|(key, value)| {
            Ok((
                from_hex(&key).map_err(|error| Error::ChainSpec(error.to_string()))?,
                value.0,
            ))
        })
        .collect::<Result<_>>()?;
    edit(&mut state);
    let state: BTreeMap<_, _> = state
        .into_iter()
        .map(|(key, value)| (to_hex(&key, false), Bytes(value)))
        .collect();
    *top = serde_json::to_value(state).map_err(wrong)?;
    Ok(())
}

fn save(spec: &Value, directory: &Path, name: &str) -> Result<PathBuf> {
    let path = directory.join(name);
    std::fs::write(&path, spec.to_string()).map_err(Error::io("writing the specification"))?;
    Ok(path)
}

/// The node's export with these flags.
fn export(node: &Path, flags: &[&str]) -> Result<Value> {
    let mut exported = Command::new(node);
    exported.arg("export-chain-spec").args(flags);
    let exported = exported
        .output()
        .map_err(Error::io("exporting the chain specification"))?;
    if !exported.status.success() {
        return Err(Error::ChainSpec(
            String::from_utf8_lossy(&exported.stderr).into_owned(),
        ));
    }
    serde_json::from_slice(&exported.stdout).map_err(|error| Error::ChainSpec(error.to_string()))
}

/// A development account as a validator of the genesis, with the keys that its node gets by `--alice`.
fn validator(account: Sr25519Keyring) -> Result<Validator> {
    let name = account.to_string();
    let bad = |what: &str| Error::ChainSpec(format!("//{name} gives no {what}"));
    let secret = secret_of_suri(&format!("//{name}")).map_err(|_| bad("Duet key"))?;
    let owner = ownership_statement(Hash::zero(), &account.to_account_id());
    let grandpa = Ed25519Keyring::iter().find(|other| other.to_string() == name);
    let grandpa = grandpa.ok_or_else(|| bad("GRANDPA key"))?;
    Ok(Validator {
        account: account.to_account_id(),
        session_keys: SessionKeys::new(account.public(), grandpa.public()),
        duet_key: secret.public(),
        duet_proof: secret.prove_possession(&owner),
    })
}
