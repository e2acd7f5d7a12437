//! Public keys and their fingerprints.

use crate::{
    hash, modulus_checks,
    raw::{BackEndError, OpenSslPublic, RawPublic},
    suite::{Suite, EXPONENT, HASH_LEN, TOP_BIT},
};
use std::{fmt, sync::Arc};
use thiserror::Error;

/// The hash that identifies a key in signatures and in records.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub [u8; HASH_LEN]);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

/// Why a public key was rejected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadPublicKey {
    /// No suite has moduli of this length.
    #[error("the modulus has {got} bytes instead of 256 or 384")]
    Length {
        /// The length of the modulus.
        got: usize,
    },
    /// The most significant bit of the modulus is zero.
    #[error("the modulus has fewer than {expected} bits")]
    Short {
        /// The expected number of bits.
        expected: u32,
    },
    /// The modulus is even.
    #[error("the modulus is even")]
    Even,
    /// The public exponent is not 65537.
    #[error("the public exponent is not {EXPONENT}")]
    Exponent,
    /// A prime below 2^16 divides the modulus.
    #[error("{factor} divides the modulus")]
    SmallFactor {
        /// The smallest such prime.
        factor: u16,
    },
    /// The modulus comes from a generator whose keys can be factored (CVE-2017-15361).
    #[error("the modulus comes from a generator whose keys can be factored (CVE-2017-15361)")]
    WeakGenerator,
    /// The RSA library failed. This does not mean that the key is invalid.
    #[error(transparent)]
    BackEnd(#[from] BackEndError),
}

/// A public key: an odd modulus of the suite's size without small factors, and the exponent 65537.
///
/// Whether the modulus is the product of two primes is not known, and the scheme does not need it. Clones share one
/// key.
#[derive(Clone)]
pub struct PublicKey(Arc<Inner>);

struct Inner {
    suite: Suite,
    modulus: Box<[u8]>,
    fingerprint: Fingerprint,
    raw: OpenSslPublic,
}

impl PublicKey {
    /// Decodes a big-endian modulus of 256 or 384 bytes. The exponent is 65537.
    ///
    /// Cost: about a millisecond of trial division.
    ///
    /// # Errors
    /// The first check that fails, in the order of [`BadPublicKey`].
    pub fn from_bytes(modulus: &[u8]) -> Result<Self, BadPublicKey> {
        Self::from_parts(modulus, &EXPONENT.to_be_bytes())
    }

    /// As [`PublicKey::from_bytes`], with an explicit big-endian exponent.
    ///
    /// # Errors
    /// The first check that fails, in the order of [`BadPublicKey`].
    pub fn from_parts(modulus: &[u8], exponent: &[u8]) -> Result<Self, BadPublicKey> {
        let Some(suite) = Suite::from_modulus_len(modulus.len()) else {
            return Err(BadPublicKey::Length { got: modulus.len() });
        };
        if modulus.first().is_none_or(|first| first & TOP_BIT == 0) {
            let expected = suite.bits();
            return Err(BadPublicKey::Short { expected });
        }
        if modulus.last().is_none_or(|last| last & 1 == 0) {
            return Err(BadPublicKey::Even);
        }
        let significant = exponent.iter().skip_while(|byte| **byte == 0);
        let expected = EXPONENT.to_be_bytes();
        if !significant.eq(expected.iter().skip_while(|byte| **byte == 0)) {
            return Err(BadPublicKey::Exponent);
        }
        if let Some(factor) = modulus_checks::small_factor(modulus) {
            return Err(BadPublicKey::SmallFactor { factor });
        }
        if modulus_checks::has_roca_fingerprint(modulus) {
            return Err(BadPublicKey::WeakGenerator);
        }
        Ok(Self(Arc::new(Inner {
            suite,
            modulus: modulus.into(),
            fingerprint: Fingerprint(hash::fingerprint(modulus)),
            raw: OpenSslPublic::new(modulus)?,
        })))
    }

    /// The modulus, big-endian, which is the encoding of the key.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0.modulus
    }

    /// The size of the modulus.
    pub fn suite(&self) -> Suite {
        self.0.suite
    }

    /// The fingerprint of this key.
    pub fn fingerprint(&self) -> Fingerprint {
        self.0.fingerprint
    }

    /// Whether a number, of the length of the modulus, is below it.
    pub(crate) fn is_above(&self, number: &[u8]) -> bool {
        number < self.as_bytes()
    }

    /// `X^e mod N`; the input is below `N`.
    pub(crate) fn public(&self, input: &[u8], output: &mut [u8]) -> Result<(), BackEndError> {
        self.0.raw.public(input, output)
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for PublicKey {}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({}, {})", self.suite(), self.fingerprint())
    }
}
