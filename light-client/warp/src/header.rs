//! Headers, as far as GRANDPA's rules need them. (WARP-2, WARP-4)

use codec::{Compact, Decode, DecodeAll, Error, Input};
use duet_light_client::DigestItem;
use duet_primitives::H256;
use sp_core::ed25519::Public;

/// GRANDPA's items in a digest.
const ENGINE: [u8; 4] = *b"FRNK";
/// The first byte of a scheduled change. Other changes lead nowhere: after a forced one no earlier voter has a say.
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

impl Decode for Header {
    fn decode<I: Input>(input: &mut I) -> Result<Self, Error> {
        let mut input = Copied {
            input,
            bytes: Vec::new(),
        };
        let (parent_hash, Compact(number)) = <(H256, Compact<u32>)>::decode(&mut input)?;
        let (_state_root, _extrinsics_root) = <(H256, H256)>::decode(&mut input)?;
        let Compact(count) = <Compact<u32>>::decode(&mut input)?;
        let mut change = None;
        // Each item takes a byte at least, so that what was sent bounds this.
        for _ in 0..count {
            let item = DigestItem::decode(&mut input)?;
            change = change.or_else(|| scheduled(item));
        }
        Ok(Self {
            hash: H256(sp_crypto_hashing::blake2_256(&input.bytes)),
            parent_hash,
            number,
            change,
        })
    }
}

/// Keeps the read bytes, to be hashed.
struct Copied<'a, I> {
    input: &'a mut I,
    bytes: Vec<u8>,
}

impl<I: Input> Input for Copied<'_, I> {
    fn remaining_len(&mut self) -> Result<Option<usize>, Error> {
        self.input.remaining_len()
    }

    fn read(&mut self, into: &mut [u8]) -> Result<(), Error> {
        self.input.read(into)?;
        self.bytes.extend_from_slice(into);
        Ok(())
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
