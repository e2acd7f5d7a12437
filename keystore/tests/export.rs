//! Signed votes move from one signer to another, and never allow a refused vote. (ROUND-4)

use duet_keystore::{
    Corruption, ImportedVotes, KeyRing, KeyStore, KeyStoreError, Signer, SignerError, VoteExport,
    VoteExportError, VoteRecords,
};
use duet_primitives::{
    BlockNumber, Commitment, KeyError, KeysetCommitment, Pk1Bytes, RoundMessage, SecretKey, SetId,
    SignerIndex, H256,
};
use serde_json::{json, Value};
use std::fs;
use tempfile::TempDir;

const CHAIN: H256 = H256::repeat_byte(7);

fn secret(number: u8) -> SecretKey {
    SecretKey::from_seed(&[number; 32]).unwrap()
}

fn key(number: u8) -> Pk1Bytes {
    secret(number).public().pk1()
}

/// A commitment for a block; `variant` makes contradicting ones.
fn message(block: u32, variant: u8) -> RoundMessage {
    let next = KeysetCommitment {
        id: SetId::new(0),
        len: 1,
        root: H256::zero(),
        apk1: key(1),
    };
    let commitment = Commitment {
        block_number: BlockNumber::new(block),
        block_hash: H256::repeat_byte(variant),
        mmr_root: H256::zero(),
        validator_set_id: SetId::new(0),
        next,
    };
    RoundMessage::new(CHAIN, commitment)
}

fn hash(block: u32, variant: u8) -> String {
    format!("0x{}", hex::encode(message(block, variant).hash()))
}

fn vote(store: &KeyStore, number: u8, message: &RoundMessage) -> Result<(), SignerError> {
    store
        .sign_vote(&key(number), SignerIndex::new(0), message)
        .map(drop)
}

fn open(dir: &TempDir) -> KeyStore {
    KeyStore::open(dir.path(), None).unwrap()
}

/// A machine with some keys.
fn machine(keys: &[u8]) -> (TempDir, KeyStore) {
    let dir = TempDir::new().unwrap();
    let store = open(&dir);
    for number in keys {
        store.insert(secret(*number)).unwrap();
    }
    (dir, store)
}

fn read(text: &str) -> Result<VoteExport, VoteExportError> {
    VoteExport::read(text.as_bytes(), CHAIN)
}

/// A text in the documented form, assembled without the crate.
fn text(keys: &Value) -> String {
    let genesis = format!("0x{}", "07".repeat(32));
    json!({
        "metadata": { "format": "duet-votes", "version": 1, "genesis_hash": genesis },
        "keys": keys,
    })
    .to_string()
}

fn entry(number: u8, lowest: u64, votes: &[(u32, u8)]) -> Value {
    let votes: Vec<_> = votes
        .iter()
        .map(|(block, variant)| json!({ "block": block, "hash": hash(*block, *variant) }))
        .collect();
    json!({ "key": key(number).to_string(), "lowest": lowest, "votes": votes })
}

fn imported(number: u8, lowest: u32, votes: usize) -> ImportedVotes {
    ImportedVotes {
        key: key(number),
        lowest: Some(BlockNumber::new(lowest)),
        votes,
        signed_twice: Vec::new(),
    }
}

fn assert_voted(result: Result<(), SignerError>, expected: u32) {
    let error = result.unwrap_err();
    assert!(
        matches!(error, SignerError::AlreadyVoted { block, .. } if block.get() == expected),
        "{error}"
    );
}

fn assert_too_old(result: Result<(), SignerError>, expected: u32) {
    let error = result.unwrap_err();
    assert!(
        matches!(error, SignerError::TooOld { block, .. } if block.get() == expected),
        "{error}"
    );
}

#[test]
fn a_validator_moves_and_signs_nothing_that_contradicts_what_it_signed() {
    let (_old, store) = machine(&[1, 2]);
    for block in 1..=70 {
        vote(&store, 1, &message(block, 1)).unwrap();
    }
    vote(&store, 2, &message(8, 2)).unwrap();
    let text = store.records().export(CHAIN).unwrap().to_text().unwrap();
    drop(store);

    // The records go before the keys.
    let new = TempDir::new().unwrap();
    let records = VoteRecords::open(new.path()).unwrap();
    let mut expected = vec![imported(1, 7, 64), imported(2, 0, 1)];
    expected.sort_by_key(|one| one.key);
    assert_eq!(records.import(&read(&text).unwrap()).unwrap(), expected);
    assert_eq!(records.export(CHAIN).unwrap().to_text().unwrap(), text);
    drop(records);
    KeyRing::open(new.path(), None)
        .unwrap()
        .insert(secret(1))
        .unwrap();
    KeyRing::open(new.path(), None)
        .unwrap()
        .insert(secret(2))
        .unwrap();

    let store = open(&new);
    assert_too_old(vote(&store, 1, &message(6, 1)), 6);
    assert_voted(vote(&store, 1, &message(7, 2)), 7);
    vote(&store, 1, &message(70, 1)).unwrap();
    vote(&store, 1, &message(71, 1)).unwrap();
    assert_voted(vote(&store, 2, &message(8, 1)), 8);
    vote(&store, 2, &message(8, 2)).unwrap();
}

