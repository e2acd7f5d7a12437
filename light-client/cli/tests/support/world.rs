//! A chain of blocks with headers, bodies, state and a Merkle mountain range, whose every block is proven.

use codec::{Compact, Encode};
use duet_light_client::{
    start::start_keys,
    testing::{read_proof, trie, TestRange},
    Checkpoint, StartProof, TIME_STORAGE_KEY,
};
use duet_primitives::{
    suite::{
        ENGINE_ID, KEYSETS_STORAGE_KEY, RECOVERY_TERMS_STORAGE_KEY, TRUSTING_PERIOD_STORAGE_KEY,
    },
    testing::TestSet,
    BlockNumber, ConsensusLog, KeysetCommitment, Keysets, Pk1Bytes, Recovery, RecoveryMessage,
    RecoveryProof, RecoveryStatement, RecoveryTerms, RecoveryVote, RoundMessage, SetId,
    SignerIndex, StatelessProof, UncheckedJustification, H256,
};
use serde_json::{json, Value};
use sp_core::{Blake2Hasher, Hasher};
use sp_crypto_hashing::{blake2_128, twox_128};
use sp_trie::{
    read_trie_value, LayoutV0, LayoutV1, MemoryDB, TrieConfiguration, TrieDBBuilder,
    TrieDBKeyIterator,
};
use std::time::{SystemTime, UNIX_EPOCH};
use tempfile::NamedTempFile;

/// Milliseconds from one block to the next.
const SLOT: u64 = 2_000;
/// The account whose balance and nonce are the number of the block.
pub(crate) const ACCOUNT: [u8; 32] = [7; 32];
/// An account with nothing free, 5 reserved, and 9 frozen.
pub(crate) const FROZEN: [u8; 32] = [10; 32];
/// An account in a format that only another chain has.
pub(crate) const FOREIGN: [u8; 32] = [11; 32];
/// The key of the root of a child trie.
pub(crate) const CHILD: &[u8] = b":child_storage:default:child";

/// The value of an entry, longer than a hash.
pub(crate) const FIRST_WORD: &str = "the first of the words, which is a node of its own";

/// The small runtime of the tests of `duet-light-calls`.
pub(crate) fn code() -> Vec<u8> {
    let text = include_str!("../../../calls/src/tests/runtime.wat");
    wat::parse_str(text).expect("a module")
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    format!("0x{}", hex::encode(bytes))
}

/// A block.
#[derive(Clone)]
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
    pub(crate) behind: Option<Behind>,
    /// The time of the newest block, in milliseconds.
    last: u64,
    trusting_period: u64,
}

/// A reset, and the recovery set that proves it.
#[derive(Clone)]
pub(crate) struct Behind {
    /// The block of the reset.
    pub(crate) at: u32,
    /// The set that signs the blocks after it.
    pub(crate) set: TestSet,
    pub(crate) members: TestSet,
    /// How long clients wait, in seconds.
    pub(crate) delay: u64,
}

impl Behind {
    /// The log of the reset, with its engine.
    fn log(&self) -> Vec<u8> {
        let log = ConsensusLog::Reset {
            ended: SetId::new(0),
            set: self.set.set.commitment().clone(),
        };
        (4_u8, ENGINE_ID, log.encode()).encode()
    }

    pub(crate) fn terms(&self) -> RecoveryTerms {
        RecoveryTerms {
            set: self.members.set.commitment().clone(),
            delay: self.delay,
        }
    }

    fn entries(&self) -> [(Vec<u8>, Vec<u8>); 2] {
        let item = [twox_128(b"DuetRecovery"), twox_128(b"Members")].concat();
        let keys = self.members.set.keyset().key_bytes();
        [
            (RECOVERY_TERMS_STORAGE_KEY.to_vec(), self.terms().encode()),
            (item, keys.encode()),
        ]
    }
}

/// The entry of an account with this balance and nonce.
pub(crate) fn account_info(number: u32) -> Vec<u8> {
    (number, [0_u32; 3], u128::from(number), [0_u128; 3]).encode()
}

pub(crate) fn account_key() -> Vec<u8> {
    key_of(&ACCOUNT)
}

