//! Connects [`Validation`] to the SDK's gossip engine.
//!
//! A valid message is relayed at once, with the bytes as they came, and goes to the worker over a bounded queue. When the queue is full nothing is checked, so that no vote is recorded that the worker has not
//! seen (GOSSIP-7).
//!
//! A message takes the lock once, and the engine's question to whom it may be relayed takes it once more. The lock
//! is held while a vote is checked: engine and worker run in one task, so that nobody waits for it. The sender of a
//! message travels in its topic, as the number of the connection.

use crate::{
    clock::Clock,
    message::GossipMessage,
    metrics::Metrics,
    protocol::CHECKED_QUEUE,
    reputation::PeerBehaviour,
    topic::Topic,
    validation::{Accepted, Checked, Rejected, Validation},
};
use duet_primitives::{BlockNumber, Commitment, RoundMessage, Vote, H256};
use duet_voter::{Filter, Millis, Window};
use parking_lot::Mutex;
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
    /// After this long, peers are sent again what they were sent before.
    pub rebroadcast: Millis,
}

struct State {
    validation: Validation,
    /// When peers are sent again what they were sent before.
    next_rebroadcast: Millis,
}

/// Validates what peers send. One per node, shared by the gossip engine and the worker.
pub struct GossipValidator {
    rebroadcast: Millis,
    state: Mutex<State>,
    checked: async_channel::Sender<Checked>,
    reputations: Box<dyn Reputations>,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
}

impl GossipValidator {
    /// The validator, and the queue of what it accepts. [`join`](crate::join) makes the one of a node.
    pub fn new(
        settings: Settings,
        reputations: Box<dyn Reputations>,
        clock: Arc<dyn Clock>,
        metrics: Metrics,
    ) -> (Self, async_channel::Receiver<Checked>) {
        let (sender, checked) = async_channel::bounded(CHECKED_QUEUE);
        let filter = Filter::new(settings.rounds_per_signer);
        let state = State {
            validation: Validation::new(settings.genesis_hash, filter, metrics.clone()),
            next_rebroadcast: clock.now().saturating_add(settings.rebroadcast),
        };
        let validator = Self {
            rebroadcast: settings.rebroadcast,
            state: Mutex::new(state),
            checked: sender,
            reputations,
            clock,
            metrics,
        };
        (validator, checked)
    }

    /// Follows the voter: what is useful from now on, and the best proven block.
    pub fn update(&self, window: Window, best_block: BlockNumber) {
        self.state.lock().validation.update(window, best_block);
    }

    /// Records an own vote, so that nobody else's copy of it is checked.
    pub fn record_own_vote(&self, vote: &Vote, message: &Arc<RoundMessage>) {
        self.state
            .lock()
            .validation
            .filter()
            .record_vote(vote, message);
    }

    /// The message of a commitment, if it was hashed before.
    pub fn message(&self, commitment: &Commitment) -> Option<Arc<RoundMessage>> {
        self.state.lock().validation.filter().message(commitment)
    }

    /// Keeps a message, so that no vote on it hashes it again.
    pub fn remember(&self, message: &Arc<RoundMessage>) {
        self.state.lock().validation.filter().remember(message);
    }

    /// Peers to ask, those that are furthest first.
    pub(crate) fn peers(&self) -> Vec<PeerId> {
        self.state.lock().validation.peers.furthest_first()
    }

    fn process(&self, sender: &PeerId, bytes: &[u8]) -> Result<Accepted, Rejected> {
        let message = GossipMessage::from_bytes(bytes).map_err(|error| {
            self.metrics.undecodable.inc();
            Some(PeerBehaviour::of_message_error(&error))
        })?;
        if self.checked.is_full() {
            self.metrics.queue_drops.inc();
            return Err(None);
        }
        self.state.lock().validation.receive(sender, message)
    }

    fn report(&self, peer: &PeerId, behaviour: PeerBehaviour) {
        self.reputations.report(*peer, behaviour.reputation());
    }

    /// Hands a checked object to the worker.
    fn deliver(&self, checked: Checked) {
        if self.checked.try_send(checked).is_err() {
            // It was not full before, and nobody else sends: the worker is gone and the node shuts down.
            self.metrics.queue_drops.inc();
        }
    }
}

impl<B: BlockT<Hash = H256>> Validator<B> for GossipValidator {
    fn new_peer(&self, _: &mut dyn ValidatorContext<B>, peer: &PeerId, _: ObservedRole) {
        let peers = &mut self.state.lock().validation.peers;
        peers.connected(*peer);
        self.metrics.live_peers.set(count(peers.len()));
    }

    fn peer_disconnected(&self, _: &mut dyn ValidatorContext<B>, peer: &PeerId) {
        let peers = &mut self.state.lock().validation.peers;
        peers.disconnected(peer);
        self.metrics.live_peers.set(count(peers.len()));
    }

    fn validate(
        &self,
        context: &mut dyn ValidatorContext<B>,
        sender: &PeerId,
        bytes: &[u8],
    ) -> ValidationResult<H256> {
        // What a peer sent before its ban still waits in queues that are not ours, thousands of messages perhaps.
        if self.reputations.is_banned(sender) {
            self.metrics.banned_drops.inc();
            return ValidationResult::Discard;
        }
        let accepted = match self.process(sender, bytes) {
            Ok(accepted) => accepted,
            Err(rejected) => {
                if let Some(behaviour) = rejected {
                    self.report(sender, behaviour);
                }
                return ValidationResult::Discard;
            }
        };
        self.report(sender, accepted.behaviour);
        if let Some(checked) = accepted.to_worker {
            self.deliver(checked);
        }
        let topic = accepted.topic.to_hash();
        if !accepted.relay {
            return ValidationResult::ProcessAndDiscard(topic);
        }
        // GOSSIP-5: to all peers that do not have it. `message_allowed` leaves out the sender.
        context.broadcast_message(topic, bytes.to_vec(), false);
        ValidationResult::ProcessAndKeep(topic)
    }

    fn message_expired<'a>(&'a self) -> Box<dyn FnMut(H256, &[u8]) -> bool + 'a> {
        let horizon = self.state.lock().validation.horizon();
        Box::new(move |topic, _| !Topic::from_hash(&topic).is_ok_and(|it| horizon.includes(&it)))
    }

    fn message_allowed<'a>(
        &'a self,
    ) -> Box<dyn FnMut(&PeerId, MessageIntent, &H256, &[u8]) -> bool + 'a> {
        // The engine asks for all peers and messages of one pass, and calls nothing else of ours meanwhile.
        let mut state = self.state.lock();
        let mut periodic = None;
        Box::new(move |peer, intent, topic, _| {
            let Ok(topic) = Topic::from_hash(topic) else {
                return false;
            };
            if !state.validation.horizon().includes(&topic) {
                return false;
            }
            match intent {
                MessageIntent::PeriodicRebroadcast => {
                    *periodic.get_or_insert_with(|| self.take_rebroadcast_turn(&mut state))
                }
                MessageIntent::Broadcast | MessageIntent::ForcedBroadcast => {
                    topic.from.is_none() || topic.from != state.validation.peers.connection(peer)
                }
            }
        })
    }
}

impl GossipValidator {
    /// Whether what peers have been sent before is sent again in this pass: once per interval.
    fn take_rebroadcast_turn(&self, state: &mut State) -> bool {
        let now = self.clock.now();
        let turn = now >= state.next_rebroadcast;
        if turn {
            state.next_rebroadcast = now.saturating_add(self.rebroadcast);
        }
        turn
    }
}

fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "validator_tests.rs"]
mod tests;
