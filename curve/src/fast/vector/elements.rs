//! Sixteen integers modulo `p` at once: two vectors of eight for each limb.
//!
//! Limbs have 48 bits, eight of them 384: the Montgomery form is then that of blst, and elements go from one to the
//! other without a multiplication. An element is in one of three states, which the names of operations distinguish:
//!
//! - *canonical*: below `p`, limbs of 48 bits. Converted from and to [`Words`].
//! - *short*: below `1.6p`, limbs of 48 bits. The result of a product.
//! - *loose*: below `3.6p`, limbs of 48 bits. The result of a difference.
//!
//! A product of a short and a loose element is short, because `1.6p · 3.6p / 2^384 + p < 1.6p`.

use crate::{fast::field::Fp, parameters::MODULUS};
use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_cmpeq_epi64_mask, _mm512_cmpge_epi64_mask,
    _mm512_load_si512, _mm512_mask_blend_epi64, _mm512_mask_sub_epi64, _mm512_or_si512,
    _mm512_set1_epi64, _mm512_setzero_si512, _mm512_slli_epi64, _mm512_srai_epi64,
    _mm512_srli_epi64, _mm512_store_si512, _mm512_sub_epi64,
};

/// Elements in a vector of them.
pub(crate) const WIDTH: usize = 16;
/// Hardware vectors in a limb.
pub(super) const HALVES: usize = 2;
const HALF: usize = WIDTH / HALVES;

/// Limbs of an element.
pub(super) const LIMBS: usize = 8;
/// Bits of a limb.
pub(super) const BITS: u32 = 48;
/// A full limb.
pub(super) const MASK: u64 = (1 << BITS) - 1;

/// `p` in limbs.
pub(super) const P: [u64; LIMBS] = limbs(MODULUS);
const P2: [u64; LIMBS] = twice(P);

