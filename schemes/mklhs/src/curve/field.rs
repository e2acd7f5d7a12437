//! The base field, with blst's arithmetic. Not constant-time: use it for public values only.

use blst::{
    blst_fp, blst_fp_add, blst_fp_cneg, blst_fp_eucl_inverse, blst_fp_from_be_bytes,
    blst_fp_from_uint64, blst_fp_mul, blst_fp_sqr, blst_fp_sqrt, blst_fp_sub, blst_uint64_from_fp,
};
use std::{
    ops::{Add, Mul, Neg, Sub},
    sync::LazyLock,
};

/// An element of the base field.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct Fp(pub(super) blst_fp);

pub(super) static ONE: LazyLock<Fp> = LazyLock::new(|| Fp::of_limbs([1, 0, 0, 0, 0, 0]));

impl Fp {
    #[inline]
    pub(super) fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn of_limbs(limbs: [u64; 6]) -> Self {
        let mut out = Self::default();
        // SAFETY: blst reads six limbs, which is the length of `limbs`, and writes to a live `blst_fp`.
        unsafe { blst_fp_from_uint64(&mut out.0, limbs.as_ptr()) };
        out
    }

    /// From 96 hexadecimal digits.
    pub(super) fn of_hex(text: &str) -> Self {
        let mut limbs = [0; 6];
        for (at, limb) in limbs.iter_mut().rev().enumerate() {
            let digits = text.get(16 * at..16 * (at + 1)).unwrap_or_default();
            *limb = u64::from_str_radix(digits, 16).expect("our own constants have 96 digits; qed");
        }
        Self::of_limbs(limbs)
    }

    /// Reduces big-endian bytes modulo the field's prime.
    pub(super) fn reduced(bytes: &[u8]) -> Self {
        let mut out = Self::default();
        // SAFETY: blst reads exactly `bytes.len()` bytes from `bytes` and writes to a live `blst_fp`.
        unsafe { blst_fp_from_be_bytes(&mut out.0, bytes.as_ptr(), bytes.len()) };
        out
    }

    #[inline]
    pub(super) fn square(self) -> Self {
        let mut out = Self::default();
        // SAFETY: both pointers come from references to initialised `blst_fp` values.
        unsafe { blst_fp_sqr(&mut out.0, &self.0) };
        out
    }

    /// The square root and `true` if this is a square; otherwise a square root of its negative and `false`.
    pub(super) fn root(self) -> (Self, bool) {
        let mut out = Self::default();
        // SAFETY: both pointers come from references to initialised `blst_fp` values.
        let is_square = unsafe { blst_fp_sqrt(&mut out.0, &self.0) };
        (out, is_square)
    }

    pub(super) fn inverse(self) -> Self {
        let mut out = Self::default();
        // SAFETY: both pointers come from references to initialised `blst_fp` values.
        unsafe { blst_fp_eucl_inverse(&mut out.0, &self.0) };
        out
    }

    pub(super) fn is_odd(self) -> bool {
        let mut limbs = [0; 6];
        // SAFETY: blst writes six limbs, which is the length of `limbs`, and reads a live `blst_fp`.
        unsafe { blst_uint64_from_fp(limbs.as_mut_ptr(), &self.0) };
        limbs[0] & 1 == 1
    }
}

impl Mul for Fp {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let mut out = Self::default();
        // SAFETY: all pointers come from references to initialised `blst_fp` values.
        unsafe { blst_fp_mul(&mut out.0, &self.0, &other.0) };
        out
    }
}

impl Add for Fp {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        let mut out = Self::default();
        // SAFETY: all pointers come from references to initialised `blst_fp` values.
        unsafe { blst_fp_add(&mut out.0, &self.0, &other.0) };
        out
    }
}

impl Sub for Fp {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        let mut out = Self::default();
        // SAFETY: all pointers come from references to initialised `blst_fp` values.
        unsafe { blst_fp_sub(&mut out.0, &self.0, &other.0) };
        out
    }
}

impl Neg for Fp {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        let mut out = Self::default();
        // SAFETY: both pointers come from references to initialised `blst_fp` values.
        unsafe { blst_fp_cneg(&mut out.0, &self.0, true) };
        out
    }
}

/// Simultaneous inversion, in place. Zeros stay zero.
pub(super) fn invert_all(numbers: &mut [Fp]) {
    let mut product = *ONE;
    let mut before = Vec::with_capacity(numbers.len());
    for number in numbers.iter().filter(|number| !number.is_zero()) {
        before.push(product);
        product = product * *number;
    }
    let mut inverse = product.inverse();
    let rest = numbers.iter_mut().rev().filter(|number| !number.is_zero());
    for (number, before) in rest.zip(before.into_iter().rev()) {
        let next = inverse * *number;
        *number = inverse * before;
        inverse = next;
    }
}
