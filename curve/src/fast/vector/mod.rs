//! Arithmetic on sixteen integers modulo `p` at once, for processors with AVX-512.
//!
//! [`elements`] says how they are kept, [`integer`] and [`double`] are two ways to multiply them, and [`additions`] is
//! what they are for. Which way is taken, if any, is found out when the program runs; what comes out is the same,
//! to the bit.

mod additions;
mod decompression;
mod double;
mod elements;
mod integer;
#[cfg(test)]
mod tests;

pub(super) use additions::Addition;
pub(super) use elements::WIDTH;

use super::point::Affine;
use crate::{Arithmetic, PointError, G1_LEN};
use alloc::vec::Vec;
use elements::Fp16;
use std::{is_x86_feature_detected, sync::LazyLock};

/// A multiplication. Its caller sees to it that the processor has the instructions.
type Mul = unsafe fn(&mut Fp16, &Fp16, &Fp16);

/// A way to multiply, on a processor that can.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernel {
    mul: Mul,
    /// Fewer additions at once are done sooner without vectors.
    least: usize,
}

impl Kernel {
    /// The way that belongs to this arithmetic, if the processor can.
    pub(super) fn of(arithmetic: Arithmetic) -> Option<Self> {
        static HAS_AVX512: LazyLock<bool> = LazyLock::new(|| {
            is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq")
        });
        static HAS_IFMA: LazyLock<bool> =
            LazyLock::new(|| *HAS_AVX512 && is_x86_feature_detected!("avx512ifma"));
        match arithmetic {
            Arithmetic::Portable => None,
            Arithmetic::Avx512 => HAS_AVX512.then_some(Self {
                mul: double::mul,
                least: 96,
            }),
            Arithmetic::Avx512Ifma => HAS_IFMA.then_some(Self {
                mul: integer::mul,
                least: 24,
            }),
        }
    }

    /// Whether so many additions at once are done sooner with vectors.
    pub(super) fn is_worth(self, additions: usize) -> bool {
        additions >= self.least
    }

    /// The product of a short and of a loose element: short.
    fn mul(self, out: &mut Fp16, short: &Fp16, loose: &Fp16) {
        // Made only where the processor has what the function needs.
        unsafe { (self.mul)(out, short, loose) }
    }

    /// The points of the curve that these bytes encode, without the subgroup check.
    pub(super) fn decompress_all(
        self,
        encodings: &[&[u8; G1_LEN]],
    ) -> Vec<Result<Affine, PointError>> {
        // As in `mul`.
        unsafe { decompression::decompress_all(self, encodings) }
    }

    /// `sums[at] += addend` for all additions, of which each has a place of its own.
    pub(super) fn add_all(self, additions: &[Addition], sums: &mut [Affine]) {
        // As in `mul`.
        unsafe { additions::add_all(self, additions, sums) }
    }
}
