//! BLS12-381, by blst. All `unsafe` code of the crate is in this folder.
//!
//! The only secret here is the scalar of [`sign`] and [`public_of`], which use blst's constant-time multiplication.
//! Everything else works on public values and may branch on them.

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
    blst_final_exp, blst_fp12, blst_fp12_is_one, blst_fp12_mul, blst_hash_to_g1,
    blst_miller_loop_n, blst_p1, blst_p1_add_or_double, blst_p1_add_or_double_affine,
    blst_p1_affine, blst_p1_affine_compress, blst_p1_affine_in_g1, blst_p1_affine_is_inf,
    blst_p1_cneg, blst_p1_from_affine, blst_p1_is_inf, blst_p1_mult, blst_p1_uncompress,
    blst_p1s_mult_pippenger, blst_p1s_mult_pippenger_scratch_sizeof, blst_p1s_to_affine,
    blst_p2_affine, blst_p2_affine_compress, blst_p2_affine_generator, blst_p2_affine_in_g2,
    blst_p2_affine_is_inf, blst_p2_uncompress, limb_t, BLST_ERROR,
};
use crypto_bigint::U256;
use rayon::prelude::*;
use std::sync::LazyLock;

/// A point of G1 in affine coordinates.
pub(crate) type G1 = blst_p1_affine;
/// A point of G2 in affine coordinates.
pub(crate) type G2 = blst_p2_affine;
/// A point of G1 in projective coordinates.
pub(crate) type G1Projective = blst_p1;

/// Why a point was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointError {
    Bad,
    NotInSubgroup,
    Identity,
}

/// The minimum number of points per thread.
const MIN_POINTS_PER_THREAD: usize = 16;
/// Pairs per multi-Miller loop, which shares the squarings.
const PAIRS_PER_LOOP: usize = 64;

pub(crate) fn g1_from_bytes(bytes: &[u8; G1_LEN]) -> Result<G1, PointError> {
    let mut point = G1::default();
    // SAFETY: blst reads 48 bytes, the length of the array, and writes to a live point.
    on_curve(unsafe { blst_p1_uncompress(&mut point, bytes.as_ptr()) })?;
    // SAFETY: the pointer comes from a reference to an initialised point.
    if unsafe { blst_p1_affine_is_inf(&point) } {
        return Err(PointError::Identity);
    }
    // SAFETY: the pointer comes from a reference to an initialised point.
    unsafe { blst_p1_affine_in_g1(&point) }
        .then_some(point)
        .ok_or(PointError::NotInSubgroup)
}

pub(crate) fn g1_to_bytes(point: &G1) -> [u8; G1_LEN] {
    let mut bytes = [0; G1_LEN];
    // SAFETY: blst writes 48 bytes, the length of the array, and reads a live point.
    unsafe { blst_p1_affine_compress(bytes.as_mut_ptr(), point) };
    bytes
}

pub(crate) fn g2_from_bytes(bytes: &[u8; G2_LEN]) -> Result<G2, PointError> {
    let mut point = G2::default();
    // SAFETY: blst reads 96 bytes, the length of the array, and writes to a live point.
    on_curve(unsafe { blst_p2_uncompress(&mut point, bytes.as_ptr()) })?;
    // SAFETY: the pointer comes from a reference to an initialised point.
    if unsafe { blst_p2_affine_is_inf(&point) } {
        return Err(PointError::Identity);
    }
    // SAFETY: the pointer comes from a reference to an initialised point.
    unsafe { blst_p2_affine_in_g2(&point) }
        .then_some(point)
        .ok_or(PointError::NotInSubgroup)
}

pub(crate) fn g2_to_bytes(point: &G2) -> [u8; G2_LEN] {
    let mut bytes = [0; G2_LEN];
    // SAFETY: blst writes 96 bytes, the length of the array, and reads a live point.
    unsafe { blst_p2_affine_compress(bytes.as_mut_ptr(), point) };
    bytes
}

/// Maps the result of a decompression. For points with `x = 0`, blst writes the point and still reports an error. These
/// points are on the curve and have order 3, so the subgroup check rejects them.
fn on_curve(verdict: BLST_ERROR) -> Result<(), PointError> {
    match verdict {
        BLST_ERROR::BLST_SUCCESS | BLST_ERROR::BLST_POINT_NOT_IN_GROUP => Ok(()),
        _ => Err(PointError::Bad),
    }
}

