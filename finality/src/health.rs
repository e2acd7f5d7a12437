//! Whether this node votes, and why it takes no part at all: the worker informs the RPC.

use parking_lot::Mutex;
use std::sync::{
    atomic::{AtomicBool, Ordering},
    Arc,
};

/// Whether this node votes. Cheap to clone; clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedVoting(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    votes: AtomicBool,
    stopped: Mutex<Option<String>>,
}

impl SharedVoting {
    /// Sets whether the node votes from now on.
    pub(crate) fn set(&self, votes: bool) {
        self.0.votes.store(votes, Ordering::Relaxed);
    }

    /// Whether the node votes now.
    pub(crate) fn get(&self) -> bool {
        self.0.votes.load(Ordering::Relaxed)
    }

    /// The node takes no part from now on, for this reason.
    pub(crate) fn stop(&self, reason: String) {
        self.set(false);
        *self.0.stopped.lock() = Some(reason);
    }

    /// Why the node takes no part, if so.
    pub(crate) fn stopped(&self) -> Option<String> {
        self.0.stopped.lock().clone()
    }
}
