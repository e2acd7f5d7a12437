//! What a node hands over to start the worker, and why the worker may stop.

use super::{chain::AccountId, StoreError, VoterLinks};
use crate::network::requests::Server;
use duet_keystore::Signer;
use duet_primitives::{DuetApi, EquivocationProof, H256};
use duet_voter::{Config, StateError};
use prometheus_endpoint::Registry;
use sc_client_api::{BlockchainEvents, FinalityNotifications, ProofProvider};
use sc_network::NotificationService;
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use sp_api::{ApiError, ApiExt, ProvideRuntimeApi};
use sp_runtime::traits::Block as BlockT;
use std::sync::Arc;

/// What the worker needs of a client; every full client of the SDK has it.
pub trait DuetClient<Block: BlockT>: ProvideRuntimeApi<Block> + Send + Sync + 'static {
    /// Tells of every block that becomes final, or of the last of several.
    fn finality(&self) -> FinalityNotifications<Block>;

    /// The nodes of the state trie at block `at` that prove what stands under `key`.
    ///
    /// # Errors
    /// When the state is not there.
    fn prove(&self, at: Block::Hash, key: &[u8]) -> sp_blockchain::Result<Vec<Vec<u8>>>;

    /// Hands evidence to the runtime at block `at`, with a way into the transaction pool. `None` when the
    /// runtime has no use for it.
    ///
    /// # Errors
    /// When the runtime cannot be asked.
    fn report(
        &self,
        at: Block::Hash,
        pool: &OffchainTransactionPoolFactory<Block>,
        evidence: EquivocationProof,
    ) -> Result<Option<()>, ApiError>;
}

impl<Block, Client> DuetClient<Block> for Client
where
    Block: BlockT,
    Client: BlockchainEvents<Block>
        + ProvideRuntimeApi<Block>
        + ProofProvider<Block>
        + Send
        + Sync
        + 'static,
    Client::Api: DuetApi<Block, AccountId>,
{
    fn finality(&self) -> FinalityNotifications<Block> {
        self.finality_notification_stream()
    }

    fn prove(&self, at: Block::Hash, key: &[u8]) -> sp_blockchain::Result<Vec<Vec<u8>>> {
        let proof = self.read_proof(at, &mut std::iter::once(key))?;
        Ok(proof.into_iter_nodes().collect())
    }

    fn report(
        &self,
        at: Block::Hash,
        pool: &OffchainTransactionPoolFactory<Block>,
        evidence: EquivocationProof,
    ) -> Result<Option<()>, ApiError> {
        let mut api = self.runtime_api();
        api.register_extension(pool.offchain_transaction_pool(at));
        api.submit_equivocation_report(at, evidence)
    }
}

/// What [`run`](crate::run) is started with.
pub struct Params<Block: BlockT, Backend, Client, Network, Syncing> {
    /// The client.
    pub client: Arc<Client>,
    /// Its back end.
    pub backend: Arc<Backend>,
    /// The network.
    pub network: Network,
    /// The syncing service.
    pub sync: Syncing,
    /// From [`peers_set_config`](crate::peers_set_config).
    pub notification_service: Box<dyn NotificationService>,
    /// Hash of the genesis block, which is in every signed message and in the protocol names.
    pub genesis_hash: H256,
    /// The fork id of the chain specification, as it was given to the protocol names.
    pub fork_id: Option<String>,
    /// From [`requests::handler`](crate::requests::handler).
    pub requests: Server,
    /// Holds the validator's keys.
    pub signer: Arc<dyn Signer>,
    /// Whether this node votes with them. Others follow, aggregate and serve.
    pub is_authority: bool,
    /// From [`block_import`](crate::block_import).
    pub links: VoterLinks,
    /// Takes reports of equivocations to the transaction pool.
    pub offchain_tx_pool_factory: OffchainTransactionPoolFactory<Block>,
    /// Takes the metrics, save those of the block import.
    pub prometheus_registry: Option<Registry>,
    /// What the voter is tuned with.
    pub config: Config,
}

/// Why the worker stopped. The node cannot go on: it would forget what it signed or miss what it must sign.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What must survive cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What survived cannot be used.
    #[error("the stored voter state cannot be used: {0}")]
    State(#[from] StateError),
    /// The client ended its notifications.
    #[error("the client ended its finality notifications")]
    ClientGone,
    /// The network shut down.
    #[error("the network shut down")]
    NetworkGone,
}
