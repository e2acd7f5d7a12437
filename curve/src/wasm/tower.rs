//! `Fp6 = Fp2[v]/(v³ − ξ)` and `Fp12 = Fp6[w]/(w² − v)`, with `ξ = 1 + u`.

use super::{
    columns::combination,
    fp::{El, Fp},
    fp2::{add2, sub2, El2, Fp2},
};
use crate::parameters::Z;
use ark_bls12_381::{Fq12Config, Fq6Config};
use ark_ff::{Fp12Config, Fp6Config};

/// `c0 + c1·v + c2·v²`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fp6 {
    pub(crate) c0: Fp2,
    pub(crate) c1: Fp2,
    pub(crate) c2: Fp2,
}

impl Fp6 {
    const ZERO: Self = Self {
        c0: Fp2::ZERO,
        c1: Fp2::ZERO,
        c2: Fp2::ZERO,
    };
    const ONE: Self = Self {
        c0: Fp2::ONE,
        c1: Fp2::ZERO,
        c2: Fp2::ZERO,
    };

    fn plus(&self, other: &Self) -> Self {
        Self {
            c0: (self.c0 + other.c0).reduce(),
            c1: (self.c1 + other.c1).reduce(),
            c2: (self.c2 + other.c2).reduce(),
        }
    }

    /// `self − other`.
    fn minus(&self, other: &Self) -> Self {
        Self {
            c0: (self.c0 - other.c0).reduce(),
            c1: (self.c1 - other.c1).reduce(),
            c2: (self.c2 - other.c2).reduce(),
        }
    }

    /// `self − a − b`.
    fn minus_both(&self, a: &Self, b: &Self) -> Self {
        Self {
            c0: (self.c0 - (a.c0 + b.c0)).reduce(),
            c1: (self.c1 - (a.c1 + b.c1)).reduce(),
            c2: (self.c2 - (a.c2 + b.c2)).reduce(),
        }
    }

    fn neg(&self) -> Self {
        Self {
            c0: self.c0.neg(),
            c1: self.c1.neg(),
            c2: self.c2.neg(),
        }
    }

    fn is_zero(&self) -> bool {
        self.c0.is_zero() && self.c1.is_zero() && self.c2.is_zero()
    }

    /// `v·self`.
    fn mul_v(&self) -> Self {
        Self {
            c0: self.c2.mul_xi::<3>().reduce(),
            c1: self.c0,
            c2: self.c1,
        }
    }

    /// Cost: six products, three reductions.
    pub(super) fn mul(&self, other: &Self) -> Self {
        let (a, b) = (self, other);
        let v0 = a.c0.mul_wide(&b.c0);
        let v1 = a.c1.mul_wide(&b.c1);
        let v2 = a.c2.mul_wide(&b.c2);
        let w12 = (a.c1 + a.c2).mul_wide(&(b.c1 + b.c2));
        let w01 = (a.c0 + a.c1).mul_wide(&(b.c0 + b.c1));
        let w02 = (a.c0 + a.c2).mul_wide(&(b.c0 + b.c2));
        let element = |c0, c1| Fp2 {
            c0: El(c0),
            c1: El(c1),
        };
        Self {
            // v0 + ξ·(w12 − v1 − v2)
            c0: element(
                combination([&v0.c0, &w12.c0, &v1.c1, &v2.c1], [&v1.c0, &v2.c0, &w12.c1]),
                combination([&v0.c1, &w12.c0, &w12.c1], [&v1.c0, &v2.c0, &v1.c1, &v2.c1]),
            ),
            // w01 − v0 − v1 + ξ·v2
            c1: element(
                combination([&w01.c0, &v2.c0], [&v0.c0, &v1.c0, &v2.c1]),
                combination([&w01.c1, &v2.c0, &v2.c1], [&v0.c1, &v1.c1]),
            ),
            // w02 − v0 − v2 + v1
            c2: element(
                combination([&w02.c0, &v1.c0], [&v0.c0, &v2.c0]),
                combination([&w02.c1, &v1.c1], [&v0.c1, &v2.c1]),
            ),
        }
    }

    fn square(&self) -> Self {
        self.mul(self)
    }

    fn scale(&self, factor: Fp2) -> Self {
        Self {
            c0: self.c0.mul(&factor),
            c1: self.c1.mul(&factor),
            c2: self.c2.mul(&factor),
        }
    }

