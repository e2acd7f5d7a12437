//! Says nothing.

use super::{Adversary, Message, NodeId, View};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

pub(crate) struct Silent;

impl Adversary for Silent {
    fn act(&mut self, _: &View<'_>, _: &mut ChaCha8Rng) -> Vec<(NodeId, Arc<Message>)> {
        Vec::new()
    }
}
