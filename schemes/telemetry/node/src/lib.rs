//! Sends encrypted readings of a node to its operators' collector. The measurements are in `duet-meter`, and the
//! encryption in `duet-telemetry`.
//!
//! It takes no part in consensus: when the collector is down, readings wait, and the node goes on.

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

mod outbox;
mod sender;

pub use sender::{run, Params};

/// The target of the log lines.
const LOG_TARGET: &str = "duet-telemetry";
