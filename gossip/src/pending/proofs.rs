//! Finality proofs that wait to be checked.

use super::claims::{Claims, Limits, Refused};
use duet_primitives::{BlockNumber, Commitment, SetId, UncheckedJustification, H256};
use duet_voter::checks::Fair;
use sc_network_types::PeerId;

/// A few per peer, because one proof is enough for each block.
const LIMITS: Limits = Limits {
    total: 64,
    of_peer: 4,
};

/// The block that a proof is about, and the set that signed it: one valid proof of it is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Subject(SetId, BlockNumber, H256);

impl Subject {
    /// Of a proof of this commitment.
    pub(crate) fn of(commitment: &Commitment) -> Self {
        Self(
            commitment.validator_set_id,
            commitment.block_number,
            commitment.block_hash,
        )
    }
}

/// Proofs that wait to be checked, and those that are being checked.
#[derive(Debug)]
pub(crate) struct Proofs {
    claims: Claims<Subject, UncheckedJustification>,
    waiting: Fair<PeerId, UncheckedJustification>,
}

impl Proofs {
    /// None wait.
    pub(super) fn new() -> Self {
        Self {
            claims: Claims::new(LIMITS),
            waiting: Fair::default(),
        }
    }

    /// Lets a proof wait.
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

    /// A proof that was taken is valid, or is not needed: neither are others of its block. Returns who had sent them.
    pub(crate) fn holds(&mut self, subject: &Subject) -> Vec<PeerId> {
        self.claims.holds(subject)
    }

    /// A proof that was taken is not valid: the next one of its block is checked.
    pub(crate) fn fails(&mut self, subject: &Subject) {
        if let Some((peer, proof)) = self.claims.fails(subject) {
            self.waiting.push(peer, proof);
        }
    }

    /// Drops what waits of a peer; how much that was.
    pub(super) fn purge(&mut self, peer: &PeerId) -> usize {
        let mut dropped = self.claims.drop_spare_of(peer);
        for proof in self.waiting.remove(peer) {
            dropped = dropped.saturating_add(1);
            self.fails(&Subject::of(&proof.commitment));
        }
        dropped
    }

    /// How many wait or are being checked, copies not counted.
    pub(super) fn len(&self) -> usize {
        self.claims.len()
    }

    /// Whether none wait.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
