//! Whole workers on a chain that sets the voting rules of its sets. (ROUND-11)

use crate::testing::{
    nodes::{planned, Net, Node},
    TestBlock,
};
use duet_primitives::{
    testing::{secret, TestSet},
    ConsensusLog, SetId, VotingRules,
};

fn unknown() -> VotingRules {
    VotingRules {
        version: VotingRules::VERSION + 1,
        min_delta: 1,
    }
}

/// Nodes of validators 0 to 3, on a chain that starts with this block.
fn start(genesis: TestBlock) -> (Net, Vec<Node>) {
    let net = Net::new(genesis);
    let nodes = (0..4).map(|key| net.start(secret(key), true)).collect();
    (net, nodes)
}

fn push(net: &mut Net, nodes: &[Node], set: &TestSet, count: u32) {
    for _ in 0..count {
        net.push(nodes, TestBlock::new(set, set, &[]));
    }
}

/// A block at which the second set starts, after one that plans it.
fn hand_off(net: &mut Net, nodes: &[Node], sets: [&TestSet; 2], rules: VotingRules) {
    let [first, second] = sets;
    net.push(nodes, TestBlock::new(first, second, &[planned(second)]));
    let id = second.set.commitment().id;
    let logs = [ConsensusLog::Activated(id), ConsensusLog::Rules(rules)];
    net.push(
        nodes,
        TestBlock::new(second, second, &logs).voting_by(rules),
    );
}

fn prove(net: &Net, nodes: &[Node], block: u32) {
    net.eventually("the block is proven", || {
        nodes.iter().all(|node| node.best() == Some(block))
    });
}

fn stand_still(net: &Net, nodes: &[Node], block: u32) {
    net.pass(60_000);
    assert!(nodes.iter().all(|node| node.best() == Some(block)));
}

fn gauge(nodes: &[Node], name: &str) -> Vec<u64> {
    let name = format!("substrate_duet_{name}");
    nodes.iter().map(|node| node.metric(&name)).collect()
}

fn end(net: &Net, nodes: &mut [Node]) {
    nodes.iter_mut().for_each(|node| net.stop(node));
}

#[test]
fn a_set_keeps_the_distance_that_the_genesis_says_and_the_next_one_another() {
    let (first, second) = (TestSet::new(0, 0..4), TestSet::new(1, 0..4));
    let four = VotingRules::with_min_delta(4);
    let genesis = TestBlock::new(&first, &first, &[]).voting_by(four);
    let (mut net, mut nodes) = start(genesis);
    push(&mut net, &nodes, &first, 3);
    net.pass(60_000);
    assert!(nodes.iter().all(|node| node.best().is_none()));
    push(&mut net, &nodes, &first, 1);
    prove(&net, &nodes, 4);

    let one = VotingRules::with_min_delta(1);
    hand_off(&mut net, &nodes, [&first, &second], one);
    prove(&net, &nodes, 6);
    push(&mut net, &nodes, &second, 1);
    prove(&net, &nodes, 7);
    // The rules from headers are remembered.
    net.stop(&mut nodes[0]);
    net.run(&mut nodes[0], secret(0), true);
    push(&mut net, &nodes, &second, 1);
    prove(&net, &nodes, 8);
    end(&net, &mut nodes);
}

#[test]
fn validators_that_do_not_know_the_rules_do_not_vote_and_go_on_when_they_do() {
    let sets = [0, 1].map(|id| TestSet::new(id, 0..4));
    let (mut net, mut nodes) = start(TestBlock::new(&sets[0], &sets[0], &[]));
    push(&mut net, &nodes, &sets[0], 1);
    prove(&net, &nodes, 1);
    hand_off(&mut net, &nodes, [&sets[0], &sets[1]], unknown());
    prove(&net, &nodes, 2);
    push(&mut net, &nodes, &sets[1], 2);
    stand_still(&net, &nodes, 2);
    assert_eq!(gauge(&nodes, "unknown_rules"), [1; 4]);
    net.stop(&mut nodes[0]);
    net.run(&mut nodes[0], secret(0), true);
    stand_still(&net, &nodes, 2);

    // Governance takes the upgrade back.
    let found = TestSet::new(2, 0..4);
    let logs = [
        ConsensusLog::Reset {
            ended: SetId::new(1),
            set: found.set.commitment().clone(),
        },
        ConsensusLog::Rules(VotingRules::default()),
    ];
    net.push(&nodes, TestBlock::new(&found, &found, &logs));
    prove(&net, &nodes, 6);
    assert_eq!(gauge(&nodes, "unknown_rules"), [0; 4]);
    end(&net, &mut nodes);
}

/// A node without state of its own takes the rules from the chain's.
#[test]
fn a_node_that_begins_late_votes_by_the_rules_of_the_set_that_signs() {
    let set = TestSet::new(3, 0..4);
    let (mut net, mut nodes) = start(TestBlock::without_duet());
    push_without_duet(&mut net, &nodes, 3);
    let rules = VotingRules::with_min_delta(4);
    let logs = [
        ConsensusLog::Activated(SetId::new(3)),
        ConsensusLog::Rules(rules),
    ];
    net.push(&nodes, TestBlock::new(&set, &set, &logs).voting_by(rules));
    let block = || TestBlock::new(&set, &set, &[]).voting_by(rules);
    (5..=6).for_each(|_| net.push(&nodes, block()));
    net.pass(60_000);
    assert!(nodes.iter().all(|node| node.best().is_none()));
    net.push(&nodes, block());
    prove(&net, &nodes, 7);
    end(&net, &mut nodes);
}

fn push_without_duet(net: &mut Net, nodes: &[Node], count: u32) {
    for _ in 0..count {
        net.push(nodes, TestBlock::without_duet());
    }
}
