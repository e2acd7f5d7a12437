//! Carries Duet votes and finality proofs between nodes.
//!
//! This crate makes no decisions and knows no client. The filter of [`duet_voter`] selects the messages to check, and
//! [`duet_primitives`] checks them. A crate that runs the voter on a client (`duet-finality`) uses these modules:
//!
//! | module | content |
//! | --- | --- |
//! | [`message`], [`notification`] | gossip messages, alone and in bundles, decoded within bounds (GOSSIP-1, GOSSIP-11) |
//! | `validator`, `validation` | the path of a message: it waits, is checked, is recorded (GOSSIP-2 to GOSSIP-6) |
//! | `pending`, `check` | messages before their check, their order, and the arithmetic (GOSSIP-7) |
//! | [`engine`], `orders` | receives from peers and sends to them; bounds each peer's batch in flight (GOSSIP-8) |
//! | `relaying`, `topic` | recipients, pace and lifetime of messages (GOSSIP-5, GOSSIP-8) |
//! | `interest`, `peers` | a node's interest in gossip (GOSSIP-9), and the connected peers |
//! | [`requests`] | requests for missing handoff justifications and for the history, and the server (REQ-1 to REQ-3) |
//! | [`on_demand`] | which peers to query, and when (REQ-1) |
//! | [`reputation`] | the cost of a peer's behaviour: the only table (GOSSIP-6) |
//! | `protocol` | names of protocols, and every limit on peers' input |
//! | [`network`] | sending and querying, behind one trait without generic parameters |
//! | [`source`], [`clock`], [`mod@metrics`] | this crate's needs of its surroundings |
//!
//! A node wires it up in this order:
//!
//! 1. [`peers_set_config`] and [`requests::handler`] register the protocols with the network back end;
//! 2. [`network::join`] joins the gossip protocol once the network runs;
//! 3. [`requests::Server::run`] answers requests from a [`source::ProofSource`].
//!
//! Blocks are numbered by `u32` and hashed to 32 bytes, as in the messages that validators sign.

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

mod check;
pub mod clock;
pub mod engine;
mod interest;
mod logging;
pub mod message;
pub mod metrics;
pub mod network;
pub mod notification;
pub mod on_demand;
mod orders;
mod peers;
mod pending;
mod protocol;
mod relaying;
pub mod reputation;
pub mod requests;
pub mod source;
mod topic;
mod validation;
mod validator;

pub use interest::Interest;
pub use logging::LOG_TARGET;
pub use network::{join, Endpoints, Joined, Network};
pub use orders::Order;
pub use protocol::{peers_set_config, Protocol, ProtocolNames, GOSSIP, MAX_JUSTIFICATIONS};
pub use validation::Checked;
pub use validator::{verify, GossipValidator, Queues, Reputations, Settings};
