//! blst: assembly, constant-time on secrets. Here and in `fast` (`field.rs`, `fp2.rs`, `pairing.rs`) each call hands blst
//! pointers to live, initialised values of exactly the type that the binding names. The only other `unsafe` of the crate
//! is in `fast/vector`.

use super::{check_encoding, fast, Commitments, Curve, PointError, Query, Weight};
use crate::{G1_LEN, G2_LEN, SCALAR_LEN};
use alloc::{vec, vec::Vec};
use blst::{
    blst_final_exp, blst_fp12, blst_fp12_is_one, blst_hash_to_g1, blst_lendian_from_scalar,
    blst_miller_loop_n, blst_p1, blst_p1_add_or_double, blst_p1_affine, blst_p1_affine_compress,
    blst_p1_affine_generator, blst_p1_affine_in_g1, blst_p1_affine_is_inf, blst_p1_from_affine,
    blst_p1_mult, blst_p1_to_affine, blst_p1_uncompress, blst_p1s_mult_pippenger,
    blst_p1s_mult_pippenger_scratch_sizeof, blst_p2, blst_p2_affine, blst_p2_affine_compress,
    blst_p2_affine_generator, blst_p2_affine_in_g2, blst_p2_affine_is_inf, blst_p2_from_affine,
    blst_p2_mult, blst_p2_to_affine, blst_p2_uncompress, blst_p2s_add, blst_scalar,
    blst_scalar_fr_check, blst_scalar_from_be_bytes, blst_scalar_from_lendian, blst_sk_mul_n_check,
    blst_sk_sub_n_check, limb_t, BLST_ERROR,
};
use zeroize::Zeroize;

/// The blst back end.
#[derive(Clone, Copy, Debug)]
pub struct Blst;

/// An integer modulo `r`, always reduced.
#[derive(Clone, Default)]
pub struct Scalar(blst_scalar);

impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        self.0.b == other.0.b
    }
}

impl Zeroize for Scalar {
    fn zeroize(&mut self) {
        self.0.b.zeroize();
    }
}

const SCALAR_BITS: usize = 255;

fn to_projective_g1(point: &blst_p1_affine) -> blst_p1 {
    let mut out = blst_p1::default();
    unsafe { blst_p1_from_affine(&mut out, point) };
    out
}

/// For what may be secret; [`fast::normal`] is for what is public.
fn to_affine_g1(point: &blst_p1) -> blst_p1_affine {
    let mut out = blst_p1_affine::default();
    unsafe { blst_p1_to_affine(&mut out, point) };
    out
}

fn to_affine_g2(point: &blst_p2) -> blst_p2_affine {
    let mut out = blst_p2_affine::default();
    unsafe { blst_p2_to_affine(&mut out, point) };
    out
}

/// What a decompression says. It writes the point, and still complains, when `x` is zero: those points are on the
/// curve and of order 3, which is for the subgroup check to say.
fn on_curve(verdict: BLST_ERROR) -> Result<(), PointError> {
    match verdict {
        BLST_ERROR::BLST_SUCCESS | BLST_ERROR::BLST_POINT_NOT_IN_GROUP => Ok(()),
        _ => Err(PointError::NotOnCurve),
    }
}

/// `scalar · point` over the lowest `bits` bits; blst's ladder is constant-time for a given `bits`.
fn mul_g1(point: &blst_p1_affine, scalar: &[u8], bits: usize) -> blst_p1 {
    debug_assert!(scalar.len() * 8 >= bits);
    let mut out = blst_p1::default();
    unsafe { blst_p1_mult(&mut out, &to_projective_g1(point), scalar.as_ptr(), bits) };
    out
}

/// How many bytes a public scalar has up to its highest that is not zero.
fn len(scalar: &Scalar) -> usize {
    let highest = scalar.0.b.iter().rposition(|byte| *byte != 0);
    highest.map_or(0, |at| at + 1)
}

/// A point of the curve from its encoding, without the subgroup check.
pub(super) fn decompress(bytes: &[u8; G1_LEN]) -> Result<blst_p1_affine, PointError> {
    check_encoding(bytes)?;
    let mut point = blst_p1_affine::default();
    on_curve(unsafe { blst_p1_uncompress(&mut point, bytes.as_ptr()) }).map(|()| point)
}

