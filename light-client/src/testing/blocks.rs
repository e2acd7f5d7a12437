//! Blocks with headers, a state and a range. (STATE-1 to STATE-3)

use super::{read_proof, trie, TestRange};
use crate::BlockProof;
use alloc::{vec, vec::Vec};
use codec::{Compact, Encode};
use duet_primitives::H256;
use sp_core::{Blake2Hasher, Hasher};
use sp_trie::MemoryDB;

/// A chain whose blocks have all the same state.
pub struct TestBlocks {
    /// Of each block, from block 0 on.
    pub headers: Vec<Vec<u8>>,
    state: MemoryDB<Blake2Hasher>,
    state_root: H256,
    range: TestRange,
}

impl TestBlocks {
    /// Blocks 0 to `newest`, with these entries in their state. The first `unseen` have no leaf, as on a chain that adds
    /// the range later.
    ///
    /// # Panics
    /// When no block below the newest has a leaf.
    pub fn new<K: AsRef<[u8]>, V: AsRef<[u8]>>(
        unseen: u32,
        newest: u32,
        entries: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let (state, state_root) = trie(entries);
        let (mut headers, mut hashes) = (vec![], vec![]);
        let mut parent = H256::zero();
        for number in 0..=newest {
            let no_digest = Compact(0_u8);
            let extrinsics_root = H256::repeat_byte(3);
            let number = Compact(number);
            let header = (parent, number, state_root, extrinsics_root, no_digest).encode();
            hashes.push(parent);
            parent = Blake2Hasher::hash(&header);
            headers.push(header);
        }
        let first = usize::try_from(unseen).expect("few blocks");
        // Each block has the hash of the one before.
        let range = TestRange::new(unseen, hashes.into_iter().skip(first + 1));
        Self {
            headers,
            state,
            state_root,
            range,
        }
    }

    /// Hash of the newest block.
    ///
    /// # Panics
    /// Never: there is a block.
    pub fn hash(&self) -> H256 {
        Blake2Hasher::hash(self.headers.last().expect("there is a block"))
    }

    /// Root of the range under the newest block.
    pub fn root(&self) -> H256 {
        self.range.root()
    }

    /// The trie nodes that prove these keys.
    pub fn nodes(&self, keys: &[&[u8]]) -> Vec<Vec<u8>> {
        read_proof(&self.state, self.state_root, keys)
    }

    /// The proof of a block under the newest one. (STATE-3)
    ///
    /// # Panics
    /// When the block has no leaf.
    pub fn proof(&self, number: u32) -> BlockProof {
        self.range.proof(number)
    }
}
