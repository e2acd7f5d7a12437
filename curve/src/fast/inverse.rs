//! Inversion modulo `p` in variable time, for public values.
//!
//! Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (eprint 2019/266), without being
//! constant-time: consecutive halvings are taken together, and the numbers get shorter as they shrink. Steps depend
//! only on the lowest bits, so that 62 steps are computed on single words and applied to the long numbers at once.

use crate::parameters::{MODULUS, SQUARED_RADIX};

/// Bits of a limb of a long number, and steps that are taken at once.
const BITS: u32 = 62;
const MASK: i64 = (1 << BITS) - 1;
/// The limbs of numbers that are less than `2p` in absolute value.
const LIMBS: usize = 7;

/// `Σ limbs[i]·2^(62·i)`. All limbs but the highest are in `0..2^62`; the highest has the sign.
type Long = [i64; LIMBS];

/// `p`.
const P: Long = split(&MODULUS);

/// `1/p mod 2^62`.
const P_INVERSE: i64 = {
    // Newton's iteration doubles the bits that are right, of which an odd number has three to begin with.
    let mut inverse = P[0];
    let mut round = 0;
    while round < 5 {
        inverse = inverse.wrapping_mul(2_i64.wrapping_sub(P[0].wrapping_mul(inverse)));
        round += 1;
    }
    inverse & MASK
};

/// The effect of 62 steps on a pair of numbers: `2^62·(f, g)` becomes `(u·f + v·g, q·f + r·g)`.
struct Steps {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

/// The inverse of an element in Montgomery form, in that form: `R²/x mod p` for `x < p`; zero for zero.
pub(super) fn invert(x: &[u64; 6]) -> [u64; 6] {
    // With x·d = R²·f and x·e = R²·g modulo p, and f, g having no common divisor but one.
    let (mut f, mut g) = (P, split(x));
    let (mut d, mut e) = ([0; LIMBS], split(&SQUARED_RADIX));
    let mut len = LIMBS;
    let mut minus_delta = -1;
    while g[..len].iter().any(|limb| *limb != 0) {
        let steps = Steps::next(&mut minus_delta, f[0], g[0]);
        steps.apply(&mut f[..len], &mut g[..len]);
        steps.apply_modulo_p(&mut d, &mut e);
        len = shorten(&mut f, &mut g, len);
    }
    // Now f is one or minus one, or `p` when x is zero.
    normal(d, f[len - 1] < 0)
}

impl Steps {
    /// The next 62 steps, which depend on the lowest 62 bits alone, and what becomes of the counter.
    fn next(minus_delta: &mut i64, f: i64, g: i64) -> Self {
        let (mut f, mut g) = (f.cast_unsigned(), g.cast_unsigned());
        let (mut u, mut v, mut q, mut r) = (1_u64, 0_u64, 0_u64, 1_u64);
        let mut left = BITS;
        loop {
            let zeros = (g | u64::MAX << left).trailing_zeros();
            g >>= zeros;
            u <<= zeros;
            v <<= zeros;
            *minus_delta -= i64::from(zeros);
            left -= zeros;
            if left == 0 {
                break;
            }
            // Both are odd. As many bits of g become zero as there are steps until f would be replaced.
            let known = if *minus_delta < 0 {
                *minus_delta = -*minus_delta;
                (f, g) = (g, f.wrapping_neg());
                (u, q) = (q, u.wrapping_neg());
                (v, r) = (r, v.wrapping_neg());
                // −1/f modulo 2^6.
                (6, f.wrapping_mul(f.wrapping_mul(f).wrapping_sub(2)))
            } else {
                // −1/f modulo 2^4.
                (
                    4,
                    f.wrapping_add((f.wrapping_add(1) & 4) << 1).wrapping_neg(),
                )
            };
            let (bits, minus_inverse) = known;
            let most = u64::from(left)
                .min(minus_delta.cast_unsigned() + 1)
                .min(bits);
            let factor = g.wrapping_mul(minus_inverse) & ((1 << most) - 1);
            g = g.wrapping_add(f.wrapping_mul(factor));
            q = q.wrapping_add(u.wrapping_mul(factor));
            r = r.wrapping_add(v.wrapping_mul(factor));
        }
        let [u, v, q, r] = [u, v, q, r].map(u64::cast_signed);
        Self { u, v, q, r }
    }

