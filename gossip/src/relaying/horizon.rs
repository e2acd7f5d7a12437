//! Which kept messages are still worth a peer's attention.

use crate::topic::Topic;
use duet_primitives::BlockNumber;
use duet_voter::Window;

/// Follows the voter's window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Horizon {
    /// Votes below this block are useless to everybody.
    lowest_vote: BlockNumber,
    /// Proofs below this block are superseded by the best one, unless no peer has shown them yet.
    lowest_proof: BlockNumber,
}

impl Horizon {
    /// Everything is useful.
    pub(crate) const ALL: Self = Self {
        lowest_vote: BlockNumber::ZERO,
        lowest_proof: BlockNumber::ZERO,
    };

    /// Of a voter with this window and best proven block.
    pub(crate) fn of(window: &Window, best_block: BlockNumber) -> Self {
        let unpublished = window.unpublished.iter().map(|accepted| accepted.lowest);
        Self {
            lowest_vote: best_block.saturating_next(),
            lowest_proof: unpublished.chain([best_block]).min().unwrap_or(best_block),
        }
    }

    /// Whether messages with this topic are still useful.
    pub(crate) fn includes(&self, topic: &Topic) -> bool {
        match topic.signer {
            Some(_) => topic.number >= self.lowest_vote,
            None => topic.number >= self.lowest_proof,
        }
    }

    /// Whatever is below this block is not useful.
    pub(crate) fn lowest(&self) -> BlockNumber {
        self.lowest_vote.min(self.lowest_proof)
    }
}
