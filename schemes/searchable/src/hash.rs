//! The hash functions and key derivations of the suite.

use crate::{
    scalar,
    suite::{
        DIGEST_TAG, FINGERPRINT_TAG, G1_LEN, GAMMA_TAG, GT_LEN, HOM_KEY_TAG, KDF_SALT, KEYWORD_TAG,
        SEED_LEN, TAU_LEN, TAU_TAG,
    },
};
use ark_bls12_381::Fr;
use hkdf::Hkdf;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256, Sha512};
use zeroize::Zeroizing;

/// The fingerprint of a public key. It is part of every hash, which binds ciphertexts to their receiver.
pub(crate) type FingerprintBytes = [u8; 32];

fn sha512(fields: &[&[u8]]) -> [u8; 64] {
    let mut hash = Sha512::new();
    for field in fields {
        hash.update(field);
    }
    hash.finalize().into()
}

fn sha256(fields: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for field in fields {
        hash.update(field);
    }
    hash.finalize().into()
}

/// Derives the receiver's named secrets from the seed.
pub(crate) struct Derivation(Hkdf<Sha512>);

impl Derivation {
    pub(crate) fn new(seed: &[u8; SEED_LEN]) -> Self {
        Self(Hkdf::new(Some(KDF_SALT), seed))
    }

    pub(crate) fn wide(&self, name: &[&[u8]]) -> Zeroizing<[u8; 64]> {
        let mut out = Zeroizing::new([0; 64]);
        self.0
            .expand_multi_info(name, &mut *out)
            .expect("64 bytes are one block of SHA-512; qed");
        out
    }

    pub(crate) fn scalar(&self, name: &[&[u8]]) -> Zeroizing<Fr> {
        Zeroizing::new(scalar::from_wide(&self.wide(name)))
    }
}

/// The scalar `r_{ω,i}` of a key part. Deterministic, because two different ones would partly reveal the receiver's
/// secret.
pub(crate) fn prf(key: &[u8; 64], index: u8, omega: &Fr) -> Zeroizing<Fr> {
    let mut mac = Hmac::<Sha512>::new_from_slice(key).expect("HMAC takes keys of any length; qed");
    mac.update(b"r");
    mac.update(&[index]);
    mac.update(&scalar::to_bytes(omega));
    let out: Zeroizing<[u8; 64]> = Zeroizing::new(mac.finalize().into_bytes().into());
    Zeroizing::new(scalar::from_wide(&out))
}

pub(crate) fn keyword(bytes: &[u8], length: u32) -> Fr {
    scalar::from_wide(&sha512(&[KEYWORD_TAG, &length.to_be_bytes(), bytes]))
}

pub(crate) fn fingerprint(public_key: &[u8]) -> FingerprintBytes {
    sha256(&[FINGERPRINT_TAG, public_key])
}

/// Γ: the hash that binds the four components of a ciphertext.
pub(crate) fn gamma(
    fingerprint: &FingerprintBytes,
    c1: &[u8; G1_LEN],
    rest: &[[u8; GT_LEN]; 3],
) -> Fr {
    let [c2, c3, c4] = rest;
    scalar::from_wide(&sha512(&[GAMMA_TAG, fingerprint, c1, c2, c3, c4]))
}

/// F: the hash that gives the tag τ.
pub(crate) fn tau(fingerprint: &FingerprintBytes, c5: &[u8; GT_LEN]) -> [u8; TAU_LEN] {
    sha512(&[TAU_TAG, fingerprint, c5])
}

pub(crate) fn digest(plain: &[u8]) -> [u8; 32] {
    sha256(&[DIGEST_TAG, plain])
}

pub(crate) fn homomorphic_key(fingerprint: &FingerprintBytes, key: &[u8]) -> [u8; 32] {
    sha256(&[HOM_KEY_TAG, fingerprint, key])
}