    /// `1/self`; zero for zero.
    fn inverse(&self) -> Self {
        let Self { c0, c1, c2 } = *self;
        let t0 = sub2::<1, 3, 5>(c0.square(), c1.mul(&c2).mul_xi()).reduce();
        let t1 = sub2::<3, 1, 5>(c2.square().mul_xi(), c0.mul(&c1)).reduce();
        let t2 = sub2::<1, 1, 3>(c1.square(), c0.mul(&c2)).reduce();
        let inner = (c1.mul(&t2) + c2.mul(&t1)).mul_xi::<5>();
        let norm = add2::<1, 5, 6>(c0.mul(&t0), inner).reduce();
        Self {
            c0: t0,
            c1: t1,
            c2: t2,
        }
        .scale(norm.inverse())
    }

    fn map(&self, change: impl Fn(Fp2) -> Fp2) -> Self {
        Self {
            c0: change(self.c0),
            c1: change(self.c1),
            c2: change(self.c2),
        }
    }
}

/// `c0 + c1·w`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fp12 {
    c0: Fp6,
    c1: Fp6,
}

/// The value of a line at a point: `a + b·v + c·v·w`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) a: Fp2,
    pub(crate) b: Fp2,
    pub(crate) c: Fp2,
}

/// `γ = ξ^((p − 1)/6)` in its first, second and third power, for the `p`th power of what `w`, `v` and `v·w` are.
const W: Fp2 = Fp2::from_ark(Fq12Config::FROBENIUS_COEFF_FP12_C1[1]);
const V: Fp2 = Fp2::from_ark(Fq6Config::FROBENIUS_COEFF_FP6_C1[1]);
const VV: Fp2 = Fp2::from_ark(Fq6Config::FROBENIUS_COEFF_FP6_C2[1]);
/// The same for the `p²`th power, where all of them are in `Fp`.
const W2: Fp = Fp2::from_ark(Fq12Config::FROBENIUS_COEFF_FP12_C1[2]).c0;
const V2: Fp = Fp2::from_ark(Fq6Config::FROBENIUS_COEFF_FP6_C1[2]).c0;
const VV2: Fp = Fp2::from_ark(Fq6Config::FROBENIUS_COEFF_FP6_C2[2]).c0;

impl Fp12 {
    pub(crate) const ONE: Self = Self {
        c0: Fp6::ONE,
        c1: Fp6::ZERO,
    };

    /// `half + w`.
    pub(crate) fn plus_w(half: Fp6) -> Self {
        Self {
            c0: half,
            c1: Fp6::ONE,
        }
    }

    /// Whether it is in `Fp6` and not zero.
    pub(crate) fn is_unit_of_fp6(&self) -> bool {
        self.c1.is_zero() && !self.c0.is_zero()
    }

    /// The product of two lines. Cost: six products.
    pub(crate) fn of_lines(first: &Line, second: &Line) -> Self {
        let (x, y) = (first, second);
        let aa = x.a.mul(&y.a);
        let bb = x.b.mul(&y.b);
        let cc = x.c.mul(&y.c);
        let ab = (x.a + x.b).mul(&(y.a + y.b)) - (aa + bb);
        let ac = (x.a + x.c).mul(&(y.a + y.c)) - (aa + cc);
        let bc = (x.b + x.c).mul(&(y.b + y.c)) - (bb + cc);
        Self {
            c0: Fp6 {
                c0: add2::<1, 3, 4>(aa, cc.mul_xi()).reduce(),
                c1: ab.reduce(),
                c2: bb,
            },
            c1: Fp6 {
                c0: Fp2::ZERO,
                c1: ac.reduce(),
                c2: bc.reduce(),
            },
        }
    }

    /// One line alone.
    pub(crate) fn of_line(line: &Line) -> Self {
        Self {
            c0: Fp6 {
                c0: line.a,
                c1: line.b,
                c2: Fp2::ZERO,
            },
            c1: Fp6 {
                c0: Fp2::ZERO,
                c1: line.c,
                c2: Fp2::ZERO,
            },
        }
    }

    pub(crate) fn mul(&self, other: &Self) -> Self {
        let low = self.c0.mul(&other.c0);
        let high = self.c1.mul(&other.c1);
        let both = self.c0.plus(&self.c1).mul(&other.c0.plus(&other.c1));
        Self {
            c0: low.plus(&high.mul_v()),
            c1: both.minus_both(&low, &high),
        }
    }

    pub(crate) fn square(&self) -> Self {
        let cross = self.c0.mul(&self.c1);
        let both = self.c0.plus(&self.c1).mul(&self.c0.plus(&self.c1.mul_v()));
        Self {
            c0: both.minus_both(&cross, &cross.mul_v()),
            c1: cross.plus(&cross),
        }
    }

