//! Eight elements: in registers, in memory, and one by one.

use super::constants::{Limbs, BITS, FULL, LANES, LIMBS, P, P2};
use crate::fast::point::Affine;
use core::arch::x86_64::{
    __m512i, _mm512_load_si512, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_shuffle_i64x2,
    _mm512_store_si512, _mm512_unpackhi_epi64, _mm512_unpacklo_epi64, _mm_prefetch, _MM_HINT_T0,
};

/// Which lanes.
pub(in crate::fast::vector) type Lanes = u8;

/// Eight elements in registers, limb by limb.
#[derive(Clone, Copy)]
pub(in crate::fast::vector) struct Octet(pub(super) [__m512i; LIMBS]);

/// Eight elements in memory, limb by limb.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(in crate::fast::vector) struct Stored([[u64; LANES]; LIMBS]);

/// One element in memory: a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(in crate::fast::vector) struct Single(pub(super) Limbs);

impl Stored {
    pub(in crate::fast::vector) const ZERO: Self = Self([[0; LANES]; LIMBS]);

    pub(super) const fn all(limbs: Limbs) -> Self {
        let (mut out, mut at) = ([[0; LANES]; LIMBS], 0);
        while at < LIMBS {
            out[at] = [limbs[at]; LANES];
            at += 1;
        }
        Self(out)
    }
}

impl Single {
    pub(in crate::fast::vector) const ZERO: Self = Self([0; LIMBS]);

    /// The negative of a short element: short.
    pub(in crate::fast::vector) fn negated(&self) -> Self {
        let from = |multiple: Limbs| {
            let (mut out, mut over) = ([0; LIMBS], 0_i64);
            for (limb, (of_p, own)) in out.iter_mut().zip(multiple.iter().zip(self.0)) {
                over += of_p.cast_signed() - own.cast_signed();
                *limb = over.cast_unsigned() & FULL;
                over >>= BITS;
            }
            (Self(out), over < 0)
        };
        match from(P) {
            (negated, false) => negated,
            _ => from(P2).0,
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn all(value: u64) -> __m512i {
    _mm512_set1_epi64(value.cast_signed())
}

/// Turns eight vectors of eight words by ninety degrees.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(in crate::fast::vector) fn transposed(rows: [__m512i; 8]) -> [__m512i; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    let quarter = |a, b, c, d| {
        let (even, odd) = (
            _mm512_shuffle_i64x2::<0x88>(a, b),
            _mm512_shuffle_i64x2::<0xdd>(a, b),
        );
        let (even2, odd2) = (
            _mm512_shuffle_i64x2::<0x88>(c, d),
            _mm512_shuffle_i64x2::<0xdd>(c, d),
        );
        [
            _mm512_shuffle_i64x2::<0x88>(even, even2),
            _mm512_shuffle_i64x2::<0x88>(odd, odd2),
            _mm512_shuffle_i64x2::<0xdd>(even, even2),
            _mm512_shuffle_i64x2::<0xdd>(odd, odd2),
        ]
    };
    let [r0, r2, r4, r6] = quarter(
        _mm512_unpacklo_epi64(a, b),
        _mm512_unpacklo_epi64(c, d),
        _mm512_unpacklo_epi64(e, f),
        _mm512_unpacklo_epi64(g, h),
    );
    let [r1, r3, r5, r7] = quarter(
        _mm512_unpackhi_epi64(a, b),
        _mm512_unpackhi_epi64(c, d),
        _mm512_unpackhi_epi64(e, f),
        _mm512_unpackhi_epi64(g, h),
    );
    [r0, r1, r2, r3, r4, r5, r6, r7]
}

impl Octet {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn load(from: &Stored) -> Self {
        let mut limbs = [_mm512_setzero_si512(); LIMBS];
        for (limb, row) in limbs.iter_mut().zip(&from.0) {
            // SAFETY: a row has 64 bytes, and is aligned to as many.
            *limb = unsafe { _mm512_load_si512(row.as_ptr().cast()) };
        }
        Self(limbs)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn store(&self, to: &mut Stored) {
        for (limb, row) in self.0.iter().zip(&mut to.0) {
            // SAFETY: as in `load`; the reference is exclusive.
            unsafe { _mm512_store_si512(row.as_mut_ptr().cast(), *limb) }
        }
    }

    /// Elements that lie apart.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn gather(from: [&Single; LANES]) -> Self {
        let mut rows = [_mm512_setzero_si512(); LANES];
        for (row, single) in rows.iter_mut().zip(from) {
            // SAFETY: an element has 64 bytes, and is aligned to as many.
            *row = unsafe { _mm512_load_si512(single.0.as_ptr().cast()) };
        }
        Self(transposed(rows))
    }

    /// Each lane on its own.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn singles(&self) -> [Single; LANES] {
        let mut singles = [Single::ZERO; LANES];
        for (row, single) in transposed(self.0).iter().zip(&mut singles) {
            // SAFETY: as in `gather`; the reference is exclusive.
            unsafe { _mm512_store_si512(single.0.as_mut_ptr().cast(), *row) }
        }
        singles
    }
}

/// Has the processor fetch a point from memory.
#[inline]
pub(in crate::fast::vector) fn prefetch(point: &Affine) {
    let last = &raw const point.y.0.l[5];
    // SAFETY: a hint, which reads nothing; the processor has SSE.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>((&raw const *point).cast());
        _mm_prefetch::<_MM_HINT_T0>(last.cast());
    }
}
