//! The fast checks against blst's own operations, single against batched, and every exceptional case.

use super::{
    batch::Additions,
    comb::{Comb, CombScalar, Shape, Term},
    field::{invert_all, Fp},
    pairing::{self, miller_loop, G2Prepared},
    point::{to_affine, Affine, Jacobian, ZERO},
    sums::{self, SubsetCache, Subsets},
    tables::{Tables, GENERATOR, KEYS, KEY_TABLES_BYTES, MESSAGES},
    variable,
};
use crate::{
    blst::ffi::decompress_g1,
    digits::BaseZ,
    parameters::{MODULUS, Z},
    selection::selected,
    traits::{Encodings, Groups, Multiplications, Scalars, Sums},
    Blst,
};
use alloc::{vec, vec::Vec};
use blst::{blst_fp, blst_fp12, blst_fp12_is_equal, blst_miller_loop_n, blst_p1_affine};
use proptest::prelude::*;

type Scalar = <Blst as Scalars>::Scalar;

/// A scalar that depends on `number` in every bit.
fn scalar(number: u64) -> Scalar {
    let mut wide = [0; 48];
    let mut word = number;
    for bytes in wide.chunks_exact_mut(8) {
        word = word
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(0x1234_5678_9abc_def1)
            .rotate_left(23);
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    Blst::scalar_from_wide(&wide)
}

fn small(number: u64) -> Scalar {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    Blst::scalar_from_bytes(&bytes).unwrap()
}

/// `−number` modulo `r`.
fn minus(number: u64) -> Scalar {
    Blst::scalar_sub_mul(&small(0), &small(number), &small(1))
}

/// Scalars at which digits are zero, halves are even or zero, and carries run to the end.
fn edges() -> Vec<Scalar> {
    let z2 = Blst::scalar_sub_mul(&small(0), &minus(Z), &small(Z));
    [
        0,
        1,
        2,
        3,
        7,
        8,
        9,
        15,
        16,
        Z,
        Z - 1,
        Z + 1,
        u64::MAX,
        1 << 63,
    ]
    .into_iter()
    .flat_map(|number| [small(number), minus(number)])
    .chain([
        Blst::scalar_sub_mul(&z2, &small(1), &small(1)),
        Blst::scalar_sub_mul(&small(0), &small(1), &z2),
        z2,
    ])
    .collect()
}

fn base(number: u64) -> Affine {
    Affine::from_blst(&Blst::g1_mul_secret(&Blst::g1_generator(), &scalar(number)))
}

fn add_all(points: &mut [Affine], addends: &[Affine]) {
    let mut additions = Additions::default();
    for (at, addend) in addends.iter().enumerate() {
        additions.push(at, *addend);
    }
    additions.flush(points);
}

/// The product by blst's own multiplication.
fn expected(point: &Affine, scalar: &Scalar) -> Affine {
    Affine::from_blst(&Blst::g1_mul_secret(&point.to_blst(), scalar))
}

fn base_z(scalar: &Scalar) -> BaseZ {
    BaseZ::new(&Blst::scalar_to_bytes(scalar))
}

fn affine(point: Jacobian) -> Affine {
    to_affine(&[point])[0]
}

/// A point of the curve with this x, if there is one; hardly ever in the subgroup.
fn on_curve(x: u8) -> Option<Affine> {
    let mut bytes = [0; 48];
    bytes[0] = 0x80;
    bytes[47] = x;
    decompress_g1(&bytes)
        .ok()
        .map(|point| Affine::from_blst(&point))
}

#[test]
fn the_constants_are_what_they_claim_to_be() {
    let three = Fp::ONE.triple();
    assert_eq!(three, Fp::ONE.shl(1).sub(&Fp::ONE.neg()));
    assert_eq!(Fp::ONE.mul(&three), three);
    assert_eq!(Fp::ZERO.neg(), Fp::ZERO);
    let point = base(1);
    let z = Blst::g1_mul_secret(&point.to_blst(), &small(Z));
    let z2 = Blst::g1_mul_secret(&z, &small(Z));
    assert_eq!(point.mul_z2(), Affine::from_blst(&z2));
}

/// The point that an entry of a list of points has.
fn own(point: &blst_p1_affine) -> &blst_p1_affine {
    point
}

fn assert_is_inverted(element: Fp) {
    let inverse = element.inverse();
    let is_reduced = inverse.0.l.iter().rev().lt(MODULUS.iter().rev());
    assert!(is_reduced, "{element:?}");
    let product = if element.is_zero() { Fp::ZERO } else { Fp::ONE };
    assert_eq!(element.mul(&inverse), product, "{element:?}");
}

#[test]
fn inverses_are_inverses_at_every_edge() {
    let of = |l: [u64; 6]| Fp(blst_fp { l });
    let minus = |number: u64| {
        let mut words = MODULUS;
        words[0] -= number;
        of(words)
    };
    for number in [0, 1, 2, 3, 4, 1 << 61, 1 << 62, 1 << 63, u64::MAX] {
        assert_is_inverted(of([number, 0, 0, 0, 0, 0]));
    }
    (1..70).map(minus).for_each(assert_is_inverted);
    for bit in 0..380 {
        let mut words = [0; 6];
        words[bit / 64] = 1 << (bit % 64);
        assert_is_inverted(of(words));
        let mut all_below = words;
        all_below[bit / 64] -= 1;
        all_below[..bit / 64].fill(u64::MAX);
        assert_is_inverted(of(all_below));
    }
    assert_eq!(Fp::ONE.inverse(), Fp::ONE);
    assert_eq!(Fp::ZERO.inverse(), Fp::ZERO);
}

proptest! {
    #[test]
    fn inverses_are_inverses(mut l: [u64; 6], words in 1..=6_usize) {
        l[words..].fill(0);
        l[5] %= MODULUS[5];
        assert_is_inverted(Fp(blst_fp { l }));
    }
}

#[test]
fn simultaneous_inverses_are_inverses_and_skip_zero() {
    let elements: Vec<_> = (0..20)
        .map(|number| {
            if number % 7 == 3 {
                Fp::ZERO
            } else {
                base(number).x
            }
        })
        .collect();
    let mut inverses = elements.clone();
    invert_all(&mut inverses, &mut Vec::new());
    for (element, inverse) in elements.iter().zip(&inverses) {
        assert_eq!(*inverse, element.inverse());
        let is_one = element.mul(inverse) == Fp::ONE;
        assert_eq!(is_one, !element.is_zero());
    }
}

#[test]
fn additions_handle_zero_equal_and_opposite_points_in_both_coordinates() {
    let (p, q) = (base(1), base(2));
    let sum =
        |a: &Affine, b: &Affine| Affine::from_blst(&Blst::g1_sum(&[&a.to_blst(), &b.to_blst()]));
    let cases = [
        (p, q),
        (p, p),
        (p, p.neg()),
        (p, ZERO),
        (ZERO, p),
        (ZERO, ZERO),
        (p.neg(), q),
        (p, p.mul_z2()),
    ];
    let (mut left, right): (Vec<_>, Vec<_>) = cases.iter().copied().unzip();
    add_all(&mut left, &right);
    for ((a, b), in_batch) in cases.iter().zip(&left) {
        let expected = sum(a, b);
        assert_eq!(*in_batch, expected);
        let jacobian = |point: &Affine| Jacobian::from(*point);
        // Denominators other than one on both sides.
        let scaled = |point: &Affine| jacobian(point).double().add(&jacobian(&point.neg()));
        assert_eq!(affine(scaled(a).add(&scaled(b))), expected);
        assert_eq!(affine(scaled(a).add_affine(b)), expected);
        assert!(scaled(a).equals(&jacobian(a)));
        assert_eq!(scaled(a).equals(&scaled(b)), a == b);
    }
}

#[test]
fn combs_of_every_shape_multiply_as_blst_does() {
    let shapes = [GENERATOR, Shape::new(2, 64, 2), Shape::new(7, 19, 19)]
        .into_iter()
        .chain(KEYS)
        .chain(MESSAGES.map(|(_, shape)| shape));
    let point = base(3);
    let scalars: Vec<_> = edges().into_iter().chain((0..8).map(scalar)).collect();
    for shape in shapes {
        let comb = Comb::new(shape, point);
        let prepared: Vec<_> = scalars
            .iter()
            .map(|scalar| CombScalar::new(&base_z(scalar)))
            .collect();
        let terms: Vec<_> = prepared
            .iter()
            .map(|scalar| Term {
                comb: &comb,
                scalar,
            })
            .collect();
        let plain = Comb::new(GENERATOR, base(4));
        let with: Vec<_> = prepared
            .iter()
            .map(|scalar| Term {
                comb: &plain,
                scalar,
            })
            .collect();
        let mut sums = vec![ZERO; 2 * scalars.len()];
        let both = [terms.clone(), with];
        super::comb::sums(&mut sums, [&both, &[terms]], &mut Additions::default());
        let (both, alone) = sums.split_at(scalars.len());
        for (at, scalar) in scalars.iter().enumerate() {
            let product = expected(&point, scalar);
            assert_eq!(affine(comb.mul(&prepared[at])), product, "{shape:?}");
            assert_eq!(alone[at], product, "{shape:?}");
            let added = [product, expected(&base(4), scalar)].map(Affine::to_blst);
            let sum = Affine::from_blst(&Blst::g1_sum(&[&added[0], &added[1]]));
            assert_eq!(both[at], sum, "{shape:?}");
        }
    }
}

#[test]
fn a_product_with_the_subgroup_check_or_without_is_that_of_blst() {
    let scalars: Vec<_> = edges().into_iter().chain((0..20).map(scalar)).collect();
    let points: Vec<_> = (0..).map(base).take(scalars.len()).collect();
    let digits: Vec<_> = scalars.iter().map(base_z).collect();
    let (products, verdicts) =
        variable::mul_checked_all(&points, &digits, &mut Additions::default());
    for (at, point) in points.iter().enumerate() {
        let product = expected(point, &scalars[at]);
        let alone = variable::mul_checked(point, &digits[at]).expect("the point is in G1");
        assert_eq!(affine(alone), product);
        assert_eq!(affine(variable::mul(point, &digits[at])), product);
        assert_eq!((products[at], verdicts[at]), (product, true));
    }
}

#[test]
fn points_outside_of_the_subgroup_are_told_apart_as_blst_does() {
    let mut points: Vec<_> = (0..=255).filter_map(on_curve).collect();
    assert!(points.len() > 100);
    // A point of order 3, the smallest there is, and its sum with a point of the subgroup.
    let order_3 = on_curve(0).expect("(0, 2) is on the curve");
    let mut doubled = vec![order_3];
    add_all(&mut doubled, &[order_3]);
    assert_eq!(doubled, [order_3.neg()]);
    let sums: Vec<_> = points
        .iter()
        .map(|point| {
            let mut sum = vec![base(5)];
            add_all(&mut sum, &[*point]);
            sum[0]
        })
        .collect();
    points.extend(sums);
    points.extend((0..20).map(base));
    let digits: Vec<_> = (0..)
        .map(|number| base_z(&scalar(number)))
        .take(points.len())
        .collect();
    let (_, verdicts) = variable::mul_checked_all(&points, &digits, &mut Additions::default());
    for ((point, digits), verdict) in points.iter().zip(&digits).zip(verdicts) {
        let bytes = Blst::g1_to_bytes(&point.to_blst());
        let is_in_subgroup = Blst::g1_from_bytes(&bytes).is_ok();
        assert_eq!(verdict, is_in_subgroup);
        assert_eq!(
            variable::mul_checked(point, digits).is_some(),
            is_in_subgroup
        );
        let tables = Tables::for_few_checked(point);
        assert_eq!(tables.is_some(), is_in_subgroup);
    }
}

#[test]
fn a_short_product_without_tables_is_right_for_a_point_of_order_three() {
    let point = on_curve(0).expect("(0, 2) is on the curve");
    for number in [0, 1, 2, 3, 4, 5, 6, u128::MAX] {
        let expected = match number % 3 {
            0 => ZERO,
            1 => point,
            _ => point.neg(),
        };
        let product = variable::mul_short(&point, number).to_affine();
        assert_eq!(product, expected, "{number}");
    }
}

#[test]
fn tables_of_keys_stay_within_their_bound_for_sets_of_any_size() {
    for set_len in [1, 4, 1_000, 1_365, 2_000, 5_000, 20_000, 50_000, 87_381] {
        let tables = Tables::for_key(set_len);
        let shape = tables.shape().expect("there is a shape for this many");
        assert!(shape.bytes() * usize::try_from(set_len).unwrap() <= KEY_TABLES_BYTES);
    }
    // A thousand have the largest.
    assert_eq!(Tables::for_key(1_000).shape(), Some(KEYS[0]));
    assert!(Tables::for_key(100_000).shape().is_none());
}

#[test]
fn tables_are_made_at_the_second_use_and_shared_by_copies() {
    let point = base(6);
    let tables = Tables::for_key(4);
    let copy = tables.clone();
    assert!(tables.get(&point).is_none());
    assert!(copy.get(&point).is_some());
    assert!(tables.get(&point).is_some());
    assert!(Tables::default().get(&point).is_none());
    assert!(Tables::default().get(&point).is_none());
}

fn multiples(count: u64) -> Vec<blst_p1_affine> {
    (1..=count)
        .map(|n| Blst::g1_mul_secret(&Blst::g1_generator(), &small(n)))
        .collect()
}

#[test]
fn subsets_of_every_width_add_up_to_what_is_selected() {
    let points: Vec<_> = multiples(37).iter().map(Affine::from_blst).collect();
    let selected = [0x00, 0xff, 0x3c, 0x81, 0xf6];
    for width in [8, 4, 2] {
        let subsets = Subsets::new(&points, width);
        let found = sums::sum(subsets.terms(&selected));
        // The highest three bits of the last byte are padding.
        let expected: u64 = (9..=16).chain(19..=22).chain([25, 32, 34, 35, 37]).sum();
        assert_eq!(
            found,
            Blst::g1_mul_secret(&Blst::g1_generator(), &small(expected))
        );
    }
}

#[test]
fn sums_are_cached_once_they_would_have_saved_what_they_cost() {
    let (points, cache) = (multiples(32), SubsetCache::default());
    // Others each time, so that none begins with the one before. 32 points in four groups: two of them take 14
    // additions less each time, against 4 · 247.
    for time in 1..=80 {
        let selected = [[0xff, 0xff, 0, 0], [0, 0, 0xff, 0xff]][time % 2];
        cache.sum_of(&points, own, &selected);
        assert_eq!(cache.are_cached(), time >= 71, "{time}");
    }
    let sparse = SubsetCache::default();
    for time in 0..1_000 {
        let selected = [[0x01, 0x80, 0, 0], [0, 0, 0x10, 0x02]][time % 2];
        sparse.sum_of(&points, own, &selected);
    }
    assert!(!sparse.are_cached(), "there is nothing to save");
}

#[test]
fn a_sum_that_starts_from_the_last_one_is_the_sum() {
    let points = multiples(40);
    let cache = SubsetCache::default();
    // The same, a few more, a few less, none, all, fewer and more bytes than points have, and bits of no point.
    let selections: [&[u8]; 12] = [
        &[0xff, 0x0f, 0x31, 0xff, 0x01],
        &[0xff, 0x0f, 0x31, 0xff, 0x01],
        &[0xff, 0x1f, 0x31, 0xfe, 0x01],
        &[0xff, 0x1f, 0x31],
        &[0xff, 0x1f, 0x31, 0xff, 0xff, 0xff],
        &[],
        &[0x01],
        &[0xff; 5],
        &[0xff; 9],
        &[0xfe, 0xff, 0xff, 0xff, 0x7f],
        &[0; 5],
        &[0x10, 0, 0, 0, 0x80],
    ];
    for subset in selections {
        let expected = selected(&points, subset).collect::<Vec<_>>();
        let found = cache.sum_of(&points, own, subset);
        assert_eq!(found, Blst::g1_sum(&expected), "{subset:?}");
    }
}

#[test]
fn longer_lists_are_cached_in_smaller_groups_and_the_longest_not_at_all() {
    let widths = [1_000, 10_000, 13_000, 14_000, 100_000, 200_000, 1_000_000].map(sums::width);
    let expected = [8, 8, 8, 4, 4, 2].map(Some);
    assert_eq!(widths[..6], expected);
    assert_eq!(widths[6], None);
}

#[test]
fn two_loops_are_those_of_blst() {
    let (g1, g2) = (Blst::g1_generator(), Blst::g2_generator());
    for number in 1..20 {
        let scalar = Blst::scalar_from_u128(number << 100 | 0x5eed);
        let (p, q) = (
            Blst::g1_mul_secret(&g1, &scalar),
            Blst::g2_mul_secret(&g2, &scalar),
        );
        let found = miller_loop(&[
            (Affine::from_blst(&p), &*pairing::GENERATOR),
            (Affine::from_blst(&g1), &G2Prepared::of(&q)),
        ]);
        let mut expected = blst_fp12::default();
        let (of_g1, of_g2) = ([&raw const p, &g1], [&raw const g2, &q]);
        // SAFETY: both lists have two pointers to live points.
        let is_equal = unsafe {
            blst_miller_loop_n(&mut expected, of_g2.as_ptr(), of_g1.as_ptr(), 2);
            blst_fp12_is_equal(&expected, &found)
        };
        assert!(is_equal, "{number}");
    }
}

#[test]
fn an_element_with_equal_limbs_is_not_zero() {
    assert!(Fp::ZERO.is_zero());
    for first in 0..6 {
        for second in first..6 {
            let mut l = [0; 6];
            (l[first], l[second]) = (7, 7);
            assert!(!Fp(blst_fp { l }).is_zero(), "{first} {second}");
        }
    }
}
