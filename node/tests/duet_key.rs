//! `duet-key`, with the real executable.

mod common;

use common::{fails, field, json, succeeds};
use serde_json::Value;
use tempfile::TempDir;

const ALICE: &str = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";
const BOB: &str = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty";
/// A genesis hash, for proofs that need no chain specification.
const GENESIS: &str = "0x0707070707070707070707070707070707070707070707070707070707070707";

fn keystore() -> (TempDir, String) {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("keystore").to_str().unwrap().to_owned();
    (dir, path)
}

/// Alice's key comes into a key directory without a password.
fn insert_alice(path: &str) -> Value {
    let key = ["duet-key", "insert", "--suri", "//Alice"];
    json(&[&key[..], &["--keystore-path", path]].concat())
}

#[test]
fn a_generated_phrase_gives_its_public_key_back() {
    let generated = json(&["duet-key", "generate"]);
    let inspected = json(&["duet-key", "inspect", field(&generated, "secretPhrase")]);
    assert_eq!(
        field(&generated, "publicKey"),
        field(&inspected, "publicKey")
    );
    let checked = json(&[
        "duet-key",
        "inspect",
        "--public",
        field(&generated, "publicKey"),
    ]);
    assert_eq!(checked, inspected);
}

#[test]
fn text_output_says_the_same_as_json() {
    let text = succeeds(&["duet-key", "inspect", "//Alice"]);
    let json = json(&["duet-key", "inspect", "//Alice"]);
    assert!(text.contains(field(&json, "publicKey")), "{text}");
}

#[test]
fn an_inserted_key_is_listed_and_proven_and_the_proof_is_verified() {
    let (_dir, path) = keystore();
    let inserted = insert_alice(&path);
    let key = field(&inserted, "publicKey");
    assert!(std::path::Path::new(field(&inserted, "keyFile")).is_file());
    let listed = json(&["duet-key", "list", "--keystore-path", &path]);
    assert_eq!(listed, serde_json::json!([inserted]));

    let on_chain = ["--account", ALICE, "--genesis", GENESIS];
    let proven = json(
        &[
            &["duet-key", "prove", "--keystore-path", &path],
            &on_chain[..],
        ]
        .concat(),
    );
    assert_eq!(field(&proven, "publicKey"), key);
    let given = ["--public", key, "--proof", field(&proven, "proof")];
    succeeds(&[&["duet-key", "verify"], &on_chain[..], &given].concat());

    let from_suri = json(&[&["duet-key", "prove", "--suri", "//Alice"], &on_chain[..]].concat());
    assert_eq!(from_suri, proven);
}

#[test]
fn a_proof_holds_for_one_account_one_chain_one_key_and_unchanged() {
    let on_chain = ["--account", ALICE, "--genesis", GENESIS];
    let proven = json(&[&["duet-key", "prove", "--suri", "//Alice"], &on_chain[..]].concat());
    let (key, proof) = (field(&proven, "publicKey"), field(&proven, "proof"));
    let verify = |account, genesis, key, proof| {
        fails(&[
            "duet-key",
            "verify",
            "--account",
            account,
            "--genesis",
            genesis,
            "--public",
            key,
            "--proof",
            proof,
        ])
    };

    let error = verify(BOB, GENESIS, key, proof);
    assert!(error.contains("POP-1"), "{error}");
    let other_chain = GENESIS.replace("07", "08");
    let error = verify(ALICE, &other_chain, key, proof);
    assert!(error.contains("POP-1"), "{error}");

    let bob = json(&["duet-key", "inspect", "//Bob"]);
    let error = verify(ALICE, GENESIS, field(&bob, "publicKey"), proof);
    assert!(error.contains("POP-1"), "{error}");

    // The halves of two keys, and a proof whose last byte was changed.
    let halves = format!("{}{}", &key[..98], &field(&bob, "publicKey")[98..]);
    let error = verify(ALICE, GENESIS, &halves, proof);
    assert!(error.contains("POP-2"), "{error}");
    let last = if proof.ends_with("00") { "01" } else { "00" };
    let changed = format!("{}{last}", &proof[..proof.len() - 2]);
    let error = verify(ALICE, GENESIS, key, &changed);
    assert!(
        error.contains("proof of possession does not hold"),
        "{error}"
    );
}

#[test]
fn a_proof_for_the_genesis_names_no_chain() {
    let in_genesis = ["--account", ALICE, "--in-genesis"];
    let proven = json(&[&["duet-key", "prove", "--suri", "//Alice"], &in_genesis[..]].concat());
    let zero = format!("0x{}", "00".repeat(32));
    assert_eq!(field(&proven, "genesisHash"), zero);
    let given = [
        "--public",
        field(&proven, "publicKey"),
        "--proof",
        field(&proven, "proof"),
    ];
    succeeds(&[&["duet-key", "verify"], &in_genesis[..], &given].concat());
    let elsewhere = ["--account", ALICE, "--genesis", GENESIS];
    fails(&[&["duet-key", "verify"], &elsewhere[..], &given].concat());
}

