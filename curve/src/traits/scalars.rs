//! Integers modulo `r`.

use crate::{encoding::SCALAR_LEN, parameters::Z};
use core::fmt::Debug;
use zeroize::Zeroize;

/// A weight `a + b·z²` of 128 bits. A product with it takes half of the doublings of other numbers as long, because
/// `[z²]` costs one multiplication in `Fp`.
pub type Weight = [u64; 2];

/// Scalars.
///
/// Only functions that say so may be given secrets.
pub trait Scalars: Copy + Debug + Send + Sync + 'static {
    /// An integer modulo `r`.
    type Scalar: Clone + PartialEq + Zeroize + Send + Sync;

    /// Decodes 32 little-endian bytes, which may be secret; `None` when they are not below `r`. (ENC-5)
    fn scalar_from_bytes(bytes: &[u8; SCALAR_LEN]) -> Option<Self::Scalar>;
    /// Encodes to 32 little-endian bytes; the scalar may be secret.
    fn scalar_to_bytes(scalar: &Self::Scalar) -> [u8; SCALAR_LEN];
    /// Reduces 48 big-endian bytes, which may be secret, modulo `r`.
    fn scalar_from_wide(bytes: &[u8; 48]) -> Self::Scalar;
    /// A short public scalar.
    fn scalar_from_u128(value: u128) -> Self::Scalar {
        let mut wide = [0; 48];
        wide[32..].copy_from_slice(&value.to_be_bytes());
        Self::scalar_from_wide(&wide)
    }
    /// The scalar that a weight represents.
    fn scalar_from_weight([a, b]: Weight) -> Self::Scalar {
        const Z2: u128 = Z as u128 * Z as u128;
        let [a, b, z2] = [a.into(), b.into(), Z2].map(Self::scalar_from_u128);
        Self::scalar_add_mul(&a, &b, &z2)
    }
    /// `a + b·c`, for public scalars.
    fn scalar_add_mul(a: &Self::Scalar, b: &Self::Scalar, c: &Self::Scalar) -> Self::Scalar {
        let [zero, one] = [0, 1].map(Self::scalar_from_u128);
        Self::scalar_sub_mul(a, &Self::scalar_sub_mul(&zero, b, c), &one)
    }
    /// `a − b·c`, for secret scalars.
    fn scalar_sub_mul(a: &Self::Scalar, b: &Self::Scalar, c: &Self::Scalar) -> Self::Scalar;
}
