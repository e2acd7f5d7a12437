#![doc = include_str!("../README.md")]
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
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod call;
mod error;
mod limits;
mod overlay;
mod runtime;
mod state;
#[cfg(test)]
mod tests;

pub use call::{Call, Done, Progress};
pub use error::{CallError, CodeError, StateTooLarge, Unsupported};
pub use limits::{Limits, MAX_HEAP_PAGES, MAX_NEEDS};
pub use runtime::{Runtime, CODE_KEY, CODE_PROBE, HEAP_PAGES_KEY};
pub use state::{Lookup, Next, ProvenState};
