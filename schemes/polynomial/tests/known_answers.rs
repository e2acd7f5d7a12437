//! The known answers in `vectors/`, checked through the public API.

mod support;

use duet_polynomial::research::{
    Dimension, KeyGeneration, Limits, Polynomial, PublicKey, SecretKey, Signature, SigningKey, Tag,
};
use num_bigint::{BigInt, BigUint};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use support::{integers, signer, ONE};

#[derive(Deserialize)]
struct Reference {
    n: usize,
    g_p: Vec<String>,
    g_q: Vec<String>,
    p: String,
    a: String,
    q: String,
    b: String,
    nu: u64,
    pk: String,
    pk_fingerprint: String,
    k_max: u32,
    d_max: u8,
    y_max: u64,
    tag: String,
    messages: Vec<i64>,
    ids: Vec<String>,
    signatures: Vec<Vec<String>>,
    sum: Answer,
    k2_variance: Answer,
}

#[derive(Deserialize)]
struct Answer {
    value: i64,
    signature: Vec<String>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("vectors/polynomial-homomorphic.json")).unwrap()
}

fn number(text: &str) -> BigUint {
    text.parse().unwrap()
}

impl Reference {
    fn key(&self) -> PublicKey {
        PublicKey::from_bytes(&hex::decode(&self.pk).unwrap()).unwrap()
    }

    fn tag(&self) -> Tag {
        Tag::new(hex::decode(&self.tag).unwrap()).unwrap()
    }

    fn signature(&self, coefficients: &[String]) -> Signature {
        let coefficients = coefficients.iter().map(|c| c.parse().unwrap()).collect();
        Signature::from_coefficients(Dimension::new(self.n).unwrap(), coefficients).unwrap()
    }

    fn signatures(&self) -> Vec<Signature> {
        self.signatures.iter().map(|s| self.signature(s)).collect()
    }

    fn secret(&self) -> SecretKey {
        let mut bytes = vec![1];
        bytes.extend_from_slice(&u16::try_from(self.n).unwrap().to_be_bytes());
        for coefficient in self.g_p.iter().chain(&self.g_q) {
            bytes.extend_from_slice(&coefficient.parse::<i16>().unwrap().to_be_bytes());
        }
        bytes.extend_from_slice(&[0; 32]);
        SecretKey::from_bytes(&bytes).unwrap()
    }
}

#[test]
fn the_public_key_reads_as_the_numbers_it_was_made_of() {
    let reference = reference();
    let key = reference.key();
    assert_eq!(key.dimension().get(), reference.n);
    assert_eq!(key.dimension().width(), reference.nu);
    assert_eq!(key.message_modulus(), &number(&reference.p));
    assert_eq!(key.identifier_modulus(), &number(&reference.q));
    assert_eq!(key.roots(), (&number(&reference.a), &number(&reference.b)));
    let limits = Limits::new(reference.k_max, reference.d_max, reference.y_max).unwrap();
    assert_eq!(key.limits(), limits);
    assert_eq!(hex::encode(key.to_bytes()), reference.pk);
    assert_eq!(
        hex::encode(key.fingerprint().as_bytes()),
        reference.pk_fingerprint
    );
}

#[test]
fn the_generators_give_the_public_key() {
    let reference = reference();
    let key = SigningKey::restore(&reference.secret(), &reference.key()).unwrap();
    assert_eq!(hex::encode(key.public().to_bytes()), reference.pk);
}

#[test]
fn identifiers_are_the_reference_s() {
    let reference = reference();
    let (key, tag) = (reference.key(), reference.tag());
    let ours: Vec<_> = (0..4).map(|i| key.identifier(&tag, i)).collect();
    let expected: Vec<_> = reference.ids.iter().map(|id| number(id)).collect();
    assert_eq!(ours, expected);
}

#[test]
fn the_reference_s_signatures_verify() {
    let reference = reference();
    let (key, tag) = (reference.key(), reference.tag());
    for (i, (message, signature)) in reference
        .messages
        .iter()
        .zip(reference.signatures())
        .enumerate()
    {
        let mut weights = [0; 4];
        weights[i] = 1;
        let function = Polynomial::linear(&weights).unwrap();
        let message = BigInt::from(*message);
        assert!(key.verify(&tag, &function, &message, &signature).is_ok());
    }
}

#[test]
fn sum_and_variance_of_the_reference_s_signatures_are_the_reference_s() {
    let reference = reference();
    let (key, tag) = (reference.key(), reference.tag());
    let sum = Polynomial::linear(&[1; 4]).unwrap();
    let variance = Polynomial::variance(4).unwrap();
    for (function, answer) in [(sum, &reference.sum), (variance, &reference.k2_variance)] {
        let result = key
            .evaluate(&function, &reference.signatures(), 100)
            .unwrap();
        assert_eq!(result.signature, reference.signature(&answer.signature));
        assert_eq!(result.value, BigInt::from(answer.value));
        let verified = key.verify(&tag, &function, &result.value, &result.signature);
        assert_eq!(verified.unwrap().value(), &result.value);
    }
}

/// Hashes of what this crate makes from a seed.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
struct Pinned {
    seed: u8,
    n: usize,
    secret_key: String,
    public_key: String,
    /// Of the four signatures, concatenated.
    signatures: String,
    /// Of the signature of their variance.
    variance: String,
}

fn made_from(seed: u8, n: usize) -> Pinned {
    let limits = Limits::for_statistics(4).unwrap();
    let generated = KeyGeneration::default().run(&[seed; 32], Dimension::new(n).unwrap(), limits);
    let hash = |bytes: &[u8]| hex::encode(Sha256::digest(bytes));
    let mut signer = signer(generated.signing);
    let key = signer.public().clone();
    let tag = Tag::new("pinned").unwrap();
    let signatures = signer
        .sign_data_set(&tag, &integers(&[2, -1, 0, 3]), ONE)
        .unwrap();
    let bytes: Vec<u8> = signatures.iter().flat_map(Signature::to_bytes).collect();
    let variance = Polynomial::variance(4).unwrap();
    let result = key.evaluate(&variance, &signatures, 3).unwrap();
    assert_eq!(result.value, BigInt::from(40));
    Pinned {
        seed,
        n,
        secret_key: hash(&generated.secret.expose()),
        public_key: hash(&key.to_bytes()),
        signatures: hash(&bytes),
        variance: hash(&result.signature.to_bytes()),
    }
}

/// The same seed must give the same key and the same signatures on every platform.
#[test]
fn keys_and_signatures_of_a_seed_never_change() {
    let pinned: Vec<Pinned> = serde_json::from_str(include_str!("vectors/pinned.json")).unwrap();
    assert_eq!(pinned.len(), 5);
    for pinned in pinned {
        assert_eq!(made_from(pinned.seed, pinned.n), pinned);
    }
}

/// Prints `vectors/pinned.json`. Replacing the file means that all keys and signatures change.
#[test]
#[ignore = "prints what to pin"]
fn what_to_pin() {
    let cases = [(1, 8), (2, 16), (3, 32), (4, 64), (5, 128)];
    let pinned: Vec<_> = cases.map(|(seed, n)| made_from(seed, n)).into();
    println!("{}", serde_json::to_string_pretty(&pinned).unwrap());
}
