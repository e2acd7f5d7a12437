//! All vectors, checked through the public API. `vectors/README.md` documents their origin.

mod common;

use common::{key_of_primes, model, public};
use duet_sequential::{
    sign, testing::secret_key, ChainSignature, Fingerprint, PublicKey, SecretKey, Statement, Suite,
    VerifyError,
};
use num_bigint::BigUint;
use serde_json::Value;

const RSA_2048: &str = include_str!("vectors/rsa2048.json");
const RSA_3072: &str = include_str!("vectors/rsa3072.json");

struct Vectors(Value);

impl Vectors {
    fn read(text: &str) -> Self {
        Self(serde_json::from_str(text).expect("JSON"))
    }

    fn bytes(value: &Value) -> Vec<u8> {
        hex::decode(value.as_str().expect("a string")).expect("hex")
    }

    fn keys(&self) -> Vec<SecretKey> {
        let signers = self.0["signers"].as_array().expect("signers");
        let keys = signers.iter().map(|signer| {
            let seed = Self::bytes(&signer["prf_seed"])
                .try_into()
                .expect("32 bytes");
            let key = key_of_primes(&Self::bytes(&signer["p"]), &Self::bytes(&signer["q"]), seed);
            assert_eq!(key.public().as_bytes(), Self::bytes(&signer["n"]));
            let fingerprint = Self::bytes(&signer["fingerprint"]);
            assert_eq!(key.public().fingerprint().0.as_slice(), fingerprint);
            key
        });
        keys.collect()
    }

    fn messages(&self) -> Vec<Vec<u8>> {
        let steps = self.0["steps"].as_array().expect("steps");
        steps
            .iter()
            .map(|step| Self::bytes(&step["message"]))
            .collect()
    }
}

fn statements<'a>(keys: &'a [SecretKey], messages: &'a [Vec<u8>]) -> Vec<Statement<'a>> {
    let pairs = keys.iter().zip(messages);
    pairs
        .map(|(key, message)| Statement {
            key: key.public(),
            message,
        })
        .collect()
}

/// Signs what the vectors signed, and compares every intermediate value.
fn every_step_is_reproduced(vectors: &Vectors) {
    let (keys, messages) = (vectors.keys(), vectors.messages());
    let mut link = None;
    let mut chain: Option<ChainSignature> = None;
    for ((key, message), step) in keys
        .iter()
        .zip(&messages)
        .zip(vectors.0["steps"].as_array().expect("steps"))
    {
        let (hop, next) = sign(key, message, link.as_ref()).expect("a signature");
        assert_eq!(hop.randomness.as_slice(), Vectors::bytes(&step["r"]));
        assert_eq!(u64::from(hop.overflow), step["b"].as_u64().expect("a bit"));
        assert_eq!(next.x(), Vectors::bytes(&step["x"]));
        assert_eq!(next.h().as_slice(), Vectors::bytes(&step["h"]));
        chain = Some(match chain {
            None => ChainSignature::first(key, message).expect("a signature"),
            Some(chain) => chain.append(key, message).expect("a signature"),
        });
        assert_eq!(chain.as_ref().map(ChainSignature::link), Some(&next));
        link = Some(next);
    }
    let (chain, wire) = (chain.expect("a chain"), Vectors::bytes(&vectors.0["wire"]));
    assert_eq!(chain.to_core(), wire);
    assert_eq!(
        wire.len() as u64,
        vectors.0["wire_len"].as_u64().expect("a length")
    );
    let read = ChainSignature::from_core(chain.suite(), keys.len(), &wire).expect("a signature");
    assert_eq!(read.verify(&statements(&keys, &messages)), Ok(()));
}

/// The encoding with `X + N` from the vectors.
fn the_second_encoding_is_refused(vectors: &Vectors) {
    let (keys, mut messages) = (vectors.keys(), vectors.messages());
    let last = messages.last_mut().expect("a message");
    *last = Vectors::bytes(&vectors.0["noncanonical_last_message"]);
    let wire = Vectors::bytes(&vectors.0["reject_noncanonical"]);
    let suite = keys[0].suite();
    let read = ChainSignature::from_core(suite, keys.len(), &wire).expect("well formed");
    assert!(matches!(
        read.verify(&statements(&keys, &messages)),
        Err(VerifyError::NonCanonical { hop }) if usize::from(hop.get()) == keys.len()
    ));
}

#[test]
fn every_value_of_the_2048_bit_vectors_is_reproduced() {
    every_step_is_reproduced(&Vectors::read(RSA_2048));
}

#[test]
fn every_value_of_the_3072_bit_vectors_is_reproduced() {
    every_step_is_reproduced(&Vectors::read(RSA_3072));
}

#[test]
fn the_malleated_signature_of_the_2048_bit_vectors_is_refused() {
    the_second_encoding_is_refused(&Vectors::read(RSA_2048));
}

#[test]
fn the_malleated_signature_of_the_3072_bit_vectors_is_refused() {
    the_second_encoding_is_refused(&Vectors::read(RSA_3072));
}

#[test]
fn the_vectors_show_both_values_of_the_overflow_bit() {
    for text in [RSA_2048, RSA_3072] {
        let vectors = Vectors::read(text);
        let steps = vectors.0["steps"].as_array().expect("steps");
        let bits: Vec<_> = steps.iter().map(|step| step["b"].as_u64()).collect();
        assert!(bits.contains(&Some(0)) && bits.contains(&Some(1)));
    }
}

#[test]
fn a_fingerprint_is_of_the_modulus_and_the_exponent() {
    let key = public(Suite::Rsa3072, 0);
    let read = PublicKey::from_bytes(key.as_bytes()).expect("a key");
    let modulus = BigUint::from_bytes_be(key.as_bytes());
    let expected = model::fingerprint(&modulus, key.as_bytes().len());
    assert_eq!(read.fingerprint(), Fingerprint(expected));
    assert_eq!(secret_key(Suite::Rsa3072, 0).public(), &read);
}
