//! Everything that a voter can ask its host for.

use crate::{Aggregation, Millis};
use duet_primitives::{
    BlockNumber, EquivocationProof, Justification, KeysetCommitment, Pk1Bytes, RoundMessage, SetId,
    SignerIndex, UncheckedJustification, Vote,
};

/// Something to do. The host carries out the effects of one [`Voter::handle`](crate::Voter::handle)
/// in order; the events that answer them follow later, in any order, or never.
// A handful of effects live at a time, each for a moment: boxes would cost more than the space.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Effect {
    /// Store this proof, tell subscribers, serve it to peers. It is durable before the next effect
    /// runs, and may come a second time after a crash.
    ///
    /// `mandatory` says that it is the handoff proof of its set, which is kept for ever. (ROUND-2)
    Conclude {
        /// The proof.
        justification: Justification,
        /// Whether its block is the mandatory one of its set.
        mandatory: bool,
    },
    /// A proof that was concluded has more signers now: store it in place of the former one, tell subscribers, serve it.
    /// It is not published again. Comes only after the [`Effect::Conclude`] of its block. (ROUND-9)
    Grow {
        /// The proof.
        justification: Justification,
        /// Whether its block is the mandatory one of its set.
        mandatory: bool,
    },
    /// Write [`Voter::state`](crate::Voter::state). It is durable before the next effect runs.
    /// (ROUND-4)
    Persist,
    /// Send the own vote to everybody, and enter it with
    /// [`Filter::record_vote`](crate::Filter::record_vote).
    PublishVote(Vote),
    /// Send this proof to everybody. (ROUND-6)
    PublishJustification(UncheckedJustification),
    /// Report this evidence to the runtime.
    Report(Box<EquivocationProof>),
    /// A threshold of a set signed something that contradicts this node's chain. It is not concluded, and this node
    /// votes no more: more than a third of the validators are faulty, or this node's chain is wrong. Store it, tell the
    /// operator, and answer with [`Event::Halted`](crate::Event::Halted) if it is to vote all the same. (ROUND-10)
    Diverged(Box<Justification>),
    /// Read the set with this commitment and answer with [`Event::Set`](crate::Event::Set).
    LoadSet(KeysetCommitment),
    /// Read the commitment to the finalized block of this number, hash it, and answer with
    /// [`Event::Prepared`](crate::Event::Prepared). Repeated until the answer comes.
    Prepare {
        /// The block.
        number: BlockNumber,
    },
    /// Sign and answer with [`Event::Signed`](crate::Event::Signed). Asked again when no answer
    /// comes. The vote must not leave the node before [`Effect::PublishVote`].
    Sign {
        /// The message to sign.
        message: RoundMessage,
        /// Position of the own key in the set.
        signer: SignerIndex,
        /// The own key.
        key: Pk1Bytes,
    },
    /// Add up these votes, which may take milliseconds, and answer with [`Event::Aggregated`](crate::Event::Aggregated).
    /// Asked again when no answer comes.
    Aggregate(Box<Aggregation>),
    /// Ask peers for the mandatory justifications of this set and those after it, and answer with
    /// [`Event::Response`](crate::Event::Response). Asked again when no answer helps.
    Request {
        /// The first set without a proof.
        first_set: SetId,
    },
    /// Send [`Event::Tick`](crate::Event::Tick) at this time. Replaces the time that was requested before.
    WakeAt(Millis),
}
