//! Hashing to the curve.

use super::groups::Groups;

/// Hashing to G1.
pub trait Hashing: Groups {
    /// Hashes to G1 as RFC 9380 has it, `XMD:SHA-256_SSWU_RO`.
    fn hash_to_g1(dst: &[u8], message: &[u8]) -> Self::G1;
}
