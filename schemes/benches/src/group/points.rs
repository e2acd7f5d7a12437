//! G1 and G2, by blst's calls.

use super::{Group, Residue};
use blst::{
    blst_hash_to_g1, blst_p1, blst_p1_add_or_double, blst_p1_add_or_double_affine, blst_p1_affine,
    blst_p1_affine_compress, blst_p1_affine_in_g1, blst_p1_affine_is_inf, blst_p1_cneg,
    blst_p1_double, blst_p1_from_affine, blst_p1_generator, blst_p1_mult, blst_p1_to_affine,
    blst_p1_uncompress, blst_p1s_mult_pippenger, blst_p1s_mult_pippenger_scratch_sizeof,
    blst_p1s_to_affine, blst_p2, blst_p2_add_or_double, blst_p2_add_or_double_affine,
    blst_p2_affine, blst_p2_affine_compress, blst_p2_affine_in_g2, blst_p2_affine_is_inf,
    blst_p2_cneg, blst_p2_double, blst_p2_from_affine, blst_p2_generator, blst_p2_mult,
    blst_p2_to_affine, blst_p2_uncompress, blst_p2s_mult_pippenger,
    blst_p2s_mult_pippenger_scratch_sizeof, blst_p2s_to_affine, BLST_ERROR,
};

/// The bits of a residue.
const RESIDUE_BITS: usize = 255;

/// G1 or G2: a group of points.
pub trait Points: Group {
    /// The bytes of a compressed point.
    const LEN: usize;

    /// The product, in constant time.
    fn times(&self, factor: &Residue) -> Self;
    /// The product with a factor that is not secret.
    fn times_short(&self, factor: u128) -> Self;

    /// blst's multi-scalar multiplication.
    ///
    /// # Safety
    /// The list has `count` points one after another, and a null second entry. There are as many weights, each with as
    /// many bytes as the bits need.
    unsafe fn pippenger(
        list: [*const Self::Affine; 2],
        count: usize,
        weights: &[*const u8],
        bits: usize,
    ) -> Self;

    /// `Σ weight · point` for long weights.
    ///
    /// # Panics
    /// If there are not as many weights as points.
    fn long_sum(points: &[Self::Affine], weights: &[u128]) -> Self {
        let weights: Vec<_> = weights.iter().map(|weight| weight.to_le_bytes()).collect();
        sum::<Self, _>(points, &weights)
    }

    /// The point of the other form.
    fn from_affine(point: &Self::Affine) -> Self;
    /// The compressed form.
    fn compress(point: &Self::Affine) -> Vec<u8>;
    /// Reads [`LEN`](Self::LEN) bytes: `None` unless they are a point of the group, and not the neutral one.
    fn uncompress(bytes: &[u8]) -> Option<Self::Affine>;
}

