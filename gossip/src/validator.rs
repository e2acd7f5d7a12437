//! Connects [`Validation`] to the gossip engine, and to the checking threads.
//!
//! A message costs the engine's task a few look-ups: it is decoded, the filter decides whether it is needed, and it
//! waits. No message is kept, relayed or rewarded before its check (GOSSIP-5). [`verify`] checks waiting messages,
//! outside of the locks, and passes valid ones on: to the worker over a bounded queue, and to the engine for relaying.
//!
//! There are two locks. One guards the knowledge about messages and is taken by the engine's task, the checking
//! threads, and the worker, each for moments. The other guards the list of peers. The state of sending belongs to the
//! engine alone.

#[cfg(test)]
mod tests;

use crate::{
    check::Outcome,
    interest::Interest,
    message::GossipMessage,
    metrics::{count, Metrics},
    notification::messages_of,
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
use duet_voter::{Filter, Verdict, Window};
use parking_lot::Mutex;
use sc_network::{peer_store::BANNED_THRESHOLD, NetworkPeers, ReputationChange};
use sc_network_types::PeerId;
use std::{
    sync::{Arc, OnceLock},
    time::Instant,
};

/// The network's view of its peers. Every [`NetworkPeers`] of the SDK implements it.
pub trait Reputations: Send + Sync {
    /// Reports a peer's behaviour.
    fn report(&self, peer: PeerId, change: ReputationChange);
    /// Whether the network has closed, or is about to close, the connection because of the peer's behaviour.
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

/// The settings of the validation.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Hash of the genesis block, which is in every signed message.
    pub genesis_hash: H256,
    /// How many rounds of one signer are kept at once, see [`Filter::new`].
    pub rounds_per_signer: usize,
    /// This node's interest. (GOSSIP-9)
    pub interest: Interest,
}

/// The ends of the validator's queues.
pub struct Queues {
    /// Valid and new items, for the worker.
    pub checked: async_channel::Receiver<Checked>,
    /// Messages to keep and send to peers, for the engine.
    pub orders: async_channel::Receiver<Order>,
}

/// Validates peers' messages. One per node, shared by the gossip engine, the checking threads, and the worker.
pub struct GossipValidator {
    genesis_hash: H256,
    validation: Mutex<Validation>,
    peers: Mutex<Peers>,
    /// Has an item while messages may wait for a check.
    work: (async_channel::Sender<()>, async_channel::Receiver<()>),
    checked: async_channel::Sender<Checked>,
    /// Unbounded: its items are this node's own or checked, and a signer has one place per round.
    orders: async_channel::Sender<Order>,
    reputations: Box<dyn Reputations>,
    /// Takes the proofs that contradict final blocks here, once it is set.
    watch: OnceLock<Arc<dyn Watch>>,
    metrics: Metrics,
}

impl GossipValidator {
    /// The validator, and the queues that it fills. [`join`](crate::join) creates a node's validator.
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

    /// Reports a peer's behaviour to the network, and counts it.
    pub(crate) fn report(&self, peer: &PeerId, behaviour: PeerBehaviour) {
        self.metrics.behaviours.count(behaviour);
        self.reputations.report(*peer, behaviour.reputation());
    }

    /// Shows each new proof to `watch` before any other step. Only the first given one watches. (ROUND-10)
    pub fn watch_with(&self, watch: Arc<dyn Watch>) {
        // There is one worker.
        let _ = self.watch.set(watch);
    }

    /// Stops keeping and sending proofs of this block by this set: one of them contradicts a final block here.
    /// (ROUND-10)
    pub fn forget_proofs(&self, commitment: &Commitment) {
        self.order(Ordered::Forget(Topic::of_proof(commitment)));
    }

    /// Follows the voter: the useful messages from now on, and the best proven block.
    pub fn update(&self, window: Window, best_block: BlockNumber) {
        let signing = window.signing.as_ref();
        self.order(Ordered::Follow {
            horizon: Horizon::of(&window, best_block),
            set_len: signing.map_or(0, |signing| signing.set.keyset().len()),
        });
        self.validation.lock().update(window);
    }

    /// Statements of valid votes that this node does not make itself, each once, for comparison with the chain; until
    /// [`GossipValidator::take_judged`]. (GOSSIP-10)
    pub fn strange_statements(&self) -> Vec<Commitment> {
        self.validation.lock().strange()
    }

    /// The votes with this statement, which was compared with the chain. Each is returned once. (GOSSIP-10)
    pub fn take_judged(&self, commitment: &Commitment) -> Vec<Vote> {
        self.validation.lock().take_judged(commitment)
    }

    /// Records an own vote, so that copies of it from peers are not checked.
    pub fn record_own_vote(&self, vote: &Vote) {
        self.validation.lock().record_own_vote(vote);
    }

    /// Keeps this node's own statement about a block, with tables for the votes on it: they are checked in batches.
    pub fn prepare(&self, message: &RoundMessage) {
        self.validation.lock().prepare(message);
    }

    /// Whether the network has closed, or is about to close, the connection because of the peer's behaviour.
    pub(crate) fn is_banned(&self, peer: &PeerId) -> bool {
        self.reputations.is_banned(peer)
    }

    /// Peers for requests, most advanced first.
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

    /// Orders an own message to be sent to all peers that lack it, and kept for later peers. A message that is already
    /// kept is repeated from time to time without another order.
    pub(crate) fn send(&self, message: GossipMessage) {
        self.order(Ordered::Keep {
            message,
            holders: Vec::new(),
        });
    }

    fn order(&self, ordered: Ordered) {
        // Fails only when the engine, and with it the network, is gone.
        let _ = self.orders.try_send(Order(ordered));
    }

    /// The engine is gone: the checking threads end.
    pub(crate) fn close(&self) {
        self.work.0.close();
    }

    /// Takes a peer's notification; returns the topics of its messages of which equivalent ones were checked and hold.
    /// Unchecked messages are neither kept nor relayed: valid ones are ordered to be kept after their check, like this
    /// node's own messages.
    pub(crate) fn receive(&self, sender: &PeerId, notification: &[u8]) -> Vec<Topic> {
        // A peer's messages from before its ban still wait in queues outside of this crate, perhaps thousands.
        if self.reputations.is_banned(sender) {
            self.metrics.banned_drops.inc();
            return Vec::new();
        }
        let mut known = Vec::new();
        if let Err(behaviour) = self.validate(sender, notification, &mut known) {
            self.report(sender, behaviour);
        }
        known
    }

    /// Validates the messages of a notification up to the first one that is its sender's fault. (GOSSIP-11)
    fn validate(
        &self,
        sender: &PeerId,
        notification: &[u8],
        known: &mut Vec<Topic>,
    ) -> Result<(), PeerBehaviour> {
        let messages = messages_of(notification).map_err(|error| {
            self.metrics.undecodable.inc();
            PeerBehaviour::of_message_error(&error)
        })?;
        if let ([GossipMessage::Justification(proof)], Some(watch)) =
            (&messages[..], self.watch.get())
        {
            let verdict = self.validation.lock().verdict_on(proof);
            match verdict {
                Verdict::Check(_) if watch.takes(sender, proof) => return Ok(()),
                Verdict::Ignore(_) => watch.shows(sender, proof),
                _ => {}
            }
        }
        let mut validation = self.validation.lock();
        for message in messages {
            match validation.receive(*sender, message)? {
                Received::Waits => self.signal_work(),
                Received::Known(topic) => known.push(topic),
                Received::Dropped => {}
            }
        }
        Ok(())
    }

    /// Wakes a checking thread. A thread that is already awake finds waiting messages without it.
    fn signal_work(&self) {
        // When it is full, a thread is about to wake up.
        let _ = self.work.0.try_send(());
    }

    /// Makes the next check; returns the worker's items, or `None` when nothing waits.
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

    /// Records the result of a check, and orders the relaying of valid messages.
    fn conclude(&self, outcome: Outcome) -> Conclusions {
        // Both under one lock: the engine finds a message kept as soon as it is told that the message is known.
        let mut validation = self.validation.lock();
        let mut conclusions = validation.conclude(outcome);
        for Relayed { message, holders } in conclusions.relayed.drain(..) {
            self.order(Ordered::Keep { message, holders });
        }
        conclusions
    }
}

/// Checks waiting messages until the engine is gone. Any number of these run at once, each in a separate thread: it
/// computes without a pause as long as messages wait. (GOSSIP-7)
pub async fn verify(validator: Arc<GossipValidator>) {
    while validator.work.1.recv().await.is_ok() {
        while let Some(checked) = validator.check_next() {
            for checked in checked {
                // Waits while the worker is behind; then peers' messages also wait, within their bounds.
                if validator.checked.send(checked).await.is_err() {
                    return;
                }
            }
        }
    }
}
