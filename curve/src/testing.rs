//! Points and scalars at the edges of what is valid, each with its verdict. For tests and fuzzing.
//!
//! They are made from the definition of the curves, with arkworks' field arithmetic, and not by the code under test.

use crate::encoding::PointError;
use alloc::{format, string::String, vec, vec::Vec};
use ark_bls12_381::{g1, g2, Fq, Fr};
use ark_ec::{
    short_weierstrass::{Affine, SWCurveConfig},
    AffineRepr, CurveConfig, CurveGroup,
};
use ark_ff::{BigInteger, One, PrimeField, Zero};
use ark_serialize::CanonicalSerialize;
use std::sync::LazyLock;

/// Every small prime that divides the order of `E(Fp)`.
pub const G1_ORDERS: [u64; 5] = [3, 11, 10_177, 859_267, 52_437_899];
/// Every small prime that divides the order of `E'(Fp²)`.
pub const G2_ORDERS: [u64; 5] = [13, 23, 2713, 11_953, 262_069];

const COMPRESSED: u8 = 0x80;
const INFINITY: u8 = 0x40;
const SIGN: u8 = 0x20;

/// The verdict on bytes of a wrong form. (ENC-1, ENC-2)
const NOT_CANONICAL: Result<(), PointError> = Err(PointError::NotCanonical);

/// An encoding of a point, and the verdict that every back end must give.
#[derive(Clone, Debug)]
pub struct Case<const N: usize> {
    /// A description.
    pub name: String,
    /// The encoding.
    pub bytes: [u8; N],
    /// The verdict of a decoder that checks everything.
    pub verdict: Result<(), PointError>,
    /// The verdict of a decoder that skips the subgroup check, for points that were checked before they were stored.
    pub stored: Result<(), PointError>,
}

impl<const N: usize> Case<N> {
    fn new(name: impl Into<String>, bytes: [u8; N], verdict: Result<(), PointError>) -> Self {
        let stored = match verdict {
            Err(PointError::NotInSubgroup) => Ok(()),
            verdict => verdict,
        };
        Self {
            name: name.into(),
            bytes,
            verdict,
            stored,
        }
    }

    fn outside(name: impl Into<String>, bytes: [u8; N]) -> Self {
        Self::new(name, bytes, Err(PointError::NotInSubgroup))
    }
}

/// Little-endian bytes, and whether they are a scalar. (ENC-5)
#[derive(Clone, Debug)]
pub struct ScalarCase {
    /// A description.
    pub name: &'static str,
    /// The encoding.
    pub bytes: [u8; 32],
    /// Whether the number is below `r`.
    pub is_scalar: bool,
}

/// Valid and invalid encodings of points of G1; the first is the generator.
pub static G1: LazyLock<Vec<Case<48>>> = LazyLock::new(|| {
    let mut cases = common::<g1::Config, 48>(&G1_ORDERS);
    let p = not_reduced(Fq::zero());
    let of_point = any_point::<g1::Config>(1).x;
    cases.extend([
        Case::new("x is p", flagged(p, 0), NOT_CANONICAL),
        Case::new("x is p, greater y", flagged(p, SIGN), NOT_CANONICAL),
        Case::new(
            "an x of the curve plus p",
            flagged(not_reduced(of_point), 0),
            NOT_CANONICAL,
        ),
        // (p − 1)³ + 4 = 3 has no root.
        Case::new(
            "x is p minus 1",
            flagged(big_endian(-Fq::one()), 0),
            Err(PointError::NotOnCurve),
        ),
    ]);
    cases
});

