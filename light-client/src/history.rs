//! Older blocks under the root of the Merkle mountain range that a proof signs. (MMR-1, STATE-3)

use crate::{block::FinalBlock, hashers::KeccakHasher, state_proof::StateProofError};
use alloc::{vec, vec::Vec};
use codec::{Compact, Decode, DecodeAll, Encode, Input};
use duet_primitives::{decode_list, MmrLeaf, H256};
use mmr::{leaf_index_to_mmr_size, leaf_index_to_pos, Merge, MerkleProof};
use sp_core::Hasher;

/// The most hashes of a proof: a path has fewer than 32, and there are at most 32 peaks. (STATE-3)
pub const MAX_HASHES: u32 = 64;

/// Proves an older block under a newer one, as `mmr_generateProof` gives it.
///
/// Decoding refuses more than [`MAX_HASHES`] hashes before it allocates them.
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct BlockProof {
    /// The leaf of the older block in the range.
    pub leaf: MmrLeaf,
    /// Position of the leaf.
    pub leaf_index: u64,
    /// How many leaves the range has.
    pub leaf_count: u64,
    /// The path, then the peaks, in the order of the SDK's proofs.
    pub hashes: Vec<H256>,
}

impl Decode for BlockProof {
    fn decode<I: Input>(input: &mut I) -> Result<Self, codec::Error> {
        let (leaf, leaf_index, leaf_count) = Decode::decode(input)?;
        let hashes = decode_list(input, MAX_HASHES, "STATE-3: more hashes than any path has")?;
        Ok(Self {
            leaf,
            leaf_index,
            leaf_count,
            hashes,
        })
    }
}

impl BlockProof {
    /// Reads the `leaves` and the `proof` that `mmr_generateProof` returns for one block.
    ///
    /// # Errors
    /// When they do not decode, or are not about exactly one block. The number of hashes is checked with the proof;
    /// no more are allocated than the input's length allows.
    pub fn from_rpc(leaves: &[u8], proof: &[u8]) -> Result<Self, codec::Error> {
        const ONE: &str = "STATE-3: not exactly one leaf";
        let of_one = |count: Compact<u32>| (count.0 == 1).then_some(()).ok_or(ONE);
        let mut input = leaves;
        of_one(Decode::decode(&mut input)?)?;
        // A leaf is encoded as bytes, so that other leaves than the SDK's can be carried.
        let leaf = Vec::<u8>::decode_all(&mut input)?;
        let leaf = MmrLeaf::decode_all(&mut leaf.as_slice())?;
        let mut input = proof;
        of_one(Decode::decode(&mut input)?)?;
        let (leaf_index, leaf_count, hashes) = DecodeAll::decode_all(&mut input)?;
        Ok(Self {
            leaf,
            leaf_index,
            leaf_count,
            hashes,
        })
    }

    /// Checks that the block of the leaf comes before `newer`, and gives it, final as that one.
    ///
    /// Cost: at most [`MAX_HASHES`] hashes of 64 bytes.
    ///
    /// # Errors
    /// [`StateProofError::NoHistory`] when no proof of `newer` is known, [`StateProofError::LeafCount`] and
    /// [`StateProofError::Leaf`] when the numbers cannot be true, [`StateProofError::History`] when the path does not lead to the root.
    pub fn check(&self, newer: &FinalBlock) -> Result<FinalBlock, StateProofError> {
        let number = newer.number;
        let root = newer.history.ok_or(StateProofError::NoHistory { number })?;
        // A block adds one leaf, about its parent, and one leaf for each block that came after the first leaf.
        let most = u64::from(number.get());
        if self.leaf_count > most {
            let leaves = self.leaf_count;
            return Err(StateProofError::LeafCount { number, leaves });
        }
        let before = most.saturating_sub(self.leaf_count);
        let about = self.leaf.parent_number;
        if self.leaf_index >= self.leaf_count
            || before.checked_add(self.leaf_index) != Some(about.get().into())
        {
            let index = self.leaf_index;
            return Err(StateProofError::Leaf { about, index });
        }
        if self.root() != Some(root) {
            return Err(StateProofError::History { number: about });
        }
        Ok(FinalBlock {
            number: about,
            hash: self.leaf.parent_hash,
            // A root over the blocks before it is signed only by a proof of its own.
            history: None,
        })
    }

    /// The root to which the path leads; `None` when it has too few hashes or too many.
    ///
    /// The caller has bounded index and count by a block number.
    fn root(&self) -> Option<H256> {
        let size = leaf_index_to_mmr_size(self.leaf_count.checked_sub(1)?);
        let leaf = self.leaf.using_encoded(KeccakHasher::hash);
        let leaves = vec![(leaf_index_to_pos(self.leaf_index), leaf)];
        let proof = MerkleProof::<H256, Nodes>::new(size, self.hashes.clone());
        proof.calculate_root(leaves).ok()
    }
}

/// How hashes of nodes become that of their parent. (MMR-1)
struct Nodes;

impl Merge for Nodes {
    type Item = H256;

    fn merge(left: &H256, right: &H256) -> mmr::Result<H256> {
        Ok((left, right).using_encoded(KeccakHasher::hash))
    }
}
