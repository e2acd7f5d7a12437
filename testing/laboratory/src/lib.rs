//! The network laboratory: real nodes on a network that loses, delays and cuts, watched from outside by light clients.
//!
//! Each node is a process of its own, the executable `duet-node`, in a network of its own; this program is the only wire between them.
//! Nothing is simulated but the wire.
//!
//! - [`scenarios`]: what is tried, a file for each; [`scenario`]: what they are made of; [`group`]: which nodes a step is about.
//! - [`outside`]: gives each scenario namespaces of its own, and reports.
//! - [`play`](fn@play): plays one, inside of them.
//! - [`switch`]: the wire. [`address`]: who is where on it.
//! - [`history`]: what light clients saw; [`invariants`]: what must hold of it.
//! - [`row`]: what came out.

pub mod address;
mod disk;
mod error;
pub mod gauges;
pub mod group;
pub mod history;
pub mod invariants;
mod namespace;
mod network;
mod node;
pub mod outside;
mod play;
mod rescue;
pub mod row;
mod run;
pub mod scenario;
pub mod scenarios;
mod spec;
pub mod switch;
mod time;
mod validator;
mod watch;

pub use error::{Error, Result};
pub use namespace::end_with_parent;
pub use network::Files;
pub use play::play;
