//! The peer-to-peer network, with the protocols of GRANDPA and Duet beside the SDK's own.

use super::client::{Chain, FullBackend, FullClient, SelectChain};
use duet_gossip::{requests::Server, Interest};
use duet_runtime::{types::opaque::Block, Hash};
use sc_consensus_grandpa::{warp_proof::NetworkProvider, LinkHalf};
use sc_network::{
    config::FullNetworkConfiguration, service::traits::NetworkService, NetworkBackend,
    NotificationMetrics, NotificationService, ProtocolName,
};
use sc_network_sync::SyncingService;
use sc_service::{Configuration, WarpSyncConfig};
use sp_blockchain::HeaderBackend;
use std::sync::Arc;

/// The network once it runs. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Network {
    pub(crate) service: Arc<dyn NetworkService>,
    pub(crate) sync: Arc<SyncingService<Block>>,
}

/// What the network is built from.
pub(crate) struct Prepared<Net: NetworkBackend<Block, Hash>> {
    pub(crate) net_config: FullNetworkConfiguration<Block, Hash, Net>,
    pub(crate) metrics: NotificationMetrics,
    pub(crate) warp_sync: WarpSyncConfig<Block>,
}

/// Our ends of the finality protocols.
pub(crate) struct Protocols {
    pub(crate) genesis_hash: Hash,
    pub(crate) fork_id: Option<String>,
    pub(crate) grandpa_name: ProtocolName,
    pub(crate) grandpa: Box<dyn NotificationService>,
    pub(crate) duet: Box<dyn NotificationService>,
    pub(crate) interest: Interest,
    pub(crate) duet_requests: Server,
}

/// Registers the protocols of GRANDPA and Duet.
pub(crate) fn prepare<Net: NetworkBackend<Block, Hash>>(
    config: &Configuration,
    chain: &Chain,
    grandpa: &LinkHalf<Block, FullClient, SelectChain>,
    interest: Interest,
) -> (Prepared<Net>, Protocols) {
    let metrics = Net::register_notification_metrics(config.prometheus_registry());
    let mut net_config = FullNetworkConfiguration::<Block, Hash, Net>::new(
        &config.network,
        config.prometheus_registry().cloned(),
    );
    let peers = net_config.peer_store_handle();
    let genesis_hash = chain.client.info().genesis_hash;
    let fork_id = config.chain_spec.fork_id();

    let grandpa_name =
        sc_consensus_grandpa::protocol_standard_name(&genesis_hash, &config.chain_spec);
    let (grandpa_config, grandpa_service) = sc_consensus_grandpa::grandpa_peers_set_config::<_, Net>(
        grandpa_name.clone(),
        metrics.clone(),
        peers.clone(),
    );
    net_config.add_notification_protocol(grandpa_config);

    let (duet_config, duet_service) = duet_gossip::peers_set_config::<Block, Net>(
        duet_gossip::GOSSIP.names(genesis_hash, fork_id),
        interest,
        metrics.clone(),
        peers,
    );
    net_config.add_notification_protocol(duet_config);
    let (duet_requests, requests_configs) =
        duet_gossip::requests::handler::<Block, Net>(genesis_hash, fork_id);
    for requests_config in requests_configs {
        net_config.add_request_response_protocol(requests_config);
    }

    let protocols = Protocols {
        genesis_hash,
        fork_id: fork_id.map(Into::into),
        grandpa_name,
        grandpa: grandpa_service,
        duet: duet_service,
        interest,
        duet_requests,
    };
    let warp_sync = WarpSyncConfig::WithProvider(Arc::new(NetworkProvider::<_, FullBackend>::new(
        chain.backend.clone(),
        grandpa.shared_authority_set().clone(),
        Vec::new(),
    )));
    (
        Prepared {
            net_config,
            metrics,
            warp_sync,
        },
        protocols,
    )
}
