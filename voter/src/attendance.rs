//! When each member of a set was heard last. Operators are shown it; nothing is decided by it.

use crate::Millis;
use duet_primitives::{BlockNumber, SignerIndex};
use std::collections::BTreeMap;

/// The newest block that each member of one set voted on, as far as this node heard.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attendance {
    /// At most one entry for each member: only checked votes come here.
    heard: BTreeMap<SignerIndex, Heard>,
}

/// A member's newest vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) block: BlockNumber,
    pub(crate) at: Millis,
}

impl Attendance {
    /// A member voted on a block.
    pub(crate) fn hear(&mut self, signer: SignerIndex, block: BlockNumber, at: Millis) {
        let known = self.of(signer);
        if known.is_none_or(|known| known.block < block) {
            self.heard.insert(signer, Heard { block, at });
        }
    }

    /// A member's newest vote.
    pub(crate) fn of(&self, signer: SignerIndex) -> Option<Heard> {
        self.heard.get(&signer).copied()
    }

    /// The newest block that any member voted on.
    pub(crate) fn newest(&self) -> Option<BlockNumber> {
        self.heard.values().map(|heard| heard.block).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_block_of_a_member_counts_whatever_comes_last() {
        let (signer, block) = (SignerIndex::new(3), BlockNumber::new);
        let mut attendance = Attendance::default();
        assert_eq!(attendance.newest(), None);
        for (number, at) in [(7, 10), (5, 20), (7, 30)] {
            attendance.hear(signer, block(number), at);
        }
        let expected = Heard {
            block: block(7),
            at: 10,
        };
        assert_eq!(attendance.of(signer), Some(expected));
        assert_eq!(attendance.of(SignerIndex::new(2)), None);
        attendance.hear(SignerIndex::new(2), block(9), 40);
        assert_eq!(attendance.newest(), Some(block(9)));
    }
}
