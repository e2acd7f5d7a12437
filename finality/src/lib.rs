//! Touches the node: reads the chain, keeps what must survive, runs the voter, answers RPC.

mod bootstrap;
mod catch_up;
mod chain;
mod effects;
#[path = "backfill.rs"]
mod history;
mod import;
#[path = "handoffs.rs"]
mod justifications;
mod links;
mod metrics;
mod params;
pub mod rpc;
mod store;
#[cfg(test)]
pub(crate) mod testing;
mod worker;

pub use import::DuetBlockImport;
pub use links::{block_import, JustificationStream, RpcLinks, VoterLinks};
pub(crate) use metrics::{ImportMetrics, Metrics};
pub use params::{DuetClient, Error, Params};
pub(crate) use store::Store;
pub use store::StoreError;
pub use worker::run;
