//! The only folder that names blst. All `unsafe` of the crate is here: each call hands blst pointers to live,
//! initialised values of exactly the type that the binding names.
//!
//! The one secret that comes here is the scalar of [`sign`] and [`public_of`], where blst's ladder takes the same time
//! for all scalars. Everything else is public and may branch on what it sees.

mod field;
mod isogeny;
mod labels;
mod secret;

pub(crate) use labels::{label_sum, map_all, Uncleared};
pub(crate) use secret::{public_of, sign, Secret};

use crate::{
    scalar::Scalar,
    suite::{BASE_MESSAGE, DST_BASE, G1_LEN, G2_LEN, SCALAR_LEN},
};
use blst::{
    blst_final_exp, blst_fp12, blst_fp12_is_one, blst_fp12_mul, blst_fr, blst_fr_from_uint64,
    blst_fr_mul, blst_hash_to_g1, blst_miller_loop_n, blst_p1, blst_p1_add_or_double,
    blst_p1_add_or_double_affine, blst_p1_affine, blst_p1_affine_compress, blst_p1_affine_in_g1,
    blst_p1_affine_is_inf, blst_p1_cneg, blst_p1_from_affine, blst_p1_is_inf, blst_p1_mult,
    blst_p1_uncompress, blst_p1s_mult_pippenger, blst_p1s_mult_pippenger_scratch_sizeof,
    blst_p1s_to_affine, blst_p2_affine, blst_p2_affine_compress, blst_p2_affine_generator,
    blst_p2_affine_in_g2, blst_p2_affine_is_inf, blst_p2_uncompress, blst_uint64_from_fr, limb_t,
    BLST_ERROR,
};
use rayon::prelude::*;
use std::sync::LazyLock;

/// A point of G1 in affine coordinates.
pub(crate) type G1 = blst_p1_affine;
/// A point of G2 in affine coordinates.
pub(crate) type G2 = blst_p2_affine;
/// A point of G1 that is on its way through a sum.
pub(crate) type Sum = blst_p1;

/// Why bytes are no point that may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointError {
    Bad,
    NotInSubgroup,
    Identity,
}

/// Points with less than this many others are not worth another thread.
const GRAIN: usize = 16;
/// Pairs whose Miller loops share their squarings.
const PAIRS: usize = 64;

pub(crate) fn g1_from_bytes(bytes: &[u8; G1_LEN]) -> Result<G1, PointError> {
    let mut point = G1::default();
    on_curve(unsafe { blst_p1_uncompress(&mut point, bytes.as_ptr()) })?;
    if unsafe { blst_p1_affine_is_inf(&point) } {
        return Err(PointError::Identity);
    }
    unsafe { blst_p1_affine_in_g1(&point) }
        .then_some(point)
        .ok_or(PointError::NotInSubgroup)
}

pub(crate) fn g1_to_bytes(point: &G1) -> [u8; G1_LEN] {
    let mut bytes = [0; G1_LEN];
    unsafe { blst_p1_affine_compress(bytes.as_mut_ptr(), point) };
    bytes
}

pub(crate) fn g2_from_bytes(bytes: &[u8; G2_LEN]) -> Result<G2, PointError> {
    let mut point = G2::default();
    on_curve(unsafe { blst_p2_uncompress(&mut point, bytes.as_ptr()) })?;
    if unsafe { blst_p2_affine_is_inf(&point) } {
        return Err(PointError::Identity);
    }
    unsafe { blst_p2_affine_in_g2(&point) }
        .then_some(point)
        .ok_or(PointError::NotInSubgroup)
}

pub(crate) fn g2_to_bytes(point: &G2) -> [u8; G2_LEN] {
    let mut bytes = [0; G2_LEN];
    unsafe { blst_p2_affine_compress(bytes.as_mut_ptr(), point) };
    bytes
}

/// What a decompression says. It writes the point, and still complains, when `x` is zero: those points are on the
/// curve and of order 3, which is for the subgroup check to say.
fn on_curve(verdict: BLST_ERROR) -> Result<(), PointError> {
    match verdict {
        BLST_ERROR::BLST_SUCCESS | BLST_ERROR::BLST_POINT_NOT_IN_GROUP => Ok(()),
        _ => Err(PointError::Bad),
    }
}

