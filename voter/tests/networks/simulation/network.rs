//! Links that lose, delay, reorder and repeat, and the queue of virtual time.

use super::{below, pick, Item, Message, NodeId};
use duet_voter::Millis;
use rand_chacha::ChaCha8Rng;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// The network conditions: what links do to messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions {
    /// Of a thousand messages, how many are lost.
    pub(crate) loss: u64,
    /// Of a thousand messages, how many come twice.
    pub(crate) twice: u64,
    /// Shortest and longest delay; different delays reorder.
    pub(crate) delay: (Millis, Millis),
}

impl Conditions {
    pub(crate) const GOOD: Self = Self {
        loss: 0,
        twice: 0,
        delay: (5, 40),
    };
    pub(crate) const BAD: Self = Self {
        loss: 200,
        twice: 100,
        delay: (5, 1_500),
    };
    pub(crate) const STORM: Self = Self {
        loss: 500,
        twice: 200,
        delay: (5, 4_000),
    };
}

pub(crate) struct Network {
    /// By time, and of one time in the order in which they came.
    queue: BTreeMap<(Millis, u64), Item>,
    count: u64,
    peers: Vec<Vec<NodeId>>,
    conditions: Conditions,
}

impl Network {
    /// Honest nodes stand on a ring, so that adversaries cannot cut them apart; chords are drawn at
    /// random.
    pub(crate) fn new(
        nodes: usize,
        honest: &[NodeId],
        degree: usize,
        conditions: Conditions,
        rng: &mut ChaCha8Rng,
    ) -> Self {
        let mut links = vec![BTreeSet::new(); nodes];
        let mut link = |a: NodeId, b: NodeId| {
            if a != b {
                links[a].insert(b);
                links[b].insert(a);
            }
        };
        for (a, b) in honest.iter().zip(honest.iter().cycle().skip(1)) {
            link(*a, *b);
        }
        for node in 0..nodes {
            for _ in 0..degree.div_ceil(2) {
                link(node, pick(rng, nodes));
            }
        }
        Self {
            queue: BTreeMap::new(),
            count: 0,
            peers: links
                .into_iter()
                .map(|links| links.into_iter().collect())
                .collect(),
            conditions,
        }
    }

    pub(crate) fn calm(&mut self) {
        self.conditions = Conditions::GOOD;
    }

    pub(crate) fn peers(&self, id: NodeId) -> &[NodeId] {
        &self.peers[id]
    }

    pub(crate) fn at(&mut self, at: Millis, item: Item) {
        self.queue.insert((at, self.count), item);
        self.count += 1;
    }

    pub(crate) fn next(&mut self) -> Option<(Millis, Item)> {
        let ((at, _), item) = self.queue.pop_first()?;
        Some((at, item))
    }

    pub(crate) fn send(
        &mut self,
        now: Millis,
        from: NodeId,
        to: NodeId,
        message: &Arc<Message>,
        rng: &mut ChaCha8Rng,
    ) {
        let Conditions { loss, twice, delay } = self.conditions;
        if below(rng, 1000) < loss {
            return;
        }
        let copies = if below(rng, 1000) < twice { 2 } else { 1 };
        for _ in 0..copies {
            let delay = delay.0 + below(rng, delay.1 - delay.0 + 1);
            self.at(
                now + delay,
                Item::Deliver {
                    from,
                    to,
                    message: message.clone(),
                },
            );
        }
    }

    pub(crate) fn broadcast(
        &mut self,
        now: Millis,
        from: NodeId,
        except: Option<NodeId>,
        message: &Arc<Message>,
        rng: &mut ChaCha8Rng,
    ) {
        for to in self.peers[from].clone() {
            if Some(to) != except {
                self.send(now, from, to, message, rng);
            }
        }
    }
}
