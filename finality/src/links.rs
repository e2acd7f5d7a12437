//! What ties the block import, the worker and the RPC together.

use super::{import::Imported, DuetBlockImport, ImportMetrics, Store};
use duet_primitives::{BlockNumber, SetId, UncheckedJustification};
use parking_lot::Mutex;
use prometheus_endpoint::Registry;
use sc_client_api::Backend as BackendT;
use sc_utils::notification::{NotificationSender, NotificationStream, TracingKeyStr};
use sp_runtime::traits::Block as BlockT;
use std::{marker::PhantomData, sync::Arc};

/// Justifications that came with blocks and wait for the worker. (GOSSIP-7)
const IMPORTED_QUEUE: usize = 1024;

/// Names the notification channel in metrics and warnings.
#[derive(Clone, Copy, Debug)]
pub struct JustificationTracingKey;

impl TracingKeyStr for JustificationTracingKey {
    const TRACING_KEY: &'static str = "mpsc_duet_justifications";
}

/// Hands out each justification by which this node's finalized chain grew, to any number of subscribers.
pub type JustificationStream = NotificationStream<UncheckedJustification, JustificationTracingKey>;

/// What of the past is not here yet, while it is fetched from peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AwaitedPast {
    /// Hand-overs and keys of sets below this one may be missing.
    pub(crate) below_set: SetId,
    /// Proofs of blocks below this one may be missing.
    pub(crate) below_block: BlockNumber,
}

impl AwaitedPast {
    /// Nothing is known yet of where the past ends.
    pub(crate) const EVERYTHING: Self = Self {
        below_set: SetId::MAX,
        below_block: BlockNumber::MAX,
    };
}

/// The same, told by the worker to the RPC. `None` when nothing is awaited.
pub(crate) type Awaited = Arc<Mutex<Option<AwaitedPast>>>;

/// What the worker needs of the block import; goes into [`Params`](crate::Params).
pub struct VoterLinks {
    pub(crate) imported: async_channel::Receiver<Imported>,
    pub(crate) justifications: NotificationSender<UncheckedJustification>,
    pub(crate) store: Store,
    pub(crate) awaited: Awaited,
}

/// What [`rpc::Duet`](crate::rpc::Duet) needs. Cheap to clone.
pub struct RpcLinks<Block, Backend> {
    pub(crate) backend: Arc<Backend>,
    pub(crate) store: Store,
    pub(crate) awaited: Awaited,
    /// Each justification by which this node's finalized chain grew.
    pub justifications: JustificationStream,
    _block: PhantomData<Block>,
}

impl<Block, Backend> Clone for RpcLinks<Block, Backend> {
    fn clone(&self) -> Self {
        Self {
            backend: self.backend.clone(),
            store: self.store.clone(),
            awaited: self.awaited.clone(),
            justifications: self.justifications.clone(),
            _block: PhantomData,
        }
    }
}

/// Wraps a block import so that it keeps what Duet needs of each block, and makes the links that the other
/// parts of Duet are tied together with.
///
/// `inner` is GRANDPA's block import on most chains. `registry` takes the import's metrics.
pub fn block_import<Block, Backend, Client, Inner>(
    inner: Inner,
    client: Arc<Client>,
    backend: Arc<Backend>,
    registry: Option<&Registry>,
) -> (
    DuetBlockImport<Block, Client, Inner>,
    VoterLinks,
    RpcLinks<Block, Backend>,
)
where
    Block: BlockT,
    Backend: BackendT<Block> + 'static,
{
    let (to_worker, imported) = async_channel::bounded(IMPORTED_QUEUE);
    let (sender, justifications) = JustificationStream::channel();
    let store = Store::new(backend.clone());
    let metrics = ImportMetrics::new(registry);
    let awaited = Awaited::default();
    let import = DuetBlockImport::new(inner, client, store.clone(), to_worker, metrics);
    let rpc = RpcLinks {
        backend,
        store: store.clone(),
        awaited: awaited.clone(),
        justifications,
        _block: PhantomData,
    };
    (
        import,
        VoterLinks {
            imported,
            justifications: sender,
            store,
            awaited,
        },
        rpc,
    )
}
