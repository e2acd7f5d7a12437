//! Equations of pairings.

use super::encodings::Encodings;
use crate::encoding::{PointError, G2_LEN};
use alloc::vec;
use core::fmt::Debug;

/// Pairings of public points.
pub trait Pairings: Encodings {
    /// A point of G2 with the shared precomputation of its pairings.
    type G2Prepared: Debug + Send + Sync;

    /// Prepares a point for pairings.
    fn g2_prepare(point: &Self::G2) -> Self::G2Prepared;
    /// [`Encodings::g2_from_bytes`] for a point that goes into a pairing: the subgroup check and the Miller loop both
    /// compute `[z]` times the point, and share it where possible.
    ///
    /// # Errors
    /// The first broken rule of ENC-1 to ENC-4.
    fn g2_prepared_from_bytes(bytes: &[u8; G2_LEN]) -> Result<Self::G2Prepared, PointError> {
        Self::g2_from_bytes(bytes).map(|point| Self::g2_prepare(&point))
    }
    /// The point that was prepared.
    fn g2_of_prepared(prepared: &Self::G2Prepared) -> &Self::G2;

    /// Whether the product of the pairings of these pairs is one: Miller loops that share their squarings, one
    /// final exponentiation. A pairing with zero is one.
    fn pairing_product_is_one(pairs: &[(&Self::G1, &Self::G2)]) -> bool;
    /// Whether `e(left, g2)` is the product of the pairings on the right. Back ends that gain nothing from prepared
    /// points use [`Pairings::pairing_product_is_one`].
    fn equation_holds(left: &Self::G1, right: &[(&Self::G1, &Self::G2Prepared)]) -> bool {
        equation_holds_by_pairs::<Self>(left, right)
    }
}

/// [`Pairings::equation_holds`] by one product of pairings.
pub(crate) fn equation_holds_by_pairs<C: Pairings>(
    left: &C::G1,
    right: &[(&C::G1, &C::G2Prepared)],
) -> bool {
    let (left, g2) = (C::g1_neg(left), C::g2_generator());
    let mut pairs = vec![(&left, &g2)];
    pairs.extend(
        right
            .iter()
            .map(|(point, prepared)| (*point, C::g2_of_prepared(prepared))),
    );
    C::pairing_product_is_one(&pairs)
}
