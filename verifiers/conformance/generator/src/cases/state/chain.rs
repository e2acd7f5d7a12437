//! A chain whose blocks have headers, state and a Merkle mountain range, and a proof of the newest.

use crate::cases::world::{from_checkpoint, scenario, step};
use duet_light_client::{testing::TestBlocks, Checkpoint};
use duet_primitives::{testing::TestSet, BlockNumber, Keysets, RoundMessage, H256};
use serde_json::Value;
use sp_core::{Blake2Hasher, Hasher};

/// Number of the newest block of most cases.
pub(super) const BLOCKS: u32 = 41;
pub(super) const KEY: &[u8] = b"short";
pub(super) const LONG: &[u8] = b"long";
pub(super) const ABSENT: &[u8] = b"absent";

/// Blocks up to this number. The first `unseen` have no leaf, as on a chain that adds the range later.
pub(super) fn blocks(unseen: u32, newest: u32) -> TestBlocks {
    let mut entries: Vec<_> = (0..100_u32)
        .map(|number| (number.to_be_bytes().to_vec(), b"other".to_vec()))
        .collect();
    entries.push((KEY.to_vec(), b"value".to_vec()));
    entries.push((LONG.to_vec(), vec![7; 300]));
    // Keys that hash, as most keys of a chain do, and values of 32 and 33 bytes, where state version 1 begins to hash.
    entries.extend((0..40_u8).map(|number| {
        let key = Blake2Hasher::hash(&[number]).0.to_vec();
        (key, vec![number; usize::from(number)])
    }));
    TestBlocks::new(unseen, newest, entries)
}

/// A client that has verified a proof of the newest block.
pub(super) fn at_newest(blocks: &TestBlocks) -> Value {
    let number = u32::try_from(blocks.headers.len() - 1).expect("few blocks");
    newest(number, blocks.hash(), blocks.root())
}

/// A client that began with a checkpoint and verified a proof of this block.
pub(in crate::cases) fn newest(number: u32, hash: H256, root: H256) -> Value {
    let set = TestSet::new(0, 0..4);
    let checkpoint = Checkpoint {
        genesis_hash: H256::repeat_byte(1),
        block_number: BlockNumber::ZERO,
        block_hash: H256::repeat_byte(1),
        keysets: Keysets::without_successor(set.set.commitment().clone()),
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
