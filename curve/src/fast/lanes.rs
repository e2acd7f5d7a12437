//! Many additions at once in affine coordinates: one inversion serves them all.
//!
//! An addition then costs 5M + 1S and a doubling 5M + 2S, where Jacobian coordinates take 8M + 3S and 3M + 4S.
//! Every case is handled: zero, which is `(0, 0)` here as it is in blst, equal points and opposite ones.

#[cfg(target_arch = "x86_64")]
use super::vector;
use super::{
    super::{blst::decompress, Arithmetic, PointError},
    field::{invert_all, Fp},
    point::Affine,
};
use crate::G1_LEN;
use alloc::vec::Vec;

/// Zero, which lies on no curve with `b ≠ 0`.
pub(crate) const ZERO: Affine = Affine {
    x: Fp::ZERO,
    y: Fp::ZERO,
};

/// A vector that is less full than this is not worth decompressing.
#[cfg(target_arch = "x86_64")]
const LEAST_TO_DECOMPRESS: usize = 11;

/// Additions that wait to be done together, and space for doing them.
#[derive(Debug)]
pub(crate) struct Lanes {
    additions: Vec<(usize, Affine)>,
    denominators: Vec<Fp>,
    scratch: Vec<Fp>,
    #[cfg(target_arch = "x86_64")]
    vectors: Option<vector::Kernel>,
}

impl Default for Lanes {
    fn default() -> Self {
        Self::with(Arithmetic::current())
    }
}

impl Lanes {
    /// For additions after which comes work without vectors.
    ///
    /// Processors that have AVX-512 without IFMA run that at the lower clock of wide instructions for a while: after a sum of
    /// 500 points it costs twenty times what vectors gain. Those with IFMA show nothing of the kind.
    pub(crate) fn before_scalars() -> Self {
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

    /// Asks for `points[at] += addend` at the next [`Lanes::flush`]. Only one addition may ask for each place;
    /// a point is doubled by adding it to itself.
    #[inline(always)]
    pub(crate) fn push(&mut self, at: usize, addend: Affine) {
        self.additions.push((at, addend));
    }

    /// Does what was asked for.
    pub(crate) fn flush(&mut self, points: &mut [Affine]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = self.vectors {
            if kernel.is_worth(self.additions.len()) {
                kernel.add_all(&self.additions, points);
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

/// The points of the curve that these bytes encode, without the subgroup check.
pub(crate) fn decompress_all(
    arithmetic: Arithmetic,
    encodings: &[&[u8; G1_LEN]],
) -> Vec<Result<Affine, PointError>> {
    let one_by_one =
        |bytes: &&[u8; G1_LEN]| decompress(bytes).map(|point| Affine::from_blst(&point));
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = vector::Kernel::of(arithmetic) {
        let rest = encodings.len() % vector::WIDTH;
        let in_vectors = if rest < LEAST_TO_DECOMPRESS {
            encodings.len() - rest
        } else {
            encodings.len()
        };
        let mut points = kernel.decompress_all(&encodings[..in_vectors]);
        points.extend(encodings[in_vectors..].iter().map(one_by_one));
        return points;
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = arithmetic;
    encodings.iter().map(one_by_one).collect()
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
pub(super) fn vertical(point: &Affine, other: &Affine) -> Affine {
    if point.is_zero() {
        *other
    } else if other.is_zero() {
        *point
    } else {
        ZERO
    }
}
