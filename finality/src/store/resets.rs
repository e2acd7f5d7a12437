//! The resets of the finalized chain: where its sets did not hand off. (RESET-5)

use super::{tables::StoreError, Store};
use codec::{Decode, Encode};
use duet_primitives::{BlockNumber, KeysetCommitment, SetId, H256};

/// All resets, in the order of their sets.
pub(super) const RESETS: &str = "resets";

/// A final block that ends a set without a handoff.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub(crate) struct Reset {
    /// The block.
    pub(crate) block: BlockNumber,
    /// Its hash.
    pub(crate) hash: H256,
    /// The set that signed before.
    pub(crate) ended: SetId,
    /// The set that signs from the block on.
    pub(crate) set: KeysetCommitment,
}

impl Store {
    /// The resets that this node has seen. Only a chain's governance makes one, so there are few.
    pub(crate) fn resets(&self) -> Result<Vec<Reset>, StoreError> {
        Ok(self.tables.get(RESETS, &[])?.unwrap_or_default())
    }

    /// Stores a reset of the finalized chain. To store it again is harmless.
    pub(crate) fn put_reset(&self, reset: &Reset) -> Result<(), StoreError> {
        let mut all = self.resets()?;
        all.retain(|one| one.set.id != reset.set.id);
        all.push(reset.clone());
        all.sort_by_key(|one| one.set.id);
        self.tables.put(RESETS, &[], &all)
    }

    /// The first reset that starts a set after this one.
    pub(crate) fn reset_after(&self, set: SetId) -> Result<Option<Reset>, StoreError> {
        Ok(self.resets()?.into_iter().find(|one| one.set.id > set))
    }

    /// The reset that started this set.
    pub(crate) fn reset_to(&self, set: SetId) -> Result<Option<Reset>, StoreError> {
        Ok(self.resets()?.into_iter().find(|one| one.set.id == set))
    }
}
