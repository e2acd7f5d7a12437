//! What the validator orders of the engine.

use crate::{message::GossipMessage, relaying::Horizon, topic::Topic};
use sc_network_types::PeerId;

/// Something that the engine is to do. Made by the [`GossipValidator`](crate::GossipValidator), carried out by the
/// [`Engine`](crate::engine::Engine).
#[derive(Debug)]
pub struct Order(pub(crate) Ordered);

// Nearly all of them are votes: a box would only add a hop.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub(crate) enum Ordered {
    /// Keep a message, and send it to all peers that lack it.
    Keep {
        message: GossipMessage,
        /// Peers that sent it.
        holders: Vec<PeerId>,
    },
    /// Send and keep no proofs of this block any more.
    Forget(Topic),
    /// Follow the voter.
    Follow {
        /// What is useful from now on.
        horizon: Horizon,
        /// How many members the signing set has.
        set_len: u32,
    },
}
