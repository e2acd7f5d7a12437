//! Starts the worker: only here the parts and the SDK's types meet.

use crate::{
    activity::ActivityWatch,
    backfill::{self, Backfill, ToCheck},
    catch_up::Follower,
    chain::{blocks::BackendBlocks, runtime::ClientRuntime, Chain},
    client::{AccountId, DuetClient, Outside},
    comparison::Comparison,
    desk::Desk,
    desks,
    divergence::Divergences,
    effects::{Effects, Surroundings},
    error::Error,
    false_statements::VoteWatch,
    handing_off::HandoffReporter,
    handoffs::{
        check::{AnswerCheck, Received},
        HandoffSearch,
    },
    health::SharedVoting,
    imported::{DueImports, ImportedJustifications},
    links::VoterLinks,
    metrics::{LoopMetrics, Metrics, ParticipationMetrics},
    missing::SharedMissing,
    orders::{orders, Orders},
    own_keys::OwnKeys,
    params::Params,
    participation::Watch,
    pauses::Pauses,
    recovery::RecoveryWatch,
    reports::{self, Reporter},
    signing::Signing,
    store::Store,
    suspects::Suspects,
    voting::{self, Voting},
    worker::{Sources, Worker},
};
use duet_gossip::{
    clock::{Clock, SystemClock},
    metrics::Metrics as GossipMetrics,
    Endpoints, GossipValidator, Joined, Network, Settings, LOG_TARGET,
};
use duet_keystore::Signer;
use duet_primitives::{BlockNumber, DuetApi, SetId, H256};
use duet_voter::Config;
use futures::{channel::oneshot, future::Future, stream::BoxStream, FutureExt, StreamExt};
use parking_lot::Mutex;
use prometheus_endpoint::Registry;
use sc_client_api::Backend as BackendT;
use sc_network::{NetworkPeers, NetworkRequest};
use sc_network_sync::SyncEventStream;
use sc_telemetry::TelemetryHandle;
use sp_consensus::SyncOracle;
use sp_core::traits::SpawnEssentialNamed;
use sp_runtime::traits::{Block as BlockT, NumberFor};
use std::{convert::Infallible, sync::Arc};

/// The group of this crate's tasks in the task manager and its metrics.
const GROUP: Option<&str> = Some("finality");

/// Runs Duet on a node until the network shuts down or durable data cannot be written.
///
/// Waits for the chain to have a set first: a chain may adopt Duet by a runtime upgrade. Spawn it as an
/// essential, blocking task: it checks proofs and writes to disk, and a node without it does not finalize.
pub async fn run<Block, Backend, Client, Net, Syncing>(
    params: Params<Block, Backend, Client, Net, Syncing>,
) where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: Into<u32> + From<u32>,
    Backend: BackendT<Block> + 'static,
    Client: DuetClient<Block>,
    Client::Api: DuetApi<Block, AccountId>,
    Net: NetworkPeers + NetworkRequest + Clone + Send + Sync + 'static,
    Syncing: SyncEventStream + SyncOracle + Send + Sync + 'static,
{
    run_with_clock(params, Arc::new(SystemClock::start())).await;
}

