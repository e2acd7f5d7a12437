//! Odd points and scalars, made from the definition of the curves with arkworks' field arithmetic and not by the code
//! under test.

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

/// An encoding with its description.
pub type Odd<const N: usize> = (String, [u8; N]);

/// Encodings that a point of G1 may be replaced with; the first is the generator.
pub static G1: LazyLock<Vec<Odd<48>>> = LazyLock::new(|| {
    let mut points = common::<g1::Config, 48>(&G1_ORDERS);
    let four = any_point::<g1::Config>(1).x;
    points.extend([
        ("x is p".into(), flagged(not_reduced(Fq::zero()), 0)),
        (
            "x is p, greater y".into(),
            flagged(not_reduced(Fq::zero()), SIGN),
        ),
        (
            "an x of the curve plus p".into(),
            flagged(not_reduced(four), 0),
        ),
        ("x is p minus 1".into(), flagged(big_endian(-Fq::one()), 0)),
    ]);
    points
});

/// Encodings that a point of G2 may be replaced with; the first is the generator.
pub static G2: LazyLock<Vec<Odd<96>>> = LazyLock::new(|| {
    let mut points = common::<g2::Config, 96>(&G2_ORDERS);
    let x = any_point::<g2::Config>(5).x;
    let join = |imaginary: [u8; 48], real: [u8; 48]| {
        let mut bytes = [0; 96];
        bytes[..48].copy_from_slice(&imaginary);
        bytes[48..].copy_from_slice(&real);
        flagged(bytes, 0)
    };
    let (imaginary, real) = (big_endian(x.c1), big_endian(x.c0));
    let mut flag_on_second = join(imaginary, real);
    flag_on_second[48] |= COMPRESSED;
    points.extend([
        (
            "the real half is p".into(),
            join(imaginary, not_reduced(Fq::zero())),
        ),
        (
            "the imaginary half is p".into(),
            join(not_reduced(Fq::zero()), real),
        ),
        (
            "the real half plus p".into(),
            join(imaginary, not_reduced(x.c0)),
        ),
        ("x is zero, no point".into(), join([0; 48], [0; 48])),
        ("a flag on the second half".into(), flag_on_second),
    ]);
    points
});

/// Scalars of interest, little-endian.
pub static SCALARS: LazyLock<Vec<Odd<32>>> = LazyLock::new(|| {
    let bytes = |n: <Fr as PrimeField>::BigInt| -> [u8; 32] {
        n.to_bytes_le().try_into().expect("32 bytes")
    };
    let r = Fr::MODULUS;
    let (mut above, mut twice, mut below) = (r, r, r);
    above.add_with_carry(&1_u64.into());
    twice.add_with_carry(&r);
    below.sub_with_borrow(&2_u64.into());
    let z2 = Z * Z;
    let mut wide = [0; 32];
    wide[..16].copy_from_slice(&z2.to_le_bytes());
    vec![
        ("zero".into(), [0; 32]),
        ("one".into(), bytes(1_u64.into())),
        ("two".into(), bytes(2_u64.into())),
        ("r minus 1".into(), bytes((-Fr::one()).into_bigint())),
        ("r minus 2".into(), bytes(below)),
        ("r".into(), bytes(r)),
        ("r plus 1".into(), bytes(above)),
        ("2r".into(), bytes(twice)),
        ("2 to the 255".into(), {
            let mut top = [0; 32];
            top[31] = 0x80;
            top
        }),
        ("all ones".into(), [0xff; 32]),
        ("the root of the endomorphism".into(), wide),
        ("half of r".into(), {
            let mut half = r;
            half.div2();
            bytes(half)
        }),
    ]
});

/// `|z|`, the parameter of the curve.
const Z: u128 = 0xd201_0000_0001_0000;

