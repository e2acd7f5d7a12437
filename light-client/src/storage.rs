//! Reads state from trie nodes under a state root, which is trusted. (LIGHT-2, STATE-2)

use crate::error::StorageProofError;
use alloc::{collections::BTreeSet, vec::Vec};
use duet_primitives::H256;
use sp_core::Blake2Hasher;
use sp_trie::{LayoutV1, Recorder, StorageProof};

/// Reads state of version 0 too: the two differ only in how they are written.
type Layout = LayoutV1<Blake2Hasher>;

/// The values under these keys, in their order.
///
/// # Errors
/// When a node is missing or is not under the root, and when there are nodes that no key needs.
pub(crate) fn read(
    nodes: &[Vec<u8>],
    state_root: H256,
    keys: &[&[u8]],
) -> Result<Vec<Option<Vec<u8>>>, StorageProofError> {
    let db = StorageProof::new(nodes.iter().cloned()).into_memory_db::<Blake2Hasher>();
    let mut used = BTreeSet::new();
    let mut values = Vec::with_capacity(keys.len());
    for key in keys {
        let mut visited = Recorder::<Layout>::new();
        let value =
            sp_trie::read_trie_value::<Layout, _>(&db, &state_root, key, Some(&mut visited), None)
                .map_err(|_| StorageProofError::Incomplete)?;
        used.extend(visited.drain().into_iter().map(|node| node.hash));
        values.push(value);
    }
    let (expected, got) = (used.len(), nodes.len());
    if expected != got {
        return Err(StorageProofError::Surplus { expected, got });
    }
    Ok(values)
}
