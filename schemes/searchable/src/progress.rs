//! Progress of long operations.

/// A callback for the progress of a long operation. It may be called from any thread.
pub trait Progress: Sync {
    /// Reports that this number of further steps is done.
    fn advance(&self, steps: u64);
}

/// Ignores progress.
impl Progress for () {
    fn advance(&self, _: u64) {}
}

impl<F: Fn(u64) + Sync> Progress for F {
    fn advance(&self, steps: u64) {
        self(steps);
    }
}