fn key_of(account: &[u8; 32]) -> Vec<u8> {
    let parts: [&[u8]; 4] = [
        &twox_128(b"System"),
        &twox_128(b"Account"),
        &blake2_128(account),
        account,
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
        let age = age.try_into().expect("not before the epoch");
        Self::of(newest, salt, age, trusting_period, None)
    }

    /// A newest block that is so many seconds in the future.
    pub(crate) fn ahead(newest: u32, seconds: i64) -> Self {
        Self::of(newest, 1, -seconds, 1_000, None)
    }

    /// Blocks 0 to `newest`, with a reset in block `at` after which another set signs, and a recovery set.
    pub(crate) fn reset(newest: u32, at: u32, delay: u64) -> Self {
        let behind = Behind {
            at,
            set: TestSet::new(9, 30..34),
            members: TestSet::new(3, 20..24),
            delay,
        };
        Self::of(newest, 1, 0, 1_000_000, Some(behind))
    }

    /// An age below 0 is in the future.
    fn of(newest: u32, salt: u8, age: i64, trusting_period: u64, behind: Option<Behind>) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = u64::try_from(now.expect("after 1970").as_millis());
        let mut world = Self {
            blocks: Vec::new(),
            set: TestSet::new(0, 0..4),
            behind,
            last: now
                .expect("before long")
                .saturating_add_signed(-1_000 * age),
            trusting_period,
        };
        world.grow(newest, salt);
        world
    }

    /// Another history from this block on, as long, signed by the same keys.
    pub(crate) fn forged(&self, from: u32) -> Self {
        let mut forged = Self {
            blocks: self.blocks[..from as usize].to_vec(),
            set: TestSet::new(0, 0..4),
            behind: self.behind.clone(),
            ..*self
        };
        let newest = u32::try_from(self.blocks.len()).expect("few blocks") - 1;
        forged.grow(newest, 99);
        forged
    }

    /// Appends blocks up to the newest.
    fn grow(&mut self, newest: u32, salt: u8) {
        let first = u32::try_from(self.blocks.len()).expect("few blocks");
        for number in first..=newest {
            let blocks = &self.blocks;
            let parent = blocks.last().map_or(H256::zero(), |block| block.hash);
            let root = match number {
                0 => H256::zero(),
                _ => range(blocks).root(),
            };
            let time = self.last - SLOT * u64::from(newest - number);
            let signs = named(&self.set, self.behind.as_ref(), number);
            let keysets = Keysets::without_successor(signs.set.commitment().clone()).encode();
            let mut entries = vec![
                (KEYSETS_STORAGE_KEY.to_vec(), keysets),
                (account_key(), account_info(number)),
                (events_key(), vec![number; 3].encode()),
                (
                    key_of(&FROZEN),
                    (3_u32, [1_u32; 3], [0_u128, 5, 9], 1_u128 << 127).encode(),
                ),
                // A balance more than the SDK has.
                (key_of(&FOREIGN), (0_u32, [0_u32; 3], [7_u128; 5]).encode()),
                (CHILD.to_vec(), vec![5; 32]),
                (b":code".to_vec(), code()),
                (b"word:a".to_vec(), FIRST_WORD.as_bytes().to_vec()),
                (b"word:c".to_vec(), b"third".to_vec()),
            ];
            if number > 0 {
                entries.push((TIME_STORAGE_KEY.to_vec(), time.encode()));
            }
            if self.trusting_period > 0 {
                let key = TRUSTING_PERIOD_STORAGE_KEY.to_vec();
                entries.push((key, self.trusting_period.encode()));
            }
            let mut logs = vec![(6_u8, *b"aura", (time / SLOT).encode()).encode()];
            if let Some(behind) = &self.behind {
                entries.extend(behind.entries());
                logs.extend((behind.at == number).then(|| behind.log()));
            }
            self.blocks
                .push(block(number, parent, root, entries, &logs, salt));
        }
    }

    /// The time of the newest block, in seconds since the Unix epoch.
    pub(crate) fn time(&self) -> u64 {
        self.last / 1_000
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
        let keyset = self.signing(number).set.keyset();
        StatelessProof::new(&self.justify(number), keyset).expect("its own set")
    }

    /// The set that signs a block.
    fn signing(&self, number: u32) -> &TestSet {
        named(&self.set, self.behind.as_ref(), number.saturating_sub(1))
    }

    /// The keys of a set.
    pub(crate) fn keys(&self, id: u64) -> Option<Vec<Pk1Bytes>> {
        let behind = self.behind.as_ref().map(|behind| &behind.set);
        let mut sets = [Some(&self.set), behind].into_iter().flatten();
        let set = sets.find(|set| set.set.commitment().id == SetId::new(id))?;
        Some(set.set.keyset().key_bytes())
    }

    /// What recovery keys say of the reset, when a block is the newest proven one.
    ///
    /// # Panics
    /// Without a reset.
    pub(crate) fn statement(&self, newest: u32) -> RecoveryStatement {
        let behind = self.behind.as_ref().expect("a reset");
        RecoveryStatement {
            recovery_set: behind.members.set.commitment().id,
            block_number: BlockNumber::new(newest),
            block_hash: self.blocks[newest as usize].hash,
            ended: SetId::new(0),
            reset_number: BlockNumber::new(behind.at),
            reset_hash: self.blocks[behind.at as usize].hash,
            set: behind.set.set.commitment().clone(),
        }
    }

    /// The proof of a statement.
    pub(crate) fn recovery(&self, statement: &RecoveryStatement) -> RecoveryProof {
        let members = &self.behind.as_ref().expect("a reset").members;
        let message = RecoveryMessage::new(self.genesis(), statement.clone());
        let votes = [0_u32, 1, 3].map(|signer| {
            let secret = &members.secrets[signer as usize];
            RecoveryVote::sign(secret, SignerIndex::new(signer), &message)
        });
        let proof = Recovery::combine(members.set.keyset(), self.genesis(), &votes);
        proof.expect("enough members").into_unchecked()
    }

    fn justify(&self, number: u32) -> duet_primitives::Justification {
        let block = &self.blocks[number as usize];
        let set = self.signing(number);
        let mut commitment = set.commitment(number, &set.set);
        commitment.block_hash = block.hash;
        commitment.mmr_root = block.range_root;
        let message = RoundMessage::new(self.genesis(), commitment);
        set.justify(&message, [0, 1, 3])
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

    /// The keys that begin so after a block, in their order.
    pub(crate) fn keys_under(&self, number: usize, prefix: &[u8]) -> Vec<Vec<u8>> {
        let block = &self.blocks[number];
        let trie = TrieDBBuilder::<LayoutV1<Blake2Hasher>>::new(&block.state, &block.state_root);
        let trie = trie.build();
        let keys = TrieDBKeyIterator::new_prefixed(&trie, prefix).expect("all nodes are there");
        keys.map(|key| key.expect("all nodes are there")).collect()
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
            keys: named(&self.set, self.behind.as_ref(), block)
                .set
                .keyset()
                .key_bytes(),
        }
    }

    /// `leaves` and `proof` of an older block under a newer one, as `mmr_generateProof` gives them.
    pub(crate) fn path(&self, older: u32, newer: u32) -> (Vec<u8>, Vec<u8>) {
        let proof = range(&self.blocks[..newer as usize]).proof(older);
        let rest = (vec![proof.leaf_index], proof.leaf_count, proof.hashes);
        (vec![proof.leaf.encode()].encode(), rest.encode())
    }
}

