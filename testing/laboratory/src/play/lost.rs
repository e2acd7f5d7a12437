//! What the chain lost, and what was kept of it.

use crate::{history::Recorder, Error, Result};
use duet_light_client::FinalBlock;
use duet_local_network::recovery::Owner;
use duet_primitives::{Accusation, Commitment};

/// What is known of the blocks that the chain lost.
#[derive(Default)]
pub(super) struct Lost {
    /// The last block that all nodes had finalized before they were copied.
    pub(super) after: u32,
    /// The last block that a node may have had before they were restored.
    pub(super) last: u32,
    /// Proofs of the blocks after the copy, in their order.
    pub(super) evidence: Vec<Accusation>,
    /// The owners of recovery keys, and for how many seconds light clients wait for them.
    pub(super) recovery: Option<(Vec<Owner>, u64)>,
    /// The checkpoint that is published.
    pub(super) checkpoint: String,
    /// The block by which a light client was fooled.
    pub(super) forged: Option<FinalBlock>,
    /// What was seen of the true nodes, while others are in their place.
    pub(super) truth: Option<Recorder>,
}

impl Lost {
    pub(super) fn said(&self) -> impl Iterator<Item = &Commitment> {
        self.evidence.iter().map(Accusation::commitment)
    }

    /// The latest proof by the set that signed when the nodes were copied: the restored chain knows this set.
    pub(super) fn latest(&self) -> Result<&Accusation> {
        let set = self.said().next().map(|said| said.validator_set_id);
        let by_it = |it: &&Accusation| Some(it.commitment().validator_set_id) == set;
        let latest = self.evidence.iter().rev().find(by_it);
        latest.ok_or_else(|| Error::Expectation("no proof of a lost block was kept".to_owned()))
    }
}
