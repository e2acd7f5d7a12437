//! `Fp[u]/(u² + 1)`, on blst's assembly.

use super::field::{made, Fp};
use ark_bls12_381::Fq2;
use blst::{blst_fp, blst_fp2, blst_fp2_add, blst_fp2_mul, blst_fp2_mul_by_3, blst_fp2_sqr};

/// An element of the quadratic extension, in Montgomery form, reduced: equal elements have equal limbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Fp2(pub(crate) blst_fp2);

impl Fp2 {
    /// A constant of arkworks, whose Montgomery form is the same.
    pub(crate) const fn from_ark(constant: Fq2) -> Self {
        Self(blst_fp2 {
            fp: [
                blst_fp {
                    l: constant.c0.0 .0,
                },
                blst_fp {
                    l: constant.c1.0 .0,
                },
            ],
        })
    }

    /// `c0 − c1·u`, which is also the `p`th power.
    pub(crate) fn conjugate(&self) -> Self {
        let [c0, c1] = self.0.fp;
        Self(blst_fp2 {
            fp: [c0, Fp(c1).neg().0],
        })
    }

    /// The product with an element of `Fp`.
    pub(crate) fn scale(&self, factor: &Fp) -> Self {
        Self(blst_fp2 {
            fp: self.0.fp.map(|half| Fp(half).mul(factor).0),
        })
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        // SAFETY: as in `field`: blst writes the whole result, and every pointer is that of a live element.
        unsafe { made(|out: *mut Self| blst_fp2_add(out.cast(), &self.0, &other.0)) }
    }

    pub(crate) fn double(&self) -> Self {
        self.add(self)
    }

    pub(crate) fn triple(&self) -> Self {
        // SAFETY: as in `field`: blst writes the whole result, and every pointer is that of a live element.
        unsafe { made(|out: *mut Self| blst_fp2_mul_by_3(out.cast(), &self.0)) }
    }

    pub(crate) fn mul(&self, other: &Self) -> Self {
        // SAFETY: as in `field`: blst writes the whole result, and every pointer is that of a live element.
        unsafe { made(|out: *mut Self| blst_fp2_mul(out.cast(), &self.0, &other.0)) }
    }

    pub(crate) fn square(&self) -> Self {
        // SAFETY: as in `field`: blst writes the whole result, and every pointer is that of a live element.
        unsafe { made(|out: *mut Self| blst_fp2_sqr(out.cast(), &self.0)) }
    }
}
