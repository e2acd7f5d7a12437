//! How the work of checking what peers send is divided: between kinds of messages, and between peers. (GOSSIP-7)
//!
//! A host keeps what waits for a check in a [`Fair`] queue for each [`Kind`], and asks [`Shares`] from which of them to
//! take. So neither one peer nor many votes on invented commitments delay the votes that a node needs. What the messages
//! are, and how many may wait, is the host's.

mod fair;
mod shares;

pub use fair::Fair;
pub use shares::{Kind, Shares};
