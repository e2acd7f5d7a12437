//! Shared by the tests.
#![allow(dead_code)] // Each test program uses a part.

pub(crate) mod model;

use duet_sequential::{testing::secret_key, PublicKey, SecretKey, Statement, Suite};
use openssl::{bn::BigNum, pkey::PKey, rsa::RsaPrivateKeyBuilder};
use zeroize::Zeroizing;

/// Statements of the first keys over these messages.
pub(crate) fn statements<'a>(suite: Suite, messages: &[&'a [u8]]) -> Vec<Statement<'a>> {
    (0..)
        .zip(messages)
        .map(|(index, message)| Statement {
            key: secret_key(suite, index).public(),
            message,
        })
        .collect()
}

/// The PKCS#8 encoding of a key with these primes.
pub(crate) fn pkcs8_of_primes(p: &[u8], q: &[u8]) -> Vec<u8> {
    let number = |bytes: &[u8]| num_bigint::BigUint::from_bytes_be(bytes);
    let (p, q, e) = (number(p), number(q), 65537_u32.into());
    let one = num_bigint::BigUint::from(1_u8);
    let (p1, q1) = (&p - &one, &q - &one);
    let d = model::inverse(&e, &(&p1 * &q1)).expect("e has an inverse");
    let openssl = |number: &num_bigint::BigUint| BigNum::from_slice(&number.to_bytes_be()).unwrap();
    let key = RsaPrivateKeyBuilder::new(openssl(&(&p * &q)), openssl(&e), openssl(&d))
        .unwrap()
        .set_factors(openssl(&p), openssl(&q))
        .unwrap()
        .set_crt_params(
            openssl(&(&d % &p1)),
            openssl(&(&d % &q1)),
            openssl(&model::inverse(&q, &p).expect("coprime")),
        )
        .unwrap()
        .build();
    let key = PKey::from_rsa(key).unwrap();
    key.private_key_to_pkcs8().unwrap()
}

/// A key of these primes.
pub(crate) fn key_of_primes(p: &[u8], q: &[u8], seed: [u8; 32]) -> SecretKey {
    SecretKey::from_pkcs8(&pkcs8_of_primes(p, q), Zeroizing::new(seed)).expect("a key")
}

/// The public half of a test key.
pub(crate) fn public(suite: Suite, index: usize) -> &'static PublicKey {
    secret_key(suite, index).public()
}
