//! Errors of a header, of state, or of an older block.

use crate::error::StorageProofError;
use duet_primitives::{BlockNumber, Culprit, H256};

/// Why received data about a final block was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateProofError {
    /// STATE-1: the header of another block.
    #[error("STATE-1: the header has the hash {got:?}, expected the block hash {expected:?}")]
    Header {
        /// The block's hash.
        expected: H256,
        /// The header's hash.
        got: H256,
    },
    /// STATE-1: the bytes hash to the block's hash and are no header of its number: not a chain that we can read.
    #[error("STATE-1: the bytes with the block's hash are not a header with the block's number")]
    NotAHeader,
    /// STATE-2: the trie nodes.
    #[error("STATE-2: invalid storage proof: {0}")]
    Storage(#[from] StorageProofError),
    /// STATE-3: the block is trusted without a proof, which would sign the root over the blocks before it.
    #[error("STATE-3: no proof of block {number} is known, so older blocks cannot be verified")]
    NoHistory {
        /// The block.
        number: BlockNumber,
    },
    /// STATE-3: more leaves than blocks.
    #[error("STATE-3: {leaves} leaves, more than there are blocks before block {number}")]
    LeafCount {
        /// The block under which the proof is.
        number: BlockNumber,
        /// How many leaves the proof speaks of.
        leaves: u64,
    },
    /// STATE-3: the leaf is not where the leaf of its block would be.
    #[error("STATE-3: the leaf of block {about} is not at position {index}")]
    Leaf {
        /// The block that the leaf is about.
        about: BlockNumber,
        /// Where the proof says that it is.
        index: u64,
    },
    /// STATE-3: the path.
    #[error("STATE-3: the path from the leaf of block {number} does not lead to the signed root")]
    History {
        /// The block that the leaf is about.
        number: BlockNumber,
    },
}

impl StateProofError {
    /// The id of the broken rule, as `docs/spec` numbers them.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Header { .. } | Self::NotAHeader => "STATE-1",
            Self::Storage(_) => "STATE-2",
            Self::NoHistory { .. }
            | Self::LeafCount { .. }
            | Self::Leaf { .. }
            | Self::History { .. } => "STATE-3",
        }
    }

    /// Who is to blame.
    pub fn culprit(&self) -> Culprit {
        match self {
            Self::Header { .. }
            | Self::Storage(_)
            | Self::LeafCount { .. }
            | Self::Leaf { .. }
            | Self::History { .. } => Culprit::Sender,
            Self::NotAHeader | Self::NoHistory { .. } => Culprit::Nobody,
        }
    }
}