#[test]
fn the_genesis_hash_is_worked_out_from_the_chain_specification() {
    let on_chain = ["--account", ALICE, "--chain", "dev"];
    let proven = json(&[&["duet-key", "prove", "--suri", "//Alice"], &on_chain[..]].concat());
    let given = [
        "--account",
        ALICE,
        "--genesis",
        field(&proven, "genesisHash"),
        "--public",
        field(&proven, "publicKey"),
        "--proof",
        field(&proven, "proof"),
    ];
    succeeds(&[&["duet-key", "verify"], &given[..]].concat());
}

#[test]
fn key_files_lie_in_the_keystore_directory_of_the_chain() {
    let dir = TempDir::new().unwrap();
    let base = dir.path().to_str().unwrap();
    let insert = [
        "duet-key", "insert", "--suri", "//Alice", "--chain", "dev", "-d", base,
    ];
    let inserted = json(&insert);
    let file = std::path::Path::new(field(&inserted, "keyFile")).to_owned();
    let keystore = file.parent().unwrap();
    assert!(keystore.ends_with("keystore"), "{}", keystore.display());
    assert!(
        keystore.starts_with(dir.path().join("chains")),
        "{}",
        keystore.display()
    );
}

#[test]
fn a_key_file_with_a_password_needs_that_password() {
    let (dir, path) = keystore();
    let password = dir.path().join("password");
    std::fs::write(&password, "correct horse").unwrap();
    let with = [
        "--keystore-path",
        &path,
        "--password-filename",
        password.to_str().unwrap(),
    ];
    json(&[&["duet-key", "insert", "--suri", "//Alice"], &with[..]].concat());
    assert_eq!(
        json(&[&["duet-key", "list"], &with[..]].concat())
            .as_array()
            .unwrap()
            .len(),
        1
    );

    let error = fails(&["duet-key", "list", "--keystore-path", &path]);
    assert!(error.contains("no password was given"), "{error}");
    let error = fails(&[
        "duet-key",
        "list",
        "--keystore-path",
        &path,
        "--password",
        "battery",
    ]);
    assert!(error.contains("wrong password"), "{error}");
}

#[test]
fn a_damaged_key_file_is_named() {
    let (_dir, path) = keystore();
    let file = field(&insert_alice(&path), "keyFile").to_owned();
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(
        &file,
        text.replace("\"checksum\": \"0x", "\"checksum\": \"0y"),
    )
    .unwrap();
    let error = fails(&["duet-key", "list", "--keystore-path", &path]);
    assert!(
        error.contains(&file) && error.contains("corrupt"),
        "{error}"
    );
}

#[test]
fn several_keys_must_be_chosen_from_and_a_missing_one_is_named() {
    let (_dir, path) = keystore();
    let at = ["--keystore-path", path.as_str()];
    let prove = [
        &[
            "duet-key",
            "prove",
            "--account",
            ALICE,
            "--genesis",
            GENESIS,
        ],
        &at[..],
    ]
    .concat();
    let error = fails(&prove);
    assert!(error.contains("there is no keystore"), "{error}");
    let keys = ["//Alice", "//Bob"].map(|suri| {
        let inserted = json(&[&["duet-key", "insert", "--suri", suri], &at[..]].concat());
        field(&inserted, "publicKey").to_owned()
    });
    let error = fails(&prove);
    assert!(error.contains("--public"), "{error}");
    let proven = json(&[&prove[..], &["--public", &keys[1]]].concat());
    assert_eq!(field(&proven, "publicKey"), keys[1]);
    let charlie = json(&["duet-key", "inspect", "//Charlie"]);
    let error = fails(&[&prove[..], &["--public", field(&charlie, "publicKey")]].concat());
    assert!(error.contains("no secret for the key"), "{error}");
}

#[test]
fn what_does_not_read_is_refused_with_the_reason() {
    for (args, reason) in [
        (&["inspect", "--public", "0x00"][..], "144 bytes"),
        (
            &["inspect", "--public", &format!("0x{}", "00".repeat(144))],
            "KEY-1",
        ),
        (&["inspect", "no such phrase"], "not a secret URI"),
        (&["inspect", "//Alice/soft"], "hard derivations"),
        (
            &[
                "prove",
                "--suri",
                "//Alice",
                "--account",
                "nobody",
                "--in-genesis",
            ],
            "SS58",
        ),
        (
            &[
                "prove",
                "--suri",
                "//Alice",
                "--account",
                ALICE,
                "--chain",
                "nowhere",
            ],
            "nowhere",
        ),
        (
            &[
                "prove",
                "--suri",
                "//Alice",
                "--account",
                ALICE,
                "--genesis",
                "0x00",
            ],
            "32 bytes",
        ),
    ] {
        let error = fails(&[&["duet-key"], args].concat());
        assert!(error.contains(reason), "{args:?}: {error}");
    }
}

