//! What the node answers beside the SDK's own methods.

use crate::client::{FullBackend, FullClient, Pool};
use duet_finality::{
    rpc::{ClientReader, Duet, DuetRpcServer},
    RpcLinks,
};
use duet_keystore::Signer;
use jsonrpsee::{server::RegisterMethodError, RpcModule};
use mmr_rpc::{Mmr, MmrApiServer};
use pallet_transaction_payment_rpc::{TransactionPayment, TransactionPaymentApiServer};
use sc_client_api::Backend;
use sc_rpc::SubscriptionTaskExecutor;
use solochain_runtime::{Hash, OpaqueBlock};
use std::sync::Arc;
use substrate_frame_rpc_system::{System, SystemApiServer};

pub(crate) struct Parts {
    pub(crate) client: Arc<FullClient>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) offchain: <FullBackend as Backend<OpaqueBlock>>::OffchainStorage,
    pub(crate) duet: RpcLinks,
    pub(crate) signer: Arc<dyn Signer>,
}

pub(crate) fn module(
    parts: &Parts,
    executor: SubscriptionTaskExecutor,
) -> Result<RpcModule<()>, RegisterMethodError> {
    let mut module = RpcModule::new(());
    module.merge(System::new(parts.client.clone(), parts.pool.clone()).into_rpc())?;
    module.merge(TransactionPayment::new(parts.client.clone()).into_rpc())?;
    let mmr = Mmr::<_, (OpaqueBlock, Hash), _>::new(parts.client.clone(), parts.offchain.clone());
    module.merge(MmrApiServer::<_, _, Hash>::into_rpc(mmr))?;
    let reader =
        ClientReader::<OpaqueBlock, _, _>::new(parts.client.clone(), parts.offchain.clone());
    let (links, signer) = (parts.duet.clone(), parts.signer.clone());
    module.merge(Duet::new(links, Arc::new(reader), signer, executor).into_rpc())?;
    Ok(module)
}
