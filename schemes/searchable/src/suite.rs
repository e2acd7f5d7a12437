//! All tags and sizes of the suite.

/// Salt for the derivation of the receiver's secrets from the seed.
pub(crate) const KDF_SALT: &[u8] = b"MRSHE-V01-KDF";
/// Tag of the hash of a keyword to a scalar.
pub(crate) const KEYWORD_TAG: &[u8] = b"MRSHE-V01-KW";
/// Tag of the fingerprint of a public key.
pub(crate) const FINGERPRINT_TAG: &[u8] = b"MRSHE-V01-PK";
/// Tag of Γ, the hash of the first four components of a ciphertext to a scalar.
pub(crate) const GAMMA_TAG: &[u8] = b"MRSHE-V01-GAMMA";
/// Tag of F, the hash that makes the tag τ of a ciphertext.
pub(crate) const TAU_TAG: &[u8] = b"MRSHE-V01-TAU";
/// Tag of the digest that identifies ciphertexts.
pub(crate) const DIGEST_TAG: &[u8] = b"MRSHE-V01-CT";
/// Tag of the digest that identifies homomorphic keys.
pub(crate) const HOM_KEY_TAG: &[u8] = b"MRSHE-V01-HK";

/// Bytes of the receiver's secret.
pub const SEED_LEN: usize = 32;
/// Bytes of a scalar, big-endian.
pub const SCALAR_LEN: usize = 32;
/// Bytes of a compressed point of G1.
pub const G1_LEN: usize = 48;
/// Bytes of a compressed point of G2.
pub const G2_LEN: usize = 96;
/// Bytes of an element of the target group, plain.
pub const GT_LEN: usize = 576;
/// Bytes of an element of the target group, compressed to the torus.
pub const TORUS_LEN: usize = 288;
/// Bytes of the tag τ.
pub const TAU_LEN: usize = 64;

/// Bytes of a public key: a point of G1 and four of G2.
pub const PUBLIC_KEY_LEN: usize = G1_LEN + 4 * G2_LEN;
/// Bytes of one part of a key: a scalar and a point of G2.
pub(crate) const KEY_PART_LEN: usize = SCALAR_LEN + G2_LEN;
/// Bytes of a homomorphic key (trapdoor): a point of G1 and two parts.
pub const HOMOMORPHIC_KEY_LEN: usize = G1_LEN + 2 * KEY_PART_LEN;
/// Bytes of a decryption key for one keyword: four parts.
pub const DECRYPTION_KEY_LEN: usize = 4 * KEY_PART_LEN;
/// Bytes of a plain ciphertext, without the version byte of the wire.
pub const PLAIN_LEN: usize = G1_LEN + 3 * GT_LEN + TAU_LEN;
/// Bytes of a ciphertext compressed to the torus, without the version byte of the wire.
pub const COMPRESSED_LEN: usize = G1_LEN + 3 * TORUS_LEN + TAU_LEN;

/// The version byte before a plain ciphertext.
pub const PLAIN_VERSION: u8 = 1;
/// The version byte before a compressed ciphertext.
pub const COMPRESSED_VERSION: u8 = 2;
/// The version byte before a ciphertext of the Catalano-Fiore transformation.
pub const FACTOR_VERSION: u8 = 3;
/// The version byte before the encrypted inner product of two encrypted vectors.
pub const PRODUCT_VERSION: u8 = 4;