/// What another machine exported of a key: one vote, and a floor.
fn export(pk1: &str) -> String {
    let hash = format!("0x{}", "11".repeat(48));
    serde_json::json!({
        "metadata": { "format": "duet-votes", "version": 1, "genesis_hash": GENESIS },
        "keys": [{ "key": pk1, "lowest": 5, "votes": [{ "block": 8, "hash": hash }] }],
    })
    .to_string()
}

#[test]
fn exported_votes_are_imported_before_the_key_is_there_and_come_out_again() {
    let (dir, path) = keystore();
    let inspected = json(&["duet-key", "inspect", "//Alice"]);
    let key = field(&inspected, "publicKey");
    let pk1 = &key[..98];
    let file = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (given, written) = (file("given.json"), file("written.json"));
    std::fs::write(&given, export(pk1)).unwrap();
    let at = ["--keystore-path", path.as_str(), "--genesis", GENESIS];

    for _ in 0..2 {
        let imported = json(&[&["duet-key", "import-votes", &given], &at[..]].concat());
        let expected = serde_json::json!([{ "pk1": pk1, "lowest": "5", "votes": "1" }]);
        assert_eq!(imported, expected);
    }
    let export_votes = [&["duet-key", "export-votes"], &at[..]].concat();
    let printed = succeeds(&export_votes);
    let as_json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(as_json(&printed), as_json(&export(pk1)));

    let to_file = [&export_votes[..], &["--output", &written, "--public", key]].concat();
    succeeds(&to_file);
    assert_eq!(std::fs::read_to_string(&written).unwrap(), printed);
    let error = fails(&to_file);
    assert!(error.contains(&written), "a file is not replaced: {error}");

    let bob = json(&["duet-key", "inspect", "//Bob"]);
    let error = fails(&[&export_votes[..], &["--public", field(&bob, "publicKey")]].concat());
    assert!(error.contains("no record of votes"), "{error}");
}

#[test]
fn votes_of_another_chain_are_not_imported_and_none_are_not_exported() {
    let (dir, path) = keystore();
    let given = dir.path().join("given.json").to_str().unwrap().to_owned();
    let inspected = json(&["duet-key", "inspect", "//Alice"]);
    std::fs::write(&given, export(&field(&inspected, "publicKey")[..98])).unwrap();
    let other = GENESIS.replace("07", "08");
    let at = ["--keystore-path", path.as_str(), "--genesis", &other];
    let error = fails(&[&["duet-key", "import-votes", &given], &at[..]].concat());
    assert!(
        error.contains("it is for the chain") && error.contains(GENESIS),
        "{error}"
    );
    insert_alice(&path);
    let error = fails(&[&["duet-key", "export-votes"], &at[..]].concat());
    assert!(error.contains("has a vote record"), "{error}");
}

#[test]
fn a_key_is_removed_without_a_node_only_when_that_is_said() {
    let (_dir, path) = keystore();
    let inserted = insert_alice(&path);
    let (key, file) = (field(&inserted, "publicKey"), field(&inserted, "keyFile"));
    let remove = [
        "duet-key",
        "remove",
        "--public",
        key,
        "--keystore-path",
        &path,
    ];
    let error = fails(&remove);
    assert!(error.contains("--url"), "{error}");
    // Port 9 is that of the discard service, which nobody runs.
    let asked = ["--url", "ws://127.0.0.1:9", "--genesis", GENESIS];
    let error = fails(&[&remove[..], &asked[..]].concat());
    assert!(error.contains("no node answers"), "{error}");
    assert!(std::path::Path::new(file).is_file());
    json(&[&remove[..], &["--force-offline"]].concat());
    assert!(!std::path::Path::new(file).exists());
    let error = fails(&[&remove[..], &["--force-offline"]].concat());
    assert!(error.contains("no secret for the key"), "{error}");
}

#[test]
fn a_rotation_with_the_secret_of_another_account_makes_no_key() {
    let rotate = [
        "duet-key",
        "rotate",
        "--genesis",
        GENESIS,
        "--url",
        "ws://127.0.0.1:9",
    ];
    let error = fails(&[&rotate[..], &["--account", ALICE, "--suri", "//Bob"]].concat());
    assert!(error.contains(BOB), "{error}");
    let error = fails(&[&rotate[..], &["--account", ALICE, "--suri", "//Alice"]].concat());
    assert!(error.contains("no node answers"), "{error}");
}
