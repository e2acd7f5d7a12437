//! What a call may take.

/// The most keys of one [`Progress::Needs`](crate::Progress), as many as nodes take in one `duet_getProofs`.
pub const MAX_NEEDS: usize = 64;

/// The most pages of 64 KiB that a runtime may have as its heap: 1 GiB. The SDK's default is 128 MiB.
pub const MAX_HEAP_PAGES: u32 = 16 * 1024;

/// What one call may take.
///
/// There is no bound on steps: the executor counts none. Between two requests to the host, a runtime can compute for
/// any time. The code is that of the chain, and its validators run it too; a caller that cannot wait runs the call on
/// a thread of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How often [`Call::run`](crate::Call::run) may run, and so how many proofs a call may need.
    pub rounds: u32,
    /// How many entries one run may look up, and so how many requests to the host it may make besides.
    pub entries: u32,
    /// The most bytes that one run may write to its copy of the state.
    pub written: usize,
    /// The most bytes of the output.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rounds: 32,
            entries: 100_000,
            written: 64 * 1024 * 1024,
            output: 16 * 1024 * 1024,
        }
    }
}
