//! The two source groups of the pairing.

use core::fmt::Debug;

/// Points of G1 and G2.
///
/// Points are in the subgroup of order `r`, except invalid ones that [`Encodings`](super::Encodings) reads unchecked.
/// Intermediate results may be zero; decoded points never are.
pub trait Groups: Copy + Debug + Send + Sync + 'static {
    /// A point of G1.
    type G1: Clone + PartialEq + Debug + Send + Sync;
    /// A point of G2.
    type G2: Clone + PartialEq + Debug + Send + Sync;

    /// The generator `g1`.
    fn g1_generator() -> Self::G1;
    /// Whether the point is zero.
    fn g1_is_zero(point: &Self::G1) -> bool;
    /// `−point`.
    fn g1_neg(point: &Self::G1) -> Self::G1;

    /// The generator `g2`.
    fn g2_generator() -> Self::G2;
    /// Whether the point is zero.
    fn g2_is_zero(point: &Self::G2) -> bool;
}
