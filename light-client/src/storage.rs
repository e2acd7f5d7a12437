//! Reads state from trie nodes under a state root, which is trusted. (LIGHT-2, STATE-2)

use crate::{error::StorageProofError, hashers::Blake2Hasher};
use alloc::{collections::BTreeSet, vec::Vec};
use duet_primitives::H256;
use sp_trie::{LayoutV1, Recorder, StorageProof};

/// Reads state of version 0 too: the two differ only in how they are written.
type Layout = LayoutV1<Blake2Hasher>;

/// The most trie nodes that prove these keys: on the path to a key at most one per nibble, then a leaf, then the value as
/// a node of its own.
fn max_nodes(keys: &[&[u8]]) -> usize {
    keys.iter().fold(0, |nodes: usize, key| {
        nodes.saturating_add(key.len().saturating_mul(2).saturating_add(2))
    })
}

/// Nothing is copied or hashed of a proof that is larger than any.
fn is_within_bounds(
    nodes: &[Vec<u8>],
    keys: &[&[u8]],
    max_bytes: usize,
) -> Result<(), StorageProofError> {
    let (expected, got) = (max_nodes(keys), nodes.len());
    if got > expected {
        return Err(StorageProofError::TooManyNodes { expected, got });
    }
    let (expected, got) = (max_bytes, nodes.iter().map(Vec::len).sum());
    if got > expected {
        return Err(StorageProofError::TooManyBytes { expected, got });
    }
    Ok(())
}

/// The values under these keys, in their order. All nodes together have at most `max_bytes`.
///
/// Cost: a hash per node. There are at most `2 l + 2` for each key of `l` bytes.
///
/// # Errors
/// When there are more nodes or bytes, when a node is missing or is not under the root, and when there are nodes that no
/// key needs, in this order.
pub(crate) fn read(
    nodes: &[Vec<u8>],
    state_root: H256,
    keys: &[&[u8]],
    max_bytes: usize,
) -> Result<Vec<Option<Vec<u8>>>, StorageProofError> {
    is_within_bounds(nodes, keys, max_bytes)?;
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
