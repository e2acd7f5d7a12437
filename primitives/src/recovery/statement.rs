//! The statement of a recovery set, and the terms under which verifiers accept it.

use crate::{
    dleq::hash_message,
    error::RecoveryError,
    keyset::KeysetCommitment,
    numbers::{BlockNumber, SetId},
    suite::{MAX_VALIDATORS, RECOVERY_STATEMENT_PREFIX, RECOVERY_SUITE},
    H256,
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_curve::{Base, Native, Purpose};
use scale_info::TypeInfo;

/// The recovery set in force, and the wait, as the chain's state names them, 100 bytes. (RECOVER-4)
#[derive(
    Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, MaxEncodedLen, TypeInfo,
)]
pub struct RecoveryTerms {
    /// The recovery set.
    pub set: KeysetCommitment,
    /// For how many seconds a verifier waits for a newer proof before it crosses.
    pub delay: u64,
}

/// Which set signs after a reset, 180 bytes. (RECOVER-5)
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
pub struct RecoveryStatement {
    /// The recovery set that signs this.
    pub recovery_set: SetId,
    /// Number of the newest proven block.
    pub block_number: BlockNumber,
    /// Its hash.
    pub block_hash: H256,
    /// The set that the first reset after that block ended.
    pub ended: SetId,
    /// Number of the block of that reset.
    pub reset_number: BlockNumber,
    /// Its hash.
    pub reset_hash: H256,
    /// The set that signs from there on.
    pub set: KeysetCommitment,
}

impl RecoveryStatement {
    /// The bytes that recovery keys of the chain with this genesis sign:
    /// `"duet-recovery-v1/statement" ‖ genesis_hash ‖ SCALE`. (RECOVER-5)
    pub fn signed_bytes(&self, genesis_hash: H256) -> Vec<u8> {
        [
            RECOVERY_STATEMENT_PREFIX,
            genesis_hash.as_bytes(),
            &self.encode(),
        ]
        .concat()
    }

    /// Whether the statement is about this block. (RECOVER-7)
    pub fn is_about(&self, number: BlockNumber, hash: H256) -> bool {
        (self.block_number, self.block_hash) == (number, hash)
    }

    /// Checks that the statement is well-formed. (RECOVER-5)
    pub(super) fn check_form(&self) -> Result<(), RecoveryError> {
        let (block, reset) = (self.block_number, self.reset_number);
        if reset <= block {
            return Err(RecoveryError::ResetOrder { block, reset });
        }
        let (ended, got) = (self.ended, self.set.id);
        if got <= ended {
            return Err(RecoveryError::SetOrder { ended, got });
        }
        let len = self.set.len;
        if !(1..=MAX_VALIDATORS).contains(&len) {
            return Err(RecoveryError::SetLength { len });
        }
        let total = self.set.apk1.check();
        total.map(|_| ()).map_err(RecoveryError::SetTotal)
    }

    /// Checks that this recovery set is the one that signs the statement (RECOVER-6), and its form (RECOVER-5).
    /// Cost: a decompression with its subgroup check.
    ///
    /// # Errors
    /// [`RecoveryError`] when another set signs it, the reset is not after the block, the new set not after the ended
    /// one, or the new set is no set.
    pub fn check_for(&self, set: &KeysetCommitment) -> Result<(), RecoveryError> {
        let (expected, got) = (set.id, self.recovery_set);
        if expected != got {
            return Err(RecoveryError::WrongSet { expected, got });
        }
        self.check_form()
    }
}

/// A statement of one chain, hashed to the curve.
#[derive(Clone, Debug)]
pub struct RecoveryMessage {
    statement: RecoveryStatement,
    hm: Base<Native>,
}

impl RecoveryMessage {
    /// Hashes the statement's signed bytes to G1 with the suite of recovery. Cost: one hash to the curve.
    pub fn new(genesis_hash: H256, statement: RecoveryStatement) -> Self {
        let bytes = statement.signed_bytes(genesis_hash);
        Self {
            statement,
            hm: hash_message(RECOVERY_SUITE, &bytes, Purpose::Once),
        }
    }

    /// The statement.
    pub fn statement(&self) -> &RecoveryStatement {
        &self.statement
    }

    /// `H(m)`.
    pub(super) fn hm(&self) -> &Base<Native> {
        &self.hm
    }
}
