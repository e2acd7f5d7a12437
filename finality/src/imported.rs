//! Justifications imported with blocks, until their blocks are final.
//!
//! They are not checked before that, so none replaces another: several of one block wait side by side, and an invalid
//! one costs only its check. The checks run at a desk.

use crate::{
    chain::{error::CheckError, Chain},
    desk::Desk,
    import::Imported,
    metrics::Metrics,
};
use duet_gossip::LOG_TARGET;
use duet_primitives::{BlockNumber, Justification, UncheckedJustification, H256};
use duet_voter::State;
use std::collections::BTreeMap;

/// The most waiting justifications; further ones are dropped and counted. (GOSSIP-7)
const MAX_WAITING: usize = 2048;
/// The most different justifications that wait for one block number.
const MAX_OF_NUMBER: usize = 8;
/// The checks of one pass, apart from handoffs: one pairing each.
const MAX_CHECKS: usize = 16;
/// The checks of one pass for justifications that name another block than the final one.
const MAX_SUSPECTS: usize = 16;

/// Justifications imported with blocks that are not final yet.
pub(crate) struct ImportedJustifications {
    checks: Desk<DueImports>,
    /// Whether a check is running. The others wait for its end.
    checking: bool,
    metrics: Metrics,
    /// Different justifications by number, in order of arrival; no list is empty.
    waiting: BTreeMap<BlockNumber, Vec<UncheckedJustification>>,
    /// The total number in all lists.
    count: usize,
}

impl ImportedJustifications {
    /// No justifications. `checks` is the desk that checks them.
    pub(crate) fn new(checks: Desk<DueImports>, metrics: Metrics) -> Self {
        Self {
            checks,
            checking: false,
            metrics,
            waiting: BTreeMap::new(),
            count: 0,
        }
    }

    /// Adds a justification imported with a block.
    pub(crate) fn add(&mut self, imported: Imported) {
        let Imported {
            block,
            justification,
        } = imported;
        if justification.commitment.block_hash != block {
            self.metrics.imported_bad.inc();
            return;
        }
        let number = justification.commitment.block_number;
        let same = self.waiting.get(&number).map_or(&[][..], Vec::as_slice);
        if same.contains(&justification) {
            return;
        }
        let beside = same.len();
        if beside >= MAX_OF_NUMBER || !self.has_room_beside(beside) {
            self.metrics.imported_dropped.inc();
            return;
        }
        self.waiting.entry(number).or_default().push(justification);
        self.count = self.count.saturating_add(1);
    }

    /// Whether there is room for another justification of a block that has `beside`. Otherwise the block with the
    /// most drops its last, unless it has hardly more: so those of one block cannot keep out those of others.
    fn has_room_beside(&mut self, beside: usize) -> bool {
        if self.count < MAX_WAITING {
            return true;
        }
        let longest = self.waiting.values_mut().max_by_key(|list| list.len());
        match longest {
            Some(list) if list.len() > beside.saturating_add(1) => {
                list.pop();
                self.count = self.count.saturating_sub(1);
                self.metrics.imported_dropped.inc();
                true
            }
            _ => false,
        }
    }

    /// Checks the justifications whose blocks the voter has scanned, unless a check is running. The valid ones arrive
    /// as the answer; then [`ImportedJustifications::checked`] is called.
    pub(crate) fn check_due(&mut self, state: &State) {
        if self.checking {
            return;
        }
        let due = self.take_due(state);
        self.checking = !due.is_empty() && self.checks.hand_in(due).is_ok();
    }

    /// The running check has ended.
    pub(crate) fn checked(&mut self) {
        self.checking = false;
    }

    /// Removes the justifications whose blocks the voter has scanned.
    fn take_due(&mut self, state: &State) -> DueImports {
        let later = self.waiting.split_off(&state.scanned().saturating_next());
        let mut due = std::mem::replace(&mut self.waiting, later);
        self.count = self.waiting.values().map(Vec::len).sum();
        let above = due.split_off(&state.best_number().saturating_next());
        let below = std::mem::replace(&mut due, above);
        let mandatory = state.eras().filter_map(|era| era.mandatory);
        DueImports {
            handoffs: mandatory
                .filter_map(|number| due.remove_entry(&number))
                .collect(),
            others: due,
            below,
        }
    }
}

/// Justifications imported with blocks that are now final.
#[derive(Debug)]
pub(crate) struct DueImports {
    /// Of mandatory blocks.
    handoffs: Vec<(BlockNumber, Vec<UncheckedJustification>)>,
    /// Of other blocks.
    others: BTreeMap<BlockNumber, Vec<UncheckedJustification>>,
    /// Of blocks that are proven, or below those. They are useless unless they contradict the chain. (ROUND-10)
    below: BTreeMap<BlockNumber, Vec<UncheckedJustification>>,
}

impl DueImports {
    fn is_empty(&self) -> bool {
        self.handoffs.is_empty() && self.others.is_empty() && self.below.is_empty()
    }

