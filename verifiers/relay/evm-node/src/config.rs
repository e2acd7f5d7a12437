//! What a chain starts with.

use alloy_primitives::{Address, U256};
use std::time::Duration;

/// The rules of execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fork {
    /// Since May 2025.
    Prague,
    /// Since December 2025: a transaction has at most 2^24 gas.
    Osaka,
}

/// When blocks are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mining {
    /// As soon as a transaction can go into one.
    OnEachTransaction,
    /// After each interval, empty or not.
    Every(Duration),
    /// By [`EvmNode::mine`](crate::EvmNode::mine) only.
    ByHand,
}

/// What a chain starts with.
#[derive(Clone, Debug)]
pub struct Config {
    /// The port on 127.0.0.1; 0 for any that is free.
    pub port: u16,
    /// The rules of execution.
    pub fork: Fork,
    /// The chain id, as transactions sign it.
    pub chain_id: u64,
    /// The base fee in wei.
    pub base_fee: u64,
    /// Accounts with a balance in wei.
    pub funded: Vec<(Address, U256)>,
    /// When blocks are made.
    pub mining: Mining,
}

impl Default for Config {
    /// Osaka, chain 31337, a base fee of one gwei, nobody funded, a block for each transaction.
    fn default() -> Self {
        Self {
            port: 0,
            fork: Fork::Osaka,
            chain_id: 31337,
            base_fee: 1_000_000_000,
            funded: Vec::new(),
            mining: Mining::OnEachTransaction,
        }
    }
}
