//! The protocols for Duet between the nodes of a chain.

use duet_gossip::{
    peers_set_config,
    requests::{handler, Server},
    Interest, GOSSIP,
};
use duet_primitives::H256;
use sc_network::{
    config::FullNetworkConfiguration, NetworkBackend, NotificationMetrics, NotificationService,
};
use sp_runtime::traits::Block as BlockT;

/// A node's ends of the protocols, for [`run`](fn@crate::run).
pub struct Protocols {
    pub(crate) notifications: Box<dyn NotificationService>,
    pub(crate) requests: Server,
    pub(crate) genesis_hash: H256,
    pub(crate) fork_id: Option<String>,
    pub(crate) interest: Interest,
}

/// Registers gossip and the two request protocols.
///
/// Their names contain the genesis hash and the chain specification's fork id; every signed message contains the
/// genesis hash. `interest` is this node's interest in gossip, which is announced to its peers. (GOSSIP-9)
pub fn register_protocols<Block, Net>(
    config: &mut FullNetworkConfiguration<Block, H256, Net>,
    genesis_hash: H256,
    fork_id: Option<&str>,
    interest: Interest,
    metrics: NotificationMetrics,
) -> Protocols
where
    Block: BlockT<Hash = H256>,
    Net: NetworkBackend<Block, H256>,
{
    let (gossip, notifications) = peers_set_config::<Block, Net>(
        GOSSIP.names(genesis_hash, fork_id),
        interest,
        metrics,
        config.peer_store_handle(),
    );
    config.add_notification_protocol(gossip);
    let (requests, answering) = handler::<Block, Net>(genesis_hash, fork_id);
    for protocol in answering {
        config.add_request_response_protocol(protocol);
    }
    Protocols {
        notifications,
        requests,
        genesis_hash,
        fork_id: fork_id.map(Into::into),
        interest,
    }
}
