//! Votes that wait for a check.

use super::claims::{Claims, Limits, Refused};
use duet_primitives::{BlockNumber, Commitment, RoundMessage, SetId, SignerIndex, UncheckedVote};
use duet_voter::checks::Fair;
use sc_network_types::PeerId;
use std::{collections::BTreeMap, iter};

/// The most votes that are checked together.
pub(crate) const BATCH: usize = 256;
/// A batch with fewer votes costs noticeably more per vote. Forged votes cannot make batches smaller than this.
const LEAST_BATCH: usize = 64;

/// A vote's statement, and its alleged signer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Claim {
    signer: SignerIndex,
    commitment: Commitment,
}

impl Claim {
    /// The statement and alleged signer of `vote`.
    pub(crate) fn of(vote: &UncheckedVote) -> Self {
        Self {
            signer: vote.signer,
            commitment: vote.commitment.clone(),
        }
    }
}

/// Votes on a commitment prepared by this node. They are checked in batches, with the tables of its message.
#[derive(Debug)]
struct Lane {
    message: RoundMessage,
    votes: Fair<PeerId, UncheckedVote>,
}

/// Votes that wait for a check, or are being checked.
#[derive(Debug)]
pub(crate) struct Votes {
    claims: Claims<Claim, UncheckedVote>,
    lanes: BTreeMap<(SetId, BlockNumber), Lane>,
    /// On commitments named only by peers.
    strange: Fair<PeerId, UncheckedVote>,
}

impl Votes {
    /// No votes.
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            claims: Claims::new(limits),
            lanes: BTreeMap::new(),
            strange: Fair::default(),
        }
    }

    pub(super) fn set_limits(&mut self, limits: Limits) {
        self.claims.set_limits(limits);
    }

    /// Queues a vote. `prepared` is this node's own statement about the block, if the vote agrees.
    ///
    /// # Errors
    /// [`Refused`]; the vote is dropped.
    pub(crate) fn offer(
        &mut self,
        peer: PeerId,
        vote: UncheckedVote,
        prepared: Option<&RoundMessage>,
    ) -> Result<(), Refused> {
        let claim = Claim::of(&vote);
        self.claims.may_admit(&peer, &claim)?;
        if self.claims.is_full() && !self.make_room(&peer) {
            return Err(Refused::NoRoom);
        }
        if let Some(vote) = self.claims.admit(peer, &claim, vote) {
            self.queue(peer, vote, prepared);
        }
        Ok(())
    }

    /// This node prepared a commitment: votes on it that already wait move into its lane.
    pub(crate) fn prepare(&mut self, message: &RoundMessage) {
        let commitment = message.commitment();
        for (peer, vote) in self.strange.extract(|vote| &vote.commitment == commitment) {
            self.queue(peer, vote, Some(message));
        }
    }

    /// Takes up to [`BATCH`] votes on one prepared commitment, highest block first, each of another signer. Each
    /// counts as waiting until [`Votes::holds`] or [`Votes::fails`].
    ///
    /// `lacking` says how many votes a round needs for its proof. The batch ends with the last of them, so that the proof
    /// does not wait for the check of votes that it does not need.
    pub(super) fn take_batch(
        &mut self,
        lacking: impl Fn(&Commitment) -> usize,
    ) -> Option<(RoundMessage, Vec<(PeerId, UncheckedVote)>)> {
        let mut entry = self.lanes.last_entry()?;
        let lane = entry.get_mut();
        let most = match lacking(lane.message.commitment()) {
            0 => BATCH,
            lacking => lacking.clamp(LEAST_BATCH, BATCH),
        };
        let votes = iter::from_fn(|| lane.votes.pop()).take(most).collect();
        let message = lane.message.clone();
        if lane.votes.is_empty() {
            entry.remove();
        }
        Some((message, votes))
    }

    /// Takes a vote on a commitment named only by peers. It counts as waiting, like the votes of a batch.
    pub(super) fn take_strange(&mut self) -> Option<(PeerId, UncheckedVote)> {
        self.strange.pop()
    }

    /// A taken vote is valid or no longer needed, and so are its copies. Returns the senders of the copies.
    pub(crate) fn holds(&mut self, claim: &Claim) -> Vec<PeerId> {
        self.claims.holds(claim)
    }

    /// A taken vote is invalid: the next copy is checked. `prepared` as in [`Votes::offer`].
    pub(crate) fn fails(&mut self, claim: &Claim, prepared: Option<&RoundMessage>) {
        if let Some((peer, vote)) = self.claims.fails(claim) {
            self.queue(peer, vote, prepared);
        }
    }

    /// Drops a peer's waiting votes; returns their number.
    pub(super) fn purge(&mut self, peer: &PeerId) -> usize {
        let mut dropped = self.claims.drop_spare_of(peer);
        let mut next = Vec::new();
        for vote in self.strange.remove(peer) {
            dropped = dropped.saturating_add(1);
            next.extend(
                self.claims
                    .fails(&Claim::of(&vote))
                    .map(|copy| (copy, None)),
            );
        }
        for lane in self.lanes.values_mut() {
            for vote in lane.votes.remove(peer) {
                dropped = dropped.saturating_add(1);
                let copy = self.claims.fails(&Claim::of(&vote));
                next.extend(copy.map(|copy| (copy, Some(lane.message.clone()))));
            }
        }
        self.lanes.retain(|_, lane| !lane.votes.is_empty());
        for ((peer, vote), prepared) in next {
            self.queue(peer, vote, prepared.as_ref());
        }
        dropped
    }

    /// The number of votes that wait or are being checked, without copies.
    pub(super) fn len(&self) -> usize {
        self.claims.len()
    }

    /// Whether votes on prepared commitments wait.
    pub(super) fn has_batch(&self) -> bool {
        !self.lanes.is_empty()
    }

    /// Whether votes on other commitments wait.
    pub(super) fn has_strange(&self) -> bool {
        !self.strange.is_empty()
    }

    fn queue(&mut self, peer: PeerId, vote: UncheckedVote, prepared: Option<&RoundMessage>) {
        let Some(message) = prepared else {
            return self.strange.push(peer, vote);
        };
        let commitment = message.commitment();
        let key = (commitment.validator_set_id, commitment.block_number);
        let lane = self.lanes.entry(key).or_insert_with(|| Lane {
            message: message.clone(),
            votes: Fair::default(),
        });
        if lane.message.commitment() == commitment {
            lane.votes.push(peer, vote);
        } else {
            // The chain's earlier statement about the block differed; those votes came first.
            self.strange.push(peer, vote);
        }
    }

    /// Drops the newest vote of the peer with the most waiting votes, if it has more than `peer`.
    fn make_room(&mut self, peer: &PeerId) -> bool {
        let Some(other) = self.claims.gives_way_to(peer) else {
            return false;
        };
        let mut prepared = None;
        let newest = self.strange.pop_newest_of(&other).or_else(|| {
            self.lanes.values_mut().find_map(|lane| {
                let vote = lane.votes.pop_newest_of(&other)?;
                prepared = Some(lane.message.clone());
                Some(vote)
            })
        });
        let Some(vote) = newest else {
            return false; // All that it has is a copy or under check.
        };
        self.lanes.retain(|_, lane| !lane.votes.is_empty());
        self.fails(&Claim::of(&vote), prepared.as_ref());
        true
    }
}
