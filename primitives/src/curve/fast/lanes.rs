//! Many additions at once in affine coordinates: one inversion serves them all.
//!
//! An addition then costs 5M + 1S and a doubling 5M + 2S, where Jacobian coordinates take 8M + 3S and 3M + 4S.
//! Every case is handled: zero, which is `(0, 0)` here as it is in blst, equal points and opposite ones.

use super::{
    field::{invert_all, Fp},
    point::Affine,
};
use alloc::vec::Vec;

/// Zero, which lies on no curve with `b ≠ 0`.
pub(crate) const ZERO: Affine = Affine {
    x: Fp::ZERO,
    y: Fp::ZERO,
};

/// Additions that wait to be done together, and space for doing them.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    additions: Vec<(usize, Affine)>,
    denominators: Vec<Fp>,
    scratch: Vec<Fp>,
}

impl Lanes {
    /// Asks for `points[at] += addend` at the next [`Lanes::flush`]. Only one addition may ask for each place;
    /// a point is doubled by adding it to itself.
    #[inline(always)]
    pub(crate) fn push(&mut self, at: usize, addend: Affine) {
        self.additions.push((at, addend));
    }

    /// Does what was asked for.
    pub(crate) fn flush(&mut self, points: &mut [Affine]) {
        self.denominators.clear();
        for (at, addend) in &self.additions {
            let point = &points[*at];
            self.denominators.push(denominator(point, addend));
        }
        invert_all(&mut self.denominators, &mut self.scratch);
        for ((at, addend), inverse) in self.additions.drain(..).zip(&self.denominators) {
            let point = &mut points[at];
            if inverse.is_zero() {
                *point = vertical(point, &addend);
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

/// What the slope of the line through both points is divided by; zero where there is no such line.
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

/// The sum of opposite points, or of points of which one is zero.
fn vertical(point: &Affine, other: &Affine) -> Affine {
    if point.is_zero() {
        *other
    } else if other.is_zero() {
        *point
    } else {
        ZERO
    }
}
