//! What was seen of a round and of a signer.

use super::Noted;
use duet_primitives::{
    BlockNumber, DualKeyset, EquivocationProof, RoundMessage, SetId, SignerIndex, Vote,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

#[derive(Debug)]
pub(super) struct Seen {
    pub(super) set: Arc<DualKeyset>,
    pub(super) votes: BTreeMap<SignerIndex, First>,
    /// Every message that a valid vote or this node itself names, hashed once.
    pub(super) messages: Vec<Arc<RoundMessage>>,
    /// Its votes no longer count towards their signers' quotas.
    released: bool,
}

#[derive(Debug)]
pub(super) struct First {
    pub(super) vote: Vote,
    pub(super) equivocated: bool,
}

#[derive(Debug, Default)]
pub(super) struct Quota {
    /// Open rounds with a vote of this signer.
    blocks: BTreeSet<BlockNumber>,
    /// Its votes at or below this block gave way to later ones and are not taken again.
    floor: Option<BlockNumber>,
}

impl Seen {
    pub(super) fn new(set: Arc<DualKeyset>) -> Self {
        Self {
            set,
            votes: BTreeMap::new(),
            messages: Vec::new(),
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

    pub(super) fn remember(&mut self, message: &Arc<RoundMessage>) {
        if self
            .messages
            .iter()
            .all(|known| known.commitment() != message.commitment())
        {
            self.messages.push(message.clone());
        }
    }
}

impl First {
    /// GOSSIP-4: a second vote on the block.
    pub(super) fn judge(&mut self, set: &DualKeyset, vote: &Vote) -> Noted {
        if self.equivocated || vote.commitment() == self.vote.commitment() {
            return Noted::Duplicate;
        }
        match EquivocationProof::new(set.keyset(), &self.vote, vote) {
            Ok(proof) => {
                self.equivocated = true;
                Noted::Equivocation(Box::new(proof))
            }
            Err(error) => Noted::Misuse(error),
        }
    }
}

impl Quota {
    /// Whether a vote on this block would be the one to give way, or gave way before.
    pub(super) fn is_closed_to(&self, block: BlockNumber, limit: usize) -> bool {
        let full = self.blocks.len() >= limit;
        self.floor.is_some_and(|floor| block <= floor)
            || full && self.blocks.first().is_some_and(|lowest| block < *lowest)
    }

    /// Counts a round; says which one gives way.
    pub(super) fn charge(&mut self, block: BlockNumber, limit: usize) -> Option<BlockNumber> {
        self.blocks.insert(block);
        if self.blocks.len() <= limit {
            return None;
        }
        self.floor = self.blocks.pop_first();
        self.floor
    }

    pub(super) fn release(&mut self, block: BlockNumber) {
        self.blocks.remove(&block);
    }
}
