//! Points of small order, which are on the curves and outside of their subgroups, and products of them bit by bit.

use crate::{
    digits::BaseZ,
    parameters::Z,
    testing::{compress, small_g1, G1_ORDERS},
    traits::{Encodings, Groups},
    Blst,
};
use alloc::vec::Vec;
use ark_bls12_381::g1;
use ark_ec::{
    short_weierstrass::{Affine as ArkAffine, SWCurveConfig},
    AffineRepr, CurveGroup,
};

/// A point of each small order of the first curve, a point of its subgroup, and the sum of it with each.
pub(crate) fn points_of_g1() -> Vec<ArkAffine<g1::Config>> {
    let generator = g1::Config::GENERATOR;
    let small: Vec<_> = (0..G1_ORDERS.len()).map(small_g1).collect();
    let sums = small.iter().map(|small| (generator + *small).into_affine());
    [generator]
        .into_iter()
        .chain(small.iter().copied())
        .chain(sums)
        .collect()
}

/// The same point for blst.
pub(crate) fn to_blst(point: &ArkAffine<g1::Config>) -> <Blst as Groups>::G1 {
    if point.is_zero() {
        return <Blst as Groups>::G1::default();
    }
    Blst::g1_from_stored_unchecked(&compress(point)).expect("a point of the curve; qed")
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
