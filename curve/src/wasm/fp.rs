//! Integers modulo `p` for machines whose widest product has 64 bits.
//!
//! An element is fourteen limbs of 28 bits: a product of two limbs leaves eight bits of an `i64.mul` free, so that
//! a column of products is added up without a single carry. What is added or subtracted is not reduced either. The
//! type says how far it has grown, and an operation that could overflow does not compile: `El<L>` has limbs of at most
//! `L·(2^28 − 1)` and a value below `L·2p`; sums and differences grow, products and [`El::reduce`] give `El<1>`.
//!
//! Montgomery form with `R = 2^392`. Variable-time: nothing here may see a secret that matters.

use ark_bls12_381::Fq;
use ark_ff::{BigInt, Field, PrimeField};
use core::ops::{Add, Sub};

/// Limbs of an element.
pub(crate) const LIMBS: usize = 14;
/// Bits of a limb.
const BITS: usize = 28;
const MASK: u64 = (1 << BITS) - 1;

/// Words of 64 bits that hold an element as an integer.
const WORDS: usize = 6;

type Words = [u64; WORDS];
pub(crate) type Limbs = [u32; LIMBS];

/// `p`, in words.
const MODULUS: Words = Fq::MODULUS.0;
/// `p`, in limbs.
const P: Limbs = split(&MODULUS);
/// Multiples of `p`, as many as an element may hold: looking one up is less than working it out.
static MULTIPLES: [Limbs; 32] = {
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
/// `p`, in limbs that are ready to be multiplied.
const P_WIDE: [u64; LIMBS] = widen(&P);
/// `−1/p mod 2^28`.
const MINUS_INVERSE: u64 = {
    let mut inverse = 1_u64;
    let mut round = 0;
    while round < 6 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(MODULUS[0].wrapping_mul(inverse)));
        round += 1;
    }
    inverse.wrapping_neg() & MASK
};

/// `2^392 / 2^384`: what turns arkworks' Montgomery form into ours.
const FROM_ARK: usize = 8;

/// Columns of the product of two elements.
pub(crate) const COLUMNS: usize = 2 * LIMBS - 1;
/// A product, not reduced: column `k` has weight `2^(28k)`.
pub(crate) type Columns = [u64; COLUMNS];