/// `−1/p` modulo `2^48`.
pub(super) const NEGATED_INVERSE: u64 = {
    let mut inverse = 1_u64;
    let mut bits = 1;
    while bits < BITS {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(P[0].wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse.wrapping_neg() & MASK
};

/// Which of the elements.
pub(super) type Mask = u16;

const fn limbs(words: [u64; 6]) -> [u64; LIMBS] {
    let [a, b, c, d, e, f] = words;
    [
        a & MASK,
        (a >> 48 | b << 16) & MASK,
        (b >> 32 | c << 32) & MASK,
        c >> 16,
        d & MASK,
        (d >> 48 | e << 16) & MASK,
        (e >> 32 | f << 32) & MASK,
        f >> 16,
    ]
}

const fn twice(mut number: [u64; LIMBS]) -> [u64; LIMBS] {
    let (mut at, mut carry) = (0, 0);
    while at < LIMBS {
        let doubled = 2 * number[at] + carry;
        carry = doubled >> BITS;
        number[at] = doubled & MASK;
        at += 1;
    }
    assert!(carry == 0);
    number
}

/// Sixteen elements as blst has them: word by word, in Montgomery form, below `p`.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Words([[u64; WIDTH]; 6]);

impl Words {
    pub(super) const ZERO: Self = Self([[0; WIDTH]; 6]);

    pub(super) fn set(&mut self, lane: usize, element: &Fp) {
        for (row, word) in self.0.iter_mut().zip(element.0.l) {
            row[lane] = word;
        }
    }

    pub(super) fn get(&self, lane: usize) -> Fp {
        Fp(blst::blst_fp {
            l: core::array::from_fn(|word| self.0[word][lane]),
        })
    }
}

/// Sixteen elements, limb by limb.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Fp16(pub(super) [[u64; WIDTH]; LIMBS]);

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn load(row: &[u64; WIDTH], half: usize) -> __m512i {
    // SAFETY: the slice is half a row, 64 bytes. Rows are those of types that are aligned to 64 bytes, and have 128.
    unsafe { _mm512_load_si512(row[half * HALF..][..HALF].as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn store(row: &mut [u64; WIDTH], half: usize, value: __m512i) {
    // SAFETY: as in `load`; the reference is exclusive.
    unsafe { _mm512_store_si512(row[half * HALF..][..HALF].as_mut_ptr().cast(), value) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn all(value: u64) -> __m512i {
    _mm512_set1_epi64(value.cast_signed())
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn half_of(mask: Mask, half: usize) -> u8 {
    mask.to_le_bytes()[half]
}

/// One half of elements: a vector for each limb.
pub(super) type Half = [__m512i; LIMBS];

/// Passes what does not fit into a limb on to the next. The last limb keeps it, and its sign.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn carry(limbs: &mut Half) {
    let mask = all(MASK);
    for at in 1..LIMBS {
        let over = _mm512_srai_epi64::<BITS>(limbs[at - 1]);
        limbs[at - 1] = _mm512_and_si512(limbs[at - 1], mask);
        limbs[at] = _mm512_add_epi64(limbs[at], over);
    }
}

/// The canonical form of loose elements.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn reduced(mut limbs: Half) -> Half {
    // The highest limb decides coarsely, and never takes off too much; carries change it by two at most.
    for multiple in [&P2, &P] {
        let highest = LIMBS - 1;
        let is_above = _mm512_cmpge_epi64_mask(limbs[highest], all(multiple[highest] + 2));
        for (limb, part) in limbs.iter_mut().zip(multiple) {
            *limb = _mm512_mask_sub_epi64(*limb, is_above, *limb, all(*part));
        }
    }
    let mut less = limbs;
    for (limb, part) in less.iter_mut().zip(&P) {
        *limb = _mm512_sub_epi64(*limb, all(*part));
    }
    carry(&mut limbs);
    carry(&mut less);
    let is_reduced = _mm512_cmpge_epi64_mask(less[LIMBS - 1], _mm512_setzero_si512());
    for (limb, less) in limbs.iter_mut().zip(&less) {
        *limb = _mm512_mask_blend_epi64(is_reduced, *limb, *less);
    }
    limbs
}

impl Fp16 {
    /// The initial value of a buffer.
    pub(super) const ZERO: Self = Self([[0; WIDTH]; LIMBS]);
    /// One in every place.
    pub(super) const ONE: Self = Self::all(&Fp::ONE);

    /// The same canonical element in every place.
    pub(super) const fn all(element: &Fp) -> Self {
        let limbs = limbs(element.0.l);
        let mut rows = [[0; WIDTH]; LIMBS];
        let mut at = 0;
        while at < LIMBS {
            rows[at] = [limbs[at]; WIDTH];
            at += 1;
        }
        Self(rows)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn half(&self, half: usize) -> Half {
        let mut limbs = [_mm512_setzero_si512(); LIMBS];
        for (limb, row) in limbs.iter_mut().zip(&self.0) {
            *limb = load(row, half);
        }
        limbs
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn set_half(&mut self, half: usize, limbs: &Half) {
        for (row, limb) in self.0.iter_mut().zip(limbs) {
            store(row, half, *limb);
        }
    }

    /// One limb of one half.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn limb(&self, limb: usize, half: usize) -> __m512i {
        load(&self.0[limb], half)
    }

    /// A canonical element.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn set_words(&mut self, words: &Words) {
        let mask = all(MASK);
        // Three words are four limbs.
        for (words, limbs) in words.0.chunks_exact(3).zip(self.0.chunks_exact_mut(4)) {
            for half in 0..HALVES {
                let (a, b, c) = (
                    load(&words[0], half),
                    load(&words[1], half),
                    load(&words[2], half),
                );
                let second =
                    _mm512_or_si512(_mm512_srli_epi64::<48>(a), _mm512_slli_epi64::<16>(b));
                let third = _mm512_or_si512(_mm512_srli_epi64::<32>(b), _mm512_slli_epi64::<32>(c));
                store(&mut limbs[0], half, _mm512_and_si512(a, mask));
                store(&mut limbs[1], half, _mm512_and_si512(second, mask));
                store(&mut limbs[2], half, _mm512_and_si512(third, mask));
                store(&mut limbs[3], half, _mm512_srli_epi64::<16>(c));
            }
        }
    }

    /// The difference of short elements, or of two products and a sum of two canonical ones: loose.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn set_difference(&mut self, a: &Self, b: &Self) {
        for half in 0..HALVES {
            let (mut limbs, b) = (a.half(half), b.half(half));
            for ((limb, b), raise) in limbs.iter_mut().zip(&b).zip(&P2) {
                *limb = _mm512_sub_epi64(_mm512_add_epi64(*limb, all(*raise)), *b);
            }
            carry(&mut limbs);
            self.set_half(half, &limbs);
        }
    }

    /// The sum: loose when it is below `3.6p`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn set_sum(&mut self, a: &Self, b: &Self) {
        for half in 0..HALVES {
            let (mut limbs, b) = (a.half(half), b.half(half));
            for (limb, b) in limbs.iter_mut().zip(&b) {
                *limb = _mm512_add_epi64(*limb, *b);
            }
            carry(&mut limbs);
            self.set_half(half, &limbs);
        }
    }

    /// The canonical form of a loose element, word by word.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn canonical(&self, words: &mut Words) {
        for half in 0..HALVES {
            let limbs = reduced(self.half(half));
            for (words, limbs) in words.0.chunks_exact_mut(3).zip(limbs.chunks_exact(4)) {
                let [a, b, c, d] = [limbs[0], limbs[1], limbs[2], limbs[3]];
                let first = _mm512_or_si512(a, _mm512_slli_epi64::<48>(b));
                let second =
                    _mm512_or_si512(_mm512_srli_epi64::<16>(b), _mm512_slli_epi64::<32>(c));
                let third = _mm512_or_si512(_mm512_srli_epi64::<32>(c), _mm512_slli_epi64::<16>(d));
                store(&mut words[0], half, first);
                store(&mut words[1], half, second);
                store(&mut words[2], half, third);
            }
        }
    }

    /// Makes a loose element canonical.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn reduce(&mut self) {
        for half in 0..HALVES {
            let limbs = reduced(self.half(half));
            self.set_half(half, &limbs);
        }
    }

    /// Where canonical elements are equal.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn equals(&self, other: &Self) -> Mask {
        let mut halves = [u8::MAX; HALVES];
        for (half, mask) in halves.iter_mut().enumerate() {
            for (a, b) in self.0.iter().zip(&other.0) {
                *mask &= _mm512_cmpeq_epi64_mask(load(a, half), load(b, half));
            }
        }
        Mask::from_le_bytes(halves)
    }

    /// `other` where the mask has a bit.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn replace(&mut self, mask: Mask, other: &Self) {
        for half in 0..HALVES {
            for (row, other) in self.0.iter_mut().zip(&other.0) {
                let blended = _mm512_mask_blend_epi64(
                    half_of(mask, half),
                    load(row, half),
                    load(other, half),
                );
                store(row, half, blended);
            }
        }
    }
}
