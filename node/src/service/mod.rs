//! The running node. Each builder below makes the parts of one concern; this file puts them in order.
//!
//! - [`client`]: database, runtime, transaction pool, keystores;
//! - [`finality`]: GRANDPA and Duet, in block import and in voting;
//! - [`authoring`]: Aura, or BABE with the feature `babe`, for checking and for making blocks;
//! - [`network`]: the peer-to-peer network with the protocols of all of these;
//! - [`rpc`]: the node's RPC methods;
//! - [`discovery`]: the addresses of validators' nodes;
//! - [`health`]: the endpoint for load balancers;
//! - [`signer`]: the holder of the Duet keys;
//! - [`settings`]: the parts' share of the configuration;
//! - `statistics`: the validators' reports about their own nodes, with the feature of that name;
//! - `telemetry`: encrypted readings for a collector, with the feature `encrypted-telemetry`.

#[cfg(not(feature = "babe"))]
#[path = "aura.rs"]
mod authoring;
#[cfg(feature = "babe")]
#[path = "babe.rs"]
mod authoring;
mod client;
mod discovery;
mod finality;
mod health;
mod network;
mod rpc;
mod settings;
mod signer;
#[cfg(feature = "statistics")]
mod statistics;
#[cfg(feature = "encrypted-telemetry")]
mod telemetry;

use crate::flags::{DuetSigner, HealthEndpoint};
use discovery::Discovery;
use duet_finality::{Interest, Options};
use duet_primitives::BlockNumber;
use duet_runtime::{types::opaque::Block, Hash};
use sc_client_api::Backend as _;
use sc_network::NetworkBackend;
use sc_offchain::{OffchainWorkerOptions, OffchainWorkers};
use sc_service::{BuildNetworkParams, Configuration, Error, SpawnTasksParams, TaskManager};
use sc_telemetry::Telemetry;
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use authoring::Authoring;
pub(crate) use client::{Chain, FullBackend, FullClient, ImportQueue};
use network::Network;
use settings::Settings;
#[cfg(feature = "statistics")]
use statistics::Statistics;
#[cfg(feature = "encrypted-telemetry")]
use telemetry::Readings;

/// A node's parts, built but not started.
pub(crate) struct Parts {
    pub(crate) chain: Chain,
    pub(crate) finality: finality::Import,
    pub(crate) authoring: Authoring,
    pub(crate) import_queue: ImportQueue,
    pub(crate) task_manager: TaskManager,
    pub(crate) telemetry: Option<Telemetry>,
}

/// Builds the parts that the node and the tools over its database share.
pub(crate) fn parts(
    config: &mut Configuration,
    runtime_cache: Option<&Path>,
) -> Result<Parts, Error> {
    // The leaves of the Merkle mountain range are indexed while blocks are imported: proofs of old blocks
    // need every one of them.
    config.offchain_worker.indexing_enabled = true;
    let client::Built {
        chain,
        mut task_manager,
        telemetry,
    } = client::build(config, runtime_cache)?;
    let handle = telemetry.as_ref().map(Telemetry::handle);
    let finality = finality::import(config, &chain, handle.clone())?;
    let (authoring, import_queue) =
        authoring::import(config, &chain, &finality, &mut task_manager, handle)?;
    Ok(Parts {
        chain,
        finality,
        authoring,
        import_queue,
        task_manager,
        telemetry,
    })
}

/// Duet's own command line options.
pub(crate) struct DuetOptions {
    /// The gossip that the node subscribes to.
    pub(crate) interest: Interest,
    /// Blocks at which the operator acknowledges a contradiction.
    pub(crate) acknowledged: Vec<u32>,
    /// The address of the health endpoint.
    pub(crate) health: HealthEndpoint,
    /// The remote signer, if the Duet keys are not on this node.
    pub(crate) signer: DuetSigner,
    /// The cache directory of compiled runtimes, if there is one.
    pub(crate) runtime_cache: Option<PathBuf>,
    /// Whether the node collects statistics of nodes, and signs its own as a validator.
    #[cfg(feature = "statistics")]
    pub(crate) statistics: bool,
    /// The collector of encrypted readings.
    #[cfg(feature = "encrypted-telemetry")]
    pub(crate) encrypted_telemetry: crate::flags::EncryptedTelemetry,
}

