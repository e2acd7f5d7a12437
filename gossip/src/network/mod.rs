//! Speaks to other nodes: what goes over the wire, what of it is believed, and what it costs the sender.

pub(crate) mod history;
pub(crate) mod message;
pub(crate) mod on_demand;
pub(crate) mod peers;
pub(crate) mod protocol;
pub(crate) mod reputation;
pub mod requests;
pub(crate) mod topic;
pub(crate) mod validator;

pub use protocol::{gossip_protocol_name, peers_set_config};
