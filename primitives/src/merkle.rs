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
use scale_info::TypeInfo;
use sha3::{Digest, Keccak256};

type Node = [u8; 32];

fn leaf(key: &Pk1Bytes) -> Node {
    let leaf = Keccak256::new().chain_update([MERKLE_LEAF_TAG]);
    leaf.chain_update(key.0).finalize().into()
}

fn node(left: &Node, right: &Node) -> Node {
    let node = Keccak256::new().chain_update([MERKLE_NODE_TAG]);
    node.chain_update(left)
        .chain_update(right)
        .finalize()
        .into()
}

/// Walks from the leaves at ascending `known` positions up to the root of a tree with `len` leaves. `sibling` gives the
/// node at a position of a layer that is not above a known leaf, in the order of SET-2; `None` ends the walk.
///
/// Cost: at most `k log n` nodes for `k` leaves, which `join` makes.
fn climb<N>(
    mut known: Vec<(usize, N)>,
    mut len: usize,
    mut sibling: impl FnMut(usize, usize) -> Option<N>,
    join: impl Fn(&N, &N) -> N,
) -> Option<N> {
    let mut layer = 0_usize;
    while len > 1 {
        let mut parents = Vec::with_capacity(known.len());
        let mut rest = known.into_iter().peekable();
        while let Some((index, node)) = rest.next() {
            let parent = match (index.is_multiple_of(2), index.saturating_add(1)) {
                (true, next) if next == len => node,
                (true, next) => {
                    let right = match rest.next_if(|(index, _)| *index == next) {
                        Some((_, right)) => right,
                        None => sibling(layer, next)?,
                    };
                    join(&node, &right)
                }
                (false, _) => join(&sibling(layer, index.saturating_sub(1))?, &node),
            };
            parents.push((index / 2, parent));
        }
        (known, len, layer) = (parents, len.div_ceil(2), layer.saturating_add(1));
    }
    known.pop().map(|(_, root)| root)
}

/// How many hashes a proof of the leaves at these positions has.
fn hash_count(indices: &[usize], len: usize) -> usize {
    let mut count = 0_usize;
    let known = indices.iter().map(|index| (*index, ())).collect();
    climb(
        known,
        len,
        |_, _| {
            count = count.saturating_add(1);
            Some(())
        },
        |(), ()| (),
    );
    count
}

/// All hashes over the keys of a set: 64 bytes per key.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// From the leaves up to the root, which is the only one of the last layer.
    layers: Vec<Vec<Node>>,
}

impl Tree {
    /// The tree over `keys` in set order. Cost: `2n` hashes.
    pub(crate) fn new(keys: &[Pk1Bytes]) -> Self {
        let mut layers = Vec::new();
        let mut layer: Vec<_> = keys.iter().map(leaf).collect();
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
        let mut hashes = Vec::new();
        let known = indices.into_iter().map(|index| (index, ())).collect();
        let sibling = |layer: usize, index: usize| {
            let hash = self.layers.get(layer)?.get(index)?;
            hashes.push(H256(*hash));
            Some(())
        };
        climb(known, len as usize, sibling, |(), ()| ());
        Ok(MerkleProof(hashes))
    }
}

/// The node above one or two neighbours.
fn parent(children: &[Node]) -> Option<Node> {
    let (left, rest) = children.split_first()?;
    Some(rest.first().map_or(*left, |right| node(left, right)))
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
        let expected = hash_count(&indices, len as usize);
        if self.0.len() != expected {
            return Err(MerkleError::HashCount {
                expected,
                got: self.0.len(),
            });
        }
        let leaves = keys.iter().map(|(_, key)| leaf(key));
        let known = indices.into_iter().zip(leaves).collect();
        let mut hashes = self.0.iter().map(|hash| hash.0);
        let found = climb(known, len as usize, |_, _| hashes.next(), node);
        let found = found.ok_or(MerkleError::Indices)?;
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
