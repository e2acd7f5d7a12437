//! Bytes in, verdict out: decoding within bounds (GOSSIP-1), the voter's filter (GOSSIP-2, GOSSIP-3), the check
//! that the filter calls for, and only then relay (GOSSIP-5).
//!
//! What holds is relayed at once, from here, with the bytes as they came; what the worker needs goes to it over
//! a bounded queue. When the queue is full nothing is checked either, so that no vote is marked as known that the
//! worker has not seen (GOSSIP-7).

use super::{
    message::GossipMessage,
    peers::Peers,
    reputation::Conduct,
    topic::{Kind, Topic},
};
use crate::client::Metrics;
use codec::Encode;
use duet_primitives::{
    BlockNumber, EquivocationProof, Justification, RoundMessage, UncheckedJustification,
    UncheckedVote, Vote, H256,
};
use duet_voter::{Blame, Filter, Noted, NotedProof, Verdict, VoteCheck, Window};
use parking_lot::Mutex;
use sc_network::{peer_store::BANNED_THRESHOLD, NetworkPeers, ObservedRole, ReputationChange};
use sc_network_gossip::{MessageIntent, ValidationResult, Validator, ValidatorContext};
use sc_network_types::PeerId;
use sp_runtime::traits::Block as BlockT;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Something from gossip that was checked and is new.
// Nearly all of them are votes, and the queue is bounded: boxes would cost more than the space.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub(crate) enum Checked {
    /// The first vote of its signer in a round.
    Vote {
        /// The vote.
        vote: Vote,
        /// What it says, hashed.
        message: Arc<RoundMessage>,
    },
    /// Two votes of one signer on one block.
    Equivocation(Box<EquivocationProof>),
    /// A finality proof.
    Justification(Justification),
}

/// What the network holds of its peers.
pub(crate) trait Reputations: Send + Sync {
    /// Tells it about a peer's conduct.
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

/// Which kept messages are still worth a peer's attention. Follows the voter's window.
#[derive(Clone, Copy, Debug, Default)]
struct Horizon {
    /// Votes below this block are of no use to anybody.
    lowest_vote: BlockNumber,
    /// Proofs of lower blocks are superseded: below the best one, and below those that nobody has shown yet.
    lowest_proof: BlockNumber,
}

impl Horizon {
    fn holds(&self, topic: &Topic) -> bool {
        match topic.kind {
            Kind::Vote => topic.number >= self.lowest_vote,
            Kind::Justification => topic.number >= self.lowest_proof,
        }
    }
}

struct Inner {
    filter: Filter,
    peers: Peers,
    horizon: Horizon,
    /// From whom the message came that is being relayed, so that it is not sent back.
    origin: Option<PeerId>,
    next_rebroadcast: Instant,
}

/// Validates what peers send. One per node, shared by the gossip engine and the worker.
pub(crate) struct GossipValidator {
    genesis_hash: H256,
    rebroadcast: Duration,
    inner: Mutex<Inner>,
    checked: async_channel::Sender<Checked>,
    reputations: Box<dyn Reputations>,
    metrics: Metrics,
}

/// What a valid message leads to.
struct Outcome {
    topic: Topic,
    relay: bool,
    to_worker: Option<Checked>,
}

/// Why a message leads to nothing: what that says of its sender, if anything.
type Refused = Option<Conduct>;

impl GossipValidator {
    pub(crate) fn new(
        genesis_hash: H256,
        filter: Filter,
        rebroadcast: Duration,
        checked: async_channel::Sender<Checked>,
        reputations: Box<dyn Reputations>,
        metrics: Metrics,
    ) -> Self {
        let inner = Inner {
            filter,
            peers: Peers::default(),
            horizon: Horizon::default(),
            origin: None,
            next_rebroadcast: Instant::now() + rebroadcast,
        };
        Self {
            genesis_hash,
            rebroadcast,
            inner: Mutex::new(inner),
            checked,
            reputations,
            metrics,
        }
    }

    /// Follows the voter: what is of use from now on, and the best proven block.
    pub(crate) fn update(&self, window: Window, best_block: BlockNumber) {
        let mut inner = self.inner.lock();
        let awaited = window.awaited.iter().map(|accepted| accepted.lowest);
        inner.horizon = Horizon {
            lowest_vote: best_block.saturating_add(1),
            lowest_proof: awaited.chain([best_block]).min().unwrap_or(best_block),
        };
        inner.filter.update(window);
    }

