//! Points of small order, which are on the curves and outside of their subgroups, and products of them bit by bit.

use crate::{
    digits::BaseZ,
    parameters::Z,
    traits::{Encodings, Groups},
    Blst,
};
use alloc::vec::Vec;
use ark_bls12_381::{g1, Fq};
use ark_ec::{
    short_weierstrass::{Affine as ArkAffine, SWCurveConfig},
    AffineRepr, CurveGroup,
};
use ark_ff::PrimeField;
use ark_serialize::CanonicalSerialize;

/// The prime factors of the cofactor of G1.
pub(crate) const IN_G1: [u64; 5] = [3, 11, 10_177, 859_267, 52_437_899];
/// The small prime factors of the cofactor of G2.
pub(crate) const IN_G2: [u64; 5] = [13, 23, 2713, 11_953, 262_069];

/// A point of the curve whose order is this prime, which divides the cofactor.
pub(crate) fn of_order<P: SWCurveConfig>(
    order: u64,
    x: impl Fn(u64) -> P::BaseField,
) -> ArkAffine<P> {
    let mut others = order_of_curve::<P>();
    while let Some(quotient) = divided(&others, order) {
        others = quotient;
    }
    let mut point = (1..)
        .filter_map(|at| ArkAffine::<P>::get_point_from_x_unchecked(x(at), false))
        .map(|point| point.mul_bigint(&others).into_affine())
        .find(|point| !point.is_zero())
        .expect("some point has that part");
    // Its order is a power of the prime.
    loop {
        let next = point.mul_bigint([order]).into_affine();
        if next.is_zero() {
            return point;
        }
        point = next;
    }
}

/// The order of the whole curve: `r` times the cofactor, little-endian.
fn order_of_curve<P: SWCurveConfig>() -> Vec<u64> {
    let r = P::ScalarField::MODULUS;
    let mut product = alloc::vec![0_u64; r.as_ref().len() + P::COFACTOR.len()];
    for (i, a) in r.as_ref().iter().enumerate() {
        let mut carry = 0_u128;
        for (j, b) in P::COFACTOR.iter().enumerate() {
            let sum = u128::from(*a) * u128::from(*b) + u128::from(product[i + j]) + carry;
            product[i + j] = u64::try_from(sum & u128::from(u64::MAX)).unwrap();
            carry = sum >> 64;
        }
        product[i + P::COFACTOR.len()] = u64::try_from(carry).unwrap();
    }
    product
}

/// The quotient, if nothing remains.
fn divided(words: &[u64], by: u64) -> Option<Vec<u64>> {
    let mut words = words.to_vec();
    let mut remainder = 0_u128;
    for word in words.iter_mut().rev() {
        let value = (remainder << 64) | u128::from(*word);
        *word = u64::try_from(value / u128::from(by)).unwrap();
        remainder = value % u128::from(by);
    }
    (remainder == 0).then_some(words)
}

/// A point of each small order of the first curve, a point of its subgroup, and the sum of it with each.
pub(crate) fn points_of_g1() -> Vec<ArkAffine<g1::Config>> {
    let generator = g1::Config::GENERATOR;
    let of_order = IN_G1.map(|order| of_order::<g1::Config>(order, Fq::from));
    let sums = of_order.map(|small| (generator + small).into_affine());
    [generator]
        .into_iter()
        .chain(of_order)
        .chain(sums)
        .collect()
}

/// The encoding of a point other than zero.
fn compressed(point: &ArkAffine<g1::Config>) -> [u8; 48] {
    let mut bytes = [0; 48];
    point
        .serialize_compressed(&mut bytes[..])
        .expect("as long as an encoding; qed");
    bytes
}

/// The same point for blst.
pub(crate) fn to_blst(point: &ArkAffine<g1::Config>) -> <Blst as Groups>::G1 {
    if point.is_zero() {
        return <Blst as Groups>::G1::default();
    }
    Blst::g1_from_stored_unchecked(&compressed(point)).expect("a point of the curve; qed")
}

/// `−φ(P)`, which is `[z²]P` on G1.
fn minus_phi(point: &ArkAffine<g1::Config>) -> ArkAffine<g1::Config> {
    let mut image = -*point;
    image.x *= g1::BETA;
    image
}

/// `a·P + b·(−φ(P))`, bit by bit.
pub(crate) fn product(point: &ArkAffine<g1::Config>, [a, b]: [u128; 2]) -> ArkAffine<g1::Config> {
    let words = |half: u128| {
        let mask = u128::from(u64::MAX);
        [half & mask, half >> 64].map(|word| u64::try_from(word).expect("64 bits; qed"))
    };
    // Arkworks doubles and adds for each bit; zero in affine coordinates loses its coordinates.
    let of = |point: &ArkAffine<g1::Config>, half| point.mul_bigint(words(half));
    (of(point, a) + of(&minus_phi(point), b)).into_affine()
}

/// Scalars with every digit of every window at the lowest, a middle and the highest place, in either half, and some
/// with all kinds of digits.
pub(crate) fn scalars() -> Vec<BaseZ> {
    let digits = (0..=32).flat_map(|digit| [0, 30, 58].map(|shift| digit << shift));
    let quarters: Vec<u64> = digits
        .chain([Z - 1, Z - 2, u64::MAX / 3, 0x7777_7777_7777_7777])
        .filter(|number| *number < Z)
        .collect();
    let alone = quarters.iter().flat_map(|number| {
        (0..4).map(|at| {
            let mut all = [0; 4];
            all[at] = *number;
            all
        })
    });
    let all = quarters
        .iter()
        .zip(quarters.iter().skip(1))
        .map(|(a, b)| [*a, *b, b ^ 3, Z - 1 - a]);
    alone
        .chain(all.filter(|digits| digits.iter().all(|digit| *digit < Z)))
        .map(BaseZ)
        .collect()
}
