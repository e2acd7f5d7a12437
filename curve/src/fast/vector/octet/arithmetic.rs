//! Products, sums and differences.

use super::{
    constants::{BITS, FULL, LIMBS, MINUS_P, NEGATED_INVERSE, P, P2, P7, QUOTIENT, WIDE_P},
    elements::{all, Lanes, Octet},
};
use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_cmpeq_epi64_mask, _mm512_cmpge_epi64_mask,
    _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_mask_blend_epi64, _mm512_mask_sub_epi64,
    _mm512_max_epi64, _mm512_setzero_si512, _mm512_srai_epi64, _mm512_srli_epi64, _mm512_sub_epi64,
};

/// More than limbs borrow from the one above where several were taken off without carrying.
const BORROWED: u64 = 4;

/// Passes what does not fit into a limb on to the next.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn carried(mut limbs: [__m512i; LIMBS]) -> Octet {
    let full = all(FULL);
    for at in 1..LIMBS {
        let over = _mm512_srai_epi64::<BITS>(limbs[at - 1]);
        limbs[at - 1] = _mm512_and_si512(limbs[at - 1], full);
        limbs[at] = _mm512_add_epi64(limbs[at], over);
    }
    Octet(limbs)
}

/// Adds both halves of products of limbs to the columns that they belong to.
macro_rules! add_products {
    ($columns:ident, $a:expr, $b:expr; $($i:literal $j:literal),*) => {
        $(
            $columns[$i + $j] = _mm512_madd52lo_epu64($columns[$i + $j], $a[$i], $b[$j]);
            $columns[$i + $j + 1] = _mm512_madd52hi_epu64($columns[$i + $j + 1], $a[$i], $b[$j]);
        )*
    };
}

/// Takes `$at` limbs away, by adding a multiple of `p` that makes them zero.
macro_rules! take_limbs {
    ($columns:ident, $p:ident; $($at:literal),*) => {
        $({
            let q = _mm512_madd52lo_epu64(
                _mm512_setzero_si512(),
                $columns[$at],
                all(NEGATED_INVERSE),
            );
            // The lowest limb becomes zero: what it passes on is known without the product that makes it so.
            let over = _mm512_srli_epi64::<BITS>(_mm512_add_epi64($columns[$at], all(FULL)));
            $columns[$at + 1] = _mm512_add_epi64($columns[$at + 1], over);
            $columns[$at + 1] = _mm512_madd52lo_epu64($columns[$at + 1], q, $p[1]);
            $columns[$at + 1] = _mm512_madd52hi_epu64($columns[$at + 1], q, $p[0]);
            take_limbs!(@ $columns, $p, q, $at; 2, 3, 4, 5, 6, 7);
            $columns[$at + 8] = _mm512_madd52hi_epu64($columns[$at + 8], q, $p[7]);
        })*
    };
    (@ $columns:ident, $p:ident, $q:ident, $at:literal; $($limb:literal),*) => {
        $(
            $columns[$at + $limb] = _mm512_madd52lo_epu64($columns[$at + $limb], $q, $p[$limb]);
            $columns[$at + $limb] = _mm512_madd52hi_epu64($columns[$at + $limb], $q, $p[$limb - 1]);
        )*
    };
}

/// The columns of a product, divided by `2^416` modulo `p`. A macro, so that they stay in registers.
macro_rules! reduced_product {
    ($columns:ident) => {{
        let mut p = [_mm512_setzero_si512(); LIMBS];
        for (limb, of_p) in p.iter_mut().zip(P) {
            *limb = all(of_p);
        }
        take_limbs!($columns, p; 0, 1, 2, 3, 4, 5, 6, 7);
        let [.., a, b, c, d, e, f, g, h] = $columns;
        carried([a, b, c, d, e, f, g, h])
    }};
}

