//! Queries untrusted nodes by RPC over WebSocket, and chooses the next node to ask.
//!
//! - [`Server`]: a connection to one node. Its answers are decoded within bounds; [`decode_hex`] does that for pushed
//!   messages, and [`hex()`] encodes bytes for nodes;
//! - [`Path`], [`Proofs`], [`PathJson`]: a node's proofs of older blocks and entries of the state;
//! - [`StartClaim`]: a node's claim of the block at which a chain's sets begin, which the user has to confirm;
//! - [`Fault`]: why the work with a node ended; [`Lie`] and [`Missing`] are its most frequent kinds, [`WireFault`] is
//!   for messages that are not JSON-RPC (RPC-1 to RPC-3);
//! - [`Endpoints`]: which node is asked next, and why none is useful; a [`Choice`] is its answer;
//! - [`Failure`], [`Kind`]: why a program ends, and its exit code;
//! - [`checkpoint`]: checkpoints as JSON; [`recovery_proof`]: files with recovery proofs;
//! - [`List`]: a list from strangers, bounded while it is read;
//! - [`shown`], [`fit`]: text from strangers, made safe for a terminal.
//!
//! This crate does not verify. A [`Server`] returns the node's claims, until [`duet_light_client`] verifies them
//! against a trusted state. It sends no requests of its own: the caller decides what to ask, reports the result to
//! [`Endpoints`], and waits as long as these say.

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

mod age;
pub mod checkpoint;
mod claim;
mod endpoints;
mod failure;
mod fault;
mod list;
mod outside;
pub mod recovery_proof;
mod server;
mod start;
mod state;
mod warp;
mod wire;

pub use checkpoint::CheckpointJson;
pub use claim::StartClaim;
pub use endpoints::{Choice, Endpoints};
pub use failure::{Failure, Kind};
pub use fault::{Fault, Lie, Missing};
pub use list::List;
pub use outside::{fit, shown};
pub use server::{bytes_of, decode_hex, Server};
pub use state::{hex, Path, PathJson, Proofs};
pub use wire::WireFault;
