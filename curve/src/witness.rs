//! Witnesses of pairing equations, by which a verifier does without the final exponentiation. (docs/decisions/0062)
//!
//! Let `f` be the product of the Miller functions, with `r` the order of the groups and `z` the parameter of the curve.
//! The equation holds exactly when `f^((p¹² − 1)/r)` is one. A witness is a `c` for which `f·c^(|z| + p)` is in Fp6:
//!
//! - Where there is one, the equation holds. `(p¹² − 1)/r` is a multiple of `p⁶ − 1`, so that its power of elements of
//!   Fp6 is one; and `|z| + p = p − z` is a multiple of `r`, so that its power of `c^(p − z)` is a power of `c^(p¹² − 1)`.
//! - Where the equation holds, there is one. Modulo Fp6 the group has order `p⁶ + 1`, and the order of `f` divides
//!   `h = (p⁶ + 1)/r`. `p − z` has an inverse modulo `h`, and `c` is `1/f` to the power of it.
//!
//! Multiples of `c` by elements of Fp6 do as well, so that the one with `c = g + w` stands for all: it is encoded as `g`.

// Takes strangers' bytes. Operators are arkworks', whose fields have no overflow.
#![allow(clippy::arithmetic_side_effects)]

use crate::{
    encoding::{G1_LEN, G2_LEN},
    parameters::{BASE_FIELD_MODULUS, Z},
};
use ark_bls12_381::{Bls12_381, Fq, Fq12, Fq2, Fq6, G1Affine, G2Affine};
use ark_ec::pairing::Pairing;
use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField, Zero};
use ark_serialize::{CanonicalDeserialize, Compress, Validate};

/// Bytes of a coordinate.
const COORDINATE_LEN: usize = 48;
/// Bytes of a witness: the six coordinates of `g`, each big-endian.
pub const WITNESS_LEN: usize = 6 * COORDINATE_LEN;

/// `1/(p − z)` modulo `(p⁶ + 1)/r`, the lowest word first.
const EXPONENT: [u64; 32] = [
    0x1ba9_6721_a10e_4d5f,
    0x732c_faba_bee6_0e50,
    0xbdd3_82e8_d10c_85f3,
    0x3ad2_c08f_d8d4_87b5,
    0x32cd_1a9f_539e_5654,
    0xa1d1_0b54_c7fa_4151,
    0xf2b2_6615_99a7_b021,
    0x7cfe_b6f0_1875_9e1c,
    0x814e_2ceb_52ea_497e,
    0x2598_d536_041b_e736,
    0x7736_a9a3_fa8f_fb37,
    0xdc21_b689_f37b_2396,
    0x1999_647e_fe3a_0249,
    0x71d5_c7fa_cac6_36b8,
    0x713b_d578_60d7_4f33,
    0x25b4_2a62_d02a_82d3,
    0x9ba4_8478_78b9_5145,
    0xce86_f219_fc32_1dd0,
    0xacfb_0221_fcc0_8d23,
    0xeb32_e161_e085_4134,
    0x905c_c4e5_9e52_c088,
    0x0998_8d27_ec27_63fb,
    0xc49f_f71d_4e9f_fbe0,
    0x80ef_e4cd_be56_24a6,
    0xcb87_9e3f_1dbb_053e,
    0x7c22_530d_da51_3f95,
    0x9d09_5c31_c7b3_a952,
    0xfdac_0485_dea4_bfc5,
    0xcc46_be75_6a2e_3c7f,
    0x1d27_d7f0_9963_9182,
    0x2024_6922_9a58_5939,
    0x0000_263d_361b_f6a5,
];

/// The coordinates, if each is below the modulus.
pub(crate) fn coordinates(witness: &[u8; WITNESS_LEN]) -> Option<[[u8; COORDINATE_LEN]; 6]> {
    let mut coordinates = [[0; COORDINATE_LEN]; 6];
    for (to, from) in coordinates
        .iter_mut()
        .zip(witness.chunks_exact(COORDINATE_LEN))
    {
        to.copy_from_slice(from);
    }
    let is_reduced = |bytes: &[u8; COORDINATE_LEN]| *bytes < BASE_FIELD_MODULUS;
    coordinates.iter().all(is_reduced).then_some(coordinates)
}

/// Encoded points of both groups, which may be zero.
pub(crate) type Pair = ([u8; G1_LEN], [u8; G2_LEN]);

/// The product of the Miller functions of these pairs, conjugated because `z` is negative.
fn miller_loop(pairs: &[Pair]) -> Fq12 {
    fn decode<P: CanonicalDeserialize + Default>(bytes: &[u8]) -> P {
        // Encodings of points that were checked.
        P::deserialize_with_mode(bytes, Compress::Yes, Validate::No).unwrap_or_default()
    }
    let p = pairs.iter().map(|(p, _)| decode::<G1Affine>(p));
    let q = pairs.iter().map(|(_, q)| decode::<G2Affine>(q));
    Bls12_381::multi_miller_loop(p, q).0
}

/// The witness of an equation that holds. Of another one, it is a witness of nothing. Cost: some 3 000 products in Fp12.
pub(crate) fn find(pairs: &[Pair]) -> [u8; WITNESS_LEN] {
    // A conjugate is the inverse, but for a factor in Fp6.
    let c = miller_loop(pairs).pow(EXPONENT);
    let g = c.c0 * c.c1.inverse().unwrap_or(Fq6::ZERO);
    let mut witness = [0; WITNESS_LEN];
    let coordinates = [g.c0, g.c1, g.c2]
        .into_iter()
        .flat_map(|part| [part.c0, part.c1]);
    for (to, from) in witness.chunks_exact_mut(COORDINATE_LEN).zip(coordinates) {
        to.copy_from_slice(&from.into_bigint().to_bytes_be());
    }
    witness
}

/// Whether it is a witness of this equation.
pub(crate) fn holds(pairs: &[Pair], witness: &[u8; WITNESS_LEN]) -> bool {
    let Some(coordinates) = coordinates(witness) else {
        return false;
    };
    let [a, b, c, d, e, f] = coordinates.map(|bytes| Fq::from_be_bytes_mod_order(&bytes));
    let g = Fq6::new(Fq2::new(a, b), Fq2::new(c, d), Fq2::new(e, f));
    let c = Fq12::new(g, Fq6::ONE);
    let mut power = c.pow([Z]) * c.frobenius_map(1);
    let product = miller_loop(pairs) * power.conjugate_in_place();
    product.c1.is_zero() && !product.c0.is_zero()
}
