//! The lengths and the canonical form of encoded points, and why bytes are refused.
//!
//! Encodings are the usual compressed ones: big-endian, three flag bits on top. (ENC-1)

use crate::parameters::BASE_FIELD_MODULUS;

/// Bytes of a compressed point of G1.
pub const G1_LEN: usize = 48;
/// Bytes of a compressed point of G2.
pub const G2_LEN: usize = 96;
/// Bytes of a scalar.
pub const SCALAR_LEN: usize = 32;

/// Why bytes do not encode a point that the protocol accepts. All back ends give the same answer for the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PointError {
    /// ENC-1: a flag bit is wrong, a coordinate is not below the modulus, or infinity has stray bits.
    #[error("ENC-1: the encoding of the point is not canonical")]
    NotCanonical,
    /// ENC-2: the point at infinity is never a key, a signature or an aggregate.
    #[error("ENC-2: the point at infinity is refused")]
    Infinity,
    /// ENC-3: no point of the curve has this x.
    #[error("ENC-3: the point is not on the curve")]
    NotOnCurve,
    /// ENC-4: the point is on the curve, and outside of the subgroup of order `r`.
    #[error("ENC-4: the point is outside of the subgroup of prime order")]
    NotInSubgroup,
}

/// The flag of every compressed encoding.
pub(crate) const COMPRESSED: u8 = 0x80;
/// The flag of the point at infinity.
pub(crate) const INFINITY: u8 = 0x40;
/// The flag of a point whose `y` is the larger of the two roots.
#[cfg(any(feature = "std", target_arch = "wasm32"))]
pub(crate) const LARGER_Y: u8 = 0x20;
/// All flags of the first byte.
pub(crate) const FLAGS: u8 = 0xe0;

/// ENC-1 and ENC-2, before any arithmetic, so that all back ends agree on what is canonical.
pub(crate) fn check_encoding(bytes: &[u8]) -> Result<(), PointError> {
    let first = bytes.first().copied().unwrap_or_default();
    if first & COMPRESSED == 0 {
        return Err(PointError::NotCanonical);
    }
    if first & INFINITY != 0 {
        let stray = first != COMPRESSED | INFINITY || bytes.iter().skip(1).any(|b| *b != 0);
        return Err(if stray {
            PointError::NotCanonical
        } else {
            PointError::Infinity
        });
    }
    let [modulus_head, modulus_tail @ ..] = &BASE_FIELD_MODULUS;
    let is_reduced = |(at, x): (usize, &[u8])| {
        x.split_first().is_some_and(|(head, tail)| {
            // The flags of the first byte do not belong to its coordinate.
            let head = if at == 0 { head & !FLAGS } else { *head };
            (head, tail) < (*modulus_head, modulus_tail.as_slice())
        })
    };
    let mut coordinates = bytes.chunks(BASE_FIELD_MODULUS.len()).enumerate();
    if coordinates.all(is_reduced) {
        Ok(())
    } else {
        Err(PointError::NotCanonical)
    }
}
