//! A chain whose blocks have headers, state and a Merkle mountain range, and a proof of the newest.

use crate::cases::world::{from_checkpoint, scenario, step};
use codec::{Compact, Encode};
use duet_light_client::{BlockProof, Checkpoint};
use duet_primitives::{
    testing::TestSet, BlockNumber, Keysets, LeafVersion, MmrLeaf, RoundMessage, H256,
};
use mmr::{leaf_index_to_mmr_size, leaf_index_to_pos, util::MemStore, Merge, MMR};
use serde_json::Value;
use sp_core::{Blake2Hasher, Hasher, KeccakHasher};
use sp_trie::{trie_types::TrieDBMutBuilderV1, LayoutV1, MemoryDB, Recorder, TrieMut};

/// Number of the newest block of most cases.
pub(super) const BLOCKS: u32 = 41;
pub(super) const KEY: &[u8] = b"short";
pub(super) const LONG: &[u8] = b"long";
pub(super) const ABSENT: &[u8] = b"absent";

struct Nodes;

impl Merge for Nodes {
    type Item = H256;

    fn merge(left: &H256, right: &H256) -> mmr::Result<H256> {
        Ok(KeccakHasher::hash(&[left.0, right.0].concat()))
    }
}

pub(super) struct World {
    pub(super) headers: Vec<Vec<u8>>,
    state: MemoryDB<Blake2Hasher>,
    state_root: H256,
    range: MemStore<H256>,
    root: H256,
}

impl World {
    /// Blocks up to this number. The first `unseen` have no leaf, as on a chain that adds the range later.
    pub(super) fn new(unseen: u32, blocks: u32) -> Self {
        let (state, state_root) = state();
        let (mut headers, mut parent) = (vec![], H256::zero());
        let store = MemStore::default();
        let mut range = MMR::<_, Nodes, _>::new(0, &store);
        for number in 0..=blocks {
            if number > unseen {
                let leaf = leaf(number - 1, parent);
                range
                    .push(KeccakHasher::hash(&leaf.encode()))
                    .expect("a store in memory");
            }
            let header = (
                parent,
                Compact(number),
                state_root,
                H256::repeat_byte(3),
                Compact(0_u8),
            );
            let header = header.encode();
            parent = Blake2Hasher::hash(&header);
            headers.push(header);
        }
        let root = range.get_root().expect("a range with leaves");
        range.commit().expect("a store in memory");
        Self {
            headers,
            state,
            state_root,
            range: store,
            root,
        }
    }

    /// A client that has verified a proof of the newest block.
    pub(super) fn newest(&self) -> Value {
        let last = self.headers.len() - 1;
        let number = u32::try_from(last).expect("few blocks");
        newest(number, Blake2Hasher::hash(&self.headers[last]), self.root)
    }

    /// The trie nodes that prove these keys.
    pub(super) fn nodes(&self, keys: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut nodes = vec![];
        for key in keys {
            let mut visited = Recorder::<LayoutV1<Blake2Hasher>>::new();
            let db = &self.state;
            sp_trie::read_trie_value::<LayoutV1<Blake2Hasher>, _>(
                db,
                &self.state_root,
                key,
                Some(&mut visited),
                None,
            )
            .expect("a trie that was just written");
            for node in visited.drain() {
                if !nodes.contains(&node.data) {
                    nodes.push(node.data);
                }
            }
        }
        nodes
    }

    /// The proof of a block under the newest one.
    pub(super) fn proof(&self, number: u32, unseen: u32) -> BlockProof {
        let last = self.headers.len() - 1;
        let leaf_count = u64::try_from(last).expect("few blocks") - u64::from(unseen);
        let leaf_index = u64::from(number - unseen);
        let range = MMR::<_, Nodes, _>::new(leaf_index_to_mmr_size(leaf_count - 1), &self.range);
        let proof = range
            .gen_proof(vec![leaf_index_to_pos(leaf_index)])
            .expect("a leaf of the range");
        BlockProof {
            leaf: leaf(number, Blake2Hasher::hash(&self.headers[number as usize])),
            leaf_index,
            leaf_count,
            hashes: proof.proof_items().to_vec(),
        }
    }
}

fn state() -> (MemoryDB<Blake2Hasher>, H256) {
    let (mut state, mut root) = (MemoryDB::default(), H256::zero());
    {
        let mut trie = TrieDBMutBuilderV1::new(&mut state, &mut root).build();
        let mut put = |key: &[u8], value: &[u8]| {
            trie.insert(key, value).expect("a database in memory");
        };
        for number in 0..100_u32 {
            put(&number.to_be_bytes(), b"other");
        }
        put(KEY, b"value");
        put(LONG, &[7; 300]);
        // Keys that hash, as most keys of a chain do, and values of 32 and 33 bytes, where state version 1 begins to hash.
        for number in 0..40_u8 {
            put(
                &Blake2Hasher::hash(&[number]).0,
                &vec![number; usize::from(number)],
            );
        }
    }
    (state, root)
}

fn leaf(number: u32, hash: H256) -> MmrLeaf {
    MmrLeaf {
        version: LeafVersion::V0,
        parent_number: BlockNumber::new(number),
        parent_hash: hash,
        extra: H256::repeat_byte(5),
    }
}

/// A client that began with a checkpoint and verified a proof of this block.
pub(super) fn newest(number: u32, hash: H256, root: H256) -> Value {
    let set = TestSet::new(0, 0..4);
    let commitment = set.set.commitment().clone();
    let checkpoint = Checkpoint {
        genesis_hash: H256::repeat_byte(1),
        block_number: BlockNumber::ZERO,
        block_hash: H256::repeat_byte(1),
        keysets: Keysets {
            current: commitment.clone(),
            next: commitment,
        },
    };
    let mut commitment = set.commitment(number, &set.set);
    commitment.block_hash = hash;
    commitment.mmr_root = root;
    let message = RoundMessage::new(checkpoint.genesis_hash, commitment);
    let proof = set.justify(&message, 0..4);
    let proof = duet_primitives::StatelessProof::new(&proof, set.set.keyset()).expect("its set");
    scenario(
        &from_checkpoint(&checkpoint),
        "stateless",
        vec![step("stateless", &proof)],
    )
}
