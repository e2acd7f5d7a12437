//! Numbers in limbs of 52 bits.

use crate::parameters::MODULUS;

/// Elements in a vector.
pub(in crate::fast::vector) const LANES: usize = 8;
pub(super) const LIMBS: usize = 8;
pub(super) const BITS: u32 = 52;
pub(super) const FULL: u64 = (1 << BITS) - 1;

pub(super) type Limbs = [u64; LIMBS];

/// Splits words, lowest first, into limbs.
pub(super) const fn limbs(words: [u64; 6]) -> Limbs {
    let (mut limbs, mut at) = ([0; LIMBS], 0);
    while at < LIMBS {
        let bit = at * BITS as usize;
        let (word, shift) = (bit / 64, bit % 64);
        limbs[at] = words[word] >> shift;
        if shift > 12 && word < 5 {
            limbs[at] |= words[word + 1] << (64 - shift);
        }
        limbs[at] &= FULL;
        at += 1;
    }
    limbs
}

/// `2^shift · words mod p`.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // The words of wider numbers.
pub(super) const fn shifted_modulo_p(mut words: [u64; 6], shift: u32) -> [u64; 6] {
    let mut done = 0;
    while done < shift {
        let (mut doubled, mut less, mut at) = ([0; 6], [0; 6], 0);
        let (mut carry, mut borrow) = (0_u128, 0_i128);
        while at < 6 {
            carry += (words[at] as u128) << 1;
            doubled[at] = carry as u64;
            carry >>= 64;
            borrow += doubled[at] as i128 - MODULUS[at] as i128;
            less[at] = borrow as u64;
            borrow >>= 64;
            at += 1;
        }
        words = if borrow < 0 { doubled } else { less };
        done += 1;
    }
    words
}

/// `multiple · p`.
#[allow(clippy::cast_possible_truncation)] // Limbs.
pub(super) const fn times_p(multiple: u64) -> Limbs {
    let p = limbs(MODULUS);
    let (mut out, mut at, mut carry) = ([0; LIMBS], 0, 0);
    while at < LIMBS {
        carry += p[at] as u128 * multiple as u128;
        out[at] = carry as u64 & FULL;
        carry >>= BITS;
        at += 1;
    }
    assert!(carry == 0);
    out
}

pub(super) const P: Limbs = limbs(MODULUS);
pub(super) const P2: Limbs = times_p(2);
pub(super) const P7: Limbs = times_p(7);
/// Above any value that was widened, by at least `2p`.
pub(super) const WIDE_P: Limbs = times_p((1 << 32) + 2);

/// `2^416 − p`.
pub(super) const MINUS_P: Limbs = {
    let (mut out, mut at) = ([0; LIMBS], 0);
    while at < LIMBS {
        out[at] = FULL - P[at];
        at += 1;
    }
    // `p` is odd, so that no carry follows.
    out[0] += 1;
    out
};

/// `−1/p` modulo `2^52`.
pub(super) const NEGATED_INVERSE: u64 = {
    let mut inverse = 1_u64;
    let mut bits = 1;
    while bits < BITS {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(MODULUS[0].wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse.wrapping_neg() & FULL
};

/// `2^416/p`, rounded down: times the highest limb, it tells how often `p` fits into a value.
pub(super) const QUOTIENT: u64 = {
    // 2^416/p = 2^52 / (p/2^364), where p/2^364 is known to 64 bits and more.
    let high = ((MODULUS[5] as u128) << 64) | MODULUS[4] as u128;
    // p ≈ high·2^256, so that 2^416/p ≈ 2^160/high, by long division of 2^160 by a number below 2^125.
    let (mut quotient, mut remainder, mut bit) = (0_u64, 1_u128, 160);
    let high = high + 1;
    while bit > 0 {
        bit -= 1;
        remainder <<= 1;
        quotient <<= 1;
        if remainder >= high {
            remainder -= high;
            quotient |= 1;
        }
    }
    quotient
};