    /// The new pair, which is divisible by `2^62` before the division.
    #[inline(always)]
    fn apply(&self, f: &mut [i64], g: &mut [i64]) {
        let (mut to_f, mut to_g) = (0, 0);
        for at in 0..f.len() {
            to_f += product(self.u, f[at]) + product(self.v, g[at]);
            to_g += product(self.q, f[at]) + product(self.r, g[at]);
            if at > 0 {
                f[at - 1] = low(to_f);
                g[at - 1] = low(to_g);
            }
            to_f >>= BITS;
            to_g >>= BITS;
        }
        if let ([.., f], [.., g]) = (f, g) {
            (*f, *g) = (word(to_f), word(to_g));
        }
    }

    /// The same modulo `p`: both stay between `−2p` and `p`, and multiples of `p` are added that make the division
    /// leave no rest.
    #[inline(always)]
    fn apply_modulo_p(&self, d: &mut Long, e: &mut Long) {
        let (d_sign, e_sign) = (d[LIMBS - 1] >> 63, e[LIMBS - 1] >> 63);
        let multiple = |a: i64, b: i64| {
            let begin = (a & d_sign) + (b & e_sign);
            let sum = a.wrapping_mul(d[0]).wrapping_add(b.wrapping_mul(e[0]));
            begin - (P_INVERSE.wrapping_mul(sum).wrapping_add(begin) & MASK)
        };
        let (for_d, for_e) = (multiple(self.u, self.v), multiple(self.q, self.r));
        let (mut to_d, mut to_e) = (0, 0);
        for at in 0..LIMBS {
            let p = P[at];
            to_d += product(self.u, d[at]) + product(self.v, e[at]) + product(p, for_d);
            to_e += product(self.q, d[at]) + product(self.r, e[at]) + product(p, for_e);
            if at > 0 {
                d[at - 1] = low(to_d);
                e[at - 1] = low(to_e);
            }
            to_d >>= BITS;
            to_e >>= BITS;
        }
        (d[LIMBS - 1], e[LIMBS - 1]) = (word(to_d), word(to_e));
    }
}

#[inline(always)]
fn product(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}

#[inline(always)]
fn low(sum: i128) -> i64 {
    word(sum) & MASK
}

/// The lowest 64 bits, of which the highest limb is never longer.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)]
fn word(sum: i128) -> i64 {
    sum as i64
}

/// Takes the highest limbs away that say no more than the sign, and returns how many are left.
fn shorten(f: &mut Long, g: &mut Long, len: usize) -> usize {
    let is_sign = |limb: i64| limb == limb >> 63;
    if len == 1 || !is_sign(f[len - 1]) || !is_sign(g[len - 1]) {
        return len;
    }
    for number in [f, g] {
        number[len - 2] |= number[len - 1] << BITS;
    }
    len - 1
}

/// The number from `−2p` to `p`, or its negative, as its representative from zero to `p`.
fn normal(mut number: Long, negate: bool) -> [u64; 6] {
    let add_if_negative = |number: &mut Long| {
        if number[LIMBS - 1] < 0 {
            (0..LIMBS).for_each(|at| number[at] += P[at]);
        }
        carry(number);
    };
    add_if_negative(&mut number);
    if negate {
        number = number.map(|limb| -limb);
        carry(&mut number);
    }
    add_if_negative(&mut number);
    join(&number)
}

/// Brings all limbs but the highest into their range.
fn carry(number: &mut Long) {
    for at in 1..LIMBS {
        number[at] += number[at - 1] >> BITS;
        number[at - 1] &= MASK;
    }
}

const fn split(words: &[u64; 6]) -> Long {
    let mut limbs = [0; LIMBS];
    let mut at = 0;
    while at < LIMBS {
        let first = at * BITS as usize;
        let (word, shift) = (first / 64, first % 64);
        let mut limb = words[word] >> shift;
        if shift > 0 && word + 1 < words.len() {
            limb |= words[word + 1] << (64 - shift);
        }
        limbs[at] = limb.cast_signed() & MASK;
        at += 1;
    }
    limbs
}

/// The inverse of [`split`].
fn join(limbs: &Long) -> [u64; 6] {
    core::array::from_fn(|word| {
        let first = word * 64;
        let (limb, shift) = (first / BITS as usize, first % BITS as usize);
        let above = limbs[limb + 1].cast_unsigned() << (BITS as usize - shift);
        limbs[limb].cast_unsigned() >> shift | above
    })
}
