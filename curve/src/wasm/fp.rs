//! Integers modulo `p` for machines whose widest product has 64 bits.
//!
//! An element is fourteen limbs of 28 bits: a product of two limbs leaves eight bits of an `i64.mul` free, so that a
//! column of products is added up without a single carry. Sums and differences are not reduced either. The type tracks
//! their growth, and an operation that could overflow does not compile: `El<L>` has limbs of at most `L·(2^28 − 1)` and
//! a value below `L·2p`; sums and differences grow, products and [`El::reduce`] give `El<1>`.
//!
//! Montgomery form with `R = 2^392`. Variable-time: nothing here may see a secret that matters.

use super::{
    columns::{multiply, square},
    limbs::{low, padding, split, Limbs, BITS, LIMBS, MULTIPLES, ONE_LIMB, P},
    words::{bit, doubled, shifted, Words, HALF_WORDS, ONE_WORD, QUARTER, WORDS},
};
use ark_bls12_381::Fq;
use ark_ff::{BigInt, Field};
use core::ops::{Add, Sub};

/// `2^392 / 2^384`: what turns arkworks' Montgomery form into ours.
const FROM_ARK: usize = 8;

/// An element: limbs up to `L·(2^28 − 1)`, a value below `L·2p`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct El<const L: u32>(pub(crate) Limbs);

/// An element as products leave it.
pub(crate) type Fp = El<1>;

impl<const L: u32> Default for El<L> {
    fn default() -> Self {
        Self([0; LIMBS])
    }
}

macro_rules! sums {
    ($($a:literal + $b:literal = $c:literal),* $(,)?) => {$(
        impl Add<El<$b>> for El<$a> {
            type Output = El<$c>;
            #[inline(always)]
            fn add(self, other: El<$b>) -> El<$c> {
                const { assert!($a + $b == $c && $c < 16) }
                add(self, other)
            }
        }
    )*};
}
macro_rules! differences {
    ($($a:literal - $b:literal = $c:literal),* $(,)?) => {$(
        impl Sub<El<$b>> for El<$a> {
            type Output = El<$c>;
            #[inline(always)]
            fn sub(self, other: El<$b>) -> El<$c> {
                const { assert!($a + $b + 1 == $c && $c < 16) }
                sub(self, other)
            }
        }
    )*};
}
/// Calls a macro with every sum that there is, in `Fp` and in the fields above it.
macro_rules! for_sums {
    ($macro:ident) => {
        $macro!(
            1 + 1 = 2,
            1 + 2 = 3,
            1 + 3 = 4,
            2 + 1 = 3,
            2 + 2 = 4,
            3 + 3 = 6,
            4 + 4 = 8,
            3 + 1 = 4,
        );
    };
}
/// Calls a macro with every difference that there is, in `Fp` and in the fields above it.
macro_rules! for_differences {
    ($macro:ident) => {
        $macro!(
            1 - 1 = 3,
            1 - 2 = 4,
            1 - 3 = 5,
            1 - 4 = 6,
            2 - 1 = 4,
            2 - 2 = 5,
            3 - 1 = 5,
            3 - 3 = 7,
            4 - 1 = 6,
            1 - 8 = 10,
        );
    };
}
pub(super) use {for_differences, for_sums};

for_sums!(sums);
for_differences!(differences);

/// `a + b`.
#[inline(always)]
pub(crate) const fn add<const A: u32, const B: u32, const C: u32>(a: El<A>, b: El<B>) -> El<C> {
    const { assert!(A + B <= C && C < 16) }
    let mut limbs = a.0;
    let mut at = 0;
    while at < LIMBS {
        limbs[at] = limbs[at].wrapping_add(b.0[at]);
        at += 1;
    }
    El(limbs)
}

