//! The filter's answers about votes and justifications.

use duet_primitives::{DualKeyset, EquivocationError, EquivocationProof, RoundMessage};
use std::sync::Arc;

/// The input for the check of a vote.
#[derive(Clone, Debug)]
pub struct VoteCheck {
    /// The set to check it against.
    pub set: Arc<DualKeyset>,
    /// This node's own message about the block, with tables, if the vote has the same commitment; otherwise hash the
    /// vote's with [`RoundMessage::new`].
    pub prepared: Option<RoundMessage>,
}

/// The class of a valid vote.
#[derive(Clone, Debug)]
pub enum Recorded {
    /// The first of its signer for this block, which is not proven yet or mandatory: pass it to the voter and forward it.
    /// (GOSSIP-5, ROUND-9)
    New,
    /// The first of its signer on a block that is proven, by a proof that lacks it: pass it to the voter, but do not
    /// forward it. (ROUND-9)
    Fuller,
    /// The first of its signer, but the round is concluded: kept for evidence, and not forwarded.
    Late,
    /// Another thread recorded the same vote in the meantime.
    Duplicate,
    /// The second that says something else: pass the evidence to the voter and forward the vote, so
    /// that others see it too. Comes once per set, block and signer. (GOSSIP-4)
    Equivocation(Box<EquivocationProof>),
    /// The caller checked the vote against another set than the one it was told to.
    Misuse(EquivocationError),
}

/// The class of a valid justification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedProof {
    /// The first that was seen for this block: pass it to the voter and forward it.
    New,
    /// Another thread recorded one in the meantime.
    Duplicate,
}