/// The compressed encoding.
pub fn compress<P: SWCurveConfig, const N: usize>(point: &Affine<P>) -> [u8; N] {
    let mut bytes = [0; N];
    point
        .serialize_compressed(&mut bytes[..])
        .expect("N is the size of the point");
    bytes
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

/// A point of the curve as it comes, in no subgroup, at the first `x ≥ from` that has one.
fn any_point<P: SWCurveConfig>(from: u64) -> Affine<P> {
    (from..)
        .find_map(|x| Affine::<P>::get_point_from_x_unchecked(P::BaseField::from(x), false))
        .expect("half of all x have a point")
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

fn sum<P: SWCurveConfig>(points: &[Affine<P>]) -> Affine<P> {
    points
        .iter()
        .fold(Affine::<P>::zero().into_group(), |sum, point| sum + point)
        .into_affine()
}

/// Encodings that both groups have: good ones, points of small order and their sums with good ones, flags, infinity.
fn common<P: SWCurveConfig<ScalarField = Fr>, const N: usize>(orders: &[u64]) -> Vec<Odd<N>> {
    let generator = Affine::<P>::generator();
    let good = compress::<P, N>(&generator);
    let with_first = |change: fn(u8) -> u8| {
        let mut bytes = good;
        bytes[0] = change(bytes[0]);
        bytes
    };
    let infinity = |first: u8, last: u8| {
        let mut bytes = [0; N];
        (bytes[0], bytes[N - 1]) = (first, last);
        bytes
    };
    let no_point = (1_u64..)
        .map(P::BaseField::from)
        .find(|x| Affine::<P>::get_point_from_x_unchecked(*x, false).is_none())
        .expect("half of all x have no point");
    let of_no_point = compress::<P, N>(&Affine::new_unchecked(no_point, P::BaseField::zero()));
    let twice = times(generator, &[2]);
    let mut points: Vec<Odd<N>> = vec![
        ("the generator".into(), good),
        ("minus the generator".into(), with_first(|byte| byte ^ SIGN)),
        ("twice the generator".into(), compress(&twice)),
        ("all zero".into(), [0; N]),
        ("all ones".into(), [0xff; N]),
        (
            "not compressed".into(),
            with_first(|byte| byte & !COMPRESSED),
        ),
        (
            "infinity flag on a point".into(),
            with_first(|byte| byte | INFINITY),
        ),
        ("infinity".into(), infinity(COMPRESSED | INFINITY, 0)),
        (
            "infinity with a sign".into(),
            infinity(COMPRESSED | INFINITY | SIGN, 0),
        ),
        ("infinity not compressed".into(), infinity(INFINITY, 0)),
        (
            "infinity with a last bit".into(),
            infinity(COMPRESSED | INFINITY, 1),
        ),
        (
            "infinity with a first bit".into(),
            infinity(COMPRESSED | INFINITY | 1, 0),
        ),
        ("an x without a point".into(), flagged(of_no_point, 0)),
    ];
    let as_it_comes = any_point::<P>(5);
    let outside = times(as_it_comes, Fr::MODULUS.as_ref());
    points.push(("on the curve as it comes".into(), compress(&as_it_comes)));
    points.push(("without a part of order r".into(), compress(&outside)));
    let small: Vec<_> = orders.iter().map(|order| of_order::<P>(*order)).collect();
    for (order, point) in orders.iter().zip(&small) {
        let with_good = sum(&[generator, *point]);
        points.push((format!("of order {order}"), compress(point)));
        points.push((format!("minus of order {order}"), compress(&-*point)));
        points.push((
            format!("of order {order} plus of order r"),
            compress(&with_good),
        ));
        points.push((
            format!("of order {order} plus minus of order r"),
            compress(&sum(&[-generator, *point])),
        ));
    }
    points.push(("of all small orders".into(), compress(&sum(&small))));
    points.push((
        "of all small orders plus of order r".into(),
        compress(&sum(&[sum(&small), generator])),
    ));
    points
}

/// A point of small order and the order, by its place among those of G1.
pub fn small_g1(place: usize) -> Affine<g1::Config> {
    static POINTS: LazyLock<Vec<Affine<g1::Config>>> =
        LazyLock::new(|| G1_ORDERS.iter().map(|order| of_order(*order)).collect());
    POINTS[place % G1_ORDERS.len()]
}

/// A point of small order, by its place among those of G2.
pub fn small_g2(place: usize) -> Affine<g2::Config> {
    static POINTS: LazyLock<Vec<Affine<g2::Config>>> =
        LazyLock::new(|| G2_ORDERS.iter().map(|order| of_order(*order)).collect());
    POINTS[place % G2_ORDERS.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_small_order_have_that_order() {
        for (place, order) in G1_ORDERS.into_iter().enumerate() {
            let point = small_g1(place);
            assert!(point.is_on_curve() && !point.is_zero() && times(point, &[order]).is_zero());
        }
        for (place, order) in G2_ORDERS.into_iter().enumerate() {
            let point = small_g2(place);
            assert!(point.is_on_curve() && !point.is_zero() && times(point, &[order]).is_zero());
        }
    }
}
