//! What nodes vote, and how votes become a proof.

use super::{
    event::{Message, What},
    running::{index, Running},
};
use crate::plan::VoteBatch;

impl Running<'_> {
    /// A node has finalized the block: votes on its commitment are checked together from now on.
    pub(super) fn prepares(&mut self, node: u32) {
        if self.has_proof(node) {
            return; // There is nothing to vote on any more.
        }
        let prepare = self.round.costs.prepare;
        let node = &mut self.nodes[index(node)];
        node.tally.cpu += prepare;
        node.pending.prepare();
    }

    /// A validator votes.
    pub(super) fn cast(&mut self, at: u64, batch: u32) {
        let VoteBatch { voter, votes, .. } = self.batch(batch);
        if self.has_proof(voter) {
            return; // Nobody votes on what is proven.
        }
        self.known.insert(index(voter), index(batch));
        self.forward(at, voter, Message::VoteBatch(batch));
        self.count(at, voter, votes);
    }

    /// Good votes reach the voter.
    pub(super) fn count(&mut self, at: u64, node: u32, votes: u32) {
        let aggregation = self.round.costs.aggregation;
        let it = &mut self.nodes[index(node)];
        it.tally.votes += votes;
        let is_ready = it.tally.votes >= self.round.threshold && it.tally.proof_at.is_none();
        if is_ready && !it.is_aggregating {
            it.is_aggregating = true;
            it.tally.cpu += aggregation;
            self.push(at + aggregation, What::Concludes { node });
        }
    }

    /// The votes are added up.
    pub(super) fn concludes(&mut self, at: u64, node: u32) {
        self.first_proof.get_or_insert(at);
        self.settles(at, node);
        let rank = self.round.plan.ranks[index(node)];
        let turn = at + u64::from(rank) * self.round.model.publish_step;
        if rank == 0 {
            self.publishes(at, node);
        } else {
            self.push(turn, What::Publishes { node });
        }
    }

    /// It is a node's turn to publish its proof.
    pub(super) fn publishes(&mut self, at: u64, node: u32) {
        if self.nodes[index(node)].has_seen_proof {
            return;
        }
        self.sees_proof(node);
        self.forward(at, node, Message::Proof);
    }

    /// A published proof is known to a node.
    pub(super) fn sees_proof(&mut self, node: u32) {
        let node = &mut self.nodes[index(node)];
        if !std::mem::replace(&mut node.has_seen_proof, true) {
            self.without_message -= 1;
        }
    }

    /// A node has a proof.
    pub(super) fn settles(&mut self, at: u64, node: u32) {
        let tally = &mut self.nodes[index(node)].tally;
        if tally.proof_at.is_none() {
            tally.proof_at = Some(at);
            self.without_proof -= 1;
        }
    }
}
