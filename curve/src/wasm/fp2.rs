//! `Fp[u]/(u² + 1)`.

use super::{
    columns::{difference, product, rest, Columns},
    fp::{add, for_differences, for_sums, sub, El, Fp},
    limbs::{Limbs, LIMBS},
};
use ark_bls12_381::Fq2;
use core::ops::{Add, Sub};

/// `c0 + c1·u`, with both parts as large as an `El<L>`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct El2<const L: u32> {
    pub(crate) c0: El<L>,
    pub(crate) c1: El<L>,
}

/// An element as products leave it.
pub(crate) type Fp2 = El2<1>;

macro_rules! sums {
    ($($a:literal + $b:literal = $c:literal),* $(,)?) => {$(
        impl Add<El2<$b>> for El2<$a> {
            type Output = El2<$c>;
            #[inline(always)]
            fn add(self, other: El2<$b>) -> El2<$c> {
                El2 { c0: self.c0 + other.c0, c1: self.c1 + other.c1 }
            }
        }
    )*};
}
macro_rules! differences {
    ($($a:literal - $b:literal = $c:literal),* $(,)?) => {$(
        impl Sub<El2<$b>> for El2<$a> {
            type Output = El2<$c>;
            #[inline(always)]
            fn sub(self, other: El2<$b>) -> El2<$c> {
                El2 { c0: self.c0 - other.c0, c1: self.c1 - other.c1 }
            }
        }
    )*};
}
for_sums!(sums);
for_differences!(differences);

#[inline(always)]
pub(crate) const fn add2<const A: u32, const B: u32, const C: u32>(a: El2<A>, b: El2<B>) -> El2<C> {
    El2 {
        c0: add(a.c0, b.c0),
        c1: add(a.c1, b.c1),
    }
}

#[inline(always)]
pub(crate) const fn sub2<const A: u32, const B: u32, const C: u32>(a: El2<A>, b: El2<B>) -> El2<C> {
    El2 {
        c0: sub(a.c0, b.c0),
        c1: sub(a.c1, b.c1),
    }
}

impl<const L: u32> El2<L> {
    /// `self·other`: three products, two reductions.
    #[inline(always)]
    pub(crate) const fn mul<const M: u32>(&self, other: &El2<M>) -> Fp2 {
        const { assert!(L * M <= 4) }
        multiply([&self.c0.0, &self.c1.0], [&other.c0.0, &other.c1.0])
    }

    /// `self²`: two products, two reductions.
    #[inline(always)]
    pub(crate) const fn square(&self) -> Fp2 {
        const { assert!(L <= 1) }
        let Self { c0, c1 } = *self;
        // (c0 + c1)(c0 − c1) and 2·c0·c1.
        let sum: El<2> = add(c0, c1);
        let difference: El<3> = sub(c0, c1);
        Fp2 {
            c0: sum.mul(difference),
            c1: add::<L, L, 2>(c0, c0).mul(c1),
        }
    }

    /// The product with an element of `Fp`.
    #[inline(always)]
    pub(crate) const fn scale<const M: u32>(self, factor: El<M>) -> Fp2 {
        Fp2 {
            c0: self.c0.mul(factor),
            c1: self.c1.mul(factor),
        }
    }

    /// The same element with both parts below `2p`.
    #[inline(always)]
    pub(crate) const fn reduce(self) -> Fp2 {
        Fp2 {
            c0: self.c0.reduce(),
            c1: self.c1.reduce(),
        }
    }

    /// Whether it is zero.
    pub(crate) fn is_zero(self) -> bool {
        self.c0.is_zero() && self.c1.is_zero()
    }

    /// `(1 + u)·self`, which the tower above is made with.
    #[inline(always)]
    pub(crate) const fn mul_xi<const M: u32>(self) -> El2<M> {
        El2 {
            c0: sub(self.c0, self.c1),
            c1: add(self.c0, self.c1),
        }
    }
}

/// A product, not reduced. Columns are signed numbers, and may be outside of their words until others are taken off.
pub(crate) struct Wide {
    pub(crate) c0: Columns,
    pub(crate) c1: Columns,
}

impl<const L: u32> El2<L> {
    /// `self·other`: three products, no reduction.
    pub(crate) fn mul_wide(&self, other: &Self) -> Wide {
        const { assert!(L <= 2) }
        let (a, b) = ([&self.c0.0, &self.c1.0], [&other.c0.0, &other.c1.0]);
        let (low, high) = (product(a[0], b[0]), product(a[1], b[1]));
        let whole = product(&sum_of_limbs(a), &sum_of_limbs(b));
        Wide {
            c0: core::array::from_fn(|at| low[at].wrapping_sub(high[at])),
            c1: core::array::from_fn(|at| whole[at].wrapping_sub(low[at]).wrapping_sub(high[at])),
        }
    }
}

/// Karatsuba's method. The limbs of factors that are at most an `El2<4>` together.
#[inline(never)]
const fn multiply(a: [&Limbs; 2], b: [&Limbs; 2]) -> Fp2 {
    let low = product(a[0], b[0]);
    let high = product(a[1], b[1]);
    let whole = product(&sum_of_limbs(a), &sum_of_limbs(b));
    Fp2 {
        c0: El(difference(&low, &high)),
        c1: El(rest(&whole, &low, &high)),
    }
}

#[inline(always)]
const fn sum_of_limbs([a, b]: [&Limbs; 2]) -> Limbs {
    let (mut sum, mut at) = (*a, 0);
    while at < LIMBS {
        sum[at] = sum[at].wrapping_add(b[at]);
        at += 1;
    }
    sum
}

impl Fp2 {
    pub(crate) const ZERO: Self = Self {
        c0: Fp::ZERO,
        c1: Fp::ZERO,
    };
    pub(crate) const ONE: Self = Self {
        c0: Fp::ONE,
        c1: Fp::ZERO,
    };

    /// A constant of arkworks.
    pub(crate) const fn from_ark(constant: Fq2) -> Self {
        Self {
            c0: Fp::from_ark(constant.c0),
            c1: Fp::from_ark(constant.c1),
        }
    }

    #[inline(always)]
    pub(crate) const fn neg(self) -> Self {
        Self {
            c0: self.c0.neg(),
            c1: self.c1.neg(),
        }
    }

    /// `c0 − c1·u`, which is also the `p`th power.
    #[inline(always)]
    pub(crate) fn conjugate(self) -> Self {
        Self {
            c0: self.c0,
            c1: self.c1.neg(),
        }
    }

    /// `1/self`; zero for zero.
    pub(crate) fn inverse(self) -> Self {
        let norm = (self.c0.square() + self.c1.square()).reduce();
        let inverse = norm.inverse();
        Self {
            c0: self.c0.mul(inverse),
            c1: self.c1.mul(inverse).neg(),
        }
    }
}
