//! The field of the coordinates, in blst's arithmetic. Nothing here takes care to hide a number.

use blst::{
    blst_fp, blst_fp_add, blst_fp_cneg, blst_fp_eucl_inverse, blst_fp_from_be_bytes,
    blst_fp_from_uint64, blst_fp_mul, blst_fp_sqr, blst_fp_sqrt, blst_fp_sub, blst_uint64_from_fp,
};
use std::{
    ops::{Add, Mul, Neg, Sub},
    sync::LazyLock,
};

/// A number of the field.
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

    /// From big-endian bytes of any number, which need not be below the modulus.
    pub(super) fn reduced(bytes: &[u8]) -> Self {
        let mut out = Self::default();
        unsafe { blst_fp_from_be_bytes(&mut out.0, bytes.as_ptr(), bytes.len()) };
        out
    }

    #[inline]
    pub(super) fn square(self) -> Self {
        let mut out = Self::default();
        unsafe { blst_fp_sqr(&mut out.0, &self.0) };
        out
    }

    /// The root, and whether it is one of this number; if not, it is one of its negative.
    pub(super) fn root(self) -> (Self, bool) {
        let mut out = Self::default();
        let is_square = unsafe { blst_fp_sqrt(&mut out.0, &self.0) };
        (out, is_square)
    }

    pub(super) fn inverse(self) -> Self {
        let mut out = Self::default();
        unsafe { blst_fp_eucl_inverse(&mut out.0, &self.0) };
        out
    }

    pub(super) fn is_odd(self) -> bool {
        let mut limbs = [0; 6];
        unsafe { blst_uint64_from_fp(limbs.as_mut_ptr(), &self.0) };
        limbs[0] & 1 == 1
    }
}

impl Mul for Fp {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let mut out = Self::default();
        unsafe { blst_fp_mul(&mut out.0, &self.0, &other.0) };
        out
    }
}

impl Add for Fp {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        let mut out = Self::default();
        unsafe { blst_fp_add(&mut out.0, &self.0, &other.0) };
        out
    }
}

impl Sub for Fp {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        let mut out = Self::default();
        unsafe { blst_fp_sub(&mut out.0, &self.0, &other.0) };
        out
    }
}

impl Neg for Fp {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        let mut out = Self::default();
        unsafe { blst_fp_cneg(&mut out.0, &self.0, true) };
        out
    }
}

/// Inverts in place; zeros stay.
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
