//! Multiplication of points by secrets and inversion of secrets, in constant time, by blst.
//!
//! All `unsafe` code of the crate is in this file.

#![allow(unsafe_code, reason = "calls blst")]

use crate::scalar;
use ark_bls12_381::{Fq, Fq2, Fr, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use ark_ff::BigInt;
use blst::{
    blst_bendian_from_scalar, blst_fp, blst_fp2, blst_lendian_from_scalar, blst_p1, blst_p1_affine,
    blst_p1_from_affine, blst_p1_mult, blst_p1_to_affine, blst_p2, blst_p2_affine,
    blst_p2_from_affine, blst_p2_mult, blst_p2_to_affine, blst_scalar, blst_scalar_from_bendian,
    blst_sk_inverse,
};
use zeroize::{Zeroize, Zeroizing};

/// The number of scalar bits that blst reads.
const SCALAR_BITS: usize = 256;

/// A scalar in blst's representation, wiped on drop.
struct Secret(blst_scalar);

impl Secret {
    fn new(scalar: &Fr) -> Self {
        let bytes = Zeroizing::new(scalar::to_bytes(scalar));
        let mut out = Self(blst_scalar::default());
        // SAFETY: blst reads 32 bytes, the length of the array, and writes to a live scalar.
        unsafe { blst_scalar_from_bendian(&mut out.0, bytes.as_ptr()) };
        out
    }

    fn little_endian(&self) -> Zeroizing<[u8; 32]> {
        let mut bytes = Zeroizing::new([0; 32]);
        // SAFETY: blst writes 32 bytes, the length of the array, and reads a live scalar.
        unsafe { blst_lendian_from_scalar(bytes.as_mut_ptr(), &self.0) };
        bytes
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.b.zeroize();
    }
}

/// The inverse of a non-zero scalar.
pub(crate) fn inverse(scalar: &Fr) -> Zeroizing<Fr> {
    let mut out = Secret(blst_scalar::default());
    let mut bytes = Zeroizing::new([0; 32]);
    // SAFETY: the scalars are live, initialised values; blst writes 32 bytes, the length of `bytes`.
    unsafe {
        blst_sk_inverse(&mut out.0, &Secret::new(scalar).0);
        blst_bendian_from_scalar(bytes.as_mut_ptr(), &out.0);
    }
    Zeroizing::new(scalar::from_bytes(&bytes).expect("an inverse is reduced; qed"))
}

/// A multiple of a point of G1. The point must not be the identity.
pub(crate) fn mul_g1(point: &G1Affine, scalar: &Fr) -> G1Affine {
    let point = blst_p1_affine {
        x: to_blst(&point.x),
        y: to_blst(&point.y),
    };
    let scalar = Secret::new(scalar).little_endian();
    let (mut base, mut product) = (blst_p1::default(), blst_p1::default());
    let mut out = blst_p1_affine::default();
    // SAFETY: all points are live, initialised values; `SCALAR_BITS` is 256, so blst reads the 32 bytes of `scalar`.
    unsafe {
        blst_p1_from_affine(&mut base, &point);
        blst_p1_mult(&mut product, &base, scalar.as_ptr(), SCALAR_BITS);
        blst_p1_to_affine(&mut out, &product);
    }
    // blst represents the identity by two zero coordinates. No other point of the curve has these coordinates.
    if out == blst_p1_affine::default() {
        return G1Affine::zero();
    }
    G1Affine::new_unchecked(from_blst(&out.x), from_blst(&out.y))
}

/// A multiple of a point of G2. The point must not be the identity.
pub(crate) fn mul_g2(point: &G2Affine, scalar: &Fr) -> G2Affine {
    let point = blst_p2_affine {
        x: to_blst2(&point.x),
        y: to_blst2(&point.y),
    };
    let scalar = Secret::new(scalar).little_endian();
    let (mut base, mut product) = (blst_p2::default(), blst_p2::default());
    let mut out = blst_p2_affine::default();
    // SAFETY: all points are live, initialised values; `SCALAR_BITS` is 256, so blst reads the 32 bytes of `scalar`.
    unsafe {
        blst_p2_from_affine(&mut base, &point);
        blst_p2_mult(&mut product, &base, scalar.as_ptr(), SCALAR_BITS);
        blst_p2_to_affine(&mut out, &product);
    }
    if out == blst_p2_affine::default() {
        return G2Affine::zero();
    }
    G2Affine::new_unchecked(from_blst2(&out.x), from_blst2(&out.y))
}

// Both libraries store a coordinate as six limbs in Montgomery form with the same radix.

fn to_blst(coordinate: &Fq) -> blst_fp {
    blst_fp { l: coordinate.0 .0 }
}

fn from_blst(coordinate: &blst_fp) -> Fq {
    Fq::new_unchecked(BigInt::new(coordinate.l))
}

fn to_blst2(coordinate: &Fq2) -> blst_fp2 {
    blst_fp2 {
        fp: [to_blst(&coordinate.c0), to_blst(&coordinate.c1)],
    }
}

fn from_blst2(coordinate: &blst_fp2) -> Fq2 {
    let [c0, c1] = &coordinate.fp;
    Fq2::new(from_blst(c0), from_blst(c1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::{Field, One, Zero};

    fn scalars() -> Vec<Fr> {
        let mut scalars = vec![Fr::one(), -Fr::one(), Fr::from(2u64)];
        scalars.extend((2..12u64).map(|n| Fr::from(n).pow([n * 1_000_003])));
        scalars
    }

    #[test]
    fn multiples_agree_with_those_of_arkworks() {
        let (g1, g2) = (G1Affine::generator(), G2Affine::generator());
        for scalar in scalars() {
            assert_eq!(mul_g1(&g1, &scalar), g1 * scalar);
            assert_eq!(mul_g2(&g2, &scalar), g2 * scalar);
            let (p, q) = ((g1 * scalar).into(), (g2 * scalar).into());
            assert_eq!(mul_g1(&p, &scalar), p * scalar);
            assert_eq!(mul_g2(&q, &scalar), q * scalar);
        }
        assert!(mul_g1(&g1, &Fr::zero()).is_zero());
        assert!(mul_g2(&g2, &Fr::zero()).is_zero());
    }

    #[test]
    fn the_inverse_times_the_scalar_is_one() {
        for scalar in scalars() {
            assert_eq!(*inverse(&scalar) * scalar, Fr::one());
        }
    }
}
