//! One round: from the first vote to the last node that has a proof.
//!
//! A node's connection is one queue in and one out. What arrives is dealt with in its order by one task, as the
//! gossip engine does: what is known is dropped after a look-up, a new vote is checked and then forwarded to all
//! peers but the one it came from, a bad one costs its sender reputation until the link is closed. A second task,
//! the voter, adds up the votes when a threshold is there.

mod event;
mod footprint;
mod node;

pub use node::NodeReport;

use crate::{
    costs::SchemeCosts,
    mesh::Edge,
    model::Model,
    plan::{Plan, VoteBatch},
    queue::{Event, Queue},
    reputation::Reputation,
    sizes::MessageSizes,
};
use event::{Message, What};
use footprint::Footprint;
use node::{Node, Noted};

/// What a round runs on.
#[derive(Clone, Copy, Debug)]
pub struct Round<'a> {
    /// The network and its validators.
    pub plan: &'a Plan,
    /// The assumptions.
    pub model: &'a Model,
    /// What the scheme's work takes.
    pub costs: &'a SchemeCosts,
    /// What every message of a vote's length takes, in nanoseconds.
    pub message: u64,
    /// The scheme's messages.
    pub sizes: MessageSizes,
    /// How many votes make a proof.
    pub threshold: u32,
}

/// What a round came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The honest nodes.
    pub nodes: Vec<NodeReport>,
    /// When the first of them had added up a proof; `None` when no threshold was reached.
    pub first_proof: Option<u64>,
    /// When the last of them had a proof; `None` when one has none.
    pub last_proof: Option<u64>,
    /// Links between an honest node and a garbage sender.
    pub garbage_links: u32,
    /// Those of them that were closed.
    pub closed_links: u32,
    /// Events that were simulated.
    pub events: u64,
}

impl Round<'_> {
    /// Runs the round.
    pub fn run(&self) -> Outcome {
        let mut running = Running::new(*self);
        running.start();
        while let Some((at, what)) = running.next() {
            running.handle(at, what);
        }
        running.outcome()
    }

    /// What a message of so many bytes takes.
    fn footprint(&self, bytes: u64) -> Footprint {
        Footprint {
            bytes,
            duration: self.model.transmission(bytes),
            handling: self.message * bytes / self.sizes.vote.max(1),
        }
    }
}

/// A round under way.
struct Running<'a> {
    round: Round<'a>,
    nodes: Vec<Node>,
    noted: Noted,
    /// By edge: what its receiver thinks of its sender.
    reputations: Vec<Reputation>,
    /// By edge.
    is_closed: Vec<bool>,
    queue: Queue,
    /// Events that are under way and not only somebody's turn to publish.
    pending: u64,
    /// Honest nodes that have no proof.
    without_proof: u32,
    /// Honest nodes that have seen nobody's published proof.
    without_message: u32,
    first_proof: Option<u64>,
    events: u64,
    /// By edge: who receives. Small enough to stay in the cache, which the mesh is not.
    receivers: Vec<u32>,
    /// What one vote and a proof take.
    footprints: (Footprint, Footprint),
}

fn index(at: u32) -> usize {
    usize::try_from(at).expect("u32 fits; qed")
}

impl<'a> Running<'a> {
    fn new(round: Round<'a>) -> Self {
        let Plan {
            mesh,
            garbage,
            batches,
            ..
        } = round.plan;
        let honest = (0..garbage.len()).filter(|at| !garbage[*at]).count();
        let honest = u32::try_from(honest).expect("fewer nodes than 2^32; qed");
        let mut nodes = vec![Node::default(); garbage.len()];
        for (index, node) in (0..).zip(&mut nodes) {
            node.tally.index = index;
        }
        let edges = mesh.edges().len();
        Self {
            noted: Noted::new(nodes.len(), batches.len()),
            nodes,
            reputations: vec![Reputation::default(); edges],
            is_closed: vec![false; edges],
            queue: Queue::new(),
            pending: 0,
            without_proof: honest,
            without_message: honest,
            first_proof: None,
            events: 0,
            receivers: mesh.edges().iter().map(|edge| edge.to).collect(),
            footprints: (
                round.footprint(round.sizes.vote),
                round.footprint(round.sizes.proof),
            ),
            round,
        }
    }

