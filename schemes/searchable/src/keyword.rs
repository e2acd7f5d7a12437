//! Keywords, by which ciphertexts are found.

use crate::{error::KeywordTooLong, hash};
use ark_bls12_381::Fr;

/// A keyword: arbitrary bytes. Ciphertexts are encrypted under a keyword and found by it.
///
/// To build a keyword from several fields, use [`telemetry`](Self::telemetry) or [`of_fields`](Self::of_fields): these
/// encodings are injective.
///
/// # Security
/// A holder of the trapdoor of a guessable keyword can find out the keyword.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyword {
    bytes: Vec<u8>,
    omega: Fr,
}

impl Keyword {
    /// The keyword with exactly these bytes.
    ///
    /// # Errors
    /// The keyword has 4 GiB or more.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, KeywordTooLong> {
        let bytes = bytes.into();
        let length = u32::try_from(bytes.len()).map_err(|_| KeywordTooLong {
            got: bytes.len(),
            most: u32::MAX as usize,
        })?;
        let omega = hash::keyword(&bytes, length);
        Ok(Self { bytes, omega })
    }

    /// The keyword of several fields, each preceded by its length in two bytes.
    ///
    /// # Errors
    /// A field has 64 KiB or more.
    pub fn of_fields(fields: &[&[u8]]) -> Result<Self, KeywordTooLong> {
        Self::prefixed(fields).and_then(Self::new)
    }

    /// The keyword of a metric of a chain in an epoch: two length-prefixed fields, and eight bytes for the epoch.
    ///
    /// # Errors
    /// A name has 64 KiB or more.
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

    /// The scalar that the keyword hashes to.
    pub(crate) fn omega(&self) -> &Fr {
        &self.omega
    }
}
