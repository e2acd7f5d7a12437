//! `e(a, g2) = e(b, q)`, with those lines of blst's Miller loop that come again worked out once.
//!
//! A Miller loop doubles and adds a point of G2, and each step gives a line. Up to two factors that depend on the point of
//! G1, lines depend on the point of G2 alone, and the generator's are always the same. Both loops share their squarings.

use super::{
    super::{blst::is_one_after_final_exponentiation, digits::Z},
    field::Fp,
    point::Affine,
};
use blst::{
    blst_fp12, blst_fp12_conjugate, blst_fp12_mul_by_xy00z0, blst_fp12_one, blst_fp12_sqr,
    blst_fp2, blst_fp6, blst_p2_affine, blst_p2_affine_generator, blst_precompute_lines,
};
use std::{boxed::Box, sync::LazyLock};

/// One for each step: a doubling for each bit of `|z|` below its highest, an addition for each that is one.
const STEPS: usize = 68;

/// The lines of a point of G2.
struct Lines(Box<[blst_fp6; STEPS]>);

static OF_GENERATOR: LazyLock<Lines> =
    LazyLock::new(|| Lines::of(unsafe { &*blst_p2_affine_generator() }));

impl Lines {
    /// Of a point that is not zero. Cost: 63 doublings and 5 additions in G2.
    fn of(point: &blst_p2_affine) -> Self {
        let mut lines = Box::new([blst_fp6::default(); STEPS]);
        // It writes as many as there are steps.
        unsafe { blst_precompute_lines(lines.as_mut_ptr(), point) };
        Self(lines)
    }
}

/// What the lines' parts are multiplied with: `−2x` and `2y` of a point of G1.
struct Factors {
    x: Fp,
    y: Fp,
}

impl Factors {
    fn of(point: &Affine) -> Self {
        Self {
            x: point.x.shl(1).neg(),
            y: point.y.shl(1),
        }
    }
}

/// The line at the point that the factors stand for.
fn at(line: &blst_fp6, factors: &Factors) -> blst_fp6 {
    let [constant, of_x, of_y] = line.fp2;
    let times = |part: blst_fp2, factor: &Fp| blst_fp2 {
        fp: part.fp.map(|half| Fp(half).mul(factor).0),
    };
    blst_fp6 {
        fp2: [constant, times(of_x, &factors.x), times(of_y, &factors.y)],
    }
}

/// The product of the Miller loops of two pairs, none of whose points is zero.
fn miller_loop(points: [&Affine; 2], lines: [&Lines; 2]) -> blst_fp12 {
    let factors = points.map(Factors::of);
    let mut out = unsafe { *blst_fp12_one() };
    let product = &raw mut out;
    let mut steps = (0..STEPS).map(|step| lines.map(|lines| &lines.0[step]));
    let mut multiply = || {
        for (line, factors) in steps.next().into_iter().flatten().zip(&factors) {
            unsafe { blst_fp12_mul_by_xy00z0(product, product, &at(line, factors)) };
        }
    };
    for bit in (0..63).rev() {
        if bit < 62 {
            unsafe { blst_fp12_sqr(product, product) };
        }
        multiply();
        if Z >> bit & 1 == 1 {
            multiply();
        }
    }
    // The parameter of the curve is negative.
    unsafe { blst_fp12_conjugate(product) };
    out
}

/// Whether `e(left, g2) = e(right, point)`, for points none of which is zero.
pub(crate) fn equation_holds(left: &Affine, right: &Affine, point: &blst_p2_affine) -> bool {
    let product = miller_loop([left, &right.neg()], [&OF_GENERATOR, &Lines::of(point)]);
    is_one_after_final_exponentiation(&product)
}

#[cfg(test)]
mod tests {
    use super::{miller_loop, Affine, Lines, OF_GENERATOR};
    use crate::curve::{Blst, Curve};
    use blst::{blst_fp12, blst_fp12_is_equal, blst_miller_loop_n};

    #[test]
    fn two_loops_are_those_of_blst() {
        let (g1, g2) = (Blst::g1_generator(), Blst::g2_generator());
        for number in 1..20 {
            let scalar = Blst::scalar_from_u128(number << 100 | 0x5eed);
            let (p, q) = (
                Blst::g1_mul_secret(&g1, &scalar),
                Blst::g2_mul_secret(&g2, &scalar),
            );
            let found = miller_loop(
                [&Affine::from_blst(&p), &Affine::from_blst(&g1)],
                [&OF_GENERATOR, &Lines::of(&q)],
            );
            let mut expected = blst_fp12::default();
            let (of_g1, of_g2) = ([&raw const p, &g1], [&raw const g2, &q]);
            let is_equal = unsafe {
                blst_miller_loop_n(&mut expected, of_g2.as_ptr(), of_g1.as_ptr(), 2);
                blst_fp12_is_equal(&expected, &found)
            };
            assert!(is_equal, "{number}");
        }
    }
}
