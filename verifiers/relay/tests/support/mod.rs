//! A chain whose proofs are brought, anvil with the contract, and relayers between them.

// Each test program uses a part of this.
#![allow(dead_code, unreachable_pub, missing_docs)]

mod chain;
mod ethereum;
mod gate;
mod reset;

pub use chain::{proof, ChainNode, VALIDATORS};
pub use ethereum::EthereumNode;
pub use gate::{Fault, Gate};
pub use reset::{ResetChain, ResetNode, Serves, ABOUT, AFTER, DELAY, NEWER, OTHER_RESET};

use alloy::{primitives::Address, signers::local::PrivateKeySigner};
use duet_light_client::{testing::TestChain, Checkpoint};
use duet_relay::{
    evm::{self, Evm, Options},
    Demands, Event, Look, Policy, Receipt, Relayer, Source, Status, Target, Turns,
};
use std::{
    future::Future,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Longer than anything here takes.
pub const LONG: Duration = Duration::from_secs(60);
/// The contract's trusting period, in seconds.
pub const TRUSTING_PERIOD: u64 = 86_400;
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
    pub evm: EthereumNode,
    pub contract: Address,
}

impl World {
    /// The source's head is its block `head`.
    pub async fn new(head: u32) -> Self {
        let evm = EthereumNode::anvil().await;
        for number in 1..=3 {
            evm.set_balance(key(number).address(), FUNDS).await;
        }
        Self::between(SETS, head, evm).await
    }

    /// The same with another number of sets, before a node on which the third account has funds.
    pub async fn between(sets: u64, head: u32, evm: EthereumNode) -> Self {
        let chain = TestChain::new(sets, VALIDATORS, 7);
        let node = ChainNode::start(&chain, head).await;
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
        deploy(&target, &bytecode(), &checkpoint, &[]).await.0
    }

    pub fn target(&self, account: u8) -> Evm {
        self.target_at(self.contract, account)
    }

    fn target_at(&self, contract: Address, account: u8) -> Evm {
        self.target_with(contract, account, options())
    }

    pub fn target_with(&self, contract: Address, account: u8, options: Options) -> Evm {
        Evm::new(&self.evm.url, contract, Some(key(account)), options).expect("a URL")
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

    /// The first account's, with everything from and to the EVM through a gate.
    pub fn relayer_through(&self, gate: &Gate, options: Options) -> (Relayer<Evm>, Demands) {
        let target = Evm::new(&gate.url, self.contract, Some(key(1)), options);
        Relayer::new(self.source(), target.expect("a URL"), policy())
    }

    pub async fn status(&self) -> Status {
        self.target(1).status().await.expect("it answers")
    }

    /// What an account has paid since the start, in wei.
    pub async fn paid(&self, account: u8) -> u128 {
        FUNDS - self.evm.balance(key(account).address()).await
    }
}

/// Deploys a contract; where it is, and what was deployed before it.
pub async fn deploy(
    target: &Evm,
    bytecode: &Path,
    checkpoint: &Checkpoint,
    libraries: &[(String, Address)],
) -> (Address, Vec<(String, Address)>) {
    let contract = evm::Deployment {
        bytecode,
        libraries,
        checkpoint,
        trusting_period: TRUSTING_PERIOD,
        owner: None,
    };
    let mut before = Vec::new();
    let told = |name: &str, it: &evm::Deployed| before.push((name.to_owned(), it.address));
    let deployed = evm::deploy(target, &contract, told).await;
    (deployed.expect("it is deployed").address, before)
}

pub fn bytecode() -> PathBuf {
    bytecode_of("DuetLightClient")
}

pub fn bytecode_of(contract: &str) -> PathBuf {
    let contracts = concat!(env!("CARGO_MANIFEST_DIR"), "/../contracts/out");
    format!("{contracts}/{contract}.bin").into()
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
pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !holds().await {
        assert!(Instant::now() < end, "it takes too long: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Runs something until a condition holds, and drops it then, as if the program had been killed.
pub async fn kill_when(work: impl Future<Output = ()>, condition: impl Future<Output = ()>) {
    tokio::select! {
        () = work => panic!("it ended before"),
        () = condition => {}
    }
}

/// No one listens.
pub fn quiet(_: Event) {}
