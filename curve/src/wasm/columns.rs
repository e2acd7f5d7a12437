//! Products of elements as columns, and Montgomery's reduction.

use super::{
    limbs::{low, Limbs, BITS, LIMBS, MASK, P},
    words::MODULUS,
};

/// Columns of the product of two elements.
pub(super) const COLUMNS: usize = 2 * LIMBS - 1;
/// A product, not reduced: column `k` has weight `2^(28k)`.
pub(super) type Columns = [u64; COLUMNS];

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

const fn widen(limbs: &Limbs) -> [u64; LIMBS] {
    let mut wide = [0; LIMBS];
    let mut at = 0;
    while at < LIMBS {
        wide[at] = limbs[at] as u64;
        at += 1;
    }
    wide
}

/// The products of one column.
#[inline(always)]
const fn column<const K: usize, const N: usize>(a: &[u64; N], b: &[u64; N]) -> u64 {
    let mut sum = 0_u64;
    let mut i = K.saturating_sub(N - 1);
    while i < N && i <= K {
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

/// The carry from a column to the next.
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
const fn montgomery<const SIGNED: bool>(columns: &Columns) -> Limbs {
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
    limbs
}

/// Limbs of a half of an element.
const HALF: usize = LIMBS / 2;
/// Columns of the product of two halves.
type HalfColumns = [u64; LIMBS - 1];

#[inline(always)]
const fn halves(limbs: &Limbs) -> [[u64; HALF]; 3] {
    let [mut low, mut high, mut both] = [[0; HALF]; 3];
    let mut at = 0;
    while at < HALF {
        low[at] = limbs[at] as u64;
        high[at] = limbs[at + HALF] as u64;
        both[at] = low[at] + high[at];
        at += 1;
    }
    [low, high, both]
}

#[inline(always)]
const fn half_product(a: &[u64; HALF], b: &[u64; HALF]) -> HalfColumns {
    macro_rules! all { ($($k:literal)*) => { [$(column::<$k, HALF>(a, b)),*] }; }
    all!(0 1 2 3 4 5 6 7 8 9 10 11 12)
}

/// The columns of a product. The largest limbs of both factors are at most `4·(2^28 − 1)` in the geometric mean.
///
/// Karatsuba's method, once: a quarter of the products less. Columns of the sums may wrap around, and those that are left do not.
#[inline(never)]
pub(super) const fn product(a: &Limbs, b: &Limbs) -> Columns {
    let ([a0, a1, a2], [b0, b1, b2]) = (halves(a), halves(b));
    let low = half_product(&a0, &b0);
    let high = half_product(&a1, &b1);
    let both = half_product(&a2, &b2);
    let mut columns = [0; COLUMNS];
    let mut at = 0;
    while at < LIMBS - 1 {
        columns[at] = low[at];
        columns[at + LIMBS] = high[at];
        at += 1;
    }
    at = 0;
    while at < LIMBS - 1 {
        let middle = both[at].wrapping_sub(low[at]).wrapping_sub(high[at]);
        columns[at + HALF] = columns[at + HALF].wrapping_add(middle);
        at += 1;
    }
    columns
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
pub(super) const fn difference(plus: &Columns, minus: &Columns) -> Limbs {
    let (mut columns, mut at) = (*plus, 0);
    while at < COLUMNS {
        columns[at] = columns[at]
            .wrapping_sub(minus[at])
            .wrapping_add(SQUARES[at]);
        at += 1;
    }
    montgomery::<true>(&columns)
}

/// The sum of `plus` less that of `minus`, reduced. What they add up to, as columns of products of `El<1>`, are at most eight
/// such products in each direction.
#[inline(never)]
pub(super) fn combination<const N: usize, const M: usize>(
    plus: [&Columns; N],
    minus: [&Columns; M],
) -> Limbs {
    let columns = core::array::from_fn(|at| {
        let sum = plus
            .iter()
            .fold(SQUARES[at], |sum, columns| sum.wrapping_add(columns[at]));
        minus
            .iter()
            .fold(sum, |sum, columns| sum.wrapping_sub(columns[at]))
    });
    montgomery::<true>(&columns)
}

/// `whole − first − second`, reduced, where no column of that is negative.
#[inline(always)]
pub(super) const fn rest(whole: &Columns, first: &Columns, second: &Columns) -> Limbs {
    let (mut columns, mut at) = (*whole, 0);
    while at < COLUMNS {
        columns[at] = columns[at].wrapping_sub(first[at]).wrapping_sub(second[at]);
        at += 1;
    }
    montgomery::<false>(&columns)
}

#[inline(never)]
pub(super) const fn multiply(a: &Limbs, b: &Limbs) -> Limbs {
    montgomery::<false>(&product(a, b))
}

#[inline(never)]
pub(super) const fn square(a: &Limbs) -> Limbs {
    let a = widen(a);
    let (mut twice, mut at) = (a, 0);
    while at < LIMBS {
        twice[at] <<= 1;
        at += 1;
    }
    macro_rules! all { ($($k:literal)*) => { [$(square_column::<$k>(&a, &twice)),*] }; }
    montgomery::<false>(&for_columns!(all))
}
