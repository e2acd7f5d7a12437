//! A runtime in which this bridge pallet and the SDK's GRANDPA bridge pallet are measured side by side. No chain runs it.
//!
//! Its benchmarks give the weights of `pallet-bridge-duet`; the example `compare` measures both pallets.

#![cfg_attr(not(feature = "std"), no_std)]
#![allow(missing_docs)] // For what the SDK's macros generate.

extern crate alloc;

use alloc::{borrow::Cow, vec::Vec};
use bp_header_chain::ChainWithGrandpa;
use bp_runtime::{Chain, ChainId};
use codec::Decode;
use core::time::Duration;
use frame_support::{
    construct_runtime, derive_impl,
    genesis_builder_helper::{build_state, get_preset},
    parameter_types,
    traits::{ConstU32, UnixTime},
    weights::{constants::ParityDbWeight, Weight},
};
use pallet_bridge_duet::ChainWithDuet;
use sp_core::{OpaqueMetadata, H256};
use sp_genesis_builder::PresetId;
use sp_runtime::{
    generic,
    traits::{BlakeTwo256, Block as BlockT, Dispatchable, IdentityLookup},
    ExtrinsicInclusionMode, MultiSignature, StateVersion,
};
use sp_version::{runtime_version, RuntimeVersion};

/// An account.
pub type AccountId = sp_runtime::AccountId32;
/// A header of this chain, and of the followed one.
pub type Header = generic::Header<u32, BlakeTwo256>;
type UncheckedExtrinsic = generic::UncheckedExtrinsic<AccountId, RuntimeCall, MultiSignature, ()>;
type Block = generic::Block<Header, UncheckedExtrinsic>;
type Executive = frame_executive::Executive<
    Runtime,
    Block,
    frame_system::ChainContext<Runtime>,
    Runtime,
    AllPalletsWithSystem,
>;

construct_runtime!(
    pub enum Runtime {
        System: frame_system,
        BridgeDuet: pallet_bridge_duet,
        BridgeGrandpa: pallet_bridge_grandpa,
    }
);

#[derive_impl(frame_system::config_preludes::SolochainDefaultConfig)]
impl frame_system::Config for Runtime {
    type Block = Block;
    type AccountId = AccountId;
    type Lookup = IdentityLookup<AccountId>;
    type Hash = H256;
    type Nonce = u32;
    type DbWeight = ParityDbWeight;
    type BlockHashCount = ConstU32<2400>;
    type MaxConsumers = ConstU32<16>;
}

parameter_types! {
    pub const FreeHeadersInterval: Option<u32> = None;
}

impl pallet_bridge_duet::Config for Runtime {
    type BridgedChain = BridgedChain;
    type MaxFreeHeadersPerBlock = ConstU32<4>;
    type FreeHeadersInterval = FreeHeadersInterval;
    type HeadersToKeep = ConstU32<1024>;
    type Time = Beginning;
    type WeightInfo = pallet_bridge_duet::SubstrateWeight<Runtime>;
}

/// The time stands still: a benchmark takes none.
pub struct Beginning;

impl UnixTime for Beginning {
    fn now() -> Duration {
        Duration::from_secs(1)
    }
}

impl pallet_bridge_grandpa::Config for Runtime {
    type RuntimeEvent = RuntimeEvent;
    type BridgedChain = BridgedChain;
    type MaxFreeHeadersPerBlock = ConstU32<4>;
    type FreeHeadersInterval = FreeHeadersInterval;
    type HeadersToKeep = ConstU32<1024>;
    type WeightInfo = pallet_bridge_grandpa::weights::BridgeWeight<Runtime>;
}

/// A chain that both GRANDPA and Duet finalize.
pub struct BridgedChain;

impl Chain for BridgedChain {
    const ID: ChainId = *b"duet";
    const STATE_VERSION: StateVersion = StateVersion::V1;
    type BlockNumber = u32;
    type Hash = H256;
    type Hasher = BlakeTwo256;
    type Header = Header;
    type AccountId = AccountId;
    type Balance = u128;
    type Nonce = u32;
    type Signature = MultiSignature;

    fn max_extrinsic_size() -> u32 {
        u32::MAX
    }
    fn max_extrinsic_weight() -> Weight {
        Weight::MAX
    }
}

impl ChainWithDuet for BridgedChain {
    const WITH_CHAIN_DUET_PALLET_NAME: &'static str = "BridgeDuet";
    const MAX_FREE_HEADER_SIZE: u32 = 4096;
}

