//! Points that are related to a good one, as an attacker makes them.

use crate::{
    judge::{g1, g2},
    odd::{compress, small_g1, small_g2},
};
use ark_bls12_381::{Fr, G1Affine};
use ark_ec::{AffineRepr, CurveGroup};

/// The sum of a good point of G1 and a point of small order.
pub(crate) fn plus_small(bytes: &[u8; 48], place: usize) -> [u8; 48] {
    match g1(bytes) {
        Ok(point) => compress(&(point.into_group() + small_g1(place)).into_affine()),
        Err(_) => *bytes,
    }
}

/// The sum of a good point of G2 and a point of small order.
pub(crate) fn plus_small_g2(bytes: &[u8; 96], place: usize) -> [u8; 96] {
    match g2(bytes) {
        Ok(point) => compress(&(point.into_group() + small_g2(place)).into_affine()),
        Err(_) => *bytes,
    }
}

/// The sum of a good point of G1 and a small multiple of the generator, or the difference.
pub(crate) fn plus_multiple(bytes: &[u8; 48], times: u8, minus: bool) -> [u8; 48] {
    let multiple = G1Affine::generator() * Fr::from(times);
    match g1(bytes) {
        Ok(point) if minus => compress(&(point.into_group() - multiple).into_affine()),
        Ok(point) => compress(&(point.into_group() + multiple).into_affine()),
        Err(_) => *bytes,
    }
}

/// The negative of a good point of G1.
pub(crate) fn minus(bytes: &[u8; 48]) -> [u8; 48] {
    compress(&-g1(bytes).expect("a good point"))
}

/// The double of a good point of G1.
pub(crate) fn twice(bytes: &[u8; 48]) -> [u8; 48] {
    let point = g1(bytes).expect("a good point");
    compress(&(point + point).into_affine())
}
