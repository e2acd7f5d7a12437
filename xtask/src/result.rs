//! The result of a chore.

/// The result of a chore: the error names the failed command or refused check, and the reason.
pub(crate) type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// One error for all failures; none if there are none.
pub(crate) fn all(failures: impl IntoIterator<Item = String>) -> Result {
    let failures: Vec<_> = failures.into_iter().collect();
    if failures.is_empty() {
        return Ok(());
    }
    Err(failures.join("\nxtask: ").into())
}
