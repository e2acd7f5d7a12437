//! Products of points and scalars.

use super::{
    bases::{Base, Bases},
    scalars::{Scalars, Weight},
    sums::Sums,
};
use alloc::vec::Vec;

/// Multiplications.
///
/// Functions whose names end in `_secret` take no branch and no table index from the scalar on blst
/// (`Blst`, with `std`). The other back ends do not promise that, and no other function here does.
pub trait Multiplications: Scalars + Sums + Bases {
    /// `scalar · point`, for secret scalars.
    fn g1_mul_secret(point: &Self::G1, scalar: &Self::Scalar) -> Self::G1;
    /// `scalar · point`, for secret scalars.
    fn g2_mul_secret(point: &Self::G2, scalar: &Self::Scalar) -> Self::G2;

    /// `a·p + b·q`, for public inputs.
    fn g1_mul_add(a: &Self::Scalar, p: &Self::G1, b: &Self::Scalar, q: &Self::G1) -> Self::G1;
    /// `scalar · base`, for public inputs.
    fn g1_mul_public(scalar: &Self::Scalar, base: &Base<Self>) -> Self::G1 {
        Self::g1_mul_secret(base.point(), scalar)
    }
    /// `p + scalar · q`, for public inputs.
    fn g1_add_mul(p: &Self::G1, scalar: &Self::Scalar, q: &Base<Self>) -> Self::G1 {
        Self::g1_sum(&[p, &Self::g1_mul_public(scalar, q)])
    }
    /// `p + t·q` with a short public scalar.
    fn g1_add_mul_short(p: &Self::G1, t: u128, q: &Base<Self>) -> Self::G1;

    /// The sum of `scalar · point`, for public inputs; zero for none.
    fn g1_sum_of_products(terms: &[(Self::G1, Self::Scalar)]) -> Self::G1 {
        let products: Vec<_> = terms
            .iter()
            .map(|(point, scalar)| Self::g1_mul_secret(point, scalar))
            .collect();
        Self::g1_sum(&products.iter().collect::<Vec<_>>())
    }
    /// The sum of `weight · point`, for public inputs; zero for none.
    fn g1_weighted_sum(terms: &[(Self::G1, Weight)]) -> Self::G1 {
        let terms: Vec<_> = terms
            .iter()
            .map(|(point, weight)| (point.clone(), Self::scalar_from_weight(*weight)))
            .collect();
        Self::g1_sum_of_products(&terms)
    }
    /// Each `weight · point`, for public inputs.
    fn g1_times_weights(terms: &[(&Self::G1, Weight)]) -> Vec<Self::G1> {
        terms
            .iter()
            .map(|(point, weight)| Self::g1_mul_secret(point, &Self::scalar_from_weight(*weight)))
            .collect()
    }
}
