//! State changes of each event. This module concludes and requests nothing.

use super::{count, Outbox, Voter};
use crate::{
    aggregation::Origin, round::Entered, state::Logged, Aggregated, Effect, Event, Millis,
};
use duet_primitives::{
    BlockNumber, DualKeyset, EquivocationProof, Justification, KeysetCommitment, RoundMessage,
    SetId, UncheckedVote, Vote, VotingRules,
};
use std::sync::Arc;

impl Voter {
    pub(super) fn apply(&mut self, event: Event, now: Millis, out: &mut Outbox) {
        match event {
            Event::Planned { block, set } => self.planned(block, set, out),
            Event::Activated { block, id } => self.activated(block, id, out),
            Event::Rules { block, rules } => self.ruled(block, rules, out),
            Event::Reset { block, set } => self.reset(block, set, out),
            Event::Finalized { number } => self.finalized(number),
            Event::Set(set) => self.loaded(set),
            Event::Prepared(message) => self.prepared(message, now, out),
            Event::Signed(vote) => self.signed(vote, now, out),
            Event::Aggregated(aggregated) => self.aggregated(*aggregated, out),
            Event::Votes(votes) => votes.into_iter().for_each(|vote| self.vote(vote, now)),
            Event::Equivocation(proof) => self.equivocation(proof, out),
            Event::Justification(proof) => self.justification(proof),
            Event::Response(proofs) => {
                proofs
                    .into_iter()
                    .for_each(|proof| self.justification(proof));
            }
            Event::OwnKeys(keys) => self.own_keys = keys,
            Event::Syncing(syncing) => self.syncing = syncing,
            Event::Halted(halted) => self.halted = halted,
            Event::Tick => {}
        }
    }

    fn planned(&mut self, block: BlockNumber, set: KeysetCommitment, out: &mut Outbox) {
        let is_new = self.state.eras().all(|era| set.id > era.set.id);
        if self.deferred.is_some() || is_new && !self.accepts_eras() {
            self.deferred.get_or_insert(block);
            count(&mut self.counters.deferred_plans);
            return;
        }
        let logged = self.state.plan(block, set);
        self.logged(logged, block, out);
    }

    fn activated(&mut self, block: BlockNumber, id: SetId, out: &mut Outbox) {
        if self.deferred.is_none() {
            let logged = self.state.activate(block, id);
            self.logged(logged, block, out);
        }
    }

    fn ruled(&mut self, block: BlockNumber, rules: VotingRules, out: &mut Outbox) {
        if self.deferred.is_none() {
            let logged = self.state.rule(block, rules);
            self.logged(logged, block, out);
        }
    }

    fn reset(&mut self, block: BlockNumber, set: KeysetCommitment, out: &mut Outbox) {
        let logged = self.state.reset(block, set);
        if logged == Logged::New {
            self.deferred = None;
            self.begin_era();
        }
        self.logged(logged, block, out);
    }

    fn logged(&mut self, logged: Logged, block: BlockNumber, out: &mut Outbox) {
        match logged {
            Logged::New => out.push(Effect::Persist),
            Logged::Known => {}
            Logged::Gap => {
                self.deferred.get_or_insert(block);
                count(&mut self.counters.inconsistent);
            }
        }
    }

    /// Logs that were not taken must be delivered again, so that nothing from their block on counts
    /// as finalized.
    fn finalized(&mut self, number: BlockNumber) {
        let taken = self
            .deferred
            .take()
            .map_or(number, BlockNumber::saturating_previous);
        self.state.scan(number.min(taken));
    }

    /// Keeps a set that is wanted: the signing one and the next.
    fn loaded(&mut self, set: Arc<DualKeyset>) {
        let wanted = self
            .state
            .eras()
            .take(2)
            .any(|era| &era.set == set.commitment());
        if wanted {
            self.sets.insert(set.keyset().id(), set);
        }
    }

    fn prepared(&mut self, message: RoundMessage, now: Millis, out: &mut Outbox) {
        let commitment = message.commitment();
        let block = commitment.block_number;
        if self.prepared_late(&message) || block < self.state.lowest() {
            return; // Concluded while the answer was under way.
        }
        let expected = self.state.successor_at(block);
        if commitment.validator_set_id != self.set_id()
            || &commitment.next != expected
            || !self.is_votable(block)
        {
            count(&mut self.counters.inconsistent);
            return;
        }
        self.rounds
            .entry(self.set_id())
            .or_default()
            .prepare(message.clone(), now);
        if let Some(vote) = self.state.vote_at(block).cloned() {
            self.resume(vote, &message, now, out);
        }
    }