/// Valid and invalid encodings of points of G2; the first is the generator.
pub static G2: LazyLock<Vec<Case<96>>> = LazyLock::new(|| {
    let mut cases = common::<g2::Config, 96>(&G2_ORDERS);
    let x = any_point::<g2::Config>(5).x;
    // The imaginary half stands first and carries the flags.
    let join = |imaginary: [u8; 48], real: [u8; 48]| {
        let mut bytes = [0; 96];
        bytes[..48].copy_from_slice(&imaginary);
        bytes[48..].copy_from_slice(&real);
        flagged(bytes, 0)
    };
    let p = not_reduced(Fq::zero());
    let (imaginary, real) = (big_endian(x.c1), big_endian(x.c0));
    let mut flag_on_second = join(imaginary, real);
    flag_on_second[48] |= COMPRESSED;
    cases.extend([
        Case::new("the real half is p", join(imaginary, p), NOT_CANONICAL),
        Case::new("the imaginary half is p", join(p, real), NOT_CANONICAL),
        Case::new(
            "the real half plus p",
            join(imaginary, not_reduced(x.c0)),
            NOT_CANONICAL,
        ),
        Case::new(
            "x is zero, no point",
            join([0; 48], [0; 48]),
            Err(PointError::NotOnCurve),
        ),
        Case::new("a flag on the second half", flag_on_second, NOT_CANONICAL),
    ]);
    cases
});

/// Numbers of 32 bytes around the critical ones: zero, `r`, the halves of `r`, and the largest.
pub static SCALARS: LazyLock<Vec<ScalarCase>> = LazyLock::new(|| {
    let bytes = |n: <Fr as PrimeField>::BigInt| -> [u8; 32] {
        n.to_bytes_le().try_into().expect("32 bytes")
    };
    let case = |name, bytes, is_scalar| ScalarCase {
        name,
        bytes,
        is_scalar,
    };
    let r = Fr::MODULUS;
    let (mut above, mut twice, mut below, mut half) = (r, r, r, r);
    above.add_with_carry(&1_u64.into());
    twice.add_with_carry(&r);
    below.sub_with_borrow(&2_u64.into());
    half.div2();
    let mut root = [0; 32];
    root[..16].copy_from_slice(&(Z * Z).to_le_bytes());
    let mut top = [0; 32];
    top[31] = 0x80;
    vec![
        case("zero", [0; 32], true),
        case("one", bytes(1_u64.into()), true),
        case("two", bytes(2_u64.into()), true),
        case("r minus 1", bytes((-Fr::one()).into_bigint()), true),
        case("r minus 2", bytes(below), true),
        case("r", bytes(r), false),
        case("r plus 1", bytes(above), false),
        case("2r", bytes(twice), false),
        case("2 to the 255", top, false),
        case("all ones", [0xff; 32], false),
        case("the root of the endomorphism", root, true),
        case("half of r", bytes(half), true),
    ]
});

/// `|z|`, the parameter of the curve.
const Z: u128 = 0xd201_0000_0001_0000;

/// A point of G1's curve whose order is the small prime at `place` of [`G1_ORDERS`], which is taken modulo their number.
pub fn small_g1(place: usize) -> Affine<g1::Config> {
    static POINTS: LazyLock<Vec<Affine<g1::Config>>> =
        LazyLock::new(|| G1_ORDERS.iter().map(|order| of_order(*order)).collect());
    POINTS[place % G1_ORDERS.len()]
}

/// A point of G2's curve whose order is the small prime at `place` of [`G2_ORDERS`], which is taken modulo their number.
pub fn small_g2(place: usize) -> Affine<g2::Config> {
    static POINTS: LazyLock<Vec<Affine<g2::Config>>> =
        LazyLock::new(|| G2_ORDERS.iter().map(|order| of_order(*order)).collect());
    POINTS[place % G2_ORDERS.len()]
}

/// The compressed encoding of a point.
///
/// # Panics
/// When `N` is not its length.
pub fn compress<P: SWCurveConfig, const N: usize>(point: &Affine<P>) -> [u8; N] {
    let mut bytes = [0; N];
    point
        .serialize_compressed(&mut bytes[..])
        .expect("N is the size of the point");
    bytes
}

