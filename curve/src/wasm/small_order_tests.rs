//! Products and sums of points of small order, against their definition bit by bit.

use super::{
    fp::Fp,
    fp2::Fp2,
    multiples::{self, Few, Multiples},
    point::{self, Affine, Jacobian},
};
use crate::{
    small_order::{points_of_g1, product, scalars},
    testing::{small_g2, G2_ORDERS},
};
use alloc::vec::Vec;
use ark_bls12_381::{g1, g2};
use ark_ec::{
    short_weierstrass::{Affine as ArkAffine, SWCurveConfig},
    AffineRepr, CurveGroup,
};

fn ours(point: &ArkAffine<g1::Config>) -> Affine<Fp> {
    if point.is_zero() {
        return Affine::ZERO;
    }
    let [x, y] = [point.x, point.y].map(Fp::from_ark);
    Affine { x, y }
}

fn ours_in_g2(point: &ArkAffine<g2::Config>) -> Affine<Fp2> {
    if point.is_zero() {
        return Affine::ZERO;
    }
    let [x, y] = [point.x, point.y].map(Fp2::from_ark);
    Affine { x, y }
}

#[test]
fn sums_of_products_are_right_for_points_of_every_small_order() {
    let others: Vec<_> = points_of_g1();
    for (point, other) in others.iter().zip(others.iter().cycle().skip(1)) {
        let multiples = Multiples::of(&[ours(point), ours(other)].map(Jacobian::from));
        let own = Jacobian::from(ours(point));
        let few = Few::of(own, own.times_z()).expect("made of two; qed");
        for (scalar, of_other) in scalars().iter().zip(scalars().iter().rev()) {
            let alone = product(point, scalar.halves());
            let found = multiples::sum(multiples[0].times(scalar)).to_affine();
            assert_eq!(found, ours(&alone), "{point:?} {scalar:?}");
            let found = multiples::sum(few.times(scalar)).to_affine();
            assert_eq!(found, ours(&alone), "{point:?} {scalar:?}");
            let both = (alone + product(other, of_other.halves())).into_affine();
            let terms = [multiples[0].times(scalar), multiples[1].times(of_other)];
            let found = multiples::sum(terms.into_iter().flatten()).to_affine();
            assert_eq!(found, ours(&both), "{point:?} {other:?} {scalar:?}");
            let [short, _] = scalar.halves();
            let found = multiples::sum([multiples[0].times_short(short)]).to_affine();
            assert_eq!(
                found,
                ours(&product(point, [short, 0])),
                "{point:?} {short}"
            );
        }
    }
}

#[test]
fn products_and_sums_in_g2_are_right_for_points_of_every_small_order() {
    let generator = g2::Config::GENERATOR;
    for (place, order) in G2_ORDERS.into_iter().enumerate() {
        let small = small_g2(place);
        for point in [small, (generator + small).into_affine()] {
            let multiple = |n: u64| point.mul_bigint([n]).into_affine();
            let jacobian = Jacobian::from(ours_in_g2(&point));
            for n in (0..40).chain([order - 1, order, order + 1, u64::MAX]) {
                let expected = ours_in_g2(&multiple(n));
                let found = jacobian.times(&n.to_le_bytes());
                assert_eq!(found.to_affine(), expected, "{order} {n}");
                // Added once more in each way, from zero and to zero too.
                let next = ours_in_g2(&(multiple(n) + point).into_affine());
                let own = ours_in_g2(&point);
                assert_eq!(found.add_affine(&own).to_affine(), next, "{order} {n}");
                assert_eq!(
                    jacobian.add_affine(&expected).to_affine(),
                    next,
                    "{order} {n}"
                );
                assert_eq!(jacobian.add(&found).to_affine(), next, "{order} {n}");
                assert_eq!(point::sum(&[&own, &expected]), next, "{order} {n}");
            }
            let times_z = point.mul_bigint([crate::parameters::Z]).into_affine();
            assert_eq!(
                jacobian.times_z().to_affine(),
                ours_in_g2(&times_z),
                "{order}"
            );
        }
    }
}
