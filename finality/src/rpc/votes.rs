//! Which members of the signing set have voted, which have not, and since when.

use super::error::RpcError;
use crate::links::RpcLinks;
use duet_primitives::{BlockNumber, Pk1Bytes, SetId};
use duet_voter::{MissingMember, RoundView, VotesView};
use serde::{Deserialize, Serialize};

/// The most open rounds in an answer: those of the highest blocks.
const MAX_ROUNDS: usize = 32;

/// The votes of the signing set, as known to one node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoundState {
    /// The signing set.
    pub set_id: SetId,
    /// The number of members.
    pub members: u32,
    /// The number of members needed for a proof.
    pub threshold: u32,
    /// The position of this node's key in the set, if the key is a member.
    pub own: Option<u32>,
    /// The highest proven block.
    pub best_proven: BlockNumber,
    /// The highest block that GRANDPA finalized here.
    pub finalized: BlockNumber,
    /// The block that the set should prove next, given GRANDPA's progress. (ROUND-3)
    pub target: Option<BlockNumber>,
    /// The block that hands off to the next set, while it is not proven. (ROUND-2)
    pub mandatory: Option<BlockNumber>,
    /// The open rounds of the highest blocks, ascending: at most 32.
    pub rounds: Vec<Round>,
    /// The newest block with a member's vote, proven or not.
    pub newest: Option<BlockNumber>,
    /// The positions of the members who voted on it, ascending.
    pub voted: Vec<u32>,
    /// All others, ascending.
    pub missing: Vec<Missing>,
}

/// An unproven block that has votes, or that this node is about to vote on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Round {
    /// The block.
    pub block: BlockNumber,
    /// The number of members who voted on it.
    pub votes: u32,
    /// The largest number of equal votes.
    pub agreeing: u32,
    /// Whether this node's vote is among them.
    pub own_vote: bool,
    /// The time since it was opened here, in milliseconds.
    pub open_for_ms: u64,
}

/// A member without a known vote on the newest block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Missing {
    /// The position in the set.
    pub position: u32,
    /// The half of the key in G1.
    pub key: Pk1Bytes,
    /// The newest block with its vote; `None` if it has not voted since the node or the set started.
    pub last_voted: Option<BlockNumber>,
    /// The time since this node received that vote, in milliseconds.
    pub silent_for_ms: Option<u64>,
}

impl RoundState {
    /// The votes known to the node with these links; `None` while the chain has no set.
    pub(super) fn of(links: &RpcLinks) -> Result<Option<Self>, RpcError> {
        let view = links.questions.votes();
        let view = view.map_err(|_| RpcError::VoterSilent)?;
        let finalized = links.blocks.finalized().0;
        Ok(view.map(|view| Self::new(view, finalized)))
    }

    fn new(view: VotesView, finalized: BlockNumber) -> Self {
        let surplus = view.rounds.len().saturating_sub(MAX_ROUNDS);
        Self {
            set_id: view.set,
            members: view.members,
            threshold: view.threshold,
            own: view.own.map(|own| own.get()),
            best_proven: view.best_proven,
            finalized,
            target: view.target,
            mandatory: view.mandatory,
            rounds: view
                .rounds
                .into_iter()
                .skip(surplus)
                .map(Round::from)
                .collect(),
            newest: view.newest,
            voted: view.voted.iter().map(|signer| signer.get()).collect(),
            missing: view.missing.into_iter().map(Missing::from).collect(),
        }
    }
}

impl From<RoundView> for Round {
    fn from(round: RoundView) -> Self {
        Self {
            block: round.block,
            votes: round.votes,
            agreeing: round.agreeing,
            own_vote: round.own_vote,
            open_for_ms: round.open_for,
        }
    }
}

impl From<MissingMember> for Missing {
    fn from(member: MissingMember) -> Self {
        Self {
            position: member.signer.get(),
            key: member.key,
            last_voted: member.last.map(|(block, _)| block),
            silent_for_ms: member.last.map(|(_, ago)| ago),
        }
    }
}
