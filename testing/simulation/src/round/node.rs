//! One node: its connection, the task that talks to peers, the threads that check, and what it knows.

use super::pending::Pending;

/// What has to be known of a node to simulate the next event. Times in nanoseconds.
#[derive(Debug)]
pub(super) struct Node {
    /// When everything that was received up to now is through the connection.
    receiving_until: u64,
    /// When everything that is to be sent is.
    sending_until: u64,
    /// When the engine has looked at every message that has arrived.
    handling_until: u64,
    /// Threads that check nothing now.
    pub(super) idle_threads: u32,
    /// What waits for one.
    pub(super) pending: Pending,
    /// A threshold of votes is there, and they are being added up.
    pub(super) is_aggregating: bool,
    /// A peer's proof was checked, or the own one published.
    pub(super) has_seen_proof: bool,
    pub(super) tally: NodeReport,
}

/// What a node went through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeReport {
    /// Its place in the set.
    pub index: u32,
    /// Processor time, all tasks together.
    pub cpu: u64,
    /// Bytes it sent.
    pub sent: u64,
    /// Bytes it received.
    pub received: u64,
    /// Votes it holds, its own included.
    pub votes: u32,
    /// Messages it had already when they came.
    pub duplicates: u64,
    /// Bad votes it checked.
    pub bad_votes: u64,
    /// Good votes it checked together with others on the commitment that it had prepared, or alone because no others
    /// waited.
    pub batched_votes: u64,
    /// In how many batches.
    pub batches: u64,
    /// Good votes it checked before it had prepared their commitment, each alone.
    pub strange_votes: u64,
    /// Good votes that found no room to wait.
    pub dropped_votes: u64,
    /// The longest that a message waited, either for the engine or for a thread that checks it.
    pub longest_wait: u64,
    /// When it had a proof: its own, or a peer's that it had checked.
    pub proof_at: Option<u64>,
}

impl Node {
    /// A node with nothing to do.
    pub(super) fn new(index: u32, threads: u32, pending: Pending) -> Self {
        Self {
            receiving_until: 0,
            sending_until: 0,
            handling_until: 0,
            idle_threads: threads,
            pending,
            is_aggregating: false,
            has_seen_proof: false,
            tally: NodeReport {
                index,
                ..NodeReport::default()
            },
        }
    }

    /// Books bytes on the way in; says when they are there.
    pub(super) fn receive(&mut self, at: u64, bytes: u64, duration: u64) -> u64 {
        self.tally.received += bytes;
        self.receiving_until = self.receiving_until.max(at) + duration;
        self.receiving_until
    }

    /// Books bytes on the way out; says when they have left.
    pub(super) fn send(&mut self, at: u64, bytes: u64, duration: u64) -> u64 {
        self.tally.sent += bytes;
        self.sending_until = self.sending_until.max(at) + duration;
        self.sending_until
    }

    /// Books work for the engine, which looks at one message after another; says when it is done.
    pub(super) fn handle(&mut self, at: u64, cost: u64) -> u64 {
        let start = self.handling_until.max(at);
        self.waited(start - at);
        self.tally.cpu += cost;
        self.handling_until = start + cost;
        self.handling_until
    }

    /// What the node went through.
    pub(super) fn report(&self) -> NodeReport {
        NodeReport {
            dropped_votes: self.pending.dropped(),
            ..self.tally
        }
    }

    /// Notes that a message waited so long.
    pub(super) fn waited(&mut self, time: u64) {
        self.tally.longest_wait = self.tally.longest_wait.max(time);
    }
}
