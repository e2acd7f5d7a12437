//! Many additions at once in affine coordinates, with simultaneous inversion.
//!
//! An addition then costs 5M + 1S and a doubling 5M + 2S, where Jacobian coordinates take 8M + 3S and 3M + 4S.
//! Every case is handled: zero, equal points and opposite ones.

#[cfg(target_arch = "x86_64")]
use super::vector;
use super::{
    field::{invert_all, Fp},
    point::{vertical_sum, Affine},
};
use crate::arithmetic::Arithmetic;
use alloc::vec::Vec;

/// Products that are computed in one batch: enough to make an inversion cheap, few enough to stay in the cache.
pub(super) const BATCH: usize = 256;
/// Fewer are computed one by one.
pub(super) const MIN_BATCH: usize = 16;

/// Additions that are collected to be done together, with their scratch buffers.
#[derive(Debug)]
pub(crate) struct Additions {
    additions: Vec<(usize, Affine)>,
    denominators: Vec<Fp>,
    scratch: Vec<Fp>,
    #[cfg(target_arch = "x86_64")]
    vectors: Option<vector::Kernel>,
}

impl Default for Additions {
    fn default() -> Self {
        Self::with(Arithmetic::current())
    }
}

impl Additions {
    /// Avoids AVX-512 downclocking before scalar code.
    ///
    /// Processors that have AVX-512 without IFMA keep the lower clock of wide instructions for a while: after a sum of
    /// 500 points that costs twenty times what vectors gain. Processors with IFMA do not slow down measurably.
    pub(crate) fn before_scalar_code() -> Self {
        Self::with(match Arithmetic::current() {
            Arithmetic::Avx512 => Arithmetic::Portable,
            other => other,
        })
    }

    /// With this arithmetic, or portably where the processor cannot.
    pub(crate) fn with(arithmetic: Arithmetic) -> Self {
        #[cfg(not(target_arch = "x86_64"))]
        let _ = arithmetic;
        Self {
            additions: Vec::new(),
            denominators: Vec::new(),
            scratch: Vec::new(),
            #[cfg(target_arch = "x86_64")]
            vectors: vector::Kernel::of(arithmetic),
        }
    }

    /// Collects `points[at] += addend` for the next [`Additions::flush`]. Only one addition may be collected for each
    /// index; a point is doubled by adding it to itself.
    #[inline(always)]
    pub(crate) fn push(&mut self, at: usize, addend: Affine) {
        self.additions.push((at, addend));
    }

    /// Does the additions that were collected.
    pub(crate) fn flush(&mut self, points: &mut [Affine]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = self.vectors {
            if kernel.is_worth(self.additions.len()) {
                vector::add_all(kernel, &self.additions, points);
                self.additions.clear();
                return;
            }
        }
        self.denominators.clear();
        for (at, addend) in &self.additions {
            let point = &points[*at];
            self.denominators.push(denominator(point, addend));
        }
        invert_all(&mut self.denominators, &mut self.scratch);
        for ((at, addend), inverse) in self.additions.drain(..).zip(&self.denominators) {
            let point = &mut points[at];
            if inverse.is_zero() {
                *point = vertical_sum(point, &addend);
                continue;
            }
            let rise = if point.x == addend.x {
                point.x.square().triple()
            } else {
                addend.y.sub(&point.y)
            };
            let slope = rise.mul(inverse);
            let x = slope.square().sub(&point.x).sub(&addend.x);
            point.y = slope.mul(&point.x.sub(&x)).sub(&point.y);
            point.x = x;
        }
    }
}

/// The denominator of the slope of the line through both points; zero where the line has no slope.
#[inline(always)]
fn denominator(point: &Affine, other: &Affine) -> Fp {
    if point.is_zero() || other.is_zero() {
        return Fp::ZERO;
    }
    let run = other.x.sub(&point.x);
    if run.is_zero() && point.y == other.y {
        // No point has the order two, so that this is not zero.
        point.y.shl(1)
    } else {
        run
    }
}