/// The set that signs next, as the state after a block names it.
fn named<'a>(set: &'a TestSet, behind: Option<&'a Behind>, number: u32) -> &'a TestSet {
    let behind = behind.filter(|behind| number >= behind.at);
    behind.map_or(set, |behind| &behind.set)
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

/// The value of one of fifty entries under the keys `0x0000…`. No two are the same, so that no two leaves are.
pub(crate) fn other_value(salt: u8, other: u32) -> Vec<u8> {
    [&[salt; 36][..], &other.to_be_bytes()].concat()
}

fn range(blocks: &[Block]) -> TestRange {
    TestRange::new(0, blocks.iter().map(|block| block.hash))
}

fn block(
    number: u32,
    parent: H256,
    range_root: H256,
    entries: Vec<(Vec<u8>, Vec<u8>)>,
    logs: &[Vec<u8>],
    salt: u8,
) -> Block {
    let others = (0..50_u32).map(|other| (other.to_be_bytes().to_vec(), other_value(salt, other)));
    let (state, state_root) = trie(others.chain(entries));
    let extrinsics: Vec<_> = (0..3_u32)
        .map(|index| (number, index).encode().encode())
        .collect();
    let extrinsics_root = LayoutV0::<Blake2Hasher>::ordered_trie_root(&extrinsics);
    let mut header = (
        parent,
        Compact(number),
        state_root,
        extrinsics_root,
        Compact(u32::try_from(logs.len()).expect("few")),
    )
        .encode();
    header.extend(logs.concat());
    let logs: Vec<_> = logs.iter().map(|log| hex(log)).collect();
    let json = json!({
        "parentHash": parent,
        "number": format!("{number:#x}"),
        "stateRoot": state_root,
        "extrinsicsRoot": extrinsics_root,
        "digest": { "logs": logs },
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
