//! Votes on whatever the others vote on, with one commitment for this half of the network and
//! another for that.

use super::{Adversary, Message, NodeId, View};
use crate::simulation::pick;
use duet_primitives::{Commitment, H256};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

#[derive(Default)]
pub(crate) struct Equivocator {
    heard: Vec<Commitment>,
    done: usize,
}

impl Adversary for Equivocator {
    fn hear(&mut self, message: &Arc<Message>) {
        if let Message::Vote(vote) = message.as_ref() {
            if !self.heard.contains(&vote.commitment) {
                self.heard.push(vote.commitment.clone());
            }
        }
    }

    fn act(&mut self, view: &View<'_>, rng: &mut ChaCha8Rng) -> Vec<(NodeId, Arc<Message>)> {
        let mut sent = Vec::new();
        for truth in self.heard.iter().skip(self.done) {
            let mut lie = truth.clone();
            lie.block_hash = H256::from_low_u64_be(0xbad);
            let mut other_lie = truth.clone();
            other_lie.next.root = H256::repeat_byte(0xbb);
            let said = [truth, &lie, &other_lie].map(|said| view.vote(said));
            for peer in view.peers {
                // To some all of it, in any order.
                let first = pick(rng, 3);
                let count = 1 + pick(rng, 3);
                let said = said.iter().cycle().skip(first).take(count).flatten();
                sent.extend(said.map(|vote| (*peer, vote.clone())));
            }
        }
        self.done = self.heard.len();
        sent
    }
}
