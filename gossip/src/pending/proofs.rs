//! Finality proofs that wait for a check.

use super::claims::{Claims, Limits, Refused};
use duet_primitives::{Commitment, UncheckedJustification};
use duet_voter::checks::Fair;
use sc_network_types::PeerId;

/// A few per peer, because one proof is enough for each block.
const LIMITS: Limits = Limits {
    total: 64,
    of_peer: 4,
};

/// A proof's statement: one valid proof of it is enough.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Subject(Commitment);

impl Subject {
    /// The key of a proof of this commitment.
    pub(crate) fn of(commitment: &Commitment) -> Self {
        Self(commitment.clone())
    }
}

/// Proofs that wait for a check, or are being checked.
#[derive(Debug)]
pub(crate) struct Proofs {
    claims: Claims<Subject, UncheckedJustification>,
    waiting: Fair<PeerId, UncheckedJustification>,
}

impl Proofs {
    /// No proofs.
    pub(super) fn new() -> Self {
        Self {
            claims: Claims::new(LIMITS),
            waiting: Fair::default(),
        }
    }

    /// Queues a proof.
    ///
    /// # Errors
    /// [`Refused`]; the proof is dropped.
    pub(crate) fn offer(
        &mut self,
        peer: PeerId,
        proof: UncheckedJustification,
    ) -> Result<(), Refused> {
        let subject = Subject::of(&proof.commitment);
        self.claims.may_admit(&peer, &subject)?;
        if self.claims.is_full() {
            return Err(Refused::NoRoom);
        }
        if let Some(proof) = self.claims.admit(peer, &subject, proof) {
            self.waiting.push(peer, proof);
        }
        Ok(())
    }

    /// Takes a proof. It counts as waiting until [`Proofs::holds`] or [`Proofs::fails`].
    pub(super) fn take(&mut self) -> Option<(PeerId, UncheckedJustification)> {
        self.waiting.pop()
    }

    /// A taken proof is valid or no longer needed, and so are others of its block. Returns the senders of the others.
    pub(crate) fn holds(&mut self, subject: &Subject) -> Vec<PeerId> {
        self.claims.holds(subject)
    }

    /// A taken proof is invalid: the next one of its block is checked.
    pub(crate) fn fails(&mut self, subject: &Subject) {
        if let Some((peer, proof)) = self.claims.fails(subject) {
            self.waiting.push(peer, proof);
        }
    }

    /// Drops a peer's waiting proofs; returns their number.
    pub(super) fn purge(&mut self, peer: &PeerId) -> usize {
        let mut dropped = self.claims.drop_spare_of(peer);
        for proof in self.waiting.remove(peer) {
            dropped = dropped.saturating_add(1);
            self.fails(&Subject::of(&proof.commitment));
        }
        dropped
    }

    /// The number of proofs that wait or are being checked, without copies.
    pub(super) fn len(&self) -> usize {
        self.claims.len()
    }

    /// Whether no proof waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
