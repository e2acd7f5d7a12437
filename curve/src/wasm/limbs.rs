//! Limbs of 28 bits: the storage of an element of the field.

use super::words::{Words, MODULUS, WORDS};

/// Limbs of an element.
pub(super) const LIMBS: usize = 14;
/// Bits of a limb.
pub(super) const BITS: usize = 28;
/// The bits of a limb, all set.
pub(super) const MASK: u64 = (1 << BITS) - 1;

/// An element's limbs, lowest first.
pub(super) type Limbs = [u32; LIMBS];

/// `p`, in limbs.
pub(super) const P: Limbs = split(&MODULUS);
/// Multiples of `p`, as many as an element may hold: looking one up is less than working it out.
pub(super) static MULTIPLES: [Limbs; 32] = {
    let mut multiples = [[0; LIMBS]; 32];
    let mut number = 1;
    while number < 32 {
        let (mut at, mut carry) = (0, 0);
        while at < LIMBS {
            let sum = multiples[number - 1][at] as u64 + P[at] as u64 + carry;
            multiples[number][at] = low(sum);
            carry = sum >> BITS;
            at += 1;
        }
        number += 1;
    }
    multiples
};

/// A number below `2^384` as limbs.
pub(super) const fn split(words: &Words) -> Limbs {
    let mut limbs = [0; LIMBS];
    let mut at = 0;
    while at < LIMBS {
        let (word, shift) = (at * BITS / 64, at * BITS % 64);
        let mut bits = words[word] >> shift;
        if shift + BITS > 64 && word + 1 < WORDS {
            bits |= words[word + 1] << (64 - shift);
        }
        limbs[at] = low(bits);
        at += 1;
    }
    limbs
}

/// The lowest limb.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // What is left has 28 bits.
pub(super) const fn low(bits: u64) -> u32 {
    (bits & MASK) as u32
}

/// A multiple of `p`, about `(2·L + 1)·p`, whose limbs are at least those that an `El<L>` may have and at most those of
/// an `El<{L + 1}>`. It is added before such an element is subtracted, so that no limb borrows.
pub(super) const fn padding(l: u32) -> Limbs {
    let (mut limbs, mut carry) = ([0; LIMBS], 0);
    let mut at = 0;
    while at < LIMBS {
        let value = P[at] as u64 * (2 * l as u64 + 1) + carry;
        let (lent, borrowed) = (
            if at + 1 < LIMBS { l << BITS } else { 0 },
            if at > 0 { l } else { 0 },
        );
        carry = value >> BITS;
        limbs[at] = low(value) + lent - borrowed;
        assert!(limbs[at] as u64 <= (l as u64 + 1) * MASK);
        at += 1;
    }
    // Nothing is carried out of the top, and there the padding is above anything that is subtracted.
    assert!(carry == 0 && limbs[LIMBS - 1] > 2 * l * (P[LIMBS - 1] + 1));
    limbs
}

/// The number one as it stands, not in Montgomery form.
pub(super) const ONE_LIMB: Limbs = {
    let mut limbs = [0; LIMBS];
    limbs[0] = 1;
    limbs
};
