//! Targets of the files of a validator: its key, the record of its votes, and what is exported of it.

use crate::{
    judge,
    sample::SAMPLE,
    target::{seed, Input, Seed, Target},
};
use duet_keystore::{file_name, KeyRing, KeyStore, Signer, VoteExport};
use duet_primitives::{
    testing::secret, DualKeyBytes, Pk1Bytes, RoundMessage, SecretKey, SignerIndex, UncheckedVote,
};
use sha2::{Digest, Sha256};
use std::{fs, os::unix::fs::PermissionsExt, path::Path, sync::LazyLock};
use tempfile::TempDir;

/// The targets of files.
pub(crate) const TARGETS: [Target; 3] = [
    Target {
        name: "key_file",
        run: key_file,
        seeds: key_file_seeds,
    },
    Target {
        // ROUND-4.
        name: "vote_record",
        run: vote_record,
        seeds: vote_record_seeds,
    },
    Target {
        // ROUND-4.
        name: "vote_export",
        run: vote_export,
        seeds: vote_export_seeds,
    },
];

/// In memory where the system has such a place: every input is written and flushed.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() {
        TempDir::new_in(memory)
    } else {
        TempDir::new()
    };
    folder.expect("a folder for temporary files")
}

fn write(path: &Path, text: &[u8]) {
    fs::write(path, text).expect("a file in a temporary folder");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("our own file");
}

/// A file as the format is documented: a secret in the clear.
fn plain(public: &DualKeyBytes, secret: &[u8; 32]) -> String {
    let checksum = checksum(public, &[&[0], secret]);
    let fields = format!("\"plain\": \"0x{}\"", hex::encode(secret));
    file(public, &fields, &checksum)
}

fn file(public: &DualKeyBytes, secret: &str, checksum: &[u8]) -> String {
    let (public, checksum) = (hex::encode(public.0), hex::encode(checksum));
    format!(
        "{{\n  \"version\": 1,\n  \"public\": \"0x{public}\",\n  \"secret\": {{\n    {secret}\n  }},\n  \"checksum\": \"0x{checksum}\"\n}}\n"
    )
}

fn checksum(public: &DualKeyBytes, parts: &[&[u8]]) -> Vec<u8> {
    let tagged = [&b"duet-key-file/v1/checksum"[..], &public.0].concat();
    Sha256::digest([tagged, parts.concat()].concat()).to_vec()
}

/// A sealed secret at the least cost.
fn sealed(public: &DualKeyBytes, bytes: &[u8; 88]) -> String {
    let (salt, rest) = bytes.split_at(16);
    let (nonce, rest) = rest.split_at(24);
    let (ciphertext, tag) = rest.split_at(32);
    let (memory, passes) = (8_u32, 1_u32);
    let checksum = checksum(
        public,
        &[&[1], &memory.to_le_bytes(), &passes.to_le_bytes(), bytes],
    );
    let fields = format!(
        "\"argon2id-xchacha20poly1305\": {{\n      \"memory_kib\": {memory},\n      \"passes\": {passes},\n      \"salt\": \"0x{}\",\n      \"nonce\": \"0x{}\",\n      \"ciphertext\": \"0x{}\",\n      \"tag\": \"0x{}\"\n    }}",
        hex::encode(salt),
        hex::encode(nonce),
        hex::encode(ciphertext),
        hex::encode(tag)
    );
    file(public, &fields, &checksum)
}

/// What opening a folder with one file under the name of a key finds.
fn opened(key: &Pk1Bytes, text: &[u8], password: Option<&str>) -> Option<Vec<DualKeyBytes>> {
    let folder = folder();
    write(&folder.path().join(file_name(key)), text);
    let password = password.map(|password| password.to_string().into());
    let ring = KeyRing::open(folder.path(), password).ok()?;
    Some(ring.keys().expect("files that were read can be read"))
}

