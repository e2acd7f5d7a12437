//! Encodings of points and scalars, and hashing to the curve.

use crate::odd::compress;
use ark_bls12_381::{
    g1::Config as G1Config, g2::Config as G2Config, Fq, Fq2, Fr, G1Affine, G1Projective, G2Affine,
};
use ark_ec::{
    hashing::{curve_maps::wb::WBMap, map_to_curve_hasher::MapToCurveBasedHasher, HashToCurve},
    short_weierstrass::{Affine, SWCurveConfig},
    AffineRepr,
};
use ark_ff::{field_hashers::DefaultFieldHasher, BigInt, PrimeField, Zero};
use duet_curve::PointError;
use duet_primitives::suite;
use sha2::Sha256;

const COMPRESSED: u8 = 0x80;
const INFINITY: u8 = 0x40;
const SIGN: u8 = 0x20;

/// The coordinates of an encoding and whether `y` is the greater of the two. (ENC-1, ENC-2)
fn coordinates(bytes: &[u8]) -> Result<(Vec<Fq>, bool), PointError> {
    let flags = bytes[0];
    let mut body = bytes.to_vec();
    body[0] &= !(COMPRESSED | INFINITY | SIGN);
    if flags & COMPRESSED == 0 {
        return Err(PointError::NotCanonical);
    }
    if flags & INFINITY != 0 {
        let is_plain = flags & SIGN == 0 && body.iter().all(|byte| *byte == 0);
        return Err(if is_plain {
            PointError::Infinity
        } else {
            PointError::NotCanonical
        });
    }
    let coordinates: Option<Vec<_>> = body.chunks(48).map(coordinate).collect();
    let coordinates = coordinates.ok_or(PointError::NotCanonical)?;
    Ok((coordinates, flags & SIGN != 0))
}

fn coordinate(bytes: &[u8]) -> Option<Fq> {
    let mut limbs = [0; 6];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.rchunks(8)) {
        *limb = u64::from_be_bytes(chunk.try_into().ok()?);
    }
    Fq::from_bigint(BigInt(limbs))
}

/// ENC-1 to ENC-3.
pub(super) fn g1_on_curve(bytes: &[u8; 48]) -> Result<G1Affine, PointError> {
    let (x, greatest) = coordinates(bytes)?;
    Affine::get_point_from_x_unchecked(x[0], greatest).ok_or(PointError::NotOnCurve)
}

/// ENC-3 and ENC-4; the order of the point is found by multiplication with `r`.
fn of_order_r<P: SWCurveConfig<ScalarField = Fr>>(
    x: P::BaseField,
    greatest: bool,
) -> Result<Affine<P>, PointError> {
    let point = Affine::get_point_from_x_unchecked(x, greatest).ok_or(PointError::NotOnCurve)?;
    if !point.mul_bigint(Fr::MODULUS).is_zero() {
        return Err(PointError::NotInSubgroup);
    }
    Ok(point)
}

/// A point of G1. (ENC-1 to ENC-4)
///
/// # Errors
/// The first broken rule.
pub(crate) fn g1(bytes: &[u8; 48]) -> Result<G1Affine, PointError> {
    let (x, greatest) = coordinates(bytes)?;
    of_order_r::<G1Config>(x[0], greatest)
}

/// A point of G2. (ENC-1 to ENC-4)
///
/// # Errors
/// The first broken rule.
pub(crate) fn g2(bytes: &[u8; 96]) -> Result<G2Affine, PointError> {
    let (x, greatest) = coordinates(bytes)?;
    of_order_r::<G2Config>(Fq2::new(x[1], x[0]), greatest)
}

/// A scalar. (ENC-5)
pub(crate) fn scalar(bytes: &[u8; 32]) -> Option<Fr> {
    let mut limbs = [0; 4];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.chunks(8)) {
        *limb = u64::from_le_bytes(chunk.try_into().ok()?);
    }
    Fr::from_bigint(BigInt(limbs))
}

/// RFC 9380 `XMD:SHA-256_SSWU_RO` to G1.
pub(crate) fn hash_to_g1(dst: &[u8], message: &[u8]) -> G1Affine {
    type Hasher =
        MapToCurveBasedHasher<G1Projective, DefaultFieldHasher<Sha256, 128>, WBMap<G1Config>>;
    Hasher::new(dst)
        .and_then(|hasher| hasher.hash(message))
        .expect("the map is defined on the whole field of this curve")
}

/// `H(m)` under a ciphersuite. (MSG-1)
pub(super) fn message_point(ciphersuite: &[u8], message: &[u8]) -> G1Affine {
    hash_to_g1(suite::HASH_TO_CURVE_DST, &[ciphersuite, message].concat())
}

/// `H(m)` of what validators sign, encoded.
pub(crate) fn signed_point(signed: &[u8]) -> [u8; 48] {
    compress(&message_point(suite::SIGNATURE_SUITE, signed))
}
