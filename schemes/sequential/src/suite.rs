//! All sizes and domain separation tags of the scheme.

use std::num::NonZeroU8;
use thiserror::Error;

/// Bytes of `h` and of a fingerprint.
pub const HASH_LEN: usize = 32;
/// Bytes of a hop's randomness `r`.
pub const RANDOMNESS_LEN: usize = 16;
/// Bytes of the seed of `r`.
pub const SEED_LEN: usize = 32;
/// The public exponent of every key.
pub const EXPONENT: u32 = 65537;
/// The maximum number of hops of a chain.
pub const MAX_HOPS: usize = 255;

/// The most significant bit of a first byte, which is zero for numbers below `2^(K-1)`.
pub(crate) const TOP_BIT: u8 = 0x80;

pub(crate) mod tag {
    pub(crate) const FINGERPRINT: &[u8] = b"BGR-V01-FPRINT";
    pub(crate) const MESSAGE: &[u8] = b"BGR-V01-H";
    pub(crate) const MASK: &[u8; 9] = b"BGR-V01-G";
    pub(crate) const RANDOMNESS: &[u8] = b"BGR-V01-R";
    // Our own extensions: these tags are not used in signatures.
    pub(crate) const ATTESTATION: &[u8] = b"BGR-V01-ATTEST";
    pub(crate) const PAYLOAD: &[u8] = b"BGR-V01-PAYLOAD";
    pub(crate) const PARTY: &[u8] = b"BGR-V01-PARTY";
    pub(crate) const RECORD: &[u8] = b"BGR-V01-RECORD";
    pub(crate) const LOG: &[u8] = b"BGR-V01-LOG";
}

/// The modulus size of a chain. All keys of a chain have the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suite {
    /// Moduli of 2048 bits, as in the paper: about 112 bits of security.
    Rsa2048,
    /// Moduli of 3072 bits: about 128 bits of security.
    Rsa3072,
}

impl Suite {
    /// All suites, the smaller first.
    pub const ALL: [Self; 2] = [Self::Rsa2048, Self::Rsa3072];

    /// Bits of a modulus, `K`.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Rsa2048 => 2048,
            Self::Rsa3072 => 3072,
        }
    }

    /// Bytes of a modulus, `K/8`; also of `x`.
    pub const fn modulus_len(self) -> usize {
        match self {
            Self::Rsa2048 => 256,
            Self::Rsa3072 => 384,
        }
    }

    /// The suite's identifier in an envelope.
    pub const fn id(self) -> u8 {
        match self {
            Self::Rsa2048 => 1,
            Self::Rsa3072 => 2,
        }
    }

    /// The suite with this identifier.
    pub fn from_id(id: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|suite| suite.id() == id)
    }

    /// The suite whose moduli have this many bytes.
    pub fn from_modulus_len(len: usize) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|suite| suite.modulus_len() == len)
    }

    /// The length of a signature of `hops` hops without its envelope: `K/8 + 32 + 16n + ⌈n/8⌉`.
    pub const fn core_len(self, hops: usize) -> usize {
        self.modulus_len() + HASH_LEN + RANDOMNESS_LEN * hops + hops.div_ceil(8)
    }
}

impl std::fmt::Display for Suite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RSA-{}", self.bits())
    }
}

/// The position of a hop in its chain: 1 for the first signer, at most 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HopNumber(NonZeroU8);

/// The number of hops is not from 1 to 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a chain has 1 to {MAX_HOPS} hops, not {got}")]
pub struct HopCountOutOfRange {
    /// The requested number of hops.
    pub got: usize,
}

impl HopNumber {
    /// The first signer.
    pub const FIRST: Self = Self(NonZeroU8::MIN);

    /// The hop with this number, counted from 1.
    ///
    /// # Errors
    /// The number is 0 or above 255.
    pub fn new(number: usize) -> Result<Self, HopCountOutOfRange> {
        u8::try_from(number)
            .ok()
            .and_then(NonZeroU8::new)
            .map(Self)
            .ok_or(HopCountOutOfRange { got: number })
    }

    /// The number, counted from 1.
    pub fn get(self) -> u8 {
        self.0.get()
    }

    /// The hop at this index of a list that is known to be no longer than a chain.
    pub(crate) fn at(index: usize) -> Self {
        Self::new(index.saturating_add(1)).unwrap_or(Self(NonZeroU8::MAX))
    }
}

impl std::fmt::Display for HopNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}
