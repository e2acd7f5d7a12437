//! Which kept messages are still worth a peer's attention.

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

    /// Whether votes on this block, or else proofs of it, are still useful.
    pub(crate) fn includes(&self, number: BlockNumber, is_vote: bool) -> bool {
        let lowest = match is_vote {
            true => self.lowest_vote,
            false => self.lowest_proof,
        };
        number >= lowest
    }
}
