//! How far long work is.

/// Told how many steps of long work were done since it was last told; from any thread.
pub trait Progress: Sync {
    /// So many steps more are done.
    fn advance(&self, steps: u64);
}

/// Nobody looks.
impl Progress for () {
    fn advance(&self, _: u64) {}
}

impl<F: Fn(u64) + Sync> Progress for F {
    fn advance(&self, steps: u64) {
        self(steps);
    }
}
