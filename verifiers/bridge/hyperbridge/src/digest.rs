//! Reads the digest of a header: the slot and the root of the messages.

use crate::error::Error;
use codec::{Decode, DecodeAll};
use duet_light_client::{digest_items, DigestItem};
use duet_primitives::H256;

const AURA: [u8; 4] = *b"aura";
const ISMP: [u8; 4] = *b"ISMP";

/// The roots that ISMP's pallet writes into a header.
#[derive(Decode)]
struct Roots {
    _mmr: H256,
    child_trie: H256,
}

/// The logs of a digest.
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
    pub(crate) fn of_header(header: &[u8]) -> Result<Self, Error> {
        let (mut slot, mut overlay_root) = (None, None);
        for item in digest_items(header).map_err(|_| Error::Digest)? {
            match item {
                DigestItem::PreRuntime(AURA, value) => slot = Some(read::<u64>(&value)?),
                DigestItem::Consensus(ISMP, value) => {
                    overlay_root = Some(read::<Roots>(&value)?.child_trie);
                }
                _ => {}
            }
        }
        let slot = slot.ok_or(Error::NoSlot)?;
        Ok(Self { slot, overlay_root })
    }
}

fn read<T: Decode>(mut value: &[u8]) -> Result<T, Error> {
    T::decode_all(&mut value).map_err(|_| Error::Digest)
}
