//! A reset is crossed by the operator's proof, and what others announce is watched. (RECOVER-7, RECOVER-8)

mod proof;
mod watch;

// What other tests need of the node is not used here.
#[allow(dead_code, unreachable_pub, missing_docs)]
#[path = "../../../tests/support/reset.rs"]
mod reset;

use super::*;
use duet_primitives::{Keysets, RecoveryStatement};
use reset::{ResetChain, ResetNode, Serves, ABOUT, AFTER, DELAY, NEWER, OTHER_RESET, RESET};
use std::{num::NonZeroU32, sync::Arc};

/// A verifier at this block that waits for nothing.
pub(super) fn at(best: BlockNumber, hash: H256) -> RecoveryStatus {
    RecoveryStatus {
        best,
        hash: Some(hash),
        announced: None,
    }
}

/// A chain that lost its keys, some of its nodes, and a verifier before the reset.
struct World {
    chain: Arc<ResetChain>,
    nodes: Vec<ResetNode>,
    urls: Vec<String>,
    verifier: Verifier,
    registry: prometheus_endpoint::Registry,
    told: RefCell<Vec<Event>>,
}

/// What a relayer has to do, in a word.
#[derive(Debug, PartialEq, Eq)]
enum Did {
    Proof(u32),
    Announcement,
    Crossing,
    Nothing,
    Later,
}

impl World {
    /// With nodes that serve these things, and a verifier at the block that the statement is about.
    async fn new(chain: ResetChain, serves: &[Serves]) -> Self {
        let chain = Arc::new(chain);
        let mut nodes = Vec::new();
        for serves in serves {
            nodes.push(ResetNode::start(&chain, *serves).await);
        }
        let verifier = Verifier::at_genesis(chain.genesis_hash, &chain.first());
        let world = Self {
            chain,
            urls: nodes.iter().map(|node| node.url.clone()).collect(),
            nodes,
            verifier,
            registry: prometheus_endpoint::Registry::new(),
            told: RefCell::default(),
        };
        world.moves_to(ABOUT, world.chain.hash(ABOUT));
        world
    }

    async fn usual() -> Self {
        Self::new(ResetChain::new(false, true), &[Serves::all()]).await
    }

    fn moves_to(&self, block: u32, hash: H256) {
        let mut status = self.verifier.0.status.get();
        status.best = BlockNumber::new(block);
        self.verifier.0.status.set(status);
        *self.verifier.0.recovery.borrow_mut() = Some(at(status.best, hash));
    }

    /// Somebody announces a statement about the verifier's newest block.
    fn announced(&self, statement: RecoveryStatement, left: u64) {
        let mut recovery = self.verifier.0.recovery.borrow_mut();
        recovery.as_mut().expect("it crosses resets").announced = Some(Announced {
            statement: Some(statement),
            left,
            is_contradicted: false,
        });
    }

    /// As a verifier that keeps a hash of it, and a node that gives no events.
    fn hides_the_statement(&self) {
        let mut recovery = self.verifier.0.recovery.borrow_mut();
        let announced = recovery.as_mut().and_then(|it| it.announced.as_mut());
        announced.expect("it is announced").statement = None;
    }

    fn waits(&self, left: u64) {
        let mut recovery = self.verifier.0.recovery.borrow_mut();
        let announced = recovery.as_mut().and_then(|it| it.announced.as_mut());
        announced.expect("it is announced").left = left;
    }

    fn relayer_with(&self, policy: Policy) -> Relayer<Verifier> {
        let genesis = self.chain.genesis_hash;
        let mut source = Source::new(&self.urls, genesis, LONG, Duration::from_secs(1));
        source.remember(&Keysets::without_successor(self.chain.first()));
        let (relayer, demands) = Relayer::new(source, self.verifier.clone(), policy);
        // Nobody demands anything.
        drop(demands);
        relayer
    }

    fn relayer(&self) -> Relayer<Verifier> {
        self.relayer_with(Policy {
            every: None,
            patience: Duration::ZERO,
            turns: Turns::alone(),
        })
    }

    /// Looks with a relayer that has just started, and knows the true statement's proof.
    async fn restarted(&self) -> Did {
        let proof = self.chain.recovery(&self.chain.statement());
        let mut relayer = self.relayer().with_recovery_proof(proof);
        self.look(&mut relayer).await
    }

    async fn look(&self, relayer: &mut Relayer<Verifier>) -> Did {
        let mut tell = |event| self.told.borrow_mut().push(event);
        let look = relayer.tell_of_look(&mut tell).await;
        match look.expect("both are there") {
            Look::Nothing(_) => Did::Nothing,
            Look::Later(_) => Did::Later,
            Look::Submitted(cargo, _) | Look::Estimated(cargo, _) => match cargo {
                Cargo::Proof(delivery) => Did::Proof(delivery.block().get()),
                Cargo::Announcement(_) => Did::Announcement,
                Cargo::Crossing(_) => Did::Crossing,
                Cargo::Parcel(parcel) => panic!("{parcel:?}"),
            },
            Look::Trouble(error) => panic!("{error}"),
        }
    }

    /// Why the proof was not used, as was told.
    fn obstacles(&self) -> Vec<String> {
        let told = self.told.borrow();
        let reasons = told.iter().filter_map(|event| match event {
            Event::NotRecovered { reason, .. } => Some(reason.clone()),
            _ => None,
        });
        reasons.collect()
    }

    /// Why an announcement was doubted, as was told.
    fn doubts(&self) -> Vec<String> {
        let told = self.told.borrow();
        let reasons = told.iter().filter_map(|event| match event {
            Event::RecoveryUnfounded { reason, .. } => Some(reason.clone()),
            _ => None,
        });
        reasons.collect()
    }

    fn with_metrics(&self, relayer: Relayer<Verifier>) -> Relayer<Verifier> {
        relayer.with_metrics(Metrics::register(&self.registry).expect("they are new"))
    }

    fn metric(&self, name: &str) -> f64 {
        let families = self.registry.gather();
        let family = families.iter().find(|family| family.get_name() == name);
        let family = family.unwrap_or_else(|| panic!("there is no {name}"));
        let metric = &family.get_metric()[0];
        metric.get_gauge().get_value() + metric.get_counter().get_value()
    }
}
