//! Carries out what a voter asks for, effect by effect, with a power switch between any two of them.

use super::{
    below,
    chain::Log,
    crypto,
    node::Running,
    pick,
    world::{Actor, World},
    Item, Message, NodeId,
};
use duet_primitives::{BlockNumber, Commitment, Justification, H256};
use duet_voter::{Effect, Event};
use std::sync::Arc;

impl World {
    pub(super) fn start(&mut self, id: NodeId) {
        let Some(node) = self.node_mut(id) else {
            return;
        };
        if node.running.is_none() {
            node.boot();
        }
        let grandpa = node.grandpa;
        if !node.disk.contradictions.is_empty() {
            self.feed(id, Event::Halted(true));
        }
        self.feed(id, Event::Tick);
        self.grandpa(id, grandpa);
    }

    pub(super) fn crash(&mut self, id: NodeId) {
        let downtime = 100 + below(&mut self.rng, 4_000);
        let Some(node) = self.node_mut(id) else {
            return;
        };
        node.epoch += 1;
        node.wake_at = None;
        node.running = None;
        self.judge.crashed(id);
        self.network
            .at(self.now + downtime, Item::Restart { node: id });
    }

    /// GRANDPA finalizes: the logs since the last time, then the block.
    pub(super) fn grandpa(&mut self, id: NodeId, number: BlockNumber) {
        let Some(node) = self.node_mut(id) else {
            return;
        };
        node.grandpa = node.grandpa.max(number);
        let Some(running) = &node.running else { return };
        let (from, to) = (running.voter.scanned().get() + 1, node.grandpa.get());
        let (epoch, chain) = (node.epoch, self.chain.clone());
        for block in (from..=to).map(BlockNumber::new) {
            for log in chain.logs(block) {
                let event = match log {
                    Log::Reset(set) => Event::Reset {
                        block,
                        set: chain.era(set).expect("a set").set.set.commitment().clone(),
                    },
                    Log::Activated(set) => Event::Activated { block, id: set },
                    Log::Rules(rules) => Event::Rules { block, rules },
                    Log::Planned(set) => {
                        let era = chain.era(set).expect("planned sets exist");
                        Event::Planned {
                            block,
                            set: era.set.set.commitment().clone(),
                        }
                    }
                };
                if self.node(id).is_some_and(|node| node.epoch == epoch) {
                    self.feed(id, event);
                }
            }
        }
        if self.node(id).is_some_and(|node| node.epoch == epoch) {
            self.feed(
                id,
                Event::Finalized {
                    number: BlockNumber::new(to),
                },
            );
            self.judge.finalized(id, BlockNumber::new(to));
        }
        self.compare_due_proofs(id);
    }

    pub(super) fn feed(&mut self, id: NodeId, event: Event) {
        let now = self.now;
        let Self { actors, judge, .. } = self;
        let Some(Actor::Honest(node)) = actors.get_mut(id) else {
            return;
        };
        let Some(Running { voter, filter, .. }) = &mut node.running else {
            return;
        };
        if let Event::Prepared(message) = &event {
            filter.prepare(message);
            judge.prepared(id, message.commitment());
        }
        let effects = voter.handle(event, now);
        filter.update(voter.window());
        for effect in effects {
            let Some(node) = self.node_mut(id) else {
                return;
            };
            let nth = node.effects;
            node.effects += 1;
            if self.scenario.crash_before_effect == Some((id, nth)) {
                return self.crash(id);
            }
            self.carry_out(id, effect);
        }
    }

