//! The view of the votes for operators: members that voted, members that did not, and since when.

use crate::Millis;
use duet_primitives::{BlockNumber, Pk1Bytes, SetId, SignerIndex};

/// The votes of the signing set, as one node knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VotesView {
    /// The signing set.
    pub set: SetId,
    /// How many members it has.
    pub members: u32,
    /// The number of votes that make a proof.
    pub threshold: u32,
    /// The position of this node's key; `None` when it has none in the set.
    pub own: Option<SignerIndex>,
    /// The highest block that is proven.
    pub best_proven: BlockNumber,
    /// The block that the set should prove next, if GRANDPA has come that far. (ROUND-3)
    pub target: Option<BlockNumber>,
    /// The block that hands off to the next set, while it is not proven. (ROUND-2)
    pub mandatory: Option<BlockNumber>,
    /// The open rounds, ascending by block.
    pub rounds: Vec<RoundView>,
    /// The newest block that a member voted on, proven or not.
    pub newest: Option<BlockNumber>,
    /// Who voted on that block or a later one, ascending.
    pub voted: Vec<SignerIndex>,
    /// Everybody else, ascending.
    pub missing: Vec<MissingMember>,
}

/// A block that has votes, or that this node prepared, and that is not proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundView {
    /// The block.
    pub block: BlockNumber,
    /// How many members voted on it.
    pub votes: u32,
    /// The largest number of votes that agree.
    pub agreeing: u32,
    /// Whether this node's vote is among them.
    pub own_vote: bool,
    /// How long it has been open here.
    pub open_for: Millis,
}

/// A member whose vote on the newest block has not arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingMember {
    /// The position in the set.
    pub signer: SignerIndex,
    /// The key.
    pub key: Pk1Bytes,
    /// The newest block that it voted on, and since when; `None` since the start of the node or of the set.
    pub last: Option<(BlockNumber, Millis)>,
}
