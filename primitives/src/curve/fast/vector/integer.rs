//! Products with AVX-512 IFMA, the multiplier of 52-bit integers.
//!
//! It adds the lower or the upper 52 bits of a product of 52-bit integers to a sum. One factor is shifted by the four
//! bits by which limbs are shorter: the upper part is then the upper half of the product of two limbs, and the
//! lower part is sixteen times the lower half, so that these have sums of their own.

use super::elements::{carry, Fp16, BITS, HALVES, LIMBS, MASK, NEGATED_INVERSE, P};
use core::arch::x86_64::{
    _mm512_add_epi64, _mm512_and_si512, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_slli_epi64,
    _mm512_srli_epi64,
};

/// By how much one factor is shifted.
const SHIFT: u32 = 52 - BITS;

/// Makes the multiplication from the two instructions, which a test replaces by what they are defined to do.
macro_rules! multiplication {
    ($(#[$attribute:meta])* $name:ident, $features:literal, $add_lower:path, $add_upper:path) => {
        $(#[$attribute])*
        #[target_feature(enable = $features)]
        pub(super) fn $name(out: &mut Fp16, short: &Fp16, loose: &Fp16) {
            let mask = _mm512_set1_epi64(MASK.cast_signed());
            let inverse = _mm512_set1_epi64(NEGATED_INVERSE.cast_signed());
            for half in 0..HALVES {
                let b = loose.half(half);
                // Those of column `i` are at `i`, after as many rows at the place that many lower.
                let mut lower = [_mm512_setzero_si512(); LIMBS + 1];
                let mut upper = [_mm512_setzero_si512(); LIMBS + 1];
                for row in 0..LIMBS {
                    let a = _mm512_slli_epi64::<SHIFT>(short.limb(row, half));
                    for at in 0..LIMBS {
                        lower[at] = $add_lower(lower[at], a, b[at]);
                        upper[at + 1] = $add_upper(upper[at + 1], a, b[at]);
                    }
                    let column = _mm512_add_epi64(_mm512_srli_epi64::<SHIFT>(lower[0]), upper[0]);
                    let column = _mm512_and_si512(column, mask);
                    let q = $add_lower(_mm512_setzero_si512(), column, inverse);
                    let q = _mm512_slli_epi64::<SHIFT>(_mm512_and_si512(q, mask));
                    for at in 0..LIMBS {
                        let p = _mm512_set1_epi64(P[at].cast_signed());
                        lower[at] = $add_lower(lower[at], q, p);
                        upper[at + 1] = $add_upper(upper[at + 1], q, p);
                    }
                    // The lowest column ends in zeros now.
                    let column = _mm512_add_epi64(_mm512_srli_epi64::<SHIFT>(lower[0]), upper[0]);
                    upper[1] = _mm512_add_epi64(upper[1], _mm512_srli_epi64::<BITS>(column));
                    for sums in [&mut lower, &mut upper] {
                        sums.rotate_left(1);
                        sums[LIMBS] = _mm512_setzero_si512();
                    }
                }
                let mut limbs = [_mm512_setzero_si512(); LIMBS];
                for (limb, (lower, upper)) in limbs.iter_mut().zip(lower.into_iter().zip(upper)) {
                    *limb = _mm512_add_epi64(_mm512_srli_epi64::<SHIFT>(lower), upper);
                }
                carry(&mut limbs);
                out.set_half(half, &limbs);
            }
        }
    };
}

multiplication!(
    /// The product of a short and of a loose element: short.
    mul,
    "avx512f,avx512dq,avx512ifma",
    core::arch::x86_64::_mm512_madd52lo_epu64,
    core::arch::x86_64::_mm512_madd52hi_epu64
);

#[cfg(test)]
multiplication!(
    /// [`mul`] on processors that lack the instructions.
    mul_emulated,
    "avx512f,avx512dq",
    emulated::add_lower,
    emulated::add_upper
);

/// The two instructions as their manual defines them.
#[cfg(test)]
mod emulated {
    use core::arch::x86_64::__m512i;

    fn each(sum: __m512i, a: __m512i, b: __m512i, shift: u32) -> __m512i {
        let words = |vector: __m512i| -> [u64; 8] {
            // Both are 64 bytes without any structure.
            unsafe { core::mem::transmute(vector) }
        };
        let bits = (1_u64 << 52) - 1;
        let (sum, a, b) = (words(sum), words(a), words(b));
        let out: [u64; 8] = core::array::from_fn(|at| {
            let product = u128::from(a[at] & bits) * u128::from(b[at] & bits);
            let part = u64::try_from((product >> shift) & u128::from(bits));
            sum[at].wrapping_add(part.expect("52 bits; qed"))
        });
        unsafe { core::mem::transmute(out) }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn add_lower(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        each(sum, a, b, 0)
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn add_upper(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        each(sum, a, b, 52)
    }
}
