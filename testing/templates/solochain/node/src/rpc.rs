//! What the node answers beside the SDK's own methods.

use crate::client::{FullClient, Pool};
use jsonrpsee::{server::RegisterMethodError, RpcModule};
use pallet_transaction_payment_rpc::{TransactionPayment, TransactionPaymentApiServer};
use std::sync::Arc;
use substrate_frame_rpc_system::{System, SystemApiServer};

pub(crate) struct Parts {
    pub(crate) client: Arc<FullClient>,
    pub(crate) pool: Arc<Pool>,
}

pub(crate) fn module(parts: &Parts) -> Result<RpcModule<()>, RegisterMethodError> {
    let mut module = RpcModule::new(());
    module.merge(System::new(parts.client.clone(), parts.pool.clone()).into_rpc())?;
    module.merge(TransactionPayment::new(parts.client.clone()).into_rpc())?;
    Ok(module)
}
