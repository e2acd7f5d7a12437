//! Which set is in force, and for how long it is remembered.

use super::recovery_set as set;
use crate::{
    mock::{
        drill, events, make_ready, next_block, next_set, pk1, register_key_of, sets, with, Delay,
        DrillPeriod, DuetRecovery, Elected, RuntimeOrigin, Session, SlashableSessions, Stakes,
        Test, ValidatorsPerBlock,
    },
    Event, Members, NextId, OldestSet, Sets, Terms,
};
use codec::Encode;
use duet_primitives::{suite::RECOVERY_TERMS_STORAGE_KEY, RecoveryTerms, SetId, Share};
use frame_support::{assert_ok, storage::unhashed};
use pallet_duet::KeptReason;

fn in_force() -> Option<u64> {
    Terms::<Test>::get().map(|terms| terms.set.id.get())
}

fn few(in_set: u128, elected: u128, needed: u128) -> Share {
    Share {
        in_set,
        elected,
        needed,
    }
}

/// RECOVER-3.
#[test]
fn the_set_is_made_in_the_second_block_of_a_session() {
    with(&[1, 2, 3], || {
        make_ready(&[3, 1, 2]);
        next_block();
        assert_eq!((Session::current_index(), in_force()), (0, None));
        next_block();
        assert_eq!((Session::current_index(), in_force()), (1, None));
        next_block();
        assert_eq!((Session::current_index(), in_force()), (1, Some(0)));
        let made = Event::SetMade {
            id: SetId::FIRST,
            len: 3,
            session: 1,
        };
        assert_eq!(events(), [made]);
        let first = set(0, &[1, 2, 3]);
        let keys = first.set.keyset().key_bytes();
        assert_eq!(Members::<Test>::get().into_inner(), keys);
        let set = first.set.commitment().clone();
        assert_eq!(
            Terms::<Test>::get(),
            Some(RecoveryTerms { set, delay: 120 })
        );
        next_block();
        assert_eq!(events(), []);
    });
}

/// RECOVER-4.
#[test]
fn the_state_names_the_terms_under_the_key_of_the_specification() {
    with(&[1, 2, 3], || {
        make_ready(&[1, 2, 3]);
        next_set();
        let bytes = unhashed::get_raw(&RECOVERY_TERMS_STORAGE_KEY).unwrap();
        let set = set(0, &[1, 2, 3]).set.commitment().encode();
        assert_eq!(bytes, [&set[..], &120_u64.to_le_bytes()].concat());
        assert_eq!(bytes.len(), 100);
    });
}

/// RECOVER-3.
#[test]
fn the_same_keys_keep_their_set_and_other_keys_make_a_new_one() {
    with(&[1, 2, 3], || {
        DrillPeriod::set(100);
        make_ready(&[1, 2, 3]);
        next_set();
        next_set();
        assert_eq!(in_force(), Some(0));
        assert_eq!(events(), []);
        // RECOVER-4: the wait is that of today.
        Delay::set(60);
        next_set();
        assert_eq!(Terms::<Test>::get().unwrap().delay, 60);
        assert_eq!(in_force(), Some(0));

        assert_ok!(DuetRecovery::withdraw_key(RuntimeOrigin::signed(2)));
        next_set();
        assert_eq!(in_force(), Some(1));
        let commitment = set(1, &[1, 3]).set.commitment().clone();
        assert_eq!(Terms::<Test>::get().unwrap().set, commitment);
        let old = Sets::<Test>::get(SetId::FIRST).unwrap();
        // It was in force in the first block of this session, which may have other validators.
        assert_eq!(old.last_session, Some(Session::current_index() - 1));
        assert_eq!(Sets::<Test>::get(SetId::new(1)).unwrap().last_session, None);
    });
}

/// RECOVER-4: verifiers wait for one second at least.
#[test]
fn a_wait_of_zero_counts_as_one() {
    with(&[1], || {
        Delay::set(0);
        make_ready(&[1]);
        next_set();
        assert_eq!(Terms::<Test>::get().unwrap().delay, 1);
    });
}

