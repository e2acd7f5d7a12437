//! The valid votes that the filter has seen in a round.

use super::answer::Recorded;
use crate::quota::Quota;
use duet_primitives::{
    BlockNumber, Commitment, DualKeyset, EquivocationProof, RoundMessage, SetId, SignerIndex, Vote,
};
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

#[derive(Debug)]
pub(super) struct Seen {
    pub(super) set: Arc<DualKeyset>,
    pub(super) votes: BTreeMap<SignerIndex, First>,
    /// This node's own message about the block.
    pub(super) own: Option<RoundMessage>,
    /// Its votes no longer count towards their signers' quotas.
    released: bool,
    /// Whether a vote may say something else than the chain, and nobody has looked. (GOSSIP-10)
    unjudged: bool,
}

#[derive(Debug)]
pub(super) struct First {
    pub(super) vote: Vote,
    pub(super) equivocated: bool,
    /// Whether it was compared with the chain.
    judged: bool,
}

impl Seen {
    pub(super) fn new(set: Arc<DualKeyset>) -> Self {
        Self {
            set,
            votes: BTreeMap::new(),
            own: None,
            released: false,
            unjudged: false,
        }
    }

    /// Takes the first valid vote of a signer.
    pub(super) fn insert(&mut self, vote: &Vote) {
        self.unjudged |= self.own.as_ref() != Some(vote.message());
        self.votes.insert(vote.signer(), First::new(vote.clone()));
    }

    /// The commitments of votes that were not compared with the chain, each once, without this node's own.
    pub(super) fn strange(&self) -> Vec<Commitment> {
        if !self.unjudged {
            return Vec::new();
        }
        let waits =
            |first: &&First| !first.judged && Some(first.vote.message()) != self.own.as_ref();
        let all = self.votes.values().filter(waits);
        let mut seen = HashSet::new();
        let new = all.map(|first| first.vote.commitment());
        new.filter(|said| seen.insert(*said)).cloned().collect()
    }

    /// The votes that say this and were not taken before.
    pub(super) fn take_judged(&mut self, commitment: &Commitment) -> Vec<Vote> {
        let mut taken = Vec::new();
        for first in self.votes.values_mut() {
            if !first.judged && first.vote.commitment() == commitment {
                first.judged = true;
                taken.push(first.vote.clone());
            }
        }
        self.unjudged = !self.strange().is_empty();
        taken
    }

    /// The round is concluded: its votes stop counting towards their signers' quotas, once.
    pub(super) fn release(
        &mut self,
        set: SetId,
        block: BlockNumber,
        quotas: &mut BTreeMap<(SetId, SignerIndex), Quota>,
    ) {
        if self.released {
            return;
        }
        self.released = true;
        for signer in self.votes.keys() {
            if let Some(quota) = quotas.get_mut(&(set, *signer)) {
                quota.release(block);
            }
        }
    }
}

impl First {
    fn new(vote: Vote) -> Self {
        Self {
            vote,
            equivocated: false,
            judged: false,
        }
    }

    /// GOSSIP-4: a second vote on the block.
    pub(super) fn judge(&mut self, set: &DualKeyset, vote: &Vote) -> Recorded {
        if self.equivocated || vote.commitment() == self.vote.commitment() {
            return Recorded::Duplicate;
        }
        match EquivocationProof::new(set.keyset(), &self.vote, vote) {
            Ok(proof) => {
                self.equivocated = true;
                Recorded::Equivocation(Box::new(proof))
            }
            Err(error) => Recorded::Misuse(error),
        }
    }
}
