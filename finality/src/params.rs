//! What a node passes in to start the worker.

use crate::links::VoterLinks;
use duet_gossip::{requests::Server, Interest};
use duet_keystore::Signer;
use duet_primitives::{BlockNumber, H256};
use duet_voter::Config;
use prometheus_endpoint::Registry;
use sc_network::NotificationService;
use sc_telemetry::TelemetryHandle;
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use sp_core::traits::SpawnEssentialNamed;
use sp_runtime::traits::Block as BlockT;
use std::sync::Arc;

/// What [`run`](fn@crate::run) is started with.
pub struct Params<Block: BlockT, Backend, Client, Network, Syncing> {
    /// The client.
    pub client: Arc<Client>,
    /// Its back end.
    pub backend: Arc<Backend>,
    /// The network.
    pub network: Network,
    /// The syncing service.
    pub sync: Syncing,
    /// From [`peers_set_config`](duet_gossip::peers_set_config).
    pub notification_service: Box<dyn NotificationService>,
    /// Hash of the genesis block, which is in every signed message and in the protocol names.
    pub genesis_hash: H256,
    /// The fork id of the chain specification, as it was given to the protocol names.
    pub fork_id: Option<String>,
    /// What this node wants to hear, as the notification service was told.
    pub interest: Interest,
    /// From [`requests::handler`](duet_gossip::requests::handler).
    pub requests: Server,
    /// Holds the validator's keys.
    pub signer: Arc<dyn Signer>,
    /// Whether this node votes with them. Others follow, aggregate and serve.
    pub is_authority: bool,
    /// From [`block_import`](crate::block_import).
    pub links: VoterLinks,
    /// Takes reports of equivocations to the transaction pool.
    pub offchain_tx_pool_factory: OffchainTransactionPoolFactory<Block>,
    /// Blocks at which the operator knows of a contradiction and wants this node to vote all the same. (ROUND-10)
    pub acknowledged: Vec<BlockNumber>,
    /// Is told of contradictions.
    pub telemetry: Option<TelemetryHandle>,
    /// Takes the metrics, except those of the block import.
    pub prometheus_registry: Option<Registry>,
    /// Runs the gossip engine and the threads that check votes; the node cannot go on without them.
    pub spawner: Box<dyn SpawnEssentialNamed>,
    /// What the voter is tuned with.
    pub config: Config,
}
