//! Every domain tag, name, storage key and size of the protocol. None is spelled anywhere else.

/// Engine id of header digests and of justifications in blocks.
pub const ENGINE_ID: [u8; 4] = *b"DUET";
/// Key type id of Duet keys, as in `KeyTypeId`.
pub const KEY_TYPE: [u8; 4] = *b"duet";

pub use duet_curve::{G1_LEN, G2_LEN, SCALAR_LEN};

/// Name of the pallet in `construct_runtime!`: part of what light clients prove.
pub const PALLET_NAME: &str = "Duet";
/// Name of the storage item of the pallet that holds the signing and the next set.
pub const KEYSETS_ITEM: &str = "Keysets";
/// The storage key under which the chain publishes its keysets: `twox_128("Duet") ‖ twox_128("Keysets")`. (LIGHT-2)
pub const KEYSETS_STORAGE_KEY: [u8; 32] = [
    0xae, 0x5a, 0x54, 0x3b, 0x37, 0x56, 0x4c, 0xa2, 0x42, 0xe7, 0x1a, 0xf4, 0x20, 0x0f, 0x32, 0xa1,
    0x9d, 0xcb, 0x75, 0xa6, 0x22, 0x0d, 0x97, 0x4d, 0xec, 0x96, 0x6d, 0x15, 0x00, 0xef, 0xf3, 0x50,
];
/// Name of the storage item of the pallet that says whether governance ended the signing set.
pub const ENDED_ITEM: &str = "Ended";
/// The storage key under which a node finds that: `twox_128("Duet") ‖ twox_128("Ended")`. (ACTIVE-3)
pub const ENDED_STORAGE_KEY: [u8; 32] = [
    0xae, 0x5a, 0x54, 0x3b, 0x37, 0x56, 0x4c, 0xa2, 0x42, 0xe7, 0x1a, 0xf4, 0x20, 0x0f, 0x32, 0xa1,
    0x88, 0xbc, 0x74, 0xeb, 0xbb, 0xfe, 0x46, 0x82, 0x37, 0xfc, 0xb5, 0xea, 0xf2, 0x6a, 0xf2, 0x1c,
];
/// Name of the storage item of the pallet with the seconds for which light clients trust a block's sets.
pub const TRUSTING_PERIOD_ITEM: &str = "TrustingPeriod";
/// The storage key under which light clients find that: `twox_128("Duet") ‖ twox_128("TrustingPeriod")`. (LIGHT-9)
pub const TRUSTING_PERIOD_STORAGE_KEY: [u8; 32] = [
    0xae, 0x5a, 0x54, 0x3b, 0x37, 0x56, 0x4c, 0xa2, 0x42, 0xe7, 0x1a, 0xf4, 0x20, 0x0f, 0x32, 0xa1,
    0x4a, 0xdf, 0x4f, 0xdc, 0x39, 0x89, 0xe5, 0x4f, 0xec, 0xe7, 0x69, 0x5f, 0x45, 0x3e, 0x94, 0x54,
];

/// Name of the recovery pallet in `construct_runtime!`. (RECOVER-4)
pub const RECOVERY_PALLET_NAME: &str = "DuetRecovery";
/// Name of the storage item of the recovery pallet with the terms of a recovery.
pub const RECOVERY_TERMS_ITEM: &str = "Terms";
/// The storage key under which light clients find them: `twox_128("DuetRecovery") ‖ twox_128("Terms")`. (RECOVER-4)
pub const RECOVERY_TERMS_STORAGE_KEY: [u8; 32] = [
    0xf9, 0x8d, 0x87, 0xfe, 0xdb, 0x93, 0x0c, 0x08, 0x5f, 0xe9, 0x06, 0x2d, 0x89, 0x5d, 0xb0, 0x51,
    0x7e, 0x2a, 0xd3, 0x6e, 0xde, 0x81, 0xc5, 0xf8, 0x27, 0xff, 0x99, 0xe7, 0x7a, 0x07, 0x69, 0x6d,
];

