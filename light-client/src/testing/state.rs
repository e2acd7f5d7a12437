//! States, and proofs of their entries. (STATE-2)

use alloc::{vec, vec::Vec};
use duet_primitives::H256;
use sp_core::Blake2Hasher;
use sp_trie::{trie_types::TrieDBMutBuilderV1, LayoutV1, MemoryDB, Recorder, TrieMut};

/// The trie of a state with these entries, and its root.
pub fn trie<K: AsRef<[u8]>, V: AsRef<[u8]>>(
    entries: impl IntoIterator<Item = (K, V)>,
) -> (MemoryDB<Blake2Hasher>, H256) {
    let (mut state, mut root) = (MemoryDB::default(), H256::zero());
    let mut trie = TrieDBMutBuilderV1::new(&mut state, &mut root).build();
    for (key, value) in entries {
        trie.insert(key.as_ref(), value.as_ref())
            .expect("a database in memory does not fail");
    }
    drop(trie);
    (state, root)
}

/// The trie nodes that prove these keys under a root, as `state_getReadProof` gives them: each once.
///
/// # Panics
/// When the state does not have the nodes of the trie with this root.
pub fn read_proof(state: &MemoryDB<Blake2Hasher>, root: H256, keys: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut nodes = vec![];
    for key in keys {
        let mut visited = Recorder::<LayoutV1<Blake2Hasher>>::new();
        sp_trie::read_trie_value::<LayoutV1<Blake2Hasher>, _>(
            state,
            &root,
            key,
            Some(&mut visited),
            None,
        )
        .expect("a trie with all its nodes");
        for node in visited.drain() {
            if !nodes.contains(&node.data) {
                nodes.push(node.data);
            }
        }
    }
    nodes
}
