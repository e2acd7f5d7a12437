//! `e(a, g2) = Π e(b, q)`, on the lines of blst's Miller loop.
//!
//! A Miller loop doubles and adds a point of G2, and each step gives a line. Up to two factors that depend on the point of
//! G1, lines depend on the point of G2 alone: the generator's are always the same, and those of a point that was received
//! show whether it is in the subgroup. All loops of a product share their squarings.

use super::{field::Fp, fp2::Fp2, point::Affine};
use crate::{
    blst::ffi::{generator_g2, is_one_after_final_exponentiation, is_zero_g2},
    digits::MILLER_STEPS,
    encoding::PointError,
    parameters::Z,
};
use alloc::vec::Vec;
use ark_bls12_381::{Fq12Config, Fq6Config};
use ark_ff::{Fp12Config, Fp6Config};
use blst::{
    blst_fp12, blst_fp12_conjugate, blst_fp12_mul, blst_fp12_mul_by_xy00z0, blst_fp12_one,
    blst_fp12_sqr, blst_fp6, blst_p1_affine, blst_p2_affine, blst_precompute_lines,
};
use core::iter::once;
use std::{boxed::Box, sync::LazyLock};

/// Pairs whose loops share their squarings. The lines of this many still fit the cache.
const BATCH: usize = 32;

/// A point of G2 and the 68 lines of its Miller loop: 20 KB.
#[derive(Debug)]
pub struct G2Prepared {
    point: blst_p2_affine,
    lines: Box<[blst_fp6; MILLER_STEPS]>,
}

pub(super) static GENERATOR: LazyLock<G2Prepared> =
    LazyLock::new(|| G2Prepared::of(&generator_g2()));

/// `γ = ξ^((p − 1)/6)`, and its square.
const GAMMA: Fp2 = Fp2::from_ark(Fq12Config::FROBENIUS_COEFF_FP12_C1[1]);
const GAMMA_2: Fp2 = Fp2::from_ark(Fq6Config::FROBENIUS_COEFF_FP6_C1[1]);

impl G2Prepared {
    /// Cost: 63 doublings and 5 additions in G2. The lines of zero are meaningless.
    pub(crate) fn of(point: &blst_p2_affine) -> Self {
        let mut lines = Box::new([blst_fp6::default(); MILLER_STEPS]);
        // SAFETY: it writes 68 lines, which is `MILLER_STEPS`, the length of the array.
        unsafe { blst_precompute_lines(lines.as_mut_ptr(), point) };
        Self {
            point: *point,
            lines,
        }
    }

    /// The same for a point that is on the curve and not zero, with its subgroup check. Cost: 23 multiplications in `Fp` more.
    pub(crate) fn of_checked(point: &blst_p2_affine) -> Result<Self, PointError> {
        let prepared = Self::of(point);
        if prepared.is_in_subgroup() {
            Ok(prepared)
        } else {
            Err(PointError::NotInSubgroup)
        }
    }

    pub(crate) fn point(&self) -> &blst_p2_affine {
        &self.point
    }

    /// Whether the point is in the subgroup: exactly when `ψ(Q) = −[|z|]Q` (Scott, eprint 2021/1130).
    ///
    /// The last line is the tangent at `T = [|z|/2]Q`, and meets the curve in `T` and in `−2T = −[|z|]Q` and nowhere else. So
    /// `ψ(Q)` has to be on it and must not be `T`, where it would be the tangent again. (It is that at `−2T` only when
    /// `3T = 0`, as for no point of the subgroup.) There are points of order 13 of which `ψ(Q)` is `T`.
    ///
    /// A step that meets an exception, which those of the subgroup do not, leaves `z = 0` behind, and so do all after it: the
    /// last line then has `of_x = of_y = 0`. If `T` has the order two, `of_y` is zero, and `ψ(Q)` is on the line only as
    /// `T`, with `Y = 0`. In both cases the line counts as the tangent at `ψ(Q)`.
    fn is_in_subgroup(&self) -> bool {
        // `constant − 2·of_x·X + 2·of_y·Y = 0`, at `ψ(Q) = (x̄/γ², ȳ/γ³)`; everything times `γ³`.
        let [constant, of_x, of_y] = self.lines[MILLER_STEPS - 1].fp2.map(Fp2);
        let [x, y] = [self.point.x, self.point.y].map(|part| Fp2(part).conjugate());
        let (constant, of_x) = (constant.mul(&GAMMA.mul(&GAMMA_2)), of_x.mul(&GAMMA));
        let is_on_line = constant.add(&of_y.mul(&y).double()) == of_x.mul(&x).double();
        // Its slope `of_x/of_y` against that of the tangent at `ψ(Q)`, which is `3·X²/2·Y`.
        let is_tangent = of_x.mul(&y).double() == of_y.mul(&x.square().triple());
        is_on_line && !is_tangent
    }
}

/// The factors of the lines' parts: `−2x` and `2y` of a point of G1.
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

    /// The line at the point that these represent.
    fn on(&self, line: &blst_fp6) -> blst_fp6 {
        let [constant, of_x, of_y] = line.fp2;
        let (of_x, of_y) = (Fp2(of_x).scale(&self.x), Fp2(of_y).scale(&self.y));
        blst_fp6 {
            fp2: [constant, of_x.0, of_y.0],
        }
    }
}

/// The product of the Miller loops of pairs none of whose points is zero.
pub(super) fn miller_loop(pairs: &[(Affine, &G2Prepared)]) -> blst_fp12 {
    let factors: Vec<_> = pairs.iter().map(|(p, _)| Factors::of(p)).collect();
    // SAFETY: it returns a pointer to a constant.
    let mut out = unsafe { *blst_fp12_one() };
    let product = &raw mut out;
    let mut steps = 0..MILLER_STEPS;
    let mut multiply = || {
        let Some(step) = steps.next() else { return };
        for ((_, q), factors) in pairs.iter().zip(&factors) {
            let line = factors.on(&q.lines[step]);
            // SAFETY: `product` points to `out`, which is live and not borrowed; blst allows its result to be its argument.
            unsafe { blst_fp12_mul_by_xy00z0(product, product, &line) };
        }
    };
    for bit in (0..63).rev() {
        if bit < 62 {
            // SAFETY: as above.
            unsafe { blst_fp12_sqr(product, product) };
        }
        multiply();
        if Z >> bit & 1 == 1 {
            multiply();
        }
    }
    // The parameter of the curve is negative.
    // SAFETY: as above.
    unsafe { blst_fp12_conjugate(product) };
    out
}

/// Whether `e(left, g2)` is the product of the pairings on the right. A pairing with zero is one.
pub(crate) fn equation_holds(
    left: &blst_p1_affine,
    right: &[(&blst_p1_affine, &G2Prepared)],
) -> bool {
    let left = (Affine::from_blst(left).neg(), &*GENERATOR);
    let right = right
        .iter()
        .filter(|(_, q)| !is_zero_g2(&q.point))
        .map(|(p, q)| (Affine::from_blst(p), *q));
    let pairs: Vec<_> = once(left)
        .chain(right)
        .filter(|(p, _)| !p.is_zero())
        .collect();
    let product = pairs
        .chunks(BATCH)
        .map(miller_loop)
        .reduce(|mut product, factor| {
            let place = &raw mut product;
            // SAFETY: `place` points to `product`, which is live; blst allows its result to be its argument.
            unsafe { blst_fp12_mul(place, place, &factor) };
            product
        });
    product.is_none_or(|product| is_one_after_final_exponentiation(&product))
}
