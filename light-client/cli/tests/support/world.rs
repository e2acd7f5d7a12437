//! A chain of blocks with headers, bodies, state and a Merkle mountain range, whose every block is proven.

use codec::{Compact, Encode};
use duet_light_client::{start::start_keys, StartProof};
use duet_primitives::{
    suite::KEYSETS_STORAGE_KEY, testing::TestSet, BlockNumber, Keysets, LeafVersion, MmrLeaf,
    RoundMessage, StatelessProof, UncheckedJustification, H256,
};
use mmr::{leaf_index_to_pos, util::MemStore, Merge, MMR};
use serde_json::{json, Value};
use sp_core::{Blake2Hasher, Hasher, KeccakHasher};
use sp_crypto_hashing::{blake2_128, twox_128};
use sp_trie::{
    trie_types::TrieDBMutBuilderV1, LayoutV0, LayoutV1, MemoryDB, Recorder, TrieConfiguration,
    TrieMut,
};

/// The account whose balance and nonce are the number of the block.
pub(crate) const ACCOUNT: [u8; 32] = [7; 32];

pub(crate) fn hex(bytes: &[u8]) -> String {
    format!("0x{}", hex::encode(bytes))
}

struct Nodes;

impl Merge for Nodes {
    type Item = H256;

    fn merge(left: &H256, right: &H256) -> mmr::Result<H256> {
        Ok(KeccakHasher::hash(&[left.0, right.0].concat()))
    }
}

/// A block.
pub(crate) struct Block {
    pub(crate) header: Vec<u8>,
    pub(crate) hash: H256,
    pub(crate) json: Value,
    pub(crate) extrinsics: Vec<Vec<u8>>,
    state: MemoryDB<Blake2Hasher>,
    state_root: H256,
    /// The root over the leaves of the blocks before it.
    range_root: H256,
}

/// The chain.
pub(crate) struct World {
    pub(crate) blocks: Vec<Block>,
    pub(crate) set: TestSet,
}

/// The entry of an account with this balance and nonce.
pub(crate) fn account_info(number: u32) -> Vec<u8> {
    (number, [0_u32; 3], u128::from(number), [0_u128; 3]).encode()
}

pub(crate) fn account_key() -> Vec<u8> {
    let parts: [&[u8]; 4] = [
        &twox_128(b"System"),
        &twox_128(b"Account"),
        &blake2_128(&ACCOUNT),
        &ACCOUNT,
    ];
    parts.concat()
}

pub(crate) fn events_key() -> Vec<u8> {
    [twox_128(b"System"), twox_128(b"Events")].concat()
}

impl World {
    /// Blocks 0 to `newest`; `salt` tells chains apart.
    pub(crate) fn new(newest: u32, salt: u8) -> Self {
        let mut blocks: Vec<Block> = Vec::new();
        let store = MemStore::default();
        let mut range = MMR::<_, Nodes, _>::new(0, &store);
        let set = TestSet::new(0, 0..4);
        let keysets = Keysets::without_successor(set.set.commitment().clone()).encode();
        for number in 0..=newest {
            let parent = blocks.last().map_or(H256::zero(), |block| block.hash);
            if let Some(before) = number.checked_sub(1) {
                let leaf = KeccakHasher::hash(&leaf(before, parent).encode());
                range.push(leaf).expect("a store in memory");
            }
            let root = range.get_root().unwrap_or_default();
            blocks.push(block(number, parent, root, &keysets, salt));
        }
        Self { blocks, set }
    }

    pub(crate) fn genesis(&self) -> H256 {
        self.blocks[0].hash
    }

