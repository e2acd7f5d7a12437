//! Carries Duet votes and justifications between nodes, and runs the voter on a Substrate client.
//!
//! `network` speaks: it decodes what strangers sent within bounds, filters it, checks it by DLEQ and relays it,
//! and it asks for and serves missing justifications and what came before a node began. `client` touches the
//! node: it turns finalized blocks, checked messages and timers into events of [`duet_voter`], carries its effects
//! out in order, and answers RPC. What is decided is decided in the voter; what is believed is checked in
//! [`duet_primitives`], and the past as a light client does, in [`duet_light_client`].
//!
//! A node wires it up in this order:
//!
//! 1. [`block_import`] wraps the block import (GRANDPA's, usually) and gives the links for the steps below;
//! 2. [`peers_set_config`] and [`requests::handler`] register the protocols with the network;
//! 3. [`run`] is spawned as an essential task;
//! 4. [`rpc::Duet`] is merged into the RPC module.
//!
//! Blocks are numbered by `u32` and hashed to 32 bytes, because that is what validators sign.

#[path = "../../finality/src/lib.rs"]
mod client;
mod network;

pub use client::{
    block_import, rpc, run, DuetBlockImport, DuetClient, Error, JustificationStream, Params,
    RpcLinks, StoreError, VoterLinks,
};
pub use network::{gossip_protocol_name, peers_set_config, requests};

/// Target of every log line of this crate.
pub const LOG_TARGET: &str = "duet";
