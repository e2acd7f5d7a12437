//! What ties the block import, the worker and the RPC together.

use crate::{
    chain::blocks::{BackendBlocks, Blocks},
    import::{DuetBlockImport, Imported},
    metrics::ImportMetrics,
    missing::SharedMissing,
    store::Store,
};
use duet_primitives::{UncheckedJustification, H256};
use prometheus_endpoint::Registry;
use sc_client_api::Backend as BackendT;
use sc_utils::notification::{NotificationSender, NotificationStream, TracingKeyStr};
use sp_runtime::traits::{Block as BlockT, NumberFor};
use std::sync::Arc;

/// Justifications that came with blocks and wait for the worker. (GOSSIP-7)
const IMPORTED_QUEUE: usize = 1024;

/// Names the notification channel in metrics and warnings.
#[derive(Clone, Copy, Debug)]
pub struct JustificationTracingKey;

impl TracingKeyStr for JustificationTracingKey {
    const TRACING_KEY: &'static str = "mpsc_duet_justifications";
}

/// Brings each justification by which this node's proven chain grows to any number of subscribers.
pub type JustificationStream = NotificationStream<UncheckedJustification, JustificationTracingKey>;

/// What the worker needs of the block import; goes into [`Params`](crate::Params).
pub struct VoterLinks {
    pub(crate) imported: async_channel::Receiver<Imported>,
    pub(crate) subscribers: NotificationSender<UncheckedJustification>,
    pub(crate) store: Store,
    pub(crate) missing: SharedMissing,
}

/// What [`rpc::Duet`](crate::rpc::Duet) needs. Cheap to clone.
#[derive(Clone)]
pub struct RpcLinks {
    pub(crate) blocks: Arc<dyn Blocks>,
    pub(crate) store: Store,
    pub(crate) missing: SharedMissing,
    /// Each justification by which this node's proven chain grew.
    pub justifications: JustificationStream,
}

/// Wraps a block import so that it keeps what Duet needs of each block, and makes the links that tie it, the worker
/// and the RPC together.
///
/// `inner` is GRANDPA's block import on most chains. `registry` takes the import's metrics.
pub fn block_import<Block, Backend, Client, Inner>(
    inner: Inner,
    client: Arc<Client>,
    backend: Arc<Backend>,
    registry: Option<&Registry>,
) -> (DuetBlockImport<Block, Client, Inner>, VoterLinks, RpcLinks)
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: Into<u32> + From<u32>,
    Backend: BackendT<Block> + 'static,
{
    let (to_worker, imported) = async_channel::bounded(IMPORTED_QUEUE);
    let (subscribers, justifications) = JustificationStream::channel();
    let store = Store::new(backend.clone());
    let missing = SharedMissing::default();
    let metrics = ImportMetrics::new(registry);
    let import = DuetBlockImport::new(inner, client, store.clone(), to_worker, metrics);
    let rpc = RpcLinks {
        blocks: Arc::new(BackendBlocks::<Block, Backend>::new(backend)),
        store: store.clone(),
        missing: missing.clone(),
        justifications,
    };
    let voter = VoterLinks {
        imported,
        subscribers,
        store,
        missing,
    };
    (import, voter, rpc)
}
