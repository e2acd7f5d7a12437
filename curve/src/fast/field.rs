//! Integers modulo `p`, on blst's assembly.
//!
//! blst's functions on field elements read their arguments and write their result, with no other requirements: they
//! accept every reduced element, and references make every pointer valid. An [`Fp`] has the layout of a `blst_fp`.

use super::inverse::invert;
use alloc::vec::Vec;
use blst::{
    blst_fp, blst_fp_cneg, blst_fp_lshift, blst_fp_mul, blst_fp_mul_by_3, blst_fp_mul_by_8,
    blst_fp_sqr, blst_fp_sub,
};
use core::mem::MaybeUninit;

/// An element of the base field, in Montgomery form, reduced: equal elements have equal limbs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Fp(pub(crate) blst_fp);

/// Runs one of blst's operations on a place for its result.
///
/// # Safety
/// The operation must write the whole of its result, and must not read it before.
pub(super) unsafe fn made<T>(operation: impl FnOnce(*mut T)) -> T {
    let mut out = MaybeUninit::uninit();
    operation(out.as_mut_ptr());
    // SAFETY: the caller vouches that the operation wrote all of it.
    unsafe { out.assume_init() }
}

impl Fp {
    pub(crate) const ZERO: Self = Self(blst_fp { l: [0; 6] });
    /// `2^384 mod p`.
    pub(crate) const ONE: Self = Self(blst_fp {
        l: [
            0x7609_0000_0002_fffd,
            0xebf4_000b_c40c_0002,
            0x5f48_9857_53c7_58ba,
            0x77ce_5853_7052_5745,
            0x5c07_1a97_a256_ec6d,
            0x15f6_5ec3_fa80_e493,
        ],
    });

    #[inline(always)]
    pub(crate) fn is_zero(&self) -> bool {
        let [a, b, c, d, e, f] = self.0.l;
        a | b | c | d | e | f == 0
    }

    #[inline(always)]
    pub(crate) fn sub(&self, other: &Self) -> Self {
        // SAFETY: blst writes the whole result, and every pointer is that of a live element.
        unsafe { made(|out: *mut Self| blst_fp_sub(out.cast(), &self.0, &other.0)) }
    }

    #[inline(always)]
    pub(crate) fn neg(&self) -> Self {
        // SAFETY: blst writes the whole result, and every pointer is that of a live element.
        unsafe { made(|out: *mut Self| blst_fp_cneg(out.cast(), &self.0, true)) }
    }

    /// `2^bits · self`.
    #[inline(always)]
    pub(crate) fn shl(&self, bits: usize) -> Self {
        // SAFETY: blst writes the whole result, and every pointer is that of a live element.
        unsafe { made(|out: *mut Self| blst_fp_lshift(out.cast(), &self.0, bits)) }
    }

    #[inline(always)]
    pub(crate) fn triple(&self) -> Self {
        // SAFETY: blst writes the whole result, and every pointer is that of a live element.
        unsafe { made(|out: *mut Self| blst_fp_mul_by_3(out.cast(), &self.0)) }
    }

    #[inline(always)]
    pub(crate) fn octuple(&self) -> Self {
        // SAFETY: blst writes the whole result, and every pointer is that of a live element.
        unsafe { made(|out: *mut Self| blst_fp_mul_by_8(out.cast(), &self.0)) }
    }

    #[inline(always)]
    pub(crate) fn mul(&self, other: &Self) -> Self {
        // SAFETY: blst writes the whole result, and every pointer is that of a live element.
        unsafe { made(|out: *mut Self| blst_fp_mul(out.cast(), &self.0, &other.0)) }
    }

    #[inline(always)]
    pub(crate) fn square(&self) -> Self {
        // SAFETY: blst writes the whole result, and every pointer is that of a live element.
        unsafe { made(|out: *mut Self| blst_fp_sqr(out.cast(), &self.0)) }
    }

    /// `1/self`; zero for zero.
    pub(crate) fn inverse(&self) -> Self {
        Self(blst_fp {
            l: invert(&self.0.l),
        })
    }
}

/// Inverts every element with one inversion and three multiplications each. Zero stays zero.
pub(crate) fn invert_all(elements: &mut [Fp], scratch: &mut Vec<Fp>) {
    scratch.clear();
    let mut product = Fp::ONE;
    for element in elements.iter() {
        scratch.push(product);
        if !element.is_zero() {
            product = product.mul(element);
        }
    }
    let mut inverse = product.inverse();
    for (element, before) in elements.iter_mut().zip(scratch.iter()).rev() {
        if !element.is_zero() {
            let next = inverse.mul(element);
            *element = inverse.mul(before);
            inverse = next;
        }
    }
}
