//! What a node does with messages of its peers.

use super::{
    event::{Message, What},
    footprint::Footprint,
    pending::{Job, Refused},
    running::{index, Running},
    waiting::Waiting,
};
use crate::mesh::Edge;

impl Running<'_> {
    /// A message is received, and then waits for the engine.
    pub(super) fn arrives(&mut self, at: u64, edge: u32, message: Message) {
        if self.is_closed[index(edge)] {
            return;
        }
        let to = self.receivers[index(edge)];
        let Footprint {
            bytes,
            duration,
            handling,
        } = self.footprint(message);
        let node = &mut self.nodes[index(to)];
        let there = node.receive(at, bytes, duration);
        let done = node.handle(there, handling);
        if self.is_known(to, message) {
            // It stays known, so that the engine need not be waited for.
            self.is_repeated(done, edge, message);
        } else {
            self.push(done, What::Handled { edge, message });
        }
    }

    /// The engine has decoded a message and looked it up.
    pub(super) fn handled(&mut self, at: u64, edge: u32, message: Message) {
        if self.is_closed[index(edge)] {
            return; // The sender was banned since it came.
        }
        let to = self.receivers[index(edge)];
        if self.is_known(to, message) {
            return self.is_repeated(at, edge, message);
        }
        let votes = self.votes(message);
        let node = &mut self.nodes[index(to)];
        let offered = node.pending.offer(Waiting {
            edge,
            message,
            votes: u64::from(votes),
            since: at,
        });
        if offered == Err(Refused::Repeated) {
            node.tally.duplicates += u64::from(votes);
        }
        self.gives_credit(at, edge, message);
        self.start_checks(at, to);
    }

    fn is_known(&self, node: u32, message: Message) -> bool {
        match message {
            Message::VoteBatch(batch) => self.known.has(index(node), index(batch)),
            Message::Proof => self.nodes[index(node)].has_seen_proof,
            Message::Garbage => false,
        }
    }

    fn is_repeated(&mut self, at: u64, edge: u32, message: Message) {
        self.brings(edge, message);
        let (to, votes) = (self.receivers[index(edge)], self.votes(message));
        self.nodes[index(to)].tally.duplicates += u64::from(votes);
        self.gives_credit(at, edge, message);
    }

    /// The peer at the other end of an edge need not be sent this.
    fn brings(&mut self, edge: u32, message: Message) {
        if let Some(place) = self.place(message) {
            let back = self.round.plan.mesh.edge(edge).back;
            self.brought.insert(index(back), place);
        }
    }

    /// Threads that are idle take what waits. Nobody waits for a batch to fill.
    fn start_checks(&mut self, at: u64, node: u32) {
        while self.nodes[index(node)].idle_threads > 0 {
            let Some(job) = self.nodes[index(node)].pending.take() else {
                return;
            };
            let items: &[Waiting] = match &job {
                Job::Batch(items) => items,
                Job::Strange(item) | Job::Proof(item) => std::slice::from_ref(item),
            };
            for item in items {
                self.nodes[index(node)].waited(at - item.since);
            }
            let cost = self.cost_of(node, &job);
            let it = &mut self.nodes[index(node)];
            it.idle_threads -= 1;
            it.tally.cpu += cost;
            let job = self.keep(node, job);
            self.push(at + cost, What::Checked { job });
        }
    }

    fn cost_of(&self, node: u32, job: &Job) -> u64 {
        let costs = self.round.costs;
        match job {
            Job::Batch(items) => costs.batch(items.iter().map(|item| item.votes).sum()),
            Job::Strange(item) if item.message == Message::Garbage => costs.bad_vote,
            Job::Strange(item) => item.votes * costs.strange_vote,
            // Published by this node since it came.
            Job::Proof(_) if self.nodes[index(node)].has_seen_proof => 0,
            Job::Proof(_) => costs.proof,
        }
    }

    fn keep(&mut self, node: u32, job: Job) -> u32 {
        match self.free_jobs.pop() {
            Some(place) => {
                self.jobs[index(place)] = (node, job);
                place
            }
            None => {
                self.jobs.push((node, job));
                u32::try_from(self.jobs.len() - 1).expect("fewer jobs than 2^32; qed")
            }
        }
    }

    /// A thread is done.
    pub(super) fn checked(&mut self, at: u64, job: u32) {
        let done = Job::Batch(Vec::new());
        let (node, checked) = std::mem::replace(&mut self.jobs[index(job)], (0, done));
        self.free_jobs.push(job);
        match checked {
            Job::Batch(items) => {
                let tally = &mut self.nodes[index(node)].tally;
                tally.batches += 1;
                tally.batched_votes += items.iter().map(|item| item.votes).sum::<u64>();
                self.good_votes(at, node, &items);
            }
            Job::Strange(item) if item.message == Message::Garbage => self.bad_vote(node, item),
            Job::Strange(item) => {
                self.nodes[index(node)].tally.strange_votes += item.votes;
                self.good_votes(at, node, &[item]);
            }
            Job::Proof(item) => self.good_proof(at, node, item),
        }
        self.nodes[index(node)].idle_threads += 1;
        self.start_checks(at, node);
    }

    /// All votes of a batch are passed on at once.
    fn good_votes(&mut self, at: u64, node: u32, items: &[Waiting]) {
        let mut votes = 0;
        for item in items {
            if let Some(place) = self.place(item.message) {
                self.known.insert(index(node), place);
            }
            self.holds(node, *item);
            let batch = self.votes(item.message);
            self.reputations[index(item.edge)].reward(batch);
            votes += batch;
        }
        // Votes on what is proven are checked for evidence, and of no use to anybody else.
        if !self.has_proof(node) {
            for item in items {
                self.relay(at, node, item.message);
            }
        }
        self.count(at, node, votes);
    }

    fn good_proof(&mut self, at: u64, node: u32, item: Waiting) {
        self.holds(node, item);
        if self.nodes[index(node)].has_seen_proof {
            return;
        }
        self.sees_proof(node);
        self.settles(at, node);
        self.forward(at, node, item.message);
    }

    /// What was checked is good: who had sent copies of it meanwhile has it, too.
    fn holds(&mut self, node: u32, item: Waiting) {
        for edge in self.nodes[index(node)].pending.holds(item) {
            self.brings(edge, item.message);
        }
    }

    /// The strike that bans the sender closes the link, and drops what it has waiting.
    fn bad_vote(&mut self, node: u32, item: Waiting) {
        let it = &mut self.nodes[index(node)];
        it.tally.bad_votes += 1;
        it.pending.fails(item);
        if self.reputations[index(item.edge)].strike() && !self.is_closed[index(item.edge)] {
            it.pending.purge(item.edge);
            let Edge { back, .. } = *self.round.plan.mesh.edge(item.edge);
            self.is_closed[index(item.edge)] = true;
            self.is_closed[index(back)] = true;
        }
    }
}
