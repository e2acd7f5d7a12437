//! A chain with known keys, and what a relayer brings of it.

use codec::{Compact, Encode};
use core::time::Duration;
use duet_ismp::{Clock, ConsensusProof, DuetConsensusClient};
use duet_light_client::Checkpoint;
use duet_primitives::{testing::TestSet, BlockNumber, Keysets, RoundMessage, StatelessProof, H256};
use ismp::host::StateMachine;
use sp_crypto_hashing::blake2_256;

pub(crate) const GENESIS: H256 = H256([7; 32]);
pub(crate) const STATE_ROOT: H256 = H256([2; 32]);
pub(crate) const CHILD_TRIE: H256 = H256([5; 32]);
pub(crate) const SLOT: u64 = 300_000_000;

pub(crate) fn client() -> DuetConsensusClient<()> {
    DuetConsensusClient::new(StateMachine::Substrate(*b"duet"), 6000)
}

pub(crate) fn set(id: u64) -> TestSet {
    TestSet::new(id, id..id + 4)
}

pub(crate) fn state() -> Vec<u8> {
    Checkpoint {
        genesis_hash: GENESIS,
        block_number: BlockNumber::new(1),
        block_hash: GENESIS,
        keysets: Keysets::without_successor(set(0).set.commitment().clone()),
    }
    .encode()
}

pub(crate) fn slot(slot: u64) -> Vec<u8> {
    (6_u8, *b"aura", slot.encode()).encode()
}

pub(crate) fn roots() -> Vec<u8> {
    (4_u8, *b"ISMP", (H256([4; 32]), CHILD_TRIE).encode()).encode()
}

/// A header with these items in its digest.
pub(crate) fn header(number: u32, items: &[Vec<u8>]) -> Vec<u8> {
    header_of_state(number, STATE_ROOT, items)
}

pub(crate) fn header_of_state(number: u32, root: H256, items: &[Vec<u8>]) -> Vec<u8> {
    let mut header = (H256([1; 32]), Compact(number), root, H256([3; 32])).encode();
    header.extend(Compact(u32::try_from(items.len()).expect("few")).encode());
    header.extend(items.concat());
    header
}

/// What this set says of a block, by three of its four members.
pub(crate) fn prove_block(
    signing: &TestSet,
    next: &TestSet,
    number: u32,
    hash: H256,
) -> StatelessProof {
    let mut commitment = signing.commitment(number, &next.set);
    commitment.block_hash = hash;
    let justification = signing.justify(&RoundMessage::new(GENESIS, commitment), [0, 1, 3]);
    StatelessProof::new(&justification, signing.set.keyset()).expect("members")
}

pub(crate) fn with_header(header: Vec<u8>) -> ConsensusProof {
    ConsensusProof {
        handoffs: Vec::new(),
        head: prove_block(&set(0), &set(0), 5, H256(blake2_256(&header))),
        header,
    }
}

pub(crate) fn good() -> ConsensusProof {
    with_header(header(5, &[slot(SLOT), roots()]))
}

/// The host's time, at which no block is too old.
pub(crate) fn clock() -> Clock {
    Clock {
        now: Duration::from_secs(SLOT * 6),
        unbonding_period: None,
    }
}
