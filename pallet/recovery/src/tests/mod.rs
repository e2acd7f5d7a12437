mod drills;
mod keys;
mod limits;
mod reports;
mod resets;
mod sets;

use duet_primitives::{testing::TestSet, KeysetCommitment};

/// The recovery set with this id of these accounts' keys.
fn recovery_set(id: u64, accounts: &[u64]) -> TestSet {
    TestSet::new(id, accounts.iter().map(|n| 100 + n))
}

/// A set that signs votes.
fn voting_set(id: u64) -> KeysetCommitment {
    TestSet::new(id, 1..4).set.commitment().clone()
}
