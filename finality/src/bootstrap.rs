//! Where a node that has no voter state begins.
//!
//! On a chain that started with Duet it is the genesis, whose state is there at the first start. On a chain that
//! adopted Duet later, and on a node that did not download the old blocks, it is the lowest block with a state from
//! which on no set change is missed: a block that plans the next set itself, or one at which the next set is the
//! signing one. Nodes that saw the same blocks begin at the same one.

use crate::chain::{error::ChainError, Chain};
use duet_gossip::LOG_TARGET;
use duet_primitives::{BlockNumber, ConsensusLog, Keysets, H256};
use duet_voter::State;

/// How far below the finalized block the search for a starting block goes.
const DEPTH: u32 = 1024;

/// Where to begin.
pub(crate) struct Beginning {
    /// The first block that counts.
    pub(crate) start: BlockNumber,
    /// Its hash.
    pub(crate) hash: H256,
    /// The sets at it.
    pub(crate) sets: Keysets,
}

impl Beginning {
    /// The voter state to begin with.
    pub(crate) fn state(&self) -> State {
        State::new(self.sets.current.clone(), self.start)
    }
}

/// Where a node without state begins; `None` as long as the chain has no Duet set.
pub(crate) fn beginning(chain: &Chain) -> Result<Option<Beginning>, ChainError> {
    let hash = chain.hash(BlockNumber::ZERO)?;
    if let Some(sets) = sets_if_here(chain, hash) {
        return Ok(Some(Beginning {
            start: BlockNumber::ZERO,
            hash,
            sets,
        }));
    }
    beginning_above(chain, BlockNumber::ZERO)
}

/// Where to begin above `above`, at or below the finalized block.
pub(crate) fn beginning_above(
    chain: &Chain,
    above: BlockNumber,
) -> Result<Option<Beginning>, ChainError> {
    let (finalized, _) = chain.finalized();
    let lowest = finalized.get().saturating_sub(DEPTH);
    let lowest = lowest.max(above.saturating_next().get());
    let mut found = None;
    for start in (lowest..=finalized.get()).rev().map(BlockNumber::new) {
        let hash = match chain.hash(start) {
            Ok(hash) => hash,
            Err(error) => {
                log::debug!(target: LOG_TARGET, "block {start} is not here: {error}");
                break;
            }
        };
        let Some(sets) = sets_if_here(chain, hash) else {
            break;
        };
        let plans_itself = chain
            .logs(start)?
            .iter()
            .any(|log| matches!(log, ConsensusLog::Planned(_)));
        if plans_itself || sets.next.id == sets.current.id {
            found = Some(Beginning { start, hash, sets });
        }
    }
    Ok(found)
}

/// The sets at a block, if its state is here and has any. A node that synced by warp sync, or ran for long before it
/// knew of Duet, lacks the states of old blocks: the run of known blocks ends there.
fn sets_if_here(chain: &Chain, hash: H256) -> Option<Keysets> {
    match chain.keysets(hash) {
        Ok(sets) => sets,
        Err(error) => {
            log::debug!(target: LOG_TARGET, "no sets can be read at block {hash:?}: {error}");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestChain;
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
        let beginning = beginning(&test.chain()).unwrap().unwrap();
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
        assert!(beginning(&test.chain()).unwrap().is_none());
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
        let beginning = beginning(&test.chain()).unwrap().unwrap();
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
        assert!(beginning(&test.chain()).unwrap().is_none());
        let logs = [ConsensusLog::Activated(SetId::new(1)), planned(&third)];
        test.push(&second, &third, &logs);
        test.push(&second, &third, &[]);
        let beginning = beginning(&test.chain()).unwrap().unwrap();
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
        assert_eq!(
            beginning_above(&test.chain(), BlockNumber::new(3))
                .unwrap()
                .unwrap()
                .start
                .get(),
            4
        );
        assert!(beginning_above(&test.chain(), BlockNumber::new(5))
            .unwrap()
            .is_none());
    }
}
