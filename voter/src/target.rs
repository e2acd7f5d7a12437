//! Which block to vote on next. (ROUND-1, ROUND-2, ROUND-3)

use crate::State;
use duet_primitives::BlockNumber;

/// The block that the signing set should prove next, if GRANDPA has come that far.
///
/// The mandatory block while it is pending (ROUND-2). Otherwise a distance from the best proven
/// block that doubles with the distance to GRANDPA (ROUND-3), so that nodes whose views of GRANDPA
/// differ a little meet on the same block. Never a block of another set (ROUND-5), never beyond
/// GRANDPA (ROUND-1). None where the set's rules are unknown to this code (ROUND-11).
///
/// A set counts from the block before its first one, even when its predecessor proved less: nodes may hold different
/// last proofs of the predecessor, can no longer accept others, and must still agree.
pub(crate) fn target(state: &State) -> Option<BlockNumber> {
    let rules = state.signing().rules;
    if !rules.are_known() {
        return None;
    }
    let finalized = state.scanned();
    let block = match state.pending() {
        Some(mandatory) => mandatory,
        None => {
            let proven = state.lowest().saturating_previous();
            proven.checked_add(step(proven, finalized, rules.min_delta)?)?
        }
    };
    (block <= finalized.min(state.highest())).then_some(block)
}

/// ROUND-3: `max(min_delta, next_power_of_two(⌈(finalized − best + 1) / 2⌉))`.
fn step(best: BlockNumber, finalized: BlockNumber, min_delta: u32) -> Option<u32> {
    let distance = finalized.checked_sub(best)?;
    let half = distance.checked_add(1)?.div_ceil(2);
    Some(half.checked_next_power_of_two()?.max(min_delta))
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_primitives::{
        testing::TestSet, KeysetCommitment, Pk1Bytes, RoundMessage, SetId, VotingRules, H256,
    };

    /// The target as an integer, with this least distance.
    fn target(state: &State, min_delta: u32) -> Option<u32> {
        target_by(state, VotingRules::with_min_delta(min_delta))
    }

    fn target_by(state: &State, rules: VotingRules) -> Option<u32> {
        let state = state.clone().with_rules(rules);
        super::target(&state).map(BlockNumber::get)
    }

    fn set(id: u64) -> KeysetCommitment {
        KeysetCommitment {
            id: SetId::new(id),
            len: 4,
            root: H256::zero(),
            apk1: Pk1Bytes([0; 48]),
        }
    }

    /// ROUND-3.
    #[test]
    fn the_step_is_the_largest_power_of_two_that_grandpa_has_reached() {
        // best, GRANDPA, min_delta, step
        let table = [
            (0, 0, 1, 1),
            (0, 1, 1, 1),
            (0, 2, 1, 2),
            (0, 3, 1, 2),
            (0, 4, 1, 4),
            (0, 7, 1, 4),
            (0, 8, 1, 8),
            (100, 115, 1, 8),
            (100, 116, 1, 16),
            (100, 103, 8, 8),
            (100, 150, 8, 32),
        ];
        for (best, finalized, min_delta, expected) in table {
            assert_eq!(
                step(
                    BlockNumber::new(best),
                    BlockNumber::new(finalized),
                    min_delta
                ),
                Some(expected),
                "{best} {finalized}"
            );
        }
        let step = |best, finalized| step(BlockNumber::new(best), BlockNumber::new(finalized), 1);
        assert_eq!(step(5, 4), None);
        assert_eq!(step(0, u32::MAX), None);
        assert_eq!(step(0, u32::MAX - 1), Some(1 << 31));
    }

    /// ROUND-1, ROUND-3.
    #[test]
    fn nothing_is_voted_on_before_grandpa_is_there() {
        let mut state = State::new(set(0), BlockNumber::new(1));
        assert_eq!(target(&state, 1), None);
        state.scan(BlockNumber::new(1));
        assert_eq!(target(&state, 1), Some(1));
        assert_eq!(target(&state, 4), None);
        state.scan(BlockNumber::new(9));
        assert_eq!(target(&state, 1), Some(8));
        assert_eq!(target(&state, 4), Some(8));
    }

    /// ROUND-2.
    #[test]
    fn a_pending_mandatory_block_comes_before_everything() {
        let mut state = State::new(set(0), BlockNumber::new(1));
        state.plan(BlockNumber::new(5), set(1));
        state.scan(BlockNumber::new(4));
        assert_eq!(
            target(&state, 1),
            None,
            "the mandatory block is announced, not finalized"
        );
        state.scan(BlockNumber::new(40));
        assert_eq!(target(&state, 1), Some(5));
        assert_eq!(target(&state, 16), Some(5), "min_delta does not skip it");
    }

    /// ROUND-11.
    #[test]
    fn nothing_is_voted_on_by_rules_that_are_not_known() {
        let mut state = State::new(set(0), BlockNumber::new(1));
        state.plan(BlockNumber::new(5), set(1));
        state.scan(BlockNumber::new(40));
        let mut rules = VotingRules::default();
        assert_eq!(target_by(&state, rules), Some(5));
        rules.version = VotingRules::VERSION + 1;
        assert_eq!(target_by(&state, rules), None);
    }

    #[test]
    fn a_set_votes_on_nothing_from_its_successors_first_block_on() {
        let mut state = State::new(set(0), BlockNumber::new(1));
        state.plan(BlockNumber::new(5), set(1));
        state.activate(BlockNumber::new(9), SetId::new(1));
        assert_eq!(state.highest(), BlockNumber::new(5));
        assert_eq!(state.successor_at(BlockNumber::new(4)), &set(0));
        assert_eq!(state.successor_at(BlockNumber::new(5)), &set(1));
    }

    /// ROUND-3: `best` is never below the block before the set's first one.
    #[test]
    fn members_of_a_new_set_agree_whatever_they_hold_of_the_old_one() {
        let base = TestSet::new(0, [0]);
        let next = TestSet::new(1, [1]);
        let targets = [5, 6, 8].map(|last| {
            let mut state = State::new(base.set.commitment().clone(), BlockNumber::new(1));
            state.plan(BlockNumber::new(5), next.set.commitment().clone());
            state.activate(BlockNumber::new(9), SetId::new(1));
            state.scan(BlockNumber::new(20));
            for block in [5, last] {
                let commitment = base.commitment(block, &next.set);
                let message = RoundMessage::new(H256::zero(), commitment);
                state.conclude(&base.justify(&message, [0]));
            }
            assert!(state.take_over());
            target(&state, 1)
        });
        assert_eq!(
            targets,
            [Some(16); 3],
            "eight blocks after the one before its first"
        );
    }

    #[test]
    fn a_first_set_that_starts_late_votes_from_its_first_block_on() {
        let mut state = State::new(set(7), BlockNumber::new(1000));
        assert_eq!(state.lowest(), BlockNumber::new(1000));
        state.scan(BlockNumber::new(1000));
        assert_eq!(target(&state, 1), Some(1000));
    }
}
