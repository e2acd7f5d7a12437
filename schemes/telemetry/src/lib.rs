#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// Strangers' bytes reach this crate: outside tests, what may panic or overflow is refused.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod batch;
mod group;
mod hour;
#[cfg(feature = "testing")]
#[allow(
    clippy::expect_used,
    reason = "for tests: no stranger's bytes reach it, and a panic is a failed test"
)]
pub mod testing;

pub use batch::{Batch, BatchError, MOST_IN_BATCH};
pub use group::{Group, GroupError, READINGS};
pub use hour::Hour;
