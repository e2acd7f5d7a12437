//! Integers of 384 bits in words of 64, for constants and conversions.

use ark_bls12_381::Fq;
use ark_ff::PrimeField;

/// Words of 64 bits that hold an element as an integer.
pub(super) const WORDS: usize = 6;

/// The words of a number, lowest first.
pub(super) type Words = [u64; WORDS];

/// `p`, in words.
pub(super) const MODULUS: Words = Fq::MODULUS.0;

/// `2·words mod p`, for constants.
pub(super) const fn doubled(words: &Words) -> Words {
    let (mut sum, mut reduced) = ([0; WORDS], [0; WORDS]);
    let (mut carry, mut borrow) = (0, false);
    let mut at = 0;
    while at < WORDS {
        sum[at] = (words[at] << 1) | carry;
        carry = words[at] >> 63;
        let (difference, first) = sum[at].overflowing_sub(MODULUS[at]);
        let (difference, second) = difference.overflowing_sub(borrow as u64);
        reduced[at] = difference;
        borrow = first || second;
        at += 1;
    }
    if borrow {
        sum
    } else {
        reduced
    }
}

/// `2^bits·words mod p`, for constants.
pub(super) const fn shifted(words: &Words, bits: usize) -> Words {
    let mut words = *words;
    let mut done = 0;
    while done < bits {
        words = doubled(&words);
        done += 1;
    }
    words
}

/// The bit with weight `2^at`: zero or one.
pub(super) const fn bit(words: &Words, at: usize) -> u64 {
    (words[at / 64] >> (at % 64)) & 1
}

/// `(p + 1)/2`.
pub(super) const HALF_WORDS: Words = {
    let mut words = shifted_down(1);
    words[0] += 1;
    words
};

/// `p` without its lowest bits.
const fn shifted_down(bits: usize) -> Words {
    let (mut words, mut at) = (MODULUS, 0);
    while at < WORDS {
        let higher = if at + 1 < WORDS { MODULUS[at + 1] } else { 0 };
        words[at] = (MODULUS[at] >> bits) | (higher << (64 - bits));
        at += 1;
    }
    words
}

/// `(p − 3)/4`: `p` without its two lowest bits, which are both set.
pub(super) const QUARTER: Words = shifted_down(2);

/// One.
pub(super) const ONE_WORD: Words = [1, 0, 0, 0, 0, 0];