    fn carry_out(&mut self, id: NodeId, effect: Effect) {
        match effect {
            Effect::Conclude {
                justification,
                mandatory,
            } => {
                self.conclude(id, &justification, mandatory);
            }
            Effect::Grow {
                justification,
                mandatory,
            } => {
                let proof = justification.as_unchecked();
                self.judge.grown(id, proof);
                self.judge.counted(id, proof);
                if let Some(node) = self.node_mut(id).filter(|_| mandatory) {
                    let set = proof.commitment.validator_set_id;
                    node.disk.handoffs.insert(set, proof.clone());
                }
            }
            Effect::Persist => {
                let Some(node) = self.node_mut(id) else {
                    return;
                };
                let state = node.voter().state().to_bytes();
                node.disk.state = Some(state);
                self.judge.persisted(id);
            }
            Effect::PublishVote(vote) => {
                let Some(node) = self.node_mut(id) else {
                    return;
                };
                let grandpa = node.grandpa;
                if let Some(running) = &mut node.running {
                    running.filter.record_vote(&vote);
                }
                let vote = vote.to_unchecked();
                self.judge.published(id, grandpa, &vote);
                self.judge.took(id, &vote);
                self.broadcast(id, None, Message::Vote(vote));
            }
            Effect::PublishJustification(proof) => {
                self.judge.published_proof(id, &proof);
                self.broadcast(id, None, Message::Proof(proof));
            }
            Effect::Report(proof) => {
                let epoch = self.node(id).map_or(0, |node| node.epoch);
                self.judge.reported(id, epoch, &proof);
            }
            Effect::Diverged(proof) => self.contradiction(id, proof.as_unchecked()),
            Effect::WakeAt(at) => {
                let at = at.max(self.now + 1);
                let Some(node) = self.node_mut(id) else {
                    return;
                };
                node.wake_at = Some(at);
                let epoch = node.epoch;
                self.network.at(at, Item::Wake { to: id, epoch, at });
            }
            Effect::LoadSet(commitment) => {
                let era = self.chain.era(commitment.id).expect("sets of the chain");
                let set = Arc::new(era.set.set.clone());
                self.answer(id, Event::Set(set));
            }
            Effect::Prepare { number } => {
                let commitment = self.prepared(id, number);
                self.answer(id, Event::Prepared(crypto::message(&commitment)));
            }
            Effect::Sign {
                message, signer, ..
            } => {
                let commitment = message.commitment();
                let era = self.chain.era(commitment.validator_set_id).expect("a set");
                let vote = crypto::sign(&era.set, signer, commitment);
                let vote = crypto::check_vote(&era.set, &vote).expect("own votes hold");
                self.answer(id, Event::Signed(vote));
            }
            Effect::Aggregate(votes) => {
                let sum = votes.run();
                let finalized = self.chain.commitment(sum.block()).block_hash;
                let sum = sum.with_finalized(finalized);
                self.answer(id, Event::Aggregated(Box::new(sum)));
            }
            Effect::Request { first_set } => {
                for _ in 0..2 {
                    let peers = self.network.peers(id);
                    // The only honest node has none.
                    if peers.is_empty() {
                        return;
                    }
                    let peer = peers[pick(&mut self.rng, peers.len())];
                    let message = Arc::new(Message::Request {
                        first_set: first_set.get(),
                    });
                    self.network
                        .send(self.now, id, peer, &message, &mut self.rng);
                }
            }
        }
    }

    /// What the node's chain says; a reorging node's says something else after each restart.
    fn prepared(&self, id: NodeId, number: BlockNumber) -> Commitment {
        let mut commitment = self.chain.commitment(number);
        let epoch = self.node(id).map_or(0, |node| node.epoch);
        if self.scenario.reorging == Some(id) && epoch > 0 {
            commitment.mmr_root = H256::from_low_u64_be(epoch);
        }
        commitment
    }

    /// The host answers after a while, and under bad network conditions sometimes not at all.
    fn answer(&mut self, id: NodeId, event: Event) {
        let epoch = self.node(id).map_or(0, |node| node.epoch);
        if below(&mut self.rng, 1000) < self.scenario.conditions.loss / 4 {
            return;
        }
        let at = self.now + 1 + below(&mut self.rng, 30);
        self.network.at(
            at,
            Item::Answer {
                to: id,
                epoch,
                event: Box::new(event),
            },
        );
    }

    fn conclude(&mut self, id: NodeId, proof: &Justification, mandatory: bool) {
        let proof = proof.as_unchecked();
        self.judge.concluded(id, proof, mandatory);
        self.judge.counted(id, proof);
        let Some(node) = self.node_mut(id) else {
            return;
        };
        if mandatory {
            node.disk
                .handoffs
                .insert(proof.commitment.validator_set_id, proof.clone());
        }
        // There may be room for logs that were refused.
        if node.voter().accepts_eras() && node.voter().scanned() < node.grandpa {
            let item = Item::Grandpa {
                to: id,
                number: node.grandpa,
            };
            self.network.at(self.now + 1, item);
        }
    }

    fn broadcast(&mut self, from: NodeId, except: Option<NodeId>, message: Message) {
        self.network
            .broadcast(self.now, from, except, &Arc::new(message), &mut self.rng);
    }
}
