//! Compressed points: square roots, signs and subgroups. (ENC-1 to ENC-4)

// Takes strangers' bytes: stricter than the rest of `wasm`. Operators are those of field elements, with bounds in types.
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

use super::{
    fp::{add, sub, Fp},
    fp2::Fp2,
    multiples::times_z2,
    point::{Affine, Jacobian},
};
use crate::encoding::{
    check_encoding, PointError, COMPRESSED, FLAGS, G1_LEN, G2_LEN, INFINITY, LARGER_Y,
};
use ark_bls12_381::{g1, g2, Fq12Config, Fq6Config};
use ark_ec::short_weierstrass::SWCurveConfig;
use ark_ff::{Fp12Config, Fp6Config};

/// The curves' coefficients.
const B1: Fp = Fp::from_ark(g1::Config::COEFF_B);
const B2: Fp2 = Fp2::from_ark(g2::Config::COEFF_B);

/// One coordinate, without the flags that may be in its first byte.
fn coordinate(bytes: &[u8]) -> Fp {
    let mut plain = [0; G1_LEN];
    plain.copy_from_slice(bytes);
    plain[0] &= !FLAGS;
    Fp::from_bytes(&plain)
}

fn is_greater(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|first| first & LARGER_Y != 0)
}

/// A point of the curve, canonically encoded and not zero.
pub(super) fn decode_g1(bytes: &[u8; G1_LEN]) -> Result<Affine<Fp>, PointError> {
    check_encoding(bytes)?;
    let x = coordinate(bytes);
    let square = (x.square().mul(x) + B1).reduce();
    let y = square.sqrt_candidate();
    if !(y.square() - square).is_zero() {
        return Err(PointError::NotOnCurve);
    }
    let y = if y.is_high() == is_greater(bytes) {
        y
    } else {
        y.neg()
    };
    Ok(Affine { x, y })
}

/// `[|z|]` of the point, if it is in the subgroup: exactly when `φ(P) = −[z²]P` (Scott, eprint 2021/1130).
pub(super) fn check_g1(point: &Affine<Fp>) -> Result<Jacobian<Fp>, PointError> {
    let times_z = Jacobian::from(*point).times_z();
    if times_z.times_z().equals(&times_z2(point)) {
        Ok(times_z)
    } else {
        Err(PointError::NotInSubgroup)
    }
}

/// A point of the curve, canonically encoded and not zero.
pub(super) fn decode_g2(bytes: &[u8; G2_LEN]) -> Result<Affine<Fp2>, PointError> {
    check_encoding(bytes)?;
    let (c1, c0) = bytes.split_at(G1_LEN);
    let x = Fp2 {
        c0: coordinate(c0),
        c1: coordinate(c1),
    };
    let y = sqrt((x.square().mul(&x) + B2).reduce()).ok_or(PointError::NotOnCurve)?;
    let y = if is_high(y) == is_greater(bytes) {
        y
    } else {
        y.neg()
    };
    Ok(Affine { x, y })
}

/// Which of two square roots is the greater one: `c1` decides unless it is zero.
fn is_high(y: Fp2) -> bool {
    if y.c1.is_zero() {
        y.c0.is_high()
    } else {
        y.c1.is_high()
    }
}

/// A square root in `Fp2`, if there is one. Cost: two exponentiations in `Fp`.
pub(super) fn sqrt(square: Fp2) -> Option<Fp2> {
    let Fp2 { c0, c1 } = square;
    let norm = add::<1, 1, 2>(c0.square(), c1.square()).reduce();
    let root = norm.sqrt_candidate();
    // (c0 ± √norm)/2, one of which is the square of the root's first part; with c1 = 0 it may be zero, and then it
    // is the other.
    let with = |root: Fp| add::<1, 1, 2>(c0, root).mul(Fp::HALF);
    let t = Some(with(root))
        .filter(|t| !t.is_zero())
        .unwrap_or_else(|| with(root.neg()));
    // e² = ±1/t: the sign says whether t or −t is a square.
    let e = t.pow_quarter();
    let root_of_t = t.mul(e);
    let other = c1.mul(Fp::HALF).mul(e);
    let candidate = if sub::<1, 1, 3>(root_of_t.square(), t).is_zero() {
        Fp2 {
            c0: root_of_t,
            c1: other,
        }
    } else {
        Fp2 {
            c0: other.neg(),
            c1: root_of_t,
        }
    };
    (candidate.square() - square).is_zero().then_some(candidate)
}

/// Whether the point is in the subgroup: exactly when `ψ(Q) = [z]Q`, with `z` negative (Scott, eprint 2021/1130).
pub(super) fn check_g2(point: &Affine<Fp2>) -> Result<(), PointError> {
    let times_z = Jacobian::from(*point).times_z();
    if times_z.equals(&psi(point).neg()) {
        Ok(())
    } else {
        Err(PointError::NotInSubgroup)
    }
}

/// `γ² = ξ^((p − 1)/3)`, which is a cube root of one times `u`, and `γ³`, whose norm is −1.
#[allow(
    clippy::indexing_slicing,
    reason = "computed at compile time: an index outside does not compile"
)]
const GAMMA: Fp2 = Fp2::from_ark(Fq12Config::FROBENIUS_COEFF_FP12_C1[1]);
#[allow(
    clippy::indexing_slicing,
    reason = "computed at compile time: an index outside does not compile"
)]
const GAMMA_2: Fp2 = Fp2::from_ark(Fq6Config::FROBENIUS_COEFF_FP6_C1[1]);

/// The point taken off the twist, raised to the `p`th power and put back: `x̄/γ²` and `ȳ/γ³`.
pub(super) fn psi(point: &Affine<Fp2>) -> Affine<Fp2> {
    // With γ² = b·u and b³ = 1, 1/γ² is −b²·u; with N(γ³) = −1, 1/γ³ is minus the conjugate.
    let b = GAMMA_2.c1;
    let inverse_2 = Fp2 {
        c0: Fp::ZERO,
        c1: b.square().neg(),
    };
    let inverse_3 = GAMMA.mul(&GAMMA_2).conjugate().neg();
    Affine {
        x: point.x.conjugate().mul(&inverse_2),
        y: point.y.conjugate().mul(&inverse_3),
    }
}

/// Encodes, zero included.
pub(super) fn encode_g1(point: &Affine<Fp>) -> [u8; G1_LEN] {
    let mut bytes = point.x.to_bytes();
    bytes[0] |= flags(point.is_zero(), point.y.is_high());
    bytes
}

/// Encodes, zero included.
pub(super) fn encode_g2(point: &Affine<Fp2>) -> [u8; G2_LEN] {
    let mut bytes = [0; G2_LEN];
    let (c1, c0) = bytes.split_at_mut(G1_LEN);
    c1.copy_from_slice(&point.x.c1.to_bytes());
    c0.copy_from_slice(&point.x.c0.to_bytes());
    bytes[0] |= flags(point.is_zero(), is_high(point.y));
    bytes
}

fn flags(is_zero: bool, is_greater: bool) -> u8 {
    match (is_zero, is_greater) {
        (true, _) => COMPRESSED | INFINITY,
        (false, true) => COMPRESSED | LARGER_Y,
        (false, false) => COMPRESSED,
    }
}