/// RFC 9380, `BLS12381G1_XMD:SHA-256_SSWU_RO`.
pub(crate) fn hash_to_g1(dst: &[u8], message: &[u8]) -> G1Projective {
    let mut out = G1Projective::default();
    // SAFETY: each slice is passed with its own length. The augmentation is null with length 0, which blst permits.
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

pub(crate) fn to_affine(sums: &[G1Projective]) -> Vec<G1> {
    let mut points = vec![G1::default(); sums.len()];
    if !sums.is_empty() {
        // A null pointer after the first entry tells blst that the points are contiguous.
        let list = [sums.as_ptr(), std::ptr::null()];
        // SAFETY: `points` and `sums` both have `sums.len()` elements, which is not zero. A null second entry of the
        // list tells blst that the points are contiguous, so it reads no further entry.
        unsafe { blst_p1s_to_affine(points.as_mut_ptr(), list.as_ptr(), sums.len()) };
    }
    points
}

pub(crate) fn one_to_affine(sum: &G1Projective) -> G1 {
    let mut point = G1::default();
    // SAFETY: both pointers come from references to initialised points.
    unsafe { blst::blst_p1_to_affine(&mut point, sum) };
    point
}

pub(crate) fn is_identity(sum: &G1Projective) -> bool {
    // SAFETY: the pointer comes from a reference to an initialised point.
    unsafe { blst_p1_is_inf(sum) }
}

pub(crate) fn add(a: &G1Projective, b: &G1Projective) -> G1Projective {
    let mut out = G1Projective::default();
    // SAFETY: all pointers come from references to initialised points; `out` is distinct from both inputs.
    unsafe { blst_p1_add_or_double(&mut out, a, b) };
    out
}

pub(crate) fn negated(sum: &G1Projective) -> G1Projective {
    let mut out = *sum;
    // SAFETY: the pointer comes from a reference to an initialised point, which blst negates in place.
    unsafe { blst_p1_cneg(&mut out, true) };
    out
}

pub(crate) fn from_affine(point: &G1) -> G1Projective {
    let mut out = G1Projective::default();
    // SAFETY: both pointers come from references to initialised points.
    unsafe { blst_p1_from_affine(&mut out, point) };
    out
}

fn add_affine(a: &G1Projective, b: &G1) -> G1Projective {
    let mut out = G1Projective::default();
    // SAFETY: all pointers come from references to initialised points; `out` is distinct from both inputs.
    unsafe { blst_p1_add_or_double_affine(&mut out, a, b) };
    out
}

/// `Σ scalarᵢ · pointᵢ` with public scalars. Each scalar is replaced by its negative if that is shorter, so small
/// negative numbers are as cheap as small positive ones.
///
/// `points` and `scalars` have the same length.
pub(crate) fn weighted_sum(points: &[G1], scalars: &[Scalar]) -> G1Projective {
    debug_assert_eq!(points.len(), scalars.len());
    let mut terms = Vec::with_capacity(points.len());
    let mut magnitudes = Vec::with_capacity(points.len());
    for (point, scalar) in points.iter().zip(scalars) {
        let (is_negative, magnitude) = scalar.sign_and_magnitude();
        // Pippenger's method does not support the point at infinity, which contributes nothing.
        // SAFETY: the pointer comes from a reference to an initialised point.
        if magnitude == U256::ZERO || unsafe { blst_p1_affine_is_inf(point) } {
            continue;
        }
        let mut term = *point;
        if is_negative {
            // SAFETY: both pointers come from references to initialised field elements; `term` is a copy of `point`.
            unsafe { blst::blst_fp_cneg(&mut term.y, &point.y, true) };
        }
        terms.push(term);
        magnitudes.push(magnitude);
    }
    let bits = magnitudes.iter().map(bit_length).max().unwrap_or(0);
    let bytes: Vec<[u8; SCALAR_LEN]> = magnitudes.iter().map(little_endian).collect();
    match (terms.as_slice(), bytes.as_slice()) {
        ([], _) => G1Projective::default(),
        ([term], [scalar]) => multiple(&from_affine(term), scalar, bits),
        _ => pippenger(&terms, &bytes, bits),
    }
}

/// `scalar · point` for a public scalar and a point of the subgroup.
fn scaled(point: &G1Projective, scalar: &Scalar) -> G1Projective {
    let (is_negative, magnitude) = scalar.sign_and_magnitude();
    let product = multiple(point, &little_endian(&magnitude), bit_length(&magnitude));
    if is_negative {
        negated(&product)
    } else {
        product
    }
}

fn multiple(point: &G1Projective, scalar: &[u8; SCALAR_LEN], bits: usize) -> G1Projective {
    let mut out = G1Projective::default();
    // SAFETY: `bits` is at most 256, so blst reads at most the 32 bytes of `scalar`. The points are live references.
    unsafe { blst_p1_mult(&mut out, point, scalar.as_ptr(), bits) };
    out
}

/// Requires at least two points, none of them infinity.
fn pippenger(points: &[G1], scalars: &[[u8; SCALAR_LEN]], bits: usize) -> G1Projective {
    let point_list = [points.as_ptr(), std::ptr::null()];
    let scalar_list: Vec<*const u8> = scalars.iter().map(|scalar| scalar.as_ptr()).collect();
    let mut sum = G1Projective::default();
    // SAFETY: there are as many scalars as points, and each scalar has 32 bytes, which covers `bits` of at most 256. A
    // null second entry of the point list tells blst that the points are contiguous. The scratch space has the size
    // that blst asks for.
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

/// The length of a number in bits.
fn bit_length(magnitude: &U256) -> usize {
    magnitude.bits_vartime() as usize
}

fn little_endian(magnitude: &U256) -> [u8; SCALAR_LEN] {
    magnitude.to_le_bytes().into()
}

/// Bits per window of [`BaseTable`].
const WINDOW: usize = 6;
/// Windows per scalar.
const WINDOWS: usize = 256_usize.div_ceil(WINDOW);
/// Non-zero multiples per window.
const DIGITS: usize = (1 << WINDOW) - 1;

/// `digit · 2^(WINDOW · window) · U` for each window and each non-zero digit: 260 KiB, computed once per process.
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

/// `scalar · U` for a public scalar, with at most [`WINDOWS`] additions.
pub(crate) fn base_multiple(scalar: &Scalar) -> G1Projective {
    let (is_negative, magnitude) = scalar.sign_and_magnitude();
    let bytes = little_endian(&magnitude);
    let mut sum = G1Projective::default();
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

/// The [`WINDOW`] bits that start at bit `from`.
fn window(bytes: &[u8; SCALAR_LEN], from: usize) -> usize {
    let byte = |at: usize| bytes.get(at).copied().map_or(0, usize::from);
    let pair = byte(from / 8) | byte(from / 8 + 1) << 8;
    pair >> (from % 8) & DIGITS
}

/// Whether `Π e(aᵢ, bᵢ) = 1`: one final exponentiation, and Miller loops on all threads of the pool.
pub(crate) fn pairing_product_is_one(pairs: &[(G1, &G2)]) -> bool {
    let loops = |some: &[(G1, &G2)]| {
        // blst's Miller loop does not support infinity; a pairing with infinity is one.
        let (g1, g2): (Vec<*const G1>, Vec<*const G2>) = some
            .iter()
            // SAFETY: both pointers come from references to initialised points.
            .filter(|(a, b)| unsafe { !blst_p1_affine_is_inf(a) && !blst_p2_affine_is_inf(*b) })
            .map(|(a, b)| (&raw const *a, &raw const **b))
            .unzip();
        let mut product = blst_fp12::default();
        if !g1.is_empty() {
            // SAFETY: `g1` and `g2` have the same length, which is not zero. Their pointers come from the references in
            // `pairs`, which outlive the call.
            unsafe { blst_miller_loop_n(&mut product, g2.as_ptr(), g1.as_ptr(), g1.len()) };
        }
        product
    };
    let product = if pairs.len() <= MIN_POINTS_PER_THREAD || rayon::current_num_threads() == 1 {
        pairs
            .chunks(PAIRS_PER_LOOP)
            .map(loops)
            .fold(blst_fp12::default(), times)
    } else {
        let share = pairs.len().div_ceil(rayon::current_num_threads());
        pairs
            .par_chunks(share.clamp(1, PAIRS_PER_LOOP))
            .map(loops)
            .reduce(blst_fp12::default, times)
    };
    let mut power = blst_fp12::default();
    // SAFETY: all pointers come from references to initialised values.
    unsafe {
        blst_final_exp(&mut power, &product);
        blst_fp12_is_one(&power)
    }
}

fn times(a: blst_fp12, b: blst_fp12) -> blst_fp12 {
    let mut out = blst_fp12::default();
    // SAFETY: all pointers come from references to initialised values; `out` is distinct from both inputs.
    unsafe { blst_fp12_mul(&mut out, &a, &b) };
    out
}

pub(crate) fn g2_generator() -> &'static G2 {
    // SAFETY: blst returns a pointer to a constant, which is initialised, immutable and lives for the whole program.
    unsafe { &*blst_p2_affine_generator() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9380, J.9.1: a message, and the affine coordinates of its hash.
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
            // SAFETY: blst writes 96 bytes, the length of the array, and reads a live point.
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
