//! Divides the work of checking peers' messages: between kinds of messages, and between peers. (GOSSIP-7)
//!
//! A host keeps waiting messages in a [`Fair`] queue for each [`Kind`], and asks [`Shares`] which queue is next. So
//! neither one peer nor many votes on invented commitments delay the votes that a node needs. The host defines the
//! messages, and the limits of the queues.

mod fair;
mod shares;

pub use fair::Fair;
pub use shares::{Kind, Shares};
