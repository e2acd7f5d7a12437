//! The running node.

use crate::{
    client::{FullBackend, FullClient, Pool, SelectChain},
    rpc,
};
use sc_client_api::Backend as _;
use sc_consensus_aura::{ImportQueueParams, SlotProportion, StartAuraParams};
use sc_consensus_grandpa::{
    warp_proof::NetworkProvider, GrandpaParams, SharedVoterState, VotingRulesBuilder,
};
use sc_network::{config::FullNetworkConfiguration, NetworkBackend};
use sc_offchain::{OffchainWorkerOptions, OffchainWorkers};
use sc_service::{
    BuildNetworkParams, Configuration, Error, SpawnTasksParams, TaskManager, WarpSyncConfig,
};
use sc_telemetry::{Telemetry, TelemetryWorker};
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use solochain_runtime::{Hash, OpaqueBlock, RuntimeApi};
use sp_consensus_aura::{inherents::InherentDataProvider as Slot, sr25519::AuthorityPair};
use sp_timestamp::InherentDataProvider as Timestamp;
use std::{sync::Arc, time::Duration};

/// GRANDPA makes a justification at least every so many blocks.
const JUSTIFICATION_PERIOD: u32 = 512;

/// Starts a node on one of the SDK's network back ends.
pub(crate) fn start<Net: NetworkBackend<OpaqueBlock, Hash>>(
    #[cfg_attr(not(feature = "duet"), allow(unused_mut))] mut config: Configuration,
) -> Result<TaskManager, Error> {
    #[cfg(feature = "duet")]
    let duet_keys = duet_finality::prepare(&mut config)?;
    let telemetry = config
        .telemetry_endpoints
        .clone()
        .filter(|endpoints| !endpoints.is_empty())
        .map(|endpoints| -> Result<_, sc_telemetry::Error> {
            let worker = TelemetryWorker::new(16)?;
            let telemetry = worker.handle().new_telemetry(endpoints);
            Ok((worker, telemetry))
        })
        .transpose()?;
    let (client, backend, keystore_container, mut task_manager) =
        sc_service::new_full_parts::<OpaqueBlock, RuntimeApi, _>(
            &config,
            telemetry.as_ref().map(|(_, telemetry)| telemetry.handle()),
            sc_service::new_wasm_executor(&config.executor),
            Vec::new(),
        )?;
    let client: Arc<FullClient> = Arc::new(client);
    let mut telemetry = telemetry.map(|(worker, telemetry)| {
        let handle = task_manager.spawn_handle();
        handle.spawn("telemetry", None, worker.run());
        telemetry
    });
    let select_chain = SelectChain::new(backend.clone());
    let pool = sc_transaction_pool::Builder::new(
        task_manager.spawn_essential_handle(),
        client.clone(),
        config.role.is_authority().into(),
    )
    .with_options(config.transaction_pool.clone())
    .with_prometheus(config.prometheus_registry())
    .build();
    let pool: Arc<Pool> = Arc::new(pool);
    let (grandpa_import, grandpa_link) = sc_consensus_grandpa::block_import(
        client.clone(),
        JUSTIFICATION_PERIOD,
        &client,
        select_chain.clone(),
        telemetry.as_ref().map(Telemetry::handle),
    )?;
    #[cfg(not(feature = "duet"))]
    let block_import = grandpa_import.clone();
    #[cfg(feature = "duet")]
    let (block_import, duet) =
        duet_finality::Setup::new(&config, &grandpa_import, &grandpa_link, &client, &backend);
    let slot_duration = sc_consensus_aura::slot_duration(&*client)?;
    let inherents = move |_, ()| async move {
        let timestamp = Timestamp::from_system_time();
        Ok((
            Slot::from_timestamp_and_slot_duration(*timestamp, slot_duration),
            timestamp,
        ))
    };
    let import_queue =
        sc_consensus_aura::import_queue::<AuthorityPair, _, _, _, _, _>(ImportQueueParams {
            block_import: block_import.clone(),
            justification_import: Some(Box::new(grandpa_import)),
            client: client.clone(),
            create_inherent_data_providers: inherents,
            spawner: &task_manager.spawn_essential_handle(),
            registry: config.prometheus_registry(),
            check_for_equivocation: Default::default(),
            telemetry: telemetry.as_ref().map(Telemetry::handle),
            compatibility_mode: Default::default(),
        })?;

    let genesis_hash = client.chain_info().genesis_hash;
    let registry = config.prometheus_registry().cloned();
    let metrics = Net::register_notification_metrics(config.prometheus_registry());
    let mut net_config =
        FullNetworkConfiguration::<OpaqueBlock, Hash, Net>::new(&config.network, registry.clone());
    let peers = net_config.peer_store_handle();
    let grandpa_protocol =
        sc_consensus_grandpa::protocol_standard_name(&genesis_hash, &config.chain_spec);
    let (grandpa_config, grandpa_notifications) =
        sc_consensus_grandpa::grandpa_peers_set_config::<_, Net>(
            grandpa_protocol.clone(),
            metrics.clone(),
            peers,
        );
    net_config.add_notification_protocol(grandpa_config);
    #[cfg(feature = "duet")]
    let duet = duet.register(
        &mut net_config,
        metrics.clone(),
        duet_keys,
        Default::default(),
    );
    #[cfg(feature = "duet")]
    let with_duet = duet.rpc();
    let warp_sync = NetworkProvider::<_, FullBackend>::new(
        backend.clone(),
        grandpa_link.shared_authority_set().clone(),
        Vec::new(),
    );
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
            warp_sync_config: Some(WarpSyncConfig::WithProvider(Arc::new(warp_sync))),
            block_relay: None,
            metrics,
            gap_sync_body_policy: None,
        })?;

    let role = config.role;
    let name = config.network.node_name.clone();
    let force_authoring = config.force_authoring;
    let offchain_workers = config.offchain_worker.enabled;
    let parts = rpc::Parts {
        client: client.clone(),
        pool: pool.clone(),
    };
    sc_service::spawn_tasks(SpawnTasksParams {
        config,
        client: client.clone(),
        backend: backend.clone(),
        task_manager: &mut task_manager,
        keystore: keystore_container.keystore(),
        transaction_pool: pool.clone(),
        rpc_builder: Box::new(move |_executor| {
            let module = rpc::module(&parts);
            let module = module.map_err(|error| Error::Application(Box::new(error)));
            #[cfg(feature = "duet")]
            let module = module.and_then(|module| with_duet(module, _executor));
            module
        }),
        network: network.clone(),
        system_rpc_tx,
        tx_handler_controller,
        sync_service: sync.clone(),
        telemetry: telemetry.as_mut(),
        tracing_execute_block: None,
    })?;
    if offchain_workers {
        let workers = OffchainWorkers::new(OffchainWorkerOptions {
            runtime_api_provider: client.clone(),
            keystore: Some(keystore_container.keystore()),
            offchain_db: backend.offchain_storage(),
            transaction_pool: Some(OffchainTransactionPoolFactory::new(pool.clone())),
            network_provider: Arc::new(network.clone()),
            is_validator: role.is_authority(),
            enable_http_requests: true,
            custom_extensions: |_| Vec::new(),
        })?;
        let run = workers.run(client.clone(), task_manager.spawn_handle());
        let handle = task_manager.spawn_handle();
        handle.spawn("offchain-workers-runner", Some("offchain-worker"), run);
    }

    #[cfg(feature = "duet")]
    duet.start(&task_manager, &network, &sync, &pool, telemetry.as_ref());
    let essential = task_manager.spawn_essential_handle();
    if role.is_authority() {
        let proposer_factory = sc_basic_authorship::ProposerFactory::new(
            task_manager.spawn_handle(),
            client.clone(),
            pool.clone(),
            registry.as_ref(),
            telemetry.as_ref().map(Telemetry::handle),
        );
        let aura = sc_consensus_aura::start_aura::<AuthorityPair, _, _, _, _, _, _, _, _, _, _>(
            StartAuraParams {
                slot_duration,
                client,
                select_chain,
                block_import,
                proposer_factory,
                create_inherent_data_providers: inherents,
                force_authoring,
                backoff_authoring_blocks: None::<()>,
                keystore: keystore_container.keystore(),
                sync_oracle: sync.clone(),
                justification_sync_link: sync.clone(),
                block_proposal_slot_portion: SlotProportion::new(2.0 / 3.0),
                max_block_proposal_slot_portion: None,
                telemetry: telemetry.as_ref().map(Telemetry::handle),
                compatibility_mode: Default::default(),
            },
        )?;
        essential.spawn_blocking("aura", Some("block-authoring"), aura);
    }
    let grandpa = sc_consensus_grandpa::run_grandpa_voter(GrandpaParams {
        config: sc_consensus_grandpa::Config {
            gossip_duration: Duration::from_millis(333),
            justification_generation_period: JUSTIFICATION_PERIOD,
            name: Some(name),
            observer_enabled: false,
            keystore: role.is_authority().then(|| keystore_container.keystore()),
            local_role: role,
            telemetry: telemetry.as_ref().map(Telemetry::handle),
            protocol_name: grandpa_protocol,
        },
        link: grandpa_link,
        network,
        sync,
        notification_service: grandpa_notifications,
        voting_rule: VotingRulesBuilder::default().build(),
        prometheus_registry: registry,
        shared_voter_state: SharedVoterState::empty(),
        telemetry: telemetry.as_ref().map(Telemetry::handle),
        offchain_tx_pool_factory: OffchainTransactionPoolFactory::new(pool),
    })?;
    essential.spawn_blocking("grandpa-voter", Some("finality"), grandpa);
    Ok(task_manager)
}
