//! What sessions do to voters when GRANDPA stands still for several of them, and when a set stays although its session is
//! over.

use crate::simulation::{adversaries::Kind, network::Conditions, scenario::Scenario, seeds};

/// Sets follow each other every six blocks, and GRANDPA finalizes nothing while the chain plans and activates four of them.
fn stalled(name: &'static str, n: u64) -> Scenario {
    let mut scenario = Scenario::new(name, n).with_changes(6);
    scenario.gaps = vec![3];
    scenario.session = 3;
    scenario.stalls.push(5..30);
    scenario
}

#[test]
fn a_stall_of_several_sessions_is_made_up_for_when_grandpa_goes_on() {
    for seed in seeds(0..20) {
        let outcome = stalled("a stall", 4).play(seed);
        let held_up = outcome
            .judge
            .publishers
            .keys()
            .filter(|block| (5..30).contains(&block.get()));
        // The handoffs that came with the stall, all of them after it.
        assert!(held_up.count() >= 4, "seed {seed}");
    }
}

#[test]
fn a_stall_in_a_bad_network_with_crashes_and_a_liar_is_made_up_for() {
    for seed in seeds(0..20) {
        Scenario {
            conditions: Conditions::BAD,
            crashes: 8,
            late: vec![2],
            adversaries: vec![(3, Kind::Forker)],
            ..stalled("a stall in a bad network", 5)
        }
        .play(seed);
    }
}

#[test]
fn a_voter_with_room_for_two_sets_gets_through_a_stall_of_four() {
    for seed in seeds(0..20) {
        let mut scenario = stalled("a stall, little room", 4);
        scenario.config.max_eras = 2;
        scenario.conditions = Conditions::BAD;
        scenario.play(seed);
    }
}

#[test]
fn a_voter_with_little_room_follows_sessions_that_activate_one_set_and_plan_another() {
    for seed in seeds(0..10) {
        let mut scenario = Scenario::new("back to back, little room", 4).with_changes(5);
        scenario.gaps = vec![0];
        scenario.config.max_eras = 1;
        scenario.play(seed);
    }
}

/// RESET-4.
#[test]
fn a_reset_within_a_stall_ends_what_the_stall_held_up() {
    for seed in seeds(0..20) {
        let mut scenario = stalled("a reset in a stall", 4);
        // The third set starts at block 13.
        scenario.resets = vec![2];
        scenario.conditions = Conditions::BAD;
        scenario.crashes = 6;
        scenario.play(seed);
    }
}

/// CHAIN-6: the first set stays for two sessions more, the third for one, and two of the elected have no keys.
#[test]
fn a_set_that_is_kept_goes_on_and_those_without_keys_follow() {
    for seed in seeds(0..20) {
        let mut scenario = Scenario::new("kept sets", 4).with_changes(3);
        scenario.kept = vec![0, 0, 2];
        scenario.keyless = 2;
        scenario.conditions = Conditions::BAD;
        let plain = Scenario::new("no kept sets", 4).with_changes(3).play(seed);
        let outcome = scenario.play(seed);
        let sessions = outcome.height.saturating_sub(plain.height);
        assert_eq!(sessions, 3 * scenario.session, "seed {seed}");
        // Two nodes more than the seven that are members at some time.
        assert_eq!(outcome.honest().count(), 9, "seed {seed}");
    }
}
