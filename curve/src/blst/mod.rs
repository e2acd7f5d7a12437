//! The blst back end: assembly, constant-time on secrets, and the fast checks of `fast` on public values.

#[allow(unsafe_code)]
pub(crate) mod ffi;

use crate::{
    digits::BaseZ,
    encoding::{PointError, G1_LEN, G2_LEN, SCALAR_LEN},
    fast::{
        multiples::{add_mul_short, mul_public, times_weights},
        pairing::{equation_holds, G2Prepared},
        point::{normal, Affine},
        sums::{sum, SubsetCache},
        tables::{generator_tables, Tables},
        votes::{self, Vote},
    },
    traits::{
        Base, Bases, Commitments, Dleq, Encodings, Groups, Hashing, Multiplications, Pairings,
        Purpose, Query, Scalars, Sums, Weight,
    },
};
use alloc::vec::Vec;
use blst::{blst_p1_affine, blst_p2_affine};
use ffi::Scalar;

/// The blst back end.
#[derive(Clone, Copy, Debug)]
pub struct Blst;

fn base_z(scalar: &Scalar) -> BaseZ {
    BaseZ::new(&scalar.to_bytes())
}

impl Scalars for Blst {
    type Scalar = Scalar;

    fn scalar_from_bytes(bytes: &[u8; SCALAR_LEN]) -> Option<Scalar> {
        Scalar::from_bytes(bytes)
    }

    fn scalar_to_bytes(scalar: &Scalar) -> [u8; SCALAR_LEN] {
        scalar.to_bytes()
    }

    fn scalar_from_wide(bytes: &[u8; 48]) -> Scalar {
        Scalar::from_wide(bytes)
    }

    fn scalar_sub_mul(a: &Scalar, b: &Scalar, c: &Scalar) -> Scalar {
        a.sub_mul(b, c)
    }
}

impl Groups for Blst {
    type G1 = blst_p1_affine;
    type G2 = blst_p2_affine;

    fn g1_generator() -> blst_p1_affine {
        ffi::generator_g1()
    }

    fn g1_is_zero(point: &blst_p1_affine) -> bool {
        ffi::is_zero_g1(point)
    }

    fn g1_neg(point: &blst_p1_affine) -> blst_p1_affine {
        Affine::from_blst(point).neg().to_blst()
    }

    fn g2_generator() -> blst_p2_affine {
        ffi::generator_g2()
    }

    fn g2_is_zero(point: &blst_p2_affine) -> bool {
        ffi::is_zero_g2(point)
    }
}

impl Encodings for Blst {
    fn g1_from_bytes(bytes: &[u8; G1_LEN]) -> Result<blst_p1_affine, PointError> {
        let point = ffi::decompress_g1(bytes)?;
        ffi::is_in_g1(&point)
            .then_some(point)
            .ok_or(PointError::NotInSubgroup)
    }

    fn g1_from_stored_unchecked(bytes: &[u8; G1_LEN]) -> Result<blst_p1_affine, PointError> {
        ffi::decompress_g1(bytes)
    }

    fn g1_to_bytes(point: &blst_p1_affine) -> [u8; G1_LEN] {
        ffi::compress_g1(point)
    }

    fn g2_from_bytes(bytes: &[u8; G2_LEN]) -> Result<blst_p2_affine, PointError> {
        let point = ffi::decompress_g2(bytes)?;
        ffi::is_in_g2(&point)
            .then_some(point)
            .ok_or(PointError::NotInSubgroup)
    }

    fn g2_from_stored_unchecked(bytes: &[u8; G2_LEN]) -> Result<blst_p2_affine, PointError> {
        ffi::decompress_g2(bytes)
    }

    fn g2_to_bytes(point: &blst_p2_affine) -> [u8; G2_LEN] {
        ffi::compress_g2(point)
    }
}

impl Sums for Blst {
    type SubsetCache = SubsetCache;

    fn g1_sum(points: &[&blst_p1_affine]) -> blst_p1_affine {
        sum(points.iter().copied().map(Affine::from_blst))
    }

