//! Speaks to other nodes: what goes over the wire, what of it is believed, and what it costs the sender.

#[path = "requests/history.rs"]
pub(crate) mod history;
#[path = "message.rs"]
pub(crate) mod message;
#[path = "on_demand.rs"]
pub(crate) mod on_demand;
#[path = "peers.rs"]
pub(crate) mod peers;
#[path = "protocol.rs"]
pub(crate) mod protocol;
#[path = "reputation.rs"]
pub(crate) mod reputation;
#[path = "requests.rs"]
pub mod requests;
#[path = "topic.rs"]
pub(crate) mod topic;
#[path = "validator.rs"]
pub(crate) mod validator;

pub use protocol::{gossip_protocol_name, peers_set_config};
