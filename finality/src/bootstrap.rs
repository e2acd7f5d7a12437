//! The first block of a node without voter state.
//!
//! On a chain that started with Duet it is the genesis, whose state is available at the first start. On a chain that
//! adopted Duet later, and on a node that did not download the old blocks, it is the lowest block with a state from
//! which on no set change is missed: a block that plans the next set itself, or one at which the next set is the
//! signing one. Nodes that saw the same blocks begin at the same one.

use crate::chain::{error::ChainError, Chain};
use duet_gossip::LOG_TARGET;
use duet_primitives::{BlockNumber, ConsensusLog, Keysets, VotingRules, H256};
use duet_voter::State;

/// How far below the finalized block the search for a starting block goes.
const DEPTH: u32 = 1024;

/// The beginning.
#[derive(Clone)]
pub(crate) struct Beginning {
    /// The first block that counts.
    pub(crate) start: BlockNumber,
    /// Its hash.
    pub(crate) hash: H256,
    /// The sets at that block.
    pub(crate) sets: Keysets,
    /// The voting rules of the set that signs at that block. (ROUND-11)
    rules: VotingRules,
}

/// A block to begin at, its hash, and the sets at it.
type Candidate = (BlockNumber, H256, Keysets);

impl Beginning {
    fn at(chain: &Chain, (start, hash, sets): Candidate) -> Result<Self, ChainError> {
        let rules = chain.voting_rules(hash)?;
        Ok(Self {
            start,
            hash,
            sets,
            rules,
        })
    }

    /// The initial voter state.
    pub(crate) fn state(&self) -> State {
        State::new(self.sets.current.clone(), self.start).with_rules(self.rules)
    }
}

/// Searches for the first block, and remembers the searched blocks: the search runs for every newly final block, and
/// a block costs two runtime calls.
#[derive(Default)]
pub(crate) struct Search {
    last: Option<Searched>,
}

/// The result of the last search.
struct Searched {
    /// It looked above this block,
    above: BlockNumber,
    /// and up to this one.
    to: BlockNumber,
    found: Option<Beginning>,
}

impl Search {
    /// The beginning of a node without state; `None` while the chain has no Duet set.
    pub(crate) fn beginning(&mut self, chain: &Chain) -> Result<Option<Beginning>, ChainError> {
        let hash = chain.hash(BlockNumber::ZERO)?;
        if let Some(sets) = sets_if_here(chain, hash) {
            return Beginning::at(chain, (BlockNumber::ZERO, hash, sets)).map(Some);
        }
        self.beginning_above(chain, BlockNumber::ZERO)
    }

    /// The beginning above `above`, at or below the finalized block.
    ///
    /// Cost: two runtime calls for each new block of the [`DEPTH`] latest, and one for the result.
    pub(crate) fn beginning_above(
        &mut self,
        chain: &Chain,
        above: BlockNumber,
    ) -> Result<Option<Beginning>, ChainError> {
        let (finalized, _) = chain.finalized();
        let lowest = BlockNumber::new(finalized.get().saturating_sub(DEPTH));
        let lowest = lowest.max(above.saturating_next());
        let last = self.last.take().filter(|last| {
            let found = last.found.as_ref();
            last.above == above && found.is_none_or(|found| found.start >= lowest)
        });
        let looked_at = last.as_ref().map_or(BlockNumber::ZERO, |last| last.to);
        let from = lowest.max(looked_at.saturating_next());
        let run = run_of_known(chain, from, finalized)?;
        let known = last
            .filter(|_| run.reaches_down)
            .and_then(|last| last.found);
        let found = match (known, run.found) {
            (None, Some(block)) => Some(Beginning::at(chain, block)?),
            (known, _) => known,
        };
        // A finalized block that is unreadable now may soon be readable.
        self.last = (run.reads_top || from > finalized).then(|| Searched {
            above,
            to: finalized,
            found: found.clone(),
        });
        Ok(found)
    }
}

/// The run of known blocks that ends at a block.
struct Run {
    /// The lowest of its blocks to begin at.
    found: Option<Candidate>,
    /// Whether its last block is known.
    reads_top: bool,
    /// Whether all searched blocks are known.
    reaches_down: bool,
}

/// The run of known blocks that ends at `to` and does not go below `from`.
fn run_of_known(chain: &Chain, from: BlockNumber, to: BlockNumber) -> Result<Run, ChainError> {
    let mut run = Run {
        found: None,
        reads_top: false,
        reaches_down: true,
    };
    for start in (from.get()..=to.get()).rev().map(BlockNumber::new) {
        let Some((hash, sets)) = known(chain, start) else {
            run.reaches_down = false;
            break;
        };
        run.reads_top = true;
        let plans_itself = chain
            .logs(start)?
            .iter()
            .any(|log| matches!(log, ConsensusLog::Planned(_)));
        if plans_itself || sets.next.id == sets.current.id {
            run.found = Some((start, hash, sets));
        }
    }
    Ok(run)
}

/// The hash of a block and the sets at it, if this node has the block and its state.
fn known(chain: &Chain, number: BlockNumber) -> Option<(H256, Keysets)> {
    match chain.hash(number) {
        Ok(hash) => sets_if_here(chain, hash).map(|sets| (hash, sets)),
        Err(error) => {
            log::debug!(target: LOG_TARGET, "block {number} is not available: {error}");
            None
        }
    }
}

