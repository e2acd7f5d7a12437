//! The missing part of the history: the backfill informs the RPC. (REQ-6)

use duet_primitives::{BlockNumber, SetId};
use parking_lot::Mutex;
use std::sync::Arc;

/// The data that may be missing while it is fetched from peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    /// Handoff proofs and keys of sets below this one may be missing.
    pub(crate) below_set: SetId,
    /// Proofs of blocks below this one may be missing.
    pub(crate) below_block: BlockNumber,
}

impl Missing {
    /// This node's beginning is still unknown.
    pub(crate) const EVERYTHING: Self = Self {
        below_set: SetId::new(u64::MAX),
        below_block: BlockNumber::MAX,
    };
}

/// The same, shared. `None` when nothing is missing. Cheap to clone; clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedMissing(Arc<Mutex<Option<Missing>>>);

impl SharedMissing {
    /// Sets the missing part from now on.
    pub(crate) fn set(&self, missing: Option<Missing>) {
        *self.0.lock() = missing;
    }

    /// The part missing now.
    pub(crate) fn get(&self) -> Option<Missing> {
        *self.0.lock()
    }
}
