//! To whom messages go, and when. (GOSSIP-5, GOSSIP-8)
//!
//! The gossip engine keeps messages and asks, for each peer, whether it may send one. It forgets nothing by itself and
//! keeps a message once for every time that it is told of it, so this module remembers what it was told. It also remembers
//! what went to whom: of more than 8 192 messages the engine forgets that, and would send the others on every pass.

mod horizon;
mod pace;
mod peers;

pub(crate) use horizon::Horizon;
pub(crate) use peers::{Kept, Peers};

use crate::topic::Topic;
use duet_primitives::{SetId, H256};
use duet_voter::Millis;
use pace::{Repetitions, Turn};
use sc_network_gossip::MessageIntent;
use sc_network_types::PeerId;
use sp_runtime::traits::{BlakeTwo256, Hash};
use std::collections::HashSet;

/// What decides about sending.
#[derive(Debug)]
pub(crate) struct Relaying {
    /// The connected peers.
    pub(crate) peers: Peers,
    /// Hashes of the messages that the engine keeps.
    kept: HashSet<H256>,
    repetitions: Repetitions,
}

impl Relaying {
    /// Without peers. What they have is sent to them again after `interval`.
    pub(crate) fn new(interval: Millis, now: Millis) -> Self {
        Self {
            peers: Peers::default(),
            kept: HashSet::new(),
            repetitions: Repetitions::new(interval, now),
        }
    }

    /// Notes that a peer has a message about this, because it sent one. Bounded by what holds: see the callers. Forgotten
    /// with the connection.
    pub(crate) fn has(&mut self, peer: &PeerId, topic: Topic) {
        self.peers.note_brought(peer, topic);
    }

    /// Notes that a peer sent something valid of this set.
    pub(crate) fn showed(&mut self, peer: &PeerId, set_id: SetId) {
        self.peers.showed(peer, set_id);
    }

    /// Whether the engine does not keep this message yet; from now on it does.
    pub(crate) fn keep(&mut self, bytes: &[u8]) -> bool {
        self.kept.insert(BlakeTwo256::hash(bytes))
    }

    /// The engine drops a message.
    pub(crate) fn drop_message(&mut self, bytes: &[u8]) {
        self.kept.remove(&BlakeTwo256::hash(bytes));
    }

    /// Forgets who has what is below the horizon.
    pub(crate) fn forget_below(&mut self, horizon: &Horizon) {
        let first = Topic {
            number: horizon.lowest(),
            set_id: SetId::new(0),
            signer: None,
            digest: [0; 8],
        };
        self.peers.forget_before(first);
    }

    /// Whether a message goes to a peer now. The turn is that of the engine's pass, taken when it is needed first.
    pub(crate) fn may_send(
        &mut self,
        peer: &PeerId,
        intent: MessageIntent,
        message: &Kept<'_>,
        pass: &mut Pass,
    ) -> bool {
        if self.peers.has_brought(peer, &message.topic) {
            return false;
        }
        let is_repetition =
            intent == MessageIntent::PeriodicRebroadcast || self.peers.was_sent(peer, message);
        if is_repetition {
            let repetitions = &mut self.repetitions;
            let turn = pass
                .turn
                .get_or_insert_with(|| repetitions.take_turn(pass.now));
            if !turn.includes(&message.topic) {
                return false;
            }
        }
        // Proofs are few, and worth more than the votes that they replace.
        let goes = message.topic.signer.is_none() || self.peers.take_allowance(peer, pass.now);
        if goes {
            self.peers.note_sent(peer, message);
        }
        goes
    }
}

/// One pass of the engine over messages and peers.
#[derive(Debug)]
pub(crate) struct Pass {
    now: Millis,
    turn: Option<Turn>,
}

impl Pass {
    /// A pass that begins now.
    pub(crate) fn begin(now: Millis) -> Self {
        Self { now, turn: None }
    }
}

#[cfg(test)]
mod tests;