impl Octet {
    /// The product: short.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn mul(&self, other: &Self) -> Self {
        let (a, b) = (&self.0, &other.0);
        let mut columns = [_mm512_setzero_si512(); 2 * LIMBS];
        add_products!(columns, a, b;
            0 0, 0 1, 0 2, 0 3, 0 4, 0 5, 0 6, 0 7, 1 0, 1 1, 1 2, 1 3, 1 4, 1 5, 1 6, 1 7,
            2 0, 2 1, 2 2, 2 3, 2 4, 2 5, 2 6, 2 7, 3 0, 3 1, 3 2, 3 3, 3 4, 3 5, 3 6, 3 7,
            4 0, 4 1, 4 2, 4 3, 4 4, 4 5, 4 6, 4 7, 5 0, 5 1, 5 2, 5 3, 5 4, 5 5, 5 6, 5 7,
            6 0, 6 1, 6 2, 6 3, 6 4, 6 5, 6 6, 6 7, 7 0, 7 1, 7 2, 7 3, 7 4, 7 5, 7 6, 7 7);
        reduced_product!(columns)
    }

    /// The square: short.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn square(&self) -> Self {
        let a = &self.0;
        let mut columns = [_mm512_setzero_si512(); 2 * LIMBS];
        add_products!(columns, a, a;
            0 1, 0 2, 0 3, 0 4, 0 5, 0 6, 0 7, 1 2, 1 3, 1 4, 1 5, 1 6, 1 7, 2 3,
            2 4, 2 5, 2 6, 2 7, 3 4, 3 5, 3 6, 3 7, 4 5, 4 6, 4 7, 5 6, 5 7, 6 7);
        for column in &mut columns {
            *column = _mm512_add_epi64(*column, *column);
        }
        add_products!(columns, a, a; 0 0, 1 1, 2 2, 3 3, 4 4, 5 5, 6 6, 7 7);
        reduced_product!(columns)
    }

    /// `self + other`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn plus(&self, other: &Self) -> Self {
        let mut limbs = self.0;
        for (limb, other) in limbs.iter_mut().zip(other.0) {
            *limb = _mm512_add_epi64(*limb, other);
        }
        carried(limbs)
    }

    /// `3·self`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn tripled(&self) -> Self {
        let mut limbs = self.0;
        for limb in &mut limbs {
            *limb = _mm512_add_epi64(*limb, _mm512_add_epi64(*limb, *limb));
        }
        carried(limbs)
    }

    /// `self − other`, for an `other` below `2p`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn minus(&self, other: &Self) -> Self {
        let mut limbs = self.0;
        for ((limb, other), raise) in limbs.iter_mut().zip(other.0).zip(P2) {
            *limb = _mm512_sub_epi64(_mm512_add_epi64(*limb, all(raise)), other);
        }
        carried(limbs)
    }

    /// `self − other` for an `other` below `2p`, or `−self − other` in some lanes, of something that was widened.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn signed_minus(&self, negative: Lanes, other: &Self) -> Self {
        let mut limbs = self.0;
        for (limb, wide) in limbs.iter_mut().zip(WIDE_P) {
            *limb = _mm512_mask_sub_epi64(*limb, negative, all(wide), *limb);
        }
        Self(limbs).minus(other)
    }

    /// The negative of some lanes, all of them below `2p`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn negated_where(&self, negative: Lanes) -> Self {
        let mut limbs = self.0;
        for (limb, raise) in limbs.iter_mut().zip(P2) {
            *limb = _mm512_mask_sub_epi64(*limb, negative, all(raise), *limb);
        }
        carried(limbs)
    }

    /// `self − other`, of short ones: short.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn difference(&self, other: &Self) -> Self {
        let mut limbs = self.0;
        for ((limb, other), raise) in limbs.iter_mut().zip(other.0).zip(P2) {
            *limb = _mm512_sub_epi64(_mm512_add_epi64(*limb, all(raise)), other);
        }
        Self(limbs).reduced()
    }

    /// `self + other`, with limbs beyond their usual length: for [`Octet::minus_sum`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn plus_limbs(&self, other: &Self) -> Self {
        let mut limbs = self.0;
        for (limb, other) in limbs.iter_mut().zip(other.0) {
            *limb = _mm512_add_epi64(*limb, other);
        }
        Self(limbs)
    }

    /// `self − sum`, for a sum below `7p`: short.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn minus_sum(&self, sum: &Self) -> Self {
        let mut limbs = self.0;
        for ((limb, taken), raise) in limbs.iter_mut().zip(sum.0).zip(P7) {
            *limb = _mm512_sub_epi64(_mm512_add_epi64(*limb, all(raise)), taken);
        }
        Self(limbs).reduced()
    }

    /// Takes multiples of `p` off: short. Limbs may be a few bits too long, and all but the highest negative.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn reduced(&self) -> Self {
        let zero = _mm512_setzero_si512();
        let mut limbs = self.0;
        // Less than it says: limbs below may be negative, and what they borrow is not in it. The quotient must not be too large.
        let top = _mm512_max_epi64(_mm512_sub_epi64(limbs[LIMBS - 1], all(BORROWED)), zero);
        let q = _mm512_madd52hi_epu64(zero, top, all(QUOTIENT));
        for at in 0..LIMBS {
            limbs[at] = _mm512_madd52lo_epu64(limbs[at], q, all(MINUS_P[at]));
            if at > 0 {
                limbs[at] = _mm512_madd52hi_epu64(limbs[at], q, all(MINUS_P[at - 1]));
            }
        }
        let Self(mut limbs) = carried(limbs);
        // What `q·2^416` was too much.
        limbs[LIMBS - 1] = _mm512_and_si512(limbs[LIMBS - 1], all(FULL));
        Self(limbs)
    }

    /// Below `p`, of short ones.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn canonical(&self) -> Self {
        let mut less = self.0;
        for (limb, of_p) in less.iter_mut().zip(P) {
            *limb = _mm512_sub_epi64(*limb, all(of_p));
        }
        let less = carried(less);
        let is_above = _mm512_cmpge_epi64_mask(less.0[LIMBS - 1], _mm512_setzero_si512());
        self.replaced(is_above, &less)
    }

    /// `other` in these lanes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn replaced(&self, lanes: Lanes, other: &Self) -> Self {
        let mut limbs = self.0;
        for (limb, other) in limbs.iter_mut().zip(other.0) {
            *limb = _mm512_mask_blend_epi64(lanes, *limb, other);
        }
        Self(limbs)
    }

    /// Where both are the same, of canonical ones.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn equals(&self, other: &Self) -> Lanes {
        let mut equal = Lanes::MAX;
        for (a, b) in self.0.iter().zip(other.0) {
            equal &= _mm512_cmpeq_epi64_mask(*a, b);
        }
        equal
    }

    /// Where it is zero, of short ones.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn is_zero(&self) -> Lanes {
        self.canonical()
            .equals(&Self([_mm512_setzero_si512(); LIMBS]))
    }
}
