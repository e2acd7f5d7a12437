//! Connects [`Validation`] to the SDK's gossip engine, and to the threads that check.
//!
//! A message costs the engine's task a few look-ups: it is decoded, the filter says whether it is needed, and it waits.
//! Nothing is kept, relayed or rewarded before it was checked (GOSSIP-5). [`verify`] checks what waits, outside of both
//! locks, and passes on what holds: to the worker over a bounded queue, and to the engine to be relayed.
//!
//! There are two locks. One guards what is known about messages and is taken by the engine's task, the threads that
//! check, and the worker, each for moments. The other guards what is known about sending: the engine holds it for whole
//! passes over messages and peers, and the worker takes it only when it looks for peers to ask.

#[cfg(test)]
mod tests;

use crate::{
    clock::Clock,
    message::GossipMessage,
    metrics::Metrics,
    protocol::CHECKED_QUEUE,
    relaying::{Horizon, Kept, Pass, Relaying},
    reputation::PeerBehaviour,
    topic::Topic,
    validation::{Checked, Conclusions, Received, Validation},
};
use duet_primitives::{BlockNumber, RoundMessage, Vote, H256};
use duet_voter::{Filter, Millis, Window};
use parking_lot::{Mutex, RwLock};
use sc_network::{peer_store::BANNED_THRESHOLD, NetworkPeers, ObservedRole, ReputationChange};
use sc_network_gossip::{MessageIntent, ValidationResult, Validator, ValidatorContext};
use sc_network_types::PeerId;
use sp_runtime::traits::Block as BlockT;
use std::sync::Arc;

/// What the network knows of its peers. Every [`NetworkPeers`] of the SDK is one.
pub trait Reputations: Send + Sync {
    /// Tells it what a peer did.
    fn report(&self, peer: PeerId, change: ReputationChange);
    /// Whether it has closed, or is about to close, the connection for what the peer did.
    fn is_banned(&self, peer: &PeerId) -> bool;
}

impl<N: NetworkPeers + Send + Sync> Reputations for N {
    fn report(&self, peer: PeerId, change: ReputationChange) {
        self.report_peer(peer, change);
    }

    fn is_banned(&self, peer: &PeerId) -> bool {
        self.peer_reputation(peer) < BANNED_THRESHOLD
    }
}

/// How messages are validated.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Hash of the genesis block, which is in every signed message.
    pub genesis_hash: H256,
    /// How many rounds of one signer are kept at once, see [`Filter::new`].
    pub rounds_per_signer: usize,
    /// Peers are sent again once in this time what they were sent before.
    pub rebroadcast: Millis,
}

/// The ends of the validator's queues.
pub struct Queues {
    /// What holds and is new, for the worker.
    pub checked: async_channel::Receiver<Checked>,
    /// What is to be kept and sent to peers.
    pub outgoing: async_channel::Receiver<GossipMessage>,
}

/// Validates what peers send. One per node, shared by the gossip engine, the threads that check, and the worker.
pub struct GossipValidator {
    genesis_hash: H256,
    validation: Mutex<Validation>,
    relaying: Mutex<Relaying>,
    /// Which messages are still useful.
    horizon: RwLock<Horizon>,
    /// Has an item while something may wait to be checked.
    work: (async_channel::Sender<()>, async_channel::Receiver<()>),
    checked: async_channel::Sender<Checked>,
    /// Without a bound of its own: what goes in is this node's own or was checked, and a signer has one place per round.
    outgoing: async_channel::Sender<GossipMessage>,
    reputations: Box<dyn Reputations>,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
}

impl GossipValidator {
    /// The validator, and the queues that it fills. [`join`](crate::join) makes the one of a node.
    pub fn new(
        settings: Settings,
        reputations: Box<dyn Reputations>,
        clock: Arc<dyn Clock>,
        metrics: Metrics,
    ) -> (Self, Queues) {
        let (checked, to_worker) = async_channel::bounded(CHECKED_QUEUE);
        let (outgoing, to_engine) = async_channel::unbounded();
        let filter = Filter::new(settings.rounds_per_signer);
        let relaying = Relaying::new(settings.rebroadcast, clock.now());
        let validator = Self {
            genesis_hash: settings.genesis_hash,
            validation: Mutex::new(Validation::new(filter, metrics.clone())),
            relaying: Mutex::new(relaying),
            horizon: RwLock::new(Horizon::ALL),
            work: async_channel::bounded(1),
            checked,
            outgoing,
            reputations,
            clock,
            metrics,
        };
        let queues = Queues {
            checked: to_worker,
            outgoing: to_engine,
        };
        (validator, queues)
    }

    /// Follows the voter: what is useful from now on, and the best proven block.
    pub fn update(&self, window: Window, best_block: BlockNumber) {
        *self.horizon.write() = Horizon::of(&window, best_block);
        self.validation.lock().update(window);
    }

    /// Records an own vote, so that nobody else's copy of it is checked.
    pub fn record_own_vote(&self, vote: &Vote) {
        self.validation.lock().record_own_vote(vote);
    }

    /// Keeps what this node itself says about a block, with tables for the votes on it: they are checked in batches.
    pub fn prepare(&self, message: &RoundMessage) {
        self.validation.lock().prepare(message);
    }

    /// Peers to ask, those that are furthest first.
    pub(crate) fn peers(&self) -> Vec<PeerId> {
        self.relaying.lock().peers.furthest_first()
    }

    /// Has a message sent to all peers that do not have it, and kept for those that come. One that is kept already is
    /// sent again from time to time without being asked for.
    pub(crate) fn send(&self, message: GossipMessage) {
        // Fails only when the engine is gone, and with it the network.
        let _ = self.outgoing.try_send(message);
    }

