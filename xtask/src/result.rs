//! The result of a chore.

/// The result of a chore: the error names the failed command or refused check, and the reason.
pub(crate) type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;
