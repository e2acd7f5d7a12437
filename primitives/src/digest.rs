//! The runtime's logs in header digests, under the engine id `DUET`.

// The codec's derive casts the indices of variants, which are constants below 256.
#![allow(clippy::cast_possible_truncation)]

#[cfg(doc)]
use crate::CommitmentPayload;
use crate::{
    keyset::KeysetCommitment,
    numbers::{BlockNumber, SetId},
    rules::VotingRules,
    suite::ENGINE_ID,
};
use codec::{Decode, DecodeAll, DecodeWithMemTracking, Encode, MaxEncodedLen};
use primitive_types::H256;
use scale_info::TypeInfo;

/// A consensus log item. (CHAIN-2)
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, TypeInfo)]
pub enum ConsensusLog {
    /// A set that differs from the signing one was planned: this block is mandatory. (ROUND-2)
    #[codec(index = 1)]
    Planned(KeysetCommitment),
    /// The planned set takes over with this block.
    #[codec(index = 2)]
    Activated(SetId),
    /// Governance ended a set that cannot hand off; another set signs from this block on without a handoff. (RESET-1)
    #[codec(index = 3)]
    Reset {
        /// The set that signed before.
        ended: SetId,
        /// The set that signs from here on.
        set: KeysetCommitment,
    },
    /// The [`CommitmentPayload::hash`] of this block. With it, the header shows for ever whether a statement about the
    /// block is true. (CHAIN-7)
    #[codec(index = 4)]
    Payload(H256),
    /// How the set votes that signs from this block on, if it is not as the set before, and always with a reset. (ROUND-11)
    #[codec(index = 5)]
    Rules(VotingRules),
    /// Governance pardons statements about blocks that the chain lost. (FALSE-4)
    #[codec(index = 6)]
    Pardoned(Pardon),
}

/// Statements that are not punished as false: those about these blocks, by these sets. (FALSE-4)
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
pub struct Pardon {
    /// The first block.
    pub first_block: BlockNumber,
    /// The last block.
    pub last_block: BlockNumber,
    /// The first set.
    pub first_set: SetId,
    /// The last set.
    pub last_set: SetId,
}

impl Pardon {
    /// Whether it is about statements of this set about this block.
    pub fn covers(&self, block: BlockNumber, set: SetId) -> bool {
        (self.first_block..=self.last_block).contains(&block)
            && (self.first_set..=self.last_set).contains(&set)
    }
}

impl ConsensusLog {
    /// The logs in a header, in their order. `items` are its consensus items: the engine, and the bytes. Undecodable
    /// items are not the pallet's, and are left out.
    pub fn of_header<'a>(
        items: impl Iterator<Item = ([u8; 4], &'a [u8])> + 'a,
    ) -> impl Iterator<Item = Self> + 'a {
        items
            .filter(|(engine, _)| *engine == ENGINE_ID)
            .filter_map(|(_, mut bytes)| Self::decode_all(&mut bytes).ok())
    }

    /// The hash of the payload for a block, from the logs in its header; `None` in headers from before CHAIN-7.
    pub fn payload_hash(logs: impl Iterator<Item = Self>) -> Option<H256> {
        let hash = |log| match log {
            Self::Payload(hash) => Some(hash),
            _ => None,
        };
        logs.filter_map(hash).last()
    }
}
