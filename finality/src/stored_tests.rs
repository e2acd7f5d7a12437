//! Unreadable stored data: the node continues without its voter, and votes again after the repair. (ROUND-4)

use crate::{
    evidence::Divergence,
    store::{ReportBook, Reset},
    stored::{RepairError, Stored},
    testing::{
        nodes::{planned, Net, Node},
        TestBlock,
    },
    StoredEntry,
};
use codec::Encode;
use duet_gossip::source::HandoffProof;
use duet_primitives::{
    testing::{secret, TestSet},
    BlockNumber, ConsensusLog, EquivocationProof, RoundMessage, SetId, H256,
};
use sc_client_api::AuxStore;
use std::io;

const STATE: &[u8] = b"duet/v1/state/";
const DIVERGED: &[u8] = b"duet/v1/diverged/";

fn write(node: &Node, key: &[u8], value: &[u8]) {
    let backend = &node.chain.backend;
    backend.insert_aux(&[(key, value)], &[]).unwrap();
}

fn read(node: &Node, key: &[u8]) -> Option<Vec<u8>> {
    node.chain.backend.get_aux(key).unwrap()
}

fn stored(node: &Node) -> Stored {
    Stored::of(node.chain.backend.clone())
}

fn unreadable(node: &Node) -> Vec<String> {
    let entries = stored(node).entries().unwrap();
    let bad = entries.into_iter().filter(|one| one.broken.is_some());
    bad.map(|one| one.name).collect()
}

fn repair(node: &Node, finalized: u32) -> Vec<String> {
    let removed = stored(node).repair(BlockNumber::new(finalized), |_| Ok(()));
    removed.unwrap().into_iter().map(|one| one.name).collect()
}

fn stopped(node: &Node) -> u64 {
    node.metric("substrate_duet_stopped")
}

fn set() -> TestSet {
    TestSet::new(0, 0..4)
}

/// Four validators that have proven `blocks` blocks.
fn network(blocks: u32) -> (Net, Vec<Node>) {
    let set = set();
    let mut net = Net::new(TestBlock::new(&set, &set, &[]));
    let nodes: Vec<_> = (0..4).map(|key| net.start(secret(key), true)).collect();
    for block in 1..=blocks {
        push(&mut net, &nodes);
        prove(&net, &nodes, block);
    }
    (net, nodes)
}

fn push(net: &mut Net, nodes: &[Node]) {
    let set = set();
    net.push(nodes, TestBlock::new(&set, &set, &[]));
}

fn prove(net: &Net, nodes: &[Node], block: u32) {
    net.eventually("the block is proven", || {
        nodes.iter().all(|node| node.best() == Some(block))
    });
}

fn end(net: &Net, nodes: &mut [Node]) {
    nodes.iter_mut().for_each(|node| net.stop(node));
}

#[test]
fn a_node_that_cannot_read_what_it_stored_goes_on_without_its_voter() {
    for (key, garbage) in [
        (STATE, &b"\x02"[..]),
        (STATE, b"\x09\x00 of a later version"),
        (STATE, b"\x02\x00 no state at all"),
        (DIVERGED, b"\xff"),
        (b"duet/v1/genesis/", b"\x01"),
    ] {
        let (mut net, mut nodes) = network(2);
        net.stop(&mut nodes[0]);
        write(&nodes[0], key, garbage);
        net.run(&mut nodes[0], secret(0), true);
        push(&mut net, &nodes);
        prove(&net, &nodes[1..], 3);
        // Longer than until the operator is told again.
        net.pass(1_500_000);
        let seen: Vec<_> = nodes.iter().map(stopped).collect();
        assert_eq!(seen, [1, 0, 0, 0], "{garbage:?}");
        assert_eq!(nodes[0].best(), Some(2));
        assert_eq!(read(&nodes[0], key), Some(garbage.to_vec()), "it is kept");
        end(&net, &mut nodes);
    }
}

/// It is met when the set hands off.
#[test]
fn an_entry_that_is_read_late_does_not_end_the_node_either() {
    let (mut net, mut nodes) = network(1);
    let key = [&b"duet/v1/handover/"[..], &0_u64.to_le_bytes()].concat();
    write(&nodes[0], &key, &[7]);
    let next = TestSet::new(1, 0..4);
    net.push(&nodes, TestBlock::new(&set(), &next, &[planned(&next)]));
    prove(&net, &nodes[1..], 2);
    net.eventually("it stands still", || stopped(&nodes[0]) == 1);
    net.stop(&mut nodes[0]);
    assert_eq!(unreadable(&nodes[0]), ["handover 0"]);
    assert_eq!(repair(&nodes[0], 2), ["handover 0"]);
    net.run(&mut nodes[0], secret(0), true);
    let start = [ConsensusLog::Activated(SetId::new(1))];
    net.push(&nodes, TestBlock::new(&next, &next, &start));
    prove(&net, &nodes, 3);
    end(&net, &mut nodes);
}

