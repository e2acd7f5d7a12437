//! Concludes proven blocks, in the order in which a light client verifies them. (ROUND-2, ROUND-5, ROUND-7)

use super::{count, Outbox, Voter, MAX_UNPUBLISHED, REPORTED_SETS};
use crate::{
    aggregation::Origin as Sum, filter::Accepted, Aggregated, Aggregation, Effect, Millis,
};
use duet_primitives::{BlockNumber, Justification, RoundMessage, H256};

/// Where a proof came from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    /// A peer sent it, so the network has it.
    Received,
    /// The votes that this node holds on this message.
    Votes {
        message: RoundMessage,
        /// How many members publish before this node, if it publishes in turn.
        rank: Option<u32>,
        /// The block that GRANDPA finalized there, if the host said so.
        finalized: Option<H256>,
    },
}

impl Voter {
    /// Concludes blocks and advances to the next sets until nothing more can be concluded.
    pub(super) fn advance(&mut self, now: Millis, out: &mut Outbox) {
        loop {
            if let Some((proof, origin)) = self.highest_proof(now, out) {
                self.conclude(proof, origin, now, out);
            } else if self.state.take_over() {
                self.begin_era();
                out.push(Effect::Persist);
            } else {
                break;
            }
        }
    }

    /// Another set signs: drops what belongs to the sets before it.
    pub(super) fn begin_era(&mut self) {
        let (id, up_to) = (self.set_id(), self.state.lowest().saturating_previous());
        self.sets.retain(|set, _| *set >= id);
        self.rounds.retain(|set, _| *set >= id);
        self.reported
            .retain(|(set, _)| id.saturating_sub(*set) <= REPORTED_SETS);
        self.proofs.prune(id, up_to);
        self.growing.stop_signing();
        if let Some(rounds) = self.rounds.get_mut(&id) {
            rounds.prune(up_to);
        }
    }

    /// The highest proof that may be concluded now. The mandatory block bounds the range while it
    /// is pending, so that it is concluded before anything later. A received proof goes before an
    /// own one of the same block. Votes above it are asked to be added up.
    fn highest_proof(&mut self, now: Millis, out: &mut Outbox) -> Option<(Justification, Origin)> {
        let (id, lowest) = (self.set_id(), self.state.lowest());
        let highest = self.state.highest().min(self.state.scanned());
        let received = self.proofs.ready(id, lowest..=highest);
        let above = received.map_or(lowest, BlockNumber::saturating_next);
        if let Some(proof) = self.take_aggregated(above, highest) {
            return Some(proof);
        }
        let threshold = self.state.signing().set.threshold();
        let rounds = self.rounds.get(&id);
        let ready = rounds.and_then(|rounds| rounds.ready(above..=highest, threshold));
        let wanted = ready.map(|block| (id, block));
        self.retry.aggregate.keep(|asked| Some(*asked) == wanted);
        match ready {
            Some(block) if self.gathers(block, now) => {}
            Some(block) => self.ask_to_aggregate(block, now, out),
            None => self.gathering = None,
        }
        Some((self.proofs.take(id, received?)?, Origin::Received))
    }

    /// The sum of the votes on a block, if it may be concluded.
    fn take_aggregated(
        &mut self,
        lowest: BlockNumber,
        highest: BlockNumber,
    ) -> Option<(Justification, Origin)> {
        let id = self.set_id();
        let Aggregated {
            message,
            justification,
            origin,
            finalized,
        } = self.aggregated.take_if(|aggregated| {
            let (set, block) = aggregated.place();
            set == id && (lowest..=highest).contains(&block)
        })?;
        match (justification, origin) {
            (Ok(proof), Sum::Votes { rank }) => {
                let origin = Origin::Votes {
                    message,
                    rank,
                    finalized,
                };
                Some((proof, origin))
            }
            _ => {
                count(&mut self.counters.inconsistent);
                self.spend(&message);
                None
            }
        }
    }

