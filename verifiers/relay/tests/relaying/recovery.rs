//! Relayers between a chain that has lost its keys and the contract with recovery in anvil. (RECOVER-7, RECOVER-8)

use crate::support::{
    bytecode_of, deploy, key, options, policy, until_nothing, EthereumNode, Fault, Gate,
    ResetChain, ResetNode, Serves, ABOUT, AFTER, DELAY, FUNDS, LONG, NEWER, OTHER_RESET,
};
use alloy::primitives::Address;
use duet_light_client::Checkpoint;
use duet_primitives::{BlockNumber, Keysets, RecoveryStatement, H256};
use duet_relay::{
    evm::Evm, Cargo, Delivered, Event, Look, Policy, Relayer, Source, Status, Target,
};
use std::{num::NonZeroU32, sync::Arc, time::Duration};

/// A chain that lost its keys, a node of it, and the contract before the reset.
struct World {
    chain: Arc<ResetChain>,
    node: ResetNode,
    evm: EthereumNode,
    contract: Address,
}

impl World {
    /// With the contract at this block.
    async fn new(chain: ResetChain, serves: Serves, block: u32, hash: H256) -> Self {
        let chain = Arc::new(chain);
        let node = ResetNode::start(&chain, serves).await;
        let evm = EthereumNode::anvil().await;
        for number in 1..=2 {
            evm.set_balance(key(number).address(), FUNDS).await;
        }
        let target = Evm::new(&evm.url, Address::ZERO, Some(key(1)), options()).expect("a URL");
        let checkpoint = Checkpoint {
            genesis_hash: chain.genesis_hash,
            block_number: BlockNumber::new(block),
            block_hash: hash,
            keysets: Keysets::without_successor(chain.first()),
        };
        let code = bytecode_of("RecoverableDuetLightClient");
        let (contract, _) = deploy(&target, &code, &checkpoint, &[]).await;
        Self {
            chain,
            node,
            evm,
            contract,
        }
    }

    /// With the contract at the block that the statement is about.
    async fn at_the_last_proof(serves: Serves) -> Self {
        let chain = ResetChain::new(false, true);
        let hash = chain.hash(ABOUT);
        Self::new(chain, serves, ABOUT, hash).await
    }

    fn relayer_to(&self, node: &ResetNode, evm: &str, account: u8) -> Relayer<Evm> {
        let urls = std::slice::from_ref(&node.url);
        let genesis = self.chain.genesis_hash;
        let mut source = Source::new(urls, genesis, LONG, Duration::from_secs(1));
        source.remember(&Keysets::without_successor(self.chain.first()));
        let policy = Policy {
            every: NonZeroU32::new(1),
            ..policy()
        };
        let target = Evm::new(evm, self.contract, Some(key(account)), options());
        let (relayer, demands) = Relayer::new(source, target.expect("a URL"), policy);
        // Nobody demands anything.
        drop(demands);
        relayer
    }

    fn relayer(&self) -> Relayer<Evm> {
        self.relayer_to(&self.node, &self.evm.url, 1)
    }

    /// One that has just started, and knows the proof of a statement.
    fn relayer_with(&self, statement: &RecoveryStatement) -> Relayer<Evm> {
        let proof = self.chain.recovery(statement);
        self.relayer().with_recovery_proof(proof)
    }

    async fn status(&self) -> Status {
        let relayer = self.relayer();
        relayer.target().status().await.expect("it answers")
    }

    /// What is announced, by the contract's events, and whether it was contradicted.
    async fn announced(&self) -> Option<(RecoveryStatement, bool)> {
        let recovery = self.relayer().target().recovery(None).await;
        let recovery = recovery.expect("it answers").expect("it crosses resets");
        let announced = recovery.announced?;
        let statement = announced.statement.expect("anvil shows all events");
        Some((statement, announced.is_contradicted))
    }

    /// The holders of stolen keys announce another reset, and have a node that bears it out.
    async fn lied_to(&self) -> RecoveryStatement {
        let lie = self.chain.lie_of_another_reset();
        let serves = Serves {
            reset: Some(OTHER_RESET),
            ..Serves::all()
        };
        let node = ResetNode::start(&self.chain, serves).await;
        let thief = self.relayer_to(&node, &self.evm.url, 2);
        let mut thief = thief.with_recovery_proof(self.chain.recovery(&lie));
        assert_eq!(done(&mut thief).await, ["announcement"]);
        assert_eq!(self.announced().await, Some((lie.clone(), false)));
        lie
    }
}

/// What was submitted until there was nothing to do, all of it taken.
async fn done(relayer: &mut Relayer<Evm>) -> Vec<String> {
    let mut done = Vec::new();
    loop {
        match relayer.look().await.expect("both chains are there") {
            Look::Nothing(_) => return done,
            Look::Submitted(cargo, receipt) => {
                assert_eq!(receipt.result, Delivered::Taken, "{cargo}");
                done.push(match cargo {
                    Cargo::Announcement(_) => "announcement".to_owned(),
                    Cargo::Crossing(_) => "crossing".to_owned(),
                    proof => proof.to_string(),
                });
            }
            other => panic!("{other:?}"),
        }
    }
}

