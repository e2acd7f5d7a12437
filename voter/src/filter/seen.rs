//! The valid votes that the filter has seen in a round.

use super::answer::Recorded;
use crate::quota::Quota;
use duet_primitives::{
    BlockNumber, DualKeyset, EquivocationProof, RoundMessage, SetId, SignerIndex, Vote,
};
use std::{collections::BTreeMap, sync::Arc};

#[derive(Debug)]
pub(super) struct Seen {
    pub(super) set: Arc<DualKeyset>,
    pub(super) votes: BTreeMap<SignerIndex, First>,
    /// What this node itself says about the block.
    pub(super) own: Option<RoundMessage>,
    /// Its votes no longer count towards their signers' quotas.
    released: bool,
}

#[derive(Debug)]
pub(super) struct First {
    pub(super) vote: Vote,
    pub(super) equivocated: bool,
}

impl Seen {
    pub(super) fn new(set: Arc<DualKeyset>) -> Self {
        Self {
            set,
            votes: BTreeMap::new(),
            own: None,
            released: false,
        }
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
