//! The contract on an EVM chain, by that chain's JSON-RPC.

mod chain;
mod client;
mod contract;
mod deploy;
mod fees;
pub mod key;
mod link;
mod sending;

pub use chain::Options;
pub use client::Evm;
pub use deploy::{deploy, Deployment};
pub use link::Deployed;
