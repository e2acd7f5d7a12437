//! Decompression of many points.

// Takes strangers' bytes: stricter than the rest of `fast`.
#![cfg_attr(
    not(test),
    warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)
)]

use super::point::Affine;
#[cfg(target_arch = "x86_64")]
use super::vector;
use crate::{
    arithmetic::Arithmetic,
    blst::ffi::decompress_g1,
    encoding::{PointError, G1_LEN},
};
use alloc::vec::Vec;

/// A vector that is less full than this is not worth decompressing.
#[cfg(target_arch = "x86_64")]
const LEAST_TO_DECOMPRESS: usize = 11;

/// The same with IFMA.
#[cfg(target_arch = "x86_64")]
const LEAST_WITH_IFMA: usize = 4;

/// The points of the curve that these bytes encode, without the subgroup check.
pub(crate) fn decompress_all(
    arithmetic: Arithmetic,
    encodings: &[&[u8; G1_LEN]],
) -> Vec<Result<Affine, PointError>> {
    let one_by_one =
        |bytes: &&[u8; G1_LEN]| decompress_g1(bytes).map(|point| Affine::from_blst(&point));
    #[cfg(target_arch = "x86_64")]
    if let Some(lockstep) = vector::Lockstep::of(arithmetic) {
        if encodings.len() >= LEAST_WITH_IFMA {
            return vector::decompress_in_octets(lockstep, encodings);
        }
        return encodings.iter().map(one_by_one).collect();
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = vector::Kernel::of(arithmetic) {
        let (full, rest) = encodings.as_chunks::<{ vector::WIDTH }>();
        let (in_vectors, alone) = if rest.len() < LEAST_TO_DECOMPRESS {
            (full.as_flattened(), rest)
        } else {
            (encodings, &[][..])
        };
        let mut points = vector::decompress_all(kernel, in_vectors);
        points.extend(alone.iter().map(one_by_one));
        return points;
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = arithmetic;
    encodings.iter().map(one_by_one).collect()
}
