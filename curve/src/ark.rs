//! Arkworks: portable, `no_std`, not constant-time.

use crate::{
    encoding::{check_encoding, PointError, G1_LEN, G2_LEN, SCALAR_LEN},
    traits::{
        Base, Bases, Dleq, Encodings, Groups, Hashing, Multiplications, Pairings, Purpose, Scalars,
        Sums,
    },
};
use ark_bls12_381::{Bls12_381, Fr, G1Affine, G1Projective, G2Affine, G2Projective};
use ark_ec::{
    hashing::{curve_maps::wb::WBMap, map_to_curve_hasher::MapToCurveBasedHasher, HashToCurve},
    pairing::Pairing,
    AffineRepr, CurveGroup,
};
use ark_ff::{field_hashers::DefaultFieldHasher, PrimeField, Zero};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, Compress, Validate};
use sha2::Sha256;

/// The arkworks back end.
#[derive(Clone, Copy, Debug)]
pub struct Ark;

type Hasher = MapToCurveBasedHasher<
    G1Projective,
    DefaultFieldHasher<Sha256, 128>,
    WBMap<ark_bls12_381::g1::Config>,
>;

#[allow(
    clippy::expect_used,
    reason = "N is the compressed size of the type, and every encoding is pinned by tests"
)]
fn encode<const N: usize>(value: &impl CanonicalSerialize) -> [u8; N] {
    let mut bytes = [0; N];
    value
        .serialize_compressed(&mut bytes[..])
        .expect("N is the compressed size of the type; qed");
    bytes
}

fn decode<P: CanonicalDeserialize>(bytes: &[u8]) -> Result<P, PointError> {
    check_encoding(bytes)?;
    P::deserialize_with_mode(bytes, Compress::Yes, Validate::No).map_err(|_| PointError::NotOnCurve)
}

fn sum<G: CurveGroup>(points: &[&G::Affine]) -> G::Affine {
    points
        .iter()
        .fold(G::zero(), |sum, point| sum + **point)
        .into_affine()
}

impl Scalars for Ark {
    type Scalar = Fr;

    fn scalar_from_bytes(bytes: &[u8; SCALAR_LEN]) -> Option<Fr> {
        Fr::deserialize_compressed(&bytes[..]).ok()
    }

    fn scalar_to_bytes(scalar: &Fr) -> [u8; SCALAR_LEN] {
        encode(scalar)
    }

    fn scalar_from_wide(bytes: &[u8; 48]) -> Fr {
        Fr::from_be_bytes_mod_order(bytes)
    }

    fn scalar_sub_mul(a: &Fr, b: &Fr, c: &Fr) -> Fr {
        *a - *b * *c
    }
}

impl Groups for Ark {
    type G1 = G1Affine;
    type G2 = G2Affine;

    fn g1_generator() -> G1Affine {
        G1Affine::generator()
    }

    fn g1_is_zero(point: &G1Affine) -> bool {
        point.is_zero()
    }

    fn g1_neg(point: &G1Affine) -> G1Affine {
        -*point
    }

    fn g2_generator() -> G2Affine {
        G2Affine::generator()
    }

    fn g2_is_zero(point: &G2Affine) -> bool {
        point.is_zero()
    }
}

impl Encodings for Ark {
    fn g1_from_bytes(bytes: &[u8; G1_LEN]) -> Result<G1Affine, PointError> {
        let point = Self::g1_from_stored_unchecked(bytes)?;
        point
            .is_in_correct_subgroup_assuming_on_curve()
            .then_some(point)
            .ok_or(PointError::NotInSubgroup)
    }

    fn g1_from_stored_unchecked(bytes: &[u8; G1_LEN]) -> Result<G1Affine, PointError> {
        decode(bytes)
    }

    fn g1_to_bytes(point: &G1Affine) -> [u8; G1_LEN] {
        encode(point)
    }

    fn g2_from_bytes(bytes: &[u8; G2_LEN]) -> Result<G2Affine, PointError> {
        let point = Self::g2_from_stored_unchecked(bytes)?;
        point
            .is_in_correct_subgroup_assuming_on_curve()
            .then_some(point)
            .ok_or(PointError::NotInSubgroup)
    }

    fn g2_from_stored_unchecked(bytes: &[u8; G2_LEN]) -> Result<G2Affine, PointError> {
        decode(bytes)
    }

    fn g2_to_bytes(point: &G2Affine) -> [u8; G2_LEN] {
        encode(point)
    }
}

impl Sums for Ark {
    type SubsetCache = ();

    fn g1_sum(points: &[&G1Affine]) -> G1Affine {
        sum::<G1Projective>(points)
    }

    fn g1_sub(a: &G1Affine, b: &G1Affine) -> G1Affine {
        (a.into_group() - b).into_affine()
    }

    fn g2_sum(points: &[&G2Affine]) -> G2Affine {
        sum::<G2Projective>(points)
    }
}

impl Bases for Ark {
    type Tables = ();

    fn tables(_: &G1Affine, _: Purpose) {}

    fn generator_tables() {}
}

impl Multiplications for Ark {
    fn g1_mul_secret(point: &G1Affine, scalar: &Fr) -> G1Affine {
        (*point * *scalar).into_affine()
    }

    fn g2_mul_secret(point: &G2Affine, scalar: &Fr) -> G2Affine {
        (*point * *scalar).into_affine()
    }

    fn g1_mul_add(a: &Fr, p: &G1Affine, b: &Fr, q: &G1Affine) -> G1Affine {
        (*p * *a + *q * *b).into_affine()
    }

    fn g1_add_mul_short(p: &G1Affine, t: u128, q: &Base<Self>) -> G1Affine {
        let t = Fr::from(t).into_bigint();
        (q.point().mul_bigint(t) + p).into_affine()
    }
}

impl Hashing for Ark {
    #[allow(
        clippy::expect_used,
        reason = "the map of this curve is defined on the whole field"
    )]
    fn hash_to_g1(dst: &[u8], message: &[u8]) -> G1Affine {
        Hasher::new(dst)
            .and_then(|hasher| hasher.hash(message))
            .expect("the map is defined on the whole field of this curve; qed")
    }
}

impl Pairings for Ark {
    type G2Prepared = G2Affine;

    fn g2_prepare(point: &G2Affine) -> G2Affine {
        *point
    }

    fn g2_of_prepared(prepared: &G2Affine) -> &G2Affine {
        prepared
    }

    fn pairing_product_is_one(pairs: &[(&G1Affine, &G2Affine)]) -> bool {
        let left = pairs.iter().map(|(a, _)| *a);
        let right = pairs.iter().map(|(_, b)| *b);
        Bls12_381::multi_pairing(left, right).is_zero()
    }
}

impl Dleq for Ark {}
