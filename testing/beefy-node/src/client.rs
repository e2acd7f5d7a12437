//! The client over this project's runtime.

use duet_runtime::{types::opaque::Block, RuntimeApi};
use sc_executor::WasmExecutor;
use sc_service::TFullClient;

/// What the runtime may ask of the node: the SDK's own functions.
pub(crate) type HostFunctions = sp_io::SubstrateHostFunctions;
/// The client.
pub(crate) type FullClient = TFullClient<Block, RuntimeApi, WasmExecutor<HostFunctions>>;