/// Whether what a Miller loop gives stands for one.
pub(super) fn is_one_after_final_exponentiation(product: &blst_fp12) -> bool {
    let mut power = blst_fp12::default();
    unsafe {
        blst_final_exp(&mut power, product);
        blst_fp12_is_one(&power)
    }
}

impl Curve for Blst {
    type Scalar = Scalar;
    type G1 = blst_p1_affine;
    type G2 = blst_p2_affine;
    type Tables = fast::Tables;
    type Sums = fast::Sums;
    type G2Prepared = fast::G2Prepared;

    fn scalar_from_bytes(bytes: &[u8; SCALAR_LEN]) -> Option<Scalar> {
        let mut scalar = Scalar::default();
        unsafe { blst_scalar_from_lendian(&mut scalar.0, bytes.as_ptr()) };
        unsafe { blst_scalar_fr_check(&scalar.0) }.then_some(scalar)
    }

    fn scalar_to_bytes(scalar: &Scalar) -> [u8; SCALAR_LEN] {
        let mut bytes = [0; SCALAR_LEN];
        unsafe { blst_lendian_from_scalar(bytes.as_mut_ptr(), &scalar.0) };
        bytes
    }

    fn scalar_from_wide(bytes: &[u8; 48]) -> Scalar {
        let mut scalar = Scalar::default();
        // The result says only whether the scalar is zero, which callers ask for where it matters.
        unsafe { blst_scalar_from_be_bytes(&mut scalar.0, bytes.as_ptr(), bytes.len()) };
        scalar
    }

    fn scalar_sub_mul(a: &Scalar, b: &Scalar, c: &Scalar) -> Scalar {
        let mut product = Scalar::default();
        let mut out = Scalar::default();
        unsafe {
            blst_sk_mul_n_check(&mut product.0, &b.0, &c.0);
            blst_sk_sub_n_check(&mut out.0, &a.0, &product.0);
        }
        product.zeroize();
        out
    }

    fn g1_generator() -> blst_p1_affine {
        unsafe { *blst_p1_affine_generator() }
    }

    fn g1_from_bytes(bytes: &[u8; G1_LEN]) -> Result<blst_p1_affine, PointError> {
        let point = Self::g1_from_stored_unchecked(bytes)?;
        unsafe { blst_p1_affine_in_g1(&point) }
            .then_some(point)
            .ok_or(PointError::NotInSubgroup)
    }

    fn g1_from_stored_unchecked(bytes: &[u8; G1_LEN]) -> Result<blst_p1_affine, PointError> {
        decompress(bytes)
    }

    fn g1_to_bytes(point: &blst_p1_affine) -> [u8; G1_LEN] {
        let mut bytes = [0; G1_LEN];
        unsafe { blst_p1_affine_compress(bytes.as_mut_ptr(), point) };
        bytes
    }

    fn g1_is_zero(point: &blst_p1_affine) -> bool {
        unsafe { blst_p1_affine_is_inf(point) }
    }

    fn g1_sum(points: &[&blst_p1_affine]) -> blst_p1_affine {
        fast::sum(points.iter().copied().map(fast::Affine::from_blst))
    }

    fn g1_sum_of_some<P>(
        list: &[P],
        point: fn(&P) -> &blst_p1_affine,
        selected: &[u8],
        kept: &fast::Sums,
    ) -> blst_p1_affine {
        kept.sum_of_some(list, point, selected)
    }

    fn g1_sub(a: &blst_p1_affine, b: &blst_p1_affine) -> blst_p1_affine {
        let [a, b] = [a, b].map(fast::Affine::from_blst);
        fast::sum([a, b.neg()].into_iter())
    }

    fn g1_mul_secret(point: &blst_p1_affine, scalar: &Scalar) -> blst_p1_affine {
        to_affine_g1(&mul_g1(point, &scalar.0.b, SCALAR_BITS))
    }