    /// Whether the engine does not keep this message yet; from now on it does.
    pub(crate) fn keep(&self, bytes: &[u8]) -> bool {
        self.relaying.lock().keep(bytes)
    }

    /// The engine is gone: what checks for it ends.
    pub(crate) fn close(&self) {
        self.work.0.close();
    }

    fn receive(&self, sender: &PeerId, bytes: &[u8]) -> Result<(), PeerBehaviour> {
        let message = GossipMessage::from_bytes(bytes).map_err(|error| {
            self.metrics.undecodable.inc();
            PeerBehaviour::of_message_error(&error)
        })?;
        let topic = message.topic();
        match self.validation.lock().receive(*sender, message)? {
            Received::Waits => self.signal_work(),
            // Noted only of what holds: a stranger's inventions leave nothing behind.
            Received::Known => self.relaying.lock().has(sender, topic),
            Received::Dropped => {}
        }
        Ok(())
    }

    /// Wakes somebody who checks. Who is awake anyway finds what waits without it.
    fn signal_work(&self) {
        // When it is full, somebody is about to wake up.
        let _ = self.work.0.try_send(());
    }

    fn report(&self, peer: &PeerId, behaviour: PeerBehaviour) {
        self.reputations.report(*peer, behaviour.reputation());
    }

    /// Checks what is to be checked next; what the worker gets of it, or `None` when nothing waits.
    fn check_next(&self) -> Option<Vec<Checked>> {
        let is_banned = |peer: &PeerId| self.reputations.is_banned(peer);
        let check = {
            let mut validation = self.validation.lock();
            let check = validation.take_check(&is_banned)?;
            if !validation.is_idle() {
                self.signal_work();
            }
            check
        };
        let outcome = check.run(self.genesis_hash);
        let Conclusions {
            checked,
            relayed,
            reports,
            showed,
            holders,
        } = self.validation.lock().conclude(outcome);
        for (peer, behaviour) in reports {
            self.report(&peer, behaviour);
            if behaviour.reputation().value < 0 && is_banned(&peer) {
                let dropped = self.validation.lock().purge(&peer);
                self.metrics.banned_drops.inc_by(count(dropped));
            }
        }
        if !holders.is_empty() {
            let mut relaying = self.relaying.lock();
            for (peer, set_id) in showed {
                relaying.showed(&peer, set_id);
            }
            for (peer, topic) in holders {
                relaying.has(&peer, topic);
            }
        }
        for message in relayed {
            self.send(message);
        }
        Some(checked)
    }
}

/// Checks what waits until the engine is gone. Any number of these run at once, each in a thread of its own: it computes
/// without a pause as long as anything waits. (GOSSIP-7)
pub async fn verify(validator: Arc<GossipValidator>) {
    while validator.work.1.recv().await.is_ok() {
        while let Some(checked) = validator.check_next() {
            for checked in checked {
                // Waits while the worker is behind; then what peers send waits too, within its bounds.
                if validator.checked.send(checked).await.is_err() {
                    return;
                }
            }
        }
    }
}

impl<B: BlockT<Hash = H256>> Validator<B> for GossipValidator {
    fn new_peer(&self, _: &mut dyn ValidatorContext<B>, peer: &PeerId, _: ObservedRole) {
        let peers = &mut self.relaying.lock().peers;
        peers.connected(*peer, self.clock.now());
        self.metrics.live_peers.set(count(peers.len()));
    }

    fn peer_disconnected(&self, _: &mut dyn ValidatorContext<B>, peer: &PeerId) {
        let peers = &mut self.relaying.lock().peers;
        peers.disconnected(peer);
        self.metrics.live_peers.set(count(peers.len()));
    }

    fn validate(
        &self,
        _: &mut dyn ValidatorContext<B>,
        sender: &PeerId,
        bytes: &[u8],
    ) -> ValidationResult<H256> {
        // What a peer sent before its ban still waits in queues that are not ours, thousands of messages perhaps.
        if self.reputations.is_banned(sender) {
            self.metrics.banned_drops.inc();
        } else if let Err(behaviour) = self.receive(sender, bytes) {
            self.report(sender, behaviour);
        }
        // What holds is given to the engine once, after its check, like a message of this node.
        ValidationResult::Discard
    }

    fn message_expired<'a>(&'a self) -> Box<dyn FnMut(H256, &[u8]) -> bool + 'a> {
        let horizon = *self.horizon.read();
        let mut relaying = self.relaying.lock();
        relaying.forget_below(&horizon);
        Box::new(move |topic, bytes| {
            let is_useful = Topic::from_hash(&topic).is_ok_and(|it| horizon.includes(&it));
            if !is_useful {
                relaying.drop_message(bytes);
            }
            !is_useful
        })
    }

    fn message_allowed<'a>(
        &'a self,
    ) -> Box<dyn FnMut(&PeerId, MessageIntent, &H256, &[u8]) -> bool + 'a> {
        // The engine asks for all peers and messages of one pass, and calls nothing else of ours meanwhile.
        let horizon = *self.horizon.read();
        let mut relaying = self.relaying.lock();
        let mut pass = Pass::begin(self.clock.now());
        Box::new(move |peer, intent, topic, bytes| {
            Topic::from_hash(topic).is_ok_and(|topic| {
                let message = Kept { topic, bytes };
                horizon.includes(&topic) && relaying.may_send(peer, intent, &message, &mut pass)
            })
        })
    }
}

fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}
