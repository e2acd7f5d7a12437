//! Votes on blocks that nobody has made yet.

use super::{Adversary, Message, NodeId, View};
use crate::simulation::below;
use duet_primitives::{BlockNumber, H256};
use rand_chacha::ChaCha8Rng;
use std::{collections::BTreeSet, sync::Arc};

#[derive(Default)]
pub(crate) struct Prophet {
    /// It votes once on each block: two votes would be an equivocation.
    done: BTreeSet<BlockNumber>,
}

impl Adversary for Prophet {
    fn act(&mut self, view: &View<'_>, rng: &mut ChaCha8Rng) -> Vec<(NodeId, Arc<Message>)> {
        // Up to a little beyond what honest nodes take.
        let ahead = 1 + below(rng, u64::from(view.lookahead) + 4);
        let ahead = u32::try_from(ahead).unwrap_or(u32::MAX);
        let block = view.best.saturating_add(ahead);
        if !self.done.insert(block) {
            return Vec::new();
        }
        let era = view.chain.era_at(view.finalized.max(BlockNumber::new(1)));
        let mut vision = era.set.commitment(block.get(), &era.set.set);
        vision.block_hash = H256::repeat_byte(0xf3);
        let vote = view.vote(&vision);
        vote.iter().flat_map(|vote| view.to_all(vote)).collect()
    }
}
