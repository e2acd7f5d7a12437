//! What survives a crash, and what comes after the keys of a set are lost.

use crate::simulation::{adversaries::Kind, network::Conditions, scenario::Scenario, seeds};

#[test]
fn a_crash_before_any_effect_breaks_nothing() {
    for seed in seeds(0..2) {
        let scenario = Scenario::new("power loss", 4).with_changes(2);
        let calm = scenario.play(seed);
        let effects = calm.honest().map(|node| node.effects()).max().unwrap_or(0);
        assert!(
            effects > 100,
            "the run is long enough to be worth it: {effects}"
        );
        for effect in 0..effects {
            let crash_before_effect = Some((0, effect));
            Scenario {
                crash_before_effect,
                ..scenario.clone()
            }
            .play(seed);
        }
    }
}

#[test]
fn a_node_whose_chain_changes_under_it_never_signs_twice() {
    for seed in seeds(0..2) {
        let scenario = Scenario::new("reorging", 4).with_changes(1);
        let scenario = Scenario {
            reorging: Some(1),
            ..scenario
        };
        let effects = scenario
            .play(seed)
            .honest()
            .map(|node| node.effects())
            .max()
            .unwrap_or(0);
        for effect in 0..effects {
            let crash_before_effect = Some((1, effect));
            Scenario {
                crash_before_effect,
                ..scenario.clone()
            }
            .play(seed);
        }
    }
}

#[test]
fn crashes_all_over_the_place_are_survived() {
    for seed in seeds(0..30) {
        let scenario = Scenario::new("many crashes", 4).with_changes(3);
        Scenario {
            crashes: 60,
            conditions: Conditions::BAD,
            ..scenario
        }
        .play(seed);
    }
}

/// The first set hands off to one whose keys nobody has. A reset starts a third set, which hands off to a fourth.
fn lost_keys(name: &'static str) -> Scenario {
    let mut scenario = Scenario::new(name, 4);
    scenario.sets = vec![
        (0..4).collect(),
        (4..8).collect(),
        vec![0, 1, 2, 8],
        vec![1, 2, 3, 8],
    ];
    scenario.adversaries = (4..8).map(|lost| (lost, Kind::Silent)).collect();
    scenario.resets = vec![2];
    scenario
}

/// RESET-4.
#[test]
fn a_network_that_lost_the_keys_of_a_set_goes_on_behind_a_reset() {
    for seed in seeds(0..20) {
        Scenario {
            conditions: Conditions::BAD,
            crashes: 6,
            late: vec![3],
            ..lost_keys("lost keys")
        }
        .play(seed);
    }
}

/// RESET-4.
#[test]
fn a_set_that_is_stopped_in_the_middle_of_a_round_by_a_reset_does_not_go_on_with_it() {
    for seed in seeds(0..20) {
        let mut scenario = Scenario::new("a reset that nobody needed", 4).with_changes(3);
        scenario.resets = vec![1, 3];
        Scenario {
            conditions: Conditions::BAD,
            crashes: 6,
            ..scenario
        }
        .play(seed);
    }
}

#[test]
fn a_crash_before_any_effect_around_a_reset_breaks_nothing() {
    let scenario = lost_keys("power loss at a reset");
    let calm = scenario.play(0);
    let effects = calm.honest().map(|node| node.effects()).max().unwrap_or(0);
    for effect in 0..effects {
        Scenario {
            crash_before_effect: Some((0, effect)),
            ..scenario.clone()
        }
        .play(0);
    }
}