#[test]
fn the_text_is_as_documented() {
    let (_dir, store) = machine(&[1]);
    vote(&store, 1, &message(8, 1)).unwrap();
    let export = store.records().export(CHAIN).unwrap();
    assert_eq!((export.genesis(), export.keys().count()), (CHAIN, 1));
    let written = export.to_text().unwrap();
    let expected = format!(
        "{{\n  \"metadata\": {{\n    \"format\": \"duet-votes\",\n    \"version\": 1,\n    \
         \"genesis_hash\": \"0x{}\"\n  }},\n  \"keys\": [\n    {{\n      \"key\": \"{}\",\n      \
         \"lowest\": 0,\n      \"votes\": [\n        {{\n          \"block\": 8,\n          \
         \"hash\": \"{}\"\n        }}\n      ]\n    }}\n  ]\n}}\n",
        "07".repeat(32),
        key(1),
        hash(8, 1),
    );
    assert_eq!(written, expected);
    assert_eq!(
        read(&text(&json!([entry(1, 0, &[(8, 1)])]))).unwrap(),
        export
    );
}

#[test]
fn an_import_is_seen_by_the_next_vote_of_a_signer_at_work() {
    let (_dir, store) = machine(&[1]);
    vote(&store, 1, &message(8, 1)).unwrap();
    let export = read(&text(&json!([entry(1, 5, &[(9, 2)])]))).unwrap();
    let done = store.records().import(&export).unwrap();
    assert_eq!(done, [imported(1, 5, 2)]);
    assert_too_old(vote(&store, 1, &message(4, 1)), 4);
    assert_voted(vote(&store, 1, &message(8, 2)), 8);
    assert_voted(vote(&store, 1, &message(9, 1)), 9);
    vote(&store, 1, &message(9, 2)).unwrap();
}

#[test]
fn importing_twice_changes_nothing_and_an_older_account_loosens_nothing() {
    let (dir, store) = machine(&[1]);
    vote(&store, 1, &message(8, 1)).unwrap();
    let old = store.records().export(CHAIN).unwrap();
    vote(&store, 1, &message(9, 1)).unwrap();
    let path = store.records().path_of(&key(1), CHAIN).unwrap();
    let before = fs::read(&path).unwrap();
    for _ in 0..2 {
        let done = store.records().import(&old).unwrap();
        assert_eq!(done, [imported(1, 0, 2)]);
        assert_eq!(fs::read(&path).unwrap(), before);
    }
    drop(store);
    assert_voted(vote(&open(&dir), 1, &message(9, 2)), 9);
}

#[test]
fn a_key_that_signed_twice_is_reported_and_signs_nothing_at_or_below_that_block() {
    let (dir, store) = machine(&[1]);
    vote(&store, 1, &message(8, 1)).unwrap();
    vote(&store, 1, &message(9, 1)).unwrap();
    vote(&store, 1, &message(10, 1)).unwrap();
    let export = read(&text(&json!([entry(1, 0, &[(9, 2)])]))).unwrap();
    let [done] = &store.records().import(&export).unwrap()[..] else {
        panic!("one key")
    };
    assert_eq!(done.signed_twice, [BlockNumber::new(9)]);
    assert_eq!(done.lowest, Some(BlockNumber::new(10)));
    drop(store);
    let store = open(&dir);
    for (block, variant) in [(8, 1), (9, 1), (9, 2)] {
        assert_too_old(vote(&store, 1, &message(block, variant)), block);
    }
    vote(&store, 1, &message(10, 1)).unwrap();
    vote(&store, 1, &message(11, 1)).unwrap();
}

#[test]
fn entries_of_one_key_and_votes_on_one_block_are_merged_as_records_are() {
    let twice = json!([
        entry(1, 0, &[(8, 1), (8, 2)]),
        entry(1, 3, &[(7, 1), (7, 2), (12, 1)])
    ]);
    let dir = TempDir::new().unwrap();
    let records = VoteRecords::open(dir.path()).unwrap();
    let done = records.import(&read(&text(&twice)).unwrap()).unwrap();
    let expected = ImportedVotes {
        signed_twice: [7, 8].map(BlockNumber::new).to_vec(),
        ..imported(1, 9, 1)
    };
    assert_eq!(done, [expected]);
}