/// The sets at a block, if its state is available and has any. A node that synced by warp sync, or ran for long
/// before it knew of Duet, lacks the states of old blocks: the run of known blocks ends there.
fn sets_if_here(chain: &Chain, hash: H256) -> Option<Keysets> {
    match chain.keysets(hash) {
        Ok(sets) => sets,
        Err(error) => {
            log::debug!(target: LOG_TARGET, "cannot read the sets at block {hash:?}: {error}");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TestBlock, TestChain};
    use duet_primitives::{testing::TestSet, SetId};

    fn sets() -> [TestSet; 3] {
        [
            TestSet::new(0, 0..4),
            TestSet::new(1, 1..5),
            TestSet::new(2, 2..6),
        ]
    }

    fn planned(set: &TestSet) -> ConsensusLog {
        ConsensusLog::Planned(set.set.commitment().clone())
    }

    #[test]
    fn a_chain_that_started_with_duet_begins_at_its_genesis() {
        let (test, [first, second, _]) = (TestChain::default(), sets());
        test.push(&first, &first, &[]);
        test.push(&first, &second, &[planned(&second)]);
        let beginning = Search::default().beginning(&test.chain()).unwrap().unwrap();
        assert_eq!(
            (beginning.start.get(), beginning.sets.current.id.get()),
            (0, 0)
        );
        assert_eq!(beginning.state().scanned().get(), 0);
    }

    #[test]
    fn a_chain_without_duet_has_no_beginning_yet() {
        let test = TestChain::default();
        assert!((0..3).all(|_| test.push_without_duet() != H256::zero()));
        assert!(Search::default()
            .beginning(&test.chain())
            .unwrap()
            .is_none());
    }

    #[test]
    fn a_chain_that_adopted_duet_begins_at_the_first_block_with_sets() {
        let (test, [first, ..]) = (TestChain::default(), sets());
        for _ in 0..4 {
            test.push_without_duet();
        }
        for _ in 0..3 {
            test.push(&first, &first, &[]);
        }
        let beginning = Search::default().beginning(&test.chain()).unwrap().unwrap();
        assert_eq!(beginning.start.get(), 4);
        assert_eq!(beginning.state().scanned().get(), 3);
    }

    #[test]
    fn within_a_change_of_sets_it_waits_for_the_next_block_that_misses_none() {
        let (test, [first, second, third]) = (TestChain::default(), sets());
        let plan = test.push(&first, &second, &[planned(&second)]);
        for _ in 0..3 {
            test.push(&first, &second, &[]);
        }
        test.prune(plan);
        assert!(Search::default()
            .beginning(&test.chain())
            .unwrap()
            .is_none());
        let logs = [ConsensusLog::Activated(SetId::new(1)), planned(&third)];
        test.push(&second, &third, &logs);
        test.push(&second, &third, &[]);
        let beginning = Search::default().beginning(&test.chain()).unwrap().unwrap();
        assert_eq!(
            (beginning.start.get(), beginning.sets.current.id.get()),
            (4, 1)
        );
    }

    #[test]
    fn a_new_beginning_is_above_the_given_block() {
        let (test, [first, ..]) = (TestChain::default(), sets());
        for _ in 0..6 {
            test.push(&first, &first, &[]);
        }
        let chain = test.chain();
        let mut search = Search::default();
        let found = search.beginning_above(&chain, BlockNumber::new(3));
        assert_eq!(found.unwrap().unwrap().start.get(), 4);
        let found = search.beginning_above(&chain, BlockNumber::new(5));
        assert!(found.unwrap().is_none());
    }

    /// A chain whose first blocks are unknown, and which is within a change of sets up to its end: `blocks` are known.
    fn within_a_change(blocks: u32) -> TestChain {
        let (test, [first, second, _]) = (TestChain::default(), sets());
        for _ in 0..2 {
            test.push_without_duet();
        }
        for _ in 0..blocks {
            test.push(&first, &second, &[]);
        }
        test
    }

    #[test]
    fn a_search_that_is_repeated_looks_only_at_new_blocks() {
        let (test, [_, second, third]) = (within_a_change(50), sets());
        let chain = test.chain();
        let mut search = Search::default();
        let mut calls = |expected| {
            let before = test.client.calls();
            let found = search.beginning_above(&chain, BlockNumber::ZERO).unwrap();
            assert_eq!(test.client.calls() - before, expected);
            found.map(|found| found.start.get())
        };
        assert_eq!(calls(51), None);
        for _ in 0..3 {
            assert_eq!(calls(0), None);
        }
        let logs = [ConsensusLog::Activated(SetId::new(1)), planned(&third)];
        test.push(&second, &third, &logs);
        test.push(&second, &third, &[]);
        assert_eq!(calls(3), Some(52), "one is for its rules");
        assert_eq!(calls(0), Some(52));
        test.push(&second, &third, &[]);
        assert_eq!(calls(1), Some(52), "the lowest stays");
    }

    #[test]
    fn what_is_remembered_leads_to_the_same_block_as_a_search_anew() {
        let [first, second, third] = sets();
        let test = within_a_change(3);
        let chain = test.chain();
        let mut searches = [0, 4].map(|above| (BlockNumber::new(above), Search::default()));
        let mut agree = |expected: Option<u32>| {
            for (above, search) in &mut searches {
                let again = search.beginning_above(&chain, *above).unwrap();
                let anew = Search::default().beginning_above(&chain, *above).unwrap();
                let again = again.map(|found| found.start.get());
                assert_eq!(again, anew.map(|found| found.start.get()));
                assert_eq!(again, expected, "above {above}");
            }
        };
        agree(None);
        test.push(&first, &second, &[]);
        agree(None);
        test.push(&second, &third, &[planned(&third)]);
        agree(Some(6));
        // A block that this node did not execute: the run restarts above it.
        test.add(&TestBlock::new(&second, &third, &[]).without_state());
        agree(None);
        test.push(&third, &third, &[]);
        agree(Some(8));
        test.push(&third, &third, &[]);
        agree(Some(8));
    }
}
