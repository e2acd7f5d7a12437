//! Statistics that validators publish about their own nodes (feature `statistics`).

use super::{
    client::{Chain, FullBackend, FullClient},
    network::{Network, Prepared},
    settings::Settings,
};
use duet_keystore::Signer;
use duet_meter::Meter;
use duet_runtime::{types::opaque::Block, Hash};
use duet_statistics_node::{peers_set_config, protocol_name, run, Collected, Key, Params, Signing};
use sc_network::{NetworkBackend, NotificationService, ProtocolName};
use sc_service::{Configuration, Error, TaskManager};
use sp_blockchain::HeaderBackend;
use std::sync::Arc;

/// The folder of a validator's key, next to the database.
const FOLDER: &str = "statistics";

/// The parts that exist before the network starts.
pub(crate) struct Statistics {
    pub(crate) collected: Collected,
    meter: Meter,
    signing: Option<Signing>,
}

/// The registered protocol.
pub(crate) type Protocol = (Box<dyn NotificationService>, ProtocolName);

impl Statistics {
    /// Opens the key of a validator.
    pub(crate) fn new(
        config: &Configuration,
        chain: &Chain,
        signer: &Arc<dyn Signer>,
        meter: Meter,
    ) -> Result<Self, Error> {
        let folder = config
            .base_path
            .config_dir(config.chain_spec.id())
            .join(FOLDER);
        let signing = || -> Result<_, Error> {
            let key = Key::open_or_create(&folder);
            Ok(Signing {
                signer: signer.clone(),
                key: key.map_err(|error| Error::Application(Box::new(error)))?,
            })
        };
        Ok(Self {
            collected: Collected::new(chain.client.info().genesis_hash),
            meter,
            signing: config.role.is_authority().then(signing).transpose()?,
        })
    }

    /// Spawns the worker. The node keeps running without it.
    pub(crate) fn start(
        self,
        protocol: Protocol,
        settings: &Settings,
        chain: &Chain,
        network: &Network,
        task_manager: &TaskManager,
    ) {
        let sync = network.sync.clone();
        let worker = run::<Block, FullBackend, FullClient, _, _>(Params {
            client: chain.client.clone(),
            network: network.service.clone(),
            sync: network.sync.clone(),
            peers: Box::new(move || sync.num_connected_peers()),
            notification_service: protocol,
            collected: self.collected,
            meter: self.meter,
            signing: self.signing,
            registry: settings.registry.clone(),
        });
        task_manager
            .spawn_handle()
            .spawn_blocking("duet-statistics", Some("statistics"), worker);
    }
}

/// Registers the protocol.
pub(crate) fn register<Net: NetworkBackend<Block, Hash>>(
    config: &Configuration,
    chain: &Chain,
    prepared: &mut Prepared<Net>,
) -> Protocol {
    let genesis = chain.client.info().genesis_hash;
    let name = protocol_name(genesis, config.chain_spec.fork_id());
    let (metrics, peers) = (
        prepared.metrics.clone(),
        prepared.net_config.peer_store_handle(),
    );
    let (protocol, service) = peers_set_config::<Block, Net>(name.clone(), metrics, peers);
    prepared.net_config.add_notification_protocol(protocol);
    (service, name)
}
