//! What the runtime says about Duet, behind a trait, and the same over a client of the SDK.

use crate::client::{AccountId, DuetClient};
use duet_primitives::{
    CommitmentPayload, DualKeyBytes, DuetApi, EquivocationProof, Keysets, Participation, H256,
};
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use sp_api::{ApiError, ApiExt};
use sp_runtime::traits::Block as BlockT;
use std::sync::Arc;

/// The version of the runtime API that brought `participation`.
const PARTICIPATION_SINCE: u32 = 2;

/// What the runtime says at a block. An error mostly means that the state of the block is not here.
pub(crate) trait Runtime: Send + Sync {
    /// The sets; `None` where the runtime does not know Duet yet or no validator has keys.
    fn keysets(&self, at: H256) -> Result<Option<Keysets>, ApiError>;

    /// The keys of the set that signs.
    fn current_keys(&self, at: H256) -> Result<Vec<DualKeyBytes>, ApiError>;

    /// The keys of the set that is planned.
    fn next_keys(&self, at: H256) -> Result<Vec<DualKeyBytes>, ApiError>;

    /// What is signed about the block.
    fn commitment_payload(&self, at: H256) -> Result<Option<CommitmentPayload>, ApiError>;

    /// What a set would stand for if it were made at the block; `None` where the runtime does not say it.
    fn participation(&self, at: H256) -> Result<Option<Participation<AccountId>>, ApiError>;

    /// The nodes of the state trie that prove what is stored under `key`.
    fn prove(&self, at: H256, key: &[u8]) -> sp_blockchain::Result<Vec<Vec<u8>>>;

    /// Reports evidence. `None` when the runtime has no use for it.
    fn report(&self, at: H256, evidence: EquivocationProof) -> Result<Option<()>, ApiError>;
}

/// The runtime of a client of the SDK.
pub(crate) struct ClientRuntime<Block: BlockT, Client> {
    client: Arc<Client>,
    pool: OffchainTransactionPoolFactory<Block>,
}

impl<Block: BlockT, Client> ClientRuntime<Block, Client> {
    /// Reports go to `pool`.
    pub(crate) fn new(client: Arc<Client>, pool: OffchainTransactionPoolFactory<Block>) -> Self {
        Self { client, pool }
    }
}

impl<Block, Client> Runtime for ClientRuntime<Block, Client>
where
    Block: BlockT<Hash = H256>,
    Client: DuetClient<Block>,
    Client::Api: DuetApi<Block, AccountId>,
{
    fn keysets(&self, at: H256) -> Result<Option<Keysets>, ApiError> {
        let api = self.client.runtime_api();
        if !api.has_api::<dyn DuetApi<Block, AccountId>>(at)? {
            return Ok(None);
        }
        api.keysets(at)
    }

    fn current_keys(&self, at: H256) -> Result<Vec<DualKeyBytes>, ApiError> {
        self.client.runtime_api().current_keys(at)
    }

    fn next_keys(&self, at: H256) -> Result<Vec<DualKeyBytes>, ApiError> {
        self.client.runtime_api().next_keys(at)
    }

    fn commitment_payload(&self, at: H256) -> Result<Option<CommitmentPayload>, ApiError> {
        self.client.runtime_api().commitment_payload(at)
    }

    fn participation(&self, at: H256) -> Result<Option<Participation<AccountId>>, ApiError> {
        let api = self.client.runtime_api();
        match api.api_version::<dyn DuetApi<Block, AccountId>>(at)? {
            Some(version) if version >= PARTICIPATION_SINCE => api.participation(at).map(Some),
            _ => Ok(None),
        }
    }

    fn prove(&self, at: H256, key: &[u8]) -> sp_blockchain::Result<Vec<Vec<u8>>> {
        self.client.prove(at, key)
    }

    fn report(&self, at: H256, evidence: EquivocationProof) -> Result<Option<()>, ApiError> {
        self.client.report(at, &self.pool, evidence)
    }
}
