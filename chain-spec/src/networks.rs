//! The networks that the executable knows by name.

use crate::{error::ChainSpecError, file, ChainSpec};
use duet_runtime::{
    constants::{SS58_PREFIX, TOKEN_DECIMALS},
    genesis, AccountId, WASM_BINARY,
};
use sc_chain_spec::{ChainType, Properties};
use serde_json::Value;

/// The specification that `--chain` means: `dev`, `local` (also when nothing is named), or the path of a file.
///
/// # Errors
/// [`ChainSpecError`] when the executable was built without a runtime, or the file is not a specification.
pub fn load_spec(id: &str) -> Result<ChainSpec, ChainSpecError> {
    match id {
        "dev" => development(),
        "" | "local" => local_testnet(),
        path => file::from_file(path),
    }
}

/// The development network: Alice validates alone.
///
/// # Errors
/// [`ChainSpecError::NoRuntime`] when the executable was built without one.
pub fn development() -> Result<ChainSpec, ChainSpecError> {
    network(
        "Duet Development",
        "dev",
        ChainType::Development,
        genesis::development(),
    )
}

/// The local network: Alice, Bob, Charlie and Dave validate.
///
/// # Errors
/// [`ChainSpecError::NoRuntime`] when the executable was built without one.
pub fn local_testnet() -> Result<ChainSpec, ChainSpecError> {
    network(
        "Duet Local Testnet",
        "local",
        ChainType::Local,
        genesis::local_testnet(),
    )
}

/// A local network of other validators; the first of them administers.
///
/// `others` are accounts that own something without validating.
///
/// # Errors
/// [`ChainSpecError::NoRuntime`] when the executable was built without one,
/// [`ChainSpecError::NoValidators`] when there are none.
pub fn local_testnet_of(
    validators: &[genesis::Validator],
    others: &[AccountId],
) -> Result<ChainSpec, ChainSpecError> {
    let admin = validators
        .first()
        .ok_or(ChainSpecError::NoValidators)?
        .account
        .clone();
    let patch = genesis::network(validators, others, admin);
    network("Duet Local Testnet", "local", ChainType::Local, patch)
}

fn network(
    name: &str,
    id: &str,
    kind: ChainType,
    patch: Value,
) -> Result<ChainSpec, ChainSpecError> {
    let runtime = WASM_BINARY.ok_or(ChainSpecError::NoRuntime)?;
    Ok(ChainSpec::builder(runtime, None)
        .with_name(name)
        .with_id(id)
        .with_chain_type(kind)
        .with_protocol_id("duet")
        .with_properties(properties())
        .with_genesis_config_patch(patch)
        .build())
}

fn properties() -> Properties {
    Properties::from_iter([
        ("tokenSymbol".into(), "DUET".into()),
        ("tokenDecimals".into(), TOKEN_DECIMALS.into()),
        ("ss58Format".into(), SS58_PREFIX.into()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_networks_have_the_ids_that_the_flags_name() {
        for (flag, id) in [("dev", "dev"), ("local", "local"), ("", "local")] {
            let spec = load_spec(flag).expect("tests are built with a runtime");
            assert_eq!(spec.id(), id);
            assert_eq!(spec.properties()["tokenSymbol"], "DUET");
            assert_eq!(spec.properties()["tokenDecimals"], 12);
            assert_eq!(spec.properties()["ss58Format"], 42);
            assert_eq!(spec.protocol_id(), Some("duet"));
        }
    }

    #[test]
    fn a_network_of_nobody_is_refused() {
        assert!(matches!(
            local_testnet_of(&[], &[]),
            Err(ChainSpecError::NoValidators)
        ));
    }
}
