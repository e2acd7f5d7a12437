//! The resets of the finalized chain: where its sets did not hand off. (RESET-5)

use super::{tables::StoreError, Store};
use codec::{Decode, Encode};
use duet_primitives::{BlockNumber, KeysetCommitment, SetId, H256};

/// All resets, in the order of their sets.
pub(super) const RESETS: &str = "resets";

/// Headers below a node's first block come from peers, and are not checked when they are imported. At most this many
/// of the resets that they name are kept; they count once their blocks are final here.
const MAX_UNCHECKED: usize = 64;

/// A block that ends a set without a handoff.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub(crate) struct Reset {
    /// The block.
    pub(crate) block: BlockNumber,
    /// Its hash.
    pub(crate) hash: H256,
    /// The set that signed before.
    pub(crate) ended: SetId,
    /// The set that signs from this block on.
    pub(crate) set: KeysetCommitment,
}

impl Store {
    /// The resets known to this node.
    pub(crate) fn resets(&self) -> Result<Vec<Reset>, StoreError> {
        Ok(self.tables.get(RESETS, &[])?.unwrap_or_default())
    }

    /// Stores a reset of the finalized chain, replacing any other one of that set. Only governance makes one.
    pub(crate) fn put_reset(&self, reset: &Reset) -> Result<(), StoreError> {
        let mut all = self.resets()?;
        all.retain(|one| one.set.id != reset.set.id);
        all.push(reset.clone());
        all.sort_by_key(|one| one.set.id);
        self.tables.put(RESETS, &[], &all)
    }

    /// Stores an unchecked header's reset, if there is room and no other one of that set.
    pub(crate) fn put_unchecked_reset(&self, reset: &Reset) -> Result<(), StoreError> {
        let all = self.resets()?;
        if all.len() >= MAX_UNCHECKED || all.iter().any(|one| one.set.id == reset.set.id) {
            return Ok(());
        }
        self.put_reset(reset)
    }

    /// The first reset that starts a set after this one, among those in final blocks.
    pub(crate) fn reset_after(
        &self,
        set: SetId,
        finalized_at: impl Fn(BlockNumber) -> Option<H256>,
    ) -> Result<Option<Reset>, StoreError> {
        let mut all = self.resets()?.into_iter();
        Ok(all.find(|one| one.set.id > set && finalized_at(one.block) == Some(one.hash)))
    }

    /// The reset that started this set, if its block is final here.
    pub(crate) fn reset_to(
        &self,
        set: SetId,
        finalized_at: impl Fn(BlockNumber) -> Option<H256>,
    ) -> Result<Option<Reset>, StoreError> {
        let mut all = self.resets()?.into_iter();
        Ok(all.find(|one| one.set.id == set && finalized_at(one.block) == Some(one.hash)))
    }
}
