//! The links between the block import, the worker and the RPC.

use crate::{
    activity::SharedActivity,
    chain::blocks::{BackendBlocks, Blocks},
    health::SharedVoting,
    import::{DuetBlockImport, Imported},
    metrics::{ImportMetrics, RpcMetrics},
    missing::SharedMissing,
    newest::{JustificationStream, Publisher, Shown},
    questions::{questions, Question, Questions},
    reports::{self, Filed, Filing},
    statement::FalseStatement,
    store::Store,
    warp::{Grandpa, WarpProofs},
};
use duet_primitives::H256;
use prometheus_endpoint::Registry;
use sc_client_api::Backend as BackendT;
use sc_consensus_grandpa::LinkHalf;
use sc_service::ChainSpec;
use sp_runtime::traits::{Block as BlockT, NumberFor};
use std::sync::Arc;

/// The most justifications imported with blocks that wait for the worker. (GOSSIP-7)
const IMPORTED_QUEUE: usize = 1024;

/// The worker's links to the block import; goes into [`Params`](crate::Params).
pub struct VoterLinks {
    pub(crate) imported: async_channel::Receiver<Imported>,
    pub(crate) subscribers: Publisher,
    pub(crate) store: Store,
    pub(crate) missing: SharedMissing,
    pub(crate) voting: SharedVoting,
    pub(crate) activity: SharedActivity,
    /// The RPC's questions to the worker.
    pub(crate) questions: async_channel::Receiver<Question>,
    /// Statements that contradict the finalized chain: the filing end, and the filed statements.
    pub(crate) false_statements: (Filing<FalseStatement>, Filed<FalseStatement>),
}

/// The links of [`rpc::Duet`](crate::rpc::Duet). Cheap to clone.
#[derive(Clone)]
pub struct RpcLinks {
    pub(crate) blocks: Arc<dyn Blocks>,
    pub(crate) store: Store,
    pub(crate) missing: SharedMissing,
    pub(crate) voting: SharedVoting,
    pub(crate) activity: SharedActivity,
    pub(crate) questions: Questions,
    pub(crate) shown: Shown,
    pub(crate) false_statements: Filing<FalseStatement>,
    pub(crate) metrics: RpcMetrics,
    /// GRANDPA's proofs, if the node provides them.
    pub(crate) warp: Option<Arc<dyn WarpProofs>>,
    /// Each justification by which this node's proven chain grew.
    pub justifications: JustificationStream,
}

impl RpcLinks {
    /// Also serves GRANDPA's proofs: light clients start with them at the genesis of a chain that adopted Duet later.
    ///
    /// `spec` has the state of the genesis, which is built at a client's first request.
    #[must_use]
    pub fn with_grandpa<Block, Backend, Client, Select>(
        mut self,
        link: &LinkHalf<Block, Client, Select>,
        backend: Arc<Backend>,
        spec: &dyn ChainSpec,
    ) -> Self
    where
        Block: BlockT<Hash = H256>,
        NumberFor<Block>: From<u32>,
        Backend: BackendT<Block> + 'static,
    {
        self.warp = Some(Arc::new(Grandpa::new(link, backend, spec)));
        self
    }
}

/// Wraps a block import so that it keeps Duet's part of each block, and makes the links between it, the worker and
/// the RPC.
///
/// `inner` is GRANDPA's block import on most chains. `registry` takes the metrics of the import and of the RPC.
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
    let (subscribers, justifications, shown) = Publisher::channel();
    let store = Store::new(backend.clone());
    let missing = SharedMissing::default();
    let voting = SharedVoting::default();
    let activity = SharedActivity::default();
    let false_statements = reports::book(&store);
    let (asker, questions) = questions();
    let metrics = ImportMetrics::new(registry);
    let import = DuetBlockImport::new(inner, client, store.clone(), to_worker, metrics);
    let rpc = RpcLinks {
        blocks: Arc::new(BackendBlocks::<Block, Backend>::new(backend)),
        store: store.clone(),
        missing: missing.clone(),
        voting: voting.clone(),
        activity: activity.clone(),
        questions: asker,
        shown,
        false_statements: false_statements.0.clone(),
        metrics: RpcMetrics::new(registry),
        warp: None,
        justifications,
    };
    let voter = VoterLinks {
        imported,
        subscribers,
        store,
        missing,
        voting,
        activity,
        questions,
        false_statements,
    };
    (import, voter, rpc)
}
