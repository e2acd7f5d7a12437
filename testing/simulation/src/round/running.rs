//! A round under way: everything that changes, and the queue of what happens next.

use super::{
    event::{Message, What},
    footprint::Footprint,
    link::Link,
    node::Node,
    noted::Noted,
    outcome::Outcome,
    pending::{Job, Limits, Pending},
    setup::Round,
};
use crate::{
    mesh::Edge,
    plan::{Plan, VoteBatch},
    queue::{Event, Queue},
    reputation::Reputation,
};

/// A round under way.
pub(super) struct Running<'a> {
    pub(super) round: Round<'a>,
    pub(super) nodes: Vec<Node>,
    /// Which node knows which batch to be good.
    pub(super) known: Noted,
    /// By edge: what its sender need not send, because the receiver had sent it.
    pub(super) brought: Noted,
    /// By edge: what its receiver thinks of its sender.
    pub(super) reputations: Vec<Reputation>,
    /// By edge.
    pub(super) is_closed: Vec<bool>,
    /// By edge.
    pub(super) links: Vec<Link>,
    /// What threads check, with the node that they are of.
    pub(super) jobs: Vec<(u32, Job)>,
    /// Places in `jobs` that are free.
    pub(super) free_jobs: Vec<u32>,
    queue: Queue,
    /// Events that are under way and not only somebody's turn to publish.
    under_way: u64,
    /// Honest nodes that have no proof.
    pub(super) without_proof: u32,
    /// Honest nodes that have seen nobody's published proof.
    pub(super) without_message: u32,
    pub(super) first_proof: Option<u64>,
    events: u64,
    /// By edge: who receives. Small enough to stay in the cache, which the mesh is not.
    pub(super) receivers: Vec<u32>,
    /// What one vote and a proof take.
    footprints: (Footprint, Footprint),
}

/// An index of something that is counted in `u32`.
pub(super) fn index(at: u32) -> usize {
    usize::try_from(at).expect("u32 fits; qed")
}

impl<'a> Running<'a> {
    /// Nothing has happened yet.
    pub(super) fn new(round: Round<'a>) -> Self {
        let Plan {
            mesh,
            garbage,
            batches,
            ..
        } = round.plan;
        let honest = (0..garbage.len()).filter(|at| !garbage[*at]).count();
        let honest = u32::try_from(honest).expect("fewer nodes than 2^32; qed");
        let limits = Limits::of_set(u64::from(mesh.nodes()), round.costs.batch_limit());
        let node = |at| Node::new(at, round.model.threads, Pending::new(limits));
        let edges = mesh.edges().len();
        // The proof stands behind all batches.
        let messages = batches.len() + 1;
        Self {
            known: Noted::new(garbage.len(), messages),
            brought: Noted::new(edges, messages),
            nodes: (0..mesh.nodes()).map(node).collect(),
            reputations: vec![Reputation::default(); edges],
            is_closed: vec![false; edges],
            links: vec![Link::default(); edges],
            jobs: Vec::new(),
            free_jobs: Vec::new(),
            queue: Queue::new(),
            under_way: 0,
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

    /// Enters what happens by itself.
    pub(super) fn start(&mut self) {
        let plan = self.round.plan;
        let starts = (0..).zip(&plan.starts).zip(&plan.garbage);
        for ((node, at), _) in starts.filter(|(_, garbage)| !**garbage) {
            self.push(*at, What::Prepares { node });
        }
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

    /// Enters what happens at a time.
    pub(super) fn push(&mut self, at: u64, what: What) {
        if !matches!(what, What::Publishes { .. }) {
            self.under_way += 1;
        }
        let what = what.encode();
        self.queue.push(Event { at, what });
    }

    /// The next event, until all that is left are turns of nodes that have nothing to publish any more.
    pub(super) fn next(&mut self) -> Option<(u64, What)> {
        if self.under_way == 0 && self.without_message == 0 {
            return None;
        }
        let event = self.queue.pop()?;
        let what = What::decode(event.what).expect("only events are entered; qed");
        if !matches!(what, What::Publishes { .. }) {
            self.under_way -= 1;
        }
        self.events += 1;
        Some((event.at, what))
    }

    /// Lets an event happen.
    pub(super) fn handle(&mut self, at: u64, what: What) {
        match what {
            What::Prepares { node } => self.prepares(node),
            What::Cast { batch } => self.cast(at, batch),
            What::Arrives { edge, message } => self.arrives(at, edge, message),
            What::Handled { edge, message } => self.handled(at, edge, message),
            What::Checked { job } => self.checked(at, job),
            What::Credit { edge } => self.send_waiting(at, edge),
            What::Concludes { node } => self.concludes(at, node),
            What::Publishes { node } => self.publishes(at, node),
            What::Garbage { edge } => self.garbage(at, edge),
            What::Relays { node, batch } => self.relays(at, node, batch),
        }
    }

    /// A batch of votes.
    pub(super) fn batch(&self, batch: u32) -> VoteBatch {
        self.round.plan.batches[index(batch)]
    }

    /// How many votes a message is; a proof counts as one.
    pub(super) fn votes(&self, message: Message) -> u32 {
        match message {
            Message::VoteBatch(batch) => self.batch(batch).votes,
            Message::Garbage | Message::Proof => 1,
        }
    }

    /// The place of a message in [`Noted`]; none of garbage, which nobody notes.
    pub(super) fn place(&self, message: Message) -> Option<usize> {
        match message {
            Message::VoteBatch(batch) => Some(index(batch)),
            Message::Proof => Some(self.round.plan.batches.len()),
            Message::Garbage => None,
        }
    }

    /// What a message takes besides its check.
    pub(super) fn footprint(&self, message: Message) -> Footprint {
        let (vote, proof) = self.footprints;
        match message {
            Message::VoteBatch(batch) => vote.times(self.batch(batch).votes),
            Message::Garbage => vote,
            Message::Proof => proof,
        }
    }

    /// Whether a node has a proof, its own or a peer's.
    pub(super) fn has_proof(&self, node: u32) -> bool {
        self.nodes[index(node)].tally.proof_at.is_some()
    }

    fn is_from_garbage_to_honest(&self, edge: u32) -> bool {
        let plan = self.round.plan;
        let Edge { from, to, .. } = *plan.mesh.edge(edge);
        plan.garbage[index(from)] && !plan.garbage[index(to)]
    }

    /// What the round came to.
    pub(super) fn outcome(self) -> Outcome {
        let garbage = &self.round.plan.garbage;
        let honest = self
            .nodes
            .iter()
            .zip(garbage)
            .filter(|(_, garbage)| !**garbage);
        let nodes: Vec<_> = honest.map(|(node, _)| node.report()).collect();
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
