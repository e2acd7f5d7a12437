//! What honest voters do when more than a third of a set is faulty, so that valid proofs of another chain exist. They do
//! not believe it, they say so, and they vote no more. (ROUND-10)

use crate::simulation::{
    adversaries::Kind, network::Conditions, scenario::Scenario, seeds, NodeId,
};

const HONEST: [NodeId; 2] = [2, 5];

/// Five of seven collude. The sets follow each other, so that there is a lie in each.
fn coalition(name: &'static str) -> Scenario {
    let mut scenario = Scenario::new(name, 7);
    scenario.sets = vec![(0..7).collect(); 3];
    let colluders = (0..7).filter(|id| !HONEST.contains(id));
    // Colluders forward nothing: each speaks to the honest nodes itself.
    scenario.degree = 64;
    scenario.adversaries = colluders.map(|id| (id, Kind::Colluder)).collect();
    scenario
}

#[test]
fn voters_that_get_proofs_of_another_chain_report_them_and_go_on_with_what_is_true() {
    for seed in seeds(0..10) {
        let outcome = coalition("a quorum lies").play(seed);
        for node in HONEST {
            let diverged = outcome.judge.diverged.contains(&node);
            assert!(diverged, "seed {seed}: node {node} noticed nothing");
            // The coalition alone is a quorum for what is true, too.
            let best = outcome.judge.best(node);
            assert_eq!(best, outcome.height, "seed {seed}: node {node}");
        }
    }
}

#[test]
fn voters_that_crash_amid_contradictions_stay_silent() {
    for seed in seeds(0..30) {
        Scenario {
            conditions: Conditions::BAD,
            crashes: 20,
            ..coalition("a quorum lies in a bad network")
        }
        .play(seed);
    }
}

#[test]
fn a_crash_before_any_effect_around_a_contradiction_breaks_nothing() {
    let scenario = coalition("power loss at a contradiction");
    let calm = scenario.play(0);
    let effects = calm.honest().map(|node| node.effects()).max().unwrap_or(0);
    for effect in 0..effects {
        Scenario {
            crash_before_effect: Some((HONEST[0], effect)),
            ..scenario.clone()
        }
        .play(0);
    }
}
