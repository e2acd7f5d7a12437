//! The Merkle root over a set's `pk1`s, and multiproofs against it. (SET-2)
//!
//! Keccak-256; leaves hash `0x00 ‖ pk1`, nodes `0x01 ‖ left ‖ right`, a node without a sibling moves up
//! unchanged. The number of leaves stands in the commitment, so the shape of the tree is fixed.

use crate::{
    bytes::decode_list,
    error::MerkleError,
    numbers::SignerIndex,
    suite::{MAX_VALIDATORS, MERKLE_LEAF_TAG, MERKLE_NODE_TAG},
    Pk1Bytes, H256,
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, Error, Input};
use rs_merkle::{utils::indices::proof_indices_by_layers, Hasher, MerkleTree};
use scale_info::TypeInfo;
use sha3::{Digest, Keccak256};

#[derive(Clone)]
struct TaggedKeccak;

impl Hasher for TaggedKeccak {
    type Hash = [u8; 32];

    fn hash(leaf: &[u8]) -> [u8; 32] {
        Keccak256::new()
            .chain_update([MERKLE_LEAF_TAG])
            .chain_update(leaf)
            .finalize()
            .into()
    }

    fn concat_and_hash(left: &[u8; 32], right: Option<&[u8; 32]>) -> [u8; 32] {
        let Some(right) = right else { return *left };
        let node = Keccak256::new().chain_update([MERKLE_NODE_TAG]);
        node.chain_update(left)
            .chain_update(right)
            .finalize()
            .into()
    }
}

fn tree(keys: &[Pk1Bytes]) -> MerkleTree<TaggedKeccak> {
    let leaves: Vec<_> = keys.iter().map(|key| TaggedKeccak::hash(&key.0)).collect();
    MerkleTree::from_leaves(&leaves)
}

/// The root over `keys` in set order; zero for none. Cost: `2n` hashes.
pub(crate) fn root(keys: &[Pk1Bytes]) -> H256 {
    tree(keys).root().map(H256).unwrap_or_default()
}

/// A multiproof that some keys stand at some positions of a set. Decoding refuses more hashes than any proof of
/// the largest set has, before it allocates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, DecodeWithMemTracking, TypeInfo)]
pub struct MerkleProof(Vec<H256>);

impl Decode for MerkleProof {
    fn decode<I: Input>(input: &mut I) -> Result<Self, Error> {
        // Each hash is the sibling of a node above a proven leaf, so that there are at most half as many.
        let limit = MAX_VALIDATORS.div_ceil(2);
        decode_list(
            input,
            limit,
            "SET-2: the multiproof is longer than any set's",
        )
        .map(Self)
    }
}

impl MerkleProof {
    /// Proves the keys at `indices`, which must be ascending and inside of the set.
    ///
    /// # Errors
    /// [`MerkleError::Indices`] when they are not.
    pub fn prove(keys: &[Pk1Bytes], indices: &[SignerIndex]) -> Result<Self, MerkleError> {
        let len = u32::try_from(keys.len()).map_err(|_| MerkleError::Indices)?;
        let indices = check_indices(indices.iter().copied(), len)?;
        if indices.is_empty() {
            return Ok(Self::default());
        }
        Ok(Self(
            tree(keys)
                .proof(&indices)
                .proof_hashes()
                .iter()
                .copied()
                .map(H256)
                .collect(),
        ))
    }

    /// Checks that each key stands at its position in the set of `len` keys under `root`.
    ///
    /// Nothing to prove takes an empty proof. Cost: `O(k log n)` hashes for `k` keys.
    ///
    /// # Errors
    /// The first broken rule: positions, number of hashes, root.
    pub fn check(
        &self,
        root: H256,
        len: u32,
        keys: &[(SignerIndex, Pk1Bytes)],
    ) -> Result<(), MerkleError> {
        let indices = check_indices(keys.iter().map(|(index, _)| *index), len)?;
        if indices.is_empty() {
            return if self.0.is_empty() {
                Ok(())
            } else {
                Err(MerkleError::HashCount {
                    expected: 0,
                    got: self.0.len(),
                })
            };
        }
        let leaves: Vec<_> = keys
            .iter()
            .map(|(_, key)| TaggedKeccak::hash(&key.0))
            .collect();
        let expected = proof_indices_by_layers(&indices, len as usize)
            .iter()
            .map(Vec::len)
            .sum();
        if self.0.len() != expected {
            return Err(MerkleError::HashCount {
                expected,
                got: self.0.len(),
            });
        }
        let hashes = self.0.iter().map(|hash| hash.0).collect();
        let found = rs_merkle::MerkleProof::<TaggedKeccak>::new(hashes)
            .root(&indices, &leaves, len as usize)
            .map_err(|_| MerkleError::Indices)?;
        (found == root.0).then_some(()).ok_or(MerkleError::Root)
    }
}

/// Strictly ascending and inside of the set, so that nothing below indexes out of range.
fn check_indices(
    indices: impl Iterator<Item = SignerIndex>,
    len: u32,
) -> Result<Vec<usize>, MerkleError> {
    let mut previous = None;
    let mut out = Vec::new();
    for index in indices {
        if previous >= Some(index) || index.get() >= len || len > MAX_VALIDATORS {
            return Err(MerkleError::Indices);
        }
        previous = Some(index);
        out.push(index.to_usize());
    }
    Ok(out)
}