    /// Work with the filter, for the worker's own votes and proofs.
    pub(crate) fn with_filter<T>(&self, work: impl FnOnce(&mut Filter) -> T) -> T {
        work(&mut self.inner.lock().filter)
    }

    /// Peers to ask, those that are furthest first.
    pub(crate) fn peers(&self) -> Vec<PeerId> {
        self.inner.lock().peers.furthest_first()
    }

    fn process(&self, bytes: &[u8]) -> Result<Outcome, Refused> {
        let message = GossipMessage::from_bytes(bytes).map_err(|error| {
            self.metrics.undecodable.inc();
            Some(Conduct::of_message_error(error))
        })?;
        if self.checked.is_full() {
            self.metrics.queue_drops.inc();
            return Err(None);
        }
        match message {
            GossipMessage::Vote(vote) => self.vote(vote),
            GossipMessage::Justification(justification) => self.justification(justification),
        }
    }

    fn vote(&self, vote: UncheckedVote) -> Result<Outcome, Refused> {
        let verdict = self.inner.lock().filter.vote(&vote);
        let VoteCheck { set, message } = match verdict {
            Verdict::Check(check) => check,
            Verdict::Known => {
                self.metrics.votes_known.inc();
                return Err(None);
            }
            Verdict::Ignore(_) => {
                self.metrics.votes_ignored.inc();
                return Err(None);
            }
            Verdict::Blame(blame) => {
                self.metrics.votes_bad.inc();
                return Err(conduct_of(blame));
            }
        };
        let message = message.unwrap_or_else(|| {
            Arc::new(RoundMessage::new(
                self.genesis_hash,
                vote.commitment.clone(),
            ))
        });
        let topic = Topic::new(Kind::Vote, &vote.commitment);
        self.metrics.dleq_checks.inc();
        let vote = vote.check(set.keyset(), &message).map_err(|error| {
            self.metrics.votes_bad.inc();
            Conduct::of_vote_error(&error)
        })?;
        self.note(topic, vote, message)
    }

    fn note(
        &self,
        topic: Topic,
        vote: Vote,
        message: Arc<RoundMessage>,
    ) -> Result<Outcome, Refused> {
        let noted = self.inner.lock().filter.note_vote(&vote, &message);
        match noted {
            Noted::New => {
                self.metrics.votes_good.inc();
                let to_worker = Some(Checked::Vote { vote, message });
                Ok(Outcome {
                    topic,
                    relay: true,
                    to_worker,
                })
            }
            Noted::Equivocation(proof) => {
                self.metrics.equivocations.inc();
                let to_worker = Some(Checked::Equivocation(proof));
                Ok(Outcome {
                    topic,
                    relay: true,
                    to_worker,
                })
            }
            Noted::Late => Ok(Outcome {
                topic,
                relay: false,
                to_worker: None,
            }),
            Noted::Duplicate | Noted::Misuse(_) => Err(None),
        }
    }

    fn justification(&self, justification: UncheckedJustification) -> Result<Outcome, Refused> {
        let verdict = self.inner.lock().filter.justification(&justification);
        let set = match verdict {
            Verdict::Check(set) => set,
            Verdict::Known => {
                self.metrics.justifications_known.inc();
                return Err(None);
            }
            Verdict::Ignore(_) => {
                self.metrics.justifications_ignored.inc();
                return Err(None);
            }
            Verdict::Blame(blame) => {
                self.metrics.justifications_bad.inc();
                return Err(conduct_of(blame));
            }
        };
        let topic = Topic::new(Kind::Justification, &justification.commitment);
        let justification = justification
            .check(set.keyset(), self.genesis_hash)
            .map_err(|error| {
                self.metrics.justifications_bad.inc();
                Conduct::of_justification_error(&error)
            })?;
        if let NotedProof::Duplicate = self.inner.lock().filter.note_justification(&justification) {
            self.metrics.justifications_known.inc();
            return Err(None);
        }
        self.metrics.justifications_good.inc();
        let to_worker = Some(Checked::Justification(justification));
        Ok(Outcome {
            topic,
            relay: true,
            to_worker,
        })
    }

    /// GOSSIP-5: to everybody who does not have it, save the peer that it came from.
    fn relay<B: BlockT<Hash = H256>>(
        &self,
        context: &mut dyn ValidatorContext<B>,
        origin: &PeerId,
        topic: H256,
        bytes: &[u8],
    ) {
        self.inner.lock().origin = Some(*origin);
        context.broadcast_message(topic, bytes.to_vec(), false);
        self.inner.lock().origin = None;
    }

