//! A chain whose blocks have headers, state and a Merkle mountain range, and a proof of the newest.

use crate::cases::world::{from_checkpoint, scenario, step};
use codec::{Compact, Encode};
use duet_light_client::{
    testing::{read_proof, TestRange},
    BlockProof, Checkpoint,
};
use duet_primitives::{testing::TestSet, BlockNumber, Keysets, RoundMessage, H256};
use serde_json::Value;
use sp_core::{Blake2Hasher, Hasher};
use sp_trie::{trie_types::TrieDBMutBuilderV1, MemoryDB, TrieMut};

/// Number of the newest block of most cases.
pub(super) const BLOCKS: u32 = 41;
pub(super) const KEY: &[u8] = b"short";
pub(super) const LONG: &[u8] = b"long";
pub(super) const ABSENT: &[u8] = b"absent";

pub(super) struct World {
    pub(super) headers: Vec<Vec<u8>>,
    state: MemoryDB<Blake2Hasher>,
    state_root: H256,
    range: TestRange,
}

impl World {
    /// Blocks up to this number. The first `unseen` have no leaf, as on a chain that adds the range later.
    pub(super) fn new(unseen: u32, blocks: u32) -> Self {
        let (state, state_root) = state();
        let (mut headers, mut parent) = (vec![], H256::zero());
        for number in 0..=blocks {
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
        let older = headers[..blocks as usize].iter().skip(unseen as usize);
        let range = TestRange::new(unseen, older.map(|header| Blake2Hasher::hash(header)));
        Self {
            headers,
            state,
            state_root,
            range,
        }
    }

    /// A client that has verified a proof of the newest block.
    pub(super) fn newest(&self) -> Value {
        let last = self.headers.len() - 1;
        let number = u32::try_from(last).expect("few blocks");
        newest(
            number,
            Blake2Hasher::hash(&self.headers[last]),
            self.range.root(),
        )
    }

    /// The trie nodes that prove these keys.
    pub(super) fn nodes(&self, keys: &[&[u8]]) -> Vec<Vec<u8>> {
        read_proof(&self.state, self.state_root, keys)
    }

    /// The proof of a block under the newest one.
    pub(super) fn proof(&self, number: u32) -> BlockProof {
        self.range.proof(number)
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

/// A client that began with a checkpoint and verified a proof of this block.
pub(in crate::cases) fn newest(number: u32, hash: H256, root: H256) -> Value {
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
