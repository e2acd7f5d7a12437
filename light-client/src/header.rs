//! Reads headers. (LIGHT-1, STATE-1)

use codec::{Compact, Decode, Input};
use duet_primitives::{BlockNumber, H256};

/// The part of a header that we need. The digest is not read: the hash pins it with the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeaderParts {
    pub(crate) parent_hash: H256,
    pub(crate) number: BlockNumber,
    pub(crate) state_root: H256,
    pub(crate) extrinsics_root: H256,
}

impl HeaderParts {
    /// Reads the header with this encoding.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, codec::Error> {
        Ok(Self::split(bytes)?.0)
    }

    /// The same, and the digest, which is the rest.
    pub(crate) fn split(mut bytes: &[u8]) -> Result<(Self, &[u8]), codec::Error> {
        let input = &mut bytes;
        let (parent_hash, Compact(number)) = <(H256, Compact<u32>)>::decode(input)?;
        let (state_root, extrinsics_root) = <(H256, H256)>::decode(input)?;
        // Every header ends with its digest, which starts with how many items it has.
        if input.remaining_len()?.unwrap_or(0) == 0 {
            return Err("a header has a digest".into());
        }
        let parts = Self {
            parent_hash,
            number: BlockNumber::new(number),
            state_root,
            extrinsics_root,
        };
        Ok((parts, bytes))
    }
}
