//! Every pallet's configuration, by concern.

#[cfg(not(feature = "babe"))]
#[path = "aura.rs"]
pub mod authoring;
#[cfg(feature = "babe")]
#[path = "babe.rs"]
pub mod authoring;
pub mod bridge;
pub mod consensus;
pub mod finality;
pub mod messages;
pub mod staking;
pub mod system;
