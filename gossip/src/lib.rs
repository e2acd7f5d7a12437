//! Carries Duet votes and finality proofs between nodes.
//!
//! This crate speaks; it decides nothing and knows no client. What is worth a check is said by the filter of
//! [`duet_voter`], what holds is checked by [`duet_primitives`]. A crate that runs the voter on a client
//! (`duet-finality`) is connected to it by a few types:
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`message`] | what is gossiped, decoded within bounds (GOSSIP-1) |
//! | `validation`, `validator`, `topic`, `peers` | what is checked, relayed and kept (GOSSIP-2 to GOSSIP-7) |
//! | [`requests`] | questions for missing handoff justifications and for the history, and the server (REQ-1 to REQ-3) |
//! | [`on_demand`] | whom to ask and when (REQ-1) |
//! | [`reputation`] | what behaviour costs a peer: the only table (GOSSIP-6) |
//! | `protocol` | names of protocols, and every limit that strangers meet |
//! | [`network`] | all of it behind one trait without generic parameters |
//! | [`source`], [`clock`], [`mod@metrics`] | what this crate needs of its surroundings |
//!
//! A node wires it up in this order:
//!
//! 1. [`peers_set_config`] and [`requests::handler`] register the protocols with the network back end;
//! 2. [`network::join`] joins the gossip protocol once the network runs;
//! 3. [`requests::Server::run`] answers requests from a [`source::ProofSource`].
//!
//! Blocks are numbered by `u32` and hashed to 32 bytes, because that is what validators sign.

pub mod clock;
mod logging;
pub mod message;
pub mod metrics;
pub mod network;
pub mod on_demand;
mod peers;
mod protocol;
pub mod reputation;
pub mod requests;
pub mod source;
mod topic;
mod validation;
mod validator;

pub use logging::LOG_TARGET;
pub use network::{join, Endpoints, Joined, Network};
pub use protocol::{gossip_protocol_name, peers_set_config, MAX_JUSTIFICATIONS};
pub use validation::Checked;
pub use validator::{GossipValidator, Reputations, Settings};
