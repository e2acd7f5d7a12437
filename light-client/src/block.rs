//! Blocks that a proof covers, and their headers. (STATE-1)

use crate::{
    hashers::Blake2Hasher, header::HeaderParts, state_proof::StateProofError, storage,
    trusted::Trusted,
};
use alloc::vec::Vec;
use duet_primitives::{BlockNumber, H256};
use sp_core::Hasher;

/// The most bytes of all trie nodes in a proof of state. (STATE-2)
///
/// The branches above a value have below 600 bytes each. The rest is for the values: the largest is the runtime's
/// code, with a few MiB.
pub const MAX_STATE_BYTES: usize = 8 * 1024 * 1024;

/// A block that is final, by a proof that was verified or as a checkpoint that the user trusts.
///
/// Made from a [`Trusted`] state, from the header of a block after it, by a [`BlockProof`](crate::BlockProof), or from the hash of a
/// genesis, and in no other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalBlock {
    pub(crate) number: BlockNumber,
    pub(crate) hash: H256,
    /// The root over the blocks before it, where a proof signs one.
    pub(crate) history: Option<H256>,
}

impl Trusted {
    /// The newest block that is trusted, to read state and older blocks under it.
    pub fn best_block(&self) -> FinalBlock {
        FinalBlock {
            number: self.best_number(),
            hash: self.best_hash(),
            history: self.best_proof().map(|proof| proof.commitment.mmr_root),
        }
    }
}

impl FinalBlock {
    /// The genesis of the chain that the user names, to read its state.
    ///
    /// # Security
    /// `hash` must come from the user.
    pub fn genesis(hash: H256) -> Self {
        Self {
            number: BlockNumber::ZERO,
            hash,
            history: None,
        }
    }

    /// Its number.
    pub fn number(&self) -> BlockNumber {
        self.number
    }

    /// Its hash.
    pub fn hash(&self) -> H256 {
        self.hash
    }

    /// Checks its header: the bytes that hash to the block's hash. (STATE-1)
    ///
    /// # Errors
    /// [`StateProofError::Header`] when they are those of another block, [`StateProofError::NotAHeader`] when they are no header.
    pub fn header(&self, bytes: &[u8]) -> Result<FinalHeader, StateProofError> {
        let (expected, got) = (self.hash, Blake2Hasher::hash(bytes));
        if got != expected {
            return Err(StateProofError::Header { expected, got });
        }
        let parts = HeaderParts::read(bytes).map_err(|_| StateProofError::NotAHeader)?;
        if parts.number != self.number {
            return Err(StateProofError::NotAHeader);
        }
        Ok(FinalHeader {
            block: *self,
            parts,
        })
    }
}

/// The header of a block that is final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalHeader {
    block: FinalBlock,
    parts: HeaderParts,
}

impl FinalHeader {
    /// The block.
    pub fn block(&self) -> FinalBlock {
        self.block
    }

    /// The block before it, which is final too; `None` for the genesis block.
    pub fn parent(&self) -> Option<FinalBlock> {
        Some(FinalBlock {
            number: self.block.number.checked_previous()?,
            hash: self.parts.parent_hash,
            history: None,
        })
    }

    /// Root of the state after the block.
    pub fn state_root(&self) -> H256 {
        self.parts.state_root
    }

    /// Root of the block's extrinsics.
    pub fn extrinsics_root(&self) -> H256 {
        self.parts.extrinsics_root
    }

    /// Reads entries of the state after the block from trie nodes, as `state_getReadProof` gives them for these keys.
    /// (STATE-2)
    ///
    /// Absence is proven too, and is an answer. Cost: a hash per node, of which there are at most
    /// `2 l + 2` for each key of `l` bytes, with at most [`MAX_STATE_BYTES`] in all.
    ///
    /// # Errors
    /// [`StateProofError::Storage`]: there are more nodes or bytes than that (nothing is copied or hashed then); a
    /// node is missing, is not under the state root, or is not needed.
    pub fn read<'a>(
        &self,
        keys: &[&'a [u8]],
        nodes: &[Vec<u8>],
    ) -> Result<Vec<Entry<'a>>, StateProofError> {
        let values = storage::read(nodes, self.parts.state_root, keys, MAX_STATE_BYTES)?;
        let entries = keys.iter().zip(values).map(|(key, value)| Entry {
            block: self.block,
            key,
            value,
        });
        Ok(entries.collect())
    }
}

/// The entry under a key in the state after a final block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    block: FinalBlock,
    key: &'a [u8],
    value: Option<Vec<u8>>,
}

impl<'a> Entry<'a> {
    /// The block whose state has the entry.
    pub fn block(&self) -> FinalBlock {
        self.block
    }

    /// The key.
    pub fn key(&self) -> &'a [u8] {
        self.key
    }

    /// The value; `None` when the state has none.
    pub fn value(&self) -> Option<&[u8]> {
        self.value.as_deref()
    }
}
