//! blst's functions, each behind a safe one. All of its `unsafe` calls that are not in the inner loops of `fast` are here.
//!
//! Every call below passes pointers made from references, so that they are aligned, live and initialised, to values of
//! exactly the type that the binding names. Further requirements of a function are stated at the call.

use crate::encoding::{check_encoding, PointError, G1_LEN, G2_LEN, SCALAR_LEN};
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

/// Bits of a scalar.
const SCALAR_BITS: usize = 255;

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

impl Scalar {
    /// Of little-endian bytes; `None` when they are not below `r`.
    pub(crate) fn from_bytes(bytes: &[u8; SCALAR_LEN]) -> Option<Self> {
        let mut scalar = Self::default();
        // SAFETY: it reads 32 bytes, which is the length of the array.
        unsafe { blst_scalar_from_lendian(&mut scalar.0, bytes.as_ptr()) };
        // SAFETY: as for all calls of this module.
        unsafe { blst_scalar_fr_check(&scalar.0) }.then_some(scalar)
    }

    /// Little-endian bytes.
    pub(crate) fn to_bytes(&self) -> [u8; SCALAR_LEN] {
        let mut bytes = [0; SCALAR_LEN];
        // SAFETY: it writes 32 bytes, which is the length of the array.
        unsafe { blst_lendian_from_scalar(bytes.as_mut_ptr(), &self.0) };
        bytes
    }

    /// Of big-endian bytes, modulo `r`.
    pub(crate) fn from_wide(bytes: &[u8; 48]) -> Self {
        let mut scalar = Self::default();
        // SAFETY: it reads as many bytes as it is told, which is the length of the array. It returns only whether the
        // scalar is zero, which callers ask for where it matters.
        unsafe { blst_scalar_from_be_bytes(&mut scalar.0, bytes.as_ptr(), bytes.len()) };
        scalar
    }

    /// `self − b·c`.
    pub(crate) fn sub_mul(&self, b: &Self, c: &Self) -> Self {
        let (mut product, mut out) = (Self::default(), Self::default());
        // SAFETY: as for all calls of this module. Both return only whether the result is zero.
        unsafe {
            blst_sk_mul_n_check(&mut product.0, &b.0, &c.0);
            blst_sk_sub_n_check(&mut out.0, &self.0, &product.0);
        }
        product.zeroize();
        out
    }

    /// How many bytes a public scalar has up to its highest that is not zero.
    fn public_len(&self) -> usize {
        let highest = self.0.b.iter().rposition(|byte| *byte != 0);
        highest.map_or(0, |at| at.saturating_add(1))
    }
}

/// The verdict of a decompression. blst writes the point and still returns an error when `x` is zero: those points are
/// on the curve and of order 3, and it is for the subgroup check to refuse them.
fn on_curve(verdict: BLST_ERROR) -> Result<(), PointError> {
    match verdict {
        BLST_ERROR::BLST_SUCCESS | BLST_ERROR::BLST_POINT_NOT_IN_GROUP => Ok(()),
        _ => Err(PointError::NotOnCurve),
    }
}

/// A point of the curve from its encoding, without the subgroup check.
pub(crate) fn decompress_g1(bytes: &[u8; G1_LEN]) -> Result<blst_p1_affine, PointError> {
    check_encoding(bytes)?;
    let mut point = blst_p1_affine::default();
    // SAFETY: the compressed flag is set, so that it reads 48 bytes, which is the length of the array.
    let verdict = unsafe { blst_p1_uncompress(&mut point, bytes.as_ptr()) };
    on_curve(verdict).map(|()| point)
}

/// A point of the curve over `Fp2` from its encoding, without the subgroup check.
pub(crate) fn decompress_g2(bytes: &[u8; G2_LEN]) -> Result<blst_p2_affine, PointError> {
    check_encoding(bytes)?;
    let mut point = blst_p2_affine::default();
    // SAFETY: the compressed flag is set, so that it reads 96 bytes, which is the length of the array.
    let verdict = unsafe { blst_p2_uncompress(&mut point, bytes.as_ptr()) };
    on_curve(verdict).map(|()| point)
}

