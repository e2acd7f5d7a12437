//! Products and sums of points of small order, against their definition bit by bit.

use super::{
    batch::Additions,
    comb::{self, Comb, CombScalar, Shape, Term},
    multiples::{add_mul_short, mul_public, times_weights},
    point::{to_affine, Affine, Jacobian, ZERO},
    sums::{sum, SubsetCache, Subsets},
    tables::{Tables, KEYS, MESSAGES},
    variable,
};
use crate::{
    arithmetic::Arithmetic,
    digits::BaseZ,
    small_order::{points_of_g1, product, scalars, to_blst},
};
use alloc::{vec, vec::Vec};
use ark_bls12_381::g1::Config;
use ark_ec::{short_weierstrass::Affine as ArkAffine, CurveGroup};

type Ark = ArkAffine<Config>;

fn ours(point: &Ark) -> Affine {
    Affine::from_blst(&to_blst(point))
}

fn affine(point: Jacobian) -> Affine {
    to_affine(&[point])[0]
}

/// Every point with every scalar, and their product.
fn cases() -> Vec<(Affine, Vec<(BaseZ, Affine)>)> {
    let scalars = scalars();
    let products = |point: &Ark| {
        let of = |scalar: &BaseZ| (*scalar, ours(&product(point, scalar.halves())));
        scalars.iter().map(of).collect()
    };
    let points = points_of_g1();
    points
        .iter()
        .map(|point| (ours(point), products(point)))
        .collect()
}

#[test]
fn products_without_tables_are_right_for_points_of_every_small_order() {
    for (point, products) in cases() {
        for (scalar, expected) in &products {
            let found = affine(variable::mul(&point, scalar));
            assert_eq!(found, *expected, "{point:?} {scalar:?}");
            let found = mul_public(scalar, &point, &Tables::default());
            assert_eq!(found, *expected, "{point:?} {scalar:?}");
        }
    }
}

/// Every shape that points get.
fn shapes() -> Vec<Shape> {
    let of_messages = MESSAGES.map(|(_, shape)| shape);
    KEYS.into_iter().chain(of_messages).collect()
}

#[test]
fn products_with_tables_are_right_for_points_of_every_small_order() {
    for (point, products) in cases() {
        for (at, shape) in shapes().into_iter().enumerate() {
            let comb = Comb::new(shape, point);
            // Each shape gets others of them.
            let products: Vec<_> = products.iter().skip(at).step_by(5).collect();
            let scalars: Vec<_> = products
                .iter()
                .map(|(scalar, _)| CombScalar::new(scalar))
                .collect();
            let term = |scalar| Term {
                comb: &comb,
                scalar,
            };
            let terms: Vec<_> = scalars.iter().map(term).collect();
            let mut sums = vec![ZERO; 2 * terms.len()];
            let lists = [terms];
            comb::sums(&mut sums, [&lists, &lists[..0]], &mut Additions::default());
            for ((scalar, (_, expected)), in_batch) in scalars.iter().zip(&products).zip(sums) {
                assert_eq!(affine(comb.mul(scalar)), *expected, "{shape:?} {point:?}");
                assert_eq!(in_batch, *expected, "{shape:?} {point:?}");
            }
        }
    }
}

#[test]
fn short_products_and_weights_are_right_for_points_of_every_small_order() {
    let points = points_of_g1();
    for point in &points {
        let halves = scalars()
            .into_iter()
            .step_by(2)
            .map(|scalar| scalar.halves()[1]);
        let numbers: Vec<_> = halves.chain([u128::MAX, u128::MAX / 3]).collect();
        let tables = Tables::for_few();
        for number in &numbers {
            let multiple = product(point, [*number, 0]);
            let q = ours(point);
            assert_eq!(affine(variable::mul_short(&q, *number)), ours(&multiple));
            for p in points.iter().step_by(3) {
                let expected = ours(&(*p + multiple).into_affine());
                for tables in [&Tables::default(), &tables] {
                    let found = add_mul_short(&ours(p), *number, &q, tables);
                    assert_eq!(found, expected, "{number}");
                }
            }
        }
        let weights: Vec<_> = scalars()
            .iter()
            .map(|scalar| [scalar.0[1], scalar.0[2]])
            .collect();
        let expected = |[a, b]: &[u64; 2]| ours(&product(point, [(*a).into(), (*b).into()]));
        let expected: Vec<_> = weights.iter().map(expected).collect();
        let same = vec![ours(point); weights.len()];
        assert_eq!(times_weights(&same, &weights), expected);
        // Fewer are not batched.
        assert_eq!(times_weights(&same[..9], &weights[..9]), expected[..9]);
    }
}

#[test]
fn batched_products_are_right_for_points_of_every_small_order_with_every_arithmetic() {
    for (point, products) in cases() {
        let (scalars, expected): (Vec<_>, Vec<_>) = products.into_iter().unzip();
        let points = vec![point; scalars.len()];
        for arithmetic in Arithmetic::supported() {
            let mut additions = Additions::with(arithmetic);
            let (found, _) = variable::mul_checked_all(&points, &scalars, &mut additions);
            assert_eq!(found, expected, "{arithmetic} {point:?}");
        }
    }
}

#[test]
fn sums_and_cached_subset_sums_are_right_for_points_of_every_small_order() {
    // Each with its double, its negative and itself: many subsets add up to zero.
    let points: Vec<Ark> = points_of_g1()
        .into_iter()
        .flat_map(|point| [point, (point + point).into_affine(), -point, point])
        .collect();
    let ours: Vec<_> = points.iter().map(ours).collect();
    let list: Vec<_> = ours.iter().map(|point| point.to_blst()).collect();
    let subsets = Subsets::new(&ours, 8);
    let cache = SubsetCache::default();
    for number in 0_u64..1_000 {
        let bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
        let selected = |at: usize| bits[at / 8] >> (at % 8) & 1 == 1;
        let total: ark_bls12_381::G1Projective = (0..points.len())
            .filter(|at| selected(*at))
            .map(|at| points[at])
            .sum();
        let expected = to_blst(&total.into_affine());
        let chosen = (0..points.len())
            .filter(|at| selected(*at))
            .map(|at| ours[at]);
        assert_eq!(sum(chosen), expected);
        assert_eq!(sum(subsets.terms(&bits)), expected);
        assert_eq!(cache.sum_of(&list, |point| point, &bits), expected);
    }
    assert!(cache.are_cached());
}