/// RFC 9380, `BLS12381G1_XMD:SHA-256_SSWU_RO`.
pub(crate) fn hash_to_g1(dst: &[u8], message: &[u8]) -> Sum {
    let mut out = Sum::default();
    unsafe {
        blst_hash_to_g1(
            &mut out,
            message.as_ptr(),
            message.len(),
            dst.as_ptr(),
            dst.len(),
            std::ptr::null(),
            0,
        )
    };
    out
}

pub(crate) fn to_affine(sums: &[Sum]) -> Vec<G1> {
    let mut points = vec![G1::default(); sums.len()];
    if !sums.is_empty() {
        // A list that ends in null after its first entry stands for points that lie one after another.
        let list = [sums.as_ptr(), std::ptr::null()];
        unsafe { blst_p1s_to_affine(points.as_mut_ptr(), list.as_ptr(), sums.len()) };
    }
    points
}

pub(crate) fn one_to_affine(sum: &Sum) -> G1 {
    let mut point = G1::default();
    unsafe { blst::blst_p1_to_affine(&mut point, sum) };
    point
}

pub(crate) fn is_identity(sum: &Sum) -> bool {
    unsafe { blst_p1_is_inf(sum) }
}

pub(crate) fn add(a: &Sum, b: &Sum) -> Sum {
    let mut out = Sum::default();
    unsafe { blst_p1_add_or_double(&mut out, a, b) };
    out
}

pub(crate) fn negated(sum: &Sum) -> Sum {
    let mut out = *sum;
    unsafe { blst_p1_cneg(&mut out, true) };
    out
}

pub(crate) fn from_affine(point: &G1) -> Sum {
    let mut out = Sum::default();
    unsafe { blst_p1_from_affine(&mut out, point) };
    out
}

fn add_affine(a: &Sum, b: &G1) -> Sum {
    let mut out = Sum::default();
    unsafe { blst_p1_add_or_double_affine(&mut out, a, b) };
    out
}

/// `Σ scalarᵢ · pointᵢ` with public scalars, each as the shorter of itself and its negative: small negative numbers
/// cost as little as small positive ones.
///
/// `points` and `scalars` have the same length.
pub(crate) fn weighted_sum(points: &[G1], scalars: &[Scalar]) -> Sum {
    debug_assert_eq!(points.len(), scalars.len());
    let mut terms = Vec::with_capacity(points.len());
    let mut magnitudes = Vec::with_capacity(points.len());
    for (point, scalar) in points.iter().zip(scalars) {
        let (is_negative, magnitude) = scalar.sign_and_magnitude();
        // Pippenger's method has no case for infinity, whose multiples are nothing.
        if magnitude == [0; 4] || unsafe { blst_p1_affine_is_inf(point) } {
            continue;
        }
        let mut term = *point;
        if is_negative {
            unsafe { blst::blst_fp_cneg(&mut term.y, &point.y, true) };
        }
        terms.push(term);
        magnitudes.push(magnitude);
    }
    let bits = magnitudes.iter().map(bit_length).max().unwrap_or(0);
    let bytes: Vec<[u8; SCALAR_LEN]> = magnitudes.iter().map(little_endian).collect();
    match (terms.as_slice(), bytes.as_slice()) {
        ([], _) => Sum::default(),
        ([term], [scalar]) => multiple(&from_affine(term), scalar, bits),
        _ => pippenger(&terms, &bytes, bits),
    }
}

/// `scalar · point` for a public scalar and a point of the subgroup.
fn scaled(point: &Sum, scalar: &Scalar) -> Sum {
    let (is_negative, magnitude) = scalar.sign_and_magnitude();
    let product = multiple(point, &little_endian(&magnitude), bit_length(&magnitude));
    if is_negative {
        negated(&product)
    } else {
        product
    }
}

fn multiple(point: &Sum, scalar: &[u8; SCALAR_LEN], bits: usize) -> Sum {
    let mut out = Sum::default();
    unsafe { blst_p1_mult(&mut out, point, scalar.as_ptr(), bits) };
    out
}

/// No point is infinity, and there are at least two.
fn pippenger(points: &[G1], scalars: &[[u8; SCALAR_LEN]], bits: usize) -> Sum {
    let point_list = [points.as_ptr(), std::ptr::null()];
    let scalar_list: Vec<*const u8> = scalars.iter().map(|scalar| scalar.as_ptr()).collect();
    let mut sum = Sum::default();
    unsafe {
        let words = blst_p1s_mult_pippenger_scratch_sizeof(points.len()) / size_of::<limb_t>();
        let mut scratch: Vec<limb_t> = vec![0; words];
        blst_p1s_mult_pippenger(
            &mut sum,
            point_list.as_ptr(),
            points.len(),
            scalar_list.as_ptr(),
            bits,
            scratch.as_mut_ptr(),
        );
    }
    sum
}

