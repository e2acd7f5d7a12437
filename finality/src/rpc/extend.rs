//! The methods on a node of the SDK.

// The SDK's error of a service is this large, and a node hands it on.
#![allow(clippy::result_large_err)]

use super::{bounds::bounded, ClientReader, Duet, DuetRpcServer};
use crate::{client::AccountId, links::RpcLinks};
use duet_keystore::Signer;
use duet_primitives::{DuetApi, H256};
use jsonrpsee::{Methods, RpcModule};
use mmr_rpc::{Mmr, MmrApiServer};
use sc_client_api::{Backend as BackendT, ProofProvider};
use sc_rpc::SubscriptionTaskExecutor;
use sc_service::Error;
use sp_api::ProvideRuntimeApi;
use sp_blockchain::HeaderBackend;
use sp_mmr_primitives::MmrApi;
use sp_runtime::traits::{Block as BlockT, NumberFor};
use std::sync::Arc;

/// Adds the methods of [`DuetRpcServer`] to a node's own, and the SDK's methods for the Merkle mountain range if the
/// node has none of them: light clients need both.
///
/// # Errors
/// When the database has no offchain storage, which holds the nodes of the range; when a method already exists.
pub fn extend<Block, Client, Backend>(
    mut module: RpcModule<()>,
    links: RpcLinks,
    client: Arc<Client>,
    backend: &Backend,
    signer: Arc<dyn Signer>,
    executor: SubscriptionTaskExecutor,
) -> Result<RpcModule<()>, Error>
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: From<u32>,
    Backend: BackendT<Block>,
    Backend::OffchainStorage: 'static,
    Client: ProvideRuntimeApi<Block>
        + ProofProvider<Block>
        + HeaderBackend<Block>
        + Send
        + Sync
        + 'static,
    Client::Api: MmrApi<Block, H256, NumberFor<Block>> + DuetApi<Block, AccountId>,
{
    let storage = backend
        .offchain_storage()
        .ok_or_else(|| Error::Other("the database has no offchain storage".into()))?;
    if module.method("mmr_generateProof").is_none() {
        let range = Mmr::<_, (Block, H256), _>::new(client.clone(), storage.clone());
        merge(&mut module, MmrApiServer::<_, _, H256>::into_rpc(range))?;
    }
    let reader = ClientReader::<Block, _, _>::new(client, storage);
    let duet = Duet::new(links, Arc::new(reader), signer, executor);
    let methods = bounded(&duet.into_rpc());
    let methods = methods.map_err(|error| Error::Application(Box::new(error)))?;
    merge(&mut module, methods)?;
    Ok(module)
}

fn merge(module: &mut RpcModule<()>, more: impl Into<Methods>) -> Result<(), Error> {
    let merged = module.merge(more);
    merged.map_err(|error| Error::Application(Box::new(error)))
}
