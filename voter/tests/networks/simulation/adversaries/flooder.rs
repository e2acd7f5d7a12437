//! Signs validly, on every block there is and many that there are not, in every set, again and
//! again.

use super::{Adversary, Message, NodeId, View};
use crate::simulation::below;
use duet_primitives::{BlockNumber, SetId, H256};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

#[derive(Default)]
pub(crate) struct Flooder {
    turn: u32,
}

impl Adversary for Flooder {
    fn act(&mut self, view: &View<'_>, rng: &mut ChaCha8Rng) -> Vec<(NodeId, Arc<Message>)> {
        self.turn += 1;
        let mut sent = Vec::new();
        for _ in 0..20 {
            let reach = u64::from(view.finalized.get()) + 80;
            let block = BlockNumber::new(1 + u32::try_from(below(rng, reach)).unwrap_or(0));
            let mut commitment = view.chain.commitment(block);
            if below(rng, 2) == 0 {
                commitment.mmr_root = H256::from_low_u64_be(below(rng, 3));
            }
            if let Some(vote) = view.vote(&commitment) {
                sent.extend(view.to_all(&vote));
            }
        }
        sent.extend(view.to_all(&Arc::new(Message::Request {
            first_set: (SetId::new(below(rng, 4))).get(),
        })));
        sent.extend(view.to_all(&Arc::new(Message::Response(Vec::new()))));
        sent
    }
}
