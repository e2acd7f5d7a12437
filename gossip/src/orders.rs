//! The validator's orders to the engine.

use crate::{message::GossipMessage, relaying::Horizon, topic::Topic};
use sc_network_types::PeerId;

/// An order to the engine. Made by the [`GossipValidator`](crate::GossipValidator), carried out by the
/// [`Engine`](crate::engine::Engine).
#[derive(Debug)]
pub struct Order(pub(crate) Ordered);

// Nearly all of them are votes: a box would only add a hop.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub(crate) enum Ordered {
    /// Keep a message, and send it to the peers that lack it: a relayed vote to few of them at first. (GOSSIP-12)
    Keep {
        message: GossipMessage,
        /// Peers that sent it.
        holders: Vec<PeerId>,
    },
    /// Stop sending and keeping proofs of this block.
    Forget(Topic),
    /// Follow the voter.
    Follow {
        /// The useful messages from now on.
        horizon: Horizon,
        /// The number of members of the signing set.
        set_len: u32,
    },
}
