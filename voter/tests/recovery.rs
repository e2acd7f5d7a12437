//! What survives a crash.

mod simulation;

use simulation::{network::Conditions, seeds, Scenario};

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