    fn start(&mut self) {
        let plan = self.round.plan;
        for (batch, cast) in (0..).zip(&plan.batches) {
            self.push(cast.at, What::Cast { batch });
        }
        let interval = u128::from(self.round.model.garbage_interval());
        for (edge, phase) in (0..).zip(&plan.phases) {
            if self.is_from_garbage_to_honest(edge) {
                let at = (interval * u128::from(*phase)) >> u32::BITS;
                let at = u64::try_from(at).expect("below the interval; qed");
                self.push(at, What::Garbage { edge });
            }
        }
    }

    fn is_from_garbage_to_honest(&self, edge: u32) -> bool {
        let plan = self.round.plan;
        let Edge { from, to, .. } = *plan.mesh.edge(edge);
        plan.garbage[index(from)] && !plan.garbage[index(to)]
    }

    fn push(&mut self, at: u64, what: What) {
        if !matches!(what, What::Publishes { .. }) {
            self.pending += 1;
        }
        let what = what.encode();
        self.queue.push(Event { at, what });
    }

    /// The next event, until all that is left are turns of nodes that have nothing to publish any more.
    fn next(&mut self) -> Option<(u64, What)> {
        if self.pending == 0 && self.without_message == 0 {
            return None;
        }
        let event = self.queue.pop()?;
        let what = What::decode(event.what).expect("only events are entered; qed");
        if !matches!(what, What::Publishes { .. }) {
            self.pending -= 1;
        }
        self.events += 1;
        Some((event.at, what))
    }

    fn handle(&mut self, at: u64, what: What) {
        match what {
            What::Cast { batch } => self.cast(at, batch),
            What::Arrives { edge, message } => self.arrives(at, edge, message),
            What::Checked { edge, message } => self.checked(at, edge, message),
            What::Concludes { node } => self.concludes(at, node),
            What::Publishes { node } => self.publishes(at, node),
            What::Garbage { edge } => self.garbage(at, edge),
            What::Bans { edge } => self.bans(edge),
        }
    }

    fn batch(&self, batch: u32) -> VoteBatch {
        self.round.plan.batches[index(batch)]
    }

    fn cast(&mut self, at: u64, batch: u32) {
        let VoteBatch { voter, votes, .. } = self.batch(batch);
        if self.nodes[index(voter)].tally.proof_at.is_some() {
            return; // Nobody votes on what is proven.
        }
        self.noted.insert(index(voter), index(batch));
        self.forward(at, voter, None, Message::VoteBatch(batch));
        self.count(at, voter, votes);
    }

    /// How many good votes a message holds, if it is one of votes.
    fn votes(&self, message: Message) -> Option<u32> {
        match message {
            Message::VoteBatch(batch) => Some(self.batch(batch).votes),
            Message::Garbage | Message::Proof => None,
        }
    }

    fn footprint(&self, message: Message) -> Footprint {
        let (vote, proof) = self.footprints;
        match message {
            Message::VoteBatch(batch) => vote.times(self.batch(batch).votes),
            Message::Garbage => vote,
            Message::Proof => proof,
        }
    }

    /// The node's task takes a message that it knows for a duplicate, or checks it.
    fn arrives(&mut self, at: u64, edge: u32, message: Message) {
        if self.is_closed[index(edge)] {
            return;
        }
        let to = index(self.receivers[index(edge)]);
        let Footprint {
            bytes,
            duration,
            handling,
        } = self.footprint(message);
        let there = self.nodes[to].receive(at, bytes, duration);
        // Messages have their turn in the order in which they come: the sender of this one is banned before it
        // has its own.
        if self.reputations[index(edge)].is_banned() {
            self.nodes[to].check(there, handling);
            return;
        }
        match self.check_of_new(to, message) {
            Some(check) => {
                let done = self.nodes[to].check(there, handling + check);
                if self.conduct(edge, message) {
                    self.push(done, What::Bans { edge });
                }
                self.push(done, What::Checked { edge, message });
            }
            None => {
                let messages = self.votes(message).unwrap_or(1);
                let node = &mut self.nodes[to];
                node.check(there, handling);
                node.tally.duplicates += u64::from(messages);
            }
        }
    }

    /// What the check of a message takes, which the node knows from now on; `None` when it knew it before.
    fn check_of_new(&mut self, node: usize, message: Message) -> Option<u64> {
        let costs = self.round.costs;
        let (is_new, cost) = match message {
            Message::VoteBatch(batch) => {
                let votes = u64::from(self.batch(batch).votes);
                let is_new = self.noted.insert(node, index(batch));
                (is_new, votes * costs.vote)
            }
            Message::Garbage => (true, costs.bad_vote),
            Message::Proof => {
                let has_it = &mut self.nodes[node].has_proof_message;
                (!std::mem::replace(has_it, true), costs.proof)
            }
        };
        is_new.then_some(cost)
    }

