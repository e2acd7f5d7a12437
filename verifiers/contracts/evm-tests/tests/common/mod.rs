//! Proofs of a chain of the tests.

use duet_light_client::Checkpoint;
use duet_primitives::{
    testing::TestSet, BlockNumber, KeysetCommitment, Keysets, RoundMessage, StatelessProof, H256,
};

/// The chain.
pub(crate) const GENESIS: H256 = H256([7; 32]);

/// It begins with this set.
pub(crate) fn checkpoint(genesis_hash: H256, set: &KeysetCommitment) -> Checkpoint {
    Checkpoint {
        genesis_hash,
        block_number: BlockNumber::new(0),
        block_hash: genesis_hash,
        keysets: Keysets::without_successor(set.clone()),
    }
}

/// A proof that so many did not sign.
pub(crate) fn prove(set: &TestSet, block: u32, next: &TestSet, absent: u32) -> StatelessProof {
    prove_with(set, block, next, absent, 0)
}

/// The same, of another block for each `salt`.
pub(crate) fn prove_with(
    set: &TestSet,
    block: u32,
    next: &TestSet,
    absent: u32,
    salt: u8,
) -> StatelessProof {
    let mut commitment = set.commitment(block, &next.set);
    commitment.block_hash.0[0] = salt;
    let n = set.set.commitment().len;
    // Spread over the set.
    let away: Vec<_> = (0..absent).map(|i| i * n / absent).collect();
    let signers = (0..n).filter(|signer| !away.contains(signer));
    let justification = set.justify(&RoundMessage::new(GENESIS, commitment), signers);
    StatelessProof::new(&justification, set.set.keyset()).expect("members")
}
