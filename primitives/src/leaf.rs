//! The leaf of each block in the chain's Merkle mountain range. (MMR-1)

use crate::numbers::BlockNumber;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use primitive_types::H256;
use scale_info::TypeInfo;

/// The format of a leaf. Unknown formats do not decode: readers must know the meaning of the bytes.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
pub enum LeafVersion {
    /// The format of [`MmrLeaf`].
    #[codec(index = 0)]
    V0,
}

/// A leaf of the Merkle mountain range, 69 bytes. (MMR-1)
///
/// Block N adds the leaf about its parent while it is initialised. So the range under the root that validators sign at
/// block N has a leaf for each block up to N − 1.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
pub struct MmrLeaf {
    /// Tells formats apart, so that one may change on a chain that runs.
    pub version: LeafVersion,
    /// Number of the block that it is about.
    pub parent_number: BlockNumber,
    /// Hash of that block.
    pub parent_hash: H256,
    /// Data that the chain proves elsewhere by Keccak-256 alone: a root of its outgoing messages. Zero on a chain that
    /// sends none.
    pub extra: H256,
}

#[cfg(test)]
mod tests {
    use super::*;
    use codec::DecodeAll;

    fn leaf() -> MmrLeaf {
        MmrLeaf {
            version: LeafVersion::V0,
            parent_number: BlockNumber::new(0x0403_0201),
            parent_hash: H256::repeat_byte(0x11),
            extra: H256::repeat_byte(0x22),
        }
    }

    /// MMR-1.
    #[test]
    fn a_leaf_has_the_bytes_of_the_specification() {
        let bytes = [&[0, 1, 2, 3, 4][..], &[0x11; 32], &[0x22; 32]].concat();
        assert_eq!(leaf().encode(), bytes);
        assert_eq!(MmrLeaf::decode_all(&mut &bytes[..]), Ok(leaf()));
        assert_eq!(MmrLeaf::max_encoded_len(), bytes.len());
    }

    /// MMR-1.
    #[test]
    fn a_leaf_of_another_version_or_length_does_not_decode() {
        let bytes = leaf().encode();
        for version in 1..=u8::MAX {
            let mut other = bytes.clone();
            other[0] = version;
            assert!(MmrLeaf::decode_all(&mut &other[..]).is_err(), "{version}");
        }
        let longer = [&bytes[..], &[0]].concat();
        for other in [&bytes[..68], &longer[..]] {
            assert!(MmrLeaf::decode_all(&mut &*other).is_err());
        }
    }
}