/// Cases that both groups have: good points, points of small order and their sums with good ones, flags, infinity.
fn common<P: SWCurveConfig<ScalarField = Fr>, const N: usize>(orders: &[u64]) -> Vec<Case<N>> {
    let generator = Affine::<P>::generator();
    let good = compress::<P, N>(&generator);
    let with_first = |change: fn(u8) -> u8| {
        let mut bytes = good;
        bytes[0] = change(bytes[0]);
        bytes
    };
    let twice = times(generator, &[2]);
    let mut cases = vec![
        Case::new("the generator", good, Ok(())),
        Case::new(
            "minus the generator",
            with_first(|byte| byte ^ SIGN),
            Ok(()),
        ),
        Case::new("twice the generator", compress(&twice), Ok(())),
        Case::new("all zero", [0; N], NOT_CANONICAL),
        Case::new("all ones", [0xff; N], NOT_CANONICAL),
        Case::new(
            "not compressed",
            with_first(|byte| byte & !COMPRESSED),
            NOT_CANONICAL,
        ),
        Case::new(
            "infinity flag on a point",
            with_first(|byte| byte | INFINITY),
            NOT_CANONICAL,
        ),
    ];
    cases.extend(infinities());
    cases.push(Case::new(
        "an x without a point",
        x_without_point::<P, N>(),
        Err(PointError::NotOnCurve),
    ));
    cases.extend(outside_of_subgroup::<P, N>(orders));
    cases
}

/// Infinity, and similar encodings.
fn infinities<const N: usize>() -> Vec<Case<N>> {
    let bytes = |first: u8, last: u8| {
        let mut bytes = [0; N];
        (bytes[0], bytes[N - 1]) = (first, last);
        bytes
    };
    let infinity = COMPRESSED | INFINITY;
    vec![
        Case::new("infinity", bytes(infinity, 0), Err(PointError::Infinity)),
        Case::new(
            "infinity with a sign",
            bytes(infinity | SIGN, 0),
            NOT_CANONICAL,
        ),
        Case::new("infinity not compressed", bytes(INFINITY, 0), NOT_CANONICAL),
        Case::new(
            "infinity with a last bit",
            bytes(infinity, 1),
            NOT_CANONICAL,
        ),
        Case::new(
            "infinity with a first bit",
            bytes(infinity | 1, 0),
            NOT_CANONICAL,
        ),
    ]
}

/// Points of the curve that are not in the group.
fn outside_of_subgroup<P: SWCurveConfig<ScalarField = Fr>, const N: usize>(
    orders: &[u64],
) -> Vec<Case<N>> {
    let generator = Affine::<P>::generator();
    let any = any_point::<P>(5);
    let without_good = times(any, Fr::MODULUS.as_ref());
    let mut cases = vec![
        Case::outside("on the curve as it comes", compress(&any)),
        Case::outside("without a part of order r", compress(&without_good)),
    ];
    let small: Vec<_> = orders.iter().map(|order| of_order::<P>(*order)).collect();
    for (order, point) in orders.iter().zip(&small) {
        let with_good = |good| compress(&sum(&[good, *point]));
        cases.extend([
            Case::outside(format!("of order {order}"), compress(point)),
            Case::outside(format!("minus of order {order}"), compress(&-*point)),
            Case::outside(
                format!("of order {order} plus of order r"),
                with_good(generator),
            ),
            Case::outside(
                format!("of order {order} plus minus of order r"),
                with_good(-generator),
            ),
        ]);
    }
    let of_all = sum(&small);
    cases.extend([
        Case::outside("of all small orders", compress(&of_all)),
        Case::outside(
            "of all small orders plus of order r",
            compress(&sum(&[of_all, generator])),
        ),
    ]);
    cases
}

fn flagged<const N: usize>(mut bytes: [u8; N], flags: u8) -> [u8; N] {
    bytes[0] |= COMPRESSED | flags;
    bytes
}

fn big_endian(x: Fq) -> [u8; 48] {
    x.into_bigint().to_bytes_be().try_into().expect("48 bytes")
}