/// ROUND-4: two of the others and this node are a quorum, and it may have signed something else about the last block.
#[test]
fn after_a_repair_a_node_votes_again_and_on_nothing_that_it_may_have_voted_on() {
    let (mut net, mut nodes) = network(4);
    end(&net, &mut nodes);
    push(&mut net, &nodes);
    write(&nodes[0], STATE, &[2]);
    assert_eq!(unreadable(&nodes[0]), ["state"]);
    assert_eq!(repair(&nodes[0], 2), ["state"]);
    assert_eq!(unreadable(&nodes[0]), [""; 0]);
    // What is left of it is broken, too, before the node was started.
    write(&nodes[0], b"duet/v1/floor/", &[1]);
    assert_eq!(repair(&nodes[0], 5), ["floor"]);
    for (key, node) in (0..3).zip(&mut nodes) {
        net.run(node, secret(key), true);
    }
    net.pass(60_000);
    assert!(nodes.iter().all(|node| node.best() == Some(4)));
    assert_eq!(nodes[0].metric("substrate_duet_votes_sent_total"), 0);
    push(&mut net, &nodes);
    prove(&net, &nodes[..3], 6);
    end(&net, &mut nodes);
}

#[test]
fn a_state_of_a_newer_node_is_not_repaired() {
    let (net, mut nodes) = network(1);
    end(&net, &mut nodes);
    let newer = b"\x09\x00 of a later version";
    write(&nodes[0], STATE, newer);
    write(&nodes[0], DIVERGED, &[0xff]);
    let refused = stored(&nodes[0]).repair(BlockNumber::new(1), |_| panic!("nothing is removed"));
    assert!(matches!(refused, Err(RepairError::Newer(_))));
    assert_eq!(read(&nodes[0], STATE), Some(newer.to_vec()));
    assert_eq!(read(&nodes[0], DIVERGED), Some(vec![0xff]));
}

#[test]
fn what_cannot_be_saved_is_not_removed() {
    let (net, mut nodes) = network(1);
    end(&net, &mut nodes);
    write(&nodes[0], STATE, &[2]);
    let full = |_: &[StoredEntry]| Err(io::Error::from(io::ErrorKind::StorageFull));
    let refused = stored(&nodes[0]).repair(BlockNumber::new(1), full);
    assert!(matches!(refused, Err(RepairError::NotSaved(_))));
    assert_eq!(read(&nodes[0], STATE), Some(vec![2]));
}

/// The entries of nodes that have run for longer.
fn fill(node: &Node) {
    let (store, set) = (node.chain.store(), set());
    let handoff = store.handoff(SetId::new(0)).unwrap().unwrap();
    let reset = Reset {
        block: BlockNumber::new(9),
        hash: H256::zero(),
        ended: SetId::new(1),
        set: set.set.commitment().clone(),
    };
    store.put_reset(&reset).unwrap();
    let last = [&b"duet/v1/last/"[..], &1_u64.to_le_bytes()].concat();
    write(node, &last, &handoff.encode());
    let divergence = Divergence {
        finalized: None,
        justification: handoff.clone(),
        acknowledged: true,
    };
    store.put_divergences(&[divergence]).unwrap();
    store.put_fuller(&handoff).unwrap();
    let said = set.commitment(1, &set.set);
    let mut other = said.clone();
    other.mmr_root = H256::repeat_byte(0xee);
    let vote = |said| set.vote(0, &RoundMessage::new(H256::zero(), said)).unwrap();
    let evidence = EquivocationProof::new(set.set.keyset(), &vote(said), &vote(other)).unwrap();
    assert!(ReportBook::new(&store).put(&evidence).unwrap());
    let halves = set.secrets.iter().map(|secret| secret.public().pk1());
    let fetched = HandoffProof {
        justification: handoff,
        next_keys: halves.collect(),
    };
    store.put_fetched(&fetched).unwrap();
}

/// Two sets with their handoff; whatever entry is broken is found, and the node is where it was afterwards.
#[test]
fn every_entry_that_is_broken_is_found_and_made_again() {
    let (mut net, mut nodes) = network(1);
    let next = TestSet::new(1, 0..4);
    net.push(&nodes, TestBlock::new(&set(), &next, &[planned(&next)]));
    let start = [ConsensusLog::Activated(SetId::new(1))];
    net.push(&nodes, TestBlock::new(&next, &next, &start));
    prove(&net, &nodes, 3);
    net.pass(60_000);
    net.stop(&mut nodes[0]);
    fill(&nodes[0]);
    let all = stored(&nodes[0]).entries().unwrap();
    let names: Vec<_> = all.iter().map(|one| one.name.as_str()).collect();
    let tables = "state best genesis diverged resets set keys halves handover handover-at last fuller reports report";
    for table in tables.split(' ') {
        let is_of = |name: &&str| name.split(' ').next() == Some(table);
        assert!(names.iter().any(is_of), "{table} in {names:?}");
    }
    for one in &all {
        let bytes = read(&nodes[0], &one.key).unwrap();
        let cut = bytes[..bytes.len() / 2].to_vec();
        for broken in [cut, [&bytes[..], &[0xff]].concat()] {
            write(&nodes[0], &one.key, &broken);
            assert_eq!(unreadable(&nodes[0]), [one.name.as_str()]);
            assert_eq!(repair(&nodes[0], 3), [one.name.as_str()]);
            assert_eq!(unreadable(&nodes[0]), [""; 0]);
            if one.name == "set 1" {
                assert_eq!(read(&nodes[0], &one.key).as_ref(), Some(&bytes));
            }
        }
        write(&nodes[0], &one.key, &bytes);
    }
    end(&net, &mut nodes);
}
