//! What the targets of votes and proofs are about: one chain, one set of seven and the next.

use duet_primitives::{testing::TestSet, Commitment, RoundMessage, H256};
use std::sync::LazyLock;

/// The chain.
pub(crate) const GENESIS: H256 = H256([7; 32]);

/// What most inputs are about.
pub(crate) struct Sample {
    /// The set that signs.
    pub(crate) set: TestSet,
    /// The set that takes over.
    pub(crate) next: TestSet,
    /// What it signs.
    pub(crate) message: RoundMessage,
    /// Something else on the same block.
    pub(crate) other: RoundMessage,
}

/// The sample.
pub(crate) static SAMPLE: LazyLock<Sample> = LazyLock::new(|| {
    let (set, next) = (TestSet::new(3, 0..7), TestSet::new(4, 1..8));
    let commitment = set.commitment(9, &next.set);
    let message = RoundMessage::new(GENESIS, commitment.clone());
    let other = Commitment {
        block_hash: H256([8; 32]),
        ..commitment
    };
    Sample {
        other: RoundMessage::new(GENESIS, other),
        set,
        next,
        message,
    }
});
