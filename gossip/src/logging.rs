//! The log target.

/// Target of every log line of Duet.
pub const LOG_TARGET: &str = "duet";
