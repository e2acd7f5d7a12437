//! Plays the validators of large sets over real libp2p connections against real nodes, and measures the nodes.
//!
//! - [`validators`]: who is played, their votes, and the bare check of these;
//! - [`stage`]: two real nodes, and the peers over which the validators vote;
//! - [`heard`]: what these peers hear of the node's gossip;
//! - [`round`]: one round, played and measured;
//! - [`attack`]: peers that do what no honest node does;
//! - [`scenario`], `summary`: some rounds under the same conditions, and the row that they make;
//! - [`cores`]: the measured node on a core of its own;
//! - [`reading`], [`process`], [`metrics`], [`cpu`]: where the figures come from;
//! - [`figures`], [`row`], [`table`]: how they are shown.

pub mod attack;
pub mod cores;
pub mod cpu;
mod error;
pub mod figures;
pub mod heard;
pub mod metrics;
pub mod process;
pub mod reading;
pub mod round;
pub mod row;
pub mod scenario;
pub mod stage;
mod summary;
pub mod table;
pub mod validators;

pub use error::{Error, Result};
