//! What a runtime's tests check.

use crate::{
    limits::{assert_name, integrity_test},
    mock::{next_block, with, DrillPeriod, DuetRecovery, System, Test},
};
use frame_support::{
    traits::{Get, OnInitialize},
    weights::RuntimeDbWeight,
};
use pallet_duet::{SubstrateWeight, WeightInfo};

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
    let own = |n| Weights::draft_part(n).saturating_add(Weights::finish_draft(n, 1));
    assert_eq!(three[0] - two[0], own(3) - own(2));
    let costs: RuntimeDbWeight = <Test as frame_system::Config>::DbWeight::get();
    let idle = costs.reads_writes(5, 2);
    assert_eq!(three[1..], [idle, idle]);
}
