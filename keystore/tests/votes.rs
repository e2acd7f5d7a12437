//! A key's votes outlive the process, and keep the key from contradicting them. (ROUND-4)

use duet_keystore::{Corruption, KeyStore, KeyStoreError, Signer, SignerError};
use duet_primitives::{
    BlockNumber, Commitment, KeysetCommitment, Pk1Bytes, RoundMessage, SecretKey, SetId,
    SignerIndex, H256,
};
use std::{fs, path::PathBuf};
use tempfile::TempDir;

const CHAIN: H256 = H256::repeat_byte(7);

/// A commitment for a block; `variant` makes contradicting ones.
fn message_on(chain: H256, number: u32, variant: u8) -> RoundMessage {
    let next = KeysetCommitment {
        id: SetId::new(0),
        len: 1,
        root: H256::zero(),
        apk1: key().public().pk1(),
    };
    let commitment = Commitment {
        block_number: BlockNumber::new(number),
        block_hash: H256::repeat_byte(variant),
        mmr_root: H256::zero(),
        validator_set_id: SetId::new(0),
        next,
    };
    RoundMessage::new(chain, commitment)
}

fn message(number: u32, variant: u8) -> RoundMessage {
    message_on(CHAIN, number, variant)
}

fn secret(seed: u8) -> SecretKey {
    SecretKey::from_seed(&[seed; 32]).unwrap()
}

fn key() -> SecretKey {
    secret(1)
}

fn pk1() -> Pk1Bytes {
    key().public().pk1()
}

fn open(dir: &TempDir) -> KeyStore {
    KeyStore::open(dir.path(), None).unwrap()
}

/// A directory with the key in it, and its key store.
fn one_key() -> (TempDir, KeyStore) {
    let dir = TempDir::new().unwrap();
    let store = open(&dir);
    store.insert(key()).unwrap();
    (dir, store)
}

fn vote(store: &KeyStore, message: &RoundMessage) -> Result<(), SignerError> {
    store
        .sign_vote(&pk1(), SignerIndex::new(0), message)
        .map(drop)
}

/// Asserts that this is not signed, because the key signed another vote for the block.
#[track_caller]
fn assert_voted(store: &KeyStore, message: &RoundMessage) {
    let error = vote(store, message).unwrap_err();
    let expected = message.commitment().block_number;
    assert!(
        matches!(error, SignerError::AlreadyVoted { key, block } if key == pk1() && block == expected),
        "{error}"
    );
}

fn record(store: &KeyStore) -> PathBuf {
    store.records().path_of(&pk1(), CHAIN).unwrap()
}

#[test]
fn a_key_signs_one_commitment_for_a_block_before_and_after_a_restart() {
    let (dir, store) = one_key();
    vote(&store, &message(8, 1)).unwrap();
    assert_voted(&store, &message(8, 2));
    vote(&store, &message(9, 2)).unwrap();

    let again = |store: &KeyStore| {
        store
            .sign_vote(&pk1(), SignerIndex::new(0), &message(8, 1))
            .unwrap()
    };
    let before = again(&store);
    drop(store);
    let restarted = open(&dir);
    assert_voted(&restarted, &message(8, 2));
    assert_voted(&restarted, &message(9, 1));
    assert_eq!(again(&restarted), before);
    assert_eq!(restarted.keys().unwrap(), [key().public()]);
}

#[test]
fn the_record_is_on_disk_when_the_vote_is_given_out() {
    let (_dir, store) = one_key();
    assert!(!record(&store).exists());
    for block in [3, 4] {
        vote(&store, &message(block, 1)).unwrap();
        let text = fs::read_to_string(record(&store)).unwrap();
        assert!(text.contains(&format!("\"{block}\":\"0x")), "{text}");
    }
}

