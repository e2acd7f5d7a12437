//! The host of one voter: chain, disk, signer and gossip, with a power switch between any two
//! effects.

use super::{
    below,
    chain::{Chain, Log},
    crypto,
    judge::Judge,
    pick, Item, Message, NodeId, Scenario, World,
};
use duet_primitives::{
    testing, BlockNumber, Commitment, Justification, SetId, UncheckedJustification, UncheckedVote,
    H256,
};
use duet_voter::{
    Config, Effect, Event, Filter, Millis, Recorded, RecordedProof, State, Verdict, Voter,
};
use std::{collections::BTreeMap, sync::Arc};

pub(crate) struct Node {
    pub(crate) id: NodeId,
    /// Grows with every crash.
    pub(crate) epoch: u64,
    pub(crate) wake_at: Option<Millis>,
    pub(crate) running: Option<Running>,
    disk: Disk,
    config: Config,
    /// What GRANDPA finalized here; the chain's database survives crashes.
    grandpa: BlockNumber,
    effects: u64,
    members: usize,
}

/// What a crash takes away.
pub(crate) struct Running {
    pub(crate) voter: Voter,
    pub(crate) filter: Filter,
}

/// What a crash leaves.
#[derive(Default)]
struct Disk {
    state: Option<Vec<u8>>,
    first: Option<State>,
    handoffs: BTreeMap<SetId, UncheckedJustification>,
}

impl Node {
    pub(crate) fn new(id: NodeId, chain: &Chain, scenario: &Scenario) -> Self {
        let first = State::new(
            chain.eras[0].set.set.commitment().clone(),
            BlockNumber::new(1),
        );
        let disk = Disk {
            first: Some(first),
            ..Disk::default()
        };
        let config = scenario.config.clone();
        let mut node = Self {
            id,
            epoch: 0,
            wake_at: None,
            running: None,
            disk,
            config,
            grandpa: BlockNumber::new(0),
            effects: 0,
            members: chain
                .eras
                .iter()
                .map(|era| era.set.secrets.len())
                .max()
                .unwrap_or(0),
        };
        node.boot();
        node
    }

    fn boot(&mut self) {
        let stored = self.disk.state.as_deref().map(State::from_bytes);
        let state = stored.map(|state| state.expect("what was stored can be read"));
        let state = state
            .or(self.disk.first.clone())
            .expect("every node has a first state");
        let key = testing::secret(self.id as u64).public().pk1();
        let filter = Filter::new(self.config.rounds_per_signer);
        let voter = Voter::new(self.config.clone(), state, vec![key]);
        self.running = Some(Running { voter, filter });
    }

    /// How many effects it carried out in all its lives.
    pub(crate) fn effects(&self) -> u64 {
        self.effects
    }

    /// How many signed each handoff proof that it stores.
    pub(crate) fn handoff_signers(&self) -> Vec<u32> {
        let handoffs = self.disk.handoffs.values();
        handoffs.map(|proof| proof.signers.count()).collect()
    }

    pub(crate) fn voter(&self) -> &Voter {
        &self.running.as_ref().expect("the node runs").voter
    }

    /// GOSSIP-7 and ROUND-7: nothing piles up.
    pub(crate) fn check_memory(&self, judge: &Judge) {
        let Some(Running { voter, filter }) = &self.running else {
            return;
        };
        let bound = self.members * self.config.rounds_per_signer * 2;
        judge.require(voter.votes_held() <= bound, || {
            format!("node {} holds too many votes", self.id)
        });
        judge.require(filter.votes_held() <= bound + 8 * self.members, || {
            format!("the filter of node {} holds too many votes", self.id)
        });
        judge.require(
            voter.justifications_held() <= self.config.max_justifications,
            || format!("node {} holds too many justifications", self.id),
        );
    }
}

