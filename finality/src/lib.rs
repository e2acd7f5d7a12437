//! Runs Duet finality on a Substrate client.
//!
//! Finalized blocks, checked messages and timers become events of [`duet_voter`], whose effects are carried out in
//! order. The voter decides; [`duet_gossip`] checks other nodes' messages, and [`duet_light_client`] the history
//! before a node began.
//!
//! | module | content |
//! | --- | --- |
//! | `setup` | all of it in five calls |
//! | `client`, `params`, `links`, `keys` | a node's inputs, and the links between import, worker and RPC |
//! | `chain` | the finalized chain and its runtime, behind two small traits; the key sets read from them |
//! | `store` | data that survives a restart; `stored` is a command's view of it, and the repair |
//! | `import` | the block import: keeps a block's planned set, takes off our justification |
//! | `worker` | the only loop; it owns the four parts that follow, and is never busy for long (`pauses`) |
//! | `desk` | tasks for long work: aggregating votes, reading sets and blocks (`reading`), checks; `signing` signs |
//! | `voting` | the voter, what it asks for (`order`, `orders`), the own keys (`own_keys`) and the search for missing handoff justifications (`handoffs`) |
//! | `effects` | carries out the voter's effects, in a task of its own: storing (`kept`), sending, desks |
//! | `catch_up` | the beginning (`bootstrap`), and the logs of finalized blocks |
//! | `imported` | justifications imported with blocks |
//! | `comparison`, `divergence`, `evidence` | compares each proof with the finalized chain, and what follows from a contradiction (ROUND-10); `suspects` are those from gossip, `review` looks at those that are stored |
//! | `newest` | the newest justification, for subscribers |
//! | `backfill` | the history before this node began, fetched from peers |
//! | `activity`, `recovery` | whether the chain has a set that is to sign; how many recovery keys are ready |
//! | [`rpc`] | the methods for light clients and operators, and whether the node votes (`health`) |
//!
//! A node wires it up in this order:
//!
//! 1. [`prepare`] enables the offchain index and opens the keys, before the client is made;
//! 2. [`Setup::new`] wraps GRANDPA's block import;
//! 3. [`Setup::register`] registers gossip and requests with the network;
//! 4. [`Registered::rpc`] adds the methods to the node's own;
//! 5. [`Registered::start`] spawns the tasks.
//!
//! A node that differs uses the parts that these are made of:
//!
//! 1. [`block_import`] wraps the block import (GRANDPA's, usually) and makes the links for the steps below;
//! 2. [`register_protocols`] registers gossip and requests with the network;
//! 3. [`run`](fn@run) is spawned as an essential, blocking task;
//! 4. [`rpc::extend`] adds the methods to the node's own.

// Strangers' bytes reach this crate: outside tests, what may panic or overflow is refused.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod activity;
mod backfill;
mod bootstrap;
mod catch_up;
mod chain;
mod client;
mod comparison;
mod desk;
mod desks;
mod divergence;
#[cfg(test)]
mod divergence_tests;
mod effects;
mod error;
mod evidence;
mod false_statements;
#[cfg(test)]
mod false_statements_tests;
mod handing_off;
mod handoffs;
mod health;
mod import;
mod imported;
mod kept;
mod keys;
mod links;
mod metrics;
mod missing;
mod newest;
mod order;
mod orders;
mod own_keys;
mod params;
mod participation;
mod pauses;
pub mod probe;
mod protocols;
mod questions;
mod reading;
mod recovery;
mod report;
mod reports;
#[cfg(test)]
mod reset_tests;
mod review;
pub mod rpc;
#[cfg(test)]
mod rules_tests;
mod run;
mod setup;
mod signing;
#[cfg(test)]
mod stall_tests;
mod statement;
mod store;
mod stored;
#[cfg(test)]
mod stored_tests;
mod suspects;
#[cfg(test)]
mod testing;
mod voting;
mod warp;
mod worker;

pub use client::DuetClient;
pub use duet_gossip::Interest;
pub use error::Error;
pub use import::DuetBlockImport;
pub use keys::open_keys;
pub use links::{block_import, RpcLinks, VoterLinks};
pub use newest::JustificationStream;
pub use params::Params;
pub use protocols::{register_protocols, Protocols};
pub use run::run;
pub use setup::{prepare, BlockImport, Options, Registered, Setup};
pub use store::StoreError;
pub use stored::{RepairError, Stored, StoredEntry};
