//! The networks that the executable knows by name.

use crate::{error::ChainSpecError, file, ChainSpec};
use duet_runtime::{
    constants::{SS58_PREFIX, TOKEN_DECIMALS, TOKEN_SYMBOL},
    genesis, AccountId, WASM_BINARY,
};
use sc_chain_spec::{ChainType, Properties};
use serde_json::Value;
use sp_maybe_compressed_blob::{compress_weakly, CODE_BLOB_BOMB_LIMIT};
use std::borrow::Cow;

/// The first bytes of uncompressed WASM.
const WASM_MAGIC: &[u8] = b"\0asm";

/// The specification for a value of `--chain`: `dev`, `local` (also the default), or the path of a file.
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

/// A local network of other validators; the first validator administers.
///
/// `others` are endowed accounts that do not validate.
///
/// # Errors
/// [`ChainSpecError::NoRuntime`] when the executable was built without one,
/// [`ChainSpecError::NoValidators`] when there are no validators.
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
    Ok(ChainSpec::builder(&compressed(runtime), None)
        .with_name(name)
        .with_id(id)
        .with_chain_type(kind)
        .with_protocol_id("duet")
        .with_properties(properties())
        .with_genesis_config_patch(patch)
        .build())
}

/// The runtime, compressed as far as nodes accept. A release build is already compressed, a development build is not:
/// it makes a raw specification nearly four times as long.
fn compressed(runtime: &[u8]) -> Cow<'_, [u8]> {
    if !runtime.starts_with(WASM_MAGIC) {
        return runtime.into();
    }
    match compress_weakly(runtime, CODE_BLOB_BOMB_LIMIT) {
        Some(short) => short.into(),
        None => runtime.into(),
    }
}

fn properties() -> Properties {
    Properties::from_iter([
        ("tokenSymbol".into(), TOKEN_SYMBOL.into()),
        ("tokenDecimals".into(), TOKEN_DECIMALS.into()),
        ("ss58Format".into(), SS58_PREFIX.into()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use sp_core::bytes::to_hex;
    use sp_maybe_compressed_blob::decompress;

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
    fn the_runtime_in_a_specification_is_compressed_and_the_one_that_was_built() {
        let runtime = WASM_BINARY.expect("tests are built with a runtime");
        let short = compressed(runtime);
        assert!(short.len() < 2 * runtime.len() / 3 || !runtime.starts_with(WASM_MAGIC));
        assert!(matches!(compressed(&short), Cow::Borrowed(_)), "only once");
        let back = decompress(&short, CODE_BLOB_BOMB_LIMIT).expect("nodes read it");
        assert_eq!(back, decompress(runtime, CODE_BLOB_BOMB_LIMIT).unwrap());
        let spec = development().expect("there is a runtime");
        let json: Value = serde_json::from_str(&spec.as_json(false).unwrap()).unwrap();
        let code = json.pointer("/genesis/runtimeGenesis/code").unwrap();
        assert_eq!(code.as_str().unwrap(), to_hex(&short, false));
    }

    #[test]
    fn a_network_of_nobody_is_refused() {
        assert!(matches!(
            local_testnet_of(&[], &[]),
            Err(ChainSpecError::NoValidators)
        ));
    }
}
