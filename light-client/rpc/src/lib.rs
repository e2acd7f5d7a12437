//! What untrusted nodes say, asked for by RPC over WebSocket, and which of them is asked next.
//!
//! - [`Server`]: a connection to one node. Its answers are decoded within bounds; [`decode_hex`] does that for what it pushes,
//!   and [`hex()`] writes bytes as nodes take them;
//! - [`Path`], [`Proofs`], [`PathJson`]: what a node sends to prove older blocks and entries of the state;
//! - [`StartClaim`]: where a node says that a chain's sets begin, which its user has to confirm;
//! - [`Fault`]: what ended the work with a node; [`Lie`] and [`Missing`] are its most frequent kinds, [`WireFault`] is for
//!   messages that are no JSON-RPC (RPC-1 to RPC-3);
//! - [`Endpoints`]: which node is asked next, and why none is of use; a [`Choice`] is its answer;
//! - [`Failure`], [`Kind`]: why a program ends, and its exit code;
//! - [`checkpoint`]: checkpoints as JSON;
//! - [`shown`], [`fit`]: a stranger's text, made fit for a terminal.
//!
//! What it does not do: verify. Whatever a [`Server`] returns is what the node says, until [`duet_light_client`] has verified it
//! against a trusted state. Nothing is asked by itself either: the caller decides what is asked, tells [`Endpoints`] what
//! became of it, and waits as long as these say.

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

pub mod checkpoint;
mod claim;
mod endpoints;
mod failure;
mod fault;
mod outside;
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
pub use outside::{fit, shown};
pub use server::{bytes_of, decode_hex, Server};
pub use state::{hex, Path, PathJson, Proofs};
pub use wire::WireFault;
