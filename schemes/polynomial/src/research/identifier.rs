//! Tags of data sets, and the identifiers of their values.

use super::{error::BadEncoding, stream::Stream};
use num_bigint::BigUint;
use sha2::{Digest, Sha256};
use std::fmt;

/// The name of a data set, of at most [`Tag::MAX`] bytes. Never use a tag for two data sets.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Tag(Vec<u8>);

impl Tag {
    /// The maximum length of a tag in bytes.
    pub const MAX: usize = u16::MAX as usize;

    /// # Errors
    /// [`BadEncoding::Length`] if the tag is longer than [`MAX`](Self::MAX).
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, BadEncoding> {
        let bytes = bytes.into();
        if bytes.len() > Self::MAX {
            return Err(BadEncoding::Length);
        }
        Ok(Self(bytes))
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The length in four bytes, which is hashed before the tag.
    pub(crate) fn length(&self) -> [u8; 4] {
        u32::try_from(self.0.len())
            .unwrap_or(u32::MAX)
            .to_be_bytes()
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tag({})", self.0.escape_ascii())
    }
}

/// The name of a public key: the SHA-256 hash of its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub(crate) [u8; 32]);

impl Fingerprint {
    pub(crate) fn of(encoded_key: &[u8]) -> Self {
        let hash = Sha256::new_with_prefix(b"BF-V01-PK").chain_update(encoded_key);
        Self(hash.finalize().into())
    }

    /// A fingerprint from its bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The identifier of the value with this tag and index: a hash to residues mod `modulus`. The hash is 128 bits
    /// longer than the modulus, so the residue is statistically close to uniform.
    pub(crate) fn identifier(&self, tag: &Tag, index: u32, modulus: &BigUint) -> BigUint {
        let length = usize::try_from(modulus.bits() / 8).unwrap_or(usize::MAX) + 17;
        let mut bytes = vec![0; length];
        let index = index.to_be_bytes();
        Stream::new(&[b"BF-V01-ID", &self.0, &tag.length(), &tag.0, &index]).fill(&mut bytes);
        BigUint::from_bytes_be(&bytes) % modulus
    }
}
