//! Nodes that run whole workers in virtual time, for tests: each with its own copy of a chain, all in one thread.

use super::{
    clock::VirtualClock,
    network::{Hub, Syncing},
    no_pool, TestBlock, TestChain, TestClient,
};
use crate::{
    block_import, questions::Questions, run::run_with_clock, DuetBlockImport, Params, Protocols,
};
use duet_gossip::{clock::Clock, requests::Server, Interest};
use duet_keystore::{Signer, SignerError};
use duet_primitives::{
    testing::TestSet, BlockNumber, ConsensusLog, DualKeyBytes, Pk1Bytes, PossessionProof,
    RoundMessage, SecretKey, SignerIndex, UncheckedVote,
};
use duet_voter::{Config, Millis};
use futures::{
    channel::mpsc,
    executor::{LocalPool, LocalSpawner},
    future::{BoxFuture, LocalBoxFuture, RemoteHandle},
    task::LocalSpawnExt,
    FutureExt, StreamExt,
};
use prometheus_endpoint::Registry;
use sc_network_types::PeerId;
use sp_core::traits::SpawnEssentialNamed;
use std::{cell::RefCell, sync::Arc};

/// How much virtual time a test waits for something.
const PATIENCE: Millis = 120_000;

/// A signer with one secret.
pub(crate) struct OneKey(SecretKey);

impl OneKey {
    pub(crate) fn new(secret: SecretKey) -> Self {
        Self(secret)
    }
}

impl Signer for OneKey {
    fn keys(&self) -> Result<Vec<DualKeyBytes>, SignerError> {
        Ok(vec![self.0.public()])
    }

    fn sign_vote(
        &self,
        _: &Pk1Bytes,
        signer: SignerIndex,
        message: &RoundMessage,
    ) -> Result<UncheckedVote, SignerError> {
        Ok(UncheckedVote::sign(&self.0, signer, message))
    }

    fn prove_possession(&self, _: &Pk1Bytes, owner: &[u8]) -> Result<PossessionProof, SignerError> {
        Ok(self.0.prove_possession(owner))
    }
}

/// The network, the chain that every node has a copy of, and the time.
pub(crate) struct Net {
    pub(crate) hub: Hub,
    pub(crate) blocks: Vec<TestBlock>,
    /// Whether all nodes are catching up.
    pub(crate) syncing: Syncing,
    /// Blocks at which the operators of nodes that are started acknowledge contradictions.
    pub(crate) acknowledged: Vec<BlockNumber>,
    clock: VirtualClock,
    pool: RefCell<LocalPool>,
    spawner: LocalSpawner,
    tasks: Tasks,
}

