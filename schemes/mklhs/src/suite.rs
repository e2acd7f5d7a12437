//! Every tag, size and bound of the scheme.

/// The name of the ciphersuite; the tags below start with it.
pub const SUITE: &str = "MKLHS-V01-CS01-with-BLS12381G1_XMD:SHA-256_SSWU_RO_";

/// Domain of the message base `U`.
pub const DST_BASE: &[u8] = b"MKLHS-V01-CS01-with-BLS12381G1_XMD:SHA-256_SSWU_RO_BASE_";
/// Domain of labels.
pub const DST_LABEL: &[u8] = b"MKLHS-V01-CS01-with-BLS12381G1_XMD:SHA-256_SSWU_RO_LABEL_";
/// Domain of proofs of possession.
pub const DST_POP: &[u8] = b"MKLHS-V01-CS01-with-BLS12381G1_XMD:SHA-256_SSWU_RO_POP_";
/// What is hashed to the message base.
pub const BASE_MESSAGE: &[u8] = b"message base";

/// Tells our keys from every other use of the same key material.
pub const KEY_INFO: &[u8] = b"MKLHS-V01";
/// Starts what a signer's identity is the hash of.
pub const ID_TAG: &[u8] = b"MKLHS-V01-ID";
/// Starts what the digest of a program is the hash of.
pub const PROGRAM_TAG: &[u8] = b"MKLHS-V01-PROG";
/// Starts what the label register knows a label by.
pub const REGISTER_LABEL_TAG: &[u8] = b"MKLHS-V01-REG-LABEL";
/// Starts the label register's file.
pub const REGISTER_TAG: &[u8; 16] = b"MKLHS-V01-REGIST";
/// Starts the file that says how far the label register has come.
pub const ANCHOR_TAG: &[u8; 16] = b"MKLHS-V01-ANCHOR";

/// Bytes of a scalar, secret or not.
pub const SCALAR_LEN: usize = 32;
/// Bytes of a point of G1.
pub const G1_LEN: usize = 48;
/// Bytes of a point of G2.
pub const G2_LEN: usize = 96;
/// Bytes of a signer's identity.
pub const ID_LEN: usize = 32;
/// Bytes of one signature.
pub const SIGNATURE_LEN: usize = G1_LEN + SCALAR_LEN;
/// The least bytes of key material.
pub const MIN_KEY_MATERIAL_LEN: usize = 32;

/// The most inputs of a program.
pub const MAX_INPUTS: usize = 1 << 16;
/// The most bytes of a field of a label.
pub const MAX_LABEL_FIELD_LEN: usize = u16::MAX as usize;
/// Coefficients and messages have at most this many bits, besides the sign.
pub const INTEGER_BITS: usize = 64;
