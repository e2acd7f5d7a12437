//! The content of a vote, and its exact signed bytes.

use crate::{
    dleq::hash_message,
    keyset::KeysetCommitment,
    numbers::{BlockNumber, SetId},
    suite::{G1_LEN, MESSAGE_PREFIX, SIGNATURE_SUITE},
};
use alloc::{sync::Arc, vec::Vec};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_curve::{Base, Native, Purpose};
use primitive_types::H256;
use scale_info::TypeInfo;
use sha3::{Digest, Keccak256};

/// The content of a vote: a block, its history, and the next signing set. (MSG-2)
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
pub struct Commitment {
    /// Number of the block.
    pub block_number: BlockNumber,
    /// Hash of the block.
    pub block_hash: H256,
    /// Root of the Merkle mountain range that ends at the block's parent.
    pub mmr_root: H256,
    /// The set that signs.
    pub validator_set_id: SetId,
    /// The set that takes over next, at the start of a session; the signing set itself when the keys stay.
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
    /// The set that takes over next, at the start of a session.
    pub next: KeysetCommitment,
}

impl CommitmentPayload {
    /// The commitment to the block at which the payload was read.
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

    /// The Keccak-256 hash of its encoding, which the block's header contains. (CHAIN-7)
    pub fn hash(&self) -> H256 {
        H256(Keccak256::digest(self.encode()).into())
    }
}

impl Commitment {
    /// The payload: everything but the block's number and hash.
    pub fn payload(&self) -> CommitmentPayload {
        CommitmentPayload {
            mmr_root: self.mmr_root,
            validator_set_id: self.validator_set_id,
            next: self.next.clone(),
        }
    }

    /// Whether this commitment names a successor, so that the signing set must justify it before it votes on
    /// anything later. (ROUND-2)
    pub fn is_handoff(&self) -> bool {
        self.next.id != self.validator_set_id
    }

    /// The bytes that validators of the chain with this genesis sign: `"duet-v1" ‖ genesis_hash ‖ SCALE`. (MSG-2)
    pub fn signed_bytes(&self, genesis_hash: H256) -> Vec<u8> {
        [MESSAGE_PREFIX, genesis_hash.as_bytes(), &self.encode()].concat()
    }
}

/// A commitment of one chain, hashed to the curve once for all the votes on it. A clone shares it.
#[derive(Clone, Debug)]
pub struct RoundMessage(Arc<Hashed>);

#[derive(Debug)]
struct Hashed {
    genesis_hash: H256,
    commitment: Commitment,
    hm: Base<Native>,
}

impl PartialEq for RoundMessage {
    fn eq(&self, other: &Self) -> bool {
        let same = |one: &Hashed, other: &Hashed| {
            one.genesis_hash == other.genesis_hash && one.commitment == other.commitment
        };
        Arc::ptr_eq(&self.0, &other.0) || same(&self.0, &other.0)
    }
}
impl Eq for RoundMessage {}

impl RoundMessage {
    /// Hashes the commitment's signed bytes to G1. Cost: one hash to the curve.
    ///
    /// Keeps no tables, so that messages that strangers chose take no memory. Votes that are checked
    /// [together](crate::UncheckedVote::check_all) share a table for the time of that call. A node that expects a round
    /// of votes, some of which come alone, calls [`RoundMessage::expecting`].
    pub fn new(genesis_hash: H256, commitment: Commitment) -> Self {
        let hm = hash_message(
            SIGNATURE_SUITE,
            &commitment.signed_bytes(genesis_hash),
            Purpose::Once,
        );
        Self(Arc::new(Hashed {
            genesis_hash,
            commitment,
            hm,
        }))
    }

    /// The same message, ready for about this many votes: they are checked with tables, which are made at the second
    /// vote. Cost: up to 1.2 MB for 2 048 votes and more.
    ///
    /// # Security
    /// `votes` sizes the tables. It is the length of the signing set, never a number that a message names.
    pub fn expecting(&self, votes: u32) -> Self {
        let Hashed {
            genesis_hash,
            commitment,
            hm,
        } = &*self.0;
        Self(Arc::new(Hashed {
            genesis_hash: *genesis_hash,
            commitment: commitment.clone(),
            hm: hm.for_purpose(Purpose::Message { votes }),
        }))
    }

    /// `H(m)`.
    pub(crate) fn hm(&self) -> &Base<Native> {
        &self.0.hm
    }

    /// The genesis hash of the chain that it is signed on.
    pub fn genesis_hash(&self) -> H256 {
        self.0.genesis_hash
    }

    /// The encoding of `H(m)`, which depends on the chain and on every byte of the commitment.
    pub fn hash(&self) -> [u8; G1_LEN] {
        *self.0.hm.bytes()
    }

    /// The commitment of the votes.
    pub fn commitment(&self) -> &Commitment {
        &self.0.commitment
    }
}
