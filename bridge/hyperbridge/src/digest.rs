//! Reads the digest of a header: the slot and the root of the messages.

use crate::error::Error;
use alloc::vec::Vec;
use codec::{Compact, Decode, DecodeAll};
use duet_primitives::H256;

const AURA: [u8; 4] = *b"aura";
const ISMP: [u8; 4] = *b"ISMP";

/// An item of a digest, as Substrate encodes it.
#[derive(Decode)]
enum Item {
    #[codec(index = 0)]
    Other(#[allow(dead_code)] Vec<u8>),
    #[codec(index = 4)]
    Consensus([u8; 4], Vec<u8>),
    #[codec(index = 5)]
    Seal(#[allow(dead_code)] [u8; 4], #[allow(dead_code)] Vec<u8>),
    #[codec(index = 6)]
    PreRuntime([u8; 4], Vec<u8>),
    #[codec(index = 8)]
    RuntimeEnvironmentUpdated,
}

/// What ISMP's pallet writes into a header.
#[derive(Decode)]
struct Roots {
    _mmr: H256,
    child_trie: H256,
}

/// What a digest says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Logs {
    /// The slot of Aura.
    pub(crate) slot: u64,
    /// The root of the child trie with the messages, where ISMP's pallet wrote one.
    pub(crate) overlay_root: Option<H256>,
}

impl Logs {
    /// Reads the logs of a header, whose hash was verified. Of several items of one kind the last counts, as for
    /// Hyperbridge's own clients.
    pub(crate) fn of_header(mut header: &[u8]) -> Result<Self, Error> {
        type Start = (H256, Compact<u32>, H256, H256);
        let input = &mut header;
        Start::decode(input).map_err(|_| Error::Digest)?;
        let Compact(count) = Compact::<u32>::decode(input).map_err(|_| Error::Digest)?;
        let (mut slot, mut overlay_root) = (None, None);
        // Each item takes a byte at least, so that the header's length bounds this.
        for _ in 0..count {
            match Item::decode(input).map_err(|_| Error::Digest)? {
                Item::PreRuntime(AURA, value) => slot = Some(read::<u64>(&value)?),
                Item::Consensus(ISMP, value) => {
                    overlay_root = Some(read::<Roots>(&value)?.child_trie);
                }
                _ => {}
            }
        }
        if !input.is_empty() {
            return Err(Error::Digest);
        }
        let slot = slot.ok_or(Error::NoSlot)?;
        Ok(Self { slot, overlay_root })
    }
}

fn read<T: Decode>(mut value: &[u8]) -> Result<T, Error> {
    T::decode_all(&mut value).map_err(|_| Error::Digest)
}
