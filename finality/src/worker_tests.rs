//! Whole workers, with their own back ends, over a network in memory and in virtual time.

use crate::testing::{
    nodes::{planned, Net, Node},
    TestBlock,
};
use codec::{DecodeAll, Encode};
use duet_gossip::{
    message::GossipMessage, requests::justifications::JustificationsRequest, source::ProofSource,
};
use duet_primitives::{
    testing::{secret, TestSet},
    BlockNumber, ConsensusLog, RoundMessage, SecretKey, SetId, SignerIndex, UncheckedJustification,
    UncheckedVote, H256,
};
use futures::{channel::oneshot, FutureExt};
use sc_client_api::AuxStore;
use sc_network::{IfDisconnected, NetworkRequest};
use sc_network_types::PeerId;
use std::collections::BTreeSet;

/// Four validators of set 0 with their nodes, over a genesis.
fn four() -> (Net, TestSet, Vec<Node>) {
    let set = TestSet::new(0, 0..4);
    let net = Net::new(TestBlock::new(&set, &set, &[]));
    let nodes = set
        .secrets
        .iter()
        .map(|secret| net.start(secret.clone(), true))
        .collect();
    (net, set, nodes)
}

/// What a stranger asks for does not hold up the worker. (REQ-2)
#[test]
fn requests_are_answered_beside_the_worker() {
    let set = TestSet::new(0, 0..4);
    let net = Net::of(&set, 1);
    let mut node = net.start(secret(77), false);
    net.pass(1_000);
    drop(node.task.take());
    let stranger = net.hub.join(PeerId::random());
    let (answer, mut answered) = oneshot::channel();
    let question = JustificationsRequest {
        first_set: SetId::new(0),
        count: 1,
    };
    let ask = async move {
        let (to, protocol) = (node.peer, "/duet/justifications/1".into());
        let (question, connect) = (question.encode(), IfDisconnected::ImmediateError);
        let asked = stranger
            .network
            .request(to, protocol, question, None, connect);
        answer.send(asked.await.is_ok()).expect("the test waits");
        std::future::pending::<()>().await;
    };
    net.spawn(ask.boxed_local());
    net.pass(1_000);
    assert_eq!(answered.try_recv(), Ok(Some(true)));
}

#[test]
fn four_workers_prove_blocks_and_hand_off_and_one_that_comes_late_catches_up() {
    let (mut net, first, mut nodes) = four();
    let second = TestSet::new(1, 1..5);
    let newcomer = net.start(secret(4), true);
    nodes.push(newcomer);
    net.push(&nodes, TestBlock::new(&first, &first, &[]));
    net.eventually("block 1 is proven", || {
        nodes.iter().all(|node| node.best() >= Some(1))
    });

    net.push(&nodes, TestBlock::new(&first, &second, &[planned(&second)]));
    net.push(&nodes, TestBlock::new(&first, &second, &[]));
    let activated = ConsensusLog::Activated(SetId::new(1));
    net.push(&nodes, TestBlock::new(&second, &second, &[activated]));
    net.push(&nodes, TestBlock::new(&second, &second, &[]));
    net.eventually("set 1 proves block 5", || {
        nodes.iter().all(|node| node.best() >= Some(5))
    });
    for node in &nodes {
        let handoff = node.chain.store().handoff(SetId::new(0)).unwrap();
        let handoff = handoff.expect("set 0 handed off");
        assert_eq!(handoff.commitment.block_number.get(), 2);
    }

    let (chain, store) = (&nodes[0].chain, nodes[0].chain.store());
    let hash = chain.chain().hash(BlockNumber::new(2)).unwrap();
    let with_block = chain.blocks().justification(hash).unwrap();
    let handoff = store.handoff(SetId::new(0)).unwrap().unwrap();
    assert_eq!(with_block, Some(handoff.encode()));
    assert!(store.first_set_proof().unwrap().is_some());

    let late = net.start(secret(77), false);
    net.eventually("the late node has caught up", || late.best() >= Some(5));
    assert!(late.chain.store().handoff(SetId::new(0)).unwrap().is_some());

    nodes.push(late);
    for node in &mut nodes {
        net.stop(node);
        assert_eq!(
            net.hub.cost_of(&node.peer) / 100_000,
            0,
            "nobody is blamed for much"
        );
    }
}

#[test]
fn a_stopped_worker_continues_from_what_it_stored() {
    let (mut net, set, mut nodes) = four();
    let block = || TestBlock::new(&set, &set, &[]);
    net.push(&nodes, block());
    net.eventually("block 1 is proven", || {
        nodes.iter().all(|node| node.best() >= Some(1))
    });

    net.stop(&mut nodes[0]);
    net.stop(&mut nodes[1]);
    net.push(&nodes, block());
    net.pass(60_000);
    assert!(
        nodes.iter().all(|node| node.best() == Some(1)),
        "two of four prove nothing"
    );

    let secret = set.secrets[0].clone();
    net.run(&mut nodes[0], secret, true);
    net.eventually("three prove block 2", || nodes[2].best() >= Some(2));
    net.eventually("so knows who came back", || nodes[0].best() >= Some(2));
    for node in &mut nodes {
        net.stop(node);
    }
}

