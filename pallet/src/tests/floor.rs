//! CHAIN-6: what part of the elected validators a set must stand for.

use crate::{
    mock::{
        events, genesis, key, logs, next_session, on, register, with, Duet, Elected, MaxValidators,
        MinParticipation, RuntimeOrigin, Stakes,
    },
    Event, KeptReason,
};
use duet_primitives::{ConsensusLog, Participation, SetId, Share};
use frame_support::assert_ok;
use sp_runtime::Perbill;

/// The usual floor.
fn two_thirds() {
    MinParticipation::set(Perbill::from_rational(2u32, 3));
}

fn share(in_set: u128, elected: u128, needed: u128) -> Share {
    Share {
        in_set,
        elected,
        needed,
    }
}

/// What the pallet said when it kept a set or founded none.
fn reasons() -> Vec<KeptReason> {
    let reasons = events().into_iter().filter_map(|event| match event {
        Event::SetKept { reason, .. } | Event::SetNotFounded { reason, .. } => Some(reason),
        _ => None,
    });
    reasons.collect()
}

fn signing_set() -> u64 {
    Duet::keysets().expect("there are sets").current.id.get()
}

#[test]
fn two_of_four_validators_with_keys_do_not_take_over_and_three_do() {
    with(&[1, 2, 3], || {
        two_thirds();
        register(4);
        Elected::set(vec![4, 1, 8, 9]);
        assert_eq!(next_session(), []);
        let expected = [
            Event::ValidatorsLeftOut {
                session: 2,
                validators: vec![8, 9],
            },
            Event::SetKept {
                session: 2,
                id: SetId::FIRST,
                reason: KeptReason::TooFewValidators(share(2, 4, 3)),
            },
        ];
        assert_eq!(events(), expected);
        assert_eq!(signing_set(), 0);

        register(8);
        assert!(matches!(next_session()[..], [ConsensusLog::Planned(_)]));
        assert_eq!(reasons(), []);
        next_session();
        assert_eq!(signing_set(), 1);
        assert_eq!(Duet::current_keys().len(), 3);
    });
}

#[test]
fn the_floor_is_two_thirds_rounded_up() {
    with(&[1], || {
        two_thirds();
        (2..=5).for_each(register);
        // Validators, how many of them need keys.
        for (elected, needed) in [(1, 1), (2, 2), (3, 2), (4, 3), (5, 4), (6, 4), (7, 5)] {
            for with_keys in 1..=elected.min(5) {
                let others = 10..10 + elected - with_keys;
                Elected::set((1..=with_keys).chain(others).collect());
                next_session();
                let (with_keys, elected) = (u128::from(with_keys), u128::from(elected));
                let below = KeptReason::TooFewValidators(share(with_keys, elected, needed));
                let expected: &[_] = if with_keys < needed { &[below] } else { &[] };
                assert_eq!(reasons(), expected, "{with_keys} of {elected}");
            }
        }
    });
}

#[test]
fn many_validators_with_little_stake_do_not_take_over() {
    with(&[1, 2, 3], || {
        two_thirds();
        register(4);
        Elected::set(vec![1, 2, 4, 9]);
        Stakes::set([(1, 10), (2, 10), (4, 10), (9, 16)].into());
        next_session();
        assert_eq!(reasons(), [KeptReason::TooLittleStake(share(30, 46, 31))]);
        Stakes::set([(1, 10), (2, 10), (4, 10), (9, 15)].into());
        assert!(matches!(next_session()[..], [ConsensusLog::Planned(_)]));
        assert_eq!(reasons(), []);
    });
}

#[test]
fn much_stake_with_few_validators_does_not_take_over() {
    with(&[1, 2, 3], || {
        two_thirds();
        Elected::set(vec![1, 8, 9]);
        Stakes::set([(1, 1_000), (8, 1), (9, 1)].into());
        next_session();
        assert_eq!(reasons(), [KeptReason::TooFewValidators(share(1, 3, 2))]);
    });
}

#[test]
fn stake_beyond_any_balance_does_not_wrap_around() {
    with(&[1, 2], || {
        two_thirds();
        Elected::set(vec![1, 2, 9]);
        Stakes::set([(1, 1), (2, 1), (9, u128::MAX)].into());
        next_session();
        let needed = Perbill::from_rational(2u32, 3).mul_ceil(u128::MAX);
        let below = KeptReason::TooLittleStake(share(2, u128::MAX, needed));
        assert_eq!(reasons(), [below]);
    });
}

