//! The name under which Duet logs.

/// Target of every log line of Duet.
pub const LOG_TARGET: &str = "duet";
