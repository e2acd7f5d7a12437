//! How a chore ends.

/// The result of a chore: a failed command or a refused check is an error that says which and why.
pub(crate) type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;
