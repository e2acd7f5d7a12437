//! The blocks whose payload is stored until they are proven, because their state may be pruned before the vote: few,
//! however long no block is proven, and the same after a restart.

use crate::{
    chain::{error::ChainError, Chain},
    store::{Store, StoreError},
};
use duet_primitives::{BlockNumber, H256};
use duet_voter::{Era, State};
use std::collections::{BTreeMap, BTreeSet};

/// The most payloads kept at once: those of seven hours of blocks of six seconds, about 1 MB.
const MAX_KEPT: usize = 4096;

/// How far below the finalized block each payload is looked for after a restart: one day and a half of such blocks.
/// Below it only payloads that targets reach in longer steps are kept.
const LOOK_BACK: u32 = 65_536;

/// The blocks that may still be voted on.
pub(crate) struct Votable {
    /// No block at or below this one is voted on any more.
    proven: BlockNumber,
    /// The block from which the target of the latest set is counted. (ROUND-3)
    base: BlockNumber,
    /// The highest block that GRANDPA finalized.
    finalized: BlockNumber,
    /// Blocks that are voted on however far below the target they are: mandatory ones (ROUND-2), and blocks with this
    /// node's votes, which are prepared again after a restart.
    needed: BTreeSet<BlockNumber>,
}

impl Votable {
    /// The blocks that a voter with this state may vote on, once the chain is final up to `finalized`.
    pub(crate) fn new(state: &State, finalized: BlockNumber) -> Self {
        let best = state.best_number();
        let before = |era: &Era| era.start.map(BlockNumber::saturating_previous);
        let proven = before(state.signing()).map_or(best, |block| block.max(best));
        let votes = state
            .votes()
            .iter()
            .map(|vote| vote.commitment.block_number);
        Self {
            proven,
            base: state.eras().filter_map(before).fold(proven, Ord::max),
            finalized,
            needed: state
                .eras()
                .filter_map(|era| era.mandatory)
                .chain(votes)
                .collect(),
        }
    }

    /// ROUND-3: a target is never below the middle between the proven and the finalized block, and both only grow.
    fn is_passed(&self, number: BlockNumber) -> bool {
        let distance = self.finalized.saturating_sub(self.proven);
        let middle = self.proven.saturating_add(distance.div_ceil(2));
        number < middle && !self.needed.contains(&number)
    }

    /// ROUND-3: from this base on, the targets up to a block at distance `d` are where the binary digits of `d`, from the
    /// highest on, lead. So a block at distance `m` is one of them as long as `d < m + 2^k`, `2^k` being the largest
    /// power of two that divides `m`.
    fn is_on_the_way(&self, number: BlockNumber) -> bool {
        let distance = self.finalized.saturating_sub(self.base);
        let at = number.saturating_sub(self.base);
        let step = 1_u32.checked_shl(at.trailing_zeros()).unwrap_or(u32::MAX);
        distance < at.saturating_add(step) || self.needed.contains(&number)
    }
}

impl Votable {
    /// The possible places of a payload kept when the chain was final up to a block not far below this one.
    ///
    /// What lies below the latest [`LOOK_BACK`] blocks is needed, or on the way: then its step is longer than half of that, and
    /// its distance from the base a multiple of it.
    fn places(&self) -> BTreeSet<BlockNumber> {
        let (from, to) = (self.proven.saturating_next(), self.finalized);
        let latest = from.max(BlockNumber::new(to.get().saturating_sub(LOOK_BACK)));
        let base = self.base.get();
        let old = (base..latest.get()).step_by(LOOK_BACK as usize);
        let all = old.chain(latest.get()..=to.get()).map(BlockNumber::new);
        let all = all.chain(self.needed.iter().copied());
        all.filter(|number| (from..=to).contains(number)).collect()
    }
}

/// The blocks whose payload is stored.
#[derive(Default)]
pub(crate) struct KeptPayloads {
    blocks: BTreeMap<BlockNumber, H256>,
}

