//! A Merkle mountain range over the blocks of a chain. (MMR-1)

use crate::BlockProof;
use alloc::{vec, vec::Vec};
use codec::Encode;
use duet_primitives::{BlockNumber, LeafVersion, MmrLeaf, H256};
use mmr::{leaf_index_to_mmr_size, leaf_index_to_pos, util::MemStore, Merge, MMR};
use sp_core::{Hasher, KeccakHasher};

struct Nodes;

impl Merge for Nodes {
    type Item = H256;

    fn merge(left: &H256, right: &H256) -> mmr::Result<H256> {
        Ok(KeccakHasher::hash(&[left.0, right.0].concat()))
    }
}

/// A range with a leaf about each of some blocks that follow each other.
pub struct TestRange {
    leaves: Vec<MmrLeaf>,
    nodes: MemStore<H256>,
    root: H256,
}

impl TestRange {
    /// Leaves about blocks with these hashes, the first of which has the number `first`. A chain that adds the range
    /// later has none about the blocks before.
    ///
    /// # Panics
    /// When there are no blocks.
    pub fn new(first: u32, hashes: impl IntoIterator<Item = H256>) -> Self {
        let leaves = (first..).zip(hashes).map(|(number, hash)| MmrLeaf {
            version: LeafVersion::V0,
            parent_number: BlockNumber::new(number),
            parent_hash: hash,
            extra: H256::repeat_byte(5),
        });
        let (leaves, nodes): (Vec<_>, _) = (leaves.collect(), MemStore::default());
        let mut range = MMR::<_, Nodes, _>::new(0, &nodes);
        for leaf in &leaves {
            let hash = KeccakHasher::hash(&leaf.encode());
            range.push(hash).expect("a store in memory does not fail");
        }
        let root = range.get_root().expect("a range with leaves has a root");
        range.commit().expect("a store in memory does not fail");
        Self {
            leaves,
            nodes,
            root,
        }
    }

    /// The payload that the justification of the block after the last one signs.
    pub fn root(&self) -> H256 {
        self.root
    }

    /// The proof of a block that has a leaf. (STATE-3)
    ///
    /// # Panics
    /// When it has none.
    pub fn proof(&self, number: u32) -> BlockProof {
        let of = |leaf: &MmrLeaf| leaf.parent_number.get() == number;
        let at = self
            .leaves
            .iter()
            .position(of)
            .expect("a block with a leaf");
        let count = |at: usize| u64::try_from(at).expect("few leaves");
        let (leaf_index, leaf_count) = (count(at), count(self.leaves.len()));
        let range = MMR::<_, Nodes, _>::new(leaf_index_to_mmr_size(leaf_count - 1), &self.nodes);
        let proof = range.gen_proof(vec![leaf_index_to_pos(leaf_index)]);
        BlockProof {
            leaf: self.leaves[at],
            leaf_index,
            leaf_count,
            hashes: proof.expect("a leaf of the range").proof_items().to_vec(),
        }
    }
}
