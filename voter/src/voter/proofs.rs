//! Justifications that wait for GRANDPA, or for the proof of an earlier set. (GOSSIP-7: bounded)

use duet_primitives::{BlockNumber, Justification, SetId};
use std::{collections::BTreeMap, ops::RangeInclusive};

#[derive(Clone, Debug)]
pub(super) struct Proofs {
    waiting: BTreeMap<(SetId, BlockNumber), Justification>,
    limit: usize,
}

impl Proofs {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            waiting: BTreeMap::new(),
            limit: limit.max(1),
        }
    }

    /// Keeps a proof, the first per block. Without room the highest proof is dropped, as it is needed last; returns the
    /// number of dropped proofs.
    pub(super) fn insert(&mut self, proof: Justification) -> u64 {
        let commitment = proof.commitment();
        let key = (commitment.validator_set_id, commitment.block_number);
        self.waiting.entry(key).or_insert(proof);
        if self.waiting.len() > self.limit {
            self.waiting.pop_last();
            return 1;
        }
        0
    }

    /// The highest block of a range that a set has proven.
    pub(super) fn ready(
        &self,
        set: SetId,
        range: RangeInclusive<BlockNumber>,
    ) -> Option<BlockNumber> {
        if range.is_empty() {
            return None;
        }
        let (low, high) = range.into_inner();
        self.waiting
            .range((set, low)..=(set, high))
            .next_back()
            .map(|((_, block), _)| *block)
    }

    pub(super) fn take(&mut self, set: SetId, block: BlockNumber) -> Option<Justification> {
        self.waiting.remove(&(set, block))
    }

    /// ROUND-7: drops proofs of earlier sets or up to a proven block.
    pub(super) fn prune(&mut self, set: SetId, up_to: BlockNumber) {
        self.waiting
            .retain(|(id, block), _| *id >= set && *block > up_to);
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_primitives::{testing::TestSet, RoundMessage, H256};

    #[test]
    fn as_many_as_the_limit_wait_until_a_block_is_proven() {
        let set = TestSet::new(0, 0..4);
        let proof = |block| {
            let message = RoundMessage::new(H256::zero(), set.commitment(block, &set.set));
            set.justify(&message, 0..3)
        };
        let mut proofs = Proofs::new(2);
        let dropped = [5, 6, 7].map(|block| proofs.insert(proof(block)));
        assert_eq!(dropped, [0, 0, 1]);
        proofs.prune(SetId::FIRST, BlockNumber::new(5));
        let ready = proofs.ready(SetId::FIRST, BlockNumber::ZERO..=BlockNumber::new(7));
        assert_eq!((ready, proofs.len()), (Some(BlockNumber::new(6)), 1));
    }
}