fn key_file(data: &[u8]) {
    let mut input = Input(data);
    match input.byte() % 3 {
        0 => {
            let text = input.rest();
            let key = secret(0).public();
            // Without a password nothing is stretched, whatever cost the file asks for.
            if let Some(found) = opened(&key.pk1(), text, None) {
                assert_eq!(found, [key]);
                let expected = plain(&key, &secret(0).expose());
                assert_eq!(text, expected.as_bytes(), "one spelling per file");
            }
        }
        1 => {
            let scalar = input.array();
            let public = DualKeyBytes(input.array());
            let text = plain(&public, &scalar);
            let good = SecretKey::from_bytes(&scalar).is_ok_and(|secret| secret.public() == public);
            assert_eq!(good, judge::scalar(&scalar).is_some() && good);
            let found = opened(&public.pk1(), text.as_bytes(), None);
            assert_eq!(found, good.then(|| vec![public]));
        }
        _ => {
            let bytes = input.array();
            let public = secret(0).public();
            let text = sealed(&public, &bytes);
            let found = opened(&public.pk1(), text.as_bytes(), Some("password"));
            let good = text.as_bytes() == SEALED;
            assert!(found.is_none() || found == Some(vec![public]));
            assert!(found.is_some() || !good);
        }
    }
}

/// A file that was sealed at the least cost under "password", written once; salt and nonce are random otherwise.
const SEALED: &[u8] = include_bytes!("sealed-key-file.json");

fn key_file_seeds() -> Vec<Seed> {
    let key = secret(0).public();
    let text = plain(&key, &secret(0).expose());
    let fields = |scalar: &[u8; 32], key: DualKeyBytes| [&[1][..], scalar, &key.0].concat();
    let mut seeds = vec![
        seed("plain", [b"\0", text.as_bytes()].concat()),
        seed("sealed", [b"\0", SEALED].concat()),
        seed(
            "version two",
            [
                b"\0",
                text.replace("\"version\": 1", "\"version\": 2").as_bytes(),
            ]
            .concat(),
        ),
        seed(
            "other line ends",
            [b"\0", text.replace('\n', "\r\n").as_bytes()].concat(),
        ),
        seed(
            "a field more",
            [
                b"\0",
                text.replace("{\n  \"version\"", "{\n  \"more\": 1,\n  \"version\"")
                    .as_bytes(),
            ]
            .concat(),
        ),
        seed("too long", [b"\0", " ".repeat(4200).as_bytes()].concat()),
        seed("deep", [b"\0", "[".repeat(3000).as_bytes()].concat()),
        seed("fields", fields(&secret(0).expose(), key)),
        seed(
            "fields of another key",
            fields(&secret(0).expose(), secret(1).public()),
        ),
        seed(
            "fields of another half",
            fields(
                &secret(0).expose(),
                DualKeyBytes::new(key.pk1(), secret(1).public().pk2()),
            ),
        ),
        seed("sealed fields", [2; 89]),
    ];
    for (name, scalar) in crate::odd::SCALARS.iter() {
        seeds.push(seed(format!("secret {name}"), fields(scalar, key)));
    }
    let field = |name: &str| {
        let text = std::str::from_utf8(SEALED).expect("text");
        let after = text
            .split(&format!("\"{name}\": \"0x"))
            .nth(1)
            .expect("the field");
        hex::decode(after.split('"').next().expect("its end")).expect("hex")
    };
    let bytes = ["salt", "nonce", "ciphertext", "tag"].map(field).concat();
    seeds.push(seed("sealed fields that open", [&[2][..], &bytes].concat()));
    seeds
}

struct Validator {
    key: DualKeyBytes,
    /// Its position in the sample's set.
    signer: SignerIndex,
    file: String,
}

static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| {
    let key = secret(0).public();
    let signer = SAMPLE.set.set.keyset().position(&key.pk1());
    Validator {
        key,
        signer: signer.expect("a member"),
        file: plain(&key, &secret(0).expose()),
    }
});