    fn report(&self, peer: &PeerId, conduct: Conduct) {
        self.reputations.report(*peer, conduct.reputation());
    }
}

/// What a broken rule that the filter found says of the sender.
fn conduct_of(blame: Blame) -> Option<Conduct> {
    match blame {
        Blame::Vote(error) => Conduct::of_vote_error(&error),
        Blame::Justification(error) => Conduct::of_justification_error(&error),
    }
}

impl<B: BlockT<Hash = H256>> Validator<B> for GossipValidator {
    fn new_peer(&self, _: &mut dyn ValidatorContext<B>, peer: &PeerId, _: ObservedRole) {
        let mut inner = self.inner.lock();
        inner.peers.connected(*peer);
        self.metrics.live_peers.set(count(inner.peers.len()));
    }

    fn peer_disconnected(&self, _: &mut dyn ValidatorContext<B>, peer: &PeerId) {
        let mut inner = self.inner.lock();
        inner.peers.disconnected(peer);
        self.metrics.live_peers.set(count(inner.peers.len()));
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
        let Outcome {
            topic,
            relay,
            to_worker,
        } = match self.process(bytes) {
            Ok(outcome) => outcome,
            Err(refused) => {
                if let Some(conduct) = refused {
                    self.report(sender, conduct);
                }
                return ValidationResult::Discard;
            }
        };
        let hash = topic.to_hash();
        let conduct = match &to_worker {
            Some(Checked::Vote { .. }) | None => Conduct::GoodVote,
            Some(Checked::Equivocation(_)) => Conduct::GoodEvidence,
            Some(Checked::Justification(_)) => Conduct::GoodJustification,
        };
        self.report(sender, conduct);
        self.inner.lock().peers.showed(sender, topic.set_id);
        if to_worker.is_some_and(|checked| self.checked.try_send(checked).is_err()) {
            // It was not full above, and nobody else sends: the worker is gone and the node shuts down.
            self.metrics.queue_drops.inc();
        }
        if !relay {
            return ValidationResult::ProcessAndDiscard(hash);
        }
        self.relay(context, sender, hash, bytes);
        ValidationResult::ProcessAndKeep(hash)
    }

    fn message_expired<'a>(&'a self) -> Box<dyn FnMut(H256, &[u8]) -> bool + 'a> {
        let horizon = self.inner.lock().horizon;
        Box::new(move |topic, _| !Topic::from_hash(&topic).is_some_and(|it| horizon.holds(&it)))
    }

    fn message_allowed<'a>(
        &'a self,
    ) -> Box<dyn FnMut(&PeerId, MessageIntent, &H256, &[u8]) -> bool + 'a> {
        let (horizon, origin) = {
            let inner = self.inner.lock();
            (inner.horizon, inner.origin)
        };
        // Asked on the first periodic message of this pass, so that other passes do not use up its turn.
        let mut periodic = None;
        Box::new(move |peer, intent, topic, _| {
            let turn = match intent {
                MessageIntent::PeriodicRebroadcast => {
                    *periodic.get_or_insert_with(|| self.take_rebroadcast_turn(Instant::now()))
                }
                MessageIntent::Broadcast | MessageIntent::ForcedBroadcast => origin != Some(*peer),
            };
            turn && Topic::from_hash(topic).is_some_and(|it| horizon.holds(&it))
        })
    }
}

impl GossipValidator {
    /// Whether what peers have been sent before is sent again now: once per interval.
    fn take_rebroadcast_turn(&self, now: Instant) -> bool {
        let mut inner = self.inner.lock();
        let turn = now >= inner.next_rebroadcast;
        if turn {
            inner.next_rebroadcast = now + self.rebroadcast;
        }
        turn
    }
}

fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

/// The bytes and topic of an own vote.
pub(crate) fn vote_message(vote: &Vote) -> (H256, Vec<u8>) {
    let topic = Topic::new(Kind::Vote, vote.commitment());
    (
        topic.to_hash(),
        GossipMessage::Vote(vote.to_unchecked()).encode(),
    )
}

/// The bytes and topic of a proof.
pub(crate) fn justification_message(justification: UncheckedJustification) -> (H256, Vec<u8>) {
    let topic = Topic::new(Kind::Justification, &justification.commitment);
    (
        topic.to_hash(),
        GossipMessage::Justification(justification).encode(),
    )
}

#[cfg(test)]
#[path = "validator_tests.rs"]
mod tests;
