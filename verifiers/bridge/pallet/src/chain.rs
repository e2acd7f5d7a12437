//! The followed chain, and its known state.

use crate::Config;
use alloc::boxed::Box;
use bp_runtime::{BasicOperatingMode, Chain, HeaderId, HeaderOf};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_light_client::{Checkpoint, Trusted};
use duet_primitives::{BlockNumber, Keysets, H256};
use scale_info::TypeInfo;
use serde::{Deserialize, Serialize};

/// Target of this pallet's log lines.
pub(crate) const LOG_TARGET: &str = "runtime::bridge-duet";

/// A header of the chain that is followed.
pub type BridgedHeader<T, I> = HeaderOf<<T as Config<I>>::BridgedChain>;

/// A chain that Duet finalizes.
pub trait ChainWithDuet: Chain<BlockNumber = u32, Hash = H256> {
    /// Name of this pallet in the runtimes that follow the chain.
    const WITH_CHAIN_DUET_PALLET_NAME: &'static str;

    /// The largest header in bytes that is free of charge. A larger one is accepted, and its submitter pays.
    const MAX_FREE_HEADER_SIZE: u32;
}

/// The known state of the followed chain, beside its headers.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct FollowedChain {
    /// Which chain.
    pub genesis_hash: H256,
    /// The signing set and its successor; both are the same when no successor is named.
    pub keysets: Keysets,
}

impl FollowedChain {
    /// The state of a light client of this chain at its best block.
    ///
    /// The sets were checked when they were set, or a checked set signed them. Their totals are not checked again here,
    /// which would take a subgroup check each. Their users check them once more.
    pub(crate) fn trusted_at(self, best: HeaderId<H256, u32>) -> Trusted {
        Trusted::from_own_checkpoint_unchecked(self.checkpoint_at(best))
    }

    pub(crate) fn checkpoint_at(self, HeaderId(number, hash): HeaderId<H256, u32>) -> Checkpoint {
        Checkpoint {
            genesis_hash: self.genesis_hash,
            block_number: BlockNumber::new(number),
            block_hash: hash,
            keysets: self.keysets,
        }
    }
}

/// The starting point of a followed chain. It cannot be proven to the pallet.
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    Encode,
    Decode,
    DecodeWithMemTracking,
    TypeInfo,
    Serialize,
    Deserialize,
)]
pub struct InitializationData<Header> {
    /// A final block.
    pub header: Box<Header>,
    /// The chain's genesis hash.
    pub genesis_hash: H256,
    /// The signing set there and its successor; both are the same when no successor is named. In JSON the hexadecimal
    /// digits of its encoding.
    #[serde(with = "as_hex")]
    pub keysets: Keysets,
    /// Whether submissions are taken.
    pub operating_mode: BasicOperatingMode,
}

mod as_hex {
    use codec::{DecodeAll, Encode};
    use duet_primitives::Keysets;
    use serde::{de::Error, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        keysets: &Keysets,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        impl_serde::serialize::serialize(&keysets.encode(), serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Keysets, D::Error> {
        let bytes = impl_serde::serialize::deserialize(deserializer)?;
        Keysets::decode_all(&mut &*bytes).map_err(D::Error::custom)
    }
}
