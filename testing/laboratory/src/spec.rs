//! The chain: the node's own local network with other validators in its genesis.

use crate::{run::run, validator::Validator, Error, Result};
use serde_json::{json, Value};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The name of the chain, after which nodes name a folder.
pub(crate) const CHAIN_ID: &str = "duet_laboratory";
/// How many seats an election has at least.
const SEATS: usize = 20;

/// Writes the specification of a chain with these validators, in its raw form, so that no node has to compute the genesis.
pub(crate) fn write(node: &Path, validators: &[Validator], directory: &Path) -> Result<PathBuf> {
    let spec = export(node, &["--chain", "local"])?;
    let spec: Value =
        serde_json::from_slice(&spec).map_err(|error| Error::ChainSpec(error.to_string()))?;
    let spec = with_validators(spec, validators)?;
    let written = |error| Error::io("writing the chain specification")(error);
    let plain = directory.join("plain.json");
    fs::write(&plain, spec.to_string()).map_err(written)?;
    let raw = export(node, &["--raw", "--chain", &plain.display().to_string()])?;
    let path = directory.join("chain.json");
    fs::write(&path, raw).map_err(written)?;
    Ok(path)
}

fn export(node: &Path, flags: &[&str]) -> Result<Vec<u8>> {
    run(Command::new(node).arg("export-chain-spec").args(flags))
}

/// The specification with these validators in place of those that it has.
fn with_validators(mut spec: Value, validators: &[Validator]) -> Result<Value> {
    spec["id"] = json!(CHAIN_ID);
    let genesis = spec.pointer_mut("/genesis/runtimeGenesis/patch");
    let missing = || Error::ChainSpec("it has no genesis that can be changed".to_owned());
    let genesis = genesis.ok_or_else(missing)?;
    for (part, list) in [
        ("staking", "stakers"),
        ("session", "keys"),
        ("duet", "keys"),
    ] {
        genesis[part][list] = json!([]);
    }
    genesis["staking"]["validatorCount"] = json!(validators.len().max(SEATS));
    for validator in validators {
        validator.add_to(genesis)?;
    }
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local() -> Value {
        json!({ "id": "local", "genesis": { "runtimeGenesis": { "patch": {
            "balances": { "balances": [["somebody", 1]] },
            "staking": { "stakers": [["somebody", "somebody", 1, "Validator"]], "validatorCount": 20 },
            "session": { "keys": [["somebody"]] },
            "duet": { "keys": [["somebody"]] },
        } } } })
    }

    #[test]
    fn our_validators_take_the_place_of_others_and_there_is_a_seat_for_each() {
        let validators: Vec<_> = (0..25).map(|it| Validator::new(it).unwrap()).collect();
        let spec = with_validators(local(), &validators).unwrap();
        let genesis = &spec["genesis"]["runtimeGenesis"]["patch"];
        assert_eq!(genesis["duet"]["keys"].as_array().unwrap().len(), 25);
        assert_eq!(genesis["duet"]["keys"][24][0], validators[24].account());
        assert_eq!(genesis["staking"]["validatorCount"], 25);
        assert_eq!(
            genesis["balances"]["balances"].as_array().unwrap().len(),
            26
        );
    }

    #[test]
    fn a_specification_without_a_genesis_is_refused() {
        let error = with_validators(json!({}), &[]).expect_err("no genesis");
        assert!(matches!(error, Error::ChainSpec(_)));
    }
}