/// ACTIVE-1, ACTIVE-3.
#[test]
fn a_node_shows_whether_the_chain_has_a_set_that_is_to_sign() {
    let set = TestSet::new(0, 0..4);
    let mut net = Net::new(TestBlock::without_duet());
    let mut nodes = [net.start(secret(0), true)];
    let with_set = || TestBlock::new(&set, &set, &[]);
    let blocks = [
        (with_set(), 1),
        (with_set().put_down(), 0),
        (with_set(), 1),
        (with_set().expired(), 1),
    ];
    for (block, active) in blocks {
        net.push(&nodes, block);
        net.eventually("the gauge follows", || {
            nodes[0].metric("substrate_duet_active") == active
        });
    }
    net.stop(&mut nodes[0]);
}

#[test]
fn payloads_of_a_stall_are_those_that_may_be_voted_on_and_are_found_again_after_a_restart() {
    let (mut net, set, mut nodes) = four();
    for node in &mut nodes[1..] {
        net.stop(node);
    }
    for _ in 0..200 {
        net.push(&nodes, TestBlock::new(&set, &set, &[]));
    }
    net.pass(5_000);
    let stored = |nodes: &[Node]| -> Vec<u32> {
        let (chain, store) = (nodes[0].chain.chain(), nodes[0].chain.store());
        let is_stored = |number: &u32| {
            let hash = chain.hash(BlockNumber::new(*number)).unwrap();
            store.payload(hash).unwrap().is_some()
        };
        (0..=200).filter(is_stored).collect()
    };
    assert_eq!(stored(&nodes), (100..=200).collect::<Vec<_>>());

    net.stop(&mut nodes[0]);
    for (node, secret) in nodes.iter_mut().zip(&set.secrets) {
        net.run(node, secret.clone(), true);
    }
    net.eventually("block 200 is proven", || {
        nodes.iter().all(|node| node.best() >= Some(200))
    });
    assert_eq!(stored(&nodes), Vec::<u32>::new());
    for node in &mut nodes {
        net.stop(node);
    }
}

#[test]
fn an_equivocation_is_reported_and_garbage_is_charged() {
    let (mut net, set, mut nodes) = four();
    net.stop(&mut nodes[3]);
    net.push(&nodes, TestBlock::new(&set, &set, &[]));
    net.eventually("block 1 is proven", || {
        nodes[..3].iter().all(|node| node.best() >= Some(1))
    });

    let liar = net.hub.join(PeerId::random());
    let peer = liar.network.peer();
    net.push(&nodes, TestBlock::new(&set, &set, &[]));
    let chain = nodes[0].chain.chain();
    let genesis = chain.hash(BlockNumber::ZERO).unwrap();
    let commitment = chain.commitment(BlockNumber::new(2)).unwrap();
    for byte in [1, 2] {
        let mut commitment = commitment.clone();
        commitment.mmr_root = H256::repeat_byte(byte);
        let message = RoundMessage::new(genesis, commitment);
        let vote = UncheckedVote::sign(&set.secrets[3], SignerIndex::new(3), &message);
        net.hub.flood(peer, &GossipMessage::Vote(vote).encode());
    }
    net.hub.flood(peer, &[9; 100]);
    net.eventually("somebody reports", || {
        nodes[..3]
            .iter()
            .any(|node| node.chain.client.reports() > 0)
    });
    net.eventually("the garbage is charged", || {
        net.hub.cost_of(&peer) < -1_000_000
    });
    net.eventually("block 2 is proven", || {
        nodes[..3].iter().all(|node| node.best() >= Some(2))
    });
    for node in &mut nodes {
        net.stop(node);
    }
}

#[test]
fn a_chain_that_adopts_duet_later_is_followed_from_there() {
    let set = TestSet::new(0, 0..4);
    let mut net = Net::new(TestBlock::without_duet());
    let mut nodes: Vec<_> = set
        .secrets
        .iter()
        .map(|secret| net.start(secret.clone(), true))
        .collect();
    net.push(&nodes, TestBlock::without_duet());
    net.pass(10_000);
    assert!(nodes.iter().all(|node| node.best().is_none()));
    for _ in 0..2 {
        net.push(&nodes, TestBlock::new(&set, &set, &[]));
    }
    net.eventually("block 3 is proven", || {
        nodes.iter().all(|node| node.best() >= Some(3))
    });
    for node in &mut nodes {
        net.stop(node);
    }
}

