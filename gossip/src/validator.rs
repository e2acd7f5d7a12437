//! Connects [`Validation`] to the gossip engine, and to the threads that check.
//!
//! A message costs the engine's task a few look-ups: it is decoded, the filter says whether it is needed, and it waits.
//! Nothing is kept, relayed or rewarded before it was checked (GOSSIP-5). [`verify`] checks what waits, outside of the
//! locks, and passes on what holds: to the worker over a bounded queue, and to the engine to be relayed.
//!
//! There are two locks. One guards what is known about messages and is taken by the engine's task, the threads that
//! check, and the worker, each for moments. The other guards the list of peers. What is known about sending belongs to
//! the engine alone.

#[cfg(test)]
mod tests;

use crate::{
    check::Outcome,
    interest::Interest,
    message::GossipMessage,
    metrics::{count, Metrics},
    orders::{Order, Ordered},
    peers::Peers,
    protocol::CHECKED_QUEUE,
    relaying::Horizon,
    reputation::PeerBehaviour,
    source::Watch,
    topic::Topic,
    validation::{Checked, Conclusions, Received, Relayed, Validation},
};
use duet_primitives::{BlockNumber, Commitment, RoundMessage, Vote, H256};
use duet_voter::{Filter, Window};
use parking_lot::Mutex;
use sc_network::{peer_store::BANNED_THRESHOLD, NetworkPeers, ReputationChange};
use sc_network_types::PeerId;
use std::{
    sync::{Arc, OnceLock},
    time::Instant,
};

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
    /// What this node wants to hear. (GOSSIP-9)
    pub interest: Interest,
}

/// The ends of the validator's queues.
pub struct Queues {
    /// What holds and is new, for the worker.
    pub checked: async_channel::Receiver<Checked>,
    /// What is to be kept and sent to peers, for the engine.
    pub orders: async_channel::Receiver<Order>,
}

/// Validates what peers send. One per node, shared by the gossip engine, the threads that check, and the worker.
pub struct GossipValidator {
    genesis_hash: H256,
    validation: Mutex<Validation>,
    peers: Mutex<Peers>,
    /// Has an item while something may wait to be checked.
    work: (async_channel::Sender<()>, async_channel::Receiver<()>),
    checked: async_channel::Sender<Checked>,
    /// Without a bound of its own: what goes in is this node's own or was checked, and a signer has one place per round.
    orders: async_channel::Sender<Order>,
    reputations: Box<dyn Reputations>,
    /// Takes the proofs that contradict what is final here, once there is somebody who does.
    watch: OnceLock<Arc<dyn Watch>>,
    metrics: Metrics,
}

impl GossipValidator {
    /// The validator, and the queues that it fills. [`join`](crate::join) makes the one of a node.
    pub fn new(
        settings: Settings,
        reputations: Box<dyn Reputations>,
        metrics: Metrics,
    ) -> (Self, Queues) {
        let (checked, to_worker) = async_channel::bounded(CHECKED_QUEUE);
        let (orders, to_engine) = async_channel::unbounded();
        let filter = Filter::new(settings.rounds_per_signer);
        let validation = Validation::new(settings.interest, filter, metrics.clone());
        let validator = Self {
            genesis_hash: settings.genesis_hash,
            validation: Mutex::new(validation),
            peers: Mutex::default(),
            work: async_channel::bounded(1),
            checked,
            orders,
            reputations,
            watch: OnceLock::new(),
            metrics,
        };
        let queues = Queues {
            checked: to_worker,
            orders: to_engine,
        };
        (validator, queues)
    }

    /// Tells the network what a peer did, and counts it.
    pub(crate) fn report(&self, peer: &PeerId, behaviour: PeerBehaviour) {
        self.metrics.behaviours.count(behaviour);
        self.reputations.report(*peer, behaviour.reputation());
    }

    /// Has each proof shown to `watch` before anything else is done with it. Only the first one given watches. (ROUND-10)
    pub fn watch_with(&self, watch: Arc<dyn Watch>) {
        // There is one worker.
        let _ = self.watch.set(watch);
    }

    /// Has proofs of this block by this set neither kept nor sent any more: one of them contradicts what is final here.
    /// (ROUND-10)
    pub fn forget_proofs(&self, commitment: &Commitment) {
        self.order(Ordered::Forget(Topic::of_proof(commitment)));
    }

    /// Follows the voter: what is useful from now on, and the best proven block.
    pub fn update(&self, window: Window, best_block: BlockNumber) {
        let signing = window.signing.as_ref();
        self.order(Ordered::Follow {
            horizon: Horizon::of(&window, best_block),
            set_len: signing.map_or(0, |signing| signing.set.keyset().len()),
        });
        self.validation.lock().update(window);
    }

