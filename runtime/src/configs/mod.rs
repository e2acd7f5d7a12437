//! Every pallet's configuration, by concern.

pub mod bridge;
pub mod consensus;
pub mod finality;
pub mod messages;
pub mod staking;
pub mod system;
