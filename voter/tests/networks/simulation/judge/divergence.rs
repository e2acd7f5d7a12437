//! What nodes do about proofs that contradict their chains. (ROUND-10)

use super::Judge;
use crate::simulation::NodeId;
use duet_primitives::{Commitment, UncheckedJustification};

impl Judge {
    /// Whether a node may take a statement for true: if it is, or if it is false only in the MMR root, more than a third
    /// are faulty, and the node has not looked at that block.
    pub(super) fn may_believe(&self, node: NodeId, said: &Commitment) -> bool {
        let truth = self.chain.commitment(said.block_number);
        let other_root = Commitment {
            mmr_root: said.mmr_root,
            ..truth.clone()
        };
        let unseen = self.premises.coalition && !self.has_prepared(node, said);
        said == &truth || unseen && said == &other_root
    }

    /// A valid proof has reached a node.
    pub(crate) fn saw_proof(&mut self, node: NodeId, proof: &UncheckedJustification) {
        let block = proof.commitment.block_number;
        // Another payload of the same block is noticed only where the node has looked at it.
        if proof.commitment.block_hash != self.chain.commitment(block).block_hash {
            self.informed.insert((node, block));
        }
    }

    /// A node says that a proof contradicts its chain.
    pub(crate) fn diverged(&mut self, node: NodeId, proof: &UncheckedJustification) {
        let block = proof.commitment.block_number;
        let fits = proof.commitment == self.chain.commitment(block);
        self.require(fits || self.premises.coalition, || {
            format!("a threshold signed something untrue about block {block}")
        });
        self.require(!fits || self.premises.reorging == Some(node), || {
            format!("ROUND-10: node {node} takes a true proof of block {block} for a contradiction")
        });
        self.diverged.insert(node);
    }

    /// A proof that waits for GRANDPA is lost with the node's memory.
    pub(super) fn forget_proofs(&mut self, node: NodeId) {
        if !self.diverged.contains(&node) {
            self.informed.retain(|(informed, _)| *informed != node);
        }
    }

    /// Who got a valid proof of another block has said so.
    pub(super) fn check_informed(&self) {
        for (node, block) in &self.informed {
            self.require(self.diverged.contains(node), || {
                format!("ROUND-10: node {node} got a proof of another block {block} and reports no contradiction")
            });
        }
    }
}