const fn split(words: &Words) -> Limbs {
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

const fn widen(limbs: &Limbs) -> [u64; LIMBS] {
    let mut wide = [0; LIMBS];
    let mut at = 0;
    while at < LIMBS {
        wide[at] = limbs[at] as u64;
        at += 1;
    }
    wide
}

/// The lowest limb.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // What is left has 28 bits.
const fn low(bits: u64) -> u32 {
    (bits & MASK) as u32
}

/// `2·words mod p`, for constants.
const fn doubled(words: &Words) -> Words {
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

const fn shifted(words: &Words, bits: usize) -> Words {
    let mut words = *words;
    let mut done = 0;
    while done < bits {
        words = doubled(&words);
        done += 1;
    }
    words
}

/// A multiple of `p`, about `(2·L + 1)·p`, whose limbs are at least those that an `El<L>` may have and at most those
/// of an `El<{L + 1}>`: what is added before such an element is subtracted, so that no limb borrows.
const fn padding(l: u32) -> Limbs {
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

/// Which sums and differences there are, and how large they become.
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
sums!(
    1 + 1 = 2,
    1 + 2 = 3,
    1 + 3 = 4,
    2 + 1 = 3,
    2 + 2 = 4,
    3 + 3 = 6,
    4 + 4 = 8,
    3 + 1 = 4
);
differences!(
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

/// The products of one column.
#[inline(always)]
const fn column<const K: usize>(a: &[u64; LIMBS], b: &[u64; LIMBS]) -> u64 {
    let mut sum = 0_u64;
    let mut i = K.saturating_sub(LIMBS - 1);
    while i < LIMBS && i <= K {
        sum = sum.wrapping_add(a[i].wrapping_mul(b[K - i]));
        i += 1;
    }
    sum
}

/// The products of one column of a square; `twice` is `2·a`.
#[inline(always)]
const fn square_column<const K: usize>(a: &[u64; LIMBS], twice: &[u64; LIMBS]) -> u64 {
    let mut sum = 0_u64;
    let mut i = K.saturating_sub(LIMBS - 1);
    while 2 * i < K {
        sum = sum.wrapping_add(twice[i].wrapping_mul(a[K - i]));
        i += 1;
    }
    if K.is_multiple_of(2) {
        sum = sum.wrapping_add(a[i].wrapping_mul(a[i]));
    }
    sum
}

/// Calls a macro with every column.
macro_rules! for_columns {
    ($macro:ident) => {
        $macro!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26)
    };
}

/// What a column passes on to the next.
#[inline(always)]
const fn carried<const SIGNED: bool>(sum: u64) -> u64 {
    if SIGNED {
        (sum.cast_signed() >> BITS).cast_unsigned()
    } else {
        sum >> BITS
    }
}

/// Montgomery's reduction, two columns at a time. Columns and carries are signed numbers if `SIGNED` says
/// so; the number that they make is neither negative nor above `128·p²`, so that what is left is below `2p`.
#[inline(never)]
const fn montgomery<const SIGNED: bool>(columns: &Columns) -> Fp {
    // The columns that the next two multiples of `p` reach.
    let (mut window, mut at) = ([0_u64; LIMBS], 0);
    while at < LIMBS {
        window[at] = columns[at];
        at += 1;
    }
    let mut step = 0;
    while step < LIMBS {
        let entering = [
            columns[step + LIMBS],
            if step + LIMBS + 1 < COLUMNS {
                columns[step + LIMBS + 1]
            } else {
                0
            },
        ];
        let m0 = window[0].wrapping_mul(MINUS_INVERSE) & MASK;
        let carry = carried::<SIGNED>(window[0].wrapping_add(m0.wrapping_mul(P_WIDE[0])));
        let next = window[1]
            .wrapping_add(carry)
            .wrapping_add(m0.wrapping_mul(P_WIDE[1]));
        let m1 = next.wrapping_mul(MINUS_INVERSE) & MASK;
        let carry = carried::<SIGNED>(next.wrapping_add(m1.wrapping_mul(P_WIDE[0])));
        macro_rules! shift {
            ($($k:literal)*) => {$(
                window[$k - 2] = window[$k]
                    .wrapping_add(m0.wrapping_mul(P_WIDE[$k]))
                    .wrapping_add(m1.wrapping_mul(P_WIDE[$k - 1]));
            )*};
        }
        shift!(2 3 4 5 6 7 8 9 10 11 12 13);
        window[0] = window[0].wrapping_add(carry);
        window[LIMBS - 2] = entering[0].wrapping_add(m1.wrapping_mul(P_WIDE[LIMBS - 1]));
        window[LIMBS - 1] = entering[1];
        step += 2;
    }
    let (mut limbs, mut carry) = ([0; LIMBS], 0);
    let mut at = 0;
    while at < LIMBS {
        let sum = window[at].wrapping_add(carry);
        limbs[at] = low(sum);
        carry = carried::<SIGNED>(sum);
        at += 1;
    }
    El(limbs)
}

/// The columns of a product. The largest limbs of both factors are at most `4·(2^28 − 1)` in the geometric mean.
#[inline(never)]
pub(crate) const fn product(a: &Limbs, b: &Limbs) -> Columns {
    let (a, b) = (widen(a), widen(b));
    macro_rules! all { ($($k:literal)*) => { [$(column::<$k>(&a, &b)),*] }; }
    for_columns!(all)
}

/// `64·p²`, in columns: what keeps a difference of two products at or above zero.
static SQUARES: Columns = {
    let (mut columns, mut carry) = ([0; COLUMNS], 0);
    let mut k = 0;
    while k < COLUMNS {
        let mut i = k.saturating_sub(LIMBS - 1);
        while i < LIMBS && i <= k {
            carry += P_WIDE[i] * P_WIDE[k - i];
            i += 1;
        }
        columns[k] = 64 * (carry & MASK);
        carry >>= BITS;
        k += 1;
    }
    columns[COLUMNS - 1] += (64 * carry) << BITS;
    columns
};

/// `plus − minus`, reduced. Both are products of factors of at most `El<4>` together.
#[inline(always)]
pub(crate) fn difference(plus: &Columns, minus: &Columns) -> Fp {
    let columns =
        core::array::from_fn(|at| plus[at].wrapping_sub(minus[at]).wrapping_add(SQUARES[at]));
    montgomery::<true>(&columns)
}

/// `whole − first − second`, reduced, where no column of that is negative.
#[inline(always)]
pub(crate) fn rest(whole: &Columns, first: &Columns, second: &Columns) -> Fp {
    let columns =
        core::array::from_fn(|at| whole[at].wrapping_sub(first[at]).wrapping_sub(second[at]));
    montgomery::<false>(&columns)
}

impl<const L: u32> El<L> {
    /// `self·other`.
    #[inline(always)]
    pub(crate) const fn mul<const M: u32>(self, other: El<M>) -> Fp {
        const { assert!(L * M <= 16) }
        multiply(&self.0, &other.0)
    }

    /// `self²`.
    #[inline(always)]
    pub(crate) const fn square(self) -> Fp {
        const { assert!(L <= 4) }
        square(&self.0)
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

/// The number one as it stands, not in Montgomery form.
const ONE_LIMB: Limbs = {
    let mut limbs = [0; LIMBS];
    limbs[0] = 1;
    limbs
};

#[inline(never)]
const fn multiply(a: &Limbs, b: &Limbs) -> Fp {
    montgomery::<false>(&product(a, b))
}

#[inline(never)]
const fn square(a: &Limbs) -> Fp {
    let a = widen(a);
    let (mut twice, mut at) = (a, 0);
    while at < LIMBS {
        twice[at] <<= 1;
        at += 1;
    }
    macro_rules! all { ($($k:literal)*) => { [$(square_column::<$k>(&a, &twice)),*] }; }
    montgomery::<false>(&for_columns!(all))
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

const fn bit(words: &Words, at: usize) -> u64 {
    (words[at / 64] >> (at % 64)) & 1
}

/// `(p + 1)/2`.
const HALF_WORDS: Words = {
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
const QUARTER: Words = shifted_down(2);

const ONE_WORD: Words = [1, 0, 0, 0, 0, 0];
