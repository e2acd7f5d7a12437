//! The genesis of a network that is not built into the node: of another number of validators, or of another state.

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
};

/// Writes a chain specification whose genesis has these validators, and returns where it is.
///
/// It is the node's own specification of the local network with another genesis in it.
///
/// # Errors
/// [`Error::ChainSpec`] when the node does not export it or it is not as expected, [`Error::Io`].
pub(crate) fn write(
    node: &Path,
    validators: &[Sr25519Keyring],
    directory: &Path,
) -> Result<PathBuf> {
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
    let path = directory.join("chain-spec.json");
    std::fs::write(&path, spec.to_string()).map_err(Error::io("writing the specification"))?;
    Ok(path)
}

/// Changes what a chain begins with: the values of its storage by their keys.
pub type EditGenesis = Box<dyn FnOnce(&mut State) + Send>;

/// The values of a chain's storage by their keys.
pub type State = BTreeMap<Vec<u8>, Vec<u8>>;

/// Writes the specification of a chain with another genesis state, and returns where it is.
///
/// # Errors
/// [`Error::ChainSpec`] when the node does not export it or it is not as expected, [`Error::Io`].
pub(crate) fn edit(
    node: &Path,
    chain: &str,
    directory: &Path,
    edit: EditGenesis,
) -> Result<String> {
    let mut spec = export(node, &["--chain", chain, "--raw"])?;
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
    let path = directory.join("chain-spec-raw.json");
    std::fs::write(&path, spec.to_string()).map_err(Error::io("writing the specification"))?;
    Ok(path.display().to_string())
}

/// What the node exports with these flags.
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

/// A development account as a validator of the genesis, with the keys that its node takes by `--alice`.
fn validator(account: Sr25519Keyring) -> Result<Validator> {
    let name = account.to_string();
    let bad = |what: &str| Error::ChainSpec(format!("//{name} gives no {what}"));
    let secret = secret_of_suri(&format!("//{name}")).map_err(|_| bad("Duet key"))?;
    let owner = ownership_statement(Hash::zero(), &account.to_account_id());
    let grandpa = Ed25519Keyring::iter().find(|other| other.to_string() == name);
    let grandpa = grandpa.ok_or_else(|| bad("GRANDPA key"))?;
    Ok(Validator {
        account: account.to_account_id(),
        session_keys: SessionKeys {
            aura: account.public().into(),
            grandpa: grandpa.public().into(),
            authority_discovery: account.public().into(),
        },
        duet_key: secret.public(),
        duet_proof: secret.prove_possession(&owner),
    })
}
