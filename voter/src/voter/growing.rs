//! The latest proofs that lack signers, and the votes that may be added to them. (ROUND-9)

use crate::{filter::Accepted, Millis};
use duet_primitives::{
    BlockNumber, Commitment, DualKeyset, Justification, RoundMessage, SetId, SignerIndex, Vote,
};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

/// The number of latest incomplete proofs that may grow. The filter keeps as many rounds for evidence.
const MAX_GROWING: usize = 8;

/// A round: set and block.
pub(super) type Place = (SetId, BlockNumber);

/// The round that a commitment belongs to.
pub(super) fn place(commitment: &Commitment) -> Place {
    (commitment.validator_set_id, commitment.block_number)
}

/// A proof that lacks signers, and the votes to add.
#[derive(Clone, Debug)]
pub(super) struct Growing {
    pub(super) set: Arc<DualKeyset>,
    /// The fullest proof so far.
    pub(super) proof: Justification,
    pub(super) mandatory: bool,
    /// Votes of signers that it lacks.
    pub(super) votes: BTreeMap<SignerIndex, Arc<Vote>>,
    /// When they are added to it, unless they are all that is missing. Moved on whenever they are.
    pub(super) at: Millis,
    /// This node's own vote is missing, too, and it may still sign.
    pub(super) unsigned: bool,
    /// This node's own message about the block.
    pub(super) own: Option<RoundMessage>,
}

impl Growing {
    pub(super) fn place(&self) -> Place {
        place(self.proof.commitment())
    }

    pub(super) fn lacks(&self, vote: &Vote) -> bool {
        let signers = self.proof.signers();
        self.proof.commitment() == vote.commitment() && !signers.contains(vote.signer())
    }

    pub(super) fn is_full(&self) -> bool {
        self.proof.signers().count() >= self.set.keyset().len()
    }

    pub(super) fn is_due(&self, now: Millis) -> bool {
        let held = u32::try_from(self.votes.len()).unwrap_or(u32::MAX);
        let with_them = self.proof.signers().count().saturating_add(held);
        held > 0 && (with_them >= self.set.keyset().len() || self.at <= now)
    }
}

/// The proofs that may grow, in the order in which they were concluded.
#[derive(Clone, Debug, Default)]
pub(super) struct GrowingProofs(VecDeque<Growing>);

impl GrowingProofs {
    pub(super) fn get(&self, place: Place) -> Option<&Growing> {
        self.0.iter().find(|one| one.place() == place)
    }

    pub(super) fn get_mut(&mut self, place: Place) -> Option<&mut Growing> {
        self.0.iter_mut().find(|one| one.place() == place)
    }

    /// Adds a proof, and drops the oldest when there are too many.
    pub(super) fn push(&mut self, growing: Growing) {
        self.0.push_back(growing);
        if self.0.len() > MAX_GROWING {
            self.0.pop_front();
        }
    }

    /// The proofs whose votes are due to be added.
    pub(super) fn due(&mut self, now: Millis) -> impl Iterator<Item = &mut Growing> {
        self.0.iter_mut().filter(move |one| one.is_due(now))
    }

    /// Drops proofs that are complete.
    pub(super) fn drop_full(&mut self) {
        self.0.retain(|one| !one.is_full());
    }

    /// How many votes wait to be added.
    pub(super) fn votes(&self) -> usize {
        self.0.iter().map(|one| one.votes.len()).sum()
    }

    /// The mandatory blocks with useful late votes, or the others.
    pub(super) fn accepted(&self, mandatory: bool) -> Vec<Accepted> {
        let wanted = self.0.iter().filter(|one| one.mandatory == mandatory);
        let accepted = |one: &Growing| Accepted {
            set: one.set.clone(),
            lowest: one.place().1,
            highest: one.place().1,
        };
        wanted.map(accepted).collect()
    }

    /// The mandatory block that was proven without this node's vote, and its own message, if it may still sign.
    pub(super) fn unsigned(&self) -> Option<(BlockNumber, Option<&RoundMessage>)> {
        let one = self.0.iter().find(|one| one.unsigned)?;
        Some((one.place().1, one.own.as_ref()))
    }

    /// Another set signs now: unsigned blocks stay unsigned.
    pub(super) fn stop_signing(&mut self) {
        self.0.iter_mut().for_each(|one| one.unsigned = false);
    }

    /// When the next one grows at the latest.
    pub(super) fn next(&self) -> Option<Millis> {
        let waiting = self.0.iter().filter(|one| !one.votes.is_empty());
        waiting.map(|one| one.at).min()
    }
}