#[test]
fn validators_for_whom_a_set_has_no_room_count_as_missing() {
    with(&[1, 2], || {
        two_thirds();
        (3..=5).for_each(register);
        MaxValidators::set(3);
        Elected::set(vec![5, 4, 3, 2, 1]);
        next_session();
        assert_eq!(reasons(), [KeptReason::TooFewValidators(share(3, 5, 4))]);
        assert_eq!(Duet::participation().missing, [2, 1]);
    });
}

#[test]
fn a_set_that_stays_below_the_floor_is_named_in_every_session() {
    with(&[1, 2], || {
        two_thirds();
        Elected::set(vec![1, 2, 8, 9]);
        for _ in 0..3 {
            assert_eq!(next_session(), []);
            assert_eq!(reasons(), [KeptReason::TooFewValidators(share(2, 4, 3))]);
        }
    });
}

#[test]
fn members_that_leave_the_registry_stay_in_the_set_while_too_few_replace_them() {
    with(&[1, 2, 3, 4], || {
        two_thirds();
        for leaver in [1, 2] {
            assert_ok!(Duet::deregister_keys(RuntimeOrigin::signed(leaver)));
        }
        for _ in 0..6 {
            next_session();
            assert_eq!(reasons(), [KeptReason::TooFewValidators(share(2, 4, 3))]);
        }
        assert_eq!(signing_set(), 0);
        assert_eq!(Duet::current_keys().len(), 4);
        // Beyond `SlashableSessions` the keys are still remembered, so they cannot be registered as new ones.
        crate::mock::register_key_of(20, 1);
        assert!(matches!(next_session()[..], [ConsensusLog::Planned(_)]));
    });
}

#[test]
fn a_genesis_below_the_floor_has_no_set_until_enough_validators_have_keys() {
    two_thirds();
    on(genesis(&[1, 2, 3, 4], 2), || {
        assert_eq!(Duet::keysets(), None);
        assert_eq!(next_session(), []);
        let expected = [
            Event::ValidatorsLeftOut {
                session: 1,
                validators: vec![3, 4],
            },
            Event::SetNotFounded {
                session: 1,
                reason: KeptReason::TooFewValidators(share(2, 4, 3)),
            },
        ];
        assert_eq!(events(), expected);

        register(3);
        assert_eq!(next_session(), [ConsensusLog::Activated(SetId::FIRST)]);
        assert_eq!(Duet::current_keys().len(), 3);
    });
}

#[test]
fn a_genesis_at_the_floor_has_a_set() {
    two_thirds();
    on(genesis(&[1, 2, 3], 2), || assert_eq!(signing_set(), 0));
}

#[test]
fn a_genesis_with_little_stake_has_no_set() {
    two_thirds();
    Stakes::set([(1, 1), (2, 1), (3, 5)].into());
    on(genesis(&[1, 2, 3], 2), || {
        assert_eq!(Duet::keysets(), None);
    });
}

#[test]
fn participation_tells_what_the_registry_would_make_of_the_next_session() {
    with(&[1, 2, 3], || {
        two_thirds();
        Elected::set(vec![3, 8, 1, 9]);
        Stakes::set([(3, 5), (8, 2), (1, 3), (9, 1)].into());
        next_session();
        let expected = Participation {
            validators: share(2, 4, 3),
            stake: share(8, 11, 8),
            missing: vec![8, 9],
        };
        assert_eq!(Duet::participation(), expected);
        assert!(!expected.suffices());

        register(8);
        let expected = Participation {
            validators: share(3, 4, 3),
            stake: share(10, 11, 8),
            missing: vec![9],
        };
        assert_eq!(Duet::participation(), expected);
        assert!(expected.suffices());
        assert_eq!(logs(), [], "the session is planned already");
        assert!(!Duet::next_keys().contains(&key(8)));
    });
}

#[test]
fn nobody_with_keys_does_not_suffice_even_without_a_floor() {
    with(&[1], || {
        Elected::set(vec![8, 9]);
        next_session();
        assert_eq!(Duet::participation().validators, share(0, 2, 0));
        assert!(!Duet::participation().suffices());
        assert_eq!(reasons(), [KeptReason::NoKeys]);
    });
}
