//! From blst's form and back.

use super::{
    constants::{limbs, shifted_modulo_p, FULL, LANES, LIMBS},
    elements::{all, transposed, Octet, Single, Stored},
};
use crate::fast::{field::Fp, point::BETA};
use core::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_maskz_loadu_epi64, _mm512_or_si512, _mm512_setzero_si512,
    _mm512_slli_epi64, _mm512_srli_epi64,
};

/// One.
pub(in crate::fast::vector) static ONE: Stored =
    Stored::all(limbs(shifted_modulo_p(Fp::ONE.0.l, 32)));
/// The cube root of one of [`crate::fast::point`].
pub(in crate::fast::vector) static CUBE_ROOT: Stored =
    Stored::all(limbs(shifted_modulo_p(BETA.0.l, 32)));
/// A product with it brings blst's form.
static TO_BLST: Stored = Stored::all({
    let mut limbs = [0; LIMBS];
    limbs[7] = 1 << 20;
    limbs
});

/// A product with it brings an integer into this module's form.
static OF_INTEGER: Stored = Stored::all(limbs(shifted_modulo_p([1, 0, 0, 0, 0, 0], 832)));
/// A product with it brings an integer.
static TO_INTEGER: Stored = Stored::all(limbs([1, 0, 0, 0, 0, 0]));
/// The `b` of `y² = x³ + b`.
pub(in crate::fast::vector) static FOUR: Stored =
    Stored::all(limbs(shifted_modulo_p([4, 0, 0, 0, 0, 0], 416)));

impl Octet {
    /// The words of blst's elements, lowest first; the last two are zero.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn words(from: [&Fp; LANES]) -> [__m512i; 8] {
        let mut rows = [_mm512_setzero_si512(); LANES];
        for (row, element) in rows.iter_mut().zip(from) {
            // SAFETY: the mask selects the six words of the element, and no others are read.
            *row = unsafe { _mm512_maskz_loadu_epi64(0x3f, element.0.l.as_ptr().cast()) };
        }
        transposed(rows)
    }

    /// Elements of blst, times `2^32`: below `2^32·p`, and in this module's form.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn widened(from: [&Fp; LANES]) -> Self {
        let [a, b, c, d, e, f, ..] = Self::words(from);
        let full = all(FULL);
        let limb = |limb| _mm512_and_si512(limb, full);
        Self([
            limb(_mm512_slli_epi64::<32>(a)),
            limb(_mm512_or_si512(
                _mm512_srli_epi64::<20>(a),
                _mm512_slli_epi64::<44>(b),
            )),
            limb(_mm512_srli_epi64::<8>(b)),
            limb(_mm512_or_si512(
                _mm512_srli_epi64::<60>(b),
                _mm512_slli_epi64::<4>(c),
            )),
            limb(_mm512_or_si512(
                _mm512_srli_epi64::<48>(c),
                _mm512_slli_epi64::<16>(d),
            )),
            limb(_mm512_or_si512(
                _mm512_srli_epi64::<36>(d),
                _mm512_slli_epi64::<28>(e),
            )),
            limb(_mm512_or_si512(
                _mm512_srli_epi64::<24>(e),
                _mm512_slli_epi64::<40>(f),
            )),
            _mm512_srli_epi64::<12>(f),
        ])
    }

    /// Elements of blst: short.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn of(from: [&Fp; LANES]) -> Self {
        Self::widened(from).reduced()
    }

    /// Integers below `2^384`, lowest word first: short.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn of_integers(from: [&Fp; LANES]) -> Self {
        let [a, b, c, d, e, f, ..] = Self::words(from);
        let full = all(FULL);
        let limb = |limb| _mm512_and_si512(limb, full);
        let joined = |low, high| limb(_mm512_or_si512(low, high));
        let limbs = [
            limb(a),
            joined(_mm512_srli_epi64::<52>(a), _mm512_slli_epi64::<12>(b)),
            joined(_mm512_srli_epi64::<40>(b), _mm512_slli_epi64::<24>(c)),
            joined(_mm512_srli_epi64::<28>(c), _mm512_slli_epi64::<36>(d)),
            joined(_mm512_srli_epi64::<16>(d), _mm512_slli_epi64::<48>(e)),
            limb(_mm512_srli_epi64::<4>(e)),
            joined(_mm512_srli_epi64::<56>(e), _mm512_slli_epi64::<8>(f)),
            _mm512_srli_epi64::<44>(f),
        ];
        Self(limbs).mul(&Self::load(&OF_INTEGER))
    }

    /// As blst has them.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn blst_form(&self) -> [Fp; LANES] {
        self.mul(&Self::load(&TO_BLST)).packed()
    }

    /// The integers, lowest word first.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn integers(&self) -> [Fp; LANES] {
        self.mul(&Self::load(&TO_INTEGER)).packed()
    }

    /// The words of short elements, below `p`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn packed(&self) -> [Fp; LANES] {
        let Self([a, b, c, d, e, f, g, h]) = self.canonical();
        let or = |a, b| _mm512_or_si512(a, b);
        let zero = _mm512_setzero_si512();
        let words = [
            or(a, _mm512_slli_epi64::<52>(b)),
            or(_mm512_srli_epi64::<12>(b), _mm512_slli_epi64::<40>(c)),
            or(_mm512_srli_epi64::<24>(c), _mm512_slli_epi64::<28>(d)),
            or(_mm512_srli_epi64::<36>(d), _mm512_slli_epi64::<16>(e)),
            or(
                _mm512_srli_epi64::<48>(e),
                or(_mm512_slli_epi64::<4>(f), _mm512_slli_epi64::<56>(g)),
            ),
            or(_mm512_srli_epi64::<8>(g), _mm512_slli_epi64::<44>(h)),
            zero,
            zero,
        ];
        let singles = Self(words).singles();
        singles.map(|Single([l @ .., _, _])| Fp(blst::blst_fp { l }))
    }
}
