//! Attested statistics in a Substrate node: signs, gossips and serves. The rules are in `duet-statistics`, the
//! measurements in `duet-meter`.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `key` | the key of the figures, with its register: a folder |
//! | `chain` | sessions and sets, read from the chain |
//! | `collected` | the reports of the last two periods |
//! | `gossip` | the protocol, and what peers may send |
//! | `worker` | the loop: begins periods, signs, passes on |
//! | [`rpc`] | what is answered |
//!
//! A node wires it up in this order:
//!
//! 1. a [`TimedImport`](duet_meter::TimedImport) goes around the block import;
//! 2. [`peers_set_config`] registers the protocol, [`Key::open_or_create`] opens the key of a validator;
//! 3. [`run`] is spawned as a blocking task, and [`rpc::Statistics`] merged into the RPC module, both with one [`Collected`].
//!
//! It takes no part in consensus: when it fails, the node goes on.

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

mod chain;
mod collected;
mod gossip;
mod key;
pub mod rpc;
mod worker;

pub use collected::Collected;
pub use gossip::{peers_set_config, protocol_name};
pub use key::{Key, KeyError};
pub use worker::{run, Params, Signing};

/// The target of the log lines.
const LOG_TARGET: &str = "duet-statistics";
