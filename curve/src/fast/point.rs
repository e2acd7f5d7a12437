//! Points of `E(Fp): y² = x³ + 4`. Variable-time: everything here is public.

use super::field::{invert_all, Fp};
use alloc::vec::Vec;
use blst::{blst_p1, blst_p1_affine};

/// A cube root of one in `Fp`, in Montgomery form: the one for which `φ(P) = −[z²]P` on G1.
pub(super) const BETA: Fp = Fp(blst::blst_fp {
    l: [
        0x30f1_361b_798a_64e8,
        0xf3b8_ddab_7ece_5a2a,
        0x16a8_ca3a_c615_77f7,
        0xc26a_2ff8_74fd_029b,
        0x3636_b766_6070_1c6e,
        0x051b_a4ab_241b_6160,
    ],
});

/// A point in affine coordinates; zero is `(0, 0)`, which is not on the curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Affine {
    pub(crate) x: Fp,
    pub(crate) y: Fp,
}

impl Affine {
    pub(crate) fn from_blst(point: &blst_p1_affine) -> Self {
        Self {
            x: Fp(point.x),
            y: Fp(point.y),
        }
    }

    pub(crate) fn to_blst(self) -> blst_p1_affine {
        blst_p1_affine {
            x: self.x.0,
            y: self.y.0,
        }
    }

    /// Whether this is zero.
    #[inline(always)]
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

    #[inline(always)]
    pub(crate) fn neg_if(self, condition: bool) -> Self {
        if condition {
            self.neg()
        } else {
            self
        }
    }

    /// `−φ(P) = [z²]P` for points of G1. Cost: one multiplication in `Fp`.
    #[inline(always)]
    pub(crate) fn mul_z2(&self) -> Self {
        Self {
            x: self.x.mul(&BETA),
            y: self.y.neg(),
        }
    }
}

/// Zero in affine coordinates.
pub(super) const ZERO: Affine = Affine {
    x: Fp::ZERO,
    y: Fp::ZERO,
};

/// The sum of opposite points, or of points of which at least one is zero: the cases that have no slope.
pub(super) fn vertical_sum(point: &Affine, other: &Affine) -> Affine {
    if point.is_zero() {
        *other
    } else if other.is_zero() {
        *point
    } else {
        ZERO
    }
}

/// A point in Jacobian coordinates; zero has `z = 0`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Jacobian {
    x: Fp,
    y: Fp,
    z: Fp,
}

impl From<Affine> for Jacobian {
    fn from(point: Affine) -> Self {
        if point.is_zero() {
            return Self::ZERO;
        }
        Self {
            x: point.x,
            y: point.y,
            z: Fp::ONE,
        }
    }
}

impl From<blst_p1> for Jacobian {
    fn from(point: blst_p1) -> Self {
        let [x, y, z] = [point.x, point.y, point.z].map(Fp);
        Self { x, y, z }
    }
}

impl Jacobian {
    pub(crate) const ZERO: Self = Self {
        x: Fp::ZERO,
        y: Fp::ZERO,
        z: Fp::ZERO,
    };

    #[inline(always)]
    pub(crate) fn is_zero(&self) -> bool {
        self.z.is_zero()
    }

    #[inline(always)]
    pub(crate) fn neg_if(mut self, condition: bool) -> Self {
        if condition {
            self.y = self.y.neg();
        }
        self
    }

    /// [`Affine::mul_z2`].
    #[inline(always)]
    pub(crate) fn mul_z2(&self) -> Self {
        Self {
            x: self.x.mul(&BETA),
            y: self.y.neg(),
            z: self.z,
        }
    }

    /// Cost: 3M + 4S.
    pub(crate) fn double(&self) -> Self {
        let yy = self.y.square();
        let d = self.x.mul(&yy).shl(2);
        let e = self.x.square().triple();
        let x = e.square().sub(&d).sub(&d);
        let y = e.mul(&d.sub(&x)).sub(&yy.square().octuple());
        let z = self.y.mul(&self.z).shl(1);
        Self { x, y, z }
    }

    /// Cost: 8M + 3S.
    pub(crate) fn add_affine(&self, other: &Affine) -> Self {
        // Tables of points of small order hold zero.
        if other.is_zero() {
            return *self;
        }
        if self.is_zero() {
            return (*other).into();
        }
        let zz = self.z.square();
        let h = other.x.mul(&zz).sub(&self.x);
        let r = other.y.mul(&self.z.mul(&zz)).sub(&self.y);
        self.chord(h, r, self.x, self.y, self.z)
    }

    /// Cost: 12M + 4S.
    pub(crate) fn add(&self, other: &Self) -> Self {
        if self.is_zero() {
            return *other;
        }
        if other.is_zero() {
            return *self;
        }
        let (zz1, zz2) = (self.z.square(), other.z.square());
        let u1 = self.x.mul(&zz2);
        let s1 = self.y.mul(&other.z.mul(&zz2));
        let h = other.x.mul(&zz1).sub(&u1);
        let r = other.y.mul(&self.z.mul(&zz1)).sub(&s1);
        self.chord(h, r, u1, s1, self.z.mul(&other.z))
    }

    /// The end of an addition, once both points have the denominator `z`: the first is `(u, s)`, and the
    /// second differs from it by `(h, r)`.
    #[inline(always)]
    fn chord(&self, h: Fp, r: Fp, u: Fp, s: Fp, z: Fp) -> Self {
        if h.is_zero() {
            return if r.is_zero() {
                self.double()
            } else {
                Self::ZERO
            };
        }
        let hh = h.square();
        let hhh = h.mul(&hh);
        let v = u.mul(&hh);
        let x = r.square().sub(&hhh).sub(&v).sub(&v);
        Self {
            x,
            y: r.mul(&v.sub(&x)).sub(&s.mul(&hhh)),
            z: z.mul(&h),
        }
    }

    /// In affine coordinates. Cost: one inversion.
    pub(crate) fn to_affine(self) -> Affine {
        to_affine(&[self]).first().copied().unwrap_or_default()
    }

    /// Whether both are the same point. Cost: 6M + 2S at most.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        if self.is_zero() || other.is_zero() {
            return self.is_zero() == other.is_zero();
        }
        let (zz1, zz2) = (self.z.square(), other.z.square());
        self.x.mul(&zz2) == other.x.mul(&zz1)
            && self.y.mul(&zz2.mul(&other.z)) == other.y.mul(&zz1.mul(&self.z))
    }
}

/// A public point as blst keeps it.
pub(crate) fn normal(point: blst_p1) -> blst_p1_affine {
    Jacobian::from(point).to_affine().to_blst()
}

/// The points in affine coordinates. Cost: one inversion for all, 6M + 1S each.
pub(crate) fn to_affine(points: &[Jacobian]) -> Vec<Affine> {
    let mut inverses: Vec<_> = points.iter().map(|point| point.z).collect();
    invert_all(&mut inverses, &mut Vec::with_capacity(points.len()));
    points
        .iter()
        .zip(inverses)
        .map(|(point, inverse)| {
            let square = inverse.square();
            Affine {
                x: point.x.mul(&square),
                y: point.y.mul(&square.mul(&inverse)),
            }
        })
        .collect()
}
