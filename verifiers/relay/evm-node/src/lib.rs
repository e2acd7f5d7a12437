//! An EVM chain in one process, served over JSON-RPC on loopback, for tests and demos of the relayer.
//!
//! ```no_run
//! use duet_evm_node::{Address, Config, EvmNode, Mining, U256};
//!
//! # async fn example() -> Result<(), duet_evm_node::StartError> {
//! let node = EvmNode::start(Config {
//!     mining: Mining::ByHand,
//!     funded: vec![(Address::repeat_byte(1), U256::from(10).pow(U256::from(18)))],
//!     ..Config::default()
//! })
//! .await?;
//! println!("send transactions to {}", node.url());
//! node.mine();
//! # Ok(())
//! # }
//! ```
//!
//! Blocks, gas and fees are real: revm executes transactions under the rules of a fork of Ethereum,
//! and senders pay for them. Answers and errors are those of other nodes, so that clients work
//! unchanged. What is left out, since no test of a relayer needs it:
//!
//! - The base fee stays what it is set to; it does not follow the gas used.
//! - A block is final at once, and there are no forks. The pending block itself is not shown, only
//!   calls, balances and nonces after it.
//! - The state of blocks before the latest is not kept, and no root of the state is computed.
//! - There are no system calls (EIP-2935, EIP-4788), blobs, or delegations (EIP-7702).
//! - Blocks are kept for ever in memory. Those made within one second are a second apart all the same,
//!   so their timestamps can run ahead of the clock.

mod admission;
mod block;
mod chain;
mod config;
mod evm;
mod fees;
mod fill;
mod node;
mod pool;
mod refusal;
mod rpc;
mod snapshot;

pub use alloy_primitives::{Address, Bytes, B256, U256};
pub use config::{Config, Fork, Mining};

use chain::{At, Chain};
use jsonrpsee::{
    core::RegisterMethodError,
    server::{BatchRequestConfig, Server, ServerHandle},
};
use node::Node;
use std::{net::Ipv4Addr, sync::Arc};
use thiserror::Error;
use tokio::task::JoinHandle;

/// The most bytes of a request: several times the largest transaction.
const MAX_REQUEST_BYTES: u32 = 2 * 1024 * 1024;

/// The most bytes of an answer.
const MAX_RESPONSE_BYTES: u32 = 16 * 1024 * 1024;

/// The most requests in one batch.
const MAX_BATCH: u32 = 100;

/// Why a node does not start.
#[derive(Debug, Error)]
pub enum StartError {
    /// The port cannot be bound.
    #[error("the server does not start: {0}")]
    Server(#[from] std::io::Error),
    /// A mistake in this crate.
    #[error("a method is registered twice: {0}")]
    Methods(#[from] RegisterMethodError),
}

/// A running chain. It ends when this is dropped.
#[derive(Debug)]
pub struct EvmNode {
    node: Arc<Node>,
    url: String,
    server: ServerHandle,
    miner: JoinHandle<()>,
}

impl EvmNode {
    /// Starts a chain on the current tokio runtime.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        let node = Arc::new(Node::new(Chain::new(&config), config.mining));
        let methods = rpc::module(Arc::clone(&node))?;
        let server = Server::builder()
            .http_only()
            .max_request_body_size(MAX_REQUEST_BYTES)
            .max_response_body_size(MAX_RESPONSE_BYTES)
            .set_batch_request_config(BatchRequestConfig::Limit(MAX_BATCH))
            .build((Ipv4Addr::LOCALHOST, config.port))
            .await?;
        Ok(Self {
            url: format!("http://{}", server.local_addr()?),
            miner: tokio::spawn(Arc::clone(&node).mine_in_intervals()),
            server: server.start(methods),
            node,
        })
    }

    /// Where JSON-RPC is served.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Makes one block of what the pool has for it, however blocks are made otherwise.
    pub fn mine(&self) {
        self.node.chain().mine();
    }

    /// Changes when blocks are made.
    pub fn set_mining(&self, mining: Mining) {
        self.node.set_mining(mining);
    }

    /// Sets the base fee, in wei, of the blocks from the next on.
    pub fn set_base_fee(&self, base_fee: u64) {
        self.node.change(|chain| chain.set_base_fee(base_fee));
    }

    /// Makes every request fail with an internal error, or ends that. The chain goes on meanwhile.
    pub fn set_refusing(&self, is_refusing: bool) {
        self.node.set_refusing(is_refusing);
    }

    /// Sets a balance, in wei.
    pub fn set_balance(&self, address: Address, balance: U256) {
        self.node
            .change(|chain| chain.set_balance(address, balance));
    }

    /// A balance after the latest block, in wei.
    pub fn balance(&self, address: Address) -> U256 {
        self.node.chain().account(address).balance
    }

    /// The code of an account after the latest block; empty where there is none.
    pub fn code(&self, address: Address) -> Bytes {
        self.node.chain().snapshot(At::Latest).code(address)
    }

    /// The number of the latest block.
    pub fn block_number(&self) -> u64 {
        self.node.chain().head().header.number
    }

    /// How many transactions are in no block yet.
    pub fn pool_len(&self) -> usize {
        self.node.chain().pool().len()
    }
}

impl Drop for EvmNode {
    fn drop(&mut self) {
        self.miner.abort();
        // The only error is that the server has stopped before.
        let _ = self.server.stop();
    }
}
