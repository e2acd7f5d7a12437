//! The voter's requests to its host: sets, commitments, signatures, missing proofs, time. (ROUND-1 to ROUND-6)

use super::{Outbox, Voter};
use crate::{Effect, Millis};
use duet_primitives::BlockNumber;

impl Voter {
    pub(super) fn ask(&mut self, now: Millis, out: &mut Outbox) {
        self.ask_sets(now, out);
        self.grow(now, out);
        if self.syncing {
            self.retry.prepare.keep(|_| false);
            self.retry.sign.keep(|_| false);
            self.retry.request.keep(|_| false);
            return;
        }
        self.ask_to_prepare(now, out);
        if self.is_silent() {
            self.retry.sign.keep(|_| false);
        } else {
            self.ask_to_sign(now, out);
        }
        self.ask_for_proofs(now, out);
    }

    /// The signing set and the next one.
    fn ask_sets(&mut self, now: Millis, out: &mut Outbox) {
        let missing: Vec<_> = self
            .state
            .eras()
            .take(2)
            .map(|era| &era.set)
            .filter(|set| !self.sets.contains_key(&set.id))
            .cloned()
            .collect();
        self.retry
            .load
            .keep(|id| missing.iter().any(|set| set.id == *id));
        for set in missing {
            if self.retry.load.ask(set.id, now, self.config.retry) {
                out.push(Effect::LoadSet(set));
            }
        }
    }

    /// Requests the commitment to vote on, and after a restart those of earlier votes.
    fn ask_to_prepare(&mut self, now: Millis, out: &mut Outbox) {
        let wanted = self.blocks_to_prepare();
        self.retry.prepare.keep(|block| wanted.contains(block));
        for number in wanted {
            if self.retry.prepare.ask(number, now, self.config.retry) {
                out.push(Effect::Prepare { number });
            }
        }
    }

    fn blocks_to_prepare(&self) -> Vec<BlockNumber> {
        let id = self.set_id();
        if !self.sets.contains_key(&id) {
            return Vec::new();
        }
        let voted = self.state.votes().iter().map(|vote| &vote.commitment);
        let voted = voted
            .filter(|vote| vote.validator_set_id == id)
            .map(|vote| vote.block_number);
        // Also where this node does not vote: what it prepared, it checks votes on in batches.
        let target = self.target().filter(|block| self.state.may_sign(*block));
        let rounds = self.rounds.get(&id);
        let prepared = |block| rounds.is_some_and(|rounds| rounds.prepared(block).is_some());
        let late = self.growing.unsigned().filter(|(_, own)| own.is_none());
        voted
            .chain(target)
            .filter(|block| self.is_votable(*block) && !prepared(*block))
            .chain(late.map(|(block, _)| block))
            .collect()
    }

    /// ROUND-4: one signature per block, and only on this node's own chain: on the target, and on a mandatory block
    /// that was proven meanwhile (ROUND-9).
    fn ask_to_sign(&mut self, now: Millis, out: &mut Outbox) {
        let target = self.target().filter(|block| self.state.may_sign(*block));
        let rounds = self.rounds.get(&self.set_id());
        let prepared = target.and_then(|block| rounds?.prepared(block)).cloned();
        let late = self.growing.unsigned();
        let late = late.and_then(|(_, own)| own).cloned();
        let wanted: Vec<_> = late.into_iter().chain(prepared).collect();
        self.retry.sign.keep(|block| {
            let mut blocks = wanted
                .iter()
                .map(|message| message.commitment().block_number);
            blocks.any(|wanted| wanted == *block)
        });
        let Some((signer, key)) = self.own(self.set_id()) else {
            return;
        };
        for message in wanted {
            let block = message.commitment().block_number;
            if self.retry.sign.ask(block, now, self.config.retry) {
                out.push(Effect::Sign {
                    message,
                    signer,
                    key,
                });
            }
        }
    }

    /// A pending mandatory block: at once when its session is over, because its signers have moved
    /// on; otherwise when its round takes too long.
    fn ask_for_proofs(&mut self, now: Millis, out: &mut Outbox) {
        let scanned = self.state.scanned();
        let pending = self
            .state
            .pending()
            .filter(|block| *block <= scanned)
            .map(|_| self.set_id());
        self.retry.request.keep(|id| Some(*id) == pending);
        let Some(first_set) = pending else { return };
        let is_over = self
            .state
            .next()
            .and_then(|next| next.start)
            .is_some_and(|start| start <= scanned);
        let delay = if is_over { 0 } else { self.config.retry };
        if self
            .retry
            .request
            .ask_after(first_set, now, delay, self.config.retry)
        {
            out.push(Effect::Request { first_set });
        }
    }

    /// ROUND-6: publishes due proofs, and once in a while repeats proofs that a lossy network may have lost.
    pub(super) fn publish(&mut self, now: Millis, out: &mut Outbox) {
        for proof in self.schedule.due(now) {
            self.unwatch(proof.commitment.block_number);
            out.push(Effect::PublishJustification(proof));
        }
        let at = self
            .rebroadcast_at
            .get_or_insert(now.saturating_add(self.config.rebroadcast));
        if *at <= now {
            *at = now.saturating_add(self.config.rebroadcast.max(1));
            self.rebroadcast(out);
        }
    }

    fn rebroadcast(&self, out: &mut Outbox) {
        let rounds = self.rounds.get(&self.set_id());
        let votes = self.state.votes().iter().filter(|_| !self.is_silent());
        for own in votes {
            let block = own.commitment.block_number;
            if let Some(vote) = rounds.and_then(|rounds| rounds.vote(block, own.signer)) {
                out.push(Effect::PublishVote(vote.clone()));
            }
        }
        if let Some(best) = self.best() {
            out.push(Effect::PublishJustification(best.clone()));
        }
    }

    pub(super) fn wake(&mut self, now: Millis, out: &mut Outbox) {
        let retry = &self.retry;
        let times = [
            retry.load.next(),
            retry.prepare.next(),
            retry.sign.next(),
            retry.request.next(),
            retry.aggregate.next(),
            retry.grow.next(),
            self.growing.next(),
            self.schedule.next(),
            self.rebroadcast_at,
            self.gathering.filter(|until| *until > now),
        ];
        let next = times.into_iter().flatten().min();
        let passed = self.wake_at.is_some_and(|at| at <= now);
        if next != self.wake_at || passed {
            self.wake_at = next;
            if let Some(at) = next {
                out.push(Effect::WakeAt(at));
            }
        }
    }
}
