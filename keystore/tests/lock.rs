//! One process at a time signs with the keys of a directory; tools that list and add keys work beside it.

use duet_keystore::{KeyRing, KeyStore, KeyStoreError, Signer, VoteRecords};
use duet_primitives::SecretKey;
use std::{
    env,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{self, Child, Command, Stdio},
};
use tempfile::TempDir;

fn key() -> SecretKey {
    SecretKey::from_seed(&[1; 32]).unwrap()
}

fn assert_in_use(error: &KeyStoreError, dir: &Path, process: u32) {
    assert!(
        matches!(
            error,
            KeyStoreError::InUse { directory, holder: Some(holder) }
                if directory == dir && *holder == process
        ),
        "{error}"
    );
}

#[test]
fn a_second_node_and_an_import_are_refused_at_once_while_a_node_has_the_keys() {
    let dir = TempDir::new().unwrap();
    let node = KeyStore::open(dir.path(), None).unwrap();
    for refused in [
        KeyStore::open(dir.path(), None).err(),
        VoteRecords::open(dir.path()).err(),
    ] {
        assert_in_use(&refused.unwrap(), dir.path(), process::id());
    }
    drop(node);
    let import = VoteRecords::open(dir.path()).unwrap();
    let error = KeyStore::open(dir.path(), None).err().unwrap();
    assert_in_use(&error, dir.path(), process::id());
    drop(import);
    KeyStore::open(dir.path(), None).unwrap();
}

#[test]
fn keys_are_listed_added_and_proven_beside_a_node_which_finds_them() {
    let dir = TempDir::new().unwrap();
    let node = KeyStore::open(dir.path(), None).unwrap();
    let tool = KeyRing::open(dir.path(), None).unwrap();
    tool.insert(key()).unwrap();
    let made = tool.generate().unwrap();
    let mut all = vec![key().public(), made];
    all.sort();
    assert_eq!(tool.keys().unwrap(), all);
    assert_eq!(node.keys().unwrap(), all);
    tool.prove_possession(&made.pk1(), b"owner").unwrap();
}

#[test]
fn a_key_file_that_cannot_be_read_leaves_no_lock() {
    let dir = TempDir::new().unwrap();
    let path = dir
        .path()
        .join(duet_keystore::file_name(&key().public().pk1()));
    std::fs::write(&path, "not a key file").unwrap();
    let error = KeyStore::open(dir.path(), None).err().unwrap();
    assert!(matches!(error, KeyStoreError::Corrupt { .. }), "{error}");
    VoteRecords::open(dir.path()).unwrap();
}

/// The variable with the directory for the test's child process.
const DIRECTORY: &str = "DUET_KEYSTORE_LOCK_TEST";

/// Not a test by itself: the next one starts it as another process. It holds the lock until it is killed.
#[test]
fn another_process() {
    let Some(dir) = env::var_os(DIRECTORY) else {
        return;
    };
    let _node = KeyStore::open(dir, None).unwrap();
    println!("\nlocked");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

/// A separate process that holds the lock.
fn holder(dir: &Path) -> Child {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "another_process", "--nocapture"])
        .env(DIRECTORY, dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(
        said.map(Result::unwrap).any(|line| line == "locked"),
        "it has the lock"
    );
    child
}

#[test]
fn another_process_is_named_and_when_it_is_killed_its_lock_is_gone() {
    let dir = TempDir::new().unwrap();
    let mut other = holder(dir.path());
    let error = KeyStore::open(dir.path(), None).err().unwrap();
    assert_in_use(&error, dir.path(), other.id());
    other.kill().unwrap();
    other.wait().unwrap();
    KeyStore::open(dir.path(), None).unwrap();
}