#[test]
fn a_floor_beyond_all_blocks_allows_nothing_and_moves_on() {
    let (dir, store) = machine(&[1]);
    let export = read(&text(&json!([entry(1, 1 << 32, &[])]))).unwrap();
    let [done] = &store.records().import(&export).unwrap()[..] else {
        panic!("one key")
    };
    assert_eq!((done.lowest, done.votes), (None, 0));
    drop(store);
    let store = open(&dir);
    assert_too_old(vote(&store, 1, &message(u32::MAX, 1)), u32::MAX);
    assert_eq!(store.records().export(CHAIN).unwrap(), export);
}

#[test]
fn a_damaged_record_here_is_named_and_nothing_is_imported() {
    let (dir, store) = machine(&[1]);
    drop(store);
    let records = VoteRecords::open(dir.path()).unwrap();
    let mut keys = [key(1), key(2)];
    keys.sort();
    let [first, second] = keys.map(|key| records.path_of(&key, CHAIN).unwrap());
    fs::write(&second, "{").unwrap();
    let export = read(&text(&json!([entry(1, 9, &[]), entry(2, 9, &[])]))).unwrap();
    for error in [
        records.import(&export).unwrap_err(),
        records.export(CHAIN).unwrap_err(),
    ] {
        assert!(
            matches!(&error, KeyStoreError::CorruptVotes { path, .. } if *path == second),
            "{error}"
        );
    }
    assert!(!first.exists());
}

#[test]
fn a_record_under_the_name_of_another_key_is_not_exported() {
    let (dir, store) = machine(&[1]);
    vote(&store, 1, &message(8, 1)).unwrap();
    drop(store);
    let records = VoteRecords::open(dir.path()).unwrap();
    let [from, to] = [1, 2].map(|number| records.path_of(&key(number), CHAIN).unwrap());
    fs::rename(from, &to).unwrap();
    let error = records.export(CHAIN).unwrap_err();
    let KeyStoreError::CorruptVotes { path, reason } = &error else {
        panic!("{error}")
    };
    assert_eq!(*path, to);
    assert!(matches!(**reason, Corruption::OtherRecord), "{reason}");
}

#[test]
fn keys_are_chosen_and_one_without_a_record_is_named() {
    let (_dir, store) = machine(&[1, 2]);
    vote(&store, 1, &message(8, 1)).unwrap();
    vote(&store, 2, &message(8, 1)).unwrap();
    let all = store.records().export(CHAIN).unwrap();
    let one = all.clone().of(&[key(2)]).unwrap();
    assert_eq!(one, read(&text(&json!([entry(2, 0, &[(8, 1)])]))).unwrap());
    let error = all.of(&[key(1), key(3)]).unwrap_err();
    assert!(
        matches!(error, VoteExportError::NoVotes(missing) if missing == key(3)),
        "{error}"
    );
    let elsewhere = store.records().export(H256::zero()).unwrap();
    assert_eq!(elsewhere.keys().count(), 0);
}

/// The error for a valid text with one change.
fn refused(change: impl FnOnce(&mut Value)) -> VoteExportError {
    let mut changed: Value = serde_json::from_str(&text(&json!([entry(1, 0, &[(8, 1)])]))).unwrap();
    change(&mut changed);
    read(&changed.to_string()).unwrap_err()
}

#[test]
fn a_text_about_something_else_is_refused() {
    let error = refused(|text| text["metadata"]["format"] = json!("duet-vote"));
    assert!(
        matches!(&error, VoteExportError::Format(got) if got == "duet-vote"),
        "{error}"
    );
    // A later version may have other fields.
    let error = refused(|text| *text = json!({"metadata": {"format": "duet-votes", "version": 2}}));
    assert!(
        matches!(
            error,
            VoteExportError::Version {
                expected: 1,
                got: 2
            }
        ),
        "{error}"
    );
    let other = format!("0x{}", "08".repeat(32));
    let error = refused(|text| text["metadata"]["genesis_hash"] = json!(other));
    assert!(
        matches!(
            &error,
            VoteExportError::OtherGenesis { expected, got } if *expected == CHAIN && *got == other
        ),
        "{error}"
    );
    let error = refused(|text| text["keys"][0]["more"] = json!(1));
    assert!(matches!(error, VoteExportError::Json(_)), "{error}");
    let error = refused(|text| text["keys"][0]["votes"][0]["block"] = json!(1_u64 << 32));
    assert!(matches!(error, VoteExportError::Json(_)), "{error}");
}

