//! From a genesis hash to the first set: a header, a storage proof under its state root, and the keys.
//!
//! The header is pinned by its hash (LIGHT-1), the keysets by the header's state root (LIGHT-2), the keys by the
//! keysets (LIGHT-3), so that the server that sends all three is not trusted.

use crate::{error::Error, hashers::Blake2Hasher, header::HeaderParts, rules, storage};
use alloc::vec::Vec;
use codec::{Compact, Decode, DecodeAll, Encode, Input};
use duet_primitives::{
    decode_list,
    suite::{KEYSETS_STORAGE_KEY, MAX_VALIDATORS},
    BlockNumber, Keyset, Keysets, Pk1Bytes, H256,
};
use sp_core::Hasher;

/// The most trie nodes of a genesis proof. (LIGHT-2)
///
/// The path to a key of 32 bytes has at most one node per nibble, then a leaf, then the value as a node of its own.
pub const MAX_TRIE_NODES: u32 = 66;

/// The most bytes that the trie nodes of a genesis proof have together. (LIGHT-2)
///
/// A branch has at most 16 hashes and a path, below 600 bytes; the value has 184.
pub const MAX_TRIE_BYTES: u32 = 64 * 1024;

/// What a server sends to a client that knows only the genesis hash.
///
/// Decoding refuses more than [`MAX_TRIE_NODES`] nodes, more than [`MAX_TRIE_BYTES`] bytes of nodes and more keys
/// than any set has before it allocates them. (ENC-6, LIGHT-2)
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct GenesisProof {
    /// The SCALE encoding of the genesis header.
    pub header: Vec<u8>,
    /// The trie nodes that prove the keysets in the genesis state, as `state_getReadProof` gives them.
    pub nodes: Vec<Vec<u8>>,
    /// The first set's keys in set order.
    pub keys: Vec<Pk1Bytes>,
}

/// The keysets of a genesis state and the first set's keys, all checked.
#[derive(Clone, Debug)]
pub struct Genesis {
    /// The hash of the genesis header.
    pub hash: H256,
    /// The set that signs from genesis on, and the one after it.
    pub keysets: Keysets,
    /// The keys of the one that signs.
    pub keys: Keyset,
}

impl Decode for GenesisProof {
    fn decode<I: Input>(input: &mut I) -> Result<Self, codec::Error> {
        let header = Vec::decode(input)?;
        let nodes = decode_nodes(input)?;
        let keys = decode_keys(input)?;
        Ok(Self {
            header,
            nodes,
            keys,
        })
    }
}

/// SET-1: the keys of one set.
pub(crate) fn decode_keys<I: Input>(input: &mut I) -> Result<Vec<Pk1Bytes>, codec::Error> {
    decode_list(input, MAX_VALIDATORS, "SET-1: more keys than any set has")
}

/// LIGHT-2: an empty node is one byte on the wire and 24 in memory, so both number and size are bounded.
fn decode_nodes<I: Input>(input: &mut I) -> Result<Vec<Vec<u8>>, codec::Error> {
    let Compact(count) = <Compact<u32>>::decode(input)?;
    if count > MAX_TRIE_NODES {
        return Err("LIGHT-2: more trie nodes than any path has".into());
    }
    let mut room = MAX_TRIE_BYTES;
    (0..count)
        .map(|_| {
            let node: Vec<u8> = decode_list(
                input,
                room,
                "LIGHT-2: the trie nodes have more bytes than any path",
            )?;
            room = u32::try_from(node.len()).map_or(0, |len| room.saturating_sub(len));
            Ok(node)
        })
        .collect()
}

impl GenesisProof {
    /// Checks this proof against a genesis hash.
    ///
    /// Rules: LIGHT-1 the header's hash and number, LIGHT-2 the storage proof, LIGHT-3 the keys.
    /// Cost: a hash per trie node, and [`Keyset::check`].
    ///
    /// # Errors
    /// The first broken rule in that order.
    pub fn check(&self, genesis_hash: H256) -> Result<Genesis, Error> {
        let header = header_is_of_genesis(&self.header, genesis_hash)?;
        let keysets = keysets_are_proven(&self.nodes, header.state_root)?;
        let keys = rules::keys_match(&keysets.current, &self.keys)?;
        Ok(Genesis {
            hash: genesis_hash,
            keysets,
            keys,
        })
    }
}

/// LIGHT-1: the header hashes to the trusted genesis hash, and is one of block 0.
fn header_is_of_genesis(header: &[u8], expected: H256) -> Result<HeaderParts, Error> {
    let got = Blake2Hasher::hash(header);
    if got != expected {
        return Err(Error::WrongGenesis { expected, got });
    }
    HeaderParts::read(header)
        .ok()
        .filter(|header| header.parent_hash.is_zero() && header.number == BlockNumber::ZERO)
        .ok_or(Error::NotAGenesisHash)
}

/// LIGHT-2: the nodes prove the keysets under the state root, and none of them is superfluous.
fn keysets_are_proven(nodes: &[Vec<u8>], state_root: H256) -> Result<Keysets, Error> {
    let max_bytes = usize::try_from(MAX_TRIE_BYTES).unwrap_or(usize::MAX);
    let values = storage::read(nodes, state_root, &[&KEYSETS_STORAGE_KEY], max_bytes)?;
    let value = values.into_iter().next().flatten();
    let value = value.ok_or(Error::NoFirstKeysets)?;
    Keysets::decode_all(&mut &*value).map_err(|_| Error::NoFirstKeysets)
}
