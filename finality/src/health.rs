//! Whether this node votes, and what keeps it from taking part at all, as the worker tells the RPC.

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
    /// Says whether it does from now on.
    pub(crate) fn set(&self, votes: bool) {
        self.0.votes.store(votes, Ordering::Relaxed);
    }

    /// Whether it does now.
    pub(crate) fn get(&self) -> bool {
        self.0.votes.load(Ordering::Relaxed)
    }

    /// From now on the node takes no part, for this reason.
    pub(crate) fn stop(&self, reason: String) {
        self.set(false);
        *self.0.stopped.lock() = Some(reason);
    }

    /// Why it takes no part, if it does not.
    pub(crate) fn stopped(&self) -> Option<String> {
        self.0.stopped.lock().clone()
    }
}
