//! What a vote is about, and its exact signed bytes.

use crate::{
    dleq::hash_message,
    keyset::KeysetCommitment,
    numbers::{BlockNumber, SetId},
    suite::{G1_LEN, MESSAGE_PREFIX, SIGNATURE_SUITE},
    H256,
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_curve::{Base, Native, Purpose};
use scale_info::TypeInfo;

/// What a vote says of a block: the block, its history, and who signs next. (MSG-2)
#[derive(
    Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, MaxEncodedLen, TypeInfo,
)]
pub struct Commitment {
    /// Number of the block.
    pub block_number: BlockNumber,
    /// Hash of the block.
    pub block_hash: H256,
    /// Root of the Merkle mountain range that ends at the block's parent.
    pub mmr_root: H256,
    /// The set that signs.
    pub validator_set_id: SetId,
    /// The set that takes over at the next session boundary; the signing set itself when the keys stay.
    pub next: KeysetCommitment,
}

/// The part of a commitment that the runtime knows; the client adds the block's number and hash.
#[derive(
    Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, MaxEncodedLen, TypeInfo,
)]
pub struct CommitmentPayload {
    /// Root of the Merkle mountain range that ends at the block's parent.
    pub mmr_root: H256,
    /// The set that signs.
    pub validator_set_id: SetId,
    /// The set that takes over at the next session boundary.
    pub next: KeysetCommitment,
}

impl CommitmentPayload {
    /// The commitment for the block that the payload was read at.
    pub fn commit(self, block_number: BlockNumber, block_hash: H256) -> Commitment {
        let Self {
            mmr_root,
            validator_set_id,
            next,
        } = self;
        Commitment {
            block_number,
            block_hash,
            mmr_root,
            validator_set_id,
            next,
        }
    }
}

impl Commitment {
    /// Whether this commitment names a set that does not sign yet, so that the signing set must justify it
    /// before it votes on anything later. (ROUND-2)
    pub fn is_handoff(&self) -> bool {
        self.next.id != self.validator_set_id
    }

    /// The bytes that validators of the chain with this genesis sign: `"duet-v1" ‖ genesis_hash ‖ SCALE`. (MSG-2)
    pub fn signed_bytes(&self, genesis_hash: H256) -> Vec<u8> {
        [MESSAGE_PREFIX, genesis_hash.as_bytes(), &self.encode()].concat()
    }
}

/// A commitment, hashed to the curve once for all the votes on it.
#[derive(Clone, Debug)]
pub struct RoundMessage {
    genesis_hash: H256,
    commitment: Commitment,
    pub(crate) hm: Base<Native>,
}

impl RoundMessage {
    /// Hashes the commitment's signed bytes to G1. Cost: one hash to the curve.
    pub fn new(genesis_hash: H256, commitment: Commitment) -> Self {
        // How many will vote is not known here; the set that follows is about as large.
        let votes = commitment.next.len;
        let hm = hash_message(
            SIGNATURE_SUITE,
            &commitment.signed_bytes(genesis_hash),
            Purpose::Message { votes },
        );
        Self {
            genesis_hash,
            commitment,
            hm,
        }
    }

    /// The chain that it is signed on.
    pub fn genesis_hash(&self) -> H256 {
        self.genesis_hash
    }

    /// `H(m)`, encoded: it stands for the chain and for every byte of the commitment.
    pub fn hash(&self) -> [u8; G1_LEN] {
        *self.hm.bytes()
    }

    /// What the votes are about.
    pub fn commitment(&self) -> &Commitment {
        &self.commitment
    }
}
