//! The files committed as text match the output of the code.
//!
//! `DUET_REGENERATE=1 cargo test --workspace --test committed` regenerates the files.

use duet_chain_spec::well_known_validator;
use duet_runtime::genesis;
use std::{collections::BTreeMap, env, fs, path::Path};

fn assert_committed(path: &str, expected: String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if env::var_os("DUET_REGENERATE").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "{} differs from what the code makes; if that is meant, run \
         DUET_REGENERATE=1 cargo test --workspace --test committed, and again after a change of keys",
        path.display(),
    );
}

fn pretty(value: impl serde::Serialize) -> String {
    serde_json::to_string_pretty(&value).unwrap() + "\n"
}

#[test]
fn the_duet_keys_of_the_presets_are_those_of_the_well_known_secrets() {
    let key = |suri| {
        let validator = well_known_validator(suri).unwrap();
        (suri, (validator.duet_key, validator.duet_proof))
    };
    let keys: BTreeMap<_, _> = ["//Alice", "//Bob", "//Charlie", "//Dave"].map(key).into();
    assert_committed("../runtime/src/genesis/duet_keys.json", pretty(keys));
}

#[test]
fn the_presets_name_the_validators_of_the_well_known_secrets() {
    for (suri, (key, proof)) in ["//Alice", "//Bob", "//Charlie", "//Dave"]
        .map(|suri| (suri, genesis::duet_key(suri).expect("committed")))
    {
        let validator = well_known_validator(suri).unwrap();
        assert_eq!(
            (validator.duet_key, validator.duet_proof),
            (key, proof),
            "{suri}"
        );
        let patch = genesis::local_testnet();
        let accounts = patch["session"]["keys"].as_array().unwrap();
        let keys = serde_json::to_value(&validator.session_keys).unwrap();
        assert!(accounts.iter().any(|entry| entry[2] == keys), "{suri}");
    }
}

#[test]
fn the_presets_are_those_of_the_runtime() {
    assert_committed("presets/development.json", pretty(genesis::development()));
    assert_committed(
        "presets/local_testnet.json",
        pretty(genesis::local_testnet()),
    );
}
