//! Equations of pairings.

use super::encodings::Encodings;
use crate::{
    encoding::{PointError, G2_LEN},
    witness::{self, WITNESS_LEN},
};
use alloc::{vec, vec::Vec};
use core::{fmt::Debug, iter::once};

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
    /// The same by a witness from [`Pairings::equation_witness`], which spares WASM the final exponentiation. Where this
    /// is true, the equation holds; with a wrong witness it is false. Where the node computes pairings, the witness is
    /// ignored.
    fn equation_holds_by(
        left: &Self::G1,
        right: &[(&Self::G1, &Self::G2Prepared)],
        witness: &[u8; WITNESS_LEN],
    ) -> bool {
        witness::holds(&encoded_pairs::<Self>(left, right), witness)
    }
    /// The witness of an equation that holds; of another one, a witness of nothing.
    fn equation_witness(
        left: &Self::G1,
        right: &[(&Self::G1, &Self::G2Prepared)],
    ) -> [u8; WITNESS_LEN] {
        witness::find(&encoded_pairs::<Self>(left, right))
    }
}

/// The pairs whose product of pairings is one when the equation holds.
fn encoded_pairs<C: Pairings>(
    left: &C::G1,
    right: &[(&C::G1, &C::G2Prepared)],
) -> Vec<witness::Pair> {
    let (left, g2) = (C::g1_to_bytes(&C::g1_neg(left)), C::g2_generator());
    let right = right
        .iter()
        .map(|(p, q)| (C::g1_to_bytes(p), C::g2_to_bytes(C::g2_of_prepared(q))));
    once((left, C::g2_to_bytes(&g2))).chain(right).collect()
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
