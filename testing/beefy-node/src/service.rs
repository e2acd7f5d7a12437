//! The node: a client over this project's runtime, the SDK's network, and the gadget.

use crate::{blocks, client::HostFunctions};
use codec::Encode;
use duet_beefy_node::voters;
use duet_runtime::{types::opaque::Block, Hash, Header, RuntimeApi};
use futures::FutureExt;
use jsonrpsee::RpcModule;
use sc_consensus::{BasicQueue, BlockImportParams, Verifier};
use sc_consensus_beefy::{
    beefy_block_import_and_links,
    communication::{beefy_peers_set_config, request_response::BeefyJustifsRequestHandler},
    gossip_protocol_name, justifs_protocol_name, start_beefy_gadget, BeefyNetworkParams,
    BeefyParams,
};
use sc_network::{config::FullNetworkConfiguration, NetworkBackend};
use sc_service::{BuildNetworkParams, Configuration, Error, SpawnTasksParams, TaskManager};
use sp_api::{ApiRef, ProvideRuntimeApi};
use sp_blockchain::HeaderBackend;
use sp_consensus_beefy::{
    ecdsa_crypto::{AuthorityId, Signature},
    known_payloads, BeefyApi, DoubleVotingProof, OpaqueKeyOwnershipProof, Payload, PayloadProvider,
    ValidatorSet, ValidatorSetId, KEY_TYPE,
};
use sp_keystore::{testing::MemoryKeystore, Keystore};
use std::{marker::PhantomData, sync::Arc, time::Duration};

/// The gadget's first block, which it finalizes before any other.
const GENESIS: u32 = 1;

/// What this node is told besides the SDK's flags.
pub(crate) struct Options {
    /// How many validators vote.
    pub(crate) voters: u32,
    /// Time between blocks.
    pub(crate) block_time: Duration,
}

/// Starts the node.
pub(crate) fn start<Net: NetworkBackend<Block, Hash>>(
    config: Configuration,
    options: Options,
) -> Result<TaskManager, Error> {
    let (client, backend, keystore, mut task_manager) =
        sc_service::new_full_parts::<Block, RuntimeApi, _>(
            &config,
            None,
            sc_service::new_wasm_executor::<HostFunctions>(&config.executor),
            Vec::new(),
        )?;
    let client = Arc::new(client);
    let pool = sc_transaction_pool::Builder::new(
        task_manager.spawn_essential_handle(),
        client.clone(),
        config.role.is_authority().into(),
    )
    .with_options(config.transaction_pool.clone())
    .build();
    let pool = Arc::new(pool);
    let registry = config.prometheus_registry().cloned();

    let runtime = Arc::new(Validators(voters::set(options.voters)));
    let (_, links, _) = beefy_block_import_and_links::<_, _, _, _, AuthorityId>(
        client.clone(),
        backend.clone(),
        runtime.clone(),
        registry.clone(),
    );

    let genesis_hash = client.info().genesis_hash;
    let metrics = Net::register_notification_metrics(registry.as_ref());
    let mut net_config =
        FullNetworkConfiguration::<Block, Hash, Net>::new(&config.network, registry.clone());
    let gossip_name = gossip_protocol_name(genesis_hash, None);
    let (protocol, notification_service) = beefy_peers_set_config::<_, Net>(
        gossip_name.clone(),
        metrics.clone(),
        net_config.peer_store_handle(),
    );
    net_config.add_notification_protocol(protocol);
    let (requests, protocol) = BeefyJustifsRequestHandler::new::<_, Net>(
        genesis_hash,
        None,
        client.clone(),
        registry.clone(),
    );
    net_config.add_request_response_protocol(protocol);

    let import_queue = BasicQueue::new(
        NoOthers,
        Box::new(client.clone()),
        None,
        &task_manager.spawn_essential_handle(),
        None,
    );
    let is_authority = config.role.is_authority();
    let (network, system_rpc_tx, tx_handler_controller, sync, _bitswap) =
        sc_service::build_network(BuildNetworkParams {
            config: &config,
            net_config,
            client: client.clone(),
            transaction_pool: pool.clone(),
            spawn_handle: task_manager.spawn_handle(),
            spawn_essential_handle: task_manager.spawn_essential_handle(),
            import_queue,
            block_announce_validator_builder: None,
            warp_sync_config: None,
            block_relay: None,
            metrics,
            gap_sync_body_policy: None,
        })?;
    sc_service::spawn_tasks(SpawnTasksParams {
        config,
        client: client.clone(),
        backend: backend.clone(),
        task_manager: &mut task_manager,
        keystore: keystore.keystore(),
        transaction_pool: pool,
        rpc_builder: Box::new(|_| Ok(RpcModule::new(()))),
        network: network.clone(),
        system_rpc_tx,
        tx_handler_controller,
        sync_service: sync.clone(),
        telemetry: None,
        tracing_execute_block: None,
    })?;

    let gadget = start_beefy_gadget(BeefyParams {
        client: client.clone(),
        backend,
        payload_provider: BlockHash,
        runtime,
        key_store: Some(key_of_the_first()),
        network_params: BeefyNetworkParams {
            network: Arc::new(network),
            sync,
            notification_service,
            gossip_protocol_name: gossip_name,
            justifications_protocol_name: justifs_protocol_name(genesis_hash, None),
            _phantom: PhantomData,
        },
        min_block_delta: 1,
        prometheus_registry: registry,
        links,
        on_demand_justifications_handler: requests,
        is_authority,
    });
    let spawner = task_manager.spawn_essential_handle();
    spawner.spawn_blocking("beefy-gadget", None, gadget);
    spawner.spawn_blocking(
        "blocks",
        None,
        blocks::make(client, options.block_time).boxed(),
    );
    Ok(task_manager)
}