fn bit_length(magnitude: &[u64; 4]) -> usize {
    let limbs = magnitude.iter().zip([64, 128, 192, 256]);
    limbs
        .filter(|(limb, _)| **limb != 0)
        .map(|(limb, end)| end - limb.leading_zeros() as usize)
        .next_back()
        .unwrap_or(0)
}

fn little_endian(limbs: &[u64; 4]) -> [u8; SCALAR_LEN] {
    let mut bytes = [0; SCALAR_LEN];
    for (chunk, limb) in bytes.chunks_exact_mut(8).zip(limbs) {
        chunk.copy_from_slice(&limb.to_le_bytes());
    }
    bytes
}

/// Bits of a window of [`BaseTable`].
const WINDOW: usize = 6;
/// Windows of a scalar.
const WINDOWS: usize = 256_usize.div_ceil(WINDOW);
/// Multiples that a window has, but for zero.
const DIGITS: usize = (1 << WINDOW) - 1;

/// `digit · 2^(WINDOW · window) · U` for every window and every digit but zero: 260 KiB, once per process.
struct BaseTable(Vec<G1>);

static BASE: LazyLock<(G1, BaseTable)> = LazyLock::new(|| {
    let base = hash_to_g1(DST_BASE, BASE_MESSAGE);
    let mut multiples = Vec::with_capacity(WINDOWS * DIGITS);
    let mut first = base;
    for _ in 0..WINDOWS {
        let mut multiple = first;
        for _ in 0..DIGITS {
            multiples.push(multiple);
            multiple = add(&multiple, &first);
        }
        first = multiple;
    }
    (one_to_affine(&base), BaseTable(to_affine(&multiples)))
});

/// The message base `U`.
pub(crate) fn base() -> &'static G1 {
    &BASE.0
}

/// `scalar · U` for a public scalar: at most [`WINDOWS`] additions.
pub(crate) fn base_multiple(scalar: &Scalar) -> Sum {
    let (is_negative, magnitude) = scalar.sign_and_magnitude();
    let bytes = little_endian(&magnitude);
    let mut sum = Sum::default();
    for (at, row) in BASE.1 .0.chunks_exact(DIGITS).enumerate() {
        let digit = window(&bytes, at * WINDOW);
        if let Some(multiple) = digit.checked_sub(1).and_then(|index| row.get(index)) {
            sum = add_affine(&sum, multiple);
        }
    }
    if is_negative {
        negated(&sum)
    } else {
        sum
    }
}

/// The [`WINDOW`] bits from `from` on.
fn window(bytes: &[u8; SCALAR_LEN], from: usize) -> usize {
    let byte = |at: usize| bytes.get(at).copied().map_or(0, usize::from);
    let pair = byte(from / 8) | byte(from / 8 + 1) << 8;
    pair >> (from % 8) & DIGITS
}

/// `a · b` modulo `q`.
pub(crate) fn product(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let (mut x, mut y) = (blst_fr::default(), blst_fr::default());
    let mut out = [0; 4];
    unsafe {
        blst_fr_from_uint64(&mut x, a.as_ptr());
        blst_fr_from_uint64(&mut y, b.as_ptr());
        let a = x;
        blst_fr_mul(&mut x, &a, &y);
        blst_uint64_from_fr(out.as_mut_ptr(), &x);
    }
    out
}

/// Whether `Π e(aᵢ, bᵢ) = 1`: one final exponentiation, and Miller loops on all threads of the pool.
pub(crate) fn pairing_product_is_one(pairs: &[(G1, &G2)]) -> bool {
    let loops = |some: &[(G1, &G2)]| {
        // blst's Miller loop has no case for infinity; a pairing with it is one.
        let (g1, g2): (Vec<*const G1>, Vec<*const G2>) = some
            .iter()
            .filter(|(a, b)| unsafe { !blst_p1_affine_is_inf(a) && !blst_p2_affine_is_inf(*b) })
            .map(|(a, b)| (&raw const *a, &raw const **b))
            .unzip();
        let mut product = blst_fp12::default();
        if !g1.is_empty() {
            unsafe { blst_miller_loop_n(&mut product, g2.as_ptr(), g1.as_ptr(), g1.len()) };
        }
        product
    };
    let product = if pairs.len() <= GRAIN || rayon::current_num_threads() == 1 {
        pairs
            .chunks(PAIRS)
            .map(loops)
            .fold(blst_fp12::default(), times)
    } else {
        let share = pairs.len().div_ceil(rayon::current_num_threads());
        pairs
            .par_chunks(share.clamp(1, PAIRS))
            .map(loops)
            .reduce(blst_fp12::default, times)
    };
    let mut power = blst_fp12::default();
    unsafe {
        blst_final_exp(&mut power, &product);
        blst_fp12_is_one(&power)
    }
}

