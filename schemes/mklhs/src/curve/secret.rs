//! The secret scalar and the two multiplications by it, both with blst's constant-time ladder.

use super::{one_to_affine, G1Projective, G1, G2};
use crate::suite::SCALAR_LEN;
use blst::{
    blst_keygen, blst_p2, blst_p2_to_affine, blst_scalar, blst_scalar_from_bendian,
    blst_sign_pk_in_g2, blst_sk_check, blst_sk_to_pk_in_g2,
};
use zeroize::Zeroizing;

/// A secret scalar from 1 to `q − 1`, wiped on drop.
pub(crate) struct Secret(blst_scalar);

impl Secret {
    /// KeyGen of the BLS draft, which retries until the scalar is not zero. `None` if `material` is shorter than 32
    /// bytes.
    pub(crate) fn derive(material: &[u8], info: &[u8]) -> Option<Self> {
        let mut scalar = blst_scalar::default();
        // SAFETY: each slice is passed with its own length, and `scalar` is a live, initialised value.
        unsafe {
            blst_keygen(
                &mut scalar,
                material.as_ptr(),
                material.len(),
                info.as_ptr(),
                info.len(),
            );
            blst_sk_check(&scalar)
        }
        .then_some(Self(scalar))
    }

    /// Decodes big-endian bytes; `None` for zero and for values not below `q`.
    pub(crate) fn from_bytes(bytes: &[u8; SCALAR_LEN]) -> Option<Self> {
        let mut scalar = blst_scalar::default();
        // SAFETY: blst reads 32 bytes, the length of the array, and `scalar` is a live, initialised value.
        unsafe {
            blst_scalar_from_bendian(&mut scalar, bytes.as_ptr());
            blst_sk_check(&scalar)
        }
        .then_some(Self(scalar))
    }

    /// The big-endian encoding.
    pub(crate) fn expose(&self) -> Zeroizing<[u8; SCALAR_LEN]> {
        let mut bytes = Zeroizing::new([0; SCALAR_LEN]);
        for (byte, from) in bytes.iter_mut().zip(self.0.b.iter().rev()) {
            *byte = *from;
        }
        bytes
    }
}

/// `secret · P2`, in constant time.
pub(crate) fn public_of(secret: &Secret) -> G2 {
    let mut sum = blst_p2::default();
    let mut point = G2::default();
    // SAFETY: all pointers come from references to initialised values.
    unsafe {
        blst_sk_to_pk_in_g2(&mut sum, &secret.0);
        blst_p2_to_affine(&mut point, &sum);
    }
    point
}

/// `secret · point`, in constant time.
pub(crate) fn sign(secret: &Secret, point: &G1Projective) -> G1 {
    let mut sum = G1Projective::default();
    // SAFETY: all pointers come from references to initialised values.
    unsafe { blst_sign_pk_in_g2(&mut sum, point, &secret.0) };
    one_to_affine(&sum)
}
