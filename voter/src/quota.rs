//! In how many rounds of a set one signer may have votes. (GOSSIP-7)
//!
//! The filter and the tally both count: the filter runs in the threads that receive messages, the tally in the voter,
//! and each must bound its own memory.

use duet_primitives::BlockNumber;
use std::collections::BTreeSet;

/// The rounds that hold a vote of one signer of one set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quota {
    /// Open rounds with a vote of this signer.
    blocks: BTreeSet<BlockNumber>,
    /// Its votes at or below this block were displaced by later ones and are not taken again.
    floor: Option<BlockNumber>,
}

impl Quota {
    /// Whether this round holds a vote of the signer.
    pub(crate) fn holds(&self, block: BlockNumber) -> bool {
        self.blocks.contains(&block)
    }

    /// Whether a vote on this block would be displaced at once, or was displaced before.
    pub(crate) fn is_closed_to(&self, block: BlockNumber, limit: usize) -> bool {
        let full = self.blocks.len() >= limit;
        self.floor.is_some_and(|floor| block <= floor)
            || full && self.blocks.first().is_some_and(|lowest| block < *lowest)
    }

    /// Counts a round, and returns the lowest one when the signer has more than `limit`: its vote is displaced.
    pub(crate) fn charge(&mut self, block: BlockNumber, limit: usize) -> Option<BlockNumber> {
        self.blocks.insert(block);
        if self.blocks.len() <= limit {
            return None;
        }
        self.floor = self.blocks.pop_first();
        self.floor
    }

    /// The round is concluded, or its vote was dropped: it no longer counts.
    pub(crate) fn release(&mut self, block: BlockNumber) {
        self.blocks.remove(&block);
    }

    /// ROUND-7: the rounds up to a block no longer count.
    pub(crate) fn release_up_to(&mut self, block: BlockNumber) {
        self.blocks.retain(|held| *held > block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signer_is_closed_to_blocks_whose_votes_would_be_displaced_at_once_or_were_before() {
        let mut quota = Quota::default();
        let charges = [
            (5, None, [false, false, false]),
            (7, None, [true, false, false]),
            (9, Some(5), [true, true, false]),
        ];
        for (block, displaced, closed) in charges {
            let lowest = quota.charge(BlockNumber::new(block), 2);
            assert_eq!(lowest.map(BlockNumber::get), displaced);
            let is_closed = |block| quota.is_closed_to(BlockNumber::new(block), 2);
            assert_eq!([3, 5, 7].map(is_closed), closed, "after {block}");
        }
    }
}