/// `x + p` where that fits below the flags, so that the bytes name the same residue.
fn not_reduced(x: Fq) -> [u8; 48] {
    let mut sum = x.into_bigint();
    assert!(!sum.add_with_carry(&Fq::MODULUS));
    sum.to_bytes_be().try_into().expect("48 bytes")
}

/// The first `x ≥ 1` that no point of the curve has.
fn x_without_point<P: SWCurveConfig, const N: usize>() -> [u8; N] {
    let x = (1_u64..)
        .map(P::BaseField::from)
        .find(|x| Affine::<P>::get_point_from_x_unchecked(*x, false).is_none())
        .expect("half of all x have no point");
    flagged(
        compress::<P, N>(&Affine::new_unchecked(x, P::BaseField::zero())),
        0,
    )
}

/// A point of the curve, in no subgroup but by chance, at the first `x ≥ from` that has one.
fn any_point<P: SWCurveConfig>(from: u64) -> Affine<P> {
    (from..)
        .find_map(|x| Affine::<P>::get_point_from_x_unchecked(P::BaseField::from(x), false))
        .expect("half of all x have a point")
}

/// A point of small prime order, which divides the cofactor.
fn of_order<P: SWCurveConfig<ScalarField = Fr>>(order: u64) -> Affine<P> {
    let mut others = divide(<P as CurveConfig>::COFACTOR, order).expect("it divides the cofactor");
    while let Some(fewer) = divide(&others, order) {
        others = fewer;
    }
    let mut point = (1..100)
        .map(|from| times(any_point::<P>(from), Fr::MODULUS.as_ref()))
        .map(|torsion| times(torsion, &others))
        .find(|point| !point.is_zero())
        .expect("not every point lacks a component of this order");
    while !times(point, &[order]).is_zero() {
        point = times(point, &[order]);
    }
    point
}

/// `number / divisor`, limb by limb, when nothing is left over.
fn divide(number: &[u64], divisor: u64) -> Option<Vec<u64>> {
    let mut quotient = number.to_vec();
    let mut rest = 0_u128;
    for limb in quotient.iter_mut().rev() {
        let value = (rest << 64) | u128::from(*limb);
        *limb = u64::try_from(value / u128::from(divisor)).expect("the rest is below the divisor");
        rest = value % u128::from(divisor);
    }
    (rest == 0).then_some(quotient)
}

fn times<P: SWCurveConfig>(point: Affine<P>, by: &[u64]) -> Affine<P> {
    point.mul_bigint(by).into_affine()
}

fn sum<P: SWCurveConfig>(points: &[Affine<P>]) -> Affine<P> {
    points
        .iter()
        .fold(Affine::<P>::zero().into_group(), |sum, point| sum + point)
        .into_affine()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_order<P: SWCurveConfig>(point: Affine<P>, order: u64) -> bool {
        point.is_on_curve() && !point.is_zero() && times(point, &[order]).is_zero()
    }

    #[test]
    fn points_of_small_order_have_that_order() {
        for (place, order) in G1_ORDERS.into_iter().enumerate() {
            assert!(has_order(small_g1(place), order), "{order}");
        }
        for (place, order) in G2_ORDERS.into_iter().enumerate() {
            assert!(has_order(small_g2(place), order), "{order}");
        }
    }

    #[test]
    fn no_point_has_the_number_below_p_as_its_x() {
        let point = Affine::<g1::Config>::get_point_from_x_unchecked(-Fq::one(), false);
        assert_eq!(point, None);
    }

    #[test]
    fn the_verdict_on_a_scalar_is_the_comparison_with_r() {
        for case in SCALARS.iter() {
            let mut words = [0; 4];
            for (word, bytes) in words.iter_mut().zip(case.bytes.chunks_exact(8)) {
                *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            }
            let is_below = <Fr as PrimeField>::BigInt::new(words) < Fr::MODULUS;
            assert_eq!(is_below, case.is_scalar, "{}", case.name);
        }
    }
}
