//! The runtime APIs that nodes call, and the version that they see.

use crate::{
    configs::authoring::Author, genesis, lanes, AccountId, AuthorityDiscovery, Balance, Block,
    BridgeMessages, Executive, Grandpa, Historical, InherentDataExt, Nonce, Runtime, RuntimeCall,
    RuntimeGenesisConfig, SessionKeys, System, TransactionPayment,
};
use alloc::{borrow::Cow, vec::Vec};
use bp_messages::{
    InboundMessageDetails, LegacyLaneId, MessageNonce, MessagePayload, OutboundMessageDetails,
};
use codec::Encode;
use frame_support::genesis_builder_helper::{build_state, get_preset};
use pallet_transaction_payment::{FeeDetails, RuntimeDispatchInfo};
use sp_authority_discovery::AuthorityId as AuthorityDiscoveryId;
use sp_consensus_grandpa::{AuthorityId as GrandpaId, AuthorityList};
use sp_core::{crypto::KeyTypeId, OpaqueMetadata};
use sp_genesis_builder::PresetId;
use sp_inherents::{CheckInherentsResult, InherentData};
use sp_runtime::{
    traits::{Block as BlockT, NumberFor},
    transaction_validity::{TransactionSource, TransactionValidity},
    ApplyExtrinsicResult, ExtrinsicInclusionMode,
};
use sp_session::OpaqueGeneratedSessionKeys;
use sp_version::{runtime_version, RuntimeVersion};

/// Declares the version by its `spec_version`, which the SDK wants as a literal.
macro_rules! version {
    ($spec_version:tt) => {
        /// Name and version; `spec_version` grows with every change of behaviour.
        #[runtime_version]
        pub const VERSION: RuntimeVersion = RuntimeVersion {
            spec_name: Cow::Borrowed("duet"),
            impl_name: Cow::Borrowed("duet"),
            authoring_version: 1,
            spec_version: $spec_version,
            impl_version: 1,
            apis: RUNTIME_API_VERSIONS,
            transaction_version: 1,
            system_version: 1,
        };
    };
}

#[cfg(not(feature = "next-version"))]
version!(1);
// Always one more than the one above.
#[cfg(feature = "next-version")]
version!(2);

