//! What every decoder must hold to, whatever the bytes. Shared with the fuzz target.

use duet_polynomial::{
    research::{
        register::labels_in, Dimension, Fingerprint, Polynomial, PublicKey, SecretKey, Signature,
    },
    standard::{Proof, Record},
    Stat,
};

/// Hands the bytes to a decoder, and says whether it accepts them. None panics, and what one accepts it writes back as
/// the same bytes.
///
/// The first byte chooses the decoder, so that inputs that reach one evolve on their own.
pub(crate) fn every_decoder(input: &[u8]) -> bool {
    let Some((choice, bytes)) = input.split_first() else {
        return false;
    };
    match choice % 8 {
        0 => PublicKey::from_bytes(bytes).is_ok_and(|key| same(&key.to_bytes(), bytes)),
        1 => SecretKey::from_bytes(bytes).is_ok_and(|key| same(&key.expose(), bytes)),
        2 => [4, 8, 16, 32, 64, 128].into_iter().any(|n| {
            Dimension::new(n)
                .ok()
                .and_then(|dimension| Signature::from_bytes(dimension, bytes).ok())
                .is_some_and(|signature| same(&signature.to_bytes(), bytes))
        }),
        3 => {
            // Its own key where there is one, so that records are reached.
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
        _ => proof(&Stat::Variance, bytes),
    }
}

fn proof(stat: &Stat, bytes: &[u8]) -> bool {
    Proof::from_bytes(stat, bytes).is_ok_and(|proof| same(&proof.to_bytes(), bytes))
}

fn same(written: &[u8], read: &[u8]) -> bool {
    assert_eq!(written, read);
    true
}
