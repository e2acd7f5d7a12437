//! Secret keys: an RSA key and the seed of its signatures' randomness. Both are wiped on drop.

use crate::{
    hash,
    keys::{BadPublicKey, PublicKey},
    raw::{BackEndError, OpenSslPrivate, RawPrivate},
    suite::{Suite, HASH_LEN, RANDOMNESS_LEN, SEED_LEN},
};
use openssl::{
    bn::{BigNum, BigNumContext, BigNumRef},
    error::ErrorStack,
    pkey::{PKey, Private},
    rand::rand_priv_bytes,
    rsa::{Rsa, RsaRef},
};
use std::fmt;
use thiserror::Error;
use zeroize::Zeroizing;

/// The version byte of encoded secret keys.
const VERSION: u8 = 1;
/// An upper bound on the length of an encoded key with two primes.
const MAX_LEN: usize = 4096;
/// `|p - q|` is above `2^(K/2 - 100)` (FIPS 186-5, A.1.3).
const PRIME_DISTANCE: u32 = 100;

/// Why a secret key was rejected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadSecretKey {
    /// The encoding is truncated, too long, or of another version.
    #[error("not an encoded secret key")]
    Encoding,
    /// The PKCS#8 part is not an RSA key with two primes.
    #[error("not an RSA key of two primes in PKCS#8")]
    Pkcs8,
    /// The key has another size than its encoding claims.
    #[error("expected a key of {expected} bits, got {got}")]
    Suite {
        /// The claimed number of bits.
        expected: u32,
        /// The number of bits of the modulus.
        got: u32,
    },
    /// The encoding is not canonical.
    #[error("the encoding of the key is not canonical")]
    Spelling,
    /// The primes, exponents and coefficient are inconsistent, or a factor is not prime.
    #[error("the parts of the key are inconsistent")]
    Inconsistent,
    /// The primes are so close that the modulus can be factored.
    #[error("the two primes are too close to each other")]
    ClosePrimes,
    /// The public key is invalid.
    #[error(transparent)]
    Public(#[from] BadPublicKey),
    /// The RSA library failed. This does not mean that the key is invalid.
    #[error(transparent)]
    BackEnd(#[from] BackEndError),
}

impl From<ErrorStack> for BadSecretKey {
    fn from(stack: ErrorStack) -> Self {
        Self::BackEnd(stack.into())
    }
}

/// A secret key: the private operation `R`, the public key, and the seed of the randomness.
///
/// # Security
/// Use the key only for this scheme, not for TLS or PKCS#1. The security proof needs unpredictable randomness, so the
/// seed is as secret as the key and is stored with it. A restored backup may use a fresh seed: messages then get other
/// randomness, which is harmless.
pub struct SecretKey<R = OpenSslPrivate> {
    public: PublicKey,
    seed: Zeroizing<[u8; SEED_LEN]>,
    raw: R,
}

impl<R: RawPrivate> SecretKey<R> {
    /// A key whose private operation is elsewhere, for example in a device.
    ///
    /// This does not contact the device. Each of its results is checked against `public` before it is released.
    pub fn with_back_end(public: PublicKey, seed: Zeroizing<[u8; SEED_LEN]>, raw: R) -> Self {
        Self { public, seed, raw }
    }

    /// The randomness for a message and the link that it is appended to.
    pub(crate) fn randomness(
        &self,
        message: &[u8],
        previous: Option<(&[u8], &[u8; HASH_LEN])>,
    ) -> Result<[u8; RANDOMNESS_LEN], BackEndError> {
        hash::randomness(&self.seed, message, previous)
    }

    /// `y^d mod N`; the input is below `N`. Unchecked.
    pub(crate) fn private(&self, input: &[u8], output: &mut [u8]) -> Result<(), BackEndError> {
        self.raw.private(input, output)
    }
}

impl<R> SecretKey<R> {
    /// The public key.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// The modulus size.
    pub fn suite(&self) -> Suite {
        self.public.suite()
    }
}

impl SecretKey {
    /// Generates a key: two random primes of half the size each, the exponent 65537, and a random seed.
    ///
    /// Cost: varies from a tenth of a second to several seconds.
    ///
    /// # Errors
    /// The library is out of memory or has no randomness.
    pub fn generate(suite: Suite) -> Result<Self, BadSecretKey> {
        let mut seed = Zeroizing::new([0; SEED_LEN]);
        rand_priv_bytes(seed.as_mut())?;
        Self::from_rsa(Rsa::generate(suite.bits())?, seed)
    }

    /// Decodes an RSA key in PKCS#8 (DER), and combines it with a seed.
    ///
    /// # Errors
    /// It is not in PKCS#8, or the first check that fails; see [`SecretKey::from_bytes`].
    pub fn from_pkcs8(der: &[u8], seed: Zeroizing<[u8; SEED_LEN]>) -> Result<Self, BadSecretKey> {
        if der.len() > MAX_LEN {
            return Err(BadSecretKey::Encoding);
        }
        let rsa = PKey::private_key_from_pkcs8(der)
            .and_then(|key| key.rsa())
            .map_err(|_| BadSecretKey::Pkcs8)?;
        let key = Self::from_rsa(rsa, seed)?;
        if key.to_pkcs8()?.as_slice() != der {
            return Err(BadSecretKey::Spelling);
        }
        Ok(key)
    }

    /// Decodes `0x01 | suite | seed (32) | PKCS#8`.
    ///
    /// Cost: two primality tests, tens of milliseconds.
    ///
    /// # Errors
    /// The encoding; then the public key; then whether the parts are consistent, the factors are prime, and far enough
    /// apart; then whether the encoding is canonical.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadSecretKey> {
        let (version, rest) = bytes.split_first().ok_or(BadSecretKey::Encoding)?;
        let (suite, rest) = rest.split_first().ok_or(BadSecretKey::Encoding)?;
        let (seed, der) = rest.split_first_chunk().ok_or(BadSecretKey::Encoding)?;
        let suite = Suite::from_id(*suite).ok_or(BadSecretKey::Encoding)?;
        if *version != VERSION {
            return Err(BadSecretKey::Encoding);
        }
        let key = Self::from_pkcs8(der, Zeroizing::new(*seed))?;
        if key.suite() != suite {
            return Err(BadSecretKey::Suite {
                expected: suite.bits(),
                got: key.suite().bits(),
            });
        }
        Ok(key)
    }

    /// The encoding that [`SecretKey::from_bytes`] decodes, wiped on drop.
    ///
    /// # Errors
    /// The library is out of memory.
    ///
    /// # Security
    /// The bytes are secret. Store them where nobody else can read them.
    pub fn to_bytes(&self) -> Result<Zeroizing<Vec<u8>>, BackEndError> {
        let der = self.to_pkcs8()?;
        // Allocated at once: a growing vector would leave copies behind.
        let mut bytes = Zeroizing::new(Vec::with_capacity(2 + SEED_LEN + der.len()));
        bytes.extend_from_slice(&[VERSION, self.suite().id()]);
        bytes.extend_from_slice(self.seed.as_ref());
        bytes.extend_from_slice(&der);
        Ok(bytes)
    }

    fn to_pkcs8(&self) -> Result<Zeroizing<Vec<u8>>, BackEndError> {
        let key = PKey::from_rsa(self.raw.key().clone())?;
        Ok(Zeroizing::new(key.private_key_to_pkcs8()?))
    }

    fn from_rsa(rsa: Rsa<Private>, seed: Zeroizing<[u8; SEED_LEN]>) -> Result<Self, BadSecretKey> {
        let public = PublicKey::from_parts(&rsa.n().to_vec(), &rsa.e().to_vec())?;
        check_parts(&rsa, public.suite())?;
        Ok(Self {
            public,
            seed,
            raw: OpenSslPrivate::new(rsa),
        })
    }
}

