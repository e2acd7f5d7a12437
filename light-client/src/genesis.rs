//! From a genesis hash to the first set: a header, a storage proof under its state root, and the keys.
//!
//! The header is pinned by its hash (LIGHT-1), the keysets by the header's state root (LIGHT-2), the keys by the
//! keysets (LIGHT-3), so that the server that sends all three is not trusted.

use crate::{
    error::{Error, StorageProofError},
    rules,
};
use alloc::vec::Vec;
use codec::{Compact, Decode, DecodeAll, Encode, Input};
use duet_primitives::{
    decode_list,
    suite::{KEYSETS_STORAGE_KEY, MAX_VALIDATORS},
    Keyset, Keysets, Pk1Bytes, H256,
};
use sp_core::{Blake2Hasher, Hasher};
use sp_trie::{LayoutV1, Recorder, StorageProof};

/// The most trie nodes of a genesis proof. (LIGHT-2)
///
/// The path to a key of 32 bytes has at most one node per nibble, then a leaf, then the value as a node of its own.
pub const MAX_TRIE_NODES: u32 = 66;

/// The most bytes that the trie nodes of a genesis proof have together. (LIGHT-2)
///
/// A branch has at most 16 hashes and a path, below 600 bytes; the value has 184.
pub const MAX_TRIE_BYTES: u32 = 64 * 1024;

/// Reads state of version 0 too: the two differ only in how they are written.
type Layout = LayoutV1<Blake2Hasher>;

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
        let Header { state_root } = header_is_of_genesis(&self.header, genesis_hash)?;
        let keysets = keysets_are_proven(&self.nodes, state_root)?;
        let keys = rules::keys_match(&keysets.current, &self.keys)?;
        Ok(Genesis {
            hash: genesis_hash,
            keysets,
            keys,
        })
    }
}

/// The part of a genesis header that we need. The digest is not read: the hash pins it with the rest.
struct Header {
    state_root: H256,
}

/// LIGHT-1: the header hashes to the trusted genesis hash, and is one of block 0.
fn header_is_of_genesis(header: &[u8], expected: H256) -> Result<Header, Error> {
    let got = Blake2Hasher::hash(header);
    if got != expected {
        return Err(Error::WrongGenesis { expected, got });
    }
    match Header::read(header) {
        Ok(Some(header)) => Ok(header),
        Ok(None) | Err(_) => Err(Error::NotAGenesisHash),
    }
}

impl Header {
    /// Reads the header with this encoding; `None` when it is a header of another block.
    fn read(mut bytes: &[u8]) -> Result<Option<Self>, codec::Error> {
        let input = &mut bytes;
        let (parent, Compact(number)) = <(H256, Compact<u32>)>::decode(input)?;
        let (state_root, _extrinsics_root) = <(H256, H256)>::decode(input)?;
        // Every header ends with its digest, which starts with how many items it has.
        let digest = input.remaining_len()?.unwrap_or(0);
        Ok((parent.is_zero() && number == 0 && digest > 0).then_some(Self { state_root }))
    }
}

/// LIGHT-2: the nodes prove the keysets under the state root, and none of them is superfluous.
fn keysets_are_proven(nodes: &[Vec<u8>], state_root: H256) -> Result<Keysets, Error> {
    let db = StorageProof::new(nodes.iter().cloned()).into_memory_db::<Blake2Hasher>();
    let mut used = Recorder::<Layout>::new();
    let key = &KEYSETS_STORAGE_KEY;
    let value = sp_trie::read_trie_value::<Layout, _>(&db, &state_root, key, Some(&mut used), None)
        .map_err(|_| StorageProofError::Incomplete)?;
    let (expected, got) = (used.drain().len(), nodes.len());
    if expected != got {
        return Err(StorageProofError::Surplus { expected, got }.into());
    }
    let value = value.ok_or(Error::NoFirstKeysets)?;
    Keysets::decode_all(&mut &*value).map_err(|_| Error::NoFirstKeysets)
}
