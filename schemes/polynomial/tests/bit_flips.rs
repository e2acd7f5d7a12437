//! Every bit of every encoding matters.

mod support;

use duet_polynomial::research::{Polynomial, PublicKey, SecretKey, Signature, SigningKey};
use num_bigint::BigInt;
use support::{generated, limits, signed};

fn flipped(bytes: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> + '_ {
    (0..8 * bytes.len()).map(|bit| {
        let mut flipped = bytes.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        (bit, flipped)
    })
}

#[test]
fn a_flipped_bit_of_a_signature_is_refused() {
    for n in [4, 16] {
        let signed = signed(n, &[3, 4]);
        let function = Polynomial::linear(&[1, 2]).unwrap();
        let result = signed
            .key
            .evaluate(&function, &signed.signatures, 4)
            .unwrap();
        for (bit, bytes) in flipped(&result.signature.to_bytes()) {
            let Ok(signature) = Signature::from_bytes(signed.key.dimension(), &bytes) else {
                continue;
            };
            let verdict = signed
                .key
                .verify(&signed.tag, &function, &result.value, &signature);
            assert!(verdict.is_err(), "bit {bit}");
        }
    }
}

#[test]
fn a_flipped_bit_of_a_public_key_is_refused_or_makes_a_key_under_which_nothing_verifies() {
    let signed = signed(16, &[3]);
    let one = Polynomial::linear(&[1]).unwrap();
    for (bit, bytes) in flipped(&signed.key.to_bytes()) {
        let Ok(key) = PublicKey::from_bytes(&bytes) else {
            continue;
        };
        assert_ne!(key, signed.key);
        let verdict = key.verify(&signed.tag, &one, &BigInt::from(3), &signed.signatures[0]);
        assert!(verdict.is_err(), "bit {bit}");
    }
}

#[test]
fn a_flipped_bit_of_a_secret_key_is_refused_or_does_not_fit_the_public_key() {
    let generated = generated(8, limits());
    let bytes = generated.secret.expose();
    let seed = 8 * (bytes.len() - 32);
    for (bit, bytes) in flipped(&bytes) {
        let restored = SecretKey::from_bytes(&bytes)
            .and_then(|secret| SigningKey::restore(&secret, generated.signing.public()));
        // The seed is not part of the public key: any 32 bytes are valid.
        assert_eq!(restored.is_ok(), bit >= seed, "bit {bit}");
    }
}
