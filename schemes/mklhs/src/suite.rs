//! Every tag, size and bound of the scheme.

/// The name of the ciphersuite; the tags below start with it.
pub const SUITE: &str = "MKLHS-V01-CS01-with-BLS12381G1_XMD:SHA-256_SSWU_RO_";

/// Domain separation tag of the message base `U`.
pub const DST_BASE: &[u8] = b"MKLHS-V01-CS01-with-BLS12381G1_XMD:SHA-256_SSWU_RO_BASE_";
/// Domain separation tag of labels.
pub const DST_LABEL: &[u8] = b"MKLHS-V01-CS01-with-BLS12381G1_XMD:SHA-256_SSWU_RO_LABEL_";
/// Domain separation tag of proofs of possession.
pub const DST_POP: &[u8] = b"MKLHS-V01-CS01-with-BLS12381G1_XMD:SHA-256_SSWU_RO_POP_";
/// The message that is hashed to the message base.
pub const BASE_MESSAGE: &[u8] = b"message base";

/// Info string of the key derivation, which separates it from other uses of the same key material.
pub const KEY_INFO: &[u8] = b"MKLHS-V01";
/// Prefix of the hash for a signer's identity.
pub const ID_TAG: &[u8] = b"MKLHS-V01-ID";
/// Prefix of the hash for the digest of a program.
pub const PROGRAM_TAG: &[u8] = b"MKLHS-V01-PROG";
/// Prefix of the hash for a label in the label register.
pub const REGISTER_LABEL_TAG: &[u8] = b"MKLHS-V01-REG-LABEL";
/// Prefix of the label register's journal.
pub const REGISTER_TAG: &[u8; 16] = b"MKLHS-V01-REGIST";
/// Prefix of the label register's anchor.
pub const ANCHOR_TAG: &[u8; 16] = b"MKLHS-V01-ANCHOR";

/// Bytes of a scalar.
pub const SCALAR_LEN: usize = 32;
/// Bytes of a point of G1.
pub const G1_LEN: usize = 48;
/// Bytes of a point of G2.
pub const G2_LEN: usize = 96;
/// Bytes of a signer's identity.
pub const ID_LEN: usize = 32;
/// Bytes of one signature.
pub const SIGNATURE_LEN: usize = G1_LEN + SCALAR_LEN;
/// The minimum length of key material, in bytes.
pub const MIN_KEY_MATERIAL_LEN: usize = 32;

/// The maximum number of inputs of a program.
pub const MAX_INPUTS: usize = 1 << 16;
/// The maximum length of a field of a label, in bytes.
pub const MAX_LABEL_FIELD_LEN: usize = u16::MAX as usize;
/// The maximum length of coefficients and messages in bits, without the sign.
pub const INTEGER_BITS: usize = 64;
