//! What every message costs a node, valid or not.

/// What a message takes, apart from its check.
#[derive(Clone, Copy)]
pub(super) struct Footprint {
    pub(super) bytes: u64,
    /// Time on a connection, in nanoseconds.
    pub(super) duration: u64,
    /// Time of the task that handles messages, in nanoseconds. It is mostly hashing, so it grows with the length.
    pub(super) handling: u64,
}

impl Footprint {
    pub(super) fn times(self, votes: u32) -> Self {
        let votes = u64::from(votes);
        Self {
            bytes: self.bytes * votes,
            duration: self.duration * votes,
            handling: self.handling * votes,
        }
    }
}
