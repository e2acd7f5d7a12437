//! Those who say what is false: each is accused where the chain refutes it, nobody else is, and none of it is proven.

use crate::simulation::{
    adversaries::Kind, judge::statements::FalseVotes, network::Conditions, scenario::Scenario,
    seeds,
};

#[test]
fn who_votes_for_a_fork_of_a_finalized_block_is_accused_by_every_honest_node() {
    for seed in seeds(0..20) {
        let outcome = Scenario {
            adversaries: vec![(1, Kind::Forker)],
            ..Scenario::new("a forker", 4).with_changes(1)
        }
        .play(seed);
        for node in outcome.honest().filter(|node| node.id < 4) {
            assert!(
                outcome.judge.accuses(node.id, 1),
                "seed {seed}: node {}",
                node.id
            );
        }
        // Each says one thing to everybody, so nothing else convicts it.
        assert!(outcome.judge.reports.is_empty(), "seed {seed}");
    }
}

/// ROUND-9: false votes that come late neither fill a proof nor keep others out of it.
#[test]
fn a_liar_keeps_no_honest_vote_out_of_a_handoff_proof() {
    for seed in seeds(0..20) {
        let mut scenario = Scenario::new("a forker of seven", 7).with_changes(2);
        scenario.config.grace = 0;
        scenario.adversaries = vec![(3, Kind::Forker)];
        for node in scenario.play(seed).honest() {
            let signers = node.handoff_signers();
            assert_eq!(signers, [6, 6], "seed {seed}: node {}", node.id);
        }
    }
}

/// GOSSIP-10: only a vote that is taken although its block is far beyond the best one is judged at once.
#[test]
fn who_votes_on_blocks_that_nobody_has_made_is_accused() {
    for seed in seeds(0..20) {
        let mut scenario = Scenario::new("a prophet", 4);
        scenario.config.lookahead = 64;
        scenario.adversaries = vec![(2, Kind::Prophet)];
        let outcome = scenario.play(seed);
        for node in outcome.honest() {
            assert!(
                outcome.judge.accuses(node.id, 2),
                "seed {seed}: node {}",
                node.id
            );
        }
    }
}

#[test]
fn liars_up_to_a_third_change_nothing_in_a_bad_network() {
    for seed in seeds(0..10) {
        let mut scenario = Scenario::new("three liars of ten", 10).with_changes(1);
        scenario.config.lookahead = 64;
        scenario.config.rounds_per_signer = 6;
        Scenario {
            adversaries: vec![(1, Kind::Forker), (4, Kind::Forker), (7, Kind::Prophet)],
            conditions: Conditions::BAD,
            crashes: 6,
            late: vec![9],
            ..scenario
        }
        .play(seed);
    }
}

#[test]
fn honest_voters_accuse_nobody_when_nobody_lies() {
    for seed in seeds(0..20) {
        let outcome = Scenario {
            conditions: Conditions::STORM,
            crashes: 10,
            late: vec![0],
            ..Scenario::new("no liars", 4).with_changes(3)
        }
        .play(seed);
        let false_votes = outcome.judge.false_votes();
        assert_eq!(false_votes, FalseVotes::default(), "seed {seed}");
    }
}
