//! Adds late votes to proofs. (ROUND-9)
//!
//! A proof is made as soon as enough members have voted, so it mostly lacks honest members that are a little later.
//! Verifiers without keys pay for each missing signer. Late votes are checked anyway, as evidence may be among them;
//! here they are added to the proof. Published proofs do not change, and nothing waits for late votes.

use super::{
    count,
    growing::{place, Growing},
    Outbox, Voter,
};
use crate::{Aggregated, Aggregation, Effect, Millis};
use duet_primitives::{Justification, RoundMessage, Vote};
use std::{collections::BTreeMap, sync::Arc};

impl Voter {
    /// A block of the signing set was proven, and its round is not pruned yet. `unsigned` says that it is a mandatory one
    /// about which this node may still sign.
    pub(super) fn let_grow(
        &mut self,
        proof: &Justification,
        mandatory: bool,
        unsigned: bool,
        now: Millis,
    ) {
        let Some(set) = self.signing_set().cloned() else {
            return;
        };
        let (id, block) = place(proof.commitment());
        let rounds = self.rounds.get(&id);
        let mut growing = Growing {
            set,
            proof: proof.clone(),
            mandatory,
            votes: BTreeMap::new(),
            at: now.saturating_add(self.config.grow_step),
            unsigned,
            own: rounds.and_then(|rounds| rounds.prepared(block)).cloned(),
        };
        if growing.is_full() {
            return;
        }
        let held = rounds.into_iter().flat_map(|rounds| rounds.votes_on(block));
        for vote in held {
            if growing.lacks(vote) {
                growing.votes.insert(vote.signer(), vote.clone());
            }
        }
        self.growing.push(growing);
    }

    /// Takes a vote that came after its block was proven; returns whether it was useful.
    pub(super) fn late_vote(&mut self, vote: &Vote) -> bool {
        let Some(growing) = self.growing.get_mut(place(vote.commitment())) else {
            return false;
        };
        let lacks = growing.lacks(vote);
        if lacks {
            growing.votes.insert(vote.signer(), Arc::new(vote.clone()));
        }
        lacks
    }

    /// Has votes added to proofs: at most once per step, and at once when they are all that is missing.
    pub(super) fn grow(&mut self, now: Millis, out: &mut Outbox) {
        let Self {
            growing,
            retry,
            config,
            ..
        } = self;
        retry.grow.keep(|asked| growing.get(*asked).is_some());
        for one in growing.due(now) {
            one.at = now.saturating_add(config.grow_step.max(1));
            let first = one.votes.values().next();
            let Some(message) = first.map(|vote| vote.message().clone()) else {
                continue;
            };
            if retry.grow.ask(one.place(), now, config.retry) {
                let votes = one.votes.values().cloned().collect();
                let aggregation =
                    Aggregation::extending(one.set.clone(), one.proof.clone(), message, votes);
                out.push(Effect::Aggregate(Box::new(aggregation)));
            }
        }
    }

    /// Takes the result of adding votes to a proof.
    pub(super) fn grown(&mut self, aggregated: Aggregated, out: &mut Outbox) {
        let place = aggregated.place();
        self.retry.grow.keep(|asked| *asked != place);
        let Some(growing) = self.growing.get_mut(place) else {
            return;
        };
        let Ok(proof) = aggregated.justification else {
            count(&mut self.counters.inconsistent);
            growing.votes.clear();
            return;
        };
        if proof.signers().count() <= growing.proof.signers().count() {
            return; // The answer to an earlier question.
        }
        growing.proof = proof.clone();
        let signers = proof.signers();
        growing.votes.retain(|signer, _| !signers.contains(*signer));
        out.push(Effect::Grow {
            mandatory: growing.mandatory,
            justification: proof.clone(),
        });
        self.growing.drop_full();
    }

    /// Takes this node's message about a block that was proven meanwhile; returns whether it was useful.
    pub(super) fn prepared_late(&mut self, message: &RoundMessage) -> bool {
        let Some(growing) = self.growing.get_mut(place(message.commitment())) else {
            return false;
        };
        if message.commitment() == growing.proof.commitment() {
            growing.own = Some(message.clone());
        } else {
            // This node's chain says something else: it stays silent.
            growing.unsigned = false;
            count(&mut self.counters.inconsistent);
        }
        true
    }

    /// Publishes an own vote on a mandatory block that was proven without it, and adds it to the proof; returns whether
    /// it was such a vote. The signer has a record of it, and after a restart nothing is signed about a proven block.
    /// (ROUND-4)
    pub(super) fn signed_late(&mut self, vote: &Vote, out: &mut Outbox) -> bool {
        let own = self.own_signer() == Some(vote.signer());
        let growing = self.growing.get_mut(place(vote.commitment()));
        let Some(growing) = growing.filter(|one| one.unsigned && own) else {
            return false;
        };
        if growing.proof.commitment() != vote.commitment() {
            count(&mut self.counters.inconsistent);
            return true;
        }
        growing.unsigned = false;
        self.late_vote(vote);
        out.push(Effect::PublishVote(vote.clone()));
        true
    }
}
