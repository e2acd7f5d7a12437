//! Products with the multiplier of floating-point numbers, for processors with AVX-512 and without its multiplier of
//! 52-bit integers.
//!
//! A sum between `2^100` and `2^101` is a multiple of `2^48`: adding a product of two limbs to it with the fused
//! operation adds the upper half of the product, rounded. Subtracting the growth of the sum from the same product
//! leaves the lower half, exact and with a sign (after Emmart, Zheng and Weems, ARITH 2018). Upper and lower halves
//! have separate sums, whose mantissas are read as integers.
//!
//! The bounds hold when products are rounded to nearest, which is the mode that Rust code runs in: changing the
//! floating-point environment is undefined behaviour. The gain of this multiplication is in docs/decisions/0012.

use super::elements::{carry, Fp16, BITS, HALVES, LIMBS, MASK, NEGATED_INVERSE, P};
use core::{
    arch::x86_64::{
        __m512d, __m512i, _mm512_add_epi64, _mm512_add_pd, _mm512_and_si512, _mm512_castpd_si512,
        _mm512_cvtepi64_pd, _mm512_fmadd_pd, _mm512_set1_epi64, _mm512_set1_pd, _mm512_setzero_pd,
        _mm512_setzero_si512, _mm512_srai_epi64, _mm512_sub_pd,
    },
    hint::black_box,
};

/// `1.5·2^52`: the initial value of sums of lower halves. The unit of the mantissa is one, and there is room for `2^51`
/// in both directions: sixteen halves of `2^47` each.
const LOWER: f64 = 6_755_399_441_055_744.0;
/// `2^100`: the initial value of sums of upper halves. The unit of the mantissa is `2^48`, and there is room for
/// sixteen products of limbs.
const UPPER: f64 = 1_267_650_600_228_229_401_496_703_205_376.0;
/// The contribution of both initial values to a column's integer.
const BEGINNINGS: u64 = LOWER.to_bits().wrapping_add(UPPER.to_bits());

#[allow(clippy::cast_precision_loss)]
const fn to_double(limb: u64) -> f64 {
    assert!(limb <= MASK);
    limb as f64
}

static MODULUS: [f64; LIMBS] = {
    let mut doubles = [0.0; LIMBS];
    let mut at = 0;
    while at < LIMBS {
        doubles[at] = to_double(P[at]);
        at += 1;
    }
    doubles
};

type Doubles = [__m512d; HALVES];

/// Adds the halves of `a·b` to the sums.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn add_product(a: Doubles, b: Doubles, lower: &mut Doubles, upper: &mut Doubles) {
    for half in 0..HALVES {
        let sum = _mm512_fmadd_pd(a[half], b[half], upper[half]);
        let grown = _mm512_sub_pd(upper[half], sum);
        let rest = _mm512_fmadd_pd(a[half], b[half], grown);
        upper[half] = sum;
        lower[half] = _mm512_add_pd(lower[half], rest);
    }
}

/// The factor for a lowest column: adding its product with `p` makes the lowest limb vanish.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn quotient(column: __m512i) -> __m512d {
    let mask = _mm512_set1_epi64(MASK.cast_signed());
    let inverse = _mm512_set1_pd(to_double(NEGATED_INVERSE));
    let begin = _mm512_set1_pd(UPPER);
    let limb = _mm512_cvtepi64_pd(_mm512_and_si512(column, mask));
    let grown = _mm512_sub_pd(begin, _mm512_fmadd_pd(limb, inverse, begin));
    let rest = _mm512_fmadd_pd(limb, inverse, grown);
    let low = _mm512_castpd_si512(_mm512_add_pd(rest, _mm512_set1_pd(LOWER)));
    _mm512_cvtepi64_pd(_mm512_and_si512(low, mask))
}

/// The integer that a column is, and what both sums began with.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn integer(lower: __m512d, upper: __m512d) -> __m512i {
    _mm512_add_epi64(_mm512_castpd_si512(lower), _mm512_castpd_si512(upper))
}