/// The record is what the input says; then the validator is asked for its vote, and for another on the same block.
fn vote_record(text: &[u8]) {
    let Validator { key, signer, file } = &*VALIDATOR;
    let folder = folder();
    write(&folder.path().join(file_name(&key.pk1())), file.as_bytes());
    let store = KeyStore::open(folder.path(), None).expect("a good key file");
    let path = store
        .records()
        .path_of(&key.pk1(), SAMPLE.message.genesis_hash())
        .expect("a file");
    write(&path, text);
    let sign = |message: &RoundMessage| store.sign_vote(&key.pk1(), *signer, message);
    let block = SAMPLE.message.commitment().block_number.to_string();
    let hash = |message: &RoundMessage| format!("0x{}", hex::encode(message.hash()));
    // Hex has two spellings.
    let text_of = |value: &serde_json::Value| value.as_str().map(str::to_lowercase);

    let before: Option<serde_json::Value> = serde_json::from_slice(text).ok();
    let recorded = before
        .as_ref()
        .and_then(|record| record["votes"].get(&block))
        .cloned();
    match sign(&SAMPLE.message) {
        Ok(vote) => {
            assert_eq!(
                vote,
                UncheckedVote::sign(&secret(0), *signer, &SAMPLE.message)
            );
            if let Some(recorded) = recorded {
                let expected = Some(hash(&SAMPLE.message));
                assert_eq!(text_of(&recorded), expected, "no second vote on a block");
            }
            let after = fs::read(&path).expect("the record stays");
            let after: serde_json::Value = serde_json::from_slice(&after).expect("JSON");
            // Of a full record the lowest vote is dropped, and nothing at or below it is signed any more.
            let dropped = after["lowest"].as_u64() > block.parse().ok();
            let is_recorded = text_of(&after["votes"][&block]) == Some(hash(&SAMPLE.message));
            assert!(is_recorded || dropped, "recorded before it is given out");
            sign(&SAMPLE.other).expect_err("a second vote on a block");
        }
        Err(_) => assert_eq!(
            fs::read(&path).expect("the record stays"),
            text,
            "a refusal changes nothing"
        ),
    }
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(text).ok(),
        before
    );
}

fn vote_record_seeds() -> Vec<Seed> {
    let key = VALIDATOR.key.pk1();
    let genesis = hex::encode(SAMPLE.message.genesis_hash());
    let record = |lowest: u32, votes: &str| {
        format!("{{\"version\":1,\"key\":\"{key}\",\"genesis\":\"0x{genesis}\",\"lowest\":{lowest},\"votes\":{{{votes}}}}}")
    };
    let of = |message: &RoundMessage| format!("\"9\":\"0x{}\"", hex::encode(message.hash()));
    let some = format!("0x{}", "00".repeat(48));
    let many: Vec<_> = (10..74)
        .map(|block| format!("\"{block}\":\"{some}\""))
        .collect();
    vec![
        seed("nothing", []),
        seed("no votes", record(0, "")),
        seed("the same vote", record(0, &of(&SAMPLE.message))),
        seed("another vote", record(0, &of(&SAMPLE.other))),
        seed(
            "both",
            record(0, &format!("{},{}", of(&SAMPLE.other), of(&SAMPLE.message))),
        ),
        seed("later votes", record(0, &many.join(","))),
        seed("forgotten", record(10, &many.join(","))),
        seed(
            "at the limit",
            record(u32::MAX, &format!("\"4294967295\":\"{some}\"")),
        ),
        seed("a short hash", record(0, "\"9\":\"0x00\"")),
        seed(
            "version two",
            record(0, "").replace("\"version\":1", "\"version\":2"),
        ),
        seed(
            "of another key",
            record(0, "").replace(&key.to_string(), &secret(1).public().pk1().to_string()),
        ),
    ]
}

