//! Decoding of untrusted bytes. Every length is checked.

use super::error::BadEncoding;
use num_bigint::BigUint;

/// The version byte of encoded keys.
pub(crate) const VERSION: u8 = 1;

/// A reader over bytes.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], BadEncoding> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(BadEncoding::Length)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], BadEncoding> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(BadEncoding::Length)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(crate) fn version(&mut self) -> Result<(), BadEncoding> {
        match self.array()? {
            [VERSION] => Ok(()),
            [got] => Err(BadEncoding::Version { got }),
        }
    }

    /// A number, preceded by its length in four bytes. It has at most `longest` bytes.
    pub(crate) fn number(&mut self, longest: usize) -> Result<&'a [u8], BadEncoding> {
        let length = usize::try_from(u32::from_be_bytes(self.array()?));
        let length = length.map_err(|_| BadEncoding::TooLarge)?;
        if length > longest {
            return Err(BadEncoding::TooLarge);
        }
        self.take(length)
    }

    pub(crate) fn end(self) -> Result<(), BadEncoding> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(BadEncoding::Length)
        }
    }
}

/// Appends a number in `length` bytes, preceded by this length in four bytes.
pub(crate) fn put_number(out: &mut Vec<u8>, number: &BigUint, length: usize) {
    let bytes = number.to_bytes_be();
    let prefix = u32::try_from(length).unwrap_or(u32::MAX);
    out.extend_from_slice(&prefix.to_be_bytes());
    out.resize(out.len() + length.saturating_sub(bytes.len()), 0);
    out.extend_from_slice(&bytes);
}

/// The number of bytes that a number needs.
pub(crate) fn byte_length(number: &BigUint) -> usize {
    usize::try_from(number.bits().div_ceil(8)).unwrap_or(usize::MAX)
}