    /// Checks the handoffs, and the others from the highest down until one holds. The rest would change nothing and
    /// cost a pairing each. Those that name another block than the final one are checked too: a valid one is a
    /// contradiction. (ROUND-10)
    pub(crate) fn check(self, chain: &Chain, metrics: &Metrics) -> Vec<Justification> {
        let check = Check { chain, metrics };
        let handoffs = self.handoffs.iter().map(|(_, list)| list);
        let all = handoffs
            .chain(self.others.values())
            .chain(self.below.values());
        let mut good = check.contradicting(all.flatten());
        for (number, candidates) in self.handoffs {
            let mut checks = MAX_OF_NUMBER;
            good.extend(check.first_good(number, candidates, &mut checks));
        }
        let mut checks = MAX_CHECKS;
        let mut others = self.others.into_iter().rev();
        good.extend(others.find_map(|(number, list)| check.first_good(number, list, &mut checks)));
        good
    }
}

/// The inputs of the checks.
struct Check<'a> {
    chain: &'a Chain,
    metrics: &'a Metrics,
}

impl Check<'_> {
    /// The valid ones that name another block than the final one.
    fn contradicting<'a>(
        &self,
        all: impl Iterator<Item = &'a UncheckedJustification>,
    ) -> Vec<Justification> {
        let contradicts = |justification: &&UncheckedJustification| {
            let commitment = &justification.commitment;
            let finalized = self.chain.finalized_at(commitment.block_number);
            finalized.is_some_and(|finalized| finalized != commitment.block_hash)
        };
        let mut checks = MAX_SUSPECTS;
        all.filter(contradicts)
            .filter_map(|justification| self.verify(justification.clone(), &mut checks))
            .collect()
    }

    /// The first valid one of these that is about the finalized block with this number.
    fn first_good(
        &self,
        number: BlockNumber,
        candidates: Vec<UncheckedJustification>,
        checks: &mut usize,
    ) -> Option<Justification> {
        let finalized = self.chain.hash(number).ok()?;
        candidates
            .into_iter()
            .find_map(|justification| self.check(finalized, justification, checks))
    }

    fn check(
        &self,
        finalized: H256,
        justification: UncheckedJustification,
        checks: &mut usize,
    ) -> Option<Justification> {
        let number = justification.commitment.block_number;
        if justification.commitment.block_hash != finalized {
            log::debug!(target: LOG_TARGET, "a proof came with a block {number} that did not become final");
            return None;
        }
        let justification = self.verify(justification, checks)?;
        self.metrics.imported_good.inc();
        Some(justification)
    }

    fn verify(
        &self,
        justification: UncheckedJustification,
        checks: &mut usize,
    ) -> Option<Justification> {
        let number = justification.commitment.block_number;
        let Some(left) = checks.checked_sub(1) else {
            self.metrics.imported_dropped.inc();
            return None;
        };
        *checks = left;
        match self.chain.check(justification) {
            Ok(justification) => return Some(justification),
            Err(CheckError::Broken(error)) => {
                self.metrics.imported_bad.inc();
                log::debug!(target: LOG_TARGET, "a bad proof came with block {number}: {error}");
            }
            Err(CheckError::Set(error)) => {
                log::debug!(target: LOG_TARGET, "the proof of block {number} is not used: {error}");
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{dual_keys, TestChain};
    use duet_primitives::{testing::TestSet, RoundMessage};
    use duet_voter::{Config, Event, Voter};
    use std::sync::Arc;

    struct Setup {
        test: TestChain,
        set: TestSet,
        imported: ImportedJustifications,
    }

    /// A chain of so many blocks after the genesis, none of them proven.
    fn setup(blocks: u32) -> Setup {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        for _ in 0..=blocks {
            test.push(&set, &set, &[]);
        }
        let store = test.store();
        store.put_set(set.set.commitment()).unwrap();
        store
            .put_keys(set.set.commitment(), &dual_keys(&set))
            .unwrap();
        let (answers, _) = async_channel::bounded(1);
        let (checks, _) = Desk::open(1, answers, |_: DueImports| Some(()));
        let imported = ImportedJustifications::new(checks, Metrics::new(None));
        Setup {
            test,
            set,
            imported,
        }
    }

    impl Setup {
        fn good(&self, number: u32) -> Imported {
            let chain = self.test.chain();
            let genesis = chain.hash(BlockNumber::ZERO).unwrap();
            let commitment = chain.commitment(BlockNumber::new(number)).unwrap();
            let block = commitment.block_hash;
            let message = RoundMessage::new(genesis, commitment);
            Imported {
                block,
                justification: self.set.justify(&message, 0..3).into_unchecked(),
            }
        }

        /// Differs from the valid one in the root, which is signed, so the signature is invalid.
        fn bad(&self, number: u32, byte: u8) -> Imported {
            let mut imported = self.good(number);
            imported.justification.commitment.mmr_root = H256::repeat_byte(byte);
            imported
        }

        /// The due justifications once the voter has scanned the whole chain, by block number.
        fn due(&mut self) -> Vec<u32> {
            let (number, _) = self.test.chain().finalized();
            let first = self.set.set.commitment().clone();
            let state = State::new(first, BlockNumber::new(1));
            let mut voter = Voter::new(Config::default(), state, Vec::new());
            voter.handle(Event::Finalized { number }, 0);
            let due = self.imported.take_due(voter.state());
            let good = due.check(&self.test.chain(), &self.imported.metrics);
            good.iter()
                .map(|good| good.commitment().block_number.get())
                .collect()
        }
    }

    #[test]
    fn a_good_one_is_found_whatever_came_for_the_same_block_before_and_after() {
        let mut setup = setup(2);
        for imported in [setup.bad(2, 1), setup.good(2), setup.bad(2, 2)] {
            setup.imported.add(imported);
        }
        assert_eq!(setup.due(), [2]);
        assert_eq!(setup.imported.metrics.imported_bad.get(), 1);
    }

    #[test]
    fn a_bad_one_of_a_higher_block_does_not_hide_a_good_one() {
        let mut setup = setup(3);
        for imported in [setup.good(1), setup.good(2), setup.bad(3, 1)] {
            setup.imported.add(imported);
        }
        assert_eq!(setup.due(), [2], "one good one is enough, the highest");
    }

    /// ROUND-10.
    #[test]
    fn a_bad_one_of_a_block_that_did_not_become_final_is_counted_and_no_more() {
        let mut setup = setup(2);
        let mut fork = setup.bad(2, 1);
        fork.block = H256::repeat_byte(9);
        fork.justification.commitment.block_hash = fork.block;
        for imported in [fork, setup.good(2)] {
            setup.imported.add(imported);
        }
        assert_eq!(setup.due(), [2]);
        assert_eq!(setup.imported.metrics.imported_bad.get(), 1);
    }

    /// ROUND-10.
    #[test]
    fn a_valid_one_of_a_block_that_did_not_become_final_is_passed_on_also_below_the_best_proof() {
        let mut setup = setup(3);
        let fork = |number: u32| {
            let chain = setup.test.chain();
            let genesis = chain.hash(BlockNumber::ZERO).unwrap();
            let mut commitment = chain.commitment(BlockNumber::new(number)).unwrap();
            commitment.block_hash = H256::repeat_byte(9);
            let block = commitment.block_hash;
            let message = RoundMessage::new(genesis, commitment);
            let justification = setup.set.justify(&message, 0..3).into_unchecked();
            Imported {
                block,
                justification,
            }
        };
        let (old, new, good) = (fork(1), fork(3), setup.good(2));
        let set = Arc::new(setup.set.set.clone());
        let proven = good.justification.clone();
        for imported in [new, old, good] {
            setup.imported.add(imported);
        }
        let (number, genesis) = (BlockNumber::new(3), setup.test.chain().genesis_hash());
        let state = State::new(setup.set.set.commitment().clone(), BlockNumber::new(1));
        let mut voter = Voter::new(Config::default(), state, Vec::new());
        let proven = proven.check(set.keyset(), genesis).unwrap();
        for event in [
            Event::Set(set),
            Event::Finalized { number },
            Event::Justification(proven),
        ] {
            voter.handle(event, 0);
        }
        assert_eq!(voter.state().best_number().get(), 2);
        let due = setup.imported.take_due(voter.state());
        let passed_on = due.check(&setup.test.chain(), &setup.imported.metrics);
        let blocks: Vec<_> = passed_on
            .iter()
            .map(|one| one.commitment().block_number.get())
            .collect();
        assert_eq!(blocks, [3, 1]);
    }

    #[test]
    fn those_of_one_block_are_bounded_and_the_same_one_counts_once() {
        let mut setup = setup(2);
        let imported = setup.bad(2, 0);
        for _ in 0..100 {
            setup.imported.add(imported.clone());
        }
        assert_eq!(setup.imported.count, 1);
        for byte in 0..100 {
            let imported = setup.bad(2, byte);
            setup.imported.add(imported);
        }
        assert_eq!(setup.imported.count, MAX_OF_NUMBER);
        assert_eq!(setup.imported.metrics.imported_dropped.get(), 92);
    }

    #[test]
    fn those_of_some_blocks_do_not_keep_out_those_of_others() {
        let mut setup = setup(1);
        let template = setup.good(1);
        let of = |number: u32, byte: u8| {
            let mut imported = template.clone();
            let commitment = &mut imported.justification.commitment;
            commitment.block_number = BlockNumber::new(number);
            commitment.mmr_root = H256::repeat_byte(byte);
            imported
        };
        let full = u32::try_from(MAX_WAITING / MAX_OF_NUMBER).unwrap();
        for number in 1..=full {
            for byte in 0..8 {
                setup.imported.add(of(number, byte));
            }
        }
        assert_eq!(setup.imported.count, MAX_WAITING);
        for number in full + 1..=full + 1000 {
            setup.imported.add(of(number, 0));
        }
        assert_eq!(setup.imported.count, MAX_WAITING);
        assert_eq!(setup.imported.waiting.len(), 1256);
    }
}
