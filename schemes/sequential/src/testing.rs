//! Keys for tests and benches, and what every decoder promises. (Feature `testing`.)

use crate::{
    queue::{log, Change, Limits, Queue},
    Attestation, ChainSignature, PublicKey, Record, SecretKey, Statement, Suite,
};
use std::sync::OnceLock;

/// How many keys there are of each size.
pub const KEYS: usize = 8;

/// A key that everybody knows, for tests. Indices wrap around after [`KEYS`].
///
/// # Panics
/// When the fixtures are damaged.
pub fn secret_key(suite: Suite, index: usize) -> &'static SecretKey {
    type Keys = [OnceLock<SecretKey>; KEYS];
    static RSA_2048: Keys = [const { OnceLock::new() }; KEYS];
    static RSA_3072: Keys = [const { OnceLock::new() }; KEYS];
    let (keys, lines) = match suite {
        Suite::Rsa2048 => (&RSA_2048, include_str!("../tests/fixtures/keys-2048.hex")),
        Suite::Rsa3072 => (&RSA_3072, include_str!("../tests/fixtures/keys-3072.hex")),
    };
    keys[index % KEYS].get_or_init(|| {
        let line = lines
            .lines()
            .nth(index % KEYS)
            .expect("a line for each key");
        SecretKey::from_bytes(&hex::decode(line).expect("hex")).expect("a key")
    })
}

/// A chain of the first `hops` keys over these messages, and the statements that it proves.
///
/// # Panics
/// When there is no message, or more than 255.
pub fn chain<'a>(suite: Suite, messages: &[&'a [u8]]) -> (ChainSignature, Vec<Statement<'a>>) {
    let (first, rest) = messages.split_first().expect("a message");
    let begun = ChainSignature::first(secret_key(suite, 0), first).expect("a signature");
    let signature = (1..).zip(rest).fold(begun, |chain, (index, message)| {
        let key = secret_key(suite, index);
        chain.append(key, message).expect("a longer signature")
    });
    let statements = (0..).zip(messages).map(|(index, message)| Statement {
        key: secret_key(suite, index).public(),
        message,
    });
    (signature, statements.collect())
}

/// Shows bytes to every decoder: nothing panics, and what is read has exactly one spelling.
///
/// Fuzz targets call this, and so does a test with seeded inputs.
///
/// # Panics
/// When a decoder breaks its promise.
pub fn decode_everything(bytes: &[u8]) {
    if let Ok(signature) = ChainSignature::from_bytes(bytes) {
        assert_eq!(signature.to_bytes(), bytes);
        verify_with_some_keys(&signature);
    }
    let (hops, core) = bytes.split_first().unwrap_or((&0, &[]));
    for suite in Suite::ALL {
        if let Ok(signature) = ChainSignature::from_core(suite, usize::from(*hops), core) {
            assert_eq!(signature.to_core(), core);
        }
    }
    if let Ok(record) = Record::from_bytes(bytes) {
        assert_eq!(record.to_bytes(), bytes);
    }
    if let Ok(attestation) = Attestation::from_bytes(bytes) {
        assert_eq!(attestation.to_bytes(), bytes);
    }
    if let Ok(key) = PublicKey::from_bytes(bytes) {
        assert_eq!(key.as_bytes(), bytes);
    }
    if let Ok(key) = SecretKey::from_bytes(bytes) {
        assert_eq!(key.to_bytes().expect("memory").as_slice(), bytes);
    }
    // The whole part of a log says the same without what was cut off behind it.
    if let Ok(contents) = log::read(bytes) {
        let whole = bytes.get(..contents.whole).expect("a part of the log");
        assert_eq!(log::read(whole).as_ref(), Ok(&contents));
    }
    // A frame's checks let hardly any bytes through, so its body is shown as it is.
    let changes = log::decode_changes(bytes, 0);
    if let Ok(changes) = &changes {
        assert_eq!(log::encode_changes(changes), bytes);
        replay(changes);
    }
    // With checks that are right the log says what the body does.
    let (frame, _) = log::framed(log::Chain::start(), bytes).expect("a short frame");
    let read = log::read(&[&log::header(), frame.as_slice()].concat());
    assert_eq!(read.map(|contents| contents.changes).ok(), changes.ok());
}

/// Whatever the changes are, a queue takes each or stays as it was, and its snapshot makes the same one.
fn replay(changes: &[Change]) {
    let mut queue = Queue::new(Limits {
        records: usize::MAX,
        bytes: usize::MAX,
    });
    for change in changes {
        let before = queue.len();
        if queue.apply(change.clone()).is_err() {
            assert_eq!(queue.len(), before);
        }
    }
    let mut copy = Queue::new(queue.limits());
    for change in queue.snapshot() {
        copy.apply(change).expect("a snapshot follows from nothing");
    }
    assert_eq!(copy.bytes(), queue.bytes());
    let states = |queue: &Queue| {
        let entries = queue.iter();
        entries
            .map(|(id, entry)| (*id, *entry.terms(), entry.state()))
            .collect::<Vec<_>>()
    };
    assert_eq!(states(&copy), states(&queue));
}

/// Keys and messages that are not the signers': the verdict is an error, and it comes.
fn verify_with_some_keys(signature: &ChainSignature) {
    let statements: Vec<_> = (0..signature.hops().len())
        .map(|_| Statement {
            key: secret_key(signature.suite(), 0).public(),
            message: b"never signed",
        })
        .collect();
    assert!(signature.verify(&statements).is_err());
}
