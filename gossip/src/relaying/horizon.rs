//! Which kept messages are still useful to peers.

use duet_primitives::BlockNumber;
use duet_voter::Window;

/// Follows the voter's window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Horizon {
    /// Votes below this block are useless to all peers,
    lowest_vote: BlockNumber,
    /// unless they are on this mandatory one, whose proof they make fuller. (ROUND-9)
    late_handoff: Option<BlockNumber>,
    /// Proofs below this block are superseded by the best one, unless no peer has shown them yet.
    lowest_proof: BlockNumber,
}

impl Horizon {
    /// Everything is useful.
    pub(crate) const ALL: Self = Self {
        lowest_vote: BlockNumber::ZERO,
        late_handoff: None,
        lowest_proof: BlockNumber::ZERO,
    };

    /// The horizon of a voter with this window and best proven block.
    pub(crate) fn of(window: &Window, best_block: BlockNumber) -> Self {
        let unpublished = window.unpublished.iter().map(|accepted| accepted.lowest);
        Self {
            lowest_vote: best_block.saturating_next(),
            late_handoff: window.late_handoffs.last().map(|accepted| accepted.lowest),
            lowest_proof: unpublished.chain([best_block]).min().unwrap_or(best_block),
        }
    }

    /// Whether votes on this block, or proofs of it, are still useful.
    pub(crate) fn includes(&self, number: BlockNumber, is_vote: bool) -> bool {
        match is_vote {
            true => number >= self.lowest_vote || Some(number) == self.late_handoff,
            false => number >= self.lowest_proof,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_primitives::testing::TestSet;
    use duet_voter::Accepted;
    use std::sync::Arc;

    /// ROUND-9.
    #[test]
    fn votes_on_a_mandatory_block_whose_proof_grows_are_useful_and_no_others_below_the_best() {
        let growing = Accepted {
            set: Arc::new(TestSet::new(0, 0..4).set),
            lowest: BlockNumber::new(7),
            highest: BlockNumber::new(7),
        };
        let useful = |window: &Window, is_vote| -> Vec<u32> {
            let horizon = Horizon::of(window, BlockNumber::new(9));
            let includes = |number: &u32| horizon.includes(BlockNumber::new(*number), is_vote);
            (5..12).filter(includes).collect()
        };
        let mut window = Window::default();
        assert_eq!(useful(&window, true), [10, 11]);
        window.late_handoffs.push(growing);
        assert_eq!(useful(&window, true), [7, 10, 11]);
        assert_eq!(useful(&window, false), [9, 10, 11]);
    }
}
