//! What Duet needs of a client.

use duet_primitives::{DuetApi, EquivocationProof};
use sc_client_api::{BlockchainEvents, FinalityNotifications, ProofProvider};
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use sp_api::{ApiError, ApiExt, ProvideRuntimeApi};
use sp_runtime::traits::Block as BlockT;

/// Accounts of the chain, as the runtime API names them.
pub(crate) type AccountId = sp_core::crypto::AccountId32;

/// What the worker needs of a client; every full client of the SDK has it.
pub trait DuetClient<Block: BlockT>: ProvideRuntimeApi<Block> + Send + Sync + 'static {
    /// Notifies of each block that becomes final; of several at once, only of the last.
    fn finality(&self) -> FinalityNotifications<Block>;

    /// The nodes of the state trie at block `at` that prove what is stored under `key`.
    ///
    /// # Errors
    /// When the state is not there.
    fn prove(&self, at: Block::Hash, key: &[u8]) -> sp_blockchain::Result<Vec<Vec<u8>>>;

    /// Reports evidence to the runtime at block `at`, which submits it to the transaction pool. `None` when the
    /// runtime has no use for it.
    ///
    /// # Errors
    /// When the runtime cannot be called.
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
