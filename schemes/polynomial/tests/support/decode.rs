//! The properties of every decoder, for arbitrary bytes: shared by the tests and the fuzz target.

use duet_polynomial::{
    research::{Dimension, Polynomial, PublicKey, SecretKey, Signature},
    standard::{Proof, Record},
    Stat,
};

/// Passes the bytes to a decoder, and returns whether it accepted them. Decoders must not panic, and accepted bytes
/// must be re-encoded identically.
///
/// The first byte selects the decoder, so that each has its own corpus.
pub(crate) fn every_decoder(input: &[u8]) -> bool {
    let Some((choice, bytes)) = input.split_first() else {
        return false;
    };
    match choice % 7 {
        0 => PublicKey::from_bytes(bytes).is_ok_and(|key| same(&key.to_bytes(), bytes)),
        1 => SecretKey::from_bytes(bytes).is_ok_and(|key| same(&key.expose(), bytes)),
        2 => [4, 8, 16, 32, 64, 128].into_iter().any(|n| {
            Dimension::new(n)
                .ok()
                .and_then(|dimension| Signature::from_bytes(dimension, bytes).ok())
                .is_some_and(|signature| same(&signature.to_bytes(), bytes))
        }),
        3 => {
            let text = String::from_utf8_lossy(bytes);
            Polynomial::parse(8, &text).is_ok_and(|function| {
                assert_eq!(Polynomial::parse(8, &function.to_string()), Ok(function));
                true
            })
        }
        4 => Record::from_bytes(bytes).is_ok_and(|record| same(&record.to_bytes(), bytes)),
        5 => proof(&Stat::Mean, bytes),
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