#[test]
fn what_is_no_key_and_no_hash_is_refused_and_named() {
    for not_hex in ["", "0x00", &key(1).to_string()[2..]] {
        let error = refused(|text| text["keys"][0]["key"] = json!(not_hex));
        assert!(
            matches!(&error, VoteExportError::KeyHex(got) if got == not_hex),
            "{error}"
        );
    }
    let zero = Pk1Bytes([0; 48]);
    let error = refused(|text| text["keys"][0]["key"] = json!(zero.to_string()));
    assert!(
        matches!(
            error,
            VoteExportError::Key { key, reason: KeyError::Pk1(_) } if key == zero
        ),
        "{error}"
    );
    let error = refused(|text| text["keys"][0]["votes"][0]["hash"] = json!("0x00"));
    assert!(
        matches!(
            &error,
            VoteExportError::Hash { key: named, block, got }
                if *named == key(1) && block.get() == 8 && got == "0x00"
        ),
        "{error}"
    );
}

#[test]
fn what_is_read_is_bounded() {
    let spaces = " ".repeat(16 * 1024 * 1024 + 1);
    let error = read(&spaces).unwrap_err();
    assert!(
        matches!(error, VoteExportError::TooLong { limit } if limit == 16 * 1024 * 1024),
        "{error}"
    );
    let at_the_limit = read(&spaces[1..]).unwrap_err();
    assert!(matches!(at_the_limit, VoteExportError::Json(_)));

    let error = refused(|text| {
        let one = text["keys"][0].clone();
        text["keys"] = vec![one; 1025].into();
    });
    assert!(
        matches!(
            error,
            VoteExportError::TooMany {
                what: "keys",
                limit: 1024,
                got: 1025
            }
        ),
        "{error}"
    );
    read(&text(&vec![entry(1, 0, &[]); 1024].into())).unwrap();
    let error = refused(|text| {
        let one = text["keys"][0]["votes"][0].clone();
        text["keys"][0]["votes"] = vec![one; 4097].into();
    });
    assert!(
        matches!(
            error,
            VoteExportError::TooMany {
                what: "votes of a key",
                limit: 4096,
                got: 4097
            }
        ),
        "{error}"
    );
}

#[test]
fn a_removed_key_signs_no_more_and_its_record_stays() {
    let (dir, store) = machine(&[1, 2]);
    vote(&store, 1, &message(8, 1)).unwrap();
    store.remove(&key(1)).unwrap();
    assert!(!store.ring().path_of(&key(1)).unwrap().exists());
    // At once, before anybody looks at the directory again.
    let error = vote(&store, 1, &message(9, 1)).unwrap_err();
    assert!(matches!(error, SignerError::NoKey(gone) if gone == key(1)));
    assert_eq!(store.keys().unwrap(), [secret(2).public()]);
    let error = store.remove(&key(1)).unwrap_err();
    assert!(matches!(error, KeyStoreError::NoFile(gone) if gone == key(1)));

    // It comes back from a phrase.
    store.insert(secret(1)).unwrap();
    assert_voted(vote(&store, 1, &message(8, 2)), 8);
    store.remove(&key(1)).unwrap();
    drop(store);
    let store = open(&dir);
    assert_eq!(store.keys().unwrap(), [secret(2).public()]);
    assert_eq!(
        store.records().export(CHAIN).unwrap(),
        read(&text(&json!([entry(1, 0, &[(8, 1)])]))).unwrap()
    );
}

#[test]
fn a_key_that_is_not_in_a_file_is_not_removed() {
    let (_dir, store) = machine(&[1]);
    store.insert_ephemeral(secret(2));
    // The same file name, because it shares the first twenty bytes, and yet another key.
    let mut near = key(1).0;
    near[47] ^= 1;
    for stranger in [key(2), key(3), Pk1Bytes(near)] {
        let error = store.remove(&stranger).unwrap_err();
        assert!(matches!(error, KeyStoreError::NoFile(gone) if gone == stranger));
    }
    let mut both = vec![secret(1).public(), secret(2).public()];
    both.sort();
    assert_eq!(store.keys().unwrap(), both);

    let path = store.ring().path_of(&key(1)).unwrap();
    fs::remove_file(&path).unwrap();
    let error = store.remove(&key(1)).unwrap_err();
    assert!(matches!(error, KeyStoreError::NoFile(gone) if gone == key(1)));
    fs::create_dir(&path).unwrap();
    let error = store.remove(&key(1)).unwrap_err();
    assert!(matches!(error, KeyStoreError::Io { path: named, .. } if named == path));
}
