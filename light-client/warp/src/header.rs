//! Headers, as far as GRANDPA's rules need them. (WARP-2, WARP-4)

use codec::{Compact, Decode, DecodeAll, Error};
use duet_light_client::DigestItem;
use duet_primitives::H256;
use sp_core::ed25519::Public;

/// GRANDPA's items in a digest.
const ENGINE: [u8; 4] = *b"FRNK";
/// The first byte of a scheduled change. Other changes lead nowhere: after a forced one nobody who voted before has a say.
const SCHEDULED: u8 = 1;

/// Voters with their weights.
pub(crate) type Voters = Vec<(Public, u64)>;

/// Who votes after a block.
#[derive(Clone, Debug, PartialEq, Eq, Decode)]
pub(crate) struct Change {
    pub(crate) voters: Voters,
    /// How many blocks later they take over.
    pub(crate) delay: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) hash: H256,
    pub(crate) parent_hash: H256,
    pub(crate) number: u32,
    /// The scheduled change that it signals.
    pub(crate) change: Option<Change>,
}

impl Header {
    /// Reads the header that these bytes begin with.
    pub(crate) fn read(bytes: &mut &[u8]) -> Result<Self, Error> {
        let all = *bytes;
        let (parent_hash, Compact(number)) = <(H256, Compact<u32>)>::decode(bytes)?;
        let (_state_root, _extrinsics_root) = <(H256, H256)>::decode(bytes)?;
        let Compact(count) = <Compact<u32>>::decode(bytes)?;
        let mut change = None;
        // Each item takes a byte at least, so that what was sent bounds this.
        for _ in 0..count {
            let item = DigestItem::decode(bytes)?;
            change = change.or_else(|| scheduled(item));
        }
        let length = all.len().saturating_sub(bytes.len());
        let hash = H256(sp_crypto_hashing::blake2_256(
            all.get(..length).unwrap_or(all),
        ));
        Ok(Self {
            hash,
            parent_hash,
            number,
            change,
        })
    }
}

/// As nodes read it: an item with more than a change is none.
fn scheduled(item: DigestItem) -> Option<Change> {
    let DigestItem::Consensus(ENGINE, log) = item else {
        return None;
    };
    let mut change = log.strip_prefix(&[SCHEDULED])?;
    Change::decode_all(&mut change).ok()
}
