//! A chain of blocks with headers, bodies, state and a Merkle mountain range, whose every block is proven.

use codec::{Compact, Encode};
use duet_light_client::{
    start::start_keys,
    testing::{read_proof, trie, TestRange},
    Checkpoint, StartProof, TIME_STORAGE_KEY,
};
use duet_primitives::{
    suite::{KEYSETS_STORAGE_KEY, TRUSTING_PERIOD_STORAGE_KEY},
    testing::TestSet,
    BlockNumber, KeysetCommitment, Keysets, RoundMessage, StatelessProof, UncheckedJustification,
    H256,
};
use serde_json::{json, Value};
use sp_core::{Blake2Hasher, Hasher};
use sp_crypto_hashing::{blake2_128, twox_128};
use sp_trie::{read_trie_value, LayoutV0, LayoutV1, MemoryDB, TrieConfiguration};
use std::time::{SystemTime, UNIX_EPOCH};
use tempfile::NamedTempFile;

/// Milliseconds from one block to the next.
const SLOT: u64 = 2_000;
/// The account whose balance and nonce are the number of the block.
pub(crate) const ACCOUNT: [u8; 32] = [7; 32];

pub(crate) fn hex(bytes: &[u8]) -> String {
    format!("0x{}", hex::encode(bytes))
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
        Self::aged(newest, salt, 0, 1_000)
    }

    /// The same, with a newest block that is so many seconds old, and a trusting period that its state names unless it is 0.
    pub(crate) fn aged(newest: u32, salt: u8, age: u64, trusting_period: u64) -> Self {
        let mut blocks: Vec<Block> = Vec::new();
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let last =
            u64::try_from(now.expect("after 1970").as_millis()).expect("before long") - 1_000 * age;
        let set = TestSet::new(0, 0..4);
        let keysets = Keysets::without_successor(set.set.commitment().clone()).encode();
        for number in 0..=newest {
            let parent = blocks.last().map_or(H256::zero(), |block| block.hash);
            let root = match number {
                0 => H256::zero(),
                _ => range(&blocks).root(),
            };
            let time = last - SLOT * u64::from(newest - number);
            let mut entries = vec![
                (KEYSETS_STORAGE_KEY.to_vec(), keysets.to_vec()),
                (account_key(), account_info(number)),
                (events_key(), vec![number; 3].encode()),
            ];
            if number > 0 {
                entries.push((TIME_STORAGE_KEY.to_vec(), time.encode()));
            }
            if trusting_period > 0 {
                let key = TRUSTING_PERIOD_STORAGE_KEY.to_vec();
                entries.push((key, trusting_period.encode()));
            }
            blocks.push(block(number, parent, root, entries, time / SLOT, salt));
        }
        Self { blocks, set }
    }

    pub(crate) fn genesis(&self) -> H256 {
        self.blocks[0].hash
    }

    /// The checkpoint at the genesis block.
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            genesis_hash: self.genesis(),
            block_number: BlockNumber::ZERO,
            block_hash: self.genesis(),
            keysets: Keysets::without_successor(self.set.set.commitment().clone()),
        }
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

    /// The entry under a key after a block.
    pub(crate) fn value(&self, number: usize, key: &[u8]) -> Option<Vec<u8>> {
        let Block {
            state, state_root, ..
        } = &self.blocks[number];
        let value =
            read_trie_value::<LayoutV1<Blake2Hasher>, _>(state, state_root, key, None, None);
        value.expect("all nodes are there")
    }

    /// The trie nodes that prove these keys after a block.
    pub(crate) fn nodes(&self, number: usize, keys: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let block = &self.blocks[number];
        let keys: Vec<_> = keys.iter().map(Vec::as_slice).collect();
        read_proof(&block.state, block.state_root, &keys)
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
        let proof = range(&self.blocks[..newer as usize]).proof(older);
        let rest = (vec![proof.leaf_index], proof.leaf_count, proof.hashes);
        (vec![proof.leaf.encode()].encode(), rest.encode())
    }
}

/// A file with a checkpoint, as `status --checkpoint` prints it.
pub(crate) fn checkpoint_file(checkpoint: &Checkpoint) -> NamedTempFile {
    let set = |set: &KeysetCommitment| json!({ "id": set.id, "len": set.len, "root": set.root, "apk1": set.apk1 });
    let text = json!({
        "genesis_hash": checkpoint.genesis_hash,
        "block_number": checkpoint.block_number,
        "block_hash": checkpoint.block_hash,
        "current": set(&checkpoint.keysets.current),
        "next": set(&checkpoint.keysets.next),
    });
    let file = NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), text.to_string()).expect("written");
    file
}

fn range(blocks: &[Block]) -> TestRange {
    TestRange::new(0, blocks.iter().map(|block| block.hash))
}

fn block(
    number: u32,
    parent: H256,
    range_root: H256,
    entries: Vec<(Vec<u8>, Vec<u8>)>,
    slot: u64,
    salt: u8,
) -> Block {
    let others = (0..50_u32).map(|other| (other.to_be_bytes().to_vec(), vec![salt; 40]));
    let (state, state_root) = trie(others.chain(entries));
    let extrinsics: Vec<_> = (0..3_u32)
        .map(|index| (number, index).encode().encode())
        .collect();
    let extrinsics_root = LayoutV0::<Blake2Hasher>::ordered_trie_root(&extrinsics);
    let log = (6_u8, *b"aura", slot.encode()).encode();
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
