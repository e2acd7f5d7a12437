//! Texts of Duet's recovery, and the command that makes them on a machine without network. (RECOVER-1 to RECOVER-10)
//!
//! Without the feature `tool`, only [`text`] is there.

// Strangers' texts reach this crate: non-test code must not panic.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

pub mod text;