fn block(number: u32) -> String {
    format!("block {number}")
}

#[tokio::test]
async fn lost_keys_are_crossed_after_the_wait_by_whoever_runs_then() {
    for hands_off in [false, true] {
        let chain = ResetChain::new(hands_off, true);
        let serves = Serves::all();
        let world = World::new(chain, serves, 2, H256::repeat_byte(9)).await;
        let statement = world.chain.statement();
        let gate = Gate::start(&world.evm.url).await;
        // Its own statement needs no event.
        gate.set(hands_off.then_some(Fault::NoEvents));
        let proof = || world.chain.recovery(&statement);
        let relayer = || world.relayer_to(&world.node, &gate.url, 1);
        let mut first = relayer().with_recovery_proof(proof());
        assert_eq!(done(&mut first).await, [&block(ABOUT), "announcement"]);
        assert_eq!(world.announced().await, Some((statement.clone(), false)));
        // A moment is left, and it has been announced.
        world.evm.pass(DELAY - 60).await;
        let mut other = relayer().with_recovery_proof(proof());
        assert!(done(&mut other).await.is_empty());
        world.evm.pass(60).await;
        assert_eq!(done(&mut other).await, ["crossing", &block(AFTER)]);
        let status = world.status().await;
        assert_eq!(status.signing.id, statement.set.id);
        assert!(done(&mut first).await.is_empty());
    }
}

/// The contract asks for no MMR root there.
#[tokio::test]
async fn a_contract_that_began_at_the_last_proof_is_brought_across_too() {
    let has_no_proof_of_it = Serves {
        lost: 1,
        last: false,
        ..Serves::all()
    };
    let world = World::at_the_last_proof(has_no_proof_of_it).await;
    let mut relayer = world.relayer_with(&world.chain.statement());
    assert_eq!(done(&mut relayer).await, ["announcement"]);
    world.evm.pass(DELAY).await;
    assert_eq!(done(&mut relayer).await, ["crossing", &block(AFTER)]);
}

/// RECOVER-8: what is announced is known from the contract's event, and a newer proof ends it.
#[tokio::test]
async fn a_false_announcement_is_doubted_and_ended_by_a_newer_proof() {
    let world = World::at_the_last_proof(Serves::all()).await;
    world.lied_to().await;
    let mut relayer = world.relayer();
    assert!(until_nothing(&mut relayer).await.is_empty());
    world.node.set(|serves| serves.lost = NEWER);
    let mut told = Vec::new();
    let status = relayer.run_once(|event| told.push(event)).await;
    assert_eq!(status.expect("both are there").best.get(), NEWER);
    let is_doubt = |event: &Event| {
        matches!(event, Event::RecoveryUnfounded { reset_block, .. }
            if reset_block.get() == OTHER_RESET)
    };
    assert!(told.iter().any(is_doubt), "{told:?}");
    assert_eq!(world.announced().await, None);
}

/// RECOVER-8: two statements about one block.
#[tokio::test]
async fn the_true_proof_contradicts_a_false_announcement_and_nobody_crosses() {
    let world = World::at_the_last_proof(Serves::all()).await;
    let lie = world.lied_to().await;
    let mut relayer = world.relayer_with(&world.chain.statement());
    assert_eq!(done(&mut relayer).await, ["announcement"]);
    assert_eq!(world.announced().await, Some((lie.clone(), true)));
    world.evm.pass(DELAY).await;
    assert!(done(&mut relayer).await.is_empty());
    assert!(done(&mut world.relayer_with(&lie)).await.is_empty());
    assert_eq!(world.status().await.best.get(), ABOUT);
}

/// Some nodes give events of a few blocks alone.
#[tokio::test]
async fn without_the_event_there_is_a_warning_and_the_newer_proof_is_brought_all_the_same() {
    let world = World::at_the_last_proof(Serves::all()).await;
    world.lied_to().await;
    world.node.set(|serves| serves.lost = NEWER);
    let gate = Gate::start(&world.evm.url).await;
    gate.set(Some(Fault::NoEvents));
    let mut relayer = world.relayer_to(&world.node, &gate.url, 1);
    let mut told = Vec::new();
    let status = relayer.run_once(|event| told.push(event)).await;
    assert_eq!(status.expect("both are there").best.get(), NEWER);
    let is_warning = |event: &&Event| {
        matches!(event, Event::RecoveryHidden { block, seconds_left }
            if block.get() == ABOUT && (1..=DELAY).contains(seconds_left))
    };
    assert_eq!(told.iter().filter(is_warning).count(), 1, "{told:?}");
}