#[test]
fn nodes_that_did_not_execute_a_change_of_sets_continue_above_it() {
    let (first, second) = (TestSet::new(0, 0..4), TestSet::new(1, 1..5));
    let mut net = Net::new(TestBlock::new(&first, &first, &[]));
    let plan = TestBlock::new(&first, &second, &[planned(&second)]);
    let activated = ConsensusLog::Activated(SetId::new(1));
    net.push(&[], plan.without_state());
    net.push(&[], TestBlock::new(&second, &second, &[activated]));
    let mut nodes: Vec<_> = second
        .secrets
        .iter()
        .map(|secret| net.start(secret.clone(), true))
        .collect();
    net.push(&nodes, TestBlock::new(&second, &second, &[]));
    net.eventually("set 1 proves block 3", || {
        nodes.iter().all(|node| node.best() >= Some(3))
    });
    for node in &mut nodes {
        assert_eq!(node.chain.store().handoff(SetId::new(0)).unwrap(), None);
        net.stop(node);
    }
}

/// ROUND-4: the record of its votes was lost when block 100 was final, and later a block is missing.
#[test]
fn a_node_that_is_silent_up_to_a_block_stays_so_when_it_begins_anew_below_it() {
    let (first, second) = (TestSet::new(0, 0..4), TestSet::new(1, 1..5));
    let mut net = Net::new(TestBlock::new(&first, &first, &[]));
    let secrets = &second.secrets;
    let start = |secret: &SecretKey| net.start(secret.clone(), true);
    let mut nodes: Vec<_> = secrets.iter().map(start).collect();
    net.push(&nodes, TestBlock::new(&first, &first, &[]));
    net.eventually("the three of both sets prove block 1", || {
        nodes.iter().all(|node| node.best() == Some(1))
    });
    for node in &mut nodes {
        net.stop(node);
        let floor = BlockNumber::new(100).encode();
        let entry = (&b"duet/v1/floor/"[..], &floor[..]);
        node.chain.backend.insert_aux(&[entry], &[]).unwrap();
    }
    let plan = TestBlock::new(&first, &second, &[planned(&second)]);
    let activated = ConsensusLog::Activated(SetId::new(1));
    net.push(&nodes, plan.without_state());
    net.push(&nodes, TestBlock::new(&second, &second, &[activated]));
    for (node, secret) in nodes.iter_mut().zip(secrets) {
        net.run(node, secret.clone(), true);
    }
    net.push(&nodes, TestBlock::new(&second, &second, &[]));
    net.pass(30_000);
    for node in &mut nodes {
        assert_eq!(node.metric("substrate_duet_validator_set_id"), 1);
        assert_eq!(node.best(), Some(1));
        net.stop(node);
    }
}

/// Between two answers the node reads on.
#[test]
fn questions_do_not_keep_a_node_from_catching_up() {
    let (mut net, set, mut nodes) = four();
    for node in &mut nodes {
        net.stop(node);
    }
    for _ in 0..3_000 {
        net.push(&nodes[..1], TestBlock::new(&set, &set, &[]));
    }
    net.run(&mut nodes[0], set.secrets[0].clone(), true);
    let questions = nodes[0].questions.as_ref().unwrap();
    let asked: Vec<_> = (0..10).map(|_| questions.ask().unwrap()).collect();
    net.pass(0);
    let answers = asked.iter().map(|answer| answer.try_recv().unwrap());
    let targets: BTreeSet<_> = answers.flatten().map(|votes| votes.target).collect();
    assert!(targets.len() > 1, "{targets:?}");
    net.stop(&mut nodes[0]);
}

/// The number of signers of this node's proof of a block; `None` when it has none.
fn signers(node: &Node, number: u32) -> Option<u32> {
    let hash = node.chain.chain().hash(BlockNumber::new(number)).unwrap();
    let first = node.chain.blocks().justification(hash).unwrap()?;
    let first = UncheckedJustification::decode_all(&mut &*first).unwrap();
    Some(node.chain.store().fullest(first).unwrap().signers.count())
}

/// The number of signers of this node's handoff proof of set 0.
fn handoff_signers(node: &Node) -> Option<u32> {
    let handoff = node.chain.store().handoff(SetId::new(0)).unwrap()?;
    Some(handoff.signers.count())
}

/// ROUND-9.
#[test]
fn every_proof_of_four_honest_nodes_has_four_signers() {
    let (mut net, first, mut nodes) = four();
    let second = TestSet::new(1, 1..5);
    net.push(&nodes, TestBlock::new(&first, &first, &[]));
    net.eventually("the proof of block 1 is full", || {
        nodes.iter().all(|node| signers(node, 1) == Some(4))
    });
    net.push(&nodes, TestBlock::new(&first, &second, &[planned(&second)]));
    net.eventually("the handoff proof is full", || {
        nodes
            .iter()
            .all(|node| (handoff_signers(node), signers(node, 2)) == (Some(4), Some(4)))
    });
    for node in &mut nodes {
        net.stop(node);
    }
}

