//! The properties of every decoder, for arbitrary bytes: shared by the tests and the fuzz target.

use duet_polynomial::{
    research::{
        register::labels_in, Dimension, Fingerprint, Polynomial, PublicKey, SecretKey, Signature,
    },
    standard::{Proof, Record},
    Stat,
};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Passes the bytes to a decoder, and returns whether it accepted them. Decoders must not panic, and accepted bytes
/// must be re-encoded identically.
///
/// The first byte selects the decoder, so that each has its own corpus.
pub(crate) fn every_decoder(input: &[u8]) -> bool {
    let Some((choice, bytes)) = input.split_first() else {
        return false;
    };
    match choice % 9 {
        0 => PublicKey::from_bytes(bytes).is_ok_and(|key| same(&key.to_bytes(), bytes)),
        1 => SecretKey::from_bytes(bytes).is_ok_and(|key| same(&key.expose(), bytes)),
        2 => [4, 8, 16, 32, 64, 128].into_iter().any(|n| {
            Dimension::new(n)
                .ok()
                .and_then(|dimension| Signature::from_bytes(dimension, bytes).ok())
                .is_some_and(|signature| same(&signature.to_bytes(), bytes))
        }),
        3 => {
            // Uses the key in the input, if there is one, so that records are reached.
            let key = bytes.get(8..).and_then(|rest| rest.first_chunk());
            let key = Fingerprint::from_bytes(key.copied().unwrap_or_default());
            labels_in(bytes, key).is_ok_and(|labels| {
                assert!(labels <= (bytes.len() - 40) / 72);
                true
            })
        }
        4 => {
            let text = String::from_utf8_lossy(bytes);
            Polynomial::parse(8, &text).is_ok_and(|function| {
                assert_eq!(Polynomial::parse(8, &function.to_string()), Ok(function));
                true
            })
        }
        5 => Record::from_bytes(bytes).is_ok_and(|record| same(&record.to_bytes(), bytes)),
        6 => proof(&Stat::Mean, bytes),
        7 => proof(&Stat::Variance, bytes),
        _ => checked_journal(bytes),
    }
}

fn proof(stat: &Stat, bytes: &[u8]) -> bool {
    Proof::from_bytes(stat, bytes).is_ok_and(|proof| same(&proof.to_bytes(), bytes))
}

fn same(written: &[u8], read: &[u8]) -> bool {
    assert_eq!(written, read);
    true
}

/// Random bytes rarely have valid record checks, so the checks are computed. The input is a key, followed by hashes of
/// labels and messages. No label may appear with a second message.
fn checked_journal(bytes: &[u8]) -> bool {
    let Some((key, bytes)) = bytes.split_first_chunk::<32>() else {
        return false;
    };
    let mut journal = [b"BFREG\0\0\x01".as_slice(), key].concat();
    let (uses, _) = bytes.as_chunks::<64>();
    let mut known = HashMap::new();
    let mut is_consistent = true;
    for label_use in uses {
        let (label, message) = label_use.split_at(32);
        is_consistent &= *known.entry(label).or_insert(message) == message;
        journal.extend(label_use);
        journal.extend_from_slice(&Sha256::digest(label_use)[..8]);
    }
    let labels = labels_in(&journal, Fingerprint::from_bytes(*key));
    assert_eq!(labels.ok(), is_consistent.then_some(known.len()));
    is_consistent
}