    /// The `p⁶`th power, which is the inverse where the norm is one.
    pub(crate) fn conjugate(&self) -> Self {
        Self {
            c0: self.c0,
            c1: self.c1.neg(),
        }
    }

    /// `1/self`; zero for zero.
    pub(crate) fn inverse(&self) -> Self {
        let norm = self.c0.square().minus(&self.c1.square().mul_v());
        let inverse = norm.inverse();
        Self {
            c0: self.c0.mul(&inverse),
            c1: self.c1.mul(&inverse).neg(),
        }
    }

    /// The `p`th power.
    pub(crate) fn frobenius(&self) -> Self {
        let powers = |half: &Fp6| {
            let Fp6 { c0, c1, c2 } = half.map(Fp2::conjugate);
            Fp6 {
                c0,
                c1: c1.mul(&V),
                c2: c2.mul(&VV),
            }
        };
        Self {
            c0: powers(&self.c0),
            c1: powers(&self.c1).scale(W),
        }
    }

    /// The `p²`th power.
    pub(crate) fn frobenius_twice(&self) -> Self {
        let powers = |half: &Fp6| Fp6 {
            c0: half.c0,
            c1: half.c1.scale(V2),
            c2: half.c2.scale(VV2),
        };
        Self {
            c0: powers(&self.c0),
            c1: powers(&self.c1).map(|part| part.scale(W2)),
        }
    }

    /// `self²` for elements whose order divides `p⁴ − p² + 1` (Granger and Scott).
    fn cyclotomic_square(&self) -> Self {
        let Self { c0, c1 } = self;
        let (t0, t1) = square_in_fp4(c0.c0, c1.c1);
        let (t2, t3) = square_in_fp4(c1.c0, c0.c2);
        let (t4, t5) = square_in_fp4(c0.c1, c1.c2);
        Self {
            c0: Fp6 {
                c0: thrice_minus_twice(t0, c0.c0),
                c1: thrice_minus_twice(t2, c0.c1),
                c2: thrice_minus_twice(t4, c0.c2),
            },
            c1: Fp6 {
                c0: thrice_plus_twice(t5.mul_xi::<3>().reduce(), c1.c0),
                c1: thrice_plus_twice(t1, c1.c1),
                c2: thrice_plus_twice(t3, c1.c2),
            },
        }
    }

    /// `self^|z|` for the same elements.
    pub(crate) fn pow_z(&self) -> Self {
        let mut power = *self;
        for bit in (0..63).rev() {
            power = power.cyclotomic_square();
            if (Z >> bit) & 1 == 1 {
                power = power.mul(self);
            }
        }
        power
    }

    pub(crate) fn is_one(&self) -> bool {
        self.c1.is_zero() && self.c0.minus(&Fp6::ONE).is_zero()
    }
}

/// `(a + b·s)²` with `s² = ξ`.
#[inline(always)]
fn square_in_fp4(a: Fp2, b: Fp2) -> (Fp2, Fp2) {
    let cross = a.mul(&b);
    let second = add2::<1, 3, 4>(a, b.mul_xi()).reduce();
    let taken: El2<4> = add2(cross, cross.mul_xi::<3>());
    let first = (a + b).mul(&second) - taken;
    (first.reduce(), (cross + cross).reduce())
}

/// `3·a − 2·b`.
#[inline(always)]
fn thrice_minus_twice(a: Fp2, b: Fp2) -> Fp2 {
    sub2::<3, 2, 6>(a + a + a, b + b).reduce()
}

/// `3·a + 2·b`.
#[inline(always)]
fn thrice_plus_twice(a: Fp2, b: Fp2) -> Fp2 {
    add2::<3, 2, 5>(a + a + a, b + b).reduce()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One, with one of its six coordinates changed.
    fn one_but_for(at: usize, change: Fp2) -> Fp12 {
        let mut element = Fp12::ONE;
        let Fp12 { c0, c1 } = &mut element;
        let part = if at < 3 { c0 } else { c1 };
        let place = match at % 3 {
            0 => &mut part.c0,
            1 => &mut part.c1,
            _ => &mut part.c2,
        };
        *place = (*place + change).reduce();
        element
    }

    /// The check on a product of pairings.
    #[test]
    fn no_element_is_one_that_differs_from_it_in_a_single_coordinate() {
        let unit = Fp2::ONE;
        let other_unit = Fp2 {
            c0: unit.c1,
            c1: unit.c0,
        };
        assert!(Fp12::ONE.is_one());
        for at in 0..6 {
            assert!(!one_but_for(at, unit).is_one(), "coordinate {at}");
            assert!(!one_but_for(at, other_unit).is_one(), "coordinate {at}");
        }
    }
}