    fn g1_sub(a: &blst_p1_affine, b: &blst_p1_affine) -> blst_p1_affine {
        let [a, b] = [a, b].map(Affine::from_blst);
        sum([a, b.neg()].into_iter())
    }

    fn g2_sum(points: &[&blst_p2_affine]) -> blst_p2_affine {
        ffi::sum_g2(points)
    }

    fn g1_sum_of_subset<P>(
        list: &[P],
        point: fn(&P) -> &blst_p1_affine,
        subset: &[u8],
        cache: &SubsetCache,
    ) -> blst_p1_affine {
        cache.sum_of(list, point, subset)
    }
}

impl Bases for Blst {
    type Tables = Tables;

    fn tables(_: &blst_p1_affine, purpose: Purpose) -> Tables {
        match purpose {
            Purpose::Once => Tables::default(),
            Purpose::AFewTimes => Tables::for_few(),
            Purpose::Member { set_len } => Tables::for_key(set_len),
            Purpose::SetTotal => Tables::for_key(1),
            Purpose::Message { votes } => Tables::for_message(votes),
        }
    }

    fn generator_tables() -> Tables {
        generator_tables()
    }

    fn g1_and_tables_from_bytes(
        bytes: &[u8; G1_LEN],
        purpose: Purpose,
    ) -> Result<(blst_p1_affine, Tables), PointError> {
        if purpose != Purpose::AFewTimes {
            let point = Self::g1_from_bytes(bytes)?;
            return Ok((point, Self::tables(&point, purpose)));
        }
        let point = ffi::decompress_g1(bytes)?;
        Tables::for_few_checked(&Affine::from_blst(&point))
            .map(|tables| (point, tables))
            .ok_or(PointError::NotInSubgroup)
    }
}

impl Multiplications for Blst {
    fn g1_mul_secret(point: &blst_p1_affine, scalar: &Scalar) -> blst_p1_affine {
        ffi::mul_g1(point, scalar)
    }

    fn g2_mul_secret(point: &blst_p2_affine, scalar: &Scalar) -> blst_p2_affine {
        ffi::mul_g2(point, scalar)
    }

    fn g1_mul_add(
        a: &Scalar,
        p: &blst_p1_affine,
        b: &Scalar,
        q: &blst_p1_affine,
    ) -> blst_p1_affine {
        normal(ffi::mul_add_g1(a, p, b, q))
    }

    fn g1_mul_public(scalar: &Scalar, base: &Base<Self>) -> blst_p1_affine {
        let point = Affine::from_blst(base.point());
        mul_public(&base_z(scalar), &point, base.tables()).to_blst()
    }

    fn g1_add_mul_short(p: &blst_p1_affine, t: u128, q: &Base<Self>) -> blst_p1_affine {
        let [p, point] = [p, q.point()].map(Affine::from_blst);
        add_mul_short(&p, t, &point, q.tables()).to_blst()
    }

    fn g1_sum_of_products(terms: &[(blst_p1_affine, Scalar)]) -> blst_p1_affine {
        // blst's tables of few points hold their third multiples, and one that is zero makes all entries wrong.
        let (of_order_3, others): (Vec<_>, Vec<_>) =
            terms.iter().partition(|(point, _)| ffi::has_order_3(point));
        let mut sum = normal(ffi::sum_of_products(&others));
        for (point, scalar) in of_order_3 {
            // 256 is 1 modulo 3.
            sum = match Self::scalar_to_bytes(scalar)
                .map(u32::from)
                .iter()
                .sum::<u32>()
                % 3
            {
                0 => sum,
                1 => Self::g1_sum(&[&sum, point]),
                _ => Self::g1_sub(&sum, point),
            };
        }
        sum
    }

    fn g1_weighted_sum(terms: &[(blst_p1_affine, Weight)]) -> blst_p1_affine {
        // Two short scalars are less work than one long one.
        let terms: Vec<_> = terms
            .iter()
            .flat_map(|(point, [a, b])| {
                let times_z2 = Affine::from_blst(point).mul_z2().to_blst();
                [(*point, a), (times_z2, b)]
            })
            .map(|(point, half)| (point, Self::scalar_from_u128((*half).into())))
            .collect();
        Self::g1_sum_of_products(&terms)
    }

