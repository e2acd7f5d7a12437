//! From the hash of a block to the set that signs there: a header, a storage proof under its state root, and the keys.
//!
//! The block is the genesis, or any other that the user trusts to be final: on a chain that adopted Duet later, the
//! genesis names no set. After the genesis, the chain may have deactivated Duet; then its state still names a set,
//! and a mark beside it says that nothing is signed.
//!
//! The header is pinned by its hash (LIGHT-1), the keysets by the header's state root (LIGHT-2), the keys by the
//! keysets (LIGHT-3), so that the server that sends all three is not trusted.

use crate::{error::Error, hashers::Blake2Hasher, header::HeaderParts, rules, storage};
use alloc::vec::Vec;
use codec::{Compact, Decode, DecodeAll, Encode, Input};
use duet_primitives::{
    decode_list,
    suite::{ENDED_STORAGE_KEY, KEYSETS_STORAGE_KEY, MAX_VALIDATORS},
    BlockNumber, Keyset, Keysets, Pk1Bytes, H256,
};
use sp_core::Hasher;

/// The most trie nodes of a start proof. (LIGHT-2)
///
/// The path to a key of 32 bytes has at most one node per nibble, then a leaf, then the value as a node of its own: 66. The
/// second key begins with the same 32 nibbles, and a value of one byte is in the node above it, which adds 31.
pub const MAX_TRIE_NODES: u32 = 97;

/// The most bytes that the trie nodes of a start proof have together. (LIGHT-2)
///
/// A branch has at most 16 hashes and a path, below 600 bytes; the value has 184.
pub const MAX_TRIE_BYTES: u32 = 64 * 1024;

/// A server's proof for a client that knows only the hash of a block: of the genesis, or of a later one.
///
/// Decoding refuses more than [`MAX_TRIE_NODES`] nodes, more than [`MAX_TRIE_BYTES`] bytes of nodes and more keys
/// than any set has before it allocates them. (ENC-6, LIGHT-2)
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
pub struct StartProof {
    /// The SCALE encoding of the block's header.
    pub header: Vec<u8>,
    /// The trie nodes that prove what [`start_keys`] names in the block's state, as `state_getReadProof` gives them.
    pub nodes: Vec<Vec<u8>>,
    /// The signing set's keys in set order.
    pub keys: Vec<Pk1Bytes>,
}

/// The keysets of a block's state and the signing set's keys, all checked.
#[derive(Clone, Debug)]
pub struct Start {
    /// The hash of the block.
    pub hash: H256,
    /// The number in its header.
    pub number: BlockNumber,
    /// The set that signs from the block on, and the one after it.
    pub keysets: Keysets,
    /// The keys of the signing set.
    pub keys: Keyset,
}

/// The storage keys that the start proof of the block with this number has to prove. (LIGHT-2)
///
/// A genesis is pinned by its hash, and no pallet puts Duet down in it.
pub fn start_keys(block: BlockNumber) -> &'static [[u8; 32]] {
    const KEYS: [[u8; 32]; 2] = [KEYSETS_STORAGE_KEY, ENDED_STORAGE_KEY];
    match block {
        BlockNumber::ZERO => &KEYS[..1],
        _ => &KEYS,
    }
}

impl Decode for StartProof {
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

impl StartProof {
    /// Checks this proof against the hash of a block.
    ///
    /// Rules: LIGHT-1 the header's hash, LIGHT-2 the storage proof, LIGHT-3 the keys.
    /// Cost: a hash per trie node, and [`Keyset::check`].
    ///
    /// # Errors
    /// The first broken rule in that order.
    ///
    /// # Security
    /// `block_hash` must come from the user. One that the sender names proves nothing: anybody can make up such a block.
    pub fn check(&self, block_hash: H256) -> Result<Start, Error> {
        let header = header_is_of_block(&self.header, block_hash)?;
        self.check_state(block_hash, &header)
    }

    /// The same for a block of the chain with this genesis hash.
    pub(crate) fn check_on(&self, genesis_hash: H256, block_hash: H256) -> Result<Start, Error> {
        let header = header_is_of_block(&self.header, block_hash)?;
        block_can_be_on_chain(&header, genesis_hash, block_hash)?;
        self.check_state(block_hash, &header)
    }

    fn check_state(&self, hash: H256, header: &HeaderParts) -> Result<Start, Error> {
        let keysets = keysets_are_proven(&self.nodes, header)?;
        let keys = rules::keys_match(&keysets.current, &self.keys)?;
        Ok(Start {
            hash,
            number: header.number,
            keysets,
            keys,
        })
    }

    /// The sets that it proves under its own header, without the keys. That proves nothing about any chain, as the
    /// sender chose the header; but a proof that fails here is useless to everybody.
    ///
    /// Rules: LIGHT-1 that there is a header, LIGHT-2.
    /// Cost: a hash per trie node.
    ///
    /// # Errors
    /// The first broken rule in that order.
    pub fn keysets(&self) -> Result<Keysets, Error> {
        let header = header_is_of_block(&self.header, self.block_hash())?;
        keysets_are_proven(&self.nodes, &header)
    }

    /// The header's hash. It proves nothing: the sender of the proof chose the header.
    pub fn block_hash(&self) -> H256 {
        Blake2Hasher::hash(&self.header)
    }

    /// The number in the header, which proves nothing either; none without a header.
    pub fn block_number(&self) -> Option<BlockNumber> {
        HeaderParts::read(&self.header)
            .ok()
            .map(|parts| parts.number)
    }
}

/// LIGHT-1: the header hashes to the trusted hash.
fn header_is_of_block(header: &[u8], expected: H256) -> Result<HeaderParts, Error> {
    let got = Blake2Hasher::hash(header);
    if got != expected {
        return Err(Error::WrongStart { expected, got });
    }
    HeaderParts::read(header).map_err(|_| Error::NotABlockHash { hash: expected })
}

/// LIGHT-1: the trusted block is the genesis, or a later one.
fn block_can_be_on_chain(
    header: &HeaderParts,
    genesis_hash: H256,
    block_hash: H256,
) -> Result<(), Error> {
    let is_first = header.number == BlockNumber::ZERO;
    if block_hash == genesis_hash {
        return if is_first && header.parent_hash.is_zero() {
            Ok(())
        } else {
            Err(Error::NotAGenesisHash)
        };
    }
    if is_first {
        return Err(Error::OtherGenesis {
            expected: genesis_hash,
            got: block_hash,
        });
    }
    Ok(())
}

/// LIGHT-2: the nodes prove the keysets under the state root, and that they have not been ended; none of the nodes is superfluous.
fn keysets_are_proven(nodes: &[Vec<u8>], header: &HeaderParts) -> Result<Keysets, Error> {
    let max_bytes = usize::try_from(MAX_TRIE_BYTES).unwrap_or(usize::MAX);
    let keys: Vec<&[u8]> = start_keys(header.number)
        .iter()
        .map(<[u8; 32]>::as_slice)
        .collect();
    let block = header.number;
    let mut values = storage::read(nodes, header.state_root, &keys, max_bytes)?.into_iter();
    let (keysets, ended) = (values.next().flatten(), values.next().flatten());
    let keysets = keysets
        .and_then(|value| Keysets::decode_all(&mut &*value).ok())
        .ok_or(Error::NoKeysets { block })?;
    match ended.map(|value| bool::decode_all(&mut &*value)) {
        None | Some(Ok(false)) => Ok(keysets),
        Some(Ok(true)) => Err(Error::Ended { block }),
        Some(Err(_)) => Err(Error::NoKeysets { block }),
    }
}
