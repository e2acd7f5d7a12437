//! Nodes that run whole workers, for tests: each with its own copy of a chain.

use super::{
    network::{Hub, Synced},
    TestBlock, TestChain, TestClient,
};
use crate::{
    client::{block_import, run, DuetBlockImport, Params},
    network::requests::Server,
};
use duet_keystore::{Signer, SignerError};
use duet_primitives::{
    testing::TestSet, ConsensusLog, DualKeyBytes, Pk1Bytes, PossessionProof, RoundMessage,
    SecretKey, SignerIndex, UncheckedVote,
};
use duet_voter::Config;
use futures::{executor::block_on, FutureExt};
use sc_network_types::PeerId;
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use std::{
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

const PATIENCE: Duration = Duration::from_secs(60);

/// A signer with one secret.
pub(crate) struct OneKey(SecretKey);

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

/// The network, the chain that every node has a copy of, and the nodes.
pub(crate) struct Net {
    pub(crate) hub: Hub,
    pub(crate) blocks: Vec<TestBlock>,
}

pub(crate) struct Node {
    pub(crate) peer: PeerId,
    pub(crate) chain: TestChain,
    thread: Option<JoinHandle<()>>,
}

impl Net {
    pub(crate) fn new(genesis: TestBlock) -> Self {
        Self {
            hub: Hub::default(),
            blocks: vec![genesis],
        }
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
            thread: None,
        }
    }

    /// Runs a node that stands still, from what it has stored.
    pub(crate) fn run(&self, node: &mut Node, secret: SecretKey, is_authority: bool) {
        let joined = self.hub.join(node.peer);
        let (_, links, _): (DuetBlockImport<_, TestClient, ()>, _, _) = block_import(
            (),
            node.chain.client.clone(),
            node.chain.backend.clone(),
            None,
        );
        let params = Params {
            client: node.chain.client.clone(),
            backend: node.chain.backend.clone(),
            network: joined.network,
            sync: Synced,
            notification_service: Box::new(joined.notifications),
            genesis_hash: node.chain.chain().hash(0).unwrap(),
            fork_id: None,
            requests: Server::over(joined.requests, joined.history),
            signer: Arc::new(OneKey(secret)),
            is_authority,
            links,
            offchain_tx_pool_factory: OffchainTransactionPoolFactory::new(
                sc_transaction_pool_api::RejectAllTxPool::default(),
            ),
            prometheus_registry: None,
            config: Config {
                publish_step: 50,
                ..Config::default()
            },
        };
        // Boxed as `Send`, which the task manager of a node asks for.
        node.thread = Some(thread::spawn(move || block_on(run(params).boxed())));
    }

    /// Adds a final block to every node's chain.
    pub(crate) fn push(&mut self, nodes: &[&Node], block: TestBlock) {
        for node in nodes {
            node.chain.add(&block);
        }
        self.blocks.push(block);
    }

    pub(crate) fn stop(&self, node: &mut Node) {
        self.hub.leave(&node.peer);
        if let Some(thread) = node.thread.take() {
            thread.join().expect("a worker ends without a panic");
        }
    }
}

impl Node {
    pub(crate) fn best(&self) -> Option<u32> {
        Some(self.chain.store().best().unwrap()?.commitment.block_number)
    }
}

#[track_caller]
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}: not within {PATIENCE:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn planned(set: &TestSet) -> ConsensusLog {
    ConsensusLog::Planned(set.set.commitment().clone())
}