impl ChainWithGrandpa for BridgedChain {
    const WITH_CHAIN_GRANDPA_PALLET_NAME: &'static str = "BridgeGrandpa";
    const MAX_AUTHORITIES_COUNT: u32 = 1000;
    const REASONABLE_HEADERS_IN_JUSTIFICATION_ANCESTRY: u32 = 8;
    // Of 1 000 authorities, 40 bytes each.
    const MAX_MANDATORY_HEADER_SIZE: u32 = 48_000;
    const AVERAGE_HEADER_SIZE: u32 = 1024;
}

#[cfg(feature = "runtime-benchmarks")]
frame_benchmarking::define_benchmarks!(
    [pallet_bridge_duet, BridgeDuet]
    [pallet_bridge_grandpa, BridgeGrandpa]
);

#[runtime_version]
pub const VERSION: RuntimeVersion = RuntimeVersion {
    spec_name: Cow::Borrowed("duet-bridge-weights"),
    impl_name: Cow::Borrowed("duet-bridge-weights"),
    authoring_version: 1,
    spec_version: 1,
    impl_version: 1,
    apis: RUNTIME_API_VERSIONS,
    transaction_version: 1,
    system_version: 1,
};

pub mod compare {
    use alloc::vec::Vec;

    sp_api::decl_runtime_apis! {
        /// For the comparison.
        pub trait Compare {
            /// Decodes a call and dispatches it, by an account; says whether it succeeded.
            fn dispatch(call: Vec<u8>) -> bool;
        }
    }
}

sp_api::impl_runtime_apis! {
    impl compare::Compare<Block> for Runtime {
        fn dispatch(call: Vec<u8>) -> bool {
            let origin = RuntimeOrigin::signed(AccountId::new([1; 32]));
            RuntimeCall::decode(&mut &*call).is_ok_and(|call| call.dispatch(origin).is_ok())
        }
    }

    impl sp_api::Core<Block> for Runtime {
        fn version() -> RuntimeVersion {
            VERSION
        }
        fn execute_block(block: <Block as BlockT>::LazyBlock) {
            Executive::execute_block(block);
        }
        fn initialize_block(header: &Header) -> ExtrinsicInclusionMode {
            Executive::initialize_block(header)
        }
    }

    impl sp_api::Metadata<Block> for Runtime {
        fn metadata() -> OpaqueMetadata {
            OpaqueMetadata::new(Runtime::metadata().into())
        }
        fn metadata_at_version(version: u32) -> Option<OpaqueMetadata> {
            Runtime::metadata_at_version(version)
        }
        fn metadata_versions() -> Vec<u32> {
            Runtime::metadata_versions()
        }
    }

    impl sp_genesis_builder::GenesisBuilder<Block> for Runtime {
        fn build_state(json: Vec<u8>) -> sp_genesis_builder::Result {
            build_state::<RuntimeGenesisConfig>(json)
        }
        fn get_preset(id: &Option<PresetId>) -> Option<Vec<u8>> {
            let any = |_: &PresetId| Some(b"{}".to_vec());
            get_preset::<RuntimeGenesisConfig>(id, any)
        }
        fn preset_names() -> Vec<PresetId> {
            Vec::from([PresetId::from(sp_genesis_builder::DEV_RUNTIME_PRESET)])
        }
    }

    #[cfg(feature = "runtime-benchmarks")]
    impl frame_benchmarking::Benchmark<Block> for Runtime {
        fn benchmark_metadata(
            extra: bool,
        ) -> (Vec<frame_benchmarking::BenchmarkList>, Vec<frame_support::traits::StorageInfo>) {
            use frame_support::traits::StorageInfoTrait as _;

            let mut list = Vec::new();
            list_benchmarks!(list, extra);
            (list, AllPalletsWithSystem::storage_info())
        }
        fn dispatch_benchmark(
            config: frame_benchmarking::BenchmarkConfig,
        ) -> Result<Vec<frame_benchmarking::BenchmarkBatch>, alloc::string::String> {
            use frame_support::traits::WhitelistedStorageKeys as _;

            let whitelist = AllPalletsWithSystem::whitelisted_storage_keys();
            let mut batches = Vec::new();
            let params = (&config, &whitelist);
            add_benchmarks!(params, batches);
            Ok(batches)
        }
    }
}