impl KeptPayloads {
    /// Loads the stored payloads, after a restart.
    ///
    /// Cost: two database reads for each possible place, about [`LOOK_BACK`] however long no block was proven. It
    /// does not find payloads from before a node ran without its voter for longer than that.
    pub(crate) fn find(
        &mut self,
        chain: &Chain,
        store: &Store,
        votable: &Votable,
    ) -> Result<(), StoreError> {
        for number in votable.places() {
            match chain.hash(number) {
                Ok(hash) if store.payload(hash)?.is_some() => {
                    self.blocks.insert(number, hash);
                }
                Err(ChainError::Store(error)) => return Err(error),
                // An unstored payload need not be dropped.
                Ok(_) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// The payload of this block is stored.
    pub(crate) fn insert(&mut self, number: BlockNumber, hash: H256) {
        self.blocks.insert(number, hash);
    }

    /// Forgets the payloads proven with block `number`: all up to it.
    pub(crate) fn take_proven(&mut self, number: BlockNumber) -> Vec<H256> {
        let above = self.blocks.split_off(&number.saturating_next());
        std::mem::replace(&mut self.blocks, above)
            .into_values()
            .collect()
    }

    /// Forgets blocks that are no longer voted on, and excess ones, lowest first; never those that come next by
    /// ROUND-3.
    pub(crate) fn take_surplus(&mut self, votable: &Votable) -> Vec<H256> {
        let passed = self.blocks.keys().copied();
        let passed: Vec<_> = passed
            .take_while(|number| *number < votable.finalized)
            .filter(|number| votable.is_passed(*number))
            .collect();
        let mut dropped = self.take(&passed);
        let excess = self.blocks.len().saturating_sub(MAX_KEPT);
        let aside = self.blocks.keys().copied();
        let aside: Vec<_> = aside
            .filter(|number| !votable.is_on_the_way(*number))
            .take(excess)
            .collect();
        dropped.extend(self.take(&aside));
        dropped
    }

    fn take(&mut self, numbers: &[BlockNumber]) -> Vec<H256> {
        let take = |number| self.blocks.remove(number);
        numbers.iter().filter_map(take).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        chain::blocks::{BlockHeader, Blocks},
        testing::TestChain,
    };
    use duet_primitives::{testing::TestSet, CommitmentPayload, SetId};
    use std::sync::Arc;

    /// A chain of any length, of which no block is here.
    struct Hashes;

    impl Blocks for Hashes {
        fn genesis_hash(&self) -> H256 {
            H256::zero()
        }
        fn finalized(&self) -> (BlockNumber, H256) {
            (BlockNumber::new(0), H256::zero())
        }
        fn best_hash(&self) -> H256 {
            H256::zero()
        }
        fn best_number(&self) -> BlockNumber {
            BlockNumber::new(0)
        }
        fn hash(&self, number: BlockNumber) -> sp_blockchain::Result<Option<H256>> {
            Ok(Some(H256::from_low_u64_be(number.get().into())))
        }
        fn find_header(&self, _: H256) -> sp_blockchain::Result<Option<BlockHeader>> {
            Ok(None)
        }
        fn justification(&self, _: H256) -> sp_blockchain::Result<Option<Vec<u8>>> {
            Ok(None)
        }
        fn append_justification(&self, _: H256, _: Vec<u8>) -> sp_blockchain::Result<()> {
            Ok(())
        }
    }

    fn votable(proven: u32, finalized: u32) -> Votable {
        Votable {
            proven: BlockNumber::new(proven),
            base: BlockNumber::new(proven),
            finalized: BlockNumber::new(finalized),
            needed: BTreeSet::from([BlockNumber::new(proven + 5)]),
        }
    }

    /// ROUND-3, by repeated doubling: the blocks that are voted on one after the other when nothing more is finalized.
    fn targets(mut proven: u32, finalized: u32) -> Vec<u32> {
        let mut targets = Vec::new();
        while proven < finalized {
            let mut step = 1;
            while 2 * step <= finalized - proven {
                step *= 2;
            }
            proven += step;
            targets.push(proven);
        }
        targets
    }

    #[test]
    fn however_long_a_stall_lasts_few_are_kept_and_all_that_are_voted_on_after_it() {
        const PROVEN: u32 = 1000;
        let mut kept = KeptPayloads::default();
        for number in PROVEN + 1..PROVEN + 30_000 {
            kept.insert(
                BlockNumber::new(number),
                H256::from_low_u64_be(number.into()),
            );
            let now = votable(PROVEN, number);
            kept.take_surplus(&now);
            assert!(kept.blocks.len() <= MAX_KEPT);
            if number % 97 == 0 || number.is_power_of_two() {
                for target in targets(PROVEN, number) {
                    let target = BlockNumber::new(target);
                    assert!(kept.blocks.contains_key(&target), "{target} of {number}");
                }
            }
        }
        assert_eq!(kept.blocks.len(), MAX_KEPT);
        let needed = BlockNumber::new(PROVEN + 5);
        assert!(kept.blocks.contains_key(&needed));
    }

    #[test]
    fn all_that_is_kept_lies_where_it_is_looked_for_after_a_restart() {
        const PROVEN: u32 = 1000;
        let mut kept = KeptPayloads::default();
        for number in PROVEN + 1..PROVEN + 400_000 {
            kept.insert(BlockNumber::new(number), H256::zero());
            if number % 512 != 0 {
                continue;
            }
            kept.take_surplus(&votable(PROVEN, number));
            if number % 4096 == 0 {
                // The chain may have gone on a little since.
                for later in [0, LOOK_BACK / 2 - 1] {
                    let places = votable(PROVEN, number + later).places();
                    assert!(kept.blocks.keys().all(|block| places.contains(block)));
                    assert!(places.len() < LOOK_BACK as usize + 16);
                }
            }
        }
        let oldest = kept.blocks.keys().find(|block| block.get() > PROVEN + 5);
        assert_eq!(
            oldest,
            Some(&BlockNumber::new(PROVEN + 0x4_0000)),
            "far below"
        );
    }

    #[test]
    fn what_lies_below_the_middle_is_forgotten_and_what_is_needed_is_not() {
        let mut kept = KeptPayloads::default();
        for number in 1..=100 {
            kept.insert(
                BlockNumber::new(number),
                H256::from_low_u64_be(number.into()),
            );
        }
        let dropped = kept.take_surplus(&votable(0, 100));
        let expected: Vec<_> = (1..50)
            .filter(|number| *number != 5)
            .map(H256::from_low_u64_be)
            .collect();
        assert_eq!(dropped, expected);
        assert_eq!(kept.take_proven(BlockNumber::new(51)).len(), 3);
    }

    #[test]
    fn payloads_of_a_long_stall_are_found_after_a_restart_and_dropped_when_they_are_passed() {
        let test = TestChain::default();
        let (store, chain) = (test.store(), test.chain_over(Arc::new(Hashes)));
        let next = TestSet::new(1, 0..4).set.commitment().clone();
        let payload = CommitmentPayload {
            mmr_root: H256::zero(),
            validator_set_id: SetId::new(0),
            next,
        };
        let [passed, on_the_way, open] = [65_536, 131_072, 160_000].map(H256::from_low_u64_be);
        for block in [passed, on_the_way, open] {
            store.put_payload(block, &payload).unwrap();
        }
        let mut kept = KeptPayloads::default();
        let votable = votable(0, 200_000);
        kept.find(&chain, &store, &votable).unwrap();
        assert_eq!(kept.take_surplus(&votable), [passed]);
        let left = kept.take_proven(BlockNumber::new(200_000));
        assert_eq!(left, [on_the_way, open]);
    }
}
