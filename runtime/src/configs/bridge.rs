//! Which other chain is followed, and who pays for that.

use crate::{
    configs::system::{BlockLength, BlockWeights},
    constants::{MAX_VALIDATORS, SESSION_BLOCKS},
    AccountId, Balance, BlockNumber, Hash, Header, Nonce, Runtime, Signature, Timestamp,
};
use bp_runtime::{Chain, ChainId};
use frame_support::{dispatch::DispatchClass, parameter_types, traits::ConstU32, weights::Weight};
use pallet_bridge_duet::ChainWithDuet;
use sp_runtime::{traits::BlakeTwo256, StateVersion};

/// A chain with this runtime, or with one whose headers are the same.
///
/// Root says which one, by its genesis hash, when it initializes the pallet. Until then the pallet is halted.
pub struct SiblingChain;

impl Chain for SiblingChain {
    const ID: ChainId = *b"duet";
    const STATE_VERSION: StateVersion = StateVersion::V1;
    type BlockNumber = BlockNumber;
    type Hash = Hash;
    type Hasher = BlakeTwo256;
    type Header = Header;
    type AccountId = AccountId;
    type Balance = Balance;
    type Nonce = Nonce;
    type Signature = Signature;

    fn max_extrinsic_size() -> u32 {
        *BlockLength::get().max.get(DispatchClass::Normal)
    }

    fn max_extrinsic_weight() -> Weight {
        let normal = BlockWeights::get();
        let normal = normal.get(DispatchClass::Normal);
        normal.max_extrinsic.unwrap_or(Weight::MAX)
    }
}

impl ChainWithDuet for SiblingChain {
    const WITH_CHAIN_DUET_PALLET_NAME: &'static str = "BridgeDuet";
    /// The header with which a session starts names all validators twice: in 32 bytes each to Aura, in 40 to GRANDPA. All else
    /// in a header is much less than a kibibyte.
    const MAX_FREE_HEADER_SIZE: u32 = 1024 + MAX_VALIDATORS * (32 + 40);
}

parameter_types! {
    /// One header in a session of the other chain is free. Its sets change seldom, and messages need headers in between; this
    /// one takes about 5 ms of the 20 s that a session lasts. The free headers of a block have their own limit.
    pub const FreeHeadersInterval: Option<BlockNumber> = Some(SESSION_BLOCKS);
}

impl pallet_bridge_duet::Config for Runtime {
    type BridgedChain = SiblingChain;
    type MaxFreeHeadersPerBlock = ConstU32<4>;
    type FreeHeadersInterval = FreeHeadersInterval;
    type HeadersToKeep = ConstU32<1024>;
    type Time = Timestamp;
    type WeightInfo = pallet_bridge_duet::SubstrateWeight<Runtime>;
}
