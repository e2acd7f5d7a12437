//! The handling of a message: the voter's filter decides whether it is worth a check (GOSSIP-2, GOSSIP-3), it waits
//! for one (GOSSIP-7), and the result is recorded (GOSSIP-4 to GOSSIP-6).
//!
//! Plain state and plain functions: no lock, no network, no thread. [`GossipValidator`](crate::validator::GossipValidator)
//! connects it to the gossip engine, and [`check`](crate::check) does the arithmetic in between.

use crate::{
    check::{Check, CheckedProof, CheckedVote, Outcome},
    interest::Interest,
    message::GossipMessage,
    metrics::{count, Metrics},
    pending::{Claim, Job, Pending, Refused, Subject},
    reputation::PeerBehaviour,
    topic::Topic,
};
use duet_primitives::{
    Commitment, DualKeyset, EquivocationProof, Justification, RoundMessage, SetId,
    UncheckedJustification, UncheckedVote, Vote,
};
use duet_voter::{Blame, Filter, Recorded, RecordedProof, Verdict, Window};
use sc_network_types::PeerId;
use schnellru::{ByLength, LruMap};
use std::sync::Arc;

/// The most commitments named only by peers whose hash is kept.
const STRANGE_MESSAGES: u32 = 16;

/// A checked and new item from gossip.
// The queue of them is short, and votes come by hundreds in one: a box would only add a hop.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Checked {
    /// Votes, each the first of its signer in a round.
    Votes(Vec<Vote>),
    /// Two votes of one signer on one block.
    Equivocation(Box<EquivocationProof>),
    /// A finality proof.
    Justification(Justification),
}

/// The state of a message that is not its sender's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// The message waits for a check.
    Waits,
    /// An equivalent message was checked and holds: the sender need not receive it.
    Known(Topic),
    /// The message is dropped.
    Dropped,
}

/// A message for other peers.
#[derive(Debug)]
pub(crate) struct Relayed {
    pub(crate) message: GossipMessage,
    /// The senders of this message or an equivalent one.
    pub(crate) holders: Vec<PeerId>,
}

/// The consequences of a check.
#[derive(Debug, Default)]
pub(crate) struct Conclusions {
    /// Items for the worker.
    pub(crate) checked: Vec<Checked>,
    /// Messages for other peers.
    pub(crate) relayed: Vec<Relayed>,
    /// The senders' behaviour.
    pub(crate) reports: Vec<(PeerId, PeerBehaviour)>,
    /// Senders known to have reached this set.
    pub(crate) showed: Vec<(PeerId, SetId)>,
}

/// The knowledge about peers' messages.
pub(crate) struct Validation {
    interest: Interest,
    filter: Filter,
    pending: Pending,
    /// Messages named only by peers. They have no tables.
    strange: LruMap<Commitment, RoundMessage, ByLength>,
    metrics: Metrics,
}

impl Validation {
    /// Accepts nothing until its first window.
    pub(crate) fn new(interest: Interest, filter: Filter, metrics: Metrics) -> Self {
        Self {
            interest,
            filter,
            pending: Pending::new(),
            strange: LruMap::new(ByLength::new(STRANGE_MESSAGES)),
            metrics,
        }
    }

    /// Follows the voter: the useful messages from now on.
    pub(crate) fn update(&mut self, window: Window) {
        if let Some(signing) = &window.signing {
            self.pending.follow_set(signing.set.keyset().len());
        }
        self.filter.update(window);
    }

    /// Records an own vote, so that copies of it from peers are not checked.
    pub(crate) fn record_own_vote(&mut self, vote: &Vote) {
        self.filter.record_vote(vote);
    }

    /// This node's own statement about a block, with tables for the votes on it.
    pub(crate) fn prepare(&mut self, message: &RoundMessage) {
        if self.interest == Interest::Proofs {
            return;
        }
        self.filter.prepare(message);
        self.pending.votes.prepare(message);
    }

