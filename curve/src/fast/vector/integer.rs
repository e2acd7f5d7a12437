//! Products with AVX-512 IFMA, the multiplier of 52-bit integers.
//!
//! It adds the lower or the upper 52 bits of a product of 52-bit integers to a sum. One factor is shifted by the four
//! bits by which limbs are shorter: the upper part is then the upper half of the product of two limbs, and the
//! lower part is sixteen times the lower half, so that these have sums of their own.

use super::elements::{carry, Fp16, BITS, HALVES, LIMBS, NEGATED_INVERSE, P};
use core::{
    arch::x86_64::{
        _mm512_add_epi64, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_slli_epi64,
        _mm512_srli_epi64,
    },
    hint::black_box,
};

/// The shift of one factor. Bits of a factor beyond 52 are ignored.
const SHIFT: u32 = 52 - BITS;

static MODULUS: [u64; LIMBS] = P;

/// Adds the products of `$a` and all `$b($at)`: `$lower` is a column, and `$upper` the next.
macro_rules! add_row {
    ($add_lower:path, $add_upper:path, $a:ident, $b:expr; $($lower:ident $upper:ident $at:literal),*) => {
        $(
            $lower = $add_lower($lower, $a, $b($at));
            $upper = $add_upper($upper, $a, $b($at));
        )*
    };
}

/// Makes the multiplication from the two instructions, which a test replaces by their definition.
macro_rules! multiplication {
    ($(#[$attribute:meta])* $name:ident, $features:literal, $add_lower:path, $add_upper:path) => {
        $(#[$attribute])*
        #[target_feature(enable = $features)]
        pub(super) fn $name(out: &mut Fp16, short: &Fp16, loose: &Fp16) {
            let zero = _mm512_setzero_si512();
            let inverse = _mm512_set1_epi64(NEGATED_INVERSE.cast_signed());
            for half in 0..HALVES {
                // Names instead of arrays, so that the columns are kept in registers.
                let (mut l0, mut l1, mut l2, mut l3) = (zero, zero, zero, zero);
                let (mut l4, mut l5, mut l6, mut l7) = (zero, zero, zero, zero);
                let (mut u0, mut u1, mut u2, mut u3) = (zero, zero, zero, zero);
                let (mut u4, mut u5, mut u6, mut u7) = (zero, zero, zero, zero);
                for row in 0..LIMBS {
                    // Not known to be the same in every row, so that these stay in memory.
                    let (b, p) = black_box((loose, &MODULUS));
                    let a = _mm512_slli_epi64::<SHIFT>(short.limb(row, half));
                    let mut u8 = zero;
                    add_row!($add_lower, $add_upper, a, |at: usize| b.limb(at, half);
                        l0 u1 0, l1 u2 1, l2 u3 2, l3 u4 3, l4 u5 4, l5 u6 5, l6 u7 6, l7 u8 7);
                    let column = _mm512_add_epi64(_mm512_srli_epi64::<SHIFT>(l0), u0);
                    let q = _mm512_slli_epi64::<SHIFT>($add_lower(zero, column, inverse));
                    add_row!($add_lower, $add_upper, q, |at: usize| _mm512_set1_epi64(p[at].cast_signed());
                        l0 u1 0, l1 u2 1, l2 u3 2, l3 u4 3, l4 u5 4, l5 u6 5, l6 u7 6, l7 u8 7);
                    // The lowest column ends in zeros now.
                    let column = _mm512_add_epi64(_mm512_srli_epi64::<SHIFT>(l0), u0);
                    u1 = _mm512_add_epi64(u1, _mm512_srli_epi64::<BITS>(column));
                    (l0, l1, l2, l3, l4, l5, l6, l7) = (l1, l2, l3, l4, l5, l6, l7, zero);
                    (u0, u1, u2, u3, u4, u5, u6, u7) = (u1, u2, u3, u4, u5, u6, u7, u8);
                }
                let lower = [l0, l1, l2, l3, l4, l5, l6, l7];
                let mut limbs = [u0, u1, u2, u3, u4, u5, u6, u7];
                for (limb, lower) in limbs.iter_mut().zip(lower) {
                    *limb = _mm512_add_epi64(*limb, _mm512_srli_epi64::<SHIFT>(lower));
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
            // SAFETY: both are 64 bytes, and every bit pattern is a value of either.
            unsafe { core::mem::transmute(vector) }
        };
        let bits = (1_u64 << 52) - 1;
        let (sum, a, b) = (words(sum), words(a), words(b));
        let out: [u64; 8] = core::array::from_fn(|at| {
            let product = u128::from(a[at] & bits) * u128::from(b[at] & bits);
            let part = u64::try_from((product >> shift) & u128::from(bits));
            sum[at].wrapping_add(part.expect("52 bits; qed"))
        });
        // SAFETY: as above.
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