/// ROUND-9.
#[test]
fn every_proof_of_seven_nodes_of_which_one_is_silent_has_six_signers() {
    let (first, second) = (TestSet::new(0, 0..7), TestSet::new(1, 1..8));
    let mut net = Net::new(TestBlock::new(&first, &first, &[]));
    let mut nodes: Vec<_> = first.secrets[..6]
        .iter()
        .map(|secret| net.start(secret.clone(), true))
        .collect();
    net.push(&nodes, TestBlock::new(&first, &first, &[]));
    net.eventually("six have signed block 1", || {
        nodes.iter().all(|node| signers(node, 1) == Some(6))
    });
    net.push(&nodes, TestBlock::new(&first, &second, &[planned(&second)]));
    net.eventually("six have signed the handoff", || {
        nodes.iter().all(|node| handoff_signers(node) == Some(6))
    });
    for node in &mut nodes {
        net.stop(node);
    }
}

/// ROUND-9: the vote of a member who was away when the handoff was proven still comes, and all store it.
#[test]
fn a_handoff_proof_grows_by_the_vote_of_a_validator_that_was_away() {
    let (mut net, first, mut nodes) = four();
    let second = TestSet::new(1, 1..5);
    net.stop(&mut nodes[3]);
    net.push(&nodes, TestBlock::new(&first, &second, &[planned(&second)]));
    net.eventually("three prove the handoff", || {
        nodes[..3]
            .iter()
            .all(|node| handoff_signers(node) == Some(3))
    });
    net.run(&mut nodes[3], first.secrets[3].clone(), true);
    net.eventually("all have the proof of four", || {
        nodes.iter().all(|node| handoff_signers(node) == Some(4))
    });
    for node in &mut nodes {
        net.stop(node);
    }
}

#[test]
fn the_worker_tells_operators_who_has_voted_and_who_has_not() {
    let (mut net, set, mut nodes) = four();
    net.stop(&mut nodes[3]);
    let silent = set.secrets[3].public().pk1();
    net.push(&nodes, TestBlock::new(&set, &set, &[]));
    net.eventually("three prove block 1", || nodes[0].best() >= Some(1));
    net.pass(5_000);

    let questions = nodes[0].questions.as_ref().unwrap();
    let answer = questions.ask().unwrap();
    net.pass(0);
    let votes = answer
        .try_recv()
        .expect("the worker answers")
        .expect("there is a set");
    assert_eq!(
        (votes.set, votes.members, votes.threshold),
        (SetId::new(0), 4, 3)
    );
    assert_eq!(votes.best_proven, BlockNumber::new(1));
    assert_eq!(
        (votes.newest, votes.rounds),
        (Some(BlockNumber::new(1)), vec![])
    );
    let missing: Vec<_> = votes
        .missing
        .iter()
        .map(|one| (one.key, one.last))
        .collect();
    assert_eq!(missing, [(silent, None)]);
    assert_eq!(votes.voted.len(), 3);
    assert!(votes.voted.contains(&votes.own.expect("a member")));

    for (name, expected) in [
        ("in_set", 1),
        ("set_size", 4),
        ("signers_last", 3),
        ("own_key_elsewhere_total", 0),
    ] {
        let name = format!("substrate_duet_{name}");
        assert_eq!(nodes[0].metric(&name), expected, "{name}");
    }
    for node in &mut nodes {
        net.stop(node);
    }
}

#[test]
fn a_node_notices_that_its_key_votes_on_another_one() {
    let (mut net, set, mut nodes) = four();
    nodes.push(net.start(set.secrets[0].clone(), true));
    let outsider = net.start(secret(77), true);
    nodes.push(outsider);
    // The same key signs the same bytes, so a copy that comes after the own vote shows nothing. Here the twin is first.
    let block = TestBlock::new(&set, &set, &[]);
    net.push(&nodes[1..], block.clone());
    net.pass(2_000);
    nodes[0].chain.add(&block);
    net.eventually("the late one catches up", || nodes[0].best() >= Some(1));
    let elsewhere = |node: &Node| node.metric("substrate_duet_own_key_elsewhere_total");
    assert_eq!(elsewhere(&nodes[0]), 1);
    assert!(nodes[1..].iter().all(|node| elsewhere(node) == 0));
    assert_eq!(nodes[5].metric("substrate_duet_in_set"), 0);
    for node in &mut nodes {
        net.stop(node);
    }
}
