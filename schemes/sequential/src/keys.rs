//! Public keys and what stands for them.

use crate::{
    hash, hygiene,
    raw::{BackEndError, OpenSslPublic, RawPublic},
    suite::{Suite, EXPONENT, HASH_LEN, TOP_BIT},
};
use std::{fmt, sync::Arc};
use thiserror::Error;

/// The hash that stands for a key inside signatures and in records.
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

/// Why bytes are no public key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadPublicKey {
    /// No suite has moduli of this length.
    #[error("a modulus of {got} bytes; it may have 256 or 384")]
    Length {
        /// The bytes that were there.
        got: usize,
    },
    /// The modulus does not use its highest bit: it is shorter than its suite says.
    #[error("the modulus is shorter than its {expected} bits")]
    Short {
        /// The bits that it should have.
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
        /// The smallest one that does.
        factor: u16,
    },
    /// The modulus comes from a generator whose keys can be factored (CVE-2017-15361).
    #[error("the modulus is of the kind that can be factored (CVE-2017-15361)")]
    WeakGenerator,
    /// The RSA library failed, which says nothing about the key.
    #[error(transparent)]
    BackEnd(#[from] BackEndError),
}

/// A public key: its suite's number of bits, odd, without a small factor, with exponent 65537.
///
/// Whether it is the product of two primes is unknown, and the scheme does not need to know. Clones share one key.
#[derive(Clone)]
pub struct PublicKey(Arc<Inner>);

struct Inner {
    suite: Suite,
    modulus: Box<[u8]>,
    fingerprint: Fingerprint,
    raw: OpenSslPublic,
}

impl PublicKey {
    /// Reads a modulus of 256 or 384 bytes, big-endian; the exponent is 65537.
    ///
    /// Cost: about a millisecond of trial division.
    ///
    /// # Errors
    /// The first test that the modulus does not pass, in the order of [`BadPublicKey`].
    pub fn from_bytes(modulus: &[u8]) -> Result<Self, BadPublicKey> {
        Self::from_parts(modulus, &EXPONENT.to_be_bytes())
    }

    /// Reads a modulus as [`PublicKey::from_bytes`] does, with a big-endian exponent from elsewhere.
    ///
    /// # Errors
    /// The first test that the key does not pass, in the order of [`BadPublicKey`].
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
        if let Some(factor) = hygiene::small_factor(modulus) {
            return Err(BadPublicKey::SmallFactor { factor });
        }
        if hygiene::has_roca_fingerprint(modulus) {
            return Err(BadPublicKey::WeakGenerator);
        }
        Ok(Self(Arc::new(Inner {
            suite,
            modulus: modulus.into(),
            fingerprint: Fingerprint(hash::fingerprint(modulus)),
            raw: OpenSslPublic::new(modulus)?,
        })))
    }

    /// The modulus, big-endian: the key's encoding.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0.modulus
    }

    /// The size of the modulus.
    pub fn suite(&self) -> Suite {
        self.0.suite
    }

    /// The hash that stands for this key.
    pub fn fingerprint(&self) -> Fingerprint {
        self.0.fingerprint
    }

    /// Whether a number as long as the modulus is below it.
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