fn times(a: blst_fp12, b: blst_fp12) -> blst_fp12 {
    let mut out = blst_fp12::default();
    unsafe { blst_fp12_mul(&mut out, &a, &b) };
    out
}

pub(crate) fn g2_generator() -> &'static G2 {
    unsafe { &*blst_p2_affine_generator() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9380, J.9.1: a message, and the affine coordinates of its point.
    const VECTORS: [(&[u8], &str, &str); 3] = [
        (
            b"",
            "052926add2207b76ca4fa57a8734416c8dc95e24501772c814278700eed6d1e4e8cf62d9c09db0fac349612b759e79a1",
            "08ba738453bfed09cb546dbb0783dbb3a5f1f566ed67bb6be0e8c67e2e81a4cc68ee29813bb7994998f3eae0c9c6a265",
        ),
        (
            b"abc",
            "03567bc5ef9c690c2ab2ecdf6a96ef1c139cc0b2f284dca0a9a7943388a49a3aee664ba5379a7655d3c68900be2f6903",
            "0b9c15f3fe6e5cf4211f346271d7b01c8f3b28be689c8429c85b67af215533311f0b8dfaaa154fa6b88176c229f2885d",
        ),
        (
            b"abcdef0123456789",
            "11e0b079dea29a68f0383ee94fed1b940995272407e3bb916bbf268c263ddd57a6a27200a784cbc248e84f357ce82d98",
            "03a87ae2caf14e8ee52e51fa2ed8eefe80f02457004ba4d486d6aa1f517c0889501dc7413753f9599b099ebcbbd2d709",
        ),
    ];

    #[test]
    fn hashing_to_the_curve_is_that_of_rfc_9380() {
        for (message, x, y) in VECTORS {
            let dst = b"QUUX-V01-CS02-with-BLS12381G1_XMD:SHA-256_SSWU_RO_";
            let point = one_to_affine(&hash_to_g1(dst, message));
            let mut bytes = [0; 96];
            unsafe { blst::blst_p1_affine_serialize(bytes.as_mut_ptr(), &point) };
            assert_eq!(hex::encode(bytes), [x, y].concat());
        }
    }

    #[test]
    fn multiples_of_the_base_are_those_of_any_point() {
        let largest: Scalar = "2".repeat(76).parse().unwrap();
        let numbers = [0, 1, -1, 63, 64, 65, i64::MAX, i64::MIN].map(Scalar::from);
        for number in numbers.into_iter().chain([largest, -largest]) {
            let expected = weighted_sum(&[*base()], &[number]);
            assert_eq!(
                one_to_affine(&base_multiple(&number)),
                one_to_affine(&expected),
                "{number}"
            );
        }
    }

    #[test]
    fn weighted_sums_are_sums_of_multiples() {
        let points =
            to_affine(&["a", "b", "c", "d"].map(|text| hash_to_g1(b"dst", text.as_bytes())));
        let scalars = [3, -5, 0, i64::MIN].map(Scalar::from);
        let one_by_one = points
            .iter()
            .zip(&scalars)
            .map(|(point, scalar)| weighted_sum(&[*point], &[*scalar]))
            .reduce(|a, b| add(&a, &b))
            .unwrap();
        let together = weighted_sum(&points, &scalars);
        assert_eq!(one_to_affine(&together), one_to_affine(&one_by_one));
        assert!(is_identity(&weighted_sum(&[], &[])));
        assert!(is_identity(&weighted_sum(&points[..1], &[Scalar::ZERO])));
        let cancelling = [points[0], points[0]];
        assert!(is_identity(&weighted_sum(
            &cancelling,
            &[7.into(), Scalar::from(-7)]
        )));
    }
}
