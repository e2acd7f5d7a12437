//! A node's figures about itself: import of blocks, peers, finality, memory, processor time.
//!
//! A [`TimedImport`] and other observers of blocks feed the [`Meter`]. Each [`Reader`] takes the figures since its last
//! reading, so that several can read, each at its own pace.

#![forbid(unsafe_code)]
// A panic takes the node down: outside tests, what may panic or overflow is refused.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod import;
mod meter;
mod resources;

pub use import::TimedImport;
pub use meter::{Meter, Reader};
