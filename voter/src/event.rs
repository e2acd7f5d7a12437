//! Everything that can happen to a voter.

use crate::Aggregated;
use duet_primitives::{
    BlockNumber, DualKeyset, EquivocationProof, Justification, KeysetCommitment, Pk1Bytes,
    RoundMessage, SetId, Vote, VotingRules,
};
use std::sync::Arc;

/// Something that happened. Every object in it was checked by the host; see each variant.
#[derive(Clone, Debug)]
pub enum Event {
    /// A block that GRANDPA finalized carries `ConsensusLog::Planned`: it is mandatory for the set
    /// that signs at it, and `set` takes over at the start of a later session. (ROUND-2)
    ///
    /// Logs come in block order, starting at [`Voter::scanned`](crate::Voter::scanned)` + 1`, an
    /// `Activated` and its `Rules` before a `Planned` of the same block, and all of them before the `Finalized`
    /// that covers them. Repeated delivery is harmless.
    Planned {
        /// The block.
        block: BlockNumber,
        /// The commitment to the planned set, read from chain state. Its keys are requested with
        /// [`Effect::LoadSet`](crate::Effect::LoadSet).
        set: KeysetCommitment,
    },
    /// A block that GRANDPA finalized carries `ConsensusLog::Activated`: it is the first that set
    /// `id` signs.
    Activated {
        /// The block.
        block: BlockNumber,
        /// The set.
        id: SetId,
    },
    /// A block that GRANDPA finalized carries `ConsensusLog::Rules`: the rules of the set that starts at this block. It
    /// comes after the `Activated` or `Reset` of the block. Without it, a set votes by its predecessor's rules.
    /// (ROUND-11)
    Rules {
        /// The block.
        block: BlockNumber,
        /// The rules.
        rules: VotingRules,
    },
    /// A block that GRANDPA finalized carries `ConsensusLog::Reset`: `set` signs from it on. Sets with open handoffs
    /// are dropped with all their data. (RESET-4)
    ///
    /// It is accepted even if earlier logs were not: without room for another set change the host looks ahead for it,
    /// because a chain that can no longer be proven keeps planning sets.
    Reset {
        /// The block.
        block: BlockNumber,
        /// The commitment to the set, read from the log. Its keys are requested with
        /// [`Effect::LoadSet`](crate::Effect::LoadSet).
        set: KeysetCommitment,
    },
    /// GRANDPA finalized everything up to this block, and the logs up to it were delivered.
    /// (ROUND-1)
    Finalized {
        /// The block.
        number: BlockNumber,
    },
    /// The answer to [`Effect::LoadSet`](crate::Effect::LoadSet).
    Set(Arc<DualKeyset>),
    /// The answer to [`Effect::Prepare`](crate::Effect::Prepare): the commitment read at the block
    /// of that number that GRANDPA finalized, hashed. The same message belongs into
    /// [`Filter::prepare`](crate::Filter::prepare).
    Prepared(RoundMessage),
    /// The answer to [`Effect::Sign`](crate::Effect::Sign): the own vote, checked.
    Signed(Vote),
    /// The answer to [`Effect::Aggregate`](crate::Effect::Aggregate).
    Aggregated(Box<Aggregated>),
    /// Votes that the filter called [`Recorded::New`](crate::Recorded::New), in any order. Each knows the message that
    /// it was checked against, so the voter can add up a round that it has not prepared itself.
    Votes(Vec<Vote>),
    /// Evidence that the filter found. (GOSSIP-4)
    Equivocation(Box<EquivocationProof>),
    /// A justification from gossip or from an imported block, checked against its set. The host has compared its block
    /// with the one that GRANDPA finalized there on this node, and they are the same. (ROUND-10)
    Justification(Justification),
    /// A peer's answer to [`Effect::Request`](crate::Effect::Request). Each proof is checked against its set (see
    /// [`Voter::era`](crate::Voter::era)) and compared as in [`Event::Justification`]. The list ends before the first
    /// bad proof, and may be empty.
    Response(Vec<Justification>),
    /// The keys that this node can sign with now. In each set the first member among them votes.
    OwnKeys(Vec<Pk1Bytes>),
    /// Whether the node is catching up with the chain: nothing is prepared, signed or requested
    /// meanwhile.
    Syncing(bool),
    /// Whether a contradiction stops this node from voting. The host found it, or remembers it from before a restart.
    /// After [`Effect::Diverged`](crate::Effect::Diverged) the voter halts by itself; the host sends `false` when the
    /// operator knows of the contradiction and wants to vote anyway. (ROUND-10)
    Halted(bool),
    /// The time of the latest [`Effect::WakeAt`](crate::Effect::WakeAt) has come, or the voter was
    /// just made. To send one early is harmless.
    Tick,
}