    /// The checkpoint at the genesis block, as `status --checkpoint` prints it.
    pub(crate) fn checkpoint(&self) -> tempfile::NamedTempFile {
        let set = self.set.set.commitment();
        let set = json!({ "id": set.id, "len": set.len, "root": set.root, "apk1": set.apk1 });
        let text = json!({
            "genesis_hash": self.genesis(),
            "block_number": 0,
            "block_hash": self.genesis(),
            "current": set,
            "next": set,
        });
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text.to_string()).expect("written");
        file
    }

    pub(crate) fn find(&self, hash: H256) -> Option<usize> {
        self.blocks.iter().position(|block| block.hash == hash)
    }

    pub(crate) fn justification(&self, number: u32) -> UncheckedJustification {
        self.justify(number).into_unchecked()
    }

    pub(crate) fn stateless_proof(&self, number: u32) -> StatelessProof {
        let keyset = self.set.set.keyset();
        StatelessProof::new(&self.justify(number), keyset).expect("its own set")
    }

    fn justify(&self, number: u32) -> duet_primitives::Justification {
        let block = &self.blocks[number as usize];
        let mut commitment = self.set.commitment(number, &self.set.set);
        commitment.block_hash = block.hash;
        commitment.mmr_root = block.range_root;
        let message = RoundMessage::new(self.genesis(), commitment);
        self.set.justify(&message, [0, 1, 3])
    }

    /// The trie nodes that prove these keys after a block.
    pub(crate) fn nodes(&self, number: usize, keys: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let block = &self.blocks[number];
        let mut nodes = Vec::new();
        for key in keys {
            let mut visited = Recorder::<LayoutV1<Blake2Hasher>>::new();
            sp_trie::read_trie_value::<LayoutV1<Blake2Hasher>, _>(
                &block.state,
                &block.state_root,
                key,
                Some(&mut visited),
                None,
            )
            .expect("the state is complete");
            for node in visited.drain() {
                if !nodes.contains(&node.data) {
                    nodes.push(node.data);
                }
            }
        }
        nodes
    }

    /// What proves the set that signs at a block.
    pub(crate) fn start_proof(&self, number: usize) -> StartProof {
        let block = u32::try_from(number).expect("few blocks");
        let keys = start_keys(BlockNumber::new(block));
        let keys: Vec<_> = keys.iter().map(|key| key.to_vec()).collect();
        StartProof {
            header: self.blocks[number].header.clone(),
            nodes: self.nodes(number, &keys),
            keys: self.set.set.keyset().key_bytes(),
        }
    }

    /// `leaves` and `proof` of an older block under a newer one, as `mmr_generateProof` gives them.
    pub(crate) fn path(&self, older: u32, newer: u32) -> (Vec<u8>, Vec<u8>) {
        let store = MemStore::default();
        let mut range = MMR::<_, Nodes, _>::new(0, &store);
        for number in 0..newer {
            let leaf = leaf(number, self.blocks[number as usize].hash).encode();
            range
                .push(KeccakHasher::hash(&leaf))
                .expect("a store in memory");
        }
        let position = leaf_index_to_pos(u64::from(older));
        let proof = range.gen_proof(vec![position]).expect("it is there");
        let leaf = leaf(older, self.blocks[older as usize].hash).encode();
        let hashes = proof.proof_items().to_vec();
        let proof = (vec![u64::from(older)], u64::from(newer), hashes);
        (vec![leaf].encode(), proof.encode())
    }
}

fn leaf(number: u32, hash: H256) -> MmrLeaf {
    MmrLeaf {
        version: LeafVersion::V0,
        parent_number: BlockNumber::new(number),
        parent_hash: hash,
        extra: H256::repeat_byte(5),
    }
}

fn block(number: u32, parent: H256, range_root: H256, keysets: &[u8], salt: u8) -> Block {
    let (mut state, mut state_root) = (MemoryDB::default(), H256::zero());
    {
        let mut trie = TrieDBMutBuilderV1::new(&mut state, &mut state_root).build();
        for other in 0..50_u32 {
            trie.insert(&other.to_be_bytes(), &[salt; 40])
                .expect("memory");
        }
        trie.insert(&KEYSETS_STORAGE_KEY, keysets).expect("memory");
        trie.insert(&account_key(), &account_info(number))
            .expect("memory");
        trie.insert(&events_key(), &vec![number; 3].encode())
            .expect("memory");
    }
    let extrinsics: Vec<_> = (0..3_u32)
        .map(|index| (number, index).encode().encode())
        .collect();
    let extrinsics_root = LayoutV0::<Blake2Hasher>::ordered_trie_root(&extrinsics);
    let log = (6_u8, *b"aura", u64::from(number).encode()).encode();
    let mut header = (
        parent,
        Compact(number),
        state_root,
        extrinsics_root,
        Compact(1_u32),
    )
        .encode();
    header.extend(&log);
    let json = json!({
        "parentHash": parent,
        "number": format!("{number:#x}"),
        "stateRoot": state_root,
        "extrinsicsRoot": extrinsics_root,
        "digest": { "logs": [hex(&log)] },
    });
    Block {
        hash: Blake2Hasher::hash(&header),
        header,
        json,
        extrinsics,
        state,
        state_root,
        range_root,
    }
}
