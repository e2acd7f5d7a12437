//! The types of the node's parts.

use sc_executor::WasmExecutor;
use sc_service::{TFullBackend, TFullClient};
use sc_transaction_pool::TransactionPoolHandle;
use solochain_runtime::{OpaqueBlock, RuntimeApi};

pub(crate) type FullClient =
    TFullClient<OpaqueBlock, RuntimeApi, WasmExecutor<sp_io::SubstrateHostFunctions>>;
pub(crate) type FullBackend = TFullBackend<OpaqueBlock>;
pub(crate) type Pool = TransactionPoolHandle<OpaqueBlock, FullClient>;
pub(crate) type SelectChain = sc_consensus::LongestChain<FullBackend, OpaqueBlock>;