/// `a − b`.
#[inline(always)]
pub(crate) const fn sub<const A: u32, const B: u32, const C: u32>(a: El<A>, b: El<B>) -> El<C> {
    const { assert!(A + B < C && C < 16) }
    let mut limbs = const { padding(B) };
    let mut at = 0;
    while at < LIMBS {
        limbs[at] = limbs[at].wrapping_add(a.0[at]).wrapping_sub(b.0[at]);
        at += 1;
    }
    El(limbs)
}

impl<const L: u32> El<L> {
    /// `self·other`.
    #[inline(always)]
    pub(crate) const fn mul<const M: u32>(self, other: El<M>) -> Fp {
        const { assert!(L * M <= 16) }
        El(multiply(&self.0, &other.0))
    }

    /// `self²`.
    #[inline(always)]
    pub(crate) const fn square(self) -> Fp {
        const { assert!(L <= 4) }
        El(square(&self.0))
    }

    /// The same element below `2p`, with limbs below `2^28`.
    #[inline(always)]
    #[allow(clippy::cast_possible_wrap, clippy::cast_lossless)] // Thirty-two bits fit; `From` is not const.
    pub(crate) const fn reduce(self) -> Fp {
        // Below the quotient by `p` by at most one: the highest limb is taken for all, and `p` for the next above.
        let top = self.0[LIMBS - 1] + (self.0[LIMBS - 2] >> BITS);
        let multiple = &MULTIPLES[(top / (P[LIMBS - 1] + 1)) as usize];
        let mut limbs = [0; LIMBS];
        let mut carry = 0_i64;
        let mut at = 0;
        while at < LIMBS {
            let sum = self.0[at] as i64 - multiple[at] as i64 + carry;
            limbs[at] = low(sum.cast_unsigned());
            carry = sum >> BITS;
            at += 1;
        }
        El(limbs)
    }

    /// Whether it is zero modulo `p`.
    #[inline]
    pub(crate) fn is_zero(self) -> bool {
        let El(limbs) = self.reduce();
        limbs == [0; LIMBS] || limbs == P
    }

    /// The number itself, below `p`, as words.
    fn to_words(self) -> Words {
        let El(limbs) = self.mul(El::<1>(ONE_LIMB));
        let limbs = if limbs == P { [0; LIMBS] } else { limbs };
        let mut words = [0; WORDS];
        for (at, limb) in limbs.iter().enumerate() {
            let (word, shift) = (at * BITS / 64, at * BITS % 64);
            words[word] |= u64::from(*limb) << shift;
            if shift + BITS > 64 && word + 1 < WORDS {
                words[word + 1] |= u64::from(*limb) >> (64 - shift);
            }
        }
        words
    }

    /// The number itself, big-endian.
    pub(crate) fn to_bytes(self) -> [u8; 48] {
        let words = self.to_words();
        let mut bytes = [0; 48];
        for (chunk, word) in bytes.rchunks_exact_mut(8).zip(words) {
            chunk.copy_from_slice(&word.to_be_bytes());
        }
        bytes
    }

    /// Whether the number itself is above `(p − 1)/2`: which of two square roots an encoding means.
    pub(crate) fn is_high(self) -> bool {
        // 2x > p − 1 exactly when 2x ≥ p + 1, that is when doubling it takes p off.
        let words = self.to_words();
        let doubled = doubled(&words);
        doubled[0] & 1 == 1
    }

    /// Whether the number itself is odd: the sign that RFC 9380 gives to it.
    pub(crate) fn is_odd(self) -> bool {
        self.to_words()[0] & 1 == 1
    }
}