#[test]
fn a_vote_that_cannot_be_recorded_is_not_given_out() {
    let (dir, store) = one_key();
    fs::remove_dir_all(dir.path()).unwrap();
    assert!(matches!(
        vote(&store, &message(3, 1)).unwrap_err(),
        SignerError::KeyStore(KeyStoreError::Io { .. })
    ));
    // No vote was given out, so the other commitment may still be signed.
    fs::create_dir(dir.path()).unwrap();
    vote(&store, &message(3, 2)).unwrap();
}

#[test]
fn another_chain_is_another_record() {
    let (dir, store) = one_key();
    vote(&store, &message(8, 1)).unwrap();
    vote(&store, &message_on(H256::zero(), 8, 2)).unwrap();
    drop(store);
    let restarted = open(&dir);
    assert_voted(&restarted, &message(8, 2));
    assert_voted(&restarted, &message_on(H256::zero(), 8, 1));
}

#[test]
fn below_what_is_remembered_nothing_is_signed() {
    let (dir, store) = one_key();
    for block in 1..=70 {
        vote(&store, &message(block, 1)).unwrap();
    }
    let refuses = |store: &KeyStore| {
        assert!(matches!(
            vote(store, &message(6, 1)).unwrap_err(),
            SignerError::TooOld { key, block } if key == pk1() && block == BlockNumber::new(6)
        ));
        vote(store, &message(7, 1)).unwrap();
        assert_voted(store, &message(7, 2));
    };
    refuses(&store);
    drop(store);
    refuses(&open(&dir));
}

#[test]
fn a_damaged_record_is_named_and_the_key_does_not_sign() {
    let (dir, store) = one_key();
    vote(&store, &message(8, 1)).unwrap();
    let path = record(&store);
    drop(store);
    let whole = fs::read_to_string(&path).unwrap();
    let refused = |text: &str| {
        fs::write(&path, text).unwrap();
        match vote(&open(&dir), &message(9, 1)).unwrap_err() {
            SignerError::KeyStore(KeyStoreError::CorruptVotes {
                path: named,
                reason,
            }) => {
                assert_eq!(named, path);
                *reason
            }
            other => panic!("{other}"),
        }
    };
    assert!(matches!(refused(""), Corruption::Json { .. }));
    assert!(matches!(
        refused(&whole[..whole.len() / 2]),
        Corruption::Json { .. }
    ));
    let later = whole.replace("\"version\":2", "\"version\":3");
    assert!(matches!(
        refused(&later),
        Corruption::Version {
            expected: 2,
            got: 3
        }
    ));
    for (place, byte) in whole.char_indices() {
        let other = if byte == '1' { "2" } else { "1" };
        let mut damaged = whole.clone();
        damaged.replace_range(place..=place, other);
        refused(&damaged);
    }
    let flipped = whole.replacen("\"8\":\"0x8", "\"8\":\"0x9", 1);
    let moved = whole.replacen("\"8\":\"0x", "\"7\":\"0x", 1);
    let raised = whole.replacen("\"lowest\":0", "\"lowest\":1", 1);
    let unsummed = whole.replacen("\"version\":2", "\"version\":1", 1);
    for changed in [flipped, moved, raised, unsummed] {
        assert_ne!(changed, whole);
        assert!(matches!(refused(&changed), Corruption::Checksum));
    }
    for of_other in [
        record_of(&secret(2), CHAIN),
        record_of(&key(), H256::zero()),
    ] {
        assert!(matches!(refused(&of_other), Corruption::OtherRecord));
    }
    fs::write(&path, [0xff]).unwrap();
    assert!(matches!(
        vote(&open(&dir), &message(8, 2)).unwrap_err(),
        SignerError::KeyStore(KeyStoreError::CorruptVotes { path: named, .. }) if named == path
    ));
    fs::write(&path, whole).unwrap();
    vote(&open(&dir), &message(9, 1)).unwrap();
}

