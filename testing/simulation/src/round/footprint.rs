//! What a message takes of a node whatever it says.

use super::Round;

/// What a message takes, apart from its check.
#[derive(Clone, Copy)]
pub(super) struct Footprint {
    pub(super) bytes: u64,
    /// Through a connection.
    pub(super) duration: u64,
    /// Of the task that deals with messages, whatever it is. That is mostly hashing, which grows with the length.
    pub(super) handling: u64,
}

impl Footprint {
    pub(super) fn new(round: &Round<'_>, bytes: u64) -> Self {
        Self {
            bytes,
            duration: round.model.transmission(bytes),
            handling: round.message * bytes / round.sizes.vote.max(1),
        }
    }

    pub(super) fn times(self, votes: u32) -> Self {
        let votes = u64::from(votes);
        Self {
            bytes: self.bytes * votes,
            duration: self.duration * votes,
            handling: self.handling * votes,
        }
    }
}