/// The key of validator 0.
fn key_of_the_first() -> sp_keystore::KeystorePtr {
    let keystore = MemoryKeystore::new();
    let suri = format!("0x{}", hex::encode(voters::seed(0)));
    keystore
        .ecdsa_generate_new(KEY_TYPE, Some(&suri))
        .unwrap_or_else(|error| panic!("a seed of 32 bytes gives a key: {error}"));
    keystore.into()
}

/// What the gadget signs about a block: 32 bytes, as the root of a Merkle mountain range would be.
#[derive(Clone)]
struct BlockHash;

impl PayloadProvider<Block> for BlockHash {
    fn payload(&self, header: &Header) -> Option<Payload> {
        Some(Payload::from_single_entry(
            known_payloads::MMR_ROOT_ID,
            header.hash().encode(),
        ))
    }
}

/// Refuses blocks of others: there are none.
struct NoOthers;

#[async_trait::async_trait]
impl Verifier<Block> for NoOthers {
    async fn verify(
        &self,
        _: BlockImportParams<Block>,
    ) -> Result<BlockImportParams<Block>, String> {
        Err("this node makes its own blocks".into())
    }
}

/// The runtime as far as the gadget asks it: the validators, which never change.
struct Validators(ValidatorSet<AuthorityId>);

impl ProvideRuntimeApi<Block> for Validators {
    type Api = Answers;

    fn runtime_api(&self) -> ApiRef<'_, Answers> {
        Answers {
            validators: self.0.clone(),
        }
        .into()
    }
}

struct Answers {
    validators: ValidatorSet<AuthorityId>,
}

sp_api::mock_impl_runtime_apis! {
    impl BeefyApi<Block, AuthorityId> for Answers {
        fn beefy_genesis() -> Option<u32> {
            Some(GENESIS)
        }

        fn validator_set() -> Option<ValidatorSet<AuthorityId>> {
            Some(self.validators.clone())
        }

        fn submit_report_double_voting_unsigned_extrinsic(
            _: DoubleVotingProof<u32, AuthorityId, Signature>,
            _: OpaqueKeyOwnershipProof,
        ) -> Option<()> {
            None
        }

        fn generate_key_ownership_proof(
            _: ValidatorSetId,
            _: AuthorityId,
        ) -> Option<OpaqueKeyOwnershipProof> {
            None
        }
    }
}
