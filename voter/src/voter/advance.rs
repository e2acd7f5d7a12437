//! Concludes what is proven, in the order in which a light client verifies it. (ROUND-2, ROUND-5, ROUND-7)

use super::{count, Outbox, Voter, MAX_UNPUBLISHED, REPORTED_SETS};
use crate::{filter::Accepted, schedule::rank, Effect, Millis};
use duet_primitives::{BlockNumber, Justification};

/// Where a proof came from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A peer sent it, so the network has it.
    Received,
    /// The votes that this node holds.
    Votes,
}

impl Voter {
    /// Concludes blocks and goes on to next sets until nothing more can be concluded.
    pub(super) fn advance(&mut self, now: Millis, out: &mut Outbox) {
        loop {
            if let Some((proof, origin)) = self.highest_proof(now) {
                self.conclude(proof, origin, now, out);
            } else if self.state.take_over() {
                let (id, up_to) = (self.set_id(), self.state.lowest().saturating_previous());
                self.sets.retain(|set, _| *set >= id);
                self.rounds.retain(|set, _| *set >= id);
                self.reported
                    .retain(|(set, _)| id.saturating_sub(*set) <= REPORTED_SETS);
                self.proofs.prune(id, up_to);
                if let Some(rounds) = self.rounds.get_mut(&id) {
                    rounds.prune(up_to);
                }
                out.push(Effect::Persist);
            } else {
                break;
            }
        }
    }

    /// The highest proof that may be concluded now. The mandatory block bounds the range while it
    /// is pending, so that it is concluded before anything later. A received proof goes before an
    /// own one of the same block.
    fn highest_proof(&mut self, now: Millis) -> Option<(Justification, Origin)> {
        let (id, lowest) = (self.set_id(), self.state.lowest());
        let highest = self.state.highest().min(self.state.scanned());
        let received = self.proofs.ready(id, lowest..=highest);
        let threshold = self.state.signing().set.threshold();
        let above = received.map_or(lowest, BlockNumber::saturating_next);
        let rounds = self.rounds.get(&id);
        let ready = rounds.and_then(|rounds| rounds.ready(above..=highest, threshold));
        let due = match ready {
            Some(block) if self.gathers(block, now) => None,
            ready => {
                self.gathering = None;
                ready
            }
        };
        let set = self.sets.get(&id);
        let from_votes = due.and_then(|block| self.rounds.get_mut(&id)?.justify(block, set?));
        match from_votes {
            Some(Ok(proof)) => return Some((proof, Origin::Votes)),
            Some(Err(_)) => count(&mut self.counters.inconsistent),
            None => {}
        }
        Some((self.proofs.take(id, received?)?, Origin::Received))
    }

    /// Whether more votes are gathered on a block that has enough: on a mandatory one, whose proof light clients and
    /// bridges pay for by each non-signer, for a while. (ROUND-8)
    fn gathers(&mut self, block: BlockNumber, now: Millis) -> bool {
        if self.state.pending() != Some(block) {
            return false;
        }
        let until = match self.gathering {
            Some((gathered, until)) if gathered == block => until,
            _ => now.saturating_add(self.config.grace),
        };
        let set = &self.state.signing().set;
        let rounds = self.rounds.get(&set.id);
        let signers = rounds.and_then(|rounds| rounds.signers(block, set.threshold()));
        let waits = now < until && signers < Some(set.len);
        if waits {
            self.gathering = Some((block, until));
        }
        waits
    }

    fn conclude(&mut self, proof: Justification, origin: Origin, now: Millis, out: &mut Outbox) {
        let block = proof.commitment().block_number;
        if !self.agrees(&proof) {
            count(&mut self.counters.inconsistent);
            out.push(Effect::Diverged(Box::new(proof)));
            return;
        }
        let mandatory = self.state.pending() == Some(block);
        self.state.conclude(&proof);
        self.schedule.supersede(block);
        self.proofs.prune(self.set_id(), block);
        if let Some(rounds) = self.rounds.get_mut(&self.set_id()) {
            rounds.prune(block);
        }
        if origin == Origin::Votes {
            self.await_publication(&proof, mandatory, now);
        }
        self.rebroadcast_at = Some(now.saturating_add(self.config.rebroadcast));
        out.push(Effect::Conclude {
            justification: proof,
            mandatory,
        });
        out.push(Effect::Persist);
    }

    /// Whether a proof says what this node's chain says, as far as this node has looked.
    fn agrees(&self, proof: &Justification) -> bool {
        let commitment = proof.commitment();
        let block = commitment.block_number;
        let prepared = self
            .rounds
            .get(&self.set_id())
            .and_then(|rounds| rounds.prepared(block));
        &commitment.next == self.state.successor_at(block)
            && prepared.is_none_or(|message| message.commitment() == commitment)
    }

    /// ROUND-6: publishes in turn; everybody watches for the first proof of somebody else.
    fn await_publication(&mut self, proof: &Justification, mandatory: bool, now: Millis) {
        let commitment = proof.commitment();
        let Some(set) = self.signing_set().cloned() else {
            return;
        };
        if let Some(signer) = self.own_signer() {
            let rank = rank(commitment, set.keyset().len(), signer);
            let wait = self.config.publish_step.saturating_mul(u64::from(rank));
            self.schedule
                .enter(proof, now.saturating_add(wait), mandatory);
        }
        self.watch(Accepted {
            set,
            lowest: commitment.block_number,
            highest: commitment.block_number,
        });
    }

    fn watch(&mut self, one: Accepted) {
        self.unpublished.push_back(one);
        if self.unpublished.len() > MAX_UNPUBLISHED {
            self.unpublished.pop_front();
        }
    }

    /// This node published a proof of the block: it no longer waits for one from the network.
    pub(super) fn unwatch(&mut self, block: BlockNumber) {
        self.unpublished.retain(|one| one.lowest != block);
    }
}
