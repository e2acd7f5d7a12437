//! Encoding and decoding of points. Every point has a unique encoding, and decoding checks the group.

use crate::{
    error::{LengthError, PointError},
    suite::{G1_LEN, G2_LEN},
};
use ark_bls12_381::{G1Affine, G2Affine};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, Compress, Validate};

/// A reader of fields with known lengths, over bytes of checked length.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    length: LengthError,
}

impl<'a> Reader<'a> {
    /// # Errors
    /// The length is wrong.
    pub(crate) fn exactly(expected: usize, bytes: &'a [u8]) -> Result<Self, LengthError> {
        let length = LengthError {
            expected,
            got: bytes.len(),
        };
        if length.got == length.expected {
            Ok(Self {
                rest: bytes,
                length,
            })
        } else {
            Err(length)
        }
    }

    /// # Errors
    /// Fewer bytes are left.
    pub(crate) fn take<const N: usize>(&mut self) -> Result<&'a [u8; N], LengthError> {
        let (field, rest) = self.rest.split_first_chunk().ok_or(self.length)?;
        self.rest = rest;
        Ok(field)
    }
}

/// Concatenates fields.
pub(crate) fn concat<const N: usize>(fields: &[&[u8]]) -> [u8; N] {
    let mut out = [0; N];
    let mut rest = &mut out[..];
    for field in fields {
        let (head, tail) = rest.split_at_mut(field.len());
        head.copy_from_slice(field);
        rest = tail;
    }
    debug_assert!(rest.is_empty());
    out
}

pub(crate) fn g1_to_bytes(point: &G1Affine) -> [u8; G1_LEN] {
    let mut bytes = [0; G1_LEN];
    point
        .serialize_compressed(&mut bytes[..])
        .expect("a compressed point of G1 has 48 bytes; qed");
    bytes
}

pub(crate) fn g2_to_bytes(point: &G2Affine) -> [u8; G2_LEN] {
    let mut bytes = [0; G2_LEN];
    point
        .serialize_compressed(&mut bytes[..])
        .expect("a compressed point of G2 has 96 bytes; qed");
    bytes
}

pub(crate) fn g1_from_bytes(bytes: &[u8; G1_LEN]) -> Result<G1Affine, PointError> {
    let point = G1Affine::deserialize_with_mode(&bytes[..], Compress::Yes, Validate::No)
        .map_err(|_| PointError::Encoding)?;
    // The curve library's decoder accepts more than the canonical encoding, for example extra bits of the identity.
    if g1_to_bytes(&point) != *bytes {
        return Err(PointError::Encoding);
    }
    point
        .is_in_correct_subgroup_assuming_on_curve()
        .then_some(point)
        .ok_or(PointError::Subgroup)
}

pub(crate) fn g2_from_bytes(bytes: &[u8; G2_LEN]) -> Result<G2Affine, PointError> {
    let point = G2Affine::deserialize_with_mode(&bytes[..], Compress::Yes, Validate::No)
        .map_err(|_| PointError::Encoding)?;
    if g2_to_bytes(&point) != *bytes {
        return Err(PointError::Encoding);
    }
    point
        .is_in_correct_subgroup_assuming_on_curve()
        .then_some(point)
        .ok_or(PointError::Subgroup)
}
