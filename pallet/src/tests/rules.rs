//! How sets vote, and when that changes. (ROUND-11)

use crate::{
    limits,
    mock::{
        genesis, logs, next_block, next_session, on, register_key_of, with, Duet, MinDelta,
        RuntimeOrigin, Test,
    },
};
use duet_primitives::{ConsensusLog, VotingRules};
use frame_support::assert_ok;

fn rules(min_delta: u32) -> VotingRules {
    VotingRules::with_min_delta(min_delta)
}

/// What the header of this block says of rules.
fn announced() -> Vec<VotingRules> {
    let of_rules = |log| match log {
        ConsensusLog::Rules(rules) => Some(rules),
        _ => None,
    };
    logs().into_iter().filter_map(of_rules).collect()
}

#[test]
fn the_rules_of_the_first_set_are_those_of_the_genesis() {
    MinDelta::set(4);
    with(&[1, 2, 3, 4], || assert_eq!(Duet::voting_rules(), rules(4)));
}

#[test]
fn a_change_counts_from_the_block_at_which_the_next_set_takes_over() {
    with(&[1, 2, 3, 4], || {
        MinDelta::set(8);
        next_session();
        assert_eq!(Duet::voting_rules(), rules(1), "the same set signs");
        register_key_of(11, 1);
        next_session();
        assert_eq!((Duet::voting_rules(), announced()), (rules(1), vec![]));
        let started = next_session();
        let (start, says) = (&started[0], &started[1]);
        assert!(matches!(start, ConsensusLog::Activated(_)));
        assert_eq!(says, &ConsensusLog::Rules(rules(8)));
        assert_eq!(Duet::voting_rules(), rules(8));
    });
}

#[test]
fn a_set_that_votes_as_the_one_before_announces_nothing() {
    with(&[1, 2, 3, 4], || {
        register_key_of(11, 1);
        next_session();
        assert!(matches!(next_session()[0], ConsensusLog::Activated(_)));
        assert_eq!(announced(), []);
    });
}

/// A voter takes a reset whatever it has missed before. (RESET-4)
#[test]
fn a_reset_always_says_how_its_set_votes() {
    with(&[1, 2, 3, 4], || {
        assert_ok!(Duet::reset(RuntimeOrigin::root()));
        assert!(matches!(logs()[0], ConsensusLog::Reset { .. }));
        assert_eq!(announced(), [rules(1)]);
        MinDelta::set(2);
        next_block();
        assert_ok!(Duet::reset(RuntimeOrigin::root()));
        assert_eq!(announced().last(), Some(&rules(2)));
        assert_eq!(Duet::voting_rules(), rules(2));
    });
}

/// A chain that takes Duet up later says in a header how its first set votes.
#[test]
fn the_first_set_after_the_genesis_announces_its_rules() {
    MinDelta::set(3);
    on(genesis(&[1, 2, 3, 4], 0), || {
        (1..=4).for_each(|validator| register_key_of(validator, validator));
        while Duet::keysets().is_none() {
            next_session();
        }
        assert_eq!(
            (Duet::voting_rules(), announced()),
            (rules(3), vec![rules(3)])
        );
    });
}

#[test]
#[should_panic(expected = "ROUND-3: MinDelta is zero")]
fn a_runtime_whose_blocks_have_no_distance_is_refused() {
    MinDelta::set(0);
    with(&[1], limits::integrity_test::<Test>);
}
