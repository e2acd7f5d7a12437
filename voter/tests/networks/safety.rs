//! What must never happen. The judge of the simulation watches every run; these runs give it
//! something to watch.

use crate::simulation::{adversaries::Kind, network::Conditions, scenario::Scenario, seeds};

fn stormy(name: &'static str, n: u64) -> Scenario {
    Scenario {
        conditions: Conditions::BAD,
        crashes: 6,
        ..Scenario::new(name, n).with_changes(3)
    }
}

#[test]
fn four_voters_stay_safe_through_loss_reordering_and_crashes() {
    for seed in seeds(0..40) {
        stormy("four voters in a bad network", 4).play(seed);
    }
}

#[test]
fn four_voters_stay_safe_with_each_adversary_among_them() {
    for kind in Kind::ALL {
        for seed in seeds(0..8) {
            let bad = (seed % 4) as usize;
            let scenario = stormy("four voters, one bad", 4);
            Scenario {
                adversaries: vec![(bad, kind)],
                ..scenario
            }
            .play(seed);
        }
    }
}

#[test]
fn sixteen_voters_stay_safe_with_five_adversaries_among_them() {
    for seed in seeds(0..3) {
        let adversaries = (0..5).map(|id| id * 3 + 1).zip(Kind::ALL).collect();
        let scenario = stormy("sixteen voters, five bad", 16);
        Scenario {
            adversaries,
            ..scenario.with_changes(1)
        }
        .play(seed);
    }
}