/// As [`run`], with another clock.
pub(crate) async fn run_with_clock<Block, Backend, Client, Net, Syncing>(
    params: Params<Block, Backend, Client, Net, Syncing>,
    clock: Arc<dyn Clock>,
) where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: Into<u32> + From<u32>,
    Backend: BackendT<Block> + 'static,
    Client: DuetClient<Block>,
    Client::Api: DuetApi<Block, AccountId>,
    Net: NetworkPeers + NetworkRequest + Clone + Send + Sync + 'static,
    Syncing: SyncEventStream + SyncOracle + Send + Sync + 'static,
{
    let registry = params.prometheus_registry.as_ref();
    let gossip_metrics = GossipMetrics::new(registry);
    let protocols = params.protocols;
    let joined = duet_gossip::join(
        Endpoints {
            network: params.network,
            sync: params.sync,
            notification_service: protocols.notifications,
            fork_id: protocols.fork_id,
            rebroadcast: params.config.rebroadcast,
        },
        Settings {
            genesis_hash: protocols.genesis_hash,
            rounds_per_signer: params.config.rounds_per_signer,
            interest: protocols.interest,
        },
        clock.clone(),
        gossip_metrics.clone(),
    );
    // Strangers choose what it reads: it has a thread of its own.
    let store = params.links.store.clone();
    let server = protocols.requests.run(store, clock.clone(), gossip_metrics);
    params
        .spawner
        .spawn_essential_blocking("duet-serve", GROUP, server.boxed());
    let finality = params.client.finality().map(|_| ()).boxed();
    let outside = Outside::new(params.offchain_tx_pool_factory, params.backend.clone());
    let blocks = BackendBlocks::<Block, Backend>::new(params.backend);
    let runtime = ClientRuntime::new(params.client, outside);
    let chain = Chain::new(
        Arc::new(blocks),
        Arc::new(runtime),
        params.links.store.clone(),
    );
    let worker = start(
        Start {
            chain: Arc::new(chain),
            finality,
            links: params.links,
            signer: params.signer,
            is_authority: params.is_authority,
            config: params.config,
            acknowledged: params.acknowledged,
            telemetry: params.telemetry,
            clock,
            metrics: Metrics::new(registry),
            loop_metrics: LoopMetrics::new(registry),
            participation: ParticipationMetrics::new(registry),
            registry: registry.cloned(),
        },
        joined,
        &*params.spawner,
    );
    match worker.await {
        Ok(never) => match never {},
        Err(error @ Error::NetworkGone) => log::debug!(target: LOG_TARGET, "stopped: {error}"),
        Err(error) => log::error!(target: LOG_TARGET, "stopped: {error}"),
    }
}

/// The inputs of this crate's tasks, without the SDK's types.
struct Start {
    chain: Arc<Chain>,
    finality: BoxStream<'static, ()>,
    links: VoterLinks,
    signer: Arc<dyn Signer>,
    is_authority: bool,
    config: Config,
    acknowledged: Vec<BlockNumber>,
    telemetry: Option<TelemetryHandle>,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
    loop_metrics: LoopMetrics,
    participation: ParticipationMetrics,
    registry: Option<Registry>,
}

/// Starts all tasks except the worker, which it returns. The node cannot run without any of them.
fn start(
    from: Start,
    joined: Joined,
    spawner: &dyn SpawnEssentialNamed,
) -> impl Future<Output = Result<Infallible, Error>> {
    let compute = |name, task| spawner.spawn_essential_blocking(name, GROUP, task);
    for verifier in joined.verifiers {
        compute("duet-verify", verifier);
    }
    let (engine_runs, engine_gone) = oneshot::channel::<Infallible>();
    let engine = joined.engine.map(move |()| drop(engine_runs));
    spawner.spawn_essential("duet-gossip", GROUP, engine.boxed());
    let (signing, signing_links) = Signing::new(from.signer.clone());
    compute("duet-sign", signing.run().boxed());
    let (check, check_links) = AnswerCheck::new(from.chain.clone());
    compute("duet-check-answers", check.run().boxed());
    let watch = Watch::new(from.chain.clone(), from.clock.clone(), from.participation);
    compute("duet-participation", watch.run().map(drop).boxed());
    let recovery = RecoveryWatch::new(
        from.chain.clone(),
        from.clock.clone(),
        from.signer.clone(),
        from.registry,
    );
    compute("duet-recovery", recovery.run().map(drop).boxed());
    let activity = ActivityWatch {
        chain: from.chain.clone(),
        store: from.links.store.clone(),
        clock: from.clock.clone(),
        activity: from.links.activity,
        metrics: from.metrics.clone(),
    };
    compute("duet-activity", activity.run().map(drop).boxed());
    let opened = desks::open(desks::With {
        chain: &from.chain,
        store: from.links.store.clone(),
        network: joined.network.clone(),
        signer: from.signer,
        metrics: &from.metrics,
    });
    joined.validator.watch_with(Arc::new(Suspects {
        chain: from.chain.clone(),
        checks: opened.suspects,
        places: Mutex::default(),
        metrics: from.metrics.clone(),
    }));
    for (name, clerk) in opened.clerks {
        compute(name, clerk);
    }
    let (orders, carrier, failed) = orders();
    let (equivocations, filed) = reports::book(&from.links.store);
    let reporter = Reporter {
        chain: from.chain.clone(),
        filed,
        clock: from.clock.clone(),
        metrics: from.metrics.clone(),
    };
    compute("duet-report", reporter.run().boxed());
    let (false_statements, filed) = from.links.false_statements;
    let accuser = Reporter {
        chain: from.chain.clone(),
        filed,
        clock: from.clock.clone(),
        metrics: from.metrics.clone(),
    };
    compute("duet-accuse", accuser.run().boxed());
    let handoffs = HandoffReporter {
        chain: from.chain.clone(),
        store: from.links.store.clone(),
        clock: from.clock.clone(),
        metrics: from.metrics.clone(),
    };
    compute("duet-hand-off", handoffs.run().map(drop).boxed());
    let votes = VoteWatch {
        chain: from.chain.clone(),
        validator: joined.validator.clone(),
        network: joined.network.clone(),
        reports: false_statements.clone(),
        clock: from.clock.clone(),
    };
    compute("duet-watch-votes", votes.run().boxed());
    let mut effects = Effects::new(Surroundings {
        chain: from.chain.clone(),
        store: from.links.store.clone(),
        network: joined.network.clone(),
        validator: joined.validator.clone(),
        desks: opened.desks,
        equivocations,
        false_statements,
        signing: signing_links.requests,
        subscribers: from.links.subscribers,
        telemetry: from.telemetry.clone(),
        metrics: from.metrics.clone(),
    });
    let carrier = carrier.run(move |order| effects.carry_out(order));
    compute("duet-effects", carrier.boxed());
    let sources = Sources {
        finality: from.finality,
        checked: joined.checked,
        imported: from.links.imported,
        signed: signing_links.signed,
        answers: check_links.checked,
        done: opened.done,
        questions: from.links.questions,
        failed,
        recalled: (from.links.store.divergences(), from.acknowledged),
        network_gone: engine_gone.map(drop).boxed(),
    };
    let worker = assemble(Node {
        chain: from.chain,
        store: from.links.store,
        network: joined.network,
        validator: joined.validator,
        clock: from.clock,
        orders,
        keys: opened.keys,
        imports: opened.imports,
        history: opened.history,
        received: check_links.received,
        is_authority: from.is_authority,
        missing: from.links.missing,
        voting: from.links.voting,
        reviews: opened.reviews,
        telemetry: from.telemetry,
        metrics: from.metrics,
        loop_metrics: from.loop_metrics,
        config: from.config,
    });
    worker.run(sources)
}

