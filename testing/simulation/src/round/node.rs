//! One node: its connection, the task that checks what peers send, and what it knows.

/// What has to be known of a node to simulate the next event. Times in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    /// When everything that was received up to now is through the connection.
    receiving_until: u64,
    /// When everything that is to be sent is.
    sending_until: u64,
    /// When every message that has arrived is dealt with.
    checking_until: u64,
    /// A threshold of votes is there, and they are being added up.
    pub(super) is_aggregating: bool,
    /// A peer's proof, or the own published one, is known; it may still wait for its check.
    pub(super) has_proof_message: bool,
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
    /// The longest that a message waited for its turn to be checked.
    pub longest_wait: u64,
    /// When it had a proof: its own, or a peer's that it had checked.
    pub proof_at: Option<u64>,
}

impl Node {
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

    /// Books work for the task that deals with messages, one after another; says when it is done.
    pub(super) fn check(&mut self, at: u64, cost: u64) -> u64 {
        let start = self.checking_until.max(at);
        self.tally.longest_wait = self.tally.longest_wait.max(start - at);
        self.tally.cpu += cost;
        self.checking_until = start + cost;
        self.checking_until
    }
}

/// Which node has noted which batch.
pub(super) struct Noted {
    words: Vec<u64>,
    words_per_node: usize,
}

impl Noted {
    pub(super) fn new(nodes: usize, batches: usize) -> Self {
        let words_per_node = batches.div_ceil(64);
        Self {
            words: vec![0; nodes * words_per_node],
            words_per_node,
        }
    }

    /// Notes a batch; says whether it is new to the node.
    pub(super) fn insert(&mut self, node: usize, batch: usize) -> bool {
        let word = &mut self.words[node * self.words_per_node + batch / 64];
        let bit = 1 << (batch % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}
