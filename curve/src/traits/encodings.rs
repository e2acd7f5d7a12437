//! Points from bytes and back.

use super::groups::Groups;
use crate::encoding::{PointError, G1_LEN, G2_LEN};

/// Decoding and encoding of points.
///
/// Functions whose names end in `_unchecked` do not check the subgroup: they are for points that were checked before
/// they were stored.
pub trait Encodings: Groups {
    /// Decodes a point of G1 and checks that it is in the subgroup.
    ///
    /// # Errors
    /// The first broken rule of ENC-1 to ENC-4.
    fn g1_from_bytes(bytes: &[u8; G1_LEN]) -> Result<Self::G1, PointError>;
    /// Decodes a point of G1 that was checked before it was stored: canonical and on the curve, but without
    /// the subgroup check.
    ///
    /// # Errors
    /// The first broken rule of ENC-1 to ENC-3.
    fn g1_from_stored_unchecked(bytes: &[u8; G1_LEN]) -> Result<Self::G1, PointError>;
    /// Encodes a point of G1, zero included.
    fn g1_to_bytes(point: &Self::G1) -> [u8; G1_LEN];

    /// Decodes a point of G2 and checks that it is in the subgroup.
    ///
    /// # Errors
    /// The first broken rule of ENC-1 to ENC-4.
    fn g2_from_bytes(bytes: &[u8; G2_LEN]) -> Result<Self::G2, PointError>;
    /// Decodes a point of G2 that was checked before it was stored, without the subgroup check.
    ///
    /// # Errors
    /// The first broken rule of ENC-1 to ENC-3.
    fn g2_from_stored_unchecked(bytes: &[u8; G2_LEN]) -> Result<Self::G2, PointError>;
    /// Encodes a point of G2, zero included.
    fn g2_to_bytes(point: &Self::G2) -> [u8; G2_LEN];
}