    /// What a message says of its sender once it is checked; whether it is the one that gets the sender banned.
    fn conduct(&mut self, edge: u32, message: Message) -> bool {
        let votes = self.votes(message);
        let reputation = &mut self.reputations[index(edge)];
        if let Some(votes) = votes {
            reputation.reward(votes);
        }
        message == Message::Garbage && reputation.strike()
    }

    fn bans(&mut self, edge: u32) {
        let back = self.round.plan.mesh.edge(edge).back;
        self.is_closed[index(edge)] = true;
        self.is_closed[index(back)] = true;
    }

    fn checked(&mut self, at: u64, edge: u32, message: Message) {
        let Edge { to, back, .. } = *self.round.plan.mesh.edge(edge);
        match message {
            Message::VoteBatch(batch) => {
                let votes = self.batch(batch).votes;
                // Votes on what is proven are checked for evidence, and of no use to anybody else.
                if self.nodes[index(to)].tally.proof_at.is_none() {
                    self.forward(at, to, Some(back), message);
                }
                self.count(at, to, votes);
            }
            Message::Garbage => self.nodes[index(to)].tally.bad_votes += 1,
            Message::Proof => {
                self.sees_proof(to);
                self.settles(at, to);
                self.forward(at, to, Some(back), message);
            }
        }
    }

    /// Sends to all peers but the one that the message came from.
    fn forward(&mut self, at: u64, node: u32, origin: Option<u32>, message: Message) {
        let plan = self.round.plan;
        let Footprint {
            bytes, duration, ..
        } = self.footprint(message);
        for edge in plan.mesh.edges_of(node) {
            if Some(edge) == origin || self.is_closed[index(edge)] {
                continue;
            }
            let left = self.nodes[index(node)].send(at, bytes, duration);
            let Edge { to, latency, .. } = *plan.mesh.edge(edge);
            if !plan.garbage[index(to)] {
                // The receiver books the time that the bytes take, from the first of them on.
                let first_byte = left - duration + latency;
                self.push(first_byte, What::Arrives { edge, message });
            }
        }
    }

    fn count(&mut self, at: u64, node: u32, votes: u32) {
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

    fn concludes(&mut self, at: u64, node: u32) {
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

    fn publishes(&mut self, at: u64, node: u32) {
        if self.nodes[index(node)].has_seen_proof {
            return;
        }
        self.nodes[index(node)].has_proof_message = true;
        self.sees_proof(node);
        self.forward(at, node, None, Message::Proof);
    }

    fn sees_proof(&mut self, node: u32) {
        let node = &mut self.nodes[index(node)];
        if !std::mem::replace(&mut node.has_seen_proof, true) {
            self.without_message -= 1;
        }
    }

    fn settles(&mut self, at: u64, node: u32) {
        let tally = &mut self.nodes[index(node)].tally;
        if tally.proof_at.is_none() {
            tally.proof_at = Some(at);
            self.without_proof -= 1;
        }
    }

    /// Goes on until the link is closed or the round is over.
    fn garbage(&mut self, at: u64, edge: u32) {
        if self.is_closed[index(edge)] || self.without_proof == 0 {
            return;
        }
        let latency = self.round.plan.mesh.edge(edge).latency;
        let message = Message::Garbage;
        self.push(at + latency, What::Arrives { edge, message });
        let next = at + self.round.model.garbage_interval();
        self.push(next, What::Garbage { edge });
    }

    fn outcome(self) -> Outcome {
        let garbage = &self.round.plan.garbage;
        let honest = self
            .nodes
            .iter()
            .zip(garbage)
            .filter(|(_, garbage)| !**garbage);
        let nodes: Vec<_> = honest.map(|(node, _)| node.tally).collect();
        let proofs: Option<Vec<_>> = nodes.iter().map(|node| node.proof_at).collect();
        let edges = || {
            (0..)
                .zip(&self.is_closed)
                .filter(|(edge, _)| self.is_from_garbage_to_honest(*edge))
        };
        let count = |edges: usize| u32::try_from(edges).expect("fewer edges than 2^32; qed");
        Outcome {
            first_proof: self.first_proof,
            last_proof: proofs.and_then(|proofs| proofs.into_iter().max()),
            garbage_links: count(edges().count()),
            closed_links: count(edges().filter(|(_, is_closed)| **is_closed).count()),
            events: self.events,
            nodes,
        }
    }
}