impl World {
    pub(super) fn start(&mut self, id: NodeId) {
        let Some(node) = self.node_mut(id) else {
            return;
        };
        if node.running.is_none() {
            node.boot();
        }
        let grandpa = node.grandpa;
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
        }
    }

    pub(super) fn feed(&mut self, id: NodeId, event: Event) {
        let now = self.now;
        let Some(node) = self.node_mut(id) else {
            return;
        };
        let Some(Running { voter, filter }) = &mut node.running else {
            return;
        };
        if let Event::Prepared(message) = &event {
            filter.prepare(message);
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
            Effect::Diverged(proof) => self.judge.diverged(id, proof.as_unchecked()),
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
                let vote = crypto::check_vote(&era.set, vote).expect("own votes hold");
                self.answer(id, Event::Signed(vote));
            }
            Effect::Aggregate(votes) => {
                self.answer(id, Event::Aggregated(Box::new(votes.run())));
            }
            Effect::Request { first_set } => {
                for _ in 0..2 {
                    let peers = self.network.peers(id);
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

    pub(super) fn receive(&mut self, from: NodeId, to: NodeId, message: &Arc<Message>) {
        if self.node(to).is_none_or(|node| node.running.is_none()) {
            return;
        }
        match message.as_ref() {
            Message::Vote(vote) => self.receive_vote(from, to, vote, message),
            Message::Proof(proof) => self.receive_proof(from, to, proof, message),
            Message::Request { first_set } => self.serve(from, to, SetId::new(*first_set)),
            Message::Response(proofs) => self.receive_response(from, to, proofs),
        }
    }

    fn receive_vote(
        &mut self,
        from: NodeId,
        to: NodeId,
        vote: &UncheckedVote,
        message: &Arc<Message>,
    ) {
        let Some(Actors { filter, epoch, .. }) = self.parts(to) else {
            return;
        };
        match filter.vote(vote) {
            Verdict::Check(_) => {}
            Verdict::Blame(_) => return self.judge.blamed(to, from),
            Verdict::Known | Verdict::Ignore(_) => return,
        }
        let era = self
            .chain
            .era(vote.commitment.validator_set_id)
            .expect("the filter knows it");
        let checked = match crypto::check_vote(&era.set, vote.clone()) {
            Ok(checked) => checked,
            Err(_) => return self.judge.blamed(to, from),
        };
        self.judge.checked_vote(to, epoch, vote);
        let Some(Actors { filter, .. }) = self.parts(to) else {
            return;
        };
        match filter.record_vote(&checked) {
            Recorded::New => {
                self.network
                    .broadcast(self.now, to, Some(from), message, &mut self.rng);
                self.feed(to, Event::Votes(vec![checked]));
            }
            Recorded::Equivocation(proof) => {
                self.network
                    .broadcast(self.now, to, Some(from), message, &mut self.rng);
                self.feed(to, Event::Equivocation(proof));
            }
            Recorded::Fuller => self.feed(to, Event::Votes(vec![checked])),
            Recorded::Late | Recorded::Duplicate => {}
            Recorded::Misuse(error) => panic!("the filter was misused: {error}"),
        }
    }

    fn receive_proof(
        &mut self,
        from: NodeId,
        to: NodeId,
        proof: &UncheckedJustification,
        message: &Arc<Message>,
    ) {
        let Some(Actors { filter, epoch, .. }) = self.parts(to) else {
            return;
        };
        match filter.justification(proof) {
            Verdict::Check(_) => {}
            Verdict::Blame(_) => return self.judge.blamed(to, from),
            Verdict::Known | Verdict::Ignore(_) => return,
        }
        let era = self
            .chain
            .era(proof.commitment.validator_set_id)
            .expect("the filter knows it");
        let checked = match crypto::check_proof(&era.set, proof.clone()) {
            Ok(checked) => checked,
            Err(_) => return self.judge.blamed(to, from),
        };
        self.judge.checked_proof(to, epoch, proof);
        let Some(Actors { filter, .. }) = self.parts(to) else {
            return;
        };
        if filter.record_justification(&checked) == RecordedProof::New {
            self.network
                .broadcast(self.now, to, Some(from), message, &mut self.rng);
            self.feed(to, Event::Justification(checked));
        }
    }

    /// Mandatory proofs from the asked set on, a few at a time.
    fn serve(&mut self, from: NodeId, to: NodeId, first_set: SetId) {
        let Some(node) = self.node(to) else { return };
        let held = node
            .disk
            .handoffs
            .range(first_set..)
            .map(|(_, proof)| proof.clone());
        let message = Message::Response(held.take(3).collect());
        self.network
            .send(self.now, to, from, &Arc::new(message), &mut self.rng);
    }

    fn receive_response(&mut self, from: NodeId, to: NodeId, proofs: &[UncheckedJustification]) {
        let mut checked = Vec::new();
        for proof in proofs {
            let id = proof.commitment.validator_set_id;
            let Some(node) = self.node(to) else { return };
            let Some(known) = node.voter().era(id) else {
                continue;
            };
            let era = self.chain.era(id).expect("the voter knows it");
            assert_eq!(
                &known.set,
                era.set.set.commitment(),
                "the voter's eras are those of the chain"
            );
            match crypto::check_proof(&era.set, proof.clone()) {
                Ok(proof) => checked.push(proof),
                Err(_) => {
                    self.judge.blamed(to, from);
                    break;
                }
            }
        }
        self.feed(to, Event::Response(checked));
    }

    fn parts(&mut self, id: NodeId) -> Option<Actors<'_>> {
        let node = self.node_mut(id)?;
        let epoch = node.epoch;
        let Running { filter, .. } = node.running.as_mut()?;
        Some(Actors { filter, epoch })
    }
}

struct Actors<'a> {
    filter: &'a mut Filter,
    epoch: u64,
}
