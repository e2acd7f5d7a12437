//! What a node compares with its own chain: each valid proof before its voter gets it (ROUND-10), and once a second the
//! votes that it holds (GOSSIP-10).

use super::{
    crypto, judge::statements::Standing, node::Running, world::World, Item, NodeId, BLOCK_TIME,
};
use duet_primitives::{BlockNumber, Justification, UncheckedJustification};
use duet_voter::{Event, Millis};

/// How often votes are compared.
pub(super) const WATCH: Millis = 1_000;
/// How far beyond the best block nobody can have voted honestly.
const BEYOND: u32 = 32;

impl World {
    pub(super) fn watch(&mut self, id: NodeId) {
        self.compare_votes(id);
        self.network.at(self.now + WATCH, Item::Watch { node: id });
    }

    /// Accuses those whose votes the chain refutes. A node whose chain changes under it has nothing to say.
    pub(super) fn compare_votes(&mut self, id: NodeId) {
        let standing = self.standing(id);
        let chain = self.chain.clone();
        let is_reorging = self.scenario.reorging == Some(id);
        let Some(node) = self.node_mut(id).filter(|_| !is_reorging) else {
            return;
        };
        let finalized = node.grandpa;
        let Some(Running { filter, .. }) = &mut node.running else {
            return;
        };
        let mut accused = Vec::new();
        for said in filter.strange() {
            let block = said.block_number;
            let beyond = |best: BlockNumber| block.saturating_sub(best) > BEYOND;
            let refuted = if block <= finalized {
                said != chain.commitment(block)
            } else if standing.best.is_some_and(beyond) {
                true
            } else {
                continue; // Nobody can tell yet.
            };
            let votes = filter.take_judged(&said);
            accused.extend(
                votes
                    .iter()
                    .filter(|_| refuted)
                    .map(|vote| vote.to_unchecked()),
            );
        }
        let standing = Standing {
            finalized,
            ..standing
        };
        self.judge.compared(standing, &accused);
    }

    /// Where a node stands, as far as its voter knows.
    pub(super) fn standing(&self, node: NodeId) -> Standing {
        let running = self.node(node).and_then(|node| node.running.as_ref());
        let rough = BLOCK_TIME * Millis::from(self.chain.height.get() + 2);
        let is_behind = self.scenario.late.contains(&node) && self.now <= rough;
        Standing {
            node,
            finalized: running.map_or(BlockNumber::ZERO, |running| running.voter.scanned()),
            best: (!is_behind).then(|| self.best()),
        }
    }

    /// Whether a proof names another block than the one that is final here.
    pub(super) fn is_suspect(&self, id: NodeId, proof: &UncheckedJustification) -> bool {
        let block = proof.commitment.block_number;
        let finalized = self.node(id).map_or(BlockNumber::ZERO, |node| node.grandpa);
        block <= finalized && proof.commitment.block_hash != self.chain.commitment(block).block_hash
    }

    /// Such a proof is checked however old its block is: it contradicts the chain, or its sender is to blame.
    pub(super) fn receive_suspect(
        &mut self,
        from: NodeId,
        to: NodeId,
        proof: &UncheckedJustification,
    ) {
        let Some(era) = self.chain.era(proof.commitment.validator_set_id) else {
            return;
        };
        match crypto::check_proof(&era.set, proof) {
            Ok(checked) => {
                let agreeing = self.compare_proof(to, checked);
                assert!(agreeing.is_none(), "another block is final there");
            }
            Err(_) => self.judge.blamed(to, from),
        }
    }

    /// Returns a proof if its block is final here. It waits if its height is not, and otherwise contradicts the chain.
    pub(super) fn compare_proof(
        &mut self,
        id: NodeId,
        proof: Justification,
    ) -> Option<Justification> {
        self.judge.saw_proof(id, proof.as_unchecked());
        let block = proof.commitment().block_number;
        let node = self.node_mut(id)?;
        if block > node.grandpa {
            node.running.as_mut()?.waiting.push(proof);
            return None;
        }
        if self.is_suspect(id, proof.as_unchecked()) {
            self.contradiction(id, proof.as_unchecked());
            self.feed(id, Event::Halted(true));
            return None;
        }
        Some(proof)
    }

    /// Compares the proofs that waited for GRANDPA.
    pub(super) fn compare_due_proofs(&mut self, id: NodeId) {
        let Some(node) = self.node_mut(id) else {
            return;
        };
        let finalized = node.grandpa;
        let Some(Running { waiting, .. }) = &mut node.running else {
            return;
        };
        let (due, later) = std::mem::take(waiting)
            .into_iter()
            .partition(|proof: &Justification| proof.commitment().block_number <= finalized);
        *waiting = later;
        let due: Vec<_> = due;
        if due.is_empty() {
            return;
        }
        let compared = due.into_iter();
        let agreeing = compared
            .filter_map(|proof| self.compare_proof(id, proof))
            .collect();
        self.feed(id, Event::Response(agreeing));
    }

    /// Keeps a contradiction, once. A voter that found it is halted by itself.
    pub(super) fn contradiction(&mut self, id: NodeId, proof: &UncheckedJustification) {
        let Some(node) = self.node_mut(id) else {
            return;
        };
        let known = &mut node.disk.contradictions;
        if known.iter().any(|one| one.commitment == proof.commitment) {
            return;
        }
        known.push(proof.clone());
        self.judge.diverged(id, proof);
    }
}
