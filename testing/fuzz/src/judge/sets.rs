//! Commitments to sets of keys, and proofs of members.

use super::curve::g1_on_curve;
use crate::odd::compress;
use ark_bls12_381::G1Projective;
use ark_ec::CurveGroup;
use ark_ff::Zero;
use codec::{Decode, Encode};
use duet_primitives::{
    suite, KeyError, KeysetCommitment, KeysetError, MerkleError, MerkleProof, Pk1Bytes, SetId,
    SignerIndex, H256,
};
use sha3::{Digest, Keccak256};
use std::collections::BTreeMap;

/// What commits to keys that stand in chain state, in no need of a subgroup check. (SET-1 to SET-3, SET-5)
///
/// # Errors
/// The first broken rule.
pub(crate) fn keyset(id: SetId, keys: &[Pk1Bytes]) -> Result<KeysetCommitment, KeysetError> {
    if keys.is_empty() {
        return Err(KeysetError::Empty);
    }
    for index in 1..keys.len() {
        if keys[index].0 <= keys[index - 1].0 {
            return Err(KeysetError::Order { index });
        }
    }
    let mut total = G1Projective::zero();
    for (index, key) in keys.iter().enumerate() {
        let point = g1_on_curve(&key.0).map_err(KeyError::Pk1);
        total += point.map_err(|error| KeysetError::Key { index, error })?;
    }
    if total.is_zero() {
        return Err(KeysetError::ZeroTotal);
    }
    Ok(KeysetCommitment {
        id,
        len: u32::try_from(keys.len()).expect("small sets"),
        root: root(keys),
        apk1: Pk1Bytes(compress(&total.into_affine())),
    })
}

fn keccak(parts: &[&[u8]]) -> [u8; 32] {
    let hasher = Keccak256::new();
    let hasher = parts
        .iter()
        .fold(hasher, |hasher, part| hasher.chain_update(part));
    hasher.finalize().into()
}

fn leaf(key: &Pk1Bytes) -> [u8; 32] {
    keccak(&[&[0], &key.0])
}

/// The root over keys. (SET-2)
pub(crate) fn root(keys: &[Pk1Bytes]) -> H256 {
    let mut layer: Vec<_> = keys.iter().map(leaf).collect();
    while layer.len() > 1 {
        let above = layer.chunks(2).map(|pair| match pair {
            [left, right] => keccak(&[&[1], left, right]),
            alone => alone[0],
        });
        layer = above.collect();
    }
    layer.first().map(H256::from).unwrap_or_default()
}

/// The hashes of a proof, out of its encoding.
pub(crate) fn hashes_of(proof: &MerkleProof) -> Vec<[u8; 32]> {
    <Vec<[u8; 32]>>::decode(&mut &proof.encode()[..]).expect("a proof is a list of hashes")
}

/// A multiproof, layer by layer. (SET-2)
///
/// # Errors
/// The first broken rule.
pub(crate) fn merkle(
    hashes: &[[u8; 32]],
    root: H256,
    len: u32,
    keys: &[(SignerIndex, Pk1Bytes)],
) -> Result<(), MerkleError> {
    let ascending = keys.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let inside = keys
        .iter()
        .all(|(place, _)| place.get() < len && len <= suite::MAX_VALIDATORS);
    if !ascending || !inside {
        return Err(MerkleError::Indices);
    }
    let mut known: BTreeMap<u32, [u8; 32]> = keys
        .iter()
        .map(|(place, key)| (place.get(), leaf(key)))
        .collect();
    let mut rest = hashes.iter();
    let (mut size, mut expected) = (len, 0);
    while size > 1 && !known.is_empty() {
        let mut above = BTreeMap::new();
        for (place, hash) in &known {
            let sibling = place ^ 1;
            if sibling >= size {
                above.insert(place / 2, *hash);
                continue;
            }
            let other = known.get(&sibling).copied().unwrap_or_else(|| {
                expected += 1;
                rest.next().copied().unwrap_or_default()
            });
            let pair = if place % 2 == 0 {
                [*hash, other]
            } else {
                [other, *hash]
            };
            above.insert(place / 2, keccak(&[&[1], &pair[0], &pair[1]]));
        }
        (known, size) = (above, size.div_ceil(2));
    }
    let got = hashes.len();
    if got != expected {
        return Err(MerkleError::HashCount { expected, got });
    }
    let found = known.get(&0).copied();
    let holds = keys.is_empty() || found == Some(root.0);
    holds.then_some(()).ok_or(MerkleError::Root)
}