/// Adds the products of `$a` and all `$b($at)`: `$lower` is a column, and `$upper` the next.
macro_rules! add_row {
    ($a:ident, $b:expr; $($lower:ident $upper:ident $at:literal),*) => {
        $(add_product($a, $b($at), &mut $lower, &mut $upper);)*
    };
}

/// The product of a short and of a loose element: short.
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn mul(out: &mut Fp16, short: &Fp16, loose: &Fp16) {
    let mut doubles = [[_mm512_setzero_pd(); HALVES]; LIMBS];
    for (at, doubles) in doubles.iter_mut().enumerate() {
        for (half, double) in doubles.iter_mut().enumerate() {
            *double = _mm512_cvtepi64_pd(loose.limb(at, half));
        }
    }
    let (lower, upper) = (
        [_mm512_set1_pd(LOWER); HALVES],
        [_mm512_set1_pd(UPPER); HALVES],
    );
    let beginnings = _mm512_set1_epi64(BEGINNINGS.wrapping_neg().cast_signed());
    // Names instead of arrays, so that the columns are kept in registers.
    let (mut l0, mut l1, mut l2, mut l3) = (lower, lower, lower, lower);
    let (mut l4, mut l5, mut l6, mut l7) = (lower, lower, lower, lower);
    let (mut u0, mut u1, mut u2, mut u3) = (upper, upper, upper, upper);
    let (mut u4, mut u5, mut u6, mut u7) = (upper, upper, upper, upper);
    let mut over = [_mm512_setzero_si512(); HALVES];
    for row in 0..LIMBS {
        // Not known to be the same in every row, so that these stay in memory.
        let (b, p) = black_box((&doubles, &MODULUS));
        let mut a = [_mm512_setzero_pd(); HALVES];
        for (half, double) in a.iter_mut().enumerate() {
            *double = _mm512_cvtepi64_pd(short.limb(row, half));
        }
        let mut u8 = upper;
        add_row!(a, |at: usize| b[at];
            l0 u1 0, l1 u2 1, l2 u3 2, l3 u4 3, l4 u5 4, l5 u6 5, l6 u7 6, l7 u8 7);
        let mut q = [_mm512_setzero_pd(); HALVES];
        for (half, q) in q.iter_mut().enumerate() {
            *q = quotient(_mm512_add_epi64(integer(l0[half], u0[half]), over[half]));
        }
        add_row!(q, |at: usize| [_mm512_set1_pd(p[at]); HALVES];
            l0 u1 0, l1 u2 1, l2 u3 2, l3 u4 3, l4 u5 4, l5 u6 5, l6 u7 6, l7 u8 7);
        for (half, over) in over.iter_mut().enumerate() {
            // The lowest column ends in zeros now.
            let column = _mm512_add_epi64(integer(l0[half], u0[half]), *over);
            *over = _mm512_srai_epi64::<BITS>(_mm512_add_epi64(column, beginnings));
        }
        (l0, l1, l2, l3, l4, l5, l6, l7) = (l1, l2, l3, l4, l5, l6, l7, lower);
        (u0, u1, u2, u3, u4, u5, u6, u7) = (u1, u2, u3, u4, u5, u6, u7, u8);
    }
    let lower = [l0, l1, l2, l3, l4, l5, l6, l7];
    let upper = [u0, u1, u2, u3, u4, u5, u6, u7];
    for (half, over) in over.iter().enumerate() {
        let mut limbs = [*over; LIMBS];
        for (at, limb) in limbs.iter_mut().enumerate() {
            let column = _mm512_add_epi64(integer(lower[at][half], upper[at][half]), beginnings);
            *limb = if at == 0 {
                _mm512_add_epi64(column, *over)
            } else {
                column
            };
        }
        carry(&mut limbs);
        out.set_half(half, &limbs);
    }
}
