//! The peer-to-peer network, with GRANDPA's protocol beside the SDK's own.

use super::client::{Chain, FullBackend, FullClient, SelectChain};
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

/// The running network. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Network {
    pub(crate) service: Arc<dyn NetworkService>,
    pub(crate) sync: Arc<SyncingService<Block>>,
}

/// The inputs of the network.
pub(crate) struct Prepared<Net: NetworkBackend<Block, Hash>> {
    pub(crate) net_config: FullNetworkConfiguration<Block, Hash, Net>,
    pub(crate) metrics: NotificationMetrics,
    pub(crate) warp_sync: WarpSyncConfig<Block>,
}

/// Our end of GRANDPA's protocol.
pub(crate) struct Protocols {
    pub(crate) grandpa_name: ProtocolName,
    pub(crate) grandpa: Box<dyn NotificationService>,
}

/// Registers GRANDPA's protocol. Duet's follow.
pub(crate) fn prepare<Net: NetworkBackend<Block, Hash>>(
    config: &Configuration,
    chain: &Chain,
    grandpa: &LinkHalf<Block, FullClient, SelectChain>,
) -> (Prepared<Net>, Protocols) {
    let metrics = Net::register_notification_metrics(config.prometheus_registry());
    let mut net_config = FullNetworkConfiguration::<Block, Hash, Net>::new(
        &config.network,
        config.prometheus_registry().cloned(),
    );
    let peers = net_config.peer_store_handle();
    let genesis_hash = chain.client.info().genesis_hash;

    let grandpa_name =
        sc_consensus_grandpa::protocol_standard_name(&genesis_hash, &config.chain_spec);
    let (grandpa_config, grandpa_service) = sc_consensus_grandpa::grandpa_peers_set_config::<_, Net>(
        grandpa_name.clone(),
        metrics.clone(),
        peers,
    );
    net_config.add_notification_protocol(grandpa_config);

    let protocols = Protocols {
        grandpa_name,
        grandpa: grandpa_service,
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