/// Runs the tasks of all nodes in the thread of the test.
#[derive(Clone)]
struct Tasks(mpsc::UnboundedSender<BoxFuture<'static, ()>>);

impl SpawnEssentialNamed for Tasks {
    fn spawn_essential_blocking(
        &self,
        name: &'static str,
        group: Option<&'static str>,
        task: BoxFuture<'static, ()>,
    ) {
        self.spawn_essential(name, group, task);
    }

    fn spawn_essential(
        &self,
        _: &'static str,
        _: Option<&'static str>,
        task: BoxFuture<'static, ()>,
    ) {
        self.0.unbounded_send(task).expect("the test runs");
    }
}

pub(crate) struct Node {
    pub(crate) peer: PeerId,
    pub(crate) chain: TestChain,
    /// The metrics since it was started last.
    registry: Registry,
    /// Asks the worker, as the RPC does.
    pub(crate) questions: Option<Questions>,
    /// Ends with the worker.
    pub(crate) task: Option<RemoteHandle<()>>,
}

impl Net {
    pub(crate) fn new(genesis: TestBlock) -> Self {
        let pool = LocalPool::new();
        let spawner = pool.spawner();
        let (hub, deliveries) = Hub::new();
        spawner.spawn_local(deliveries).unwrap();
        let (tasks, spawned) = mpsc::unbounded();
        let run_all = spawned.for_each_concurrent(None, |task| task);
        spawner.spawn_local(run_all).unwrap();
        Self {
            hub,
            blocks: vec![genesis],
            syncing: Syncing::default(),
            acknowledged: Vec::new(),
            clock: VirtualClock::default(),
            pool: RefCell::new(pool),
            spawner,
            tasks: Tasks(tasks),
        }
    }

    /// The chain of one set, with so many blocks above the genesis.
    pub(crate) fn of(set: &TestSet, blocks: u32) -> Self {
        let block = TestBlock::new(set, set, &[]);
        let mut net = Self::new(block.clone());
        for _ in 0..blocks {
            net.push([], block.clone());
        }
        net
    }

    /// Runs something beside the nodes.
    pub(crate) fn spawn(&self, task: LocalBoxFuture<'static, ()>) {
        self.spawner.spawn_local(task).unwrap();
    }

    /// Starts a node on its own copy of the chain.
    pub(crate) fn start(&self, secret: SecretKey, is_authority: bool) -> Node {
        let mut node = self.node(0);
        self.run(&mut node, secret, is_authority);
        node
    }

    /// A node that does not run yet, on its own copy of the chain; it has no state of the blocks below `first`,
    /// as after a warp sync.
    pub(crate) fn node(&self, first: usize) -> Node {
        let chain = TestChain::default();
        for (number, block) in self.blocks.iter().enumerate() {
            if number < first {
                chain.add(&block.clone().without_state());
            } else {
                chain.add(block);
            }
        }
        Node {
            peer: PeerId::random(),
            chain,
            registry: Registry::new(),
            questions: None,
            task: None,
        }
    }

    /// Runs a stopped node, from what it has stored.
    pub(crate) fn run(&self, node: &mut Node, secret: SecretKey, is_authority: bool) {
        let joined = self.hub.join(node.peer);
        node.registry = Registry::new();
        let (_, links, rpc): (DuetBlockImport<_, TestClient, ()>, _, _) = block_import(
            (),
            node.chain.client.clone(),
            node.chain.backend.clone(),
            None,
        );
        node.questions = Some(rpc.questions);
        let params = Params {
            client: node.chain.client.clone(),
            backend: node.chain.backend.clone(),
            network: joined.network,
            sync: self.syncing.clone(),
            protocols: Protocols {
                notifications: Box::new(joined.notifications),
                requests: Server::new(joined.requests, joined.history),
                genesis_hash: node.chain.chain().hash(BlockNumber::ZERO).unwrap(),
                fork_id: None,
                interest: Interest::Votes,
            },
            signer: Arc::new(OneKey::new(secret)),
            is_authority,
            links,
            offchain_tx_pool_factory: no_pool(),
            acknowledged: self.acknowledged.clone(),
            telemetry: None,
            prometheus_registry: Some(node.registry.clone()),
            spawner: Box::new(self.tasks.clone()),
            config: Config::default(),
        };
        // Boxed as `Send`, which the task manager of a node asks for.
        let worker = run_with_clock(params, Arc::new(self.clock.clone())).boxed();
        node.task = Some(self.spawner.spawn_local_with_handle(worker).unwrap());
    }

    /// Adds a final block to every node's chain.
    pub(crate) fn push<'a>(&mut self, nodes: impl IntoIterator<Item = &'a Node>, block: TestBlock) {
        for node in nodes {
            node.chain.add(&block);
        }
        self.blocks.push(block);
    }

    /// Stops a node; it keeps what it has stored.
    pub(crate) fn stop(&self, node: &mut Node) {
        self.hub.leave(&node.peer);
        let Some(mut task) = node.task.take() else {
            return;
        };
        self.settle();
        let ended = (&mut task).now_or_never();
        assert!(ended.is_some(), "a worker ends when the network is gone");
    }

    /// Works until nothing is left to do now.
    fn settle(&self) {
        self.pool.borrow_mut().run_until_stalled();
    }

    /// Works and lets time pass until `holds`.
    #[track_caller]
    pub(crate) fn eventually(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let deadline = self.clock.now() + PATIENCE;
        self.settle();
        while !holds() {
            assert!(
                self.clock.now() < deadline,
                "{what}: not within {PATIENCE} ms"
            );
            assert!(self.clock.advance(), "{what}: nobody waits for anything");
            self.settle();
        }
    }

    /// Works for some time.
    pub(crate) fn pass(&self, millis: Millis) {
        let until = self.clock.now() + millis;
        self.settle();
        while self.clock.now() < until && self.clock.advance() {
            self.settle();
        }
    }
}

impl Node {
    pub(crate) fn best(&self) -> Option<u32> {
        let best = self.chain.store().best().unwrap()?;
        Some(best.commitment.block_number.get())
    }

    /// What a counter or gauge shows, all labels together.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // A whole number, far below the limit.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        let families = self.registry.gather();
        let family = families.iter().find(|family| family.get_name() == name);
        let values = family.expect("it is registered").get_metric().iter();
        let values = values.map(|it| it.get_gauge().get_value() + it.get_counter().get_value());
        values.sum::<f64>() as u64
    }
}

pub(crate) fn planned(set: &TestSet) -> ConsensusLog {
    ConsensusLog::Planned(set.set.commitment().clone())
}
