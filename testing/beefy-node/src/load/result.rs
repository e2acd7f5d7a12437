//! The result of everything here.

/// What goes wrong ends the program.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;