/// The record of a key that signed once.
fn record_of(key: &SecretKey, chain: H256) -> String {
    let dir = TempDir::new().unwrap();
    let (store, pk1) = (open(&dir), key.public().pk1());
    store.insert(key.clone()).unwrap();
    let message = message_on(chain, 8, 1);
    store
        .sign_vote(&pk1, SignerIndex::new(0), &message)
        .unwrap();
    fs::read_to_string(store.records().path_of(&pk1, chain).unwrap()).unwrap()
}

/// Version 1 had no checksum.
#[test]
fn a_record_of_the_first_version_counts_and_is_written_anew() {
    let (dir, store) = one_key();
    let path = record(&store);
    vote(&store, &message(8, 1)).unwrap();
    drop(store);
    let text = fs::read_to_string(&path).unwrap();
    let (fields, _) = text.split_once(",\"checksum\"").unwrap();
    let first = format!("{fields}}}").replace("\"version\":2", "\"version\":1");
    fs::write(&path, &first).unwrap();
    let store = open(&dir);
    assert_voted(&store, &message(8, 2));
    assert_eq!(fs::read_to_string(&path).unwrap(), first);
    vote(&store, &message(9, 1)).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("{\"version\":2,"), "{text}");
    assert!(text.contains("\"checksum\":\"0x"), "{text}");
    drop(store);
    assert_voted(&open(&dir), &message(8, 2));
}

#[cfg(unix)]
#[test]
fn a_record_that_others_may_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, store) = one_key();
    let path = record(&store);
    vote(&store, &message(8, 1)).unwrap();
    drop(store);
    let with_mode = |mode| {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        vote(&open(&dir), &message(8, 1))
    };
    for mode in [0o666, 0o620, 0o602] {
        match with_mode(mode).unwrap_err() {
            SignerError::KeyStore(KeyStoreError::WritableVotes {
                path: named,
                mode: got,
            }) => {
                assert_eq!((named, got), (path.clone(), mode));
            }
            other => panic!("{other}"),
        }
    }
    for mode in [0o600, 0o644] {
        with_mode(mode).unwrap();
    }
}

/// As when a node with a key in its keystore is started with `--alice`.
#[test]
fn a_key_in_memory_that_has_a_file_or_a_record_is_recorded() {
    let (dir, store) = one_key();
    store.insert_ephemeral(key());
    vote(&store, &message(8, 1)).unwrap();
    drop(store);

    let store = open(&dir);
    store.remove(&pk1()).unwrap();
    store.insert_ephemeral(key());
    assert_voted(&store, &message(8, 2));
    vote(&store, &message(9, 1)).unwrap();
    drop(store);

    let store = open(&dir);
    store.insert(key()).unwrap();
    assert_voted(&store, &message(9, 2));
}

/// A file that comes while the node runs does not replace what the key has signed before.
#[test]
fn votes_of_a_key_in_memory_are_in_the_record_of_its_later_file() {
    let dir = TempDir::new().unwrap();
    let store = open(&dir);
    store.insert_ephemeral(key());
    vote(&store, &message(8, 1)).unwrap();
    store.insert(key()).unwrap();
    vote(&store, &message(9, 1)).unwrap();
    drop(store);
    assert_voted(&open(&dir), &message(8, 2));
}

#[test]
fn a_key_in_memory_is_remembered_as_long_as_it_lives_and_leaves_no_file() {
    let dir = TempDir::new().unwrap();
    let store = open(&dir);
    store.insert_ephemeral(key());
    vote(&store, &message(8, 1)).unwrap();
    assert_voted(&store, &message(8, 2));
    let names: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, [".duet-lock"]);

    let memory = KeyStore::in_memory();
    memory.insert(key()).unwrap();
    vote(&memory, &message(8, 1)).unwrap();
    assert_voted(&memory, &message(8, 2));
    assert_eq!(memory.records().path_of(&pk1(), CHAIN), None);
    for (chain, keys) in [(CHAIN, 1), (H256::zero(), 0)] {
        let export = memory.records().export(chain).unwrap();
        assert_eq!(export.keys().count(), keys);
    }
}
