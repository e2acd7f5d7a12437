//! What a runtime's tests check.

use crate::{
    limits::{assert_name, integrity_test},
    mock::{
        make_ready, next_block, next_set, with, DrillPeriod, DuetRecovery, RuntimeOrigin, Session,
        SlashableSessions, System, Test,
    },
    OldestSet, SubstrateWeight, WeightInfo,
};
use duet_primitives::SetId;
use frame_support::{traits::OnInitialize, weights::Weight};

type Weights = SubstrateWeight<Test>;

/// RECOVER-4.
#[test]
fn the_mock_keeps_the_limits() {
    integrity_test::<Test>();
}

/// RECOVER-4.
#[test]
#[should_panic(expected = "RECOVER-4: the pallet is called Recovery")]
fn a_pallet_with_another_name_is_refused() {
    assert_name("Recovery");
}

/// RECOVER-2.
#[test]
#[should_panic(expected = "RECOVER-2: DrillPeriod is zero")]
fn a_period_of_no_sessions_is_refused() {
    DrillPeriod::set(0);
    integrity_test::<Test>();
}

fn in_finalize(weight: Weight) -> Weight {
    weight.saturating_add(Weights::learn_reset())
}

/// RECOVER-3: each validator is charged for in the block that looks at it, and in no other.
#[test]
fn the_block_that_makes_the_set_has_the_weight_of_it() {
    let weights = |validators: &[u64]| {
        let mut weights = Vec::new();
        with(validators, || {
            next_block();
            for _ in 0..3 {
                next_block();
                // As if it were the next block again.
                weights.push(DuetRecovery::on_initialize(System::block_number()));
            }
        });
        weights
    };
    let [two, three] = [weights(&[1, 2]), weights(&[1, 2, 3])];
    assert_eq!(two[0], in_finalize(Weights::make_set(2)));
    assert_eq!(three[0], in_finalize(Weights::make_set(3)));
    let idle = in_finalize(Weights::look());
    assert_eq!(three[1..], [idle, idle]);
}

/// RECOVER-9: as many as are forgotten, and the deposits that return.
#[test]
fn the_block_that_forgets_a_set_has_the_weight_of_that_too() {
    with(&[1, 2, 3, 4], || {
        make_ready(&[1, 2, 3, 4]);
        next_set();
        let origin = RuntimeOrigin::signed(4);
        assert_eq!(DuetRecovery::withdraw_key(origin), Ok(()));
        next_set();
        let last = Session::current_index() - 1;
        while Session::current_index() <= last + SlashableSessions::get() {
            next_block();
        }
        assert_eq!(OldestSet::<Test>::get(), SetId::new(0));
        // As if it were the next block.
        let weight = DuetRecovery::on_initialize(System::block_number());
        assert_eq!(OldestSet::<Test>::get(), SetId::new(1));
        let own = Weights::make_set(4).saturating_add(Weights::forget_set(3, 1));
        assert_eq!(weight, in_finalize(own));
    });
}