pub(crate) fn compress_g1(point: &blst_p1_affine) -> [u8; G1_LEN] {
    let mut bytes = [0; G1_LEN];
    // SAFETY: it writes 48 bytes, which is the length of the array.
    unsafe { blst_p1_affine_compress(bytes.as_mut_ptr(), point) };
    bytes
}

pub(crate) fn compress_g2(point: &blst_p2_affine) -> [u8; G2_LEN] {
    let mut bytes = [0; G2_LEN];
    // SAFETY: it writes 96 bytes, which is the length of the array.
    unsafe { blst_p2_affine_compress(bytes.as_mut_ptr(), point) };
    bytes
}

/// Whether a point of the curve is in the subgroup.
pub(crate) fn is_in_g1(point: &blst_p1_affine) -> bool {
    // SAFETY: as for all calls of this module.
    unsafe { blst_p1_affine_in_g1(point) }
}

/// Whether a point of the curve over `Fp2` is in the subgroup.
pub(crate) fn is_in_g2(point: &blst_p2_affine) -> bool {
    // SAFETY: as for all calls of this module.
    unsafe { blst_p2_affine_in_g2(point) }
}

pub(crate) fn is_zero_g1(point: &blst_p1_affine) -> bool {
    // SAFETY: as for all calls of this module.
    unsafe { blst_p1_affine_is_inf(point) }
}

/// Whether it is `(0, ±2)`, a point of the curve outside the subgroup.
pub(crate) fn has_order_3(point: &blst_p1_affine) -> bool {
    point.x.l == [0; 6] && !is_zero_g1(point)
}

pub(crate) fn is_zero_g2(point: &blst_p2_affine) -> bool {
    // SAFETY: as for all calls of this module.
    unsafe { blst_p2_affine_is_inf(point) }
}

pub(crate) fn generator_g1() -> blst_p1_affine {
    // SAFETY: it returns a pointer to a constant.
    unsafe { *blst_p1_affine_generator() }
}

pub(crate) fn generator_g2() -> blst_p2_affine {
    // SAFETY: it returns a pointer to a constant.
    unsafe { *blst_p2_affine_generator() }
}

/// `scalar · point`; constant-time in the scalar.
fn product_g1(point: &blst_p1_affine, scalar: &Scalar) -> blst_p1 {
    let (mut projective, mut out) = (blst_p1::default(), blst_p1::default());
    // SAFETY: it reads the bytes that hold `SCALAR_BITS` bits, which are the 32 of a scalar.
    unsafe {
        blst_p1_from_affine(&mut projective, point);
        blst_p1_mult(&mut out, &projective, scalar.0.b.as_ptr(), SCALAR_BITS);
    }
    out
}

/// `scalar · point`; constant-time in the scalar.
pub(crate) fn mul_g1(point: &blst_p1_affine, scalar: &Scalar) -> blst_p1_affine {
    let (product, mut out) = (product_g1(point, scalar), blst_p1_affine::default());
    // SAFETY: as for all calls of this module.
    unsafe { blst_p1_to_affine(&mut out, &product) };
    out
}

/// `a·p + b·q`.
pub(crate) fn mul_add_g1(
    a: &Scalar,
    p: &blst_p1_affine,
    b: &Scalar,
    q: &blst_p1_affine,
) -> blst_p1 {
    let (ap, bq, mut out) = (product_g1(p, a), product_g1(q, b), blst_p1::default());
    // SAFETY: as for all calls of this module.
    unsafe { blst_p1_add_or_double(&mut out, &ap, &bq) };
    out
}

/// `scalar · point`; constant-time in the scalar.
pub(crate) fn mul_g2(point: &blst_p2_affine, scalar: &Scalar) -> blst_p2_affine {
    let (mut projective, mut product) = (blst_p2::default(), blst_p2::default());
    // SAFETY: it reads the bytes that hold `SCALAR_BITS` bits, which are the 32 of a scalar.
    unsafe {
        blst_p2_from_affine(&mut projective, point);
        blst_p2_mult(&mut product, &projective, scalar.0.b.as_ptr(), SCALAR_BITS);
    }
    affine_g2(&product)
}

