//! Whole workers on a chain that governance resets. (RESET-4, RESET-5)

use crate::testing::{
    nodes::{planned, Net, Node},
    TestBlock,
};
use duet_gossip::source::ProofSource;
use duet_primitives::{
    testing::{secret, TestSet},
    BlockNumber, ConsensusLog, SetId, VotingRules,
};

/// The lost set: no node runs with these keys.
const LOST: std::ops::Range<u64> = 50..54;

fn reset(ended: u64, set: &TestSet) -> ConsensusLog {
    ConsensusLog::Reset {
        ended: SetId::new(ended),
        set: set.set.commitment().clone(),
    }
}

fn activated(id: u64) -> ConsensusLog {
    ConsensusLog::Activated(SetId::new(id))
}

/// Validators 0 to 3 with their nodes. Set 0 proves block 1 and hands off to set 1, whose keys are lost.
fn stuck() -> (Net, TestSet, Vec<Node>) {
    let (first, lost) = (TestSet::new(0, 0..4), TestSet::new(1, LOST));
    let mut net = Net::new(TestBlock::new(&first, &first, &[]));
    let nodes: Vec<_> = (0..4).map(|key| net.start(secret(key), true)).collect();
    net.push(&nodes, TestBlock::new(&first, &lost, &[planned(&lost)]));
    net.eventually("set 0 hands off", || {
        nodes.iter().all(|node| node.best() >= Some(1))
    });
    net.push(&nodes, TestBlock::new(&lost, &lost, &[activated(1)]));
    net.push(&nodes, TestBlock::new(&lost, &lost, &[]));
    (net, lost, nodes)
}

fn prove(net: &Net, nodes: &[Node], block: u32) {
    net.eventually("the block is proven", || {
        nodes.iter().all(|node| node.best() >= Some(block))
    });
}

fn end(net: &Net, nodes: &mut [Node]) {
    nodes.iter_mut().for_each(|node| net.stop(node));
}

#[test]
fn a_chain_whose_keys_are_lost_is_proven_again_after_a_reset_and_hands_off_as_before() {
    let (mut net, _, mut nodes) = stuck();
    let (found, next) = (TestSet::new(3, 0..4), TestSet::new(4, 1..5));
    net.pass(60_000);
    assert!(nodes.iter().all(|node| node.best() == Some(1)), "stuck");
    // A set that is planned in the very block, and never signs.
    let never = TestSet::new(2, 60..64);
    let logs = [planned(&never), reset(1, &found)];
    net.push(&nodes, TestBlock::new(&found, &found, &logs));
    prove(&net, &nodes, 4);
    net.push(&nodes, TestBlock::new(&found, &next, &[planned(&next)]));
    net.push(&nodes, TestBlock::new(&next, &next, &[activated(4)]));
    nodes.push(net.start(secret(4), true));
    prove(&net, &nodes, 6);

    let late = net.start(secret(77), false);
    net.eventually("a node that comes late is there, too", || {
        late.best() >= Some(6)
    });
    nodes.push(late);
    for node in &nodes {
        let store = node.chain.store();
        let handoffs = |set| store.handoff_proofs(SetId::new(set), 9).unwrap().len();
        assert_eq!((handoffs(0), handoffs(1), handoffs(3)), (1, 0, 1));
        let chain = node.chain.chain();
        let finalized = |number| chain.finalized_at(number);
        let reset = store
            .reset_after(SetId::new(0), finalized)
            .unwrap()
            .unwrap();
        assert_eq!((reset.block.get(), reset.ended.get()), (4, 1));
        assert_eq!(reset.set, *found.set.commitment());
    }
    end(&net, &mut nodes);
}

/// After a restart no data from before the reset is awaited.
#[test]
fn a_worker_that_was_stopped_across_a_reset_goes_on_behind_it() {
    let (mut net, _, mut nodes) = stuck();
    let found = TestSet::new(2, 0..4);
    net.stop(&mut nodes[0]);
    net.push(&nodes, TestBlock::new(&found, &found, &[reset(1, &found)]));
    prove(&net, &nodes[1..], 4);
    net.run(&mut nodes[0], secret(0), true);
    prove(&net, &nodes, 4);
    net.stop(&mut nodes[0]);
    net.run(&mut nodes[0], secret(0), true);
    net.push(&nodes, TestBlock::new(&found, &found, &[]));
    prove(&net, &nodes, 5);
    end(&net, &mut nodes);
}

