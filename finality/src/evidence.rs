//! The stored form of a valid proof that contradicts GRANDPA's finality on this node. (ROUND-10)

use codec::{Decode, Encode};
use duet_primitives::{UncheckedJustification, H256};

/// A valid proof, and the block that it contradicts.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub(crate) struct Divergence {
    /// The block that GRANDPA finalized at that height on this node; `None` when it was missing.
    pub(crate) finalized: Option<H256>,
    /// The proof.
    pub(crate) justification: UncheckedJustification,
    /// The operator acknowledged it, and wants this node to vote all the same.
    pub(crate) acknowledged: bool,
}
