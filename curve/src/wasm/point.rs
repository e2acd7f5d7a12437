//! Points of `y² = x³ + b` over `Fp` and over `Fp2`. Variable-time: everything here is public.

use super::{
    fp::{El, Fp},
    fp2::{El2, Fp2},
};
use crate::parameters::Z;
use alloc::vec::Vec;

/// Operations on coordinates. Every result is reduced; operations with several steps reduce once.
pub(crate) trait Coordinate: Copy + core::fmt::Debug {
    const ZERO: Self;
    const ONE: Self;
    fn is_zero(self) -> bool;
    fn neg(self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// `2·self·other`.
    fn times_twice(self, other: Self) -> Self;
    fn squared(self) -> Self;
    fn tripled(self) -> Self;
    /// `self − a − 2·b`.
    fn minus_and_twice(self, a: Self, b: Self) -> Self;
    /// `self − 8·other`.
    fn minus_eight(self, other: Self) -> Self;
    /// `4·self − other`.
    fn four_minus(self, other: Self) -> Self;
    fn inverted(self) -> Self;
}

macro_rules! coordinate {
    ($name:ident, $of_size:ident, $times:expr, $times_twice:expr) => {
        impl Coordinate for $name {
            const ZERO: Self = Self::ZERO;
            const ONE: Self = Self::ONE;

            #[inline(always)]
            fn is_zero(self) -> bool {
                $of_size::is_zero(self)
            }

            #[inline(always)]
            fn neg(self) -> Self {
                Self::neg(self)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                (self - other).reduce()
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                $times(self, other)
            }

            #[inline(always)]
            fn times_twice(self, other: Self) -> Self {
                $times_twice(self, other)
            }

            #[inline(always)]
            fn squared(self) -> Self {
                self.square()
            }

            #[inline(always)]
            fn tripled(self) -> Self {
                (self + self + self).reduce()
            }

            #[inline(always)]
            fn minus_and_twice(self, a: Self, b: Self) -> Self {
                (self - (a + (b + b))).reduce()
            }

            #[inline(always)]
            fn minus_eight(self, other: Self) -> Self {
                let twice = other + other;
                let four = twice + twice;
                (self - (four + four)).reduce()
            }

            #[inline(always)]
            fn four_minus(self, other: Self) -> Self {
                let twice = self + self;
                ((twice + twice) - other).reduce()
            }

            fn inverted(self) -> Self {
                self.inverse()
            }
        }
    };
}
coordinate!(Fp, El, |a: Fp, b: Fp| a.mul(b), |a: Fp, b: Fp| (a + a)
    .mul(b));
coordinate!(Fp2, El2, |a: Fp2, b: Fp2| a.mul(&b), |a: Fp2, b: Fp2| (a
    + a)
    .mul(&b));

/// A point in affine coordinates; zero is `(0, 0)`, which is on neither curve.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Affine<F> {
    pub(crate) x: F,
    pub(crate) y: F,
}

impl<F: Coordinate> PartialEq for Affine<F> {
    fn eq(&self, other: &Self) -> bool {
        self.x.minus(other.x).is_zero() && self.y.minus(other.y).is_zero()
    }
}

impl<F: Coordinate> Affine<F> {
    pub(crate) const ZERO: Self = Self {
        x: F::ZERO,
        y: F::ZERO,
    };

    pub(crate) fn is_zero(&self) -> bool {
        self.x.is_zero() && self.y.is_zero()
    }

    #[inline(always)]
    pub(crate) fn neg(&self) -> Self {
        Self {
            x: self.x,
            y: self.y.neg(),
        }
    }
}

/// A point in Jacobian coordinates; zero has `z = 0`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jacobian<F> {
    pub(crate) x: F,
    pub(crate) y: F,
    pub(crate) z: F,
}

impl<F: Coordinate> From<Affine<F>> for Jacobian<F> {
    fn from(point: Affine<F>) -> Self {
        if point.is_zero() {
            return Self::ZERO;
        }
        Self {
            x: point.x,
            y: point.y,
            z: F::ONE,
        }
    }
}

impl<F: Coordinate> Jacobian<F> {
    pub(crate) const ZERO: Self = Self {
        x: F::ONE,
        y: F::ONE,
        z: F::ZERO,
    };

    #[inline(always)]
    pub(crate) fn is_zero(&self) -> bool {
        self.z.is_zero()
    }

    /// Cost: 3M + 4S.
    pub(crate) fn double(&self) -> Self {
        let yy = self.y.squared();
        let xyy = self.x.times(yy);
        let e = self.x.squared().tripled();
        let x = e.squared().minus_eight(xyy);
        Self {
            x,
            y: e.times(xyy.four_minus(x)).minus_eight(yy.squared()),
            z: self.y.times_twice(self.z),
        }
    }

