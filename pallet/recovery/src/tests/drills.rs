//! What shows that a recovery key is not lost, and for how long.

use crate::{
    mock::{
        drill, drill_of, events, make_ready, next_block, next_set, offline, register_key_of, sets,
        with, DrillPeriod, DuetRecovery, RuntimeOrigin, Session, System, Test, GENESIS,
    },
    Error, Event, Keys, Terms,
};
use duet_primitives::{BlockNumber, Drill, H256};
use frame_support::{assert_noop, assert_ok, pallet_prelude::DispatchResult, traits::Get};

type BlockHashCount = <Test as frame_system::Config>::BlockHashCount;

fn submit(account: u64, drill: Drill) -> DispatchResult {
    DuetRecovery::drill(RuntimeOrigin::signed(account), drill)
}

fn blocks(count: u32) {
    (0..count).for_each(|_| next_block());
}

/// RECOVER-2.
#[test]
fn a_drill_makes_a_key_ready() {
    with(&[1, 2, 3], || {
        register_key_of(1, 1);
        assert_eq!(Keys::<Test>::get(1).unwrap().ready_until, 0);
        sets(1);
        drill(1);
        let block_number = BlockNumber::new(3);
        let drilled = Event::Drilled {
            validator: 1,
            block_number,
            ready_until: 1 + DrillPeriod::get(),
        };
        assert_eq!(events().last(), Some(&drilled));
        let registered = Keys::<Test>::get(1).unwrap();
        assert_eq!(registered.drilled, Some(block_number));
        assert_eq!(registered.ready_until, 1 + DrillPeriod::get());
    });
}

/// RECOVER-2.
#[test]
fn a_drill_is_over_a_recent_block_of_the_chain() {
    with(&[1, 2, 3], || {
        register_key_of(1, 1);
        let first = drill_of(1, 1);
        blocks(3);
        let good = drill_of(1, 1);
        let sign = |number: u64, hash| {
            let number = BlockNumber::new(u32::try_from(number).unwrap());
            Drill::sign(&offline(1), GENESIS, &1_u64, number, hash)
        };
        let now = System::block_number();
        let elsewhere = sign(now - 1, H256::repeat_byte(1));
        assert_noop!(submit(1, elsewhere), Error::<Test>::UnknownBlock);
        // Zero is what the chain says about a block whose hash it does not have.
        let of_this_block = sign(now, H256::zero());
        assert_noop!(submit(1, of_this_block), Error::<Test>::UnknownBlock);
        let kept = BlockHashCount::get();
        while System::block_number() < kept {
            next_block();
        }
        let second = sign(1, System::block_hash(1));
        next_block();
        // The chain keeps the first hash for ever.
        assert_eq!(System::block_hash(0), GENESIS);
        assert_noop!(submit(1, first), Error::<Test>::UnknownBlock);
        assert_ok!(submit(1, second));
        assert_ok!(submit(1, good));
    });
}

/// RECOVER-2.
#[test]
fn the_first_block_is_signed_while_it_is_recent() {
    with(&[1, 2, 3], || {
        register_key_of(1, 1);
        let first = drill_of(1, 1);
        while System::block_number() < BlockHashCount::get() {
            next_block();
        }
        assert_ok!(submit(1, first));
    });
}

/// RECOVER-2.
#[test]
fn a_drill_is_newer_than_the_last_one() {
    with(&[1, 2, 3], || {
        register_key_of(1, 1);
        blocks(2);
        let earlier = drill_of(1, 1);
        blocks(1);
        drill(1);
        assert_noop!(submit(1, drill_of(1, 1)), Error::<Test>::OldDrill);
        assert_noop!(submit(1, earlier), Error::<Test>::OldDrill);
        blocks(1);
        drill(1);
    });
}

/// RECOVER-2.
#[test]
fn a_drill_is_signed_by_the_callers_key_for_the_caller() {
    with(&[1, 2, 3], || {
        register_key_of(1, 1);
        register_key_of(2, 2);
        for foreign in [drill_of(2, 1), drill_of(1, 2), drill_of(2, 2)] {
            assert_noop!(submit(1, foreign), Error::<Test>::InvalidDrill);
        }
        assert_noop!(submit(3, drill_of(3, 3)), Error::<Test>::NoKey);
    });
}

/// RECOVER-2: from the session of the drill on.
#[test]
fn a_key_is_ready_for_the_period_and_no_longer() {
    with(&[1], || {
        sets(1);
        make_ready(&[1]);
        let drilled = Session::current_index();
        for _ in 1..DrillPeriod::get() {
            next_set();
            assert!(Terms::<Test>::exists());
        }
        assert_eq!(Session::current_index(), drilled + DrillPeriod::get() - 1);
        next_set();
        assert!(!Terms::<Test>::exists());
        drill(1);
        next_set();
        assert!(Terms::<Test>::exists());
    });
}

/// RECOVER-3: a drill in a session's first block counts for its set.
#[test]
fn a_period_of_one_session_needs_a_drill_in_each_first_block() {
    with(&[1], || {
        DrillPeriod::set(1);
        register_key_of(1, 1);
        blocks(2);
        assert_eq!(Session::current_index(), 1);
        drill(1);
        blocks(1);
        assert!(Terms::<Test>::exists());
        next_set();
        assert!(!Terms::<Test>::exists());
    });
}
