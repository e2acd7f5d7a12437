//! Peers' messages before their check. (GOSSIP-7)
//!
//! Bounded in total and per peer. Within a kind, peers take turns; between the kinds, the work is divided by fixed
//! shares. So neither one peer nor many votes on invented commitments delay the votes that this node needs.

mod claims;
mod proofs;
mod votes;

pub(crate) use claims::Refused;
pub(crate) use proofs::Subject;
pub(crate) use votes::{Claim, BATCH};

use claims::Limits;
use duet_primitives::{Commitment, RoundMessage, UncheckedJustification, UncheckedVote};
use duet_voter::checks::{Kind, Shares};
use proofs::Proofs;
use sc_network_types::PeerId;
use votes::Votes;

/// The votes that a more advanced peer relays in two rounds of a set of this size at once; no less than a few small
/// rounds.
fn limits(set_len: u32) -> Limits {
    let len = usize::try_from(set_len).unwrap_or(usize::MAX);
    Limits {
        total: len.saturating_mul(4).max(16_384),
        of_peer: len.saturating_mul(2).max(1_024),
    }
}

/// The room for one peer's votes, for a signing set of this size.
pub(crate) fn room_of_peer(set_len: u32) -> usize {
    limits(set_len).of_peer
}

/// An item to check.
#[derive(Debug)]
pub(crate) enum Job {
    /// Votes on a commitment prepared by this node, with their senders, each of another signer.
    Batch(RoundMessage, Vec<(PeerId, UncheckedVote)>),
    /// A vote on another commitment.
    Strange(PeerId, UncheckedVote),
    /// A finality proof.
    Proof(PeerId, UncheckedJustification),
}

/// The items that wait for a check.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) votes: Votes,
    pub(crate) proofs: Proofs,
    shares: Shares,
}

impl Pending {
    /// No items.
    pub(crate) fn new() -> Self {
        Self {
            votes: Votes::new(limits(0)),
            proofs: Proofs::new(),
            shares: Shares::default(),
        }
    }

    /// Follows the size of the signing set.
    pub(crate) fn follow_set(&mut self, len: u32) {
        self.votes.set_limits(limits(len));
    }

    /// Takes the next item to check; `lacking` as in [`Votes::take_batch`]. Does not wait for a full batch: one vote
    /// makes a batch of one.
    pub(crate) fn take(&mut self, lacking: impl Fn(&Commitment) -> usize) -> Option<Job> {
        let Self {
            votes,
            proofs,
            shares,
        } = self;
        let kind = shares.next(|kind| match kind {
            Kind::Prepared => votes.has_batch(),
            Kind::Strange => votes.has_strange(),
            Kind::Proof => !proofs.is_empty(),
        })?;
        let (job, count) = match kind {
            Kind::Prepared => {
                let (message, batch) = votes.take_batch(lacking)?;
                let count = u64::try_from(batch.len()).unwrap_or(u64::MAX);
                (Job::Batch(message, batch), count)
            }
            Kind::Strange => {
                let (peer, vote) = votes.take_strange()?;
                (Job::Strange(peer, vote), 1)
            }
            Kind::Proof => {
                let (peer, proof) = proofs.take()?;
                (Job::Proof(peer, proof), 1)
            }
        };
        shares.charge(kind, count);
        Some(job)
    }

    /// The number of items that wait or are being checked, without copies.
    pub(crate) fn len(&self) -> usize {
        self.votes.len().saturating_add(self.proofs.len())
    }

    /// Whether no item waits.
    pub(crate) fn is_empty(&self) -> bool {
        !self.votes.has_batch() && !self.votes.has_strange() && self.proofs.is_empty()
    }

    /// Drops a peer's waiting items; returns their number.
    pub(crate) fn purge(&mut self, peer: &PeerId) -> usize {
        self.votes
            .purge(peer)
            .saturating_add(self.proofs.purge(peer))
    }
}

#[cfg(test)]
mod tests;