    /// What valid votes say that this node does not say itself, each once, to be compared with the chain; until
    /// [`GossipValidator::take_judged`]. (GOSSIP-10)
    pub fn strange_statements(&self) -> Vec<Commitment> {
        self.validation.lock().strange()
    }

    /// The votes that say this, which was compared with the chain. Each is returned once. (GOSSIP-10)
    pub fn take_judged(&self, commitment: &Commitment) -> Vec<Vote> {
        self.validation.lock().take_judged(commitment)
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
        self.peers.lock().furthest_first()
    }

    /// A peer speaks the protocol from now on.
    pub(crate) fn connected(&self, peer: PeerId) {
        let mut peers = self.peers.lock();
        peers.connected(peer);
        self.metrics.live_peers.set(count(peers.len()));
    }

    /// A peer is gone.
    pub(crate) fn disconnected(&self, peer: &PeerId) {
        let mut peers = self.peers.lock();
        peers.disconnected(peer);
        self.metrics.live_peers.set(count(peers.len()));
    }

    /// Has a message sent to all peers that lack it, and kept for those that come. One that is kept already is sent again
    /// from time to time without being asked for.
    pub(crate) fn send(&self, message: GossipMessage) {
        self.order(Ordered::Keep {
            message,
            holders: Vec::new(),
        });
    }

    fn order(&self, ordered: Ordered) {
        // Fails only when the engine is gone, and with it the network.
        let _ = self.orders.try_send(Order(ordered));
    }

    /// The engine is gone: what checks for it ends.
    pub(crate) fn close(&self) {
        self.work.0.close();
    }

    /// Takes what a peer sent; what it is about, if the like of it was checked before and holds. Nothing is kept or
    /// relayed of what was not checked: what holds is ordered to be kept after its check, like a message of this node.
    pub(crate) fn receive(&self, sender: &PeerId, bytes: &[u8]) -> Option<Topic> {
        // What a peer sent before its ban still waits in queues that are not ours, thousands of messages perhaps.
        if self.reputations.is_banned(sender) {
            self.metrics.banned_drops.inc();
            return None;
        }
        self.validate(sender, bytes).unwrap_or_else(|behaviour| {
            self.report(sender, behaviour);
            None
        })
    }

    fn validate(&self, sender: &PeerId, bytes: &[u8]) -> Result<Option<Topic>, PeerBehaviour> {
        let message = GossipMessage::from_bytes(bytes).map_err(|error| {
            self.metrics.undecodable.inc();
            PeerBehaviour::of_message_error(&error)
        })?;
        if let (GossipMessage::Justification(proof), Some(watch)) = (&message, self.watch.get()) {
            if watch.takes(sender, proof) {
                return Ok(None);
            }
        }
        let topic = Topic::of(&message);
        let received = self.validation.lock().receive(*sender, message)?;
        if received == Received::Waits {
            self.signal_work();
        }
        Ok((received == Received::Known).then_some(topic))
    }

    /// Wakes somebody who checks. Who is awake anyway finds what waits without it.
    fn signal_work(&self) {
        // When it is full, somebody is about to wake up.
        let _ = self.work.0.try_send(());
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
        let began = Instant::now();
        let outcome = check.run(self.genesis_hash);
        let took = began.elapsed().as_secs_f64();
        self.metrics.check_seconds.observe(took);
        let Conclusions {
            checked,
            reports,
            showed,
            ..
        } = self.conclude(outcome);
        for (peer, behaviour) in reports {
            // Each report of a banned peer is one more command to disconnect it, for which others wait.
            if is_banned(&peer) {
                continue;
            }
            self.report(&peer, behaviour);
            if behaviour.reputation().value < 0 && is_banned(&peer) {
                let dropped = self.validation.lock().purge(&peer);
                self.metrics.banned_drops.inc_by(count(dropped));
            }
        }
        if !showed.is_empty() {
            let mut peers = self.peers.lock();
            for (peer, set_id) in showed {
                peers.showed(&peer, set_id);
            }
        }
        Some(checked)
    }

    /// Records what came of a check, and orders what holds to be relayed.
    fn conclude(&self, outcome: Outcome) -> Conclusions {
        // Both under one lock: who is told of a message that it is known finds it kept.
        let mut validation = self.validation.lock();
        let mut conclusions = validation.conclude(outcome);
        for Relayed { message, holders } in conclusions.relayed.drain(..) {
            self.order(Ordered::Keep { message, holders });
        }
        conclusions
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
