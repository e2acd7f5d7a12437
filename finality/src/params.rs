//! The node's inputs to the worker.

use crate::{links::VoterLinks, protocols::Protocols};
use duet_keystore::Signer;
use duet_primitives::BlockNumber;
use duet_voter::Config;
use prometheus_endpoint::Registry;
use sc_telemetry::TelemetryHandle;
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use sp_core::traits::SpawnEssentialNamed;
use sp_runtime::traits::Block as BlockT;
use std::sync::Arc;

/// The inputs of [`run`](fn@crate::run).
pub struct Params<Block: BlockT, Backend, Client, Network, Syncing> {
    /// The client.
    pub client: Arc<Client>,
    /// Its back end.
    pub backend: Arc<Backend>,
    /// The network.
    pub network: Network,
    /// The syncing service.
    pub sync: Syncing,
    /// From [`register_protocols`](crate::register_protocols).
    pub protocols: Protocols,
    /// Holds the validator's keys.
    pub signer: Arc<dyn Signer>,
    /// Whether this node votes with them. Others follow, aggregate and serve.
    pub is_authority: bool,
    /// From [`block_import`](crate::block_import).
    pub links: VoterLinks,
    /// Takes reports of equivocations to the transaction pool.
    pub offchain_tx_pool_factory: OffchainTransactionPoolFactory<Block>,
    /// Blocks at which the operator acknowledges a contradiction, so that this node votes all the same. (ROUND-10)
    pub acknowledged: Vec<BlockNumber>,
    /// Receives proven blocks and contradictions.
    pub telemetry: Option<TelemetryHandle>,
    /// Takes the metrics, except those of the block import.
    pub prometheus_registry: Option<Registry>,
    /// Runs the gossip engine and the threads that check votes; the node cannot go on without them.
    pub spawner: Box<dyn SpawnEssentialNamed>,
    /// The voter's settings.
    pub config: Config,
}
