//! Keywords: what a ciphertext is filed under.

use crate::{error::KeywordTooLong, hash};
use ark_bls12_381::Fr;

/// What a ciphertext is filed under and found by: any bytes.
///
/// Applications build keywords from fields, and then the fields must not run into each other: take
/// [`telemetry`](Self::telemetry) or [`of_fields`](Self::of_fields).
///
/// # Security
/// Whoever holds the trapdoor of a keyword that can be guessed learns the keyword.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyword {
    bytes: Vec<u8>,
    omega: Fr,
}

impl Keyword {
    /// The keyword of these bytes as they are.
    ///
    /// # Errors
    /// Four GiB of bytes or more.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, KeywordTooLong> {
        let bytes = bytes.into();
        let length = u32::try_from(bytes.len()).map_err(|_| KeywordTooLong {
            got: bytes.len(),
            most: u32::MAX as usize,
        })?;
        let omega = hash::keyword(&bytes, length);
        Ok(Self { bytes, omega })
    }

    /// The keyword of several fields, each with its length in two bytes before it.
    ///
    /// # Errors
    /// A field of 64 KiB or more.
    pub fn of_fields(fields: &[&[u8]]) -> Result<Self, KeywordTooLong> {
        Self::prefixed(fields).and_then(Self::new)
    }

    /// The keyword of a metric of a chain in an epoch: two fields with their lengths, and eight bytes for the epoch.
    ///
    /// # Errors
    /// A name of 64 KiB or more.
    pub fn telemetry(chain: &str, metric: &str, epoch: u64) -> Result<Self, KeywordTooLong> {
        let mut bytes = Self::prefixed(&[chain.as_bytes(), metric.as_bytes()])?;
        bytes.extend(epoch.to_be_bytes());
        Self::new(bytes)
    }

    fn prefixed(fields: &[&[u8]]) -> Result<Vec<u8>, KeywordTooLong> {
        let mut bytes = Vec::new();
        for field in fields {
            let length = u16::try_from(field.len()).map_err(|_| KeywordTooLong {
                got: field.len(),
                most: usize::from(u16::MAX),
            })?;
            bytes.extend(length.to_be_bytes());
            bytes.extend_from_slice(field);
        }
        Ok(bytes)
    }

    /// The bytes of the keyword.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The scalar that stands for the keyword.
    pub(crate) fn omega(&self) -> &Fr {
        &self.omega
    }
}
