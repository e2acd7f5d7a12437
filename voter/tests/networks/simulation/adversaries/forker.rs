//! Says something false of each block that GRANDPA finalizes or is about to, and nothing else. It says the same to
//! everybody, so that nothing but the chain convicts it.

use super::{Adversary, Message, NodeId, View};
use duet_primitives::{BlockNumber, H256};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// How many blocks before and after the last finalized one it votes on.
const AROUND: u32 = 2;

#[derive(Default)]
pub(crate) struct Forker {
    /// It has voted up to this block.
    done: u32,
}

impl Adversary for Forker {
    fn act(&mut self, view: &View<'_>, _: &mut ChaCha8Rng) -> Vec<(NodeId, Arc<Message>)> {
        let last = view.finalized.saturating_add(AROUND).min(view.chain.height);
        let first = view.finalized.get().saturating_sub(AROUND);
        let first = first.max(self.done + 1);
        let mut sent = Vec::new();
        for block in (first..=last.get()).map(BlockNumber::new) {
            let mut lie = view.chain.commitment(block);
            match block.get() % 3 {
                0 => lie.block_hash = H256::repeat_byte(0xf0),
                1 => lie.mmr_root = H256::repeat_byte(0xf1),
                _ => lie.next.root = H256::repeat_byte(0xf2),
            }
            let vote = view.vote(&lie);
            sent.extend(vote.iter().flat_map(|vote| view.to_all(vote)));
        }
        self.done = self.done.max(last.get());
        sent
    }
}
