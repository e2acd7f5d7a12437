//! The Merkle root over a set's `pk1`s, and multiproofs against it. (SET-2)
//!
//! Keccak-256. A leaf is the hash of `0x00 ‖ pk1`, a node that of `0x01 ‖ left ‖ right`, and a node without a
//! sibling moves up unchanged. The commitment has the number of leaves, so that the shape of the tree is fixed.

use crate::{
    bytes::{decode_list, Pk1Bytes},
    error::MerkleError,
    numbers::SignerIndex,
    suite::{MAX_VALIDATORS, MERKLE_LEAF_TAG, MERKLE_NODE_TAG},
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, Error, Input};
use core::mem;
use primitive_types::H256;
use rs_merkle::{utils::indices::proof_indices_by_layers, Hasher};
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

/// All hashes over the keys of a set: 64 bytes per key.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// From the leaves up to the root, which is the only one of the last layer.
    layers: Vec<Vec<[u8; 32]>>,
}

impl Tree {
    /// The tree over `keys` in set order. Cost: `2n` hashes.
    pub(crate) fn new(keys: &[Pk1Bytes]) -> Self {
        let mut layers = Vec::new();
        let mut layer: Vec<_> = keys.iter().map(|key| TaggedKeccak::hash(&key.0)).collect();
        while layer.len() > 1 {
            let parents = layer.chunks(2).filter_map(parent).collect();
            layers.push(mem::replace(&mut layer, parents));
        }
        layers.push(layer);
        Self { layers }
    }

    /// The root; zero for a tree without keys.
    pub(crate) fn root(&self) -> H256 {
        let root = self.layers.last().and_then(|layer| layer.first());
        root.copied().map(H256).unwrap_or_default()
    }

    /// Proves the keys at `indices`. Cost: look-ups.
    ///
    /// # Errors
    /// [`MerkleError::Indices`] when they are not strictly ascending and inside the set.
    pub(crate) fn prove(&self, indices: &[SignerIndex]) -> Result<MerkleProof, MerkleError> {
        let len = self.layers.first().map_or(0, Vec::len);
        let len = u32::try_from(len).map_err(|_| MerkleError::Indices)?;
        let indices = check_indices(indices.iter().copied(), len)?;
        if indices.is_empty() {
            return Ok(MerkleProof::default());
        }
        let wanted = proof_indices_by_layers(&indices, len as usize);
        let hashes = self.layers.iter().zip(wanted).flat_map(|(layer, wanted)| {
            wanted
                .into_iter()
                .filter_map(|index| layer.get(index).copied().map(H256))
        });
        Ok(MerkleProof(hashes.collect()))
    }
}

/// The node above one or two neighbours.
fn parent(children: &[[u8; 32]]) -> Option<[u8; 32]> {
    let (left, rest) = children.split_first()?;
    Some(TaggedKeccak::concat_and_hash(left, rest.first()))
}

/// A multiproof that some keys are the ones at their positions of a set. Decoding refuses more hashes than any
/// proof of the largest set has, before it allocates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, DecodeWithMemTracking, TypeInfo)]
pub struct MerkleProof(Vec<H256>);

impl Decode for MerkleProof {
    fn decode<I: Input>(input: &mut I) -> Result<Self, Error> {
        // Each hash is the sibling of a node above a proven leaf, so that there are at most half as many as leaves.
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
    /// Proves the keys at `indices` of the set with these `keys`.
    ///
    /// Cost: `2n` hashes. `Keyset::prove` needs none.
    ///
    /// # Errors
    /// [`MerkleError::Indices`] when they are not strictly ascending and inside the set.
    pub fn prove(keys: &[Pk1Bytes], indices: &[SignerIndex]) -> Result<Self, MerkleError> {
        Tree::new(keys).prove(indices)
    }

    /// The hashes in the proof: each costs one more to check.
    pub fn hashes(&self) -> &[H256] {
        &self.0
    }

    /// Checks that each key is the one at its position in the set of `len` keys under `root`.
    ///
    /// Without keys the proof must be empty. Cost: `O(k log n)` hashes for `k` keys.
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

/// SET-2: strictly ascending and inside the set.
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
