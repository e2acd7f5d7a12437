//! What the runtime announces in header digests, under the engine id `DUET`.

// The codec's derive casts the indices of variants, which are constants below 256.
#![allow(clippy::cast_possible_truncation)]

#[cfg(doc)]
use crate::CommitmentPayload;
use crate::{keyset::KeysetCommitment, numbers::SetId};
use codec::{Decode, Encode};
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
    /// Governance ended a set that cannot hand off, and a set without its word signs from this block on. (RESET-1)
    #[codec(index = 3)]
    Reset {
        /// The set that signed before.
        ended: SetId,
        /// The set that signs from here on.
        set: KeysetCommitment,
    },
    /// What is signed about this block besides its number and hash, as [`CommitmentPayload::hash`] of it: so the header
    /// shows for ever whether a statement about the block is true. (CHAIN-7)
    #[codec(index = 4)]
    Payload(H256),
}
