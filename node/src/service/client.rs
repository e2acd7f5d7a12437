//! Database, runtime, transaction pool, and the SDK's store of keys.

use duet_runtime::{types::opaque::Block, RuntimeApi};
use sc_consensus::{DefaultImportQueue, LongestChain};
use sc_consensus_grandpa::GrandpaPruningFilter;
use sc_executor::{HeapAllocStrategy, WasmExecutor, DEFAULT_HEAP_ALLOC_STRATEGY};
use sc_service::{
    config::ExecutorConfiguration, Configuration, Error, KeystoreContainer, TFullBackend,
    TFullClient, TaskManager,
};
use sc_telemetry::{Telemetry, TelemetryWorker};
use sc_transaction_pool::TransactionPoolHandle;
use std::{path::Path, sync::Arc};

/// The host functions for runtimes: the SDK's own, so that its tools know all of them. The functions for the curve
/// serve runtimes with the feature `host-functions` only.
type HostFunctions = (
    sp_io::SubstrateHostFunctions,
    sp_crypto_ec_utils::bls12_381::host_calls::HostFunctions,
);
pub(crate) type FullClient = TFullClient<Block, RuntimeApi, WasmExecutor<HostFunctions>>;
pub(crate) type FullBackend = TFullBackend<Block>;
pub(crate) type SelectChain = LongestChain<FullBackend, Block>;
/// Checks blocks before they are imported.
pub(crate) type ImportQueue = DefaultImportQueue<Block>;
pub(crate) type Pool = TransactionPoolHandle<Block, FullClient>;

/// The chain, shared by all parts of the node. Cheap to clone but for the keystore.
pub(crate) struct Chain {
    pub(crate) client: Arc<FullClient>,
    pub(crate) backend: Arc<FullBackend>,
    pub(crate) select_chain: SelectChain,
    pub(crate) transaction_pool: Arc<Pool>,
    pub(crate) keystore: KeystoreContainer,
}

/// The result of [`build`].
pub(crate) struct Built {
    pub(crate) chain: Chain,
    pub(crate) task_manager: TaskManager,
    pub(crate) telemetry: Option<Telemetry>,
}

/// Opens the database and everything on top of it.
pub(crate) fn build(config: &Configuration, runtime_cache: Option<&Path>) -> Result<Built, Error> {
    let telemetry = config
        .telemetry_endpoints
        .clone()
        .filter(|endpoints| !endpoints.is_empty())
        .map(|endpoints| -> Result<_, sc_telemetry::Error> {
            let worker = TelemetryWorker::new(16)?;
            let telemetry = worker.handle().new_telemetry(endpoints);
            Ok((worker, telemetry))
        })
        .transpose()?;
    let (client, backend, keystore, task_manager) =
        sc_service::new_full_parts::<Block, RuntimeApi, _>(
            config,
            telemetry.as_ref().map(|(_, telemetry)| telemetry.handle()),
            executor(&config.executor, runtime_cache),
            vec![Arc::new(GrandpaPruningFilter)],
        )?;
    let client = Arc::new(client);
    let telemetry = telemetry.map(|(worker, telemetry)| {
        task_manager
            .spawn_handle()
            .spawn("telemetry", None, worker.run());
        telemetry
    });
    let transaction_pool = sc_transaction_pool::Builder::new(
        task_manager.spawn_essential_handle(),
        client.clone(),
        config.role.is_authority().into(),
    )
    .with_options(config.transaction_pool.clone())
    .with_prometheus(config.prometheus_registry())
    .build();
    let chain = Chain {
        select_chain: LongestChain::new(backend.clone()),
        transaction_pool: Arc::new(transaction_pool),
        client,
        backend,
        keystore,
    };
    Ok(Built {
        chain,
        task_manager,
        telemetry,
    })
}

/// Runs runtimes as the SDK's `new_wasm_executor` does, without a cache of compiled code.
fn executor(
    config: &ExecutorConfiguration,
    runtime_cache: Option<&Path>,
) -> WasmExecutor<HostFunctions> {
    let heap = config
        .default_heap_pages
        .map_or(DEFAULT_HEAP_ALLOC_STRATEGY, |pages| {
            let extra_pages = pages.try_into().unwrap_or(u32::MAX);
            HeapAllocStrategy::Static { extra_pages }
        });
    let builder = WasmExecutor::builder()
        .with_execution_method(config.wasm_method)
        .with_onchain_heap_alloc_strategy(heap)
        .with_offchain_heap_alloc_strategy(heap)
        .with_max_runtime_instances(config.max_runtime_instances)
        .with_runtime_cache_size(config.runtime_cache_size);
    match runtime_cache {
        Some(directory) => builder.with_cache_path(directory).build(),
        None => builder.build(),
    }
}

#[cfg(test)]
mod tests {
    use super::HostFunctions;
    use sc_executor::sp_wasm_interface::HostFunctions as _;

    #[test]
    fn runtimes_with_pairings_by_the_node_find_them() {
        let offered: Vec<_> = HostFunctions::host_functions()
            .iter()
            .map(|function| function.name())
            .collect();
        for name in ["multi_miller_loop", "final_exponentiation"] {
            let name = format!("ext_host_calls_bls12_381_{name}_version_1");
            assert!(offered.contains(&name.as_str()), "{name}");
        }
    }
}
