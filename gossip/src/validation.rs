//! Validates a message: decode it within bounds (GOSSIP-1), ask the voter's filter (GOSSIP-2, GOSSIP-3), make
//! the check that the filter calls for, and only then pass it on (GOSSIP-5).
//!
//! Plain state and plain functions: no lock, no network. [`GossipValidator`](crate::validator::GossipValidator)
//! connects it to the SDK's gossip engine.

use crate::{
    message::GossipMessage,
    metrics::Metrics,
    peers::Peers,
    reputation::PeerBehaviour,
    topic::{Kind, Topic},
};
use duet_primitives::{
    BlockNumber, EquivocationProof, Justification, RoundMessage, UncheckedJustification,
    UncheckedVote, Vote, H256,
};
use duet_voter::{Blame, Filter, Recorded, RecordedProof, Verdict, VoteCheck, Window};
use sc_network_types::PeerId;
use std::sync::Arc;

/// Something from gossip that was checked and is new.
// Nearly all of them are votes, and the queue is bounded: boxes would cost more than the space.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Checked {
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

/// Which kept messages are still worth a peer's attention. Follows the voter's window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Horizon {
    /// Votes below this block are useless to everybody.
    lowest_vote: BlockNumber,
    /// Proofs below this block are superseded by the best one, unless no peer has shown them yet.
    lowest_proof: BlockNumber,
}

impl Horizon {
    /// Whether messages with this topic are still useful.
    pub(crate) fn includes(&self, topic: &Topic) -> bool {
        match topic.kind {
            Kind::Vote => topic.number >= self.lowest_vote,
            Kind::Justification => topic.number >= self.lowest_proof,
        }
    }
}

/// What a valid message leads to.
pub(crate) struct Accepted {
    /// Under which the engine keeps it.
    pub(crate) topic: Topic,
    /// Whether peers may need it.
    pub(crate) relay: bool,
    /// What the worker gets, if it needs it.
    pub(crate) to_worker: Option<Checked>,
    /// What its sender did.
    pub(crate) behaviour: PeerBehaviour,
}

/// What a message that leads to nothing says about its sender, if anything.
pub(crate) type Rejected = Option<PeerBehaviour>;

/// What is known about peers and about what they sent.
pub(crate) struct Validation {
    genesis_hash: H256,
    filter: Filter,
    horizon: Horizon,
    metrics: Metrics,
    /// The connected peers.
    pub(crate) peers: Peers,
}

impl Validation {
    /// Accepts nothing until its first window.
    pub(crate) fn new(genesis_hash: H256, filter: Filter, metrics: Metrics) -> Self {
        Self {
            genesis_hash,
            filter,
            horizon: Horizon {
                lowest_vote: BlockNumber::ZERO,
                lowest_proof: BlockNumber::ZERO,
            },
            metrics,
            peers: Peers::default(),
        }
    }

    /// Follows the voter: what is useful from now on, and the best proven block.
    pub(crate) fn update(&mut self, window: Window, best_block: BlockNumber) {
        let unpublished = window.unpublished.iter().map(|accepted| accepted.lowest);
        self.horizon = Horizon {
            lowest_vote: best_block.saturating_next(),
            lowest_proof: unpublished.chain([best_block]).min().unwrap_or(best_block),
        };
        self.filter.update(window);
    }

    /// The voter's filter.
    pub(crate) fn filter(&mut self) -> &mut Filter {
        &mut self.filter
    }

    /// Which messages are still useful.
    pub(crate) fn horizon(&self) -> Horizon {
        self.horizon
    }

    /// Decides about a message of `sender`.
    ///
    /// # Errors
    /// What the message says about its sender, if anything, when it leads to nothing.
    pub(crate) fn receive(
        &mut self,
        sender: &PeerId,
        message: GossipMessage,
    ) -> Result<Accepted, Rejected> {
        let mut accepted = match message {
            GossipMessage::Vote(vote) => self.vote(vote)?,
            GossipMessage::Justification(justification) => self.justification(justification)?,
        };
        accepted.topic.from = self.peers.connection(sender);
        self.peers.showed(sender, accepted.topic.set_id);
        Ok(accepted)
    }

    fn vote(&mut self, vote: UncheckedVote) -> Result<Accepted, Rejected> {
        let VoteCheck { set, message } = match self.filter.vote(&vote) {
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
                return Err(behaviour_of(blame));
            }
        };
        let message = message.unwrap_or_else(|| {
            let message = RoundMessage::new(self.genesis_hash, vote.commitment.clone());
            Arc::new(message)
        });
        self.metrics.dleq_checks.inc();
        let vote = vote.check(set.keyset(), &message).map_err(|error| {
            self.metrics.votes_bad.inc();
            PeerBehaviour::of_vote_error(&error)
        })?;
        self.record(vote, message)
    }

    /// Records a vote that holds.
    fn record(&mut self, vote: Vote, message: Arc<RoundMessage>) -> Result<Accepted, Rejected> {
        let topic = Topic::own(Kind::Vote, vote.commitment());
        match self.filter.record_vote(&vote, &message) {
            Recorded::New => {
                self.metrics.votes_good.inc();
                Ok(Accepted {
                    topic,
                    relay: true,
                    to_worker: Some(Checked::Vote { vote, message }),
                    behaviour: PeerBehaviour::GoodVote,
                })
            }
            Recorded::Equivocation(proof) => {
                self.metrics.equivocations.inc();
                Ok(Accepted {
                    topic,
                    relay: true,
                    to_worker: Some(Checked::Equivocation(proof)),
                    behaviour: PeerBehaviour::GoodEvidence,
                })
            }
            Recorded::Late => Ok(Accepted {
                topic,
                relay: false,
                to_worker: None,
                behaviour: PeerBehaviour::GoodVote,
            }),
            Recorded::Duplicate | Recorded::Misuse(_) => Err(None),
        }
    }

    fn justification(
        &mut self,
        justification: UncheckedJustification,
    ) -> Result<Accepted, Rejected> {
        let set = match self.filter.justification(&justification) {
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
                return Err(behaviour_of(blame));
            }
        };
        let topic = Topic::own(Kind::Justification, &justification.commitment);
        let justification = justification
            .check(set.keyset(), self.genesis_hash)
            .map_err(|error| {
                self.metrics.justifications_bad.inc();
                PeerBehaviour::of_justification_error(&error)
            })?;
        if let RecordedProof::Duplicate = self.filter.record_justification(&justification) {
            self.metrics.justifications_known.inc();
            return Err(None);
        }
        self.metrics.justifications_good.inc();
        Ok(Accepted {
            topic,
            relay: true,
            to_worker: Some(Checked::Justification(justification)),
            behaviour: PeerBehaviour::GoodJustification,
        })
    }
}

/// What a broken rule that the filter found says about the sender.
fn behaviour_of(blame: Blame) -> Option<PeerBehaviour> {
    match blame {
        Blame::Vote(error) => PeerBehaviour::of_vote_error(&error),
        Blame::Justification(error) => PeerBehaviour::of_justification_error(&error),
    }
}