/// Bytes of a dual key, `pk1 ‖ pk2`.
pub const DUAL_KEY_LEN: usize = G1_LEN + G2_LEN;
/// Bytes of a vote signature, `σ ‖ c ‖ s`.
pub const VOTE_SIGNATURE_LEN: usize = G1_LEN + 2 * SCALAR_LEN;
/// Bytes of a proof of possession: a signature over the owner, then one over `pk2`.
pub const POSSESSION_PROOF_LEN: usize = 2 * VOTE_SIGNATURE_LEN;
/// The largest number of validators in a set. Decoders refuse longer bitfields and lists before any arithmetic. (SET-1)
pub const MAX_VALIDATORS: u32 = 100_000;
/// The most validators that one accusation names; several name all signers of a proof. (FALSE-3)
pub const MAX_ACCUSED: u32 = 256;

/// Domain separation tag of the hash to G1: the one byte `0x01`, as `bls381` has it. (MSG-1)
pub const HASH_TO_CURVE_DST: &[u8] = &[1];
/// Ciphersuite: prefix of every signed message when it is hashed to the curve. (MSG-1)
pub const SIGNATURE_SUITE: &[u8] = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
/// Ciphersuite of the possession part of a proof: prefix of `pk2` when it is hashed to the curve. (POP-2)
pub const POSSESSION_SUITE: &[u8] = b"BLS_POP_BLS12381G1_XMD:SHA-256_SSWU_RO_POP_";
/// Prefix of the owner in the message of the ownership part of a proof. (POP-1)
pub const OWNERSHIP_TAG: &[u8] = b"POP_";
/// The first field of the owner, so that a proof for Duet is valid for nothing else. (POP-1)
pub const OWNER_CONTEXT: [u8; 4] = *b"duet";

/// Ciphersuite of everything that a recovery key signs, save the possession part of its proof. (RECOVER-1)
pub const RECOVERY_SUITE: &[u8] = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_DUET_RECOVERY_";
/// Ciphersuite of the possession part of the proof of a recovery key. (RECOVER-1)
pub const RECOVERY_POSSESSION_SUITE: &[u8] =
    b"BLS_POP_BLS12381G1_XMD:SHA-256_SSWU_RO_DUET_RECOVERY_POP_";
/// The first field of the owner of a recovery key. (RECOVER-1)
pub const RECOVERY_OWNER_CONTEXT: [u8; 4] = *b"drcv";
/// Prefix of a drill, before the genesis hash. (RECOVER-2)
pub const RECOVERY_DRILL_PREFIX: &[u8] = b"duet-recovery-v1/drill";
/// Prefix of a recovery statement, before the genesis hash. (RECOVER-5)
pub const RECOVERY_STATEMENT_PREFIX: &[u8] = b"duet-recovery-v1/statement";

/// Prefix of every message that validators sign, before the genesis hash. (MSG-2)
pub const MESSAGE_PREFIX: &[u8] = b"duet-v1";
/// Tag of the hash that gives the coefficient of a justification. (JUST-5)
pub const AGGREGATE_TAG: &[u8] = b"duet-v1/justification/t";
/// Tag of the hash of a proof of possession from which its weight in a batch is derived. (POP-4)
pub const POSSESSION_TAG: &[u8] = b"duet-v1/possession/r";
/// Prefix of the hash that gives the weights of equations that are checked together. (JUST-6, POP-4)
pub const BATCH_TAG: &[u8] = b"duet-v1/justifications/r";
/// First byte of the hash input of a leaf of the keyset tree. (SET-2)
pub const MERKLE_LEAF_TAG: u8 = 0x00;
/// First byte of the hash input of an inner node of the keyset tree. (SET-2)
pub const MERKLE_NODE_TAG: u8 = 0x01;
/// Prefix of the hash that gives the order in which validators publish a proof. (ROUND-6)
pub const SCHEDULE_TAG: &[u8] = b"duet-schedule-v1";
