//! Keeps everything it hears and says it again later, out of order.

use super::{Adversary, Message, NodeId, View};
use crate::simulation::pick;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

#[derive(Default)]
pub(crate) struct Stale {
    heard: Vec<Arc<Message>>,
}

impl Adversary for Stale {
    fn hear(&mut self, message: &Arc<Message>) {
        if self.heard.len() < 10_000 {
            self.heard.push(message.clone());
        }
    }

    fn act(&mut self, view: &View<'_>, rng: &mut ChaCha8Rng) -> Vec<(NodeId, Arc<Message>)> {
        let picks = (0..30).filter_map(|_| self.heard.get(pick(rng, self.heard.len())).cloned());
        picks.flat_map(|message| view.to_all(&message)).collect()
    }
}