    /// Votes that lead to nothing are not added up again.
    fn spend(&mut self, message: &RoundMessage) {
        let id = message.commitment().validator_set_id;
        if let Some(rounds) = self.rounds.get_mut(&id) {
            rounds.spend(message);
        }
    }

    fn ask_to_aggregate(&mut self, block: BlockNumber, now: Millis, out: &mut Outbox) {
        let (id, interval) = (self.set_id(), self.config.retry);
        if !self.retry.aggregate.ask((id, block), now, interval) {
            return;
        }
        let Some(set) = self.signing_set().cloned() else {
            return;
        };
        let rounds = self.rounds.get(&id);
        let agreed = rounds.and_then(|rounds| rounds.agreed(block, set.keyset().threshold()));
        if let Some((message, votes)) = agreed {
            let aggregation = Aggregation::new(set, message, votes, self.own_signer());
            out.push(Effect::Aggregate(Box::new(aggregation)));
        }
    }

    /// Whether to gather more votes on a block with enough: for a while on a mandatory block, as light clients and
    /// bridges pay for each non-signer of its proof. (ROUND-8)
    fn gathers(&mut self, block: BlockNumber, now: Millis) -> bool {
        if self.state.pending() != Some(block) {
            self.gathering = None;
            return false;
        }
        let end = now.saturating_add(self.config.grace);
        let until = *self.gathering.get_or_insert(end);
        let set = &self.state.signing().set;
        let rounds = self.rounds.get(&set.id);
        let signers = rounds.and_then(|rounds| rounds.signers(block, set.threshold()));
        now < until && signers < Some(set.len)
    }

    fn conclude(&mut self, proof: Justification, origin: Origin, now: Millis, out: &mut Outbox) {
        let block = proof.commitment().block_number;
        if !self.agrees(&proof, &origin) {
            count(&mut self.counters.inconsistent);
            self.halted = true;
            if let Origin::Votes { message, .. } = &origin {
                self.spend(message);
            }
            out.push(Effect::Diverged(Box::new(proof)));
            return;
        }
        let mandatory = self.state.pending() == Some(block);
        // Before the state says that nothing is signed any more up to this block.
        let unsigned = mandatory && self.state.may_sign(block) && self.own_signer().is_some();
        self.let_grow(&proof, mandatory, unsigned, now);
        self.hear_signers(&proof, now);
        self.state.conclude(&proof);
        self.schedule.supersede(block);
        self.proofs.prune(self.set_id(), block);
        if let Some(rounds) = self.rounds.get_mut(&self.set_id()) {
            rounds.prune(block);
        }
        if let Origin::Votes { rank, .. } = origin {
            self.await_publication(&proof, mandatory, rank, now);
        }
        self.rebroadcast_at = Some(now.saturating_add(self.config.rebroadcast));
        out.push(Effect::Conclude {
            justification: proof,
            mandatory,
        });
        out.push(Effect::Persist);
    }

    /// ROUND-10: whether a proof agrees with this node's chain. The host has compared the block of a received proof.
    fn agrees(&self, proof: &Justification, origin: &Origin) -> bool {
        let commitment = proof.commitment();
        let block = commitment.block_number;
        let finalized = match origin {
            Origin::Votes { finalized, .. } => *finalized,
            Origin::Received => None,
        };
        let prepared = self
            .rounds
            .get(&self.set_id())
            .and_then(|rounds| rounds.prepared(block));
        finalized.is_none_or(|hash| hash == commitment.block_hash)
            && &commitment.next == self.state.successor_at(block)
            && prepared.is_none_or(|message| message.commitment() == commitment)
    }

    /// ROUND-6: publishes in turn; everybody watches for the first proof of somebody else.
    fn await_publication(
        &mut self,
        proof: &Justification,
        mandatory: bool,
        rank: Option<u32>,
        now: Millis,
    ) {
        let commitment = proof.commitment();
        let Some(set) = self.signing_set().cloned() else {
            return;
        };
        if let Some(rank) = rank {
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
