//! Residues modulo the order of the groups.

use blst::{
    blst_fr, blst_fr_add, blst_fr_eucl_inverse, blst_fr_from_scalar, blst_fr_mul, blst_fr_sub,
    blst_keygen, blst_scalar, blst_scalar_from_be_bytes, blst_scalar_from_fr,
};
use rand_core::RngCore;
use std::ops::{Add, Mul, Sub};

/// A residue modulo `q`, the order of the groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Residue(blst_fr);

impl Residue {
    /// The number with these bytes, most significant first, reduced.
    pub fn from_be_bytes(bytes: &[u8]) -> Self {
        let mut scalar = blst_scalar::default();
        // SAFETY: the length is that of the slice. The result, whether the residue is not zero, is not needed.
        unsafe { blst_scalar_from_be_bytes(&mut scalar, bytes.as_ptr(), bytes.len()) };
        Self::from_scalar(&scalar)
    }

    /// A small number.
    pub fn from_u32(number: u32) -> Self {
        Self::from_be_bytes(&number.to_be_bytes())
    }

    /// A random residue.
    pub fn random(rng: &mut impl RngCore) -> Self {
        let mut bytes = [0; 48];
        rng.fill_bytes(&mut bytes);
        Self::from_be_bytes(&bytes)
    }

    /// A pseudorandom residue, not zero: the key derivation of BLS signatures (HKDF-SHA-256).
    pub fn derive(secret: &[u8; 32], info: &[u8]) -> Self {
        let mut scalar = blst_scalar::default();
        // SAFETY: both slices are passed with their own lengths.
        unsafe {
            blst_keygen(
                &mut scalar,
                secret.as_ptr(),
                secret.len(),
                info.as_ptr(),
                info.len(),
            );
        }
        Self::from_scalar(&scalar)
    }

    /// The inverse; zero for zero.
    pub fn inverse(&self) -> Self {
        let mut out = blst_fr::default();
        // SAFETY: both pointers come from references to initialised values.
        unsafe { blst_fr_eucl_inverse(&mut out, &self.0) };
        Self(out)
    }

    /// The same number in blst's other form.
    pub fn to_scalar(self) -> blst_scalar {
        let mut out = blst_scalar::default();
        // SAFETY: both pointers come from references to initialised values.
        unsafe { blst_scalar_from_fr(&mut out, &self.0) };
        out
    }

    /// 32 bytes, most significant first.
    pub fn to_be_bytes(self) -> [u8; 32] {
        let mut bytes = self.to_scalar().b;
        bytes.reverse();
        bytes
    }

    fn from_scalar(scalar: &blst_scalar) -> Self {
        let mut out = blst_fr::default();
        // SAFETY: both pointers come from references to initialised values, and blst reduced the scalar.
        unsafe { blst_fr_from_scalar(&mut out, scalar) };
        Self(out)
    }
}

macro_rules! operator {
    ($name:ident, $method:ident, $call:ident) => {
        impl $name for Residue {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                let mut out = blst_fr::default();
                // SAFETY: all pointers come from references to initialised values; `out` is distinct from both inputs.
                unsafe { $call(&mut out, &self.0, &other.0) };
                Self(out)
            }
        }
    };
}

operator!(Add, add, blst_fr_add);
operator!(Sub, sub, blst_fr_sub);
operator!(Mul, mul, blst_fr_mul);
