//! Whether this node votes, as the worker tells the RPC.

use std::sync::{
    atomic::{AtomicBool, Ordering},
    Arc,
};

/// Whether this node votes. Cheap to clone; clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedVoting(Arc<AtomicBool>);

impl SharedVoting {
    /// Says whether it does from now on.
    pub(crate) fn set(&self, votes: bool) {
        self.0.store(votes, Ordering::Relaxed);
    }

    /// Whether it does now.
    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
