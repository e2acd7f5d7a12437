//! Chain specifications on the command line.

mod common;

use common::{fails, succeeds};
use serde_json::Value;

#[test]
fn both_networks_are_exported_and_load_again() {
    for chain in ["dev", "local"] {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("spec.json");
        let file = file.to_str().unwrap();
        succeeds(&[
            "export-chain-spec",
            "--chain",
            chain,
            "--raw",
            "--output",
            file,
        ]);
        let raw: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        assert!(raw["genesis"]["raw"]["top"].is_object());
        let again: Value =
            serde_json::from_str(&succeeds(&["export-chain-spec", "--chain", file, "--raw"]))
                .unwrap();
        assert_eq!(raw, again, "{chain}");
    }
}

#[test]
fn a_file_that_is_no_chain_specification_is_named_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("spec.json");
    std::fs::write(&file, "[]").unwrap();
    let name = file.to_str().unwrap();
    let error = fails(&["export-chain-spec", "--chain", name]);
    assert!(
        error.contains(name) && error.contains("not a chain specification"),
        "{error}"
    );
    let error = fails(&["export-chain-spec", "--chain", "/nowhere/spec.json"]);
    assert!(error.contains("/nowhere/spec.json"), "{error}");
}

#[test]
fn the_version_and_the_help_are_there() {
    assert!(succeeds(&["--version"]).starts_with("duet-node "));
    let help = succeeds(&["--help"]);
    for word in [
        "duet-key",
        "purge-chain",
        "--validator",
        "--network-backend",
        "--alice",
    ] {
        assert!(help.contains(word), "{word} is missing");
    }
}
