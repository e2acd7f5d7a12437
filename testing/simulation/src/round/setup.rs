//! What a round runs on.

use super::footprint::Footprint;
use crate::{costs::SchemeCosts, model::Model, plan::Plan, sizes::MessageSizes};

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

impl Round<'_> {
    /// What a message of so many bytes takes.
    pub(super) fn footprint(&self, bytes: u64) -> Footprint {
        Footprint {
            bytes,
            duration: self.model.transmission(bytes),
            handling: self.message * bytes / self.sizes.vote.max(1),
        }
    }
}
