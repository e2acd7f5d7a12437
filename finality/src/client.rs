//! Duet's requirements of a client.

use codec::Decode;
use duet_primitives::{Accusation, DuetApi, EquivocationProof, StatelessProof};
use sc_client_api::{
    Backend as BackendT, BlockchainEvents, FinalityNotifications, ProofProvider, StateBackend,
};
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use sp_api::{ApiError, ApiExt, CallApiAt, ProvideRuntimeApi};
use sp_core::offchain::{storage::OffchainDb, OffchainDbExt};
use sp_runtime::traits::Block as BlockT;
use std::sync::Arc;

/// The services that a report reaches outside of the runtime. Cheap to clone.
#[derive(Clone)]
pub struct Outside<Block: BlockT> {
    /// Takes reports to the transaction pool.
    pool: OffchainTransactionPoolFactory<Block>,
    /// Holds the Merkle mountain range, which proves old blocks; `None` where the node stores nothing off chain.
    storage: Arc<dyn Fn() -> Option<OffchainDbExt> + Send + Sync>,
}

impl<Block: BlockT> Outside<Block> {
    pub(crate) fn new<Backend: BackendT<Block> + 'static>(
        pool: OffchainTransactionPoolFactory<Block>,
        backend: Arc<Backend>,
    ) -> Self {
        let storage = move || {
            let storage = backend.offchain_storage()?;
            Some(OffchainDbExt::new(OffchainDb::new(storage)))
        };
        Self {
            pool,
            storage: Arc::new(storage),
        }
    }

    /// Gives a call of the runtime at block `at` access to these services.
    fn register(&self, api: &mut impl ApiExt<Block>, at: Block::Hash) {
        api.register_extension(self.pool.offchain_transaction_pool(at));
        if let Some(storage) = (self.storage)() {
            api.register_extension(storage);
        }
    }
}

/// Headers that prove the truth about a block, encoded.
#[derive(Clone, Debug)]
pub struct Headers {
    /// The header of the chain's block of that number, if there is one.
    pub(crate) header: Option<Vec<u8>>,
    /// The header of the best block.
    pub(crate) latest: Vec<u8>,
}

impl Headers {
    fn decode<Header: Decode>(&self) -> Result<(Option<Header>, Header), ApiError> {
        let decode = |header: &Vec<u8>| {
            Header::decode(&mut &header[..]).map_err(|error| ApiError::Application(Box::new(error)))
        };
        let header = self.header.as_ref().map(decode).transpose()?;
        Ok((header, decode(&self.latest)?))
    }
}

/// Accounts of the chain, in the form of the runtime API.
pub(crate) type AccountId = sp_core::crypto::AccountId32;

/// The worker's requirements of a client; every full client of the SDK meets them.
pub trait DuetClient<Block: BlockT>: ProvideRuntimeApi<Block> + Send + Sync + 'static {
    /// Notifies of each newly final block; of several at once, only of the last.
    fn finality(&self) -> FinalityNotifications<Block>;

    /// The value under `key` in the state at block `at`.
    ///
    /// # Errors
    /// When the state is missing.
    fn stored(&self, at: Block::Hash, key: &[u8]) -> Result<Option<Vec<u8>>, ApiError>;

    /// The nodes of the state trie at block `at` that prove the values under these keys, or their absence.
    ///
    /// # Errors
    /// When the state is missing.
    fn prove(&self, at: Block::Hash, keys: &[[u8; 32]]) -> sp_blockchain::Result<Vec<Vec<u8>>>;

    /// Reports evidence to the runtime at block `at`, which submits it to the transaction pool. `None` when the
    /// runtime refuses it.
    ///
    /// # Errors
    /// When the runtime cannot be called.
    fn report(
        &self,
        at: Block::Hash,
        outside: &Outside<Block>,
        evidence: EquivocationProof,
    ) -> Result<Option<()>, ApiError>;

    /// The same for members of a set that signed a false statement.
    ///
    /// # Errors
    /// When the runtime cannot be called.
    fn accuse(
        &self,
        at: Block::Hash,
        outside: &Outside<Block>,
        accusation: Accusation,
        headers: &Headers,
    ) -> Result<Option<()>, ApiError>;

    /// The same for the proof of a handoff.
    ///
    /// # Errors
    /// When the runtime cannot be called.
    fn hand_off(
        &self,
        at: Block::Hash,
        outside: &Outside<Block>,
        proof: StatelessProof,
        headers: &Headers,
    ) -> Result<Option<()>, ApiError>;
}

impl<Block, Client> DuetClient<Block> for Client
where
    Block: BlockT,
    Client: BlockchainEvents<Block>
        + CallApiAt<Block>
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

    fn stored(&self, at: Block::Hash, key: &[u8]) -> Result<Option<Vec<u8>>, ApiError> {
        let stored = self.state_at(at)?.storage(key);
        stored.map_err(|error| ApiError::Application(error.to_string().into()))
    }

    fn prove(&self, at: Block::Hash, keys: &[[u8; 32]]) -> sp_blockchain::Result<Vec<Vec<u8>>> {
        let proof = self.read_proof(at, &mut keys.iter().map(<[u8; 32]>::as_slice))?;
        Ok(proof.into_iter_nodes().collect())
    }

    fn report(
        &self,
        at: Block::Hash,
        outside: &Outside<Block>,
        evidence: EquivocationProof,
    ) -> Result<Option<()>, ApiError> {
        let mut api = self.runtime_api();
        outside.register(&mut *api, at);
        api.submit_equivocation_report(at, evidence)
    }

    fn accuse(
        &self,
        at: Block::Hash,
        outside: &Outside<Block>,
        accusation: Accusation,
        headers: &Headers,
    ) -> Result<Option<()>, ApiError> {
        let (header, latest) = headers.decode()?;
        let mut api = self.runtime_api();
        outside.register(&mut *api, at);
        api.submit_accusation(at, accusation, header, latest)
    }

    fn hand_off(
        &self,
        at: Block::Hash,
        outside: &Outside<Block>,
        proof: StatelessProof,
        headers: &Headers,
    ) -> Result<Option<()>, ApiError> {
        let (Some(header), latest) = headers.decode()? else {
            return Ok(None);
        };
        let mut api = self.runtime_api();
        outside.register(&mut *api, at);
        api.submit_handoff(at, proof, header, latest)
    }
}
