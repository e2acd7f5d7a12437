//! `e(P, Q) · xᵉ` at little more than the cost of `e(P, Q)`.
//!
//! The Miller loop squares its value once for each bit of `|u|`. A power of an element of the target group consists of
//! four powers with exponents of the same length ([`Powers`]). So the exponentiation shares the squarings of the loop
//! and its final exponentiation. The final exponentiation raises an element of the target group to the power `κ`, so
//! the exponent is divided by `κ` beforehand.

use crate::{
    gt::{Gt, Powers},
    scalar::{NAF_LEN, U},
};
use ark_bls12_381::{Bls12_381, Config, Fq12, Fr, G1Affine, G2Affine};
use ark_ec::{
    bls12::{Bls12Config, G2Prepared},
    pairing::{MillerLoopOutput, Pairing},
    AffineRepr,
};
use ark_ff::{AdditiveGroup, Field, One};

/// Bits below the leading bit of `|u|`: the squarings of the loop.
const LOOP_LEN: usize = 63;

/// `−1/κ`, by which an exponent must be multiplied before [`pairing_times_power`].
///
/// With `p ≡ u`, the final exponentiation of an element of the target group is the power `κ = −2(u² + 1) · ((u −
/// 1)²·2u·(2u² − 1) + 3)` modulo `r`. The first factor is `(p⁶ − 1)(p² + 1)`, the second is the cube of the rest, with
/// arkworks' normalisation. The sign is from the last step of the loop, which inverts because `u` is negative.
pub(crate) fn exponent_factor() -> Fr {
    let (one, u) = (Fr::one(), -Fr::from(U));
    let square = u.square();
    let cube_of_rest = (u - one).square() * u.double() * (square.double() - one) + Fr::from(3u64);
    let factor = (square + one).double() * cube_of_rest;
    factor.inverse().expect("κ is not zero; checked by a test")
}

/// `e(p, q) · x^e`, where `powers` is for `x` and for `e` times [`exponent_factor`].
///
/// Cost: one pairing and about fifty multiplications.
pub(crate) fn pairing_times_power(p: &G1Affine, q: &G2Affine, powers: &Powers) -> Gt {
    let mut value = Fq12::one();
    for place in (LOOP_LEN..NAF_LEN).rev() {
        value.square_in_place();
        powers.multiply(&mut value, place);
    }
    let prepared = G2Prepared::<Config>::from(*q);
    let mut lines = prepared.ell_coeffs.into_iter();
    // A pairing with the identity is one and has no line functions.
    let finite = p.xy().filter(|_| !prepared.infinity);
    let mut line = |value: &mut Fq12| {
        if let (Some((x, y)), Some((c0, mut c1, mut c4))) = (finite, lines.next()) {
            c1.mul_assign_by_fp(&x);
            c4.mul_assign_by_fp(&y);
            value.mul_by_014(&c0, &c1, &c4);
        }
    };
    for place in (0..LOOP_LEN).rev() {
        value.square_in_place();
        line(&mut value);
        if (U >> place) & 1 == 1 {
            line(&mut value);
        }
        powers.multiply(&mut value, place);
    }
    const { assert!(Config::X_IS_NEGATIVE) };
    let value = MillerLoopOutput::<Bls12_381>(crate::gt::conjugate(value));
    let value = Bls12_381::final_exponentiation(value).expect("no factor is zero; qed");
    Gt::from_field_unchecked(value.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::Zero;

    #[test]
    fn pairing_and_power_in_one_loop_agree_with_each_by_itself() {
        let (g1, g2) = (G1Affine::generator(), G2Affine::generator());
        let x = Gt::pairing(&g1, &g2).pow(&Fr::from(5u64).pow([555]));
        for (index, exponent) in [
            Fr::zero(),
            Fr::one(),
            -Fr::one(),
            Fr::from(2u64).pow([64]),
            Fr::from(3u64).pow([4321]),
        ]
        .iter()
        .enumerate()
        {
            let p = (g1 * Fr::from(3 + index as u64)).into();
            let q = (g2 * Fr::from(17 * index as u64 + 1)).into();
            let powers = Powers::new(&x, &(*exponent * exponent_factor()));
            let expected = Gt::pairing(&p, &q).mul(&x.pow(exponent));
            assert_eq!(pairing_times_power(&p, &q, &powers), expected);
            let only_power = pairing_times_power(&p, &G2Affine::zero(), &powers);
            assert_eq!(only_power, x.pow(exponent));
        }
    }
}
