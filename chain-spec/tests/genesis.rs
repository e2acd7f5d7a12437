//! The executable's runtime builds the genesis of the networks, and reports the faults of an invalid one.
//!
//! Each genesis compiles the runtime again, which takes seconds, so there are few tests here.

use duet_chain_spec::{
    load_spec, local_testnet_of, well_known_validator, ChainSpec, ChainSpecError,
};
use duet_runtime::{genesis, WASM_BINARY};
use sp_runtime::BuildStorage;

/// `None` if the tests were built without a WASM blob, as with `SKIP_WASM_BUILD`.
fn with_runtime(spec: Result<ChainSpec, ChainSpecError>) -> Option<ChainSpec> {
    match spec {
        Ok(spec) => Some(spec),
        Err(ChainSpecError::NoRuntime) => {
            assert!(WASM_BINARY.is_none());
            eprintln!("built without a runtime: nothing to build a genesis with");
            None
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn the_development_network_has_a_genesis_with_a_first_set() {
    let Some(spec) = with_runtime(load_spec("dev")) else {
        return;
    };
    let storage = spec.build_storage().unwrap();
    assert!(storage.top.contains_key(genesis::keysets_key().as_slice()));
}

#[test]
fn an_exported_network_is_read_back_plain_and_raw() {
    let Some(spec) = with_runtime(load_spec("local")) else {
        return;
    };
    for raw in [false, true] {
        let file = tempfile::NamedTempFile::new().unwrap();
        let exported = spec.as_json(raw).unwrap();
        std::fs::write(file.path(), &exported).unwrap();
        let read = load_spec(file.path().to_str().unwrap()).unwrap();
        assert!(read.as_json(raw).unwrap() == exported, "raw: {raw}");
    }
}

#[test]
fn a_network_of_other_validators_has_a_genesis() {
    let validators = ["//Eve", "//Ferdie"].map(|suri| well_known_validator(suri).unwrap());
    let Some(spec) = with_runtime(local_testnet_of(&validators, &[])) else {
        return;
    };
    spec.build_storage().unwrap();
}

#[test]
fn the_runtime_refuses_a_proof_of_another_account_and_names_the_account() {
    let mut validators = ["//Eve", "//Ferdie"].map(|suri| well_known_validator(suri).unwrap());
    validators[1].duet_proof = validators[0].duet_proof;
    let Some(spec) = with_runtime(local_testnet_of(&validators, &[])) else {
        return;
    };
    let error = spec.build_storage().expect_err("is refused");
    assert!(
        error.contains("keys[1]") && error.contains("POP-1"),
        "{error}"
    );
}
