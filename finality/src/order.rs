//! The voter's orders, one by one.

use crate::{evidence::Divergence, kept::Votable, reading::ToPrepare, signing::SignRequest};
use duet_primitives::{
    BlockNumber, EquivocationProof, Justification, KeysetCommitment, UncheckedJustification, Vote,
    H256,
};
use duet_voter::Aggregation;

/// A single order.
pub(crate) enum Order {
    /// Store the voter's state, encoded. (ROUND-4)
    Persist(Vec<u8>),
    /// Store a proof of the block that it is about, and tell subscribers.
    Conclude {
        justification: Justification,
        /// Whether it hands off to the next set.
        mandatory: bool,
    },
    /// Store a proof in place of the earlier one of its block, which has fewer signers, and tell subscribers. (ROUND-9)
    Grow {
        justification: Justification,
        /// Whether it hands off to the next set.
        mandatory: bool,
    },
    /// Load the payloads stored before a restart, and drop those that are no longer needed.
    FindPayloads(Votable),
    /// Store the payload of a block that may be voted on after its state is pruned.
    KeepPayload {
        number: BlockNumber,
        hash: H256,
        votable: Votable,
    },
    /// Store the contradictions that this node knows of. (ROUND-10)
    KeepDivergences(Vec<Divergence>),
    /// Send an own vote to peers.
    PublishVote(Vote),
    /// Send a proof to peers.
    PublishJustification(UncheckedJustification),
    /// Report evidence to the runtime.
    Report(Box<EquivocationProof>),
    /// Report all signers of a proof that contradicts the finalized chain. (FALSE-3)
    Accuse(Box<UncheckedJustification>),
    /// Aggregate votes; [`Event::Aggregated`](duet_voter::Event::Aggregated) follows.
    Aggregate(Box<Aggregation>),
    /// Read a set; [`Event::Set`](duet_voter::Event::Set) follows.
    LoadSet(KeysetCommitment),
    /// Read the payload of a block; [`Event::Prepared`](duet_voter::Event::Prepared) follows.
    Prepare(ToPrepare),
    /// Sign a vote; [`Event::Signed`](duet_voter::Event::Signed) follows.
    Sign(SignRequest),
}
