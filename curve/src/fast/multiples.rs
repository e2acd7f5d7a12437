//! Products of public points and scalars, with tables where there are some. Points may be any of the curve, zero
//! included.

use super::{
    batch::{Additions, BATCH, MIN_BATCH},
    comb::{Comb, CombScalar},
    point::{to_affine, Affine, Jacobian},
    tables::Tables,
    variable,
};
use crate::{digits::BaseZ, traits::Weight};
use alloc::vec::Vec;

/// `scalar · point`.
pub(crate) fn mul_public(scalar: &BaseZ, point: &Affine, tables: &Tables) -> Affine {
    mul(point, tables.get(point), scalar, &CombScalar::new(scalar)).to_affine()
}

/// A multiple of a point.
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

/// `p + t·q`.
pub(crate) fn add_mul_short(p: &Affine, t: u128, q: &Affine, tables: &Tables) -> Affine {
    let product = match tables.get(q) {
        Some(comb) => comb.mul(&CombScalar::short(t)),
        None => variable::mul_short(q, t),
    };
    product.add_affine(p).to_affine()
}

/// `weight · point` of each.
pub(crate) fn times_weights(points: &[Affine], weights: &[Weight]) -> Vec<Affine> {
    let mut additions = Additions::before_scalar_code();
    points
        .chunks(BATCH)
        .zip(weights.chunks(BATCH))
        .flat_map(|(points, weights)| {
            if points.len() >= MIN_BATCH {
                return variable::times_weights(points, weights, &mut additions);
            }
            let alone =
                |(point, weight): (&Affine, &Weight)| variable::times_weight(point, *weight);
            to_affine(&points.iter().zip(weights).map(alone).collect::<Vec<_>>())
        })
        .collect()
}