    fn g1_mul_add(
        a: &Scalar,
        p: &blst_p1_affine,
        b: &Scalar,
        q: &blst_p1_affine,
    ) -> blst_p1_affine {
        let (ap, bq) = (
            mul_g1(p, &a.0.b, SCALAR_BITS),
            mul_g1(q, &b.0.b, SCALAR_BITS),
        );
        let mut out = blst_p1::default();
        unsafe { blst_p1_add_or_double(&mut out, &ap, &bq) };
        fast::normal(out)
    }

    fn dleq_commitments(query: &Query<'_, Self>) -> Result<Commitments<Self>, PointError> {
        fast::commitments(query)
    }

    fn dleq_commitments_all(
        queries: &[Query<'_, Self>],
    ) -> Vec<Result<Commitments<Self>, PointError>> {
        fast::commitments_all(queries)
    }

    fn key_tables(set_len: u32) -> fast::Tables {
        fast::Tables::for_key(set_len)
    }

    fn message_tables(votes: u32) -> fast::Tables {
        fast::Tables::for_message(votes)
    }

    fn g1_add_mul_short(
        p: &blst_p1_affine,
        t: u128,
        q: &blst_p1_affine,
        q_tables: &fast::Tables,
    ) -> blst_p1_affine {
        fast::add_mul_short(p, t, q, q_tables)
    }

    fn g1_mul_public(
        scalar: &Scalar,
        point: &blst_p1_affine,
        tables: &fast::Tables,
    ) -> blst_p1_affine {
        fast::mul_public(scalar, point, tables)
    }

    fn g1_sum_of_products(terms: &[(blst_p1_affine, Scalar)]) -> blst_p1_affine {
        // Pippenger's method has no case for infinity, whose multiples are nothing.
        let terms: Vec<_> = terms
            .iter()
            .filter(|(point, _)| !Self::g1_is_zero(point))
            .collect();
        if terms.is_empty() {
            return blst_p1_affine::default();
        }
        let points: Vec<*const _> = terms.iter().map(|(point, _)| &raw const *point).collect();
        let scalars: Vec<*const u8> = terms
            .iter()
            .map(|(_, scalar)| scalar.0.b.as_ptr())
            .collect();
        let longest = terms.iter().map(|(_, scalar)| len(scalar)).max();
        let bits = (8 * longest.unwrap_or(0)).clamp(1, SCALAR_BITS);
        let mut sum = blst_p1::default();
        unsafe {
            let words = blst_p1s_mult_pippenger_scratch_sizeof(terms.len()) / size_of::<limb_t>();
            let mut scratch: Vec<limb_t> = vec![0; words];
            blst_p1s_mult_pippenger(
                &mut sum,
                points.as_ptr(),
                terms.len(),
                scalars.as_ptr(),
                bits,
                scratch.as_mut_ptr(),
            );
        }
        fast::normal(sum)
    }

    fn g1_weighted_sum(terms: &[(blst_p1_affine, Weight)]) -> blst_p1_affine {
        // Two short scalars are less work than one long one.
        let terms: Vec<_> = terms
            .iter()
            .flat_map(|(point, [a, b])| {
                let times_z2 = fast::Affine::from_blst(point).mul_z2().to_blst();
                [(*point, a), (times_z2, b)]
            })
            .map(|(point, half)| (point, Self::scalar_from_u128((*half).into())))
            .collect();
        Self::g1_sum_of_products(&terms)
    }

    fn g1_times_weights(terms: &[(&blst_p1_affine, Weight)]) -> Vec<blst_p1_affine> {
        fast::times_weights(terms)
    }

    fn g1_neg(point: &blst_p1_affine) -> blst_p1_affine {
        fast::Affine::from_blst(point).neg().to_blst()
    }

    fn g1_generator_tables() -> fast::Tables {
        fast::generator_tables()
    }

    fn few_tables(_: &blst_p1_affine) -> fast::Tables {
        fast::Tables::for_few()
    }

    fn g1_and_few_tables_from_bytes(
        bytes: &[u8; G1_LEN],
    ) -> Result<(blst_p1_affine, fast::Tables), PointError> {
        let point = decompress(bytes)?;
        fast::Tables::for_few_checked(&fast::Affine::from_blst(&point))
            .map(|tables| (point, tables))
            .ok_or(PointError::NotInSubgroup)
    }

    fn hash_to_g1(dst: &[u8], message: &[u8]) -> blst_p1_affine {
        let mut out = blst_p1::default();
        unsafe {
            blst_hash_to_g1(
                &mut out,
                message.as_ptr(),
                message.len(),
                dst.as_ptr(),
                dst.len(),
                core::ptr::null(),
                0,
            )
        };
        fast::normal(out)
    }

    fn g2_generator() -> blst_p2_affine {
        unsafe { *blst_p2_affine_generator() }
    }

    fn g2_from_bytes(bytes: &[u8; G2_LEN]) -> Result<blst_p2_affine, PointError> {
        let point = Self::g2_from_stored_unchecked(bytes)?;
        unsafe { blst_p2_affine_in_g2(&point) }
            .then_some(point)
            .ok_or(PointError::NotInSubgroup)
    }

    fn g2_from_stored_unchecked(bytes: &[u8; G2_LEN]) -> Result<blst_p2_affine, PointError> {
        check_encoding(bytes)?;
        let mut point = blst_p2_affine::default();
        on_curve(unsafe { blst_p2_uncompress(&mut point, bytes.as_ptr()) }).map(|()| point)
    }

    fn g2_to_bytes(point: &blst_p2_affine) -> [u8; G2_LEN] {
        let mut bytes = [0; G2_LEN];
        unsafe { blst_p2_affine_compress(bytes.as_mut_ptr(), point) };
        bytes
    }

    fn g2_is_zero(point: &blst_p2_affine) -> bool {
        unsafe { blst_p2_affine_is_inf(point) }
    }

    fn g2_sum(points: &[&blst_p2_affine]) -> blst_p2_affine {
        if points.is_empty() {
            return blst_p2_affine::default();
        }
        let points: Vec<*const _> = points.iter().map(|point| &raw const **point).collect();
        let mut sum = blst_p2::default();
        unsafe { blst_p2s_add(&mut sum, points.as_ptr(), points.len()) };
        to_affine_g2(&sum)
    }

    fn g2_mul_secret(point: &blst_p2_affine, scalar: &Scalar) -> blst_p2_affine {
        let mut projective = blst_p2::default();
        let mut out = blst_p2::default();
        unsafe {
            blst_p2_from_affine(&mut projective, point);
            blst_p2_mult(&mut out, &projective, scalar.0.b.as_ptr(), SCALAR_BITS);
        }
        to_affine_g2(&out)
    }

    fn g2_prepare(point: &blst_p2_affine) -> fast::G2Prepared {
        fast::G2Prepared::of(point)
    }

    fn g2_prepared_from_bytes(bytes: &[u8; G2_LEN]) -> Result<fast::G2Prepared, PointError> {
        fast::G2Prepared::of_checked(&Self::g2_from_stored_unchecked(bytes)?)
    }

    fn g2_of_prepared(prepared: &fast::G2Prepared) -> &blst_p2_affine {
        prepared.point()
    }

    fn pairing_product_is_one(pairs: &[(&blst_p1_affine, &blst_p2_affine)]) -> bool {
        // blst's Miller loop has no case for infinity; a pairing with it is one.
        let (g1, g2): (Vec<*const _>, Vec<*const _>) = pairs
            .iter()
            .filter(|(a, b)| !Self::g1_is_zero(a) && !Self::g2_is_zero(b))
            .map(|(a, b)| (&raw const **a, &raw const **b))
            .unzip();
        if g1.is_empty() {
            return true;
        }
        let mut product = blst_fp12::default();
        unsafe { blst_miller_loop_n(&mut product, g2.as_ptr(), g1.as_ptr(), g1.len()) };
        is_one_after_final_exponentiation(&product)
    }

    fn equation_holds(
        left: &blst_p1_affine,
        right: &[(&blst_p1_affine, &fast::G2Prepared)],
    ) -> bool {
        fast::equation_holds(left, right)
    }
}