/// The inputs of the worker's parts.
struct Node {
    chain: Arc<Chain>,
    store: Store,
    network: Arc<dyn Network>,
    validator: Arc<GossipValidator>,
    clock: Arc<dyn Clock>,
    orders: Orders,
    keys: Desk<()>,
    imports: Desk<DueImports>,
    history: Desk<Box<ToCheck>>,
    received: async_channel::Sender<Received>,
    is_authority: bool,
    missing: SharedMissing,
    voting: SharedVoting,
    reviews: Desk<SetId>,
    telemetry: Option<TelemetryHandle>,
    metrics: Metrics,
    loop_metrics: LoopMetrics,
    config: Config,
}

/// Gives each part of the worker what it needs.
fn assemble(node: Node) -> Worker {
    let Node {
        chain,
        store,
        network,
        metrics,
        ..
    } = node;
    let voting = voting::Parts {
        clock: node.clock.clone(),
        validator: node.validator,
        orders: node.orders,
        keys: OwnKeys::new(node.keys, node.is_authority, metrics.clone()),
        handoffs: HandoffSearch::new(network.clone(), node.received, metrics.clone()),
        comparison: Comparison::new(chain.clone(), metrics.clone()),
        divergences: Divergences::new(metrics.clone(), node.telemetry),
        voting: node.voting,
        metrics: metrics.clone(),
    };
    let backfill = backfill::Parts {
        chain: chain.clone(),
        store: store.clone(),
        network: network.clone(),
        missing: node.missing,
        checks: node.history,
        metrics: metrics.clone(),
    };
    Worker {
        clock: node.clock.clone(),
        network: network.clone(),
        voting: Voting::new(node.config, voting),
        follower: Follower::new(chain, store, network, node.clock),
        imported: ImportedJustifications::new(node.imports, metrics),
        backfill: Backfill::new(backfill),
        reviews: node.reviews,
        review_at: 0,
        pauses: Pauses::new(node.loop_metrics),
        housekeeping_at: 0,
        behind: false,
    }
}