/// Checks that protect the owner: a key that fails them cannot sign, or leaks a factor.
fn check_parts(rsa: &RsaRef<Private>, suite: Suite) -> Result<(), BadSecretKey> {
    let (Some(p), Some(q)) = (rsa.p(), rsa.q()) else {
        return Err(BadSecretKey::Pkcs8);
    };
    let has_crt = rsa.dmp1().is_some() && rsa.dmq1().is_some() && rsa.iqmp().is_some();
    if !has_crt || !is_product(rsa.n(), p, q)? {
        return Err(BadSecretKey::Pkcs8);
    }
    // The library reports an inconsistent key through its error stack, not only through the return value.
    if !matches!(rsa.check_key(), Ok(true)) {
        return Err(BadSecretKey::Inconsistent);
    }
    if !are_far_apart(p, q, suite)? {
        return Err(BadSecretKey::ClosePrimes);
    }
    Ok(())
}

/// Keys with more than two primes are valid RSA keys, but not accepted here.
fn is_product(n: &BigNumRef, p: &BigNumRef, q: &BigNumRef) -> Result<bool, ErrorStack> {
    let mut product = BigNum::new()?;
    product.checked_mul(p, q, &mut *BigNumContext::new()?)?;
    Ok(*product == *n)
}

fn are_far_apart(p: &BigNumRef, q: &BigNumRef, suite: Suite) -> Result<bool, ErrorStack> {
    let mut distance = BigNum::new()?;
    distance.checked_sub(p, q)?;
    let bits = u32::try_from(distance.num_bits()).unwrap_or(0);
    distance.clear();
    Ok(bits > suite.bits() / 2 - PRIME_DISTANCE)
}

impl<R> fmt::Debug for SecretKey<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({}, redacted)", self.public.fingerprint())
    }
}