macro_rules! points {
    ($point:ident, $affine:ident, $len:literal: $generator:ident, $double:ident, $add:ident, $add_affine:ident,
     $negate:ident, $to_affine:ident, $all_to_affine:ident, $from_affine:ident, $mult:ident, $pippenger:ident,
     $scratch:ident, $compress:ident, $uncompress:ident, $is_infinity:ident, $is_in_group:ident) => {
        impl Group for $point {
            type Affine = $affine;

            fn zero() -> Self {
                Self::default()
            }

            fn generator() -> Self {
                // SAFETY: blst's generator lives for the whole program.
                unsafe { *$generator() }
            }

            fn double(&self) -> Self {
                let mut out = Self::default();
                // SAFETY: both pointers come from references to initialised points.
                unsafe { $double(&mut out, self) };
                out
            }

            fn plus(&self, other: &Self) -> Self {
                let mut out = Self::default();
                // SAFETY: all pointers come from references to initialised points; `out` is distinct from both inputs.
                unsafe { $add(&mut out, self, other) };
                out
            }

            fn plus_affine(&self, other: &$affine) -> Self {
                let mut out = Self::default();
                // SAFETY: as for `plus`.
                unsafe { $add_affine(&mut out, self, other) };
                out
            }

            fn minus(mut self) -> Self {
                // SAFETY: the pointer comes from a reference to an initialised point.
                unsafe { $negate(&mut self, true) };
                self
            }

            fn affine(&self) -> $affine {
                let mut out = $affine::default();
                // SAFETY: both pointers come from references to initialised points.
                unsafe { $to_affine(&mut out, self) };
                out
            }

            fn affines(points: &[Self]) -> Vec<$affine> {
                let mut out = vec![$affine::default(); points.len()];
                let list = [points.as_ptr(), std::ptr::null()];
                // SAFETY: a null second entry of the list tells blst that the points are contiguous, and there are as
                // many as the space for the results.
                unsafe { $all_to_affine(out.as_mut_ptr(), list.as_ptr(), points.len()) };
                out
            }

            fn weighted_sum(points: &[$affine], weights: &[u32]) -> Self {
                let weights: Vec<_> = weights.iter().map(|weight| weight.to_le_bytes()).collect();
                sum::<Self, _>(points, &weights)
            }
        }

        impl Points for $point {
            const LEN: usize = $len;

            fn times(&self, factor: &Residue) -> Self {
                let (mut out, factor) = (Self::default(), factor.to_scalar());
                // SAFETY: `RESIDUE_BITS` is at most 256, so blst reads at most the 32 bytes of the factor.
                unsafe { $mult(&mut out, self, factor.b.as_ptr(), RESIDUE_BITS) };
                out
            }

            fn times_short(&self, factor: u128) -> Self {
                let (mut out, factor) = (Self::default(), factor.to_le_bytes());
                // SAFETY: blst reads as many bits as the factor has.
                unsafe { $mult(&mut out, self, factor.as_ptr(), 8 * factor.len()) };
                out
            }

            unsafe fn pippenger(
                list: [*const $affine; 2],
                count: usize,
                weights: &[*const u8],
                bits: usize,
            ) -> Self {
                let mut out = Self::default();
                // SAFETY: the scratch space has the size that blst asks for; the caller answers for the rest.
                unsafe {
                    let mut scratch = vec![0_u64; $scratch(count) / 8];
                    let weights = weights.as_ptr();
                    let scratch = scratch.as_mut_ptr();
                    $pippenger(&mut out, list.as_ptr(), count, weights, bits, scratch);
                }
                out
            }

            fn from_affine(point: &$affine) -> Self {
                let mut out = Self::default();
                // SAFETY: both pointers come from references to initialised points.
                unsafe { $from_affine(&mut out, point) };
                out
            }

            fn compress(point: &$affine) -> Vec<u8> {
                let mut bytes = vec![0; $len];
                // SAFETY: blst writes as many bytes as the vector has, and reads a live point.
                unsafe { $compress(bytes.as_mut_ptr(), point) };
                bytes
            }

            fn uncompress(bytes: &[u8]) -> Option<$affine> {
                let bytes: &[u8; $len] = bytes.try_into().ok()?;
                let mut out = $affine::default();
                // SAFETY: blst reads as many bytes as the array has, and the point is initialised.
                let is_element = unsafe {
                    $uncompress(&mut out, bytes.as_ptr()) == BLST_ERROR::BLST_SUCCESS
                        && !$is_infinity(&out)
                        && $is_in_group(&out)
                };
                is_element.then_some(out)
            }
        }
    };
}

points!(blst_p1, blst_p1_affine, 48: blst_p1_generator, blst_p1_double, blst_p1_add_or_double,
    blst_p1_add_or_double_affine, blst_p1_cneg, blst_p1_to_affine, blst_p1s_to_affine, blst_p1_from_affine,
    blst_p1_mult, blst_p1s_mult_pippenger, blst_p1s_mult_pippenger_scratch_sizeof, blst_p1_affine_compress,
    blst_p1_uncompress, blst_p1_affine_is_inf, blst_p1_affine_in_g1);
points!(blst_p2, blst_p2_affine, 96: blst_p2_generator, blst_p2_double, blst_p2_add_or_double,
    blst_p2_add_or_double_affine, blst_p2_cneg, blst_p2_to_affine, blst_p2s_to_affine, blst_p2_from_affine,
    blst_p2_mult, blst_p2s_mult_pippenger, blst_p2s_mult_pippenger_scratch_sizeof, blst_p2_affine_compress,
    blst_p2_uncompress, blst_p2_affine_is_inf, blst_p2_affine_in_g2);

/// `Σ weight · point`, with weights of `N` bytes, least significant first.
fn sum<P: Points, const N: usize>(points: &[P::Affine], weights: &[[u8; N]]) -> P {
    assert_eq!(points.len(), weights.len());
    let weights: Vec<_> = weights.iter().map(|bytes| bytes.as_ptr()).collect();
    let list = [points.as_ptr(), std::ptr::null()];
    // SAFETY: there are as many weights as points, and each has `N` bytes. A null second entry of the list tells blst
    // that the points are contiguous.
    unsafe { P::pippenger(list, points.len(), &weights, 8 * N) }
}

/// Hashes to G1 as in RFC 9380, with this domain separation tag.
pub fn hash_to_g1(message: &[u8], tag: &[u8]) -> blst_p1 {
    let mut out = blst_p1::default();
    // SAFETY: each slice is passed with its own length. The augmentation is null with length 0, which blst permits.
    unsafe {
        blst_hash_to_g1(
            &mut out,
            message.as_ptr(),
            message.len(),
            tag.as_ptr(),
            tag.len(),
            std::ptr::null(),
            0,
        );
    }
    out
}
