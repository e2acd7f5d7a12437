//! Unproven claims of a server.

use duet_primitives::{BlockNumber, H256};

/// The block at which the chain's sets begin, so a server says. Nothing proves it: not that the block is the chain's, and not
/// that it is final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartClaim {
    /// Number of the block.
    pub number: BlockNumber,
    /// Hash of the block.
    pub hash: H256,
}
