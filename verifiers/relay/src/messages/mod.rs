//! Messages between two chains that follow each other, by the SDK's `pallet-bridge-messages`.
//!
//! A lane has two ends on each chain: one sends, one receives. A relayer to one chain brings provable data of the
//! other: its sent messages, and its confirmations of received messages, so that this chain can drop them.

mod lane;
mod plan;

pub use lane::{Lane, LaneId, NoLaneId};
pub use plan::{due, Due, Ends, Inbound, Nonce, Outbound, State, AT_ONCE};

use duet_primitives::{BlockNumber, H256};

/// Something of a lane, and the trie nodes that prove it under a header which the target has.
#[derive(Clone, Debug)]
pub struct Parcel {
    /// The lane.
    pub lane: Lane,
    /// The block whose state proves it.
    pub under: BlockNumber,
    /// That block's hash.
    pub hash: H256,
    /// The nodes.
    pub nodes: Vec<Vec<u8>>,
    /// What.
    pub contents: Contents,
}

/// The content of a delivery along a lane.
#[derive(Clone, Debug)]
pub enum Contents {
    /// Messages one after the other, as the sender's chain stores them.
    Messages {
        /// The number of the first.
        first: Nonce,
        /// The messages, at least one.
        messages: Vec<Vec<u8>>,
    },
    /// The confirmation of received messages.
    Confirmation(Inbound),
}

impl Parcel {
    /// The last message that it is about.
    pub fn last(&self) -> Nonce {
        match &self.contents {
            Contents::Messages { first, messages } => {
                let count = u64::try_from(messages.len()).unwrap_or(Nonce::MAX);
                first.saturating_add(count).saturating_sub(1)
            }
            Contents::Confirmation(inbound) => inbound.delivered(),
        }
    }
}