/// A chain that cannot be proven still plans sets, until no voter has room for another one.
#[test]
fn a_reset_is_found_behind_more_set_changes_than_a_voter_takes() {
    let (mut net, lost, mut nodes) = stuck();
    let mut before = lost;
    for id in 2..300 {
        let set = TestSet::new(id, LOST);
        net.push(&nodes, TestBlock::new(&before, &set, &[planned(&set)]));
        net.push(&nodes, TestBlock::new(&set, &set, &[activated(id)]));
        before = set;
    }
    net.pass(10_000);
    let (never, found) = (TestSet::new(300, 60..64), TestSet::new(301, 0..4));
    let at = u32::try_from(net.blocks.len()).unwrap();
    // Its rules are not those of the sets that were skipped. (ROUND-11)
    let rules = ConsensusLog::Rules(VotingRules::with_min_delta(3));
    let logs = [planned(&never), reset(299, &found), rules];
    net.push(&nodes, TestBlock::new(&found, &found, &logs));
    net.push(&nodes, TestBlock::new(&found, &found, &[]));
    net.pass(60_000);
    assert!(nodes.iter().all(|node| node.best() == Some(1)));
    net.push(&nodes, TestBlock::new(&found, &found, &[]));
    prove(&net, &nodes, at + 2);
    end(&net, &mut nodes);
}

/// Sets replace each other on chain, and none of them proves anything.
#[test]
fn handoffs_that_never_were_are_not_waited_for_behind_a_reset() {
    let (first, found) = (TestSet::new(0, LOST), TestSet::new(3, 0..4));
    let [second, third] = [1, 2].map(|id| TestSet::new(id, LOST));
    let mut net = Net::new(TestBlock::new(&first, &first, &[]));
    let mut nodes: Vec<_> = (0..4).map(|key| net.start(secret(key), true)).collect();
    for block in [
        TestBlock::new(&first, &second, &[planned(&second)]),
        TestBlock::new(&second, &third, &[activated(1), planned(&third)]),
        TestBlock::new(&third, &third, &[activated(2)]),
    ] {
        net.push(&nodes, block);
    }
    let asked = |node: &Node| node.metric("substrate_duet_on_demand_sent_total");
    net.eventually("nodes ask each other for the handoff of set 0", || {
        nodes.iter().all(|node| asked(node) > 0)
    });
    net.push(&nodes, TestBlock::new(&found, &found, &[reset(2, &found)]));
    prove(&net, &nodes, 4);
    net.eventually("every node has what history there is", || {
        let missing = |node: &Node| node.metric("substrate_duet_history_missing_sets");
        nodes.iter().all(|node| missing(node) == 0)
    });
    // RESET-4: nor is it asked for.
    let before: Vec<_> = nodes.iter().map(asked).collect();
    net.pass(60_000);
    assert_eq!(nodes.iter().map(asked).collect::<Vec<_>>(), before);
    end(&net, &mut nodes);
}

/// A node that began after the reset has no handoff to look for across it.
#[test]
fn a_node_that_began_before_a_reset_has_all_the_history_there_is() {
    let (mut net, _, mut nodes) = stuck();
    let found = TestSet::new(2, 0..4);
    net.push(&nodes, TestBlock::new(&found, &found, &[reset(1, &found)]));
    prove(&net, &nodes, 4);
    net.pass(5_000);
    for node in &nodes {
        assert_eq!(node.metric("substrate_duet_history_missing_sets"), 0);
        let chain = node.chain.chain();
        let hash = chain.hash(BlockNumber::new(4)).unwrap();
        let finalized = |number| chain.finalized_at(number);
        let reset = node.chain.store().reset_to(SetId::new(2), finalized);
        let reset = reset.unwrap().unwrap();
        assert_eq!(reset.hash, hash);
    }
    end(&net, &mut nodes);
}
