//! What must happen: when the network has been calm for a while, all that GRANDPA finalized is
//! proven everywhere. The judge asserts it at the end of every run; these tests add what a kind
//! network may expect beyond that.

use crate::simulation::{adversaries::Kind, network::Conditions, scenario::Scenario, seeds};

#[test]
fn one_voter_alone_finalizes_everything() {
    Scenario::new("one voter", 1).with_changes(2).play(0);
}

#[test]
fn on_a_good_network_one_validator_publishes_each_proof() {
    for seed in seeds(0..10) {
        let mut scenario = Scenario::new("a good network", 4).with_changes(2);
        scenario.config.rebroadcast = 1_000_000;
        let outcome = scenario.play(seed);
        for (block, publishers) in &outcome.judge.publishers {
            assert_eq!(
                publishers.len(),
                1,
                "seed {seed}: block {block}, {publishers:?}"
            );
        }
        assert!(outcome.judge.blamed.is_empty() && outcome.judge.reports.is_empty());
    }
}

#[test]
fn four_voters_recover_from_a_storm() {
    for seed in seeds(0..30) {
        let scenario = Scenario::new("storm", 4).with_changes(4);
        Scenario {
            conditions: Conditions::STORM,
            crashes: 10,
            ..scenario
        }
        .play(seed);
    }
}

#[test]
fn a_third_of_the_voters_may_be_silent() {
    for seed in seeds(0..5) {
        let adversaries = (0..5).map(|id| (id * 3, Kind::Silent)).collect();
        let scenario = Scenario::new("five of sixteen silent", 16).with_changes(1);
        Scenario {
            conditions: Conditions::BAD,
            adversaries,
            ..scenario
        }
        .play(seed);
    }
}

#[test]
fn a_node_that_joins_late_gets_every_handoff_proof() {
    for seed in seeds(0..20) {
        let scenario = Scenario::new("a late node", 4).with_changes(8);
        Scenario {
            late: vec![0],
            conditions: Conditions::BAD,
            ..scenario
        }
        .play(seed);
    }
}

#[test]
fn a_late_node_with_room_for_two_sets_catches_up_all_the_same() {
    for seed in seeds(0..10) {
        let mut scenario = Scenario::new("a late node, little room", 4).with_changes(6);
        scenario.config.max_eras = 2;
        scenario.config.max_justifications = 2;
        Scenario {
            late: vec![0],
            ..scenario
        }
        .play(seed);
    }
}

#[test]
fn sets_without_a_common_member_hand_off() {
    for seed in seeds(0..10) {
        let mut scenario = Scenario::new("all new", 4);
        scenario.sets = vec![(0..4).collect(), (4..8).collect(), (8..12).collect()];
        Scenario {
            conditions: Conditions::BAD,
            ..scenario
        }
        .play(seed);
    }
}

#[test]
fn a_session_that_activates_one_set_and_plans_another_hands_over_twice() {
    for seed in seeds(0..10) {
        let mut scenario = Scenario::new("back to back", 4).with_changes(5);
        scenario.gaps = vec![0];
        Scenario {
            conditions: Conditions::BAD,
            ..scenario
        }
        .play(seed);
    }
}

#[test]
fn a_greater_least_distance_leaves_less_than_itself_unproven() {
    for seed in seeds(0..10) {
        let mut scenario = Scenario::new("min_delta of four", 4).with_changes(2);
        scenario.min_deltas = vec![4];
        scenario.conditions = Conditions::BAD;
        scenario.play(seed);
    }
}

#[test]
fn an_equivocator_is_reported() {
    for seed in seeds(0..20) {
        let adversaries = vec![(1, Kind::Equivocator)];
        let outcome = Scenario {
            adversaries,
            ..Scenario::new("equivocator", 4)
        }
        .play(seed);
        assert!(
            !outcome.judge.reports.is_empty(),
            "seed {seed}: nobody reported"
        );
    }
}

#[test]
fn a_forger_is_blamed_and_nobody_reported() {
    for seed in seeds(0..10) {
        let adversaries = vec![(2, Kind::Forger)];
        let outcome = Scenario {
            adversaries,
            ..Scenario::new("forger", 4)
        }
        .play(seed);
        assert!(
            outcome.judge.blamed.contains(&2),
            "seed {seed}: the forger got away"
        );
        assert!(outcome.judge.reports.is_empty(), "seed {seed}");
    }
}

#[test]
fn a_hundred_voters_finalize_with_a_third_of_them_against_it() {
    for seed in seeds(0..1) {
        let bad = (0..33).map(|id| id * 3 + 2);
        let kinds = Kind::ALL.into_iter().chain([Kind::Silent; 26]);
        let scenario = Scenario::new("a hundred voters", 100).with_changes(1);
        Scenario {
            adversaries: bad.zip(kinds).collect(),
            conditions: Conditions::BAD,
            crashes: 10,
            tail: 4,
            calm: 30_000,
            degree: 6,
            ..scenario
        }
        .play(seed);
    }
}

/// ROUND-9.
#[test]
fn on_a_good_network_every_handoff_proof_has_all_signers_at_every_node() {
    for seed in seeds(0..10) {
        let mut scenario = Scenario::new("full proofs", 4).with_changes(2);
        // Nobody waits before the proof is made: what is full has grown.
        scenario.config.grace = 0;
        let outcome = scenario.play(seed);
        for node in outcome.honest() {
            assert_eq!(
                node.handoff_signers(),
                [4, 4],
                "seed {seed}: node {}",
                node.id
            );
        }
    }
}
