//! Products of public points and scalars, with tables where there are some.

use super::{
    batch::{Additions, BATCH, MIN_BATCH},
    comb::{Comb, CombScalar},
    point::{to_affine, Affine, Jacobian},
    tables::Tables,
    variable,
};
use crate::{digits::BaseZ, traits::Weight};
use alloc::vec::Vec;

/// `scalar · point` for a point of G1, which may be zero.
pub(crate) fn mul_public(scalar: &BaseZ, point: &Affine, tables: &Tables) -> Affine {
    if point.is_zero() {
        return *point;
    }
    mul(point, tables.get(point), scalar, &CombScalar::new(scalar)).to_affine()
}

/// A multiple of a point of G1, which is not zero.
pub(super) fn mul(
    point: &Affine,
    tables: Option<&Comb>,
    scalar: &BaseZ,
    for_comb: &CombScalar,
) -> Jacobian {
    match tables {
        Some(comb) => comb.mul(for_comb),
        None => variable::mul(point, scalar),
    }
}

/// `p + t·q` for a point `p` of the curve and a point `q` of G1, which may be zero.
///
/// Without tables `q` may be any point of the curve. Tables of a point of small order hold infinity, which a
/// multiplication with tables has no case for: keys and totals of sets are in G1, because the chain checked each key.
pub(crate) fn add_mul_short(p: &Affine, t: u128, q: &Affine, tables: &Tables) -> Affine {
    if q.is_zero() {
        return *p;
    }
    let product = match tables.get(q) {
        Some(comb) => comb.mul(&CombScalar::short(t)),
        None => variable::mul_short(q, t),
    };
    let sum = if p.is_zero() {
        product
    } else {
        product.add_affine(p)
    };
    sum.to_affine()
}

/// `weight · point` of points of G1, which may be zero.
pub(crate) fn times_weights(points: &[Affine], weights: &[Weight]) -> Vec<Affine> {
    let mut additions = Additions::before_scalar_code();
    points
        .chunks(BATCH)
        .zip(weights.chunks(BATCH))
        .flat_map(|(points, weights)| {
            if points.len() >= MIN_BATCH {
                return variable::times_weights(points, weights, &mut additions);
            }
            let alone = |(point, weight): (&Affine, &Weight)| {
                if point.is_zero() {
                    Jacobian::ZERO
                } else {
                    variable::times_weight(point, *weight)
                }
            };
            to_affine(&points.iter().zip(weights).map(alone).collect::<Vec<_>>())
        })
        .collect()
}