    /// Statements of valid votes that this node does not make itself. (GOSSIP-10)
    pub(crate) fn strange(&self) -> Vec<Commitment> {
        self.filter.strange()
    }

    /// The votes with this statement. (GOSSIP-10)
    pub(crate) fn take_judged(&mut self, commitment: &Commitment) -> Vec<Vote> {
        self.filter.take_judged(commitment)
    }

    /// Whether no message waits for a check.
    pub(crate) fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }

    /// Drops the waiting messages of a banned peer; returns their number.
    pub(crate) fn purge(&mut self, peer: &PeerId) -> usize {
        let dropped = self.pending.purge(peer);
        self.show_waiting();
        dropped
    }

    fn show_waiting(&self) {
        self.metrics.checks_waiting.set(count(self.pending.len()));
    }

    /// Decides whether a message must wait for a check. Cost: a few look-ups, no arithmetic.
    ///
    /// # Errors
    /// The sender's fault.
    pub(crate) fn receive(
        &mut self,
        sender: PeerId,
        message: GossipMessage,
    ) -> Result<Received, PeerBehaviour> {
        match message {
            GossipMessage::Vote(_) if self.interest == Interest::Proofs => {
                self.metrics.votes_ignored.inc();
                Ok(Received::Dropped)
            }
            GossipMessage::Vote(vote) => self.vote(sender, vote),
            GossipMessage::Justification(justification) => {
                self.justification(sender, justification)
            }
        }
    }

    /// The filter's verdict on a proof.
    pub(crate) fn verdict_on(&self, proof: &UncheckedJustification) -> Verdict<Arc<DualKeyset>> {
        self.filter.justification(proof)
    }

    fn vote(&mut self, sender: PeerId, vote: UncheckedVote) -> Result<Received, PeerBehaviour> {
        match self.filter.vote(&vote) {
            Verdict::Check(check) => {
                let offered = self
                    .pending
                    .votes
                    .offer(sender, vote, check.prepared.as_ref());
                if offered == Err(Refused::Repeated) {
                    self.metrics.votes_known.inc();
                }
                Ok(self.received(offered))
            }
            Verdict::Known => {
                self.metrics.votes_known.inc();
                Ok(Received::Known(Topic::of_vote(&vote)))
            }
            Verdict::Ignore(_) => {
                self.metrics.votes_ignored.inc();
                Ok(Received::Dropped)
            }
            Verdict::Blame(blame) => {
                self.metrics.votes_bad.inc();
                behaviour_of(blame).map_or(Ok(Received::Dropped), Err)
            }
        }
    }

    fn justification(
        &mut self,
        sender: PeerId,
        justification: UncheckedJustification,
    ) -> Result<Received, PeerBehaviour> {
        match self.filter.justification(&justification) {
            Verdict::Check(_) => {
                let offered = self.pending.proofs.offer(sender, justification);
                if offered == Err(Refused::Repeated) {
                    self.metrics.justifications_known.inc();
                }
                Ok(self.received(offered))
            }
            Verdict::Known => {
                self.metrics.justifications_known.inc();
                Ok(Received::Known(Topic::of_proof(&justification.commitment)))
            }
            Verdict::Ignore(_) => {
                self.metrics.justifications_ignored.inc();
                Ok(Received::Dropped)
            }
            Verdict::Blame(blame) => {
                self.metrics.justifications_bad.inc();
                behaviour_of(blame).map_or(Ok(Received::Dropped), Err)
            }
        }
    }

    fn received(&self, offered: Result<(), Refused>) -> Received {
        match offered {
            Ok(()) => {
                self.show_waiting();
                Received::Waits
            }
            Err(Refused::Repeated) => Received::Dropped,
            Err(Refused::NoRoom) => {
                self.metrics.queue_drops.inc();
                Received::Dropped
            }
        }
    }

    /// Takes the next message to check. Drops messages that are no longer needed or whose sender is banned by now.
    pub(crate) fn take_check(&mut self, is_banned: &dyn Fn(&PeerId) -> bool) -> Option<Check> {
        loop {
            let lacking = |commitment: &_| self.filter.lacking(commitment);
            let Some(job) = self.pending.take(lacking) else {
                // What was dropped waits no longer.
                self.show_waiting();
                return None;
            };
            let check = match job {
                Job::Batch(message, votes) => self.batch(message, votes, is_banned),
                Job::Strange(sender, vote) => self.strange_vote(sender, vote, is_banned),
                Job::Proof(sender, proof) => self.proof(sender, proof, is_banned),
            };
            if check.is_some() {
                return check;
            }
        }
    }

    fn batch(
        &mut self,
        message: RoundMessage,
        votes: Vec<(PeerId, UncheckedVote)>,
        is_banned: &dyn Fn(&PeerId) -> bool,
    ) -> Option<Check> {
        let mut set = None;
        let mut needed = Vec::with_capacity(votes.len());
        for (sender, vote) in votes {
            if self.drop_banned(sender, &vote, Some(&message), is_banned) {
                continue;
            }
            match self.filter.vote(&vote) {
                Verdict::Check(check) => {
                    set = Some(check.set);
                    needed.push((sender, vote));
                }
                _ => self.not_needed(&vote),
            }
        }
        Some(Check::Votes {
            set: set?,
            message,
            votes: needed,
        })
    }

    fn strange_vote(
        &mut self,
        sender: PeerId,
        vote: UncheckedVote,
        is_banned: &dyn Fn(&PeerId) -> bool,
    ) -> Option<Check> {
        if self.drop_banned(sender, &vote, None, is_banned) {
            return None;
        }
        let Verdict::Check(check) = self.filter.vote(&vote) else {
            self.not_needed(&vote);
            return None;
        };
        let known = check.prepared.or_else(|| {
            self.strange
                .get(&vote.commitment)
                .map(|known| known.clone())
        });
        Some(Check::StrangeVote {
            set: check.set,
            message: known,
            sender,
            vote,
        })
    }

    fn proof(
        &mut self,
        sender: PeerId,
        proof: UncheckedJustification,
        is_banned: &dyn Fn(&PeerId) -> bool,
    ) -> Option<Check> {
        let subject = Subject::of(&proof.commitment);
        if is_banned(&sender) {
            self.metrics.banned_drops.inc();
            self.pending.proofs.fails(&subject);
            return None;
        }
        let Verdict::Check(set) = self.filter.justification(&proof) else {
            self.metrics.justifications_known.inc();
            self.pending.proofs.holds(&subject);
            return None;
        };
        Some(Check::Proof { set, sender, proof })
    }

    /// Whether the sender is banned: its vote gives way to the next copy.
    fn drop_banned(
        &mut self,
        sender: PeerId,
        vote: &UncheckedVote,
        prepared: Option<&RoundMessage>,
        is_banned: &dyn Fn(&PeerId) -> bool,
    ) -> bool {
        if !is_banned(&sender) {
            return false;
        }
        self.metrics.banned_drops.inc();
        self.pending.votes.fails(&Claim::of(vote), prepared);
        true
    }

    fn not_needed(&mut self, vote: &UncheckedVote) {
        self.metrics.votes_known.inc();
        self.pending.votes.holds(&Claim::of(vote));
    }

    /// Records the result of a check, and returns its consequences.
    pub(crate) fn conclude(&mut self, outcome: Outcome) -> Conclusions {
        let mut conclusions = Conclusions::default();
        match outcome {
            Outcome::Votes(message, votes) => {
                self.conclude_votes(&message, votes, &mut conclusions)
            }
            Outcome::StrangeVote(message, vote) => {
                self.conclude_votes(&message, vec![*vote], &mut conclusions);
                self.strange.insert(message.commitment().clone(), message);
            }
            Outcome::Proof(proof) => self.conclude_proof(*proof, &mut conclusions),
        }
        self.show_waiting();
        conclusions
    }

    fn conclude_votes(
        &mut self,
        message: &RoundMessage,
        votes: Vec<CheckedVote>,
        conclusions: &mut Conclusions,
    ) {
        let mut new = Vec::with_capacity(votes.len());
        for vote in votes {
            new.extend(self.conclude_vote(message, vote, conclusions));
        }
        if !new.is_empty() {
            conclusions.checked.push(Checked::Votes(new));
        }
    }

    /// The vote, if it is the first of its signer in an open round, or makes a proof fuller.
    fn conclude_vote(
        &mut self,
        message: &RoundMessage,
        checked: CheckedVote,
        conclusions: &mut Conclusions,
    ) -> Option<Vote> {
        let CheckedVote {
            sender,
            claim,
            verdict,
        } = checked;
        self.metrics.dleq_checks.inc();
        let vote = match verdict {
            Ok(vote) => vote,
            Err(error) => {
                self.metrics.votes_bad.inc();
                let prepared = self.filter.prepared(message.commitment());
                self.pending.votes.fails(&claim, prepared.as_ref());
                let behaviour = PeerBehaviour::of_vote_error(&error);
                conclusions
                    .reports
                    .extend(behaviour.map(|behaviour| (sender, behaviour)));
                return None;
            }
        };
        let copies = self.pending.votes.holds(&claim);
        let relayed = |vote: &Vote| Relayed {
            message: GossipMessage::Vote(vote.to_unchecked()),
            holders: copies.into_iter().chain([sender]).collect(),
        };
        let set_id = message.commitment().validator_set_id;
        conclusions.showed.push((sender, set_id));
        let mut accept = |behaviour| conclusions.reports.push((sender, behaviour));
        match self.filter.record_vote(&vote) {
            Recorded::New => {
                self.metrics.votes_good.inc();
                accept(PeerBehaviour::GoodVote);
                conclusions.relayed.push(relayed(&vote));
                Some(vote)
            }
            Recorded::Equivocation(proof) => {
                self.metrics.equivocations.inc();
                accept(PeerBehaviour::GoodEvidence);
                conclusions.relayed.push(relayed(&vote));
                conclusions.checked.push(Checked::Equivocation(proof));
                None
            }
            Recorded::Fuller => {
                self.metrics.votes_good.inc();
                accept(PeerBehaviour::GoodVote);
                Some(vote)
            }
            Recorded::Late => {
                accept(PeerBehaviour::GoodVote);
                None
            }
            Recorded::Duplicate | Recorded::Misuse(_) => None,
        }
    }

    fn conclude_proof(&mut self, checked: CheckedProof, conclusions: &mut Conclusions) {
        let CheckedProof {
            sender,
            subject,
            verdict,
        } = checked;
        let justification = match verdict {
            Ok(justification) => justification,
            Err(error) => {
                self.metrics.justifications_bad.inc();
                self.pending.proofs.fails(&subject);
                let behaviour = PeerBehaviour::of_justification_error(&error);
                conclusions
                    .reports
                    .extend(behaviour.map(|behaviour| (sender, behaviour)));
                return;
            }
        };
        // Other peers may have sent other proofs of the block.
        self.pending.proofs.holds(&subject);
        if let RecordedProof::Duplicate = self.filter.record_justification(&justification) {
            self.metrics.justifications_known.inc();
            return;
        }
        self.metrics.justifications_good.inc();
        let set_id = justification.commitment().validator_set_id;
        conclusions.showed.push((sender, set_id));
        conclusions
            .reports
            .push((sender, PeerBehaviour::GoodJustification));
        conclusions.relayed.push(Relayed {
            message: GossipMessage::Justification(justification.clone().into_unchecked()),
            holders: vec![sender],
        });
        conclusions
            .checked
            .push(Checked::Justification(justification));
    }
}

/// The sender's fault in a broken rule that the filter found.
fn behaviour_of(blame: Blame) -> Option<PeerBehaviour> {
    match blame {
        Blame::Vote(error) => PeerBehaviour::of_vote_error(&error),
        Blame::Justification(error) => PeerBehaviour::of_justification_error(&error),
    }
}
