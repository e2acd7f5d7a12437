//! Every domain tag, name and size of the protocol; no tag is spelled anywhere else.

/// Engine id of header digests and of justifications in blocks.
pub const ENGINE_ID: [u8; 4] = *b"DUET";
/// Key type id of Duet keys, as in `KeyTypeId`.
pub const KEY_TYPE: [u8; 4] = *b"duet";

pub use duet_curve::{G1_LEN, G2_LEN, SCALAR_LEN};

/// Bytes of a dual key, `pk1 ‖ pk2`.
pub const DUAL_KEY_LEN: usize = G1_LEN + G2_LEN;
/// Bytes of a vote signature, `σ ‖ c ‖ s`.
pub const VOTE_SIGNATURE_LEN: usize = G1_LEN + 2 * SCALAR_LEN;
/// Bytes of a proof of possession: a signature over the owner, then one over `pk2`.
pub const POSSESSION_PROOF_LEN: usize = 2 * VOTE_SIGNATURE_LEN;
/// The most validators a set may have; decoders refuse longer bitfields and lists before any arithmetic.
pub const MAX_VALIDATORS: u32 = 100_000;

/// Domain separation tag of the hash to G1: the one byte `0x01`, as `bls381` has it. (MSG-1)
pub const HASH_TO_CURVE_DST: &[u8] = &[1];
/// Ciphersuite that stands before every signed message, inside what is hashed to the curve. (MSG-1)
pub const SIGNATURE_SUITE: &[u8] = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
/// Ciphersuite that stands before `pk2` in the possession part of a proof. (POP-2)
pub const POSSESSION_SUITE: &[u8] = b"BLS_POP_BLS12381G1_XMD:SHA-256_SSWU_RO_POP_";
/// What stands before the owner in the ownership part of a proof. (POP-1)
pub const OWNERSHIP_TAG: &[u8] = b"POP_";
/// The first field of the owner, so that a key proven for Duet is proven for nothing else. (POP-1)
pub const OWNER_CONTEXT: [u8; 4] = *b"duet";

/// What stands before the genesis hash in every message that validators sign. (MSG-2)
pub const MESSAGE_PREFIX: &[u8] = b"duet-v1";
/// Tag of the Fiat-Shamir coefficient of a justification. (JUST-5)
pub const AGGREGATE_TAG: &[u8] = b"duet-v1/justification/t";
/// Tag of what the weight of a proof of possession hashes, where many are checked together. (POP-4)
pub const POSSESSION_TAG: &[u8] = b"duet-v1/possession/r";
/// Stands before what is hashed to the weights of equations that are checked together. (JUST-6, POP-4)
pub const BATCH_TAG: &[u8] = b"duet-v1/justifications/r";
/// First byte of what a leaf of the keyset tree hashes. (SET-2)
pub const MERKLE_LEAF_TAG: u8 = 0x00;
/// First byte of what an inner node of the keyset tree hashes. (SET-2)
pub const MERKLE_NODE_TAG: u8 = 0x01;