/// What is read is written and read again; and when it was imported, the validator signs nothing that it contradicts.
fn vote_export(text: &[u8]) {
    let Validator { key, signer, file } = &*VALIDATOR;
    let genesis = SAMPLE.message.genesis_hash();
    let Ok(export) = VoteExport::read(text, genesis) else {
        return;
    };
    let written = export.to_text().expect("no more keys than were read");
    let again = VoteExport::read(written.as_bytes(), genesis).expect("what was written");
    assert_eq!(again.to_text().expect("as many keys"), written);

    let folder = folder();
    write(&folder.path().join(file_name(&key.pk1())), file.as_bytes());
    let store = KeyStore::open(folder.path(), None).expect("a good key file");
    store.records().import(&export).expect("an empty folder");
    let said: serde_json::Value = serde_json::from_slice(text).expect("it was read");
    // Hex has two spellings.
    let is = |value: &serde_json::Value, text: &str| {
        value.as_str().map(str::to_lowercase).as_deref() == Some(text)
    };
    let keys = said["keys"].as_array().expect("a list").iter();
    let ours: Vec<_> = keys
        .filter(|entry| is(&entry["key"], &key.pk1().to_string()))
        .collect();
    for message in [&SAMPLE.message, &SAMPLE.other] {
        if store.sign_vote(&key.pk1(), *signer, message).is_err() {
            continue;
        }
        let block = message.commitment().block_number.get();
        let hash = format!("0x{}", hex::encode(message.hash()));
        for entry in &ours {
            let votes = entry["votes"].as_array().expect("a list").iter();
            let votes: Vec<_> = votes
                .filter(|vote| vote["block"].as_u64() == Some(block.into()))
                .collect();
            assert!(votes.iter().all(|vote| is(&vote["hash"], &hash)));
            let lowest = entry["lowest"].as_u64().expect("a number");
            assert!(lowest <= u64::from(block), "below the lowest block");
        }
    }
}

fn vote_export_seeds() -> Vec<Seed> {
    let (key, other) = (VALIDATOR.key.pk1(), secret(1).public().pk1());
    let genesis = hex::encode(SAMPLE.message.genesis_hash());
    let text = |keys: &str| {
        format!("{{\"metadata\":{{\"format\":\"duet-votes\",\"version\":1,\"genesis_hash\":\"0x{genesis}\"}},\"keys\":[{keys}]}}")
    };
    let entry = |key: Pk1Bytes, lowest: u64, votes: &[String]| {
        let votes = votes.join(",");
        format!("{{\"key\":\"{key}\",\"lowest\":{lowest},\"votes\":[{votes}]}}")
    };
    let vote = |message: &RoundMessage| {
        let (block, hash) = (
            message.commitment().block_number,
            hex::encode(message.hash()),
        );
        format!("{{\"block\":{block},\"hash\":\"0x{hash}\"}}")
    };
    let (one, two) = (vote(&SAMPLE.message), vote(&SAMPLE.other));
    let both = [one.clone(), two];
    let many: Vec<_> = (10..90)
        .map(|block| format!("{{\"block\":{block},\"hash\":\"0x{}\"}}", "00".repeat(48)))
        .collect();
    let good = text(&entry(key, 0, &both[..1]));
    vec![
        seed("nothing", []),
        seed("no keys", text("")),
        seed("the same vote", good.clone()),
        seed("another vote", text(&entry(key, 0, &both[1..]))),
        seed("signed twice", text(&entry(key, 0, &both))),
        seed(
            "signed twice in two entries",
            text(&[entry(key, 0, &both[..1]), entry(key, 0, &both[1..])].join(",")),
        ),
        seed(
            "more votes than are remembered",
            text(&entry(key, 0, &many)),
        ),
        seed("a floor above", text(&entry(key, 10, &[]))),
        seed("no block is allowed", text(&entry(key, 1 << 32, &[]))),
        seed("of another key", text(&entry(other, 10, &both[1..]))),
        seed(
            "version two",
            good.replace("\"version\":1", "\"version\":2"),
        ),
        seed("another chain", good.replace(&genesis, &"08".repeat(32))),
        seed("no key", good.replace(&key.to_string(), "0x00")),
        seed(
            "a short hash",
            good.replace(&one, "{\"block\":9,\"hash\":\"0x00\"}"),
        ),
        seed("deep", "[".repeat(3000)),
    ]
}