    /// Cost: 8M + 3S.
    pub(crate) fn add_affine(&self, other: &Affine<F>) -> Self {
        // Multiples of points of small order may be zero.
        if other.is_zero() {
            return *self;
        }
        if self.is_zero() {
            return Self {
                x: other.x,
                y: other.y,
                z: F::ONE,
            };
        }
        let zz = self.z.squared();
        let u = other.x.times(zz);
        let s = other.y.times(self.z.times(zz));
        Self::joined(self.x, self.y, u, s, self.z, self)
    }

    /// Cost: 12M + 4S.
    pub(crate) fn add(&self, other: &Self) -> Self {
        if self.is_zero() {
            return *other;
        }
        if other.is_zero() {
            return *self;
        }
        let (zz1, zz2) = (self.z.squared(), other.z.squared());
        let (u1, u2) = (self.x.times(zz2), other.x.times(zz1));
        let s1 = self.y.times(other.z.times(zz2));
        let s2 = other.y.times(self.z.times(zz1));
        Self::joined(u1, s1, u2, s2, self.z.times(other.z), self)
    }

    /// The sum of two points, given over the common denominator `z`; `first` is the first of them.
    #[inline(always)]
    fn joined(u1: F, s1: F, u2: F, s2: F, z: F, first: &Self) -> Self {
        let h = u2.minus(u1);
        let r = s2.minus(s1);
        if h.is_zero() {
            return if r.is_zero() {
                first.double()
            } else {
                Self::ZERO
            };
        }
        let hh = h.squared();
        let hhh = h.times(hh);
        let v = u1.times(hh);
        let x = r.squared().minus_and_twice(hhh, v);
        Self {
            x,
            y: r.times(v.minus(x)).minus(s1.times(hhh)),
            z: z.times(h),
        }
    }

    /// Whether this is the point with these affine coordinates, which is not zero.
    pub(crate) fn equals(&self, other: &Affine<F>) -> bool {
        let zz = self.z.squared();
        !self.is_zero()
            && other.x.times(zz).minus(self.x).is_zero()
            && other.y.times(zz.times(self.z)).minus(self.y).is_zero()
    }

    /// In affine coordinates. Cost: one inversion.
    pub(crate) fn to_affine(self) -> Affine<F> {
        self.divided(self.z.inverted())
    }

    /// In affine coordinates, given `1/z`, or zero for zero.
    fn divided(&self, inverse: F) -> Affine<F> {
        let square = inverse.squared();
        Affine {
            x: self.x.times(square),
            y: self.y.times(square.times(inverse)),
        }
    }

    /// `[|z|]` of the point, with the curve's parameter. Cost: 63 doublings, 5 additions.
    pub(crate) fn times_z(&self) -> Self {
        let mut product = *self;
        for bit in (0..63).rev() {
            product = product.double();
            if (Z >> bit) & 1 == 1 {
                product = product.add(self);
            }
        }
        product
    }

    /// The product with an integer, little-endian.
    pub(crate) fn times(&self, scalar: &[u8]) -> Self {
        let mut product = Self::ZERO;
        for byte in scalar.iter().rev() {
            for bit in (0..8).rev() {
                product = product.double();
                if (byte >> bit) & 1 == 1 {
                    product = product.add(self);
                }
            }
        }
        product
    }
}

/// All in affine coordinates. Cost: one inversion, 6M + 1S each.
pub(crate) fn to_affine<F: Coordinate>(points: &[Jacobian<F>]) -> Vec<Affine<F>> {
    let mut before = Vec::with_capacity(points.len());
    let mut product = F::ONE;
    for point in points {
        before.push(product);
        if !point.is_zero() {
            product = product.times(point.z);
        }
    }
    let mut inverse = product.inverted();
    let mut affine: Vec<_> = points
        .iter()
        .zip(before)
        .rev()
        .map(|(point, before)| {
            if point.is_zero() {
                return Affine::ZERO;
            }
            let own = inverse.times(before);
            inverse = inverse.times(point.z);
            point.divided(own)
        })
        .collect();
    affine.reverse();
    affine
}

/// The sum of points, which may be zero, equal or opposite.
pub(crate) fn sum<F: Coordinate>(points: &[&Affine<F>]) -> Affine<F> {
    points
        .iter()
        .fold(Jacobian::ZERO, |sum, point| sum.add_affine(point))
        .to_affine()
}
