//! Which kept messages are still worth a peer's attention.

use crate::topic::Topic;
use duet_primitives::BlockNumber;
use duet_voter::Window;

/// Follows the voter's window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Horizon {
    /// Votes below this block are useless to everybody,
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

    /// Of a voter with this window and best proven block.
    pub(crate) fn of(window: &Window, best_block: BlockNumber) -> Self {
        let unpublished = window.unpublished.iter().map(|accepted| accepted.lowest);
        Self {
            lowest_vote: best_block.saturating_next(),
            late_handoff: window.late_handoffs.last().map(|accepted| accepted.lowest),
            lowest_proof: unpublished.chain([best_block]).min().unwrap_or(best_block),
        }
    }

    /// Whether messages with this topic are still useful.
    pub(crate) fn includes(&self, topic: &Topic) -> bool {
        match topic.signer {
            Some(_) => topic.number >= self.lowest_vote || Some(topic.number) == self.late_handoff,
            None => topic.number >= self.lowest_proof,
        }
    }

    /// Whatever is below this block is not useful.
    pub(crate) fn lowest(&self) -> BlockNumber {
        let lowest = self.lowest_vote.min(self.lowest_proof);
        self.late_handoff.map_or(lowest, |late| lowest.min(late))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_primitives::{testing::TestSet, SetId, SignerIndex};
    use duet_voter::Accepted;
    use std::sync::Arc;

    fn topic(number: u32, signer: Option<u32>) -> Topic {
        Topic {
            number: BlockNumber::new(number),
            set_id: SetId::new(0),
            signer: signer.map(SignerIndex::new),
            digest: [0; 8],
        }
    }

    /// ROUND-9.
    #[test]
    fn votes_on_a_mandatory_block_whose_proof_grows_are_useful_and_no_others_below_the_best() {
        let growing = Accepted {
            set: Arc::new(TestSet::new(0, 0..4).set),
            lowest: BlockNumber::new(7),
            highest: BlockNumber::new(7),
        };
        let useful = |window: &Window, signer| -> Vec<u32> {
            let horizon = Horizon::of(window, BlockNumber::new(9));
            let includes = |number: &u32| horizon.includes(&topic(*number, signer));
            (5..12).filter(includes).collect()
        };
        let mut window = Window::default();
        assert_eq!(useful(&window, Some(1)), [10, 11]);
        window.late_handoffs.push(growing);
        assert_eq!(useful(&window, Some(1)), [7, 10, 11]);
        assert_eq!(useful(&window, None), [9, 10, 11]);
        let horizon = Horizon::of(&window, BlockNumber::new(9));
        assert_eq!(horizon.lowest().get(), 7, "who has them is remembered");
    }
}