/// Starts a node on one of the SDK's network back ends.
pub(crate) fn start<Net: NetworkBackend<Block, Hash>>(
    mut config: Configuration,
    options: DuetOptions,
) -> Result<TaskManager, Error> {
    let DuetOptions {
        interest,
        acknowledged,
        health,
        signer,
        runtime_cache,
        #[cfg(feature = "statistics")]
        statistics,
        #[cfg(feature = "encrypted-telemetry")]
        encrypted_telemetry,
    } = options;
    let health = health::bind(health)?;
    // Before anything else: an unreadable key file must stop a validator before it comes up, and the directory of the
    // secrets must be created here for its owner only.
    let signer = signer::open(&config, &signer)?;
    let Parts {
        chain,
        finality,
        authoring,
        import_queue,
        mut task_manager,
        mut telemetry,
    } = parts(&mut config, runtime_cache.as_deref())?;
    let finality::Import {
        links,
        duet,
        #[cfg(feature = "meter")]
        meter,
        ..
    } = finality;
    #[cfg(feature = "encrypted-telemetry")]
    let readings = Readings::new(&config, encrypted_telemetry, meter.clone())?;
    let (mut prepared, protocols) = network::prepare::<Net>(&config, &chain, &links.grandpa);
    let duet = duet.register(
        &mut prepared.net_config,
        prepared.metrics.clone(),
        signer.clone(),
        Options {
            interest,
            acknowledged: acknowledged.into_iter().map(BlockNumber::new).collect(),
            ..Options::default()
        },
    );
    let discovery = Discovery::new(&config);
    let settings = Settings::new(&config, telemetry.as_ref().map(Telemetry::handle));
    #[cfg_attr(not(feature = "statistics"), allow(unused_mut))]
    let mut rpc = rpc::builder(&chain, &links, &duet);
    #[cfg(feature = "statistics")]
    let statistics = if statistics {
        let statistics = Statistics::new(&config, &chain, &signer, meter)?;
        rpc = rpc::with_statistics(rpc, statistics.collected.clone());
        let protocol = statistics::register(&config, &chain, &mut prepared);
        Some((statistics, protocol))
    } else {
        None
    };
    let sdk = Sdk {
        config,
        prepared,
        import_queue,
        rpc,
        telemetry: telemetry.as_mut(),
    };
    let network = start_sdk(sdk, &chain, &mut task_manager)?;

    if settings.offchain_workers {
        start_offchain_workers(&settings, &chain, &network, &task_manager)?;
    }
    discovery.start(&chain, &network, &task_manager);
    if let Some(health) = health {
        health.start(duet.links(), &network, &task_manager);
    }
    #[cfg(feature = "statistics")]
    if let Some((statistics, protocol)) = statistics {
        statistics.start(protocol, &settings, &chain, &network, &task_manager);
    }
    #[cfg(feature = "encrypted-telemetry")]
    if let Some(readings) = readings {
        readings.start(&chain, &network, &task_manager);
    }
    if settings.is_authority {
        authoring.start(&settings, &chain, network.sync.clone(), &task_manager)?;
    }
    duet.start(
        &task_manager,
        &network.service,
        &network.sync,
        &chain.transaction_pool,
        telemetry.as_ref(),
    );
    if !settings.disable_grandpa {
        finality::start_grandpa(settings, &chain, links, network, protocols, &task_manager)?;
    }
    Ok(task_manager)
}

/// The inputs of the SDK's own tasks.
struct Sdk<'a, Net: NetworkBackend<Block, Hash>> {
    config: Configuration,
    prepared: network::Prepared<Net>,
    import_queue: ImportQueue,
    rpc: rpc::Builder,
    telemetry: Option<&'a mut Telemetry>,
}

/// Starts the network, the RPC server and everything else that every node of the SDK has in common.
fn start_sdk<Net: NetworkBackend<Block, Hash>>(
    sdk: Sdk<'_, Net>,
    chain: &Chain,
    task_manager: &mut TaskManager,
) -> Result<Network, Error> {
    let Sdk {
        config,
        prepared,
        import_queue,
        rpc,
        telemetry,
    } = sdk;
    let (service, system_rpc_tx, tx_handler_controller, sync, _bitswap) =
        sc_service::build_network(BuildNetworkParams {
            config: &config,
            net_config: prepared.net_config,
            client: chain.client.clone(),
            transaction_pool: chain.transaction_pool.clone(),
            spawn_handle: task_manager.spawn_handle(),
            spawn_essential_handle: task_manager.spawn_essential_handle(),
            import_queue,
            block_announce_validator_builder: None,
            warp_sync_config: Some(prepared.warp_sync),
            block_relay: None,
            metrics: prepared.metrics,
            gap_sync_body_policy: None,
        })?;
    sc_service::spawn_tasks(SpawnTasksParams {
        config,
        client: chain.client.clone(),
        backend: chain.backend.clone(),
        task_manager,
        keystore: chain.keystore.keystore(),
        transaction_pool: chain.transaction_pool.clone(),
        rpc_builder: rpc,
        network: service.clone(),
        system_rpc_tx,
        tx_handler_controller,
        sync_service: sync.clone(),
        telemetry,
        tracing_execute_block: None,
    })?;
    Ok(Network { service, sync })
}

fn start_offchain_workers(
    settings: &Settings,
    chain: &Chain,
    network: &Network,
    task_manager: &TaskManager,
) -> Result<(), Error> {
    let workers = OffchainWorkers::new(OffchainWorkerOptions {
        runtime_api_provider: chain.client.clone(),
        keystore: Some(chain.keystore.keystore()),
        offchain_db: chain.backend.offchain_storage(),
        transaction_pool: Some(OffchainTransactionPoolFactory::new(
            chain.transaction_pool.clone(),
        )),
        network_provider: Arc::new(network.service.clone()),
        is_validator: settings.is_authority,
        enable_http_requests: true,
        custom_extensions: |_| Vec::new(),
    })?;
    task_manager.spawn_handle().spawn(
        "offchain-workers-runner",
        Some("offchain-worker"),
        workers.run(chain.client.clone(), task_manager.spawn_handle()),
    );
    Ok(())
}
