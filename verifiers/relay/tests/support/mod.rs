//! A chain whose proofs are brought, an EVM chain with the contract, and relayers between them.

// Each test program uses a part of this.
#![allow(dead_code, unreachable_pub, missing_docs)]

mod chain;

pub use chain::{proof, ChainNode, VALIDATORS};

use alloy::{primitives::Address, signers::local::PrivateKeySigner};
use duet_evm_node::{Config, EvmNode, Mining, U256};
use duet_light_client::testing::TestChain;
use duet_relay::{
    evm::{self, Evm, Options},
    Demands, Event, Look, Policy, Receipt, Relayer, Source, Status, Target, Turns,
};
use std::{
    future::Future,
    path::PathBuf,
    time::{Duration, Instant},
};

/// Longer than anything here takes.
pub const LONG: Duration = Duration::from_secs(60);
pub const GWEI: u128 = 1_000_000_000;
/// What each account has.
pub const FUNDS: u128 = 1_000_000 * GWEI * 1_000;

/// Sets of the chain.
pub const SETS: u64 = 6;

pub fn options() -> Options {
    Options {
        max_fee_per_gas: 100 * GWEI,
        timeout: Duration::from_secs(10),
        resend_after: LONG,
        look_every: Duration::from_millis(10),
    }
}

pub fn policy() -> Policy {
    Policy {
        every: None,
        patience: Duration::ZERO,
        turns: Turns::alone(),
    }
}

pub fn key(number: u8) -> PrivateKeySigner {
    PrivateKeySigner::from_slice(&[number; 32]).expect("it is a secret")
}

/// Both chains, and the contract at the source's block `from`.
pub struct World {
    pub chain: TestChain,
    pub node: ChainNode,
    pub evm: EvmNode,
    pub contract: Address,
}

impl World {
    /// The source's head is its block `head`.
    pub async fn new(head: u32) -> Self {
        let chain = TestChain::new(SETS, VALIDATORS, 7);
        let node = ChainNode::start(&chain, head).await;
        let accounts = (1..=3).map(|number| (key(number).address(), U256::from(FUNDS)));
        let evm = EvmNode::start(Config {
            funded: accounts.collect(),
            ..Config::default()
        })
        .await
        .expect("it starts");
        let mut world = Self {
            chain,
            node,
            evm,
            contract: Address::ZERO,
        };
        world.contract = world.deploy(0).await;
        world
    }

    /// Deploys a contract that begins at the first block of a set.
    pub async fn deploy(&self, set: u64) -> Address {
        let target = self.target_at(Address::ZERO, 3);
        let checkpoint = self.chain.checkpoint(set);
        let deployed = evm::deploy(&target, &bytecode(), &checkpoint, None).await;
        deployed.expect("it is deployed").address
    }

    pub fn target(&self, account: u8) -> Evm {
        self.target_at(self.contract, account)
    }

    fn target_at(&self, contract: Address, account: u8) -> Evm {
        self.target_with(contract, account, options())
    }

    pub fn target_with(&self, contract: Address, account: u8, options: Options) -> Evm {
        Evm::new(self.evm.url(), contract, Some(key(account)), options).expect("a URL")
    }

    pub fn source(&self) -> Source {
        self.source_at(&[&self.node])
    }

    pub fn source_at(&self, nodes: &[&ChainNode]) -> Source {
        let urls: Vec<_> = nodes.iter().map(|node| node.url.clone()).collect();
        Source::new(&urls, self.chain.genesis_hash, LONG, Duration::from_secs(1))
    }

    pub fn relayer(&self, account: u8) -> (Relayer<Evm>, Demands) {
        Relayer::new(self.source(), self.target(account), policy())
    }

    pub async fn status(&self) -> Status {
        self.target(1).status().await.expect("it answers")
    }

    /// What an account has paid since the start, in wei.
    pub fn paid(&self, account: u8) -> u128 {
        let balance = self.evm.balance(key(account).address());
        FUNDS - u128::try_from(balance).expect("it had less")
    }

    /// Makes blocks by hand from now on.
    pub fn by_hand(&self) {
        self.evm.set_mining(Mining::ByHand);
    }
}

pub fn bytecode() -> PathBuf {
    concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../contracts/out/DuetLightClient.bin"
    )
    .into()
}

/// Looks until nothing is wanted; what was submitted.
pub async fn until_nothing<T: Target>(relayer: &mut Relayer<T>) -> Vec<Receipt> {
    let mut receipts = Vec::new();
    loop {
        match relayer.look().await.expect("both chains are there") {
            Look::Nothing(_) => return receipts,
            Look::Submitted(_, receipt) => receipts.push(receipt),
            other => panic!("{other:?}"),
        }
    }
}

/// Waits for something, for a bounded time.
pub async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !holds() {
        assert!(Instant::now() < end, "it takes too long: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Runs something until a condition holds, and drops it then, as if the program had been killed.
pub async fn kill_when(work: impl Future<Output = ()>, what: &str, holds: impl FnMut() -> bool) {
    tokio::select! {
        () = work => panic!("it ended before: {what}"),
        () = until(what, holds) => {}
    }
}

/// No one listens.
pub fn quiet(_: Event) {}