    fn g1_times_weights(terms: &[(&blst_p1_affine, Weight)]) -> Vec<blst_p1_affine> {
        let (points, weights): (Vec<_>, Vec<_>) = terms
            .iter()
            .map(|(point, weight)| (Affine::from_blst(point), *weight))
            .unzip();
        let products = times_weights(&points, &weights);
        products.into_iter().map(Affine::to_blst).collect()
    }
}

impl Hashing for Blst {
    fn hash_to_g1(dst: &[u8], message: &[u8]) -> blst_p1_affine {
        normal(ffi::hash_to_g1(dst, message))
    }
}

impl Pairings for Blst {
    type G2Prepared = G2Prepared;

    fn g2_prepare(point: &blst_p2_affine) -> G2Prepared {
        G2Prepared::of(point)
    }

    fn g2_prepared_from_bytes(bytes: &[u8; G2_LEN]) -> Result<G2Prepared, PointError> {
        G2Prepared::of_checked(&ffi::decompress_g2(bytes)?)
    }

    fn g2_of_prepared(prepared: &G2Prepared) -> &blst_p2_affine {
        prepared.point()
    }

    fn pairing_product_is_one(pairs: &[(&blst_p1_affine, &blst_p2_affine)]) -> bool {
        ffi::pairing_product_is_one(pairs)
    }

    fn equation_holds(left: &blst_p1_affine, right: &[(&blst_p1_affine, &G2Prepared)]) -> bool {
        equation_holds(left, right)
    }
}

impl Dleq for Blst {
    fn dleq_commitments(query: &Query<'_, Self>) -> Result<Commitments<Self>, PointError> {
        votes::commitments(&vote(query)).map(commitments)
    }

    fn dleq_commitments_all(
        queries: &[Query<'_, Self>],
    ) -> Vec<Result<Commitments<Self>, PointError>> {
        let votes: Vec<_> = queries.iter().map(vote).collect();
        let answers = votes::commitments_all(&votes);
        let answer = |answer: Result<_, _>| answer.map(commitments);
        answers.into_iter().map(answer).collect()
    }
}

fn vote<'a>(query: &Query<'a, Blst>) -> Vote<'a> {
    Vote {
        c: base_z(query.c),
        s: base_z(query.s),
        pk1: Affine::from_blst(query.pk1.point()),
        pk1_tables: query.pk1.tables(),
        hm: Affine::from_blst(query.hm.point()),
        hm_tables: query.hm.tables(),
        sigma: query.sigma,
    }
}

fn commitments(found: votes::Commitments) -> Commitments<Blst> {
    let [sigma, a, b] = [found.sigma, found.a, found.b].map(Affine::to_blst);
    Commitments { sigma, a, b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        testing::{compress, small_g1, G1_ORDERS},
        Ark, Wasm,
    };

    /// Sums of products of points outside the subgroup, which a stranger's set may have as its total.
    fn products<C: crate::Curve>() -> Vec<[u8; G1_LEN]> {
        let times = |n: u8| {
            let mut wide = [0; 48];
            wide[47] = n;
            let scalar = C::scalar_from_wide(&wide);
            (C::g1_mul_secret(&C::g1_generator(), &scalar), scalar)
        };
        let sums = (0..G1_ORDERS.len()).flat_map(|place| {
            let small = C::g1_from_stored_unchecked(&compress(&small_g1(place)));
            let small = small.expect("a point of the curve");
            [2, 3, 8, 31, 32, 40].map(|count: u8| {
                let terms: Vec<_> = (0..count)
                    .map(|at| {
                        let (point, scalar) = times(at + 3);
                        match at % 3 {
                            1 => (small.clone(), scalar),
                            2 => (C::g1_sum(&[&small, &point]), scalar),
                            _ => (point, scalar),
                        }
                    })
                    .collect();
                C::g1_to_bytes(&C::g1_sum_of_products(&terms))
            })
        });
        sums.collect()
    }

    #[test]
    fn sums_of_products_are_right_for_any_point_on_every_back_end() {
        let expected = products::<Ark>();
        assert_eq!(products::<Blst>(), expected);
        assert_eq!(products::<Wasm>(), expected);
    }
}
