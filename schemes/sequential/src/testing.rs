//! Keys for tests and benches, and the properties of every decoder. (Feature `testing`.)

use crate::{
    queue::{log, Change, Limits, Queue},
    Attestation, ChainSignature, PublicKey, Record, SecretKey, Statement, Suite,
};
use std::sync::OnceLock;

/// The number of keys of each size.
pub const KEYS: usize = 8;

/// A publicly known key for tests. Indices wrap around after [`KEYS`].
///
/// # Panics
/// If the fixtures are corrupt.
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

/// A chain of the first `hops` keys over these messages, and its statements.
///
/// # Panics
/// If there are no messages, or more than 255.
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

/// Passes bytes to every decoder, and returns whether one accepted them. Decoders must not panic, and accepted bytes must
/// be the unique encoding.
///
/// # Panics
/// If a decoder violates these properties.
pub fn decode_everything(bytes: &[u8]) -> bool {
    let (hops, core) = bytes.split_first().unwrap_or((&0, &[]));
    let core_of = |suite| ChainSignature::from_core(suite, usize::from(*hops), core);
    // The part of the bytes that each decoder reads, and the encoding of what it has read.
    let encodings = [
        ChainSignature::from_bytes(bytes).ok().map(|signature| {
            verify_with_some_keys(&signature);
            (bytes, signature.to_bytes())
        }),
        core_of(Suite::Rsa2048).ok().map(|it| (core, it.to_core())),
        core_of(Suite::Rsa3072).ok().map(|it| (core, it.to_core())),
        Record::from_bytes(bytes)
            .ok()
            .map(|it| (bytes, it.to_bytes())),
        Attestation::from_bytes(bytes)
            .ok()
            .map(|it| (bytes, it.to_bytes())),
        PublicKey::from_bytes(bytes)
            .ok()
            .map(|it| (bytes, it.as_bytes().to_vec())),
        SecretKey::from_bytes(bytes)
            .ok()
            .map(|it| (bytes, it.to_bytes().expect("memory").to_vec())),
    ];
    let mut is_accepted = false;
    for (read, encoding) in encodings.into_iter().flatten() {
        assert_eq!(encoding, read);
        is_accepted = true;
    }
    // The complete part of a log decodes to the same changes.
    let start = log::Chain::start();
    if let Ok(contents) = log::read(bytes, start.mark()) {
        let whole = bytes.get(..contents.whole).expect("a prefix of the log");
        assert_eq!(log::read(whole, start.mark()).as_ref(), Ok(&contents));
        is_accepted = true;
    }
    // Random bytes rarely have valid checks, so the body of a frame is also decoded directly.
    let changes = log::decode_changes(bytes, 0);
    if let Ok(changes) = &changes {
        assert_eq!(log::encode_changes(changes), bytes);
        replay(changes);
    }
    // With computed checks, the log decodes to the changes of the body, or has the mark that it says.
    let (frame, _) = log::framed(start, bytes).expect("a short frame");
    let read = log::read(&[&log::header(), frame.as_slice()].concat(), start.mark());
    let expected = match log::decode_body(bytes, 0) {
        Ok(log::Body::Mark(mark)) => {
            assert!(read.as_ref().is_ok_and(|read| read.mark() == mark));
            Some(Vec::new())
        }
        _ => changes.ok(),
    };
    let changes = read.map(|contents| contents.changes).ok();
    assert_eq!(changes, expected);
    is_accepted || changes.is_some()
}

/// For any changes, a queue applies each or stays unchanged, and its snapshot reproduces it.
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
        copy.apply(change)
            .expect("a snapshot applies to an empty queue");
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

/// Keys and messages that are not the signers': verification terminates with an error.
fn verify_with_some_keys(signature: &ChainSignature) {
    let statements: Vec<_> = (0..signature.hops().len())
        .map(|_| Statement {
            key: secret_key(signature.suite(), 0).public(),
            message: b"never signed",
        })
        .collect();
    assert!(signature.verify(&statements).is_err());
}
