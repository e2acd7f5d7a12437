//! The result of a call.

/// A call as it ended.
#[derive(Clone, Debug)]
pub struct Called {
    /// Whether it did not revert.
    pub ok: bool,
    /// Gas of the whole transaction.
    pub gas: u64,
    /// The return value, or the error.
    pub output: Vec<u8>,
    /// The first topic of each event.
    pub events: Vec<[u8; 32]>,
}
