//! Where a node that has no voter state begins.
//!
//! On a chain that started with Duet it is the genesis, whose state is there at the first start. On a chain that
//! took Duet up later, and on a node that did not download the old blocks, it is the lowest block from which on
//! the state is there and nothing is hidden: a block that plans the next set itself, or one at which the next
//! set is the signing one. Nodes that saw the same blocks begin at the same one.

use super::chain::{AccountId, Chain, ChainError};
use duet_primitives::{BlockNumber, ConsensusLog, DuetApi, Keysets, H256};
use duet_voter::State;
use sc_client_api::Backend as BackendT;
use sp_api::ProvideRuntimeApi;
use sp_runtime::traits::{Block as BlockT, NumberFor};

/// How far below the finalized block a beginning is looked for.
const DEPTH: BlockNumber = 1024;

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

impl<Block, Backend, Client> Chain<Block, Backend, Client>
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: Into<BlockNumber> + From<BlockNumber>,
    Backend: BackendT<Block>,
    Client: ProvideRuntimeApi<Block>,
    Client::Api: DuetApi<Block, AccountId>,
{
    /// Where a node without state begins; `None` as long as the chain has no Duet set.
    pub(crate) fn beginning(&self) -> Result<Option<Beginning>, ChainError> {
        let hash = self.hash(0)?;
        // The genesis state may be pruned on a node that ran for long before it knew of Duet.
        if let Ok(Some(sets)) = self.keysets(hash) {
            return Ok(Some(Beginning {
                start: 0,
                hash,
                sets,
            }));
        }
        self.beginning_above(0)
    }

    /// Where to begin above `above`, at or below the finalized block.
    pub(crate) fn beginning_above(
        &self,
        above: BlockNumber,
    ) -> Result<Option<Beginning>, ChainError> {
        let (finalized, _) = self.finalized();
        let lowest = finalized.saturating_sub(DEPTH).max(above.saturating_add(1));
        let mut found = None;
        for start in (lowest..=finalized).rev() {
            let Ok(hash) = self.hash(start) else { break };
            // An error is a state or header that is not there: the run of known blocks ends.
            let Ok(Some(sets)) = self.keysets(hash) else {
                break;
            };
            let plans_itself = self
                .logs(start)?
                .iter()
                .any(|log| matches!(log, ConsensusLog::Planned(_)));
            if plans_itself || sets.next.id == sets.current.id {
                found = Some(Beginning { start, hash, sets });
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::testing::TestChain;
    use duet_primitives::testing::TestSet;

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
        let beginning = test.chain().beginning().unwrap().unwrap();
        assert_eq!((beginning.start, beginning.sets.current.id), (0, 0));
        assert_eq!(beginning.state().scanned(), 0);
    }

    #[test]
    fn a_chain_without_duet_has_no_beginning_yet() {
        let test = TestChain::default();
        assert!((0..3).all(|_| test.push_without_duet() != H256::zero()));
        assert!(test.chain().beginning().unwrap().is_none());
    }

    #[test]
    fn a_chain_that_took_duet_up_begins_at_the_first_block_with_sets() {
        let (test, [first, ..]) = (TestChain::default(), sets());
        for _ in 0..4 {
            test.push_without_duet();
        }
        for _ in 0..3 {
            test.push(&first, &first, &[]);
        }
        let beginning = test.chain().beginning().unwrap().unwrap();
        assert_eq!(beginning.start, 4);
        assert_eq!(beginning.state().scanned(), 3);
    }

    #[test]
    fn within_a_change_of_sets_it_waits_for_the_next_block_that_hides_nothing() {
        let (test, [first, second, third]) = (TestChain::default(), sets());
        let plan = test.push(&first, &second, &[planned(&second)]);
        for _ in 0..3 {
            test.push(&first, &second, &[]);
        }
        test.prune(plan);
        assert!(test.chain().beginning().unwrap().is_none());
        let logs = [ConsensusLog::Activated(1), planned(&third)];
        test.push(&second, &third, &logs);
        test.push(&second, &third, &[]);
        let beginning = test.chain().beginning().unwrap().unwrap();
        assert_eq!((beginning.start, beginning.sets.current.id), (4, 1));
    }

    #[test]
    fn to_begin_anew_is_to_begin_above() {
        let (test, [first, ..]) = (TestChain::default(), sets());
        for _ in 0..6 {
            test.push(&first, &first, &[]);
        }
        assert_eq!(test.chain().beginning_above(3).unwrap().unwrap().start, 4);
        assert!(test.chain().beginning_above(5).unwrap().is_none());
    }
}