impl Fp {
    pub(crate) const ZERO: Self = Self([0; LIMBS]);
    pub(crate) const ONE: Self = Self::from_ark(Fq::ONE);
    /// `2^784 mod p`, which puts a number into Montgomery form.
    const R2: Self = Self(split(&shifted(&ONE_WORD, 2 * LIMBS * BITS)));
    /// `1/2`.
    pub(crate) const HALF: Self = Self(split(&shifted(&HALF_WORDS, LIMBS * BITS)));
    /// `2^256`.
    pub(crate) const TWO_256: Self = Self(split(&shifted(&ONE_WORD, LIMBS * BITS + 256)));
    /// `2^408 mod p`: see [`Fp::inverse`].
    const AFTER_INVERSE: Self = Self(split(&shifted(&ONE_WORD, LIMBS * BITS + 2 * FROM_ARK)));

    /// A constant of arkworks.
    pub(crate) const fn from_ark(constant: Fq) -> Self {
        Self(split(&shifted(&constant.0 .0, FROM_ARK)))
    }

    /// The same number as arkworks has it.
    #[cfg(all(feature = "host-functions", any(test, target_arch = "wasm32")))]
    pub(crate) fn to_ark(self) -> Fq {
        Fq::new(BigInt::new(self.to_words()))
    }

    /// Of big-endian bytes below `p`.
    pub(crate) fn from_bytes(bytes: &[u8; 48]) -> Self {
        let mut words = [0; WORDS];
        for (word, chunk) in words.iter_mut().zip(bytes.rchunks_exact(8)) {
            *word = chunk
                .iter()
                .fold(0, |word, byte| (word << 8) | u64::from(*byte));
        }
        Self(split(&words)).mul(Self::R2)
    }

    /// `1/self`; zero for zero.
    pub(crate) fn inverse(self) -> Self {
        // Arkworks reads `x·2^392` as the element `x·2^8` in its own form, whose inverse is `2^384 / (x·2^8)`; that
        // times `2^408 / 2^392` is `2^392 / x`.
        let El(limbs) = self;
        let as_number = Self(limbs).to_montgomery_words();
        match Fq::new_unchecked(BigInt::new(as_number)).inverse() {
            Some(inverse) => Self(split(&inverse.0 .0)).mul(Self::AFTER_INVERSE),
            None => Self::ZERO,
        }
    }

    /// The words of the Montgomery form, below `p`.
    fn to_montgomery_words(self) -> Words {
        // Out of Montgomery form is what was put into it once more.
        self.mul(Self::R2).to_words()
    }

    /// `−self`, for constants too.
    pub(crate) const fn neg(self) -> Self {
        sub::<1, 1, 3>(Self::ZERO, self).reduce()
    }

    /// `self^((p − 3)/4)`.
    pub(crate) const fn pow_quarter(self) -> Self {
        self.pow(&QUARTER)
    }

    /// `1/self` for constants: `self^(p − 2)`.
    pub(crate) const fn slow_inverse(self) -> Self {
        // p − 2 is 4·((p − 3)/4) + 1.
        self.pow_quarter().square().square().mul(self)
    }

    /// A square root, if there is one: `self^((p + 1)/4)`.
    pub(crate) const fn sqrt_candidate(self) -> Self {
        self.mul(self.pow_quarter())
    }

    /// `self^exponent`, in windows of at most five bits.
    #[allow(clippy::cast_possible_truncation)] // Digits are below 32; `try_from` is not const.
    const fn pow(self, exponent: &Words) -> Self {
        let square = self.square();
        let mut odd_powers = [self; 16];
        let mut at = 1;
        while at < odd_powers.len() {
            odd_powers[at] = odd_powers[at - 1].mul(square);
            at += 1;
        }
        let mut power = Self::ONE;
        let mut end = 64 * WORDS;
        while end > 0 {
            if bit(exponent, end - 1) == 0 {
                power = power.square();
                end -= 1;
                continue;
            }
            let mut start = end.saturating_sub(5);
            while bit(exponent, start) == 0 {
                start += 1;
            }
            let mut digit = 0;
            while end > start {
                power = power.square();
                end -= 1;
                digit = 2 * digit + bit(exponent, end);
            }
            power = power.mul(odd_powers[(digit / 2) as usize]);
        }
        power
    }
}