    /// After a restart: the vote that was persisted counts again and is sent again. (ROUND-4)
    fn resume(
        &mut self,
        vote: UncheckedVote,
        message: &RoundMessage,
        now: Millis,
        out: &mut Outbox,
    ) {
        let Some(set) = self.signing_set().cloned() else {
            return;
        };
        match vote.check(set.keyset(), message) {
            Ok(vote) => {
                self.enter(vote.clone(), now);
                if !self.is_silent() {
                    out.push(Effect::PublishVote(vote));
                }
            }
            // The chain now says something else about a block that this node has signed: it stays
            // silent.
            Err(_) => count(&mut self.counters.inconsistent),
        }
    }

    fn signed(&mut self, vote: Vote, now: Millis, out: &mut Outbox) {
        if self.is_silent() {
            return; // A contradiction, or another set, came while the signer was at work. (ROUND-10, ROUND-11)
        }
        let (commitment, set) = (vote.commitment(), self.set_id());
        let block = commitment.block_number;
        if self.signed_late(&vote, out) || block < self.state.lowest() {
            return; // Concluded while the signer was at work.
        }
        let rounds = self.rounds.get(&set);
        let prepared = rounds.and_then(|rounds| rounds.prepared(block));
        if prepared.is_none_or(|message| message.commitment() != commitment) {
            count(&mut self.counters.inconsistent);
            return;
        }
        let own = self
            .own(set)
            .is_some_and(|(signer, _)| signer == vote.signer());
        if !own || !self.is_votable(block) || !self.state.may_sign(block) {
            if self.state.vote_at(block).is_none() {
                count(&mut self.counters.inconsistent);
            }
            return;
        }
        self.state.record(vote.to_unchecked());
        out.push(Effect::Persist);
        self.enter(vote.clone(), now);
        out.push(Effect::PublishVote(vote));
        self.rebroadcast_at = Some(now.saturating_add(self.config.rebroadcast));
    }

    /// A proof is concluded in [`Voter::advance`], unless a peer's came first.
    fn aggregated(&mut self, aggregated: Aggregated, out: &mut Outbox) {
        if aggregated.origin == Origin::Growth {
            return self.grown(aggregated, out);
        }
        self.aggregated = Some(aggregated);
    }

    fn vote(&mut self, vote: Vote, now: Millis) {
        let commitment = vote.commitment();
        let (id, block) = (commitment.validator_set_id, commitment.block_number);
        if id == self.set_id() && block >= self.state.lowest()
            || self.state.next().is_some_and(|next| next.set.id == id)
        {
            self.expect_own(&vote);
            self.enter(vote, now);
            return;
        }
        if let Some(rounds) = self.rounds.get_mut(&id) {
            rounds.hear(&vote, now);
        }
        if !self.late_vote(&vote) {
            count(&mut self.counters.stale_votes);
        }
    }

    /// Counts a vote of an own key that this node has not made: the key votes on another machine, too. Votes at the
    /// floor or below are not remembered singly.
    fn expect_own(&mut self, vote: &Vote) {
        let commitment = vote.commitment();
        let (id, block) = (commitment.validator_set_id, commitment.block_number);
        let is_own = |set: &Arc<DualKeyset>| {
            let key = set.keyset().key(vote.signer());
            key.is_some_and(|key| self.own_keys.contains(&key.to_bytes()))
        };
        if self.sets.get(&id).is_some_and(is_own) && self.state.may_sign(block) {
            count(&mut self.counters.own_key_elsewhere);
        }
    }

    fn enter(&mut self, vote: Vote, now: Millis) {
        let id = vote.commitment().validator_set_id;
        let limit = self.config.rounds_per_signer.max(1);
        let rounds = self.rounds.entry(id).or_default();
        rounds.hear(&vote, now);
        match rounds.enter(vote, limit, now) {
            Entered::Counted => {}
            Entered::CountedForLowest => count(&mut self.counters.dropped_votes),
            Entered::Repeated => count(&mut self.counters.stale_votes),
        }
    }

    /// Reports each offender once per set, and never this node itself: the count tells its operator.
    fn equivocation(&mut self, proof: Box<EquivocationProof>, out: &mut Outbox) {
        let id = proof.first.0.validator_set_id;
        if self.own_keys.contains(&proof.key) {
            count(&mut self.counters.inconsistent);
        } else if self.reported.insert((id, proof.signer)) {
            out.push(Effect::Report(proof));
        }
    }

    fn justification(&mut self, proof: Justification) {
        let commitment = proof.commitment();
        let (id, block) = (commitment.validator_set_id, commitment.block_number);
        let unpublished = self.unpublished.len();
        self.unpublished
            .retain(|one| one.set.keyset().id() != id || one.lowest != block);
        if self.unpublished.len() < unpublished {
            self.schedule.seen(block);
            return;
        }
        if self.era(id).is_none() || block <= self.state.best_number() {
            count(&mut self.counters.stale_justifications);
            return;
        }
        let dropped = &mut self.counters.dropped_justifications;
        *dropped = dropped.saturating_add(self.proofs.insert(proof));
    }
}