fn affine_g2(point: &blst_p2) -> blst_p2_affine {
    let mut out = blst_p2_affine::default();
    // SAFETY: as for all calls of this module.
    unsafe { blst_p2_to_affine(&mut out, point) };
    out
}

/// The sum of public points.
pub(crate) fn sum_g2(points: &[&blst_p2_affine]) -> blst_p2_affine {
    if points.is_empty() {
        return blst_p2_affine::default();
    }
    let points: Vec<*const _> = points.iter().map(|point| &raw const **point).collect();
    let mut sum = blst_p2::default();
    // SAFETY: it reads as many pointers as it is told, at least one, each of which comes from a reference that outlives
    // the call.
    unsafe { blst_p2s_add(&mut sum, points.as_ptr(), points.len()) };
    affine_g2(&sum)
}

/// The sum of public products, by Pippenger's method. No point may have the order 3.
pub(crate) fn sum_of_products(terms: &[&(blst_p1_affine, Scalar)]) -> blst_p1 {
    // The method has no case for infinity, whose multiples are nothing.
    let terms: Vec<_> = terms.iter().filter(|term| !is_zero_g1(&term.0)).collect();
    let mut sum = blst_p1::default();
    if terms.is_empty() {
        return sum;
    }
    let points: Vec<*const _> = terms.iter().map(|(point, _)| &raw const *point).collect();
    let scalars: Vec<*const u8> = terms
        .iter()
        .map(|(_, scalar)| scalar.0.b.as_ptr())
        .collect();
    let longest = terms.iter().map(|(_, scalar)| scalar.public_len()).max();
    let bits = longest.unwrap_or(0).saturating_mul(8).clamp(1, SCALAR_BITS);
    // SAFETY: the scratch space has the size that blst names for this many terms. Both lists have that many pointers, at
    // least one, which come from `terms` and outlive the call; each scalar has 32 bytes, which hold `bits` bits.
    unsafe {
        let words =
            blst_p1s_mult_pippenger_scratch_sizeof(terms.len()).div_ceil(size_of::<limb_t>());
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
    sum
}

/// Hashes to G1 as RFC 9380 has it.
pub(crate) fn hash_to_g1(dst: &[u8], message: &[u8]) -> blst_p1 {
    let mut out = blst_p1::default();
    // SAFETY: both pointers go with their lengths, and a null pointer goes with the length zero.
    unsafe {
        blst_hash_to_g1(
            &mut out,
            message.as_ptr(),
            message.len(),
            dst.as_ptr(),
            dst.len(),
            core::ptr::null(),
            0,
        );
    }
    out
}

/// Whether the final exponentiation of a Miller loop's result is one.
pub(crate) fn is_one_after_final_exponentiation(product: &blst_fp12) -> bool {
    let mut power = blst_fp12::default();
    // SAFETY: as for all calls of this module.
    unsafe {
        blst_final_exp(&mut power, product);
        blst_fp12_is_one(&power)
    }
}

/// Whether the product of the pairings is one. A pairing with zero is one.
pub(crate) fn pairing_product_is_one(pairs: &[(&blst_p1_affine, &blst_p2_affine)]) -> bool {
    // blst's Miller loop has no case for infinity.
    let (g1, g2): (Vec<*const _>, Vec<*const _>) = pairs
        .iter()
        .filter(|(a, b)| !is_zero_g1(a) && !is_zero_g2(b))
        .map(|(a, b)| (&raw const **a, &raw const **b))
        .unzip();
    if g1.is_empty() {
        return true;
    }
    let mut product = blst_fp12::default();
    // SAFETY: both lists have this many pointers, at least one, each from a reference that outlives the call.
    unsafe { blst_miller_loop_n(&mut product, g2.as_ptr(), g1.as_ptr(), g1.len()) };
    is_one_after_final_exponentiation(&product)
}