pallet_duet::impl_runtime_apis! { DuetApi, MmrApi for Runtime, Block;
    impl sp_api::Core<Block> for Runtime {
        fn version() -> RuntimeVersion {
            VERSION
        }

        fn execute_block(block: <Block as BlockT>::LazyBlock) {
            Executive::execute_block(block)
        }

        fn initialize_block(header: &<Block as BlockT>::Header) -> ExtrinsicInclusionMode {
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

    impl frame_support::view_functions::runtime_api::RuntimeViewFunction<Block> for Runtime {
        fn execute_view_function(
            id: frame_support::view_functions::ViewFunctionId,
            input: Vec<u8>,
        ) -> Result<Vec<u8>, frame_support::view_functions::ViewFunctionDispatchError> {
            Runtime::execute_view_function(id, input)
        }
    }

    impl sp_block_builder::BlockBuilder<Block> for Runtime {
        fn apply_extrinsic(extrinsic: <Block as BlockT>::Extrinsic) -> ApplyExtrinsicResult {
            Executive::apply_extrinsic(extrinsic)
        }

        fn finalize_block() -> <Block as BlockT>::Header {
            Executive::finalize_block()
        }

        fn inherent_extrinsics(data: InherentData) -> Vec<<Block as BlockT>::Extrinsic> {
            data.create_extrinsics()
        }

        fn check_inherents(
            block: <Block as BlockT>::LazyBlock,
            data: InherentData,
        ) -> CheckInherentsResult {
            data.check_extrinsics(&block)
        }
    }

    impl sp_transaction_pool::runtime_api::TaggedTransactionQueue<Block> for Runtime {
        fn validate_transaction(
            source: TransactionSource,
            tx: <Block as BlockT>::Extrinsic,
            block_hash: <Block as BlockT>::Hash,
        ) -> TransactionValidity {
            Executive::validate_transaction(source, tx, block_hash)
        }
    }

    impl sp_offchain::OffchainWorkerApi<Block> for Runtime {
        fn offchain_worker(header: &<Block as BlockT>::Header) {
            Executive::offchain_worker(header)
        }
    }

    impl sp_session::SessionKeys<Block> for Runtime {
        fn generate_session_keys(
            owner: Vec<u8>,
            seed: Option<Vec<u8>>,
        ) -> OpaqueGeneratedSessionKeys {
            SessionKeys::generate(&owner, seed).into()
        }

        fn decode_session_keys(encoded: Vec<u8>) -> Option<Vec<(Vec<u8>, KeyTypeId)>> {
            SessionKeys::decode_into_raw_public_keys(&encoded)
        }
    }

    #[cfg(not(feature = "babe"))]
    impl sp_consensus_aura::AuraApi<Block, sp_consensus_aura::sr25519::AuthorityId> for Runtime {
        fn slot_duration() -> sp_consensus_aura::SlotDuration {
            sp_consensus_aura::SlotDuration::from_millis(Author::slot_duration())
        }

        fn authorities() -> Vec<sp_consensus_aura::sr25519::AuthorityId> {
            pallet_aura::Authorities::<Runtime>::get().into_inner()
        }
    }

    #[cfg(feature = "babe")]
    impl sp_consensus_babe::BabeApi<Block> for Runtime {
        fn configuration() -> sp_consensus_babe::BabeConfiguration {
            let epoch = pallet_babe::EpochConfig::<Runtime>::get().unwrap_or_default();
            sp_consensus_babe::BabeConfiguration {
                slot_duration: Author::slot_duration(),
                epoch_length: crate::constants::SESSION_BLOCKS.into(),
                c: epoch.c,
                authorities: Author::authorities().to_vec(),
                randomness: Author::randomness(),
                allowed_slots: epoch.allowed_slots,
            }
        }

        fn current_epoch_start() -> sp_consensus_babe::Slot {
            Author::current_epoch_start()
        }

        fn current_epoch() -> sp_consensus_babe::Epoch {
            Author::current_epoch()
        }

        fn next_epoch() -> sp_consensus_babe::Epoch {
            Author::next_epoch()
        }

        fn generate_key_ownership_proof(
            _slot: sp_consensus_babe::Slot,
            authority_id: sp_consensus_babe::AuthorityId,
        ) -> Option<sp_consensus_babe::OpaqueKeyOwnershipProof> {
            use frame_support::traits::KeyOwnerProofSystem;

            Historical::prove((sp_consensus_babe::KEY_TYPE, authority_id))
                .map(|proof| sp_consensus_babe::OpaqueKeyOwnershipProof::new(proof.encode()))
        }

        fn submit_report_equivocation_unsigned_extrinsic(
            equivocation_proof: sp_consensus_babe::EquivocationProof<<Block as BlockT>::Header>,
            key_owner_proof: sp_consensus_babe::OpaqueKeyOwnershipProof,
        ) -> Option<()> {
            let key_owner_proof = key_owner_proof.decode()?;
            Author::submit_unsigned_equivocation_report(equivocation_proof, key_owner_proof)
        }
    }

    impl sp_consensus_grandpa::GrandpaApi<Block> for Runtime {
        fn grandpa_authorities() -> AuthorityList {
            Grandpa::grandpa_authorities()
        }

        fn current_set_id() -> sp_consensus_grandpa::SetId {
            pallet_grandpa::CurrentSetId::<Runtime>::get()
        }

        fn submit_report_equivocation_unsigned_extrinsic(
            equivocation_proof: sp_consensus_grandpa::EquivocationProof<
                <Block as BlockT>::Hash,
                NumberFor<Block>,
            >,
            key_owner_proof: sp_consensus_grandpa::OpaqueKeyOwnershipProof,
        ) -> Option<()> {
            let key_owner_proof = key_owner_proof.decode()?;
            Grandpa::submit_unsigned_equivocation_report(equivocation_proof, key_owner_proof)
        }

        fn generate_key_ownership_proof(
            _set_id: sp_consensus_grandpa::SetId,
            authority_id: GrandpaId,
        ) -> Option<sp_consensus_grandpa::OpaqueKeyOwnershipProof> {
            use frame_support::traits::KeyOwnerProofSystem;

            Historical::prove((sp_consensus_grandpa::KEY_TYPE, authority_id))
                .map(|proof| sp_consensus_grandpa::OpaqueKeyOwnershipProof::new(proof.encode()))
        }
    }

    impl sp_authority_discovery::AuthorityDiscoveryApi<Block> for Runtime {
        fn authorities() -> Vec<AuthorityDiscoveryId> {
            AuthorityDiscovery::authorities()
        }
    }

    impl frame_system_rpc_runtime_api::AccountNonceApi<Block, AccountId, Nonce> for Runtime {
        fn account_nonce(account: AccountId) -> Nonce {
            System::account_nonce(account)
        }
    }

    impl pallet_transaction_payment_rpc_runtime_api::TransactionPaymentApi<Block, Balance>
        for Runtime
    {
        fn query_info(
            uxt: <Block as BlockT>::Extrinsic,
            len: u32,
        ) -> RuntimeDispatchInfo<Balance> {
            TransactionPayment::query_info(uxt, len)
        }

        fn query_fee_details(uxt: <Block as BlockT>::Extrinsic, len: u32) -> FeeDetails<Balance> {
            TransactionPayment::query_fee_details(uxt, len)
        }

        fn query_weight_to_fee(weight: frame_support::weights::Weight) -> Balance {
            TransactionPayment::weight_to_fee(weight)
        }

        fn query_length_to_fee(length: u32) -> Balance {
            TransactionPayment::length_to_fee(length)
        }
    }

    impl pallet_transaction_payment_rpc_runtime_api::TransactionPaymentCallApi<
        Block,
        Balance,
        RuntimeCall,
    > for Runtime {
        fn query_call_info(call: RuntimeCall, len: u32) -> RuntimeDispatchInfo<Balance> {
            TransactionPayment::query_call_info(call, len)
        }

        fn query_call_fee_details(call: RuntimeCall, len: u32) -> FeeDetails<Balance> {
            TransactionPayment::query_call_fee_details(call, len)
        }

        fn query_weight_to_fee(weight: frame_support::weights::Weight) -> Balance {
            TransactionPayment::weight_to_fee(weight)
        }

        fn query_length_to_fee(length: u32) -> Balance {
            TransactionPayment::length_to_fee(length)
        }
    }

    impl lanes::ToDuetOutboundLaneApi<Block> for Runtime {
        fn message_details(
            lane: LegacyLaneId,
            begin: MessageNonce,
            end: MessageNonce,
        ) -> Vec<OutboundMessageDetails> {
            lanes::outbound_details(lane, begin, end)
        }
    }

    impl lanes::FromDuetInboundLaneApi<Block> for Runtime {
        fn message_details(
            lane: LegacyLaneId,
            messages: Vec<(MessagePayload, OutboundMessageDetails)>,
        ) -> Vec<InboundMessageDetails> {
            let details = |(payload, details)| {
                BridgeMessages::inbound_message_data(lane, payload, details)
            };
            messages.into_iter().map(details).collect()
        }
    }

    impl sp_genesis_builder::GenesisBuilder<Block> for Runtime {
        fn build_state(json: Vec<u8>) -> sp_genesis_builder::Result {
            build_state::<RuntimeGenesisConfig>(json)
        }

        fn get_preset(id: &Option<PresetId>) -> Option<Vec<u8>> {
            get_preset::<RuntimeGenesisConfig>(id, genesis::preset)
        }

        fn preset_names() -> Vec<PresetId> {
            genesis::preset_names()
        }
    }

    #[cfg(feature = "runtime-benchmarks")]
    impl frame_benchmarking::Benchmark<Block> for Runtime {
        fn benchmark_metadata(
            extra: bool,
        ) -> (Vec<frame_benchmarking::BenchmarkList>, Vec<frame_support::traits::StorageInfo>) {
            crate::benchmarking::metadata(extra)
        }

        fn dispatch_benchmark(
            config: frame_benchmarking::BenchmarkConfig,
        ) -> Result<Vec<frame_benchmarking::BenchmarkBatch>, alloc::string::String> {
            crate::benchmarking::dispatch(config)
        }
    }

    #[cfg(feature = "try-runtime")]
    impl frame_try_runtime::TryRuntime<Block> for Runtime {
        fn on_runtime_upgrade(
            checks: frame_try_runtime::UpgradeCheckSelect,
        ) -> (frame_support::weights::Weight, frame_support::weights::Weight) {
            let weight = Executive::try_runtime_upgrade(checks)
                .expect("a failed check ends the tool that asked for it");
            (weight, <Runtime as frame_system::Config>::BlockWeights::get().max_block)
        }

        fn execute_block(
            block: <Block as BlockT>::LazyBlock,
            state_root_check: bool,
            signature_check: bool,
            select: frame_try_runtime::TryStateSelect,
        ) -> frame_support::weights::Weight {
            Executive::try_execute_block(block, state_root_check, signature_check, select)
                .expect("a failed check ends the tool that asked for it")
        }
    }
}
