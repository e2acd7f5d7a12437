//! The store's answers to peers and RPC: lists of handoffs, bounded in number and size.

use super::{Store, StoreError, FIRST_SET};
use codec::Encode;
use duet_gossip::source::{HandoffProof, ProofSource, StartProof};
use duet_primitives::{SetId, UncheckedJustification};

/// The most bytes in a list, unless its first entry alone has more.
pub(crate) const MAX_LIST_BYTES: usize = 1024 * 1024;

impl ProofSource for Store {
    type Error = StoreError;

    fn handoff_justifications(
        &self,
        first_set: SetId,
        count: u32,
    ) -> Result<Vec<UncheckedJustification>, StoreError> {
        sets(first_set, count)
            .map_while(|set_id| self.handoff(set_id).transpose())
            .collect()
    }

    fn handoff_proofs(
        &self,
        first_set: SetId,
        count: u32,
    ) -> Result<Vec<HandoffProof>, StoreError> {
        bounded(sets(first_set, count).map(|set_id| self.handoff_proof(set_id)))
    }

    /// The starting proof for light clients.
    fn first_set_proof(&self) -> Result<Option<StartProof>, StoreError> {
        self.tables.get(FIRST_SET, &[])
    }
}

/// `count` sets from the first on, or up to the largest number.
pub(crate) fn sets(first_set: SetId, count: u32) -> impl Iterator<Item = SetId> {
    (0..u64::from(count))
        .map_while(move |offset| first_set.get().checked_add(offset).map(SetId::new))
}

/// The `entries` before the first missing one that fit into [`MAX_LIST_BYTES`]; at least one if there is one.
pub(crate) fn bounded<T: Encode, E>(
    entries: impl Iterator<Item = Result<Option<T>, E>>,
) -> Result<Vec<T>, E> {
    let (mut list, mut size) = (Vec::new(), 0_usize);
    for entry in entries {
        let Some(entry) = entry? else { break };
        size = size.saturating_add(entry.encoded_size());
        if size > MAX_LIST_BYTES && !list.is_empty() {
            break;
        }
        list.push(entry);
    }
    Ok(list)
}