/// RECOVER-3, CHAIN-6.
#[test]
fn no_set_is_in_force_below_the_floor() {
    with(&[1, 2, 3], || {
        DrillPeriod::set(100);
        make_ready(&[1]);
        next_set();
        let reason = KeptReason::TooFewValidators(few(1, 3, 2));
        let not_made = Event::SetNotMade { session: 1, reason };
        assert_eq!((events(), in_force()), (vec![not_made], None));
        make_ready(&[2]);
        next_set();
        assert_eq!(in_force(), Some(0));
        assert_eq!(Members::<Test>::get().len(), 2);

        Stakes::set([(1, 100), (2, 1), (3, 101)].into());
        next_set();
        let reason = KeptReason::TooLittleStake(few(101, 202, 135));
        let not_made = Event::SetNotMade { session: 3, reason };
        assert_eq!((events(), in_force()), (vec![not_made], None));
        assert_eq!(Members::<Test>::get().into_inner(), []);
        assert_eq!(unhashed::get_raw(&RECOVERY_TERMS_STORAGE_KEY), None);
        let ended = Sets::<Test>::get(SetId::FIRST).unwrap();
        assert_eq!(ended.last_session, Some(2));
        // Another set, although it has the same keys.
        Stakes::set([].into());
        next_set();
        assert_eq!(in_force(), Some(1));
    });
}

/// RECOVER-2, RECOVER-3.
#[test]
fn expired_drills_end_the_set() {
    with(&[1, 2, 3], || {
        make_ready(&[1, 2, 3]);
        sets(2);
        drill(3);
        drill(2);
        sets(1);
        assert_eq!(in_force(), Some(0));
        sets(1);
        assert_eq!(Session::current_index(), DrillPeriod::get());
        let keys = set(1, &[2, 3]).set.keyset().key_bytes();
        assert_eq!(Members::<Test>::get().into_inner(), keys);
        sets(2);
        assert_eq!(in_force(), None);
        let reason = KeptReason::NoKeys;
        assert_eq!(events(), [Event::SetNotMade { session: 6, reason }]);
    });
}

/// RECOVER-3: of this session's validators.
#[test]
fn a_ready_key_of_no_validator_is_not_in_the_set() {
    with(&[1, 2, 3], || {
        DrillPeriod::set(100);
        make_ready(&[1, 2, 3, 4]);
        next_set();
        assert!(!Members::<Test>::get().contains(&pk1(4)));
        Elected::set(vec![2, 3, 4]);
        next_set();
        assert!(!Members::<Test>::get().contains(&pk1(4)));
        next_set();
        let keys = set(1, &[2, 3, 4]).set.keyset().key_bytes();
        assert_eq!(Members::<Test>::get().into_inner(), keys);
    });
}

/// RECOVER-2: registration counts as no drill.
#[test]
fn a_key_without_a_drill_is_in_no_set() {
    with(&[1, 2, 3], || {
        make_ready(&[1, 2]);
        register_key_of(3, 3);
        next_set();
        let keys = set(0, &[1, 2]).set.keyset().key_bytes();
        assert_eq!(Members::<Test>::get().into_inner(), keys);
    });
}

/// RECOVER-3: the limit of one block.
#[test]
fn more_validators_than_a_block_looks_at_have_no_set() {
    with(&[1, 2, 3], || {
        make_ready(&[1, 2, 3]);
        ValidatorsPerBlock::set(3);
        next_set();
        assert_eq!(in_force(), Some(0));
        ValidatorsPerBlock::set(2);
        next_set();
        let too_many = Event::TooManyValidators {
            session: 2,
            validators: 3,
        };
        assert_eq!((events(), in_force()), (vec![too_many], None));
    });
}

/// RECOVER-9.
#[test]
fn a_set_is_forgotten_when_it_can_no_longer_be_punished() {
    with(&[1, 2, 3], || {
        DrillPeriod::set(100);
        make_ready(&[1, 2, 3]);
        next_set();
        assert_ok!(DuetRecovery::withdraw_key(RuntimeOrigin::signed(1)));
        next_set();
        let ended = Session::current_index() - 1;
        sets(SlashableSessions::get() - 1);
        assert_eq!(Session::current_index(), ended + 3);
        let ids = || (OldestSet::<Test>::get().get(), NextId::<Test>::get().get());
        assert!(Sets::<Test>::contains_key(SetId::FIRST));
        assert_eq!(ids(), (0, 2));
        next_set();
        assert!(!Sets::<Test>::contains_key(SetId::FIRST));
        assert_eq!(ids(), (1, 2));
        // The one in force stays, however old it is.
        sets(10);
        assert_eq!((ids(), in_force()), ((1, 2), Some(1)));
    });
}
