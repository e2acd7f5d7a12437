//! Decoding as strangers make us do it.

use crate::allocation::peak_of;
use codec::{DecodeAll, Encode};
use std::fmt::Debug;

/// What a decoder may hold at once, per byte that it was given.
pub(crate) const PER_BYTE: usize = 4;
/// What a decoder may hold whatever it is given.
const AT_LEAST: usize = 1 << 16;

/// Decodes all of `bytes`: what decodes encodes to the same bytes, and the memory that it takes is bounded by how many
/// bytes there are, whatever they say.
pub(crate) fn decoded<T: DecodeAll + Encode + PartialEq + Debug>(bytes: &[u8]) -> Option<T> {
    decoded_by(bytes, PER_BYTE, |bytes| T::decode_all(&mut &*bytes).ok())
}

/// What is read of `bytes`; the memory that it takes is bounded by how many bytes there are, whatever they say.
pub(crate) fn bounded<T>(bytes: &[u8], per_byte: usize, read: impl Fn(&[u8]) -> T) -> T {
    let (value, peak) = peak_of(|| read(bytes));
    assert!(
        peak <= AT_LEAST + per_byte * bytes.len(),
        "{peak} bytes of memory for {} bytes",
        bytes.len()
    );
    value
}

/// [`decoded`] by another function, and with another bound on the memory per byte.
pub(crate) fn decoded_by<T: Encode + PartialEq + Debug>(
    bytes: &[u8],
    per_byte: usize,
    decode: impl Fn(&[u8]) -> Option<T>,
) -> Option<T> {
    let value = bounded(bytes, per_byte, decode)?;
    assert_eq!(value.encode(), bytes, "one encoding per value");
    Some(value)
}
