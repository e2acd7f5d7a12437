//! The life of a key on a running node: it is found, registered in place of another one, and removed.

mod common;

use common::{fails, field, json, refuses_to_start, run, Node, PATIENCE};
use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

const ALICE: &str = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";

fn text(path: &Path) -> &str {
    path.to_str().expect("a temporary path is UTF-8")
}

#[test]
fn a_second_node_on_the_same_keys_does_not_come_up_and_its_message_says_why() {
    let (one, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let keys = one.path().join("keys");
    let at = ["--keystore-path", text(&keys)];
    let node = Node::start_dev(one.path(), &at);
    let error = refuses_to_start(other.path(), &at);
    assert!(error.contains("uses these keys: stop it first"), "{error}");
    // What only reads works beside the node; what changes what it remembers does not.
    json(&[&["duet-key", "insert", "--suri", "//New"], &at[..]].concat());
    assert_eq!(
        json(&[&["duet-key", "list"], &at[..]].concat())
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    let error = fails(&[&["duet-key", "export-votes", "--dev"], &at[..]].concat());
    assert!(error.contains("uses these keys"), "{error}");
    drop(node);
    let node = Node::start_dev(one.path(), &at);
    drop(node);
}

#[test]
fn a_registered_key_replaces_the_old_one_and_is_not_removed_as_long_as_it_is_registered() {
    let (dir, elsewhere) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let node = Node::start_dev(dir.path(), &[]);
    let on_chain = ["--dev", "--url", node.url()];
    let account = ["duet-key", "rotate", "--account", ALICE];
    let rotate_args = [&account[..], &on_chain[..]].concat();
    let rotate = |more: &[&str]| json(&[&rotate_args, more].concat());

    // The node has the key, and so has another directory, with which no node runs.
    let suri = ["duet-key", "insert", "--suri", "//New"];
    let inserted = json(&[&suri[..], &["--dev", "-d", text(dir.path())]].concat());
    let key = field(&inserted, "publicKey");
    let away = ["--keystore-path", text(elsewhere.path())];
    json(&[&suri[..], &away[..]].concat());
    let remove = ["duet-key", "remove", "--public", key];
    let remove = [&remove[..], &away[..], &on_chain[..]].concat();

    let printed = rotate(&["--print-call", "--public", key]);
    assert!(field(&printed, "call").contains(&key[2..]), "{printed}");
    let rotated = rotate(&["--suri", "//Alice", "--public", key]);
    assert_eq!(field(&rotated, "publicKey"), key);
    let alices = json(&["duet-key", "inspect", "//Alice"]);
    assert_eq!(field(&rotated, "toRemove"), field(&alices, "publicKey"));

    let error = fails(&remove);
    assert!(error.contains("has registered this key"), "{error}");
    let error = fails(&[&rotate_args[..], &["--suri", "//Alice", "--public", key]].concat());
    assert!(error.contains("KeyUnchanged"), "{error}");

    // A key that was never registered.
    let away_only = ["duet-key", "insert", "--suri", "//Unused"];
    let unused = json(&[&away_only[..], &away[..]].concat());
    let unused_key = field(&unused, "publicKey");
    let remove_unused = ["duet-key", "remove", "--public", unused_key];
    let remove_unused = [&remove_unused[..], &away[..]].concat();
    let genesis = format!("0x{}", "07".repeat(32));
    let other_chain = ["--url", node.url(), "--genesis", &genesis];
    let error = fails(&[&remove_unused[..], &other_chain[..]].concat());
    assert!(error.contains("the node belongs to the chain"), "{error}");
    assert!(Path::new(field(&unused, "keyFile")).is_file());
    json(&[&remove_unused[..], &on_chain[..]].concat());
    assert!(!Path::new(field(&unused, "keyFile")).exists());
}

#[test]
fn a_key_is_rotated_without_a_gap_and_the_old_one_is_removed_when_no_set_has_it() {
    let (dir, elsewhere) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let node = Node::start_dev(dir.path(), &[]);
    let on_chain = ["--dev", "--url", node.url()];
    let old = json(&["duet-key", "inspect", "//Alice"]);
    let old = field(&old, "publicKey");
    let away = ["--keystore-path", text(elsewhere.path())];
    json(&[&["duet-key", "insert", "--suri", "//Alice"], &away[..]].concat());
    let remove = ["duet-key", "remove", "--public", old];
    let remove = [&remove[..], &away[..], &on_chain[..]].concat();

    let rotate = [
        "duet-key",
        "rotate",
        "--account",
        ALICE,
        "--suri",
        "//Alice",
    ];
    let rotated = json(&[&rotate[..], &on_chain[..]].concat());
    let new = field(&rotated, "publicKey").to_owned();
    assert_eq!(field(&rotated, "signsNow"), old, "there is no gap");
    assert_eq!(field(&rotated, "toRemove"), old);
    let error = fails(&remove);
    assert!(error.contains("signs with this key"), "{error}");

    // The only validator: were there a moment without a key that signs, no set would be proven any more.
    let deadline = Instant::now() + PATIENCE;
    loop {
        let removed = run(&remove);
        if removed.status.success() {
            break;
        }
        let error = String::from_utf8_lossy(&removed.stderr);
        let reasons = ["signs with this key", "may be a member", "has not proven"];
        assert!(
            reasons.iter().any(|reason| error.contains(reason)),
            "{error}"
        );
        assert!(Instant::now() < deadline, "{error}");
        thread::sleep(Duration::from_secs(1));
    }
    let health = node.health("/health");
    assert!(health.contains("\"voting\":true"), "{health}");
    let listed = json(&["duet-key", "list", "--dev", "-d", text(dir.path())]);
    assert_eq!(field(&listed[0], "publicKey"), new);
}
