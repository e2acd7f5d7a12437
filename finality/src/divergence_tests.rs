//! Valid proofs that contradict GRANDPA's finality on this node, by every way of arrival. (ROUND-10)

use crate::{
    evidence::Divergence,
    testing::{
        dual_keys,
        nodes::{planned, Net, Node},
        TestBlock,
    },
};
use codec::{DecodeAll, Encode};
use duet_gossip::{
    message::GossipMessage, reputation::PeerBehaviour,
    requests::justifications::JustificationsRequest,
};
use duet_primitives::{
    testing::{secret, TestSet},
    BlockNumber, ConsensusLog, Justification, RoundMessage, SetId, SignerIndex, UncheckedVote,
    H256,
};
use futures::{FutureExt, StreamExt};
use sc_network::request_responses::OutgoingResponse;
use sc_network_types::PeerId;

/// The hash of a block that is on no chain.
const FORK: H256 = H256::repeat_byte(0xf0);

/// A set, its chain, and an adversary that holds all of its keys.
struct Scenario {
    net: Net,
    set: TestSet,
    adversary: PeerId,
}

impl Scenario {
    /// With this many blocks above the genesis.
    fn new(blocks: u32) -> Self {
        let set = TestSet::new(0, 0..4);
        let net = Net::of(&set, blocks);
        let adversary = PeerId::random();
        Self {
            net,
            set,
            adversary,
        }
    }

    fn genesis(&self) -> H256 {
        let node = self.net.node(0);
        node.chain.chain().genesis_hash()
    }

    /// The payload that set 0 would sign about a block of this number, if the block were this one.
    fn message(&self, number: u32, hash: H256) -> RoundMessage {
        let mut commitment = self.set.commitment(number, &self.set.set);
        commitment.block_hash = hash;
        commitment.mmr_root = H256::repeat_byte(5);
        RoundMessage::new(self.genesis(), commitment)
    }

    fn forged(&self, number: u32) -> Justification {
        self.set.justify(&self.message(number, FORK), 0..3)
    }

    /// The true payload of a block.
    fn honest(&self, number: u32) -> Justification {
        let chain = self.net.node(0).chain.chain();
        let hash = chain.hash(BlockNumber::new(number)).unwrap();
        self.set.justify(&self.message(number, hash), 0..3)
    }

    fn send(&self, proof: &Justification) {
        let message = GossipMessage::Justification(proof.as_unchecked().clone());
        self.net.hub.flood(self.adversary, &message.encode());
    }

    /// A node that follows, and has no keys to vote with.
    fn observer(&self) -> Node {
        let node = self.net.start(secret(77), false);
        self.net.pass(2_000);
        node
    }

    /// Adds a block to every node's chain.
    fn push(&mut self, nodes: &[Node]) {
        let block = TestBlock::new(&self.set, &self.set, &[]);
        self.net.push(nodes, block);
    }

    fn stop(&self, nodes: &mut [Node]) {
        nodes.iter_mut().for_each(|node| self.net.stop(node));
    }
}

fn known(node: &Node) -> Vec<Divergence> {
    node.chain.store().divergences().unwrap()
}

fn noticed(node: &Node) -> u64 {
    node.metric("substrate_duet_justifications_diverged_total")
}

fn is_diverged(node: &Node) -> bool {
    node.metric("substrate_duet_diverged") == 1
}

/// Asserts that a node holds this proof as its only evidence.
#[track_caller]
fn assert_evidence(node: &Node, proof: &Justification) {
    let number = proof.commitment().block_number;
    let finalized = node.chain.chain().hash(number).unwrap();
    let expected = Divergence {
        finalized: Some(finalized),
        justification: proof.as_unchecked().clone(),
        acknowledged: false,
    };
    assert_eq!(known(node), [expected]);
    assert_eq!(noticed(node), 1);
    assert!(is_diverged(node));
}

#[test]
fn a_proof_from_gossip_of_another_block_than_is_final_is_evidence_once_and_goes_no_further() {
    let scenario = Scenario::new(5);
    let mut nodes = [scenario.observer(), scenario.net.node(0)];
    let proof = scenario.forged(5);
    let fuller = scenario.set.justify(&scenario.message(5, FORK), 0..4);
    let bystander = scenario.net.hub.join(PeerId::random());
    for proof in [&proof, &proof, &fuller, &proof] {
        scenario.send(proof);
        scenario.net.pass(1_000);
    }
    assert_evidence(&nodes[0], &proof);
    assert_eq!(nodes[0].best(), None, "it is not final");
    scenario.net.pass(100_000);
    assert_eq!(
        scenario.net.hub.delivered(),
        0,
        "it is not relayed to {:?}",
        bystander.network.peer()
    );
    assert_eq!(scenario.net.hub.cost_of(&scenario.adversary), 0);
    scenario.stop(&mut nodes[..1]);
}

#[test]
fn a_proof_of_a_block_long_below_the_best_one_is_evidence_and_a_bad_one_is_charged() {
    let scenario = Scenario::new(40);
    let mut nodes = [scenario.observer()];
    scenario.send(&scenario.honest(40));
    scenario
        .net
        .eventually("block 40 is proven", || nodes[0].best() == Some(40));
    let mut bad = scenario.forged(3).into_unchecked();
    bad.commitment.mmr_root = H256::zero();
    let message = GossipMessage::Justification(bad).encode();
    scenario.net.hub.flood(scenario.adversary, &message);
    scenario.net.pass(1_000);
    assert!(scenario.net.hub.cost_of(&scenario.adversary) < 0);
    assert_eq!(known(&nodes[0]), []);

    scenario.send(&scenario.honest(3));
    scenario.net.pass(1_000);
    assert_eq!(known(&nodes[0]), [], "one that is late agrees");
    let proof = scenario.forged(3);
    scenario.send(&proof);
    scenario.net.pass(1_000);
    assert_evidence(&nodes[0], &proof);
    assert_eq!(nodes[0].best(), Some(40));
    scenario.stop(&mut nodes);
}

/// CHAIN-7: also after the true proof of the block, and whatever this node has prepared.
#[test]
fn a_proof_of_the_final_block_with_another_payload_than_its_header_names_is_evidence() {
    let scenario = Scenario::new(5);
    let mut nodes = [scenario.observer()];
    let honest = scenario.honest(5);
    scenario.send(&honest);
    scenario
        .net
        .eventually("block 5 is proven", || nodes[0].best() == Some(5));
    let mut commitment = honest.commitment().clone();
    commitment.next = TestSet::new(1, 4..8).set.commitment().clone();
    let message = RoundMessage::new(scenario.genesis(), commitment);
    let proof = scenario.set.justify(&message, 0..3);
    scenario.send(&proof);
    scenario.net.pass(1_000);
    assert_evidence(&nodes[0], &proof);
    scenario.stop(&mut nodes);
}

/// GOSSIP-6, GOSSIP-7.
#[test]
fn a_peer_has_few_places_for_proofs_that_are_compared_and_none_when_it_is_banned() {
    let scenario = Scenario::new(40);
    let mut nodes = [scenario.observer()];
    scenario.send(&scenario.honest(40));
    scenario
        .net
        .eventually("block 40 is proven", || nodes[0].best() == Some(40));
    let flooder = PeerId::random();
    let flood = |number: u32| {
        let mut bad = scenario.forged(number).into_unchecked();
        bad.commitment.mmr_root = H256::zero();
        let message = GossipMessage::Justification(bad).encode();
        scenario.net.hub.flood(flooder, &message);
    };
    (0..100).for_each(|index| flood(1 + index % 30));
    let proof = scenario.forged(3);
    scenario.send(&proof);
    scenario.net.pass(1_000);
    assert_evidence(&nodes[0], &proof);
    let cost = scenario.net.hub.cost_of(&flooder);
    let each = PeerBehaviour::BadJustification.reputation().value;
    assert_eq!(cost / each, 4);

    for _ in 0..10 {
        (1..=4).for_each(flood);
        scenario.net.pass(1_000);
    }
    let cost = scenario.net.hub.cost_of(&flooder);
    assert_eq!(cost / each, 21, "the last one bans it");
    scenario.stop(&mut nodes);
}

#[test]
fn a_proof_of_a_block_that_is_not_final_yet_is_compared_when_it_is() {
    let mut scenario = Scenario::new(3);
    let mut nodes = [scenario.observer()];
    let proof = scenario.forged(6);
    scenario.send(&proof);
    scenario.net.pass(1_000);
    assert_eq!(known(&nodes[0]), []);
    for _ in 4..=5 {
        scenario.push(&nodes);
    }
    scenario.net.pass(2_000);
    assert_eq!(known(&nodes[0]), []);
    scenario.push(&nodes);
    scenario.net.pass(2_000);
    assert_evidence(&nodes[0], &proof);
    let relayed = scenario.net.hub.delivered();
    let _late = scenario.net.hub.join(PeerId::random());
    scenario.net.pass(100_000);
    assert_eq!(
        scenario.net.hub.delivered(),
        relayed,
        "what was kept to be relayed is forgotten"
    );
    scenario.stop(&mut nodes);
}

/// The higher one is concluded first, and the lower one is no longer needed; and of two with one number, the first is
/// not the only one checked.
#[test]
fn every_proof_that_waits_is_compared_whatever_is_concluded_meanwhile() {
    let mut scenario = Scenario::new(2);
    let mut nodes = [scenario.observer()];
    let block = || TestBlock::new(&scenario.set, &scenario.set, &[]);
    let ahead: Vec<_> = (0..3).map(|_| block()).collect();
    let lookout = scenario.net.node(0);
    for block in &ahead {
        lookout.chain.add(block);
    }
    let hash = lookout.chain.chain().hash(BlockNumber::new(5)).unwrap();
    let honest = scenario.set.justify(&scenario.message(5, hash), 0..3);
    let (low, same) = (scenario.forged(4), scenario.forged(5));
    for proof in [&honest, &low, &same] {
        scenario.send(proof);
    }
    scenario.net.pass(1_000);
    for block in ahead {
        scenario.net.push(&nodes, block);
    }
    scenario.net.pass(3_000);
    assert_eq!(nodes[0].best(), Some(5));
    assert_eq!(numbers(&nodes[0]), [4, 5]);
    scenario.stop(&mut nodes);
}

/// The block is not the one to vote on, so that this node has not prepared it.
#[test]
fn votes_that_this_node_adds_up_itself_are_not_concluded_against_its_chain() {
    let scenario = Scenario::new(3);
    let mut nodes = [scenario.observer()];
    let message = scenario.message(3, FORK);
    for signer in 0..3 {
        let secret = &scenario.set.secrets[usize::try_from(signer).unwrap()];
        let vote = UncheckedVote::sign(secret, SignerIndex::new(signer), &message);
        let vote = GossipMessage::Vote(vote).encode();
        scenario.net.hub.flood(scenario.adversary, &vote);
    }
    scenario.net.pass(5_000);
    assert_evidence(&nodes[0], &scenario.forged(3));
    assert_eq!(nodes[0].best(), None);
    scenario.stop(&mut nodes);
}

/// A set that hands off in block 1, and its successor's blocks above.
fn handing_off() -> (Scenario, TestSet) {
    let mut scenario = Scenario::new(0);
    let next = TestSet::new(1, 1..5);
    let set = &scenario.set;
    let activated = ConsensusLog::Activated(SetId::new(1));
    for block in [
        TestBlock::new(set, &next, &[planned(&next)]),
        TestBlock::new(&next, &next, &[activated]),
        TestBlock::new(&next, &next, &[]),
    ] {
        scenario.net.push([], block);
    }
    (scenario, next)
}

fn forged_handoff(scenario: &Scenario, next: &TestSet) -> Justification {
    let mut commitment = scenario.set.commitment(1, &next.set);
    commitment.block_hash = FORK;
    let message = RoundMessage::new(scenario.genesis(), commitment);
    scenario.set.justify(&message, 0..3)
}

#[test]
fn a_handoff_that_a_peer_answers_with_is_compared_and_the_next_answer_is_waited_for() {
    let (scenario, next) = handing_off();
    let proof = forged_handoff(&scenario, &next);
    let peer = scenario.net.hub.join(PeerId::random());
    let answer = vec![proof.as_unchecked().clone()].encode();
    let serve = async move {
        let _others = (peer.notifications, peer.history);
        let mut requests = peer.requests;
        while let Some(request) = requests.next().await {
            let question = JustificationsRequest::decode_all(&mut &*request.payload);
            assert_eq!(question.unwrap().first_set, SetId::new(0));
            let response = OutgoingResponse {
                result: Ok(answer.clone()),
                reputation_changes: Vec::new(),
                sent_feedback: None,
            };
            // The node that asked may have left.
            let _ = request.pending_response.send(response);
        }
    };
    scenario.net.spawn(serve.boxed_local());
    let mut nodes = [scenario.observer()];
    scenario.net.pass(10_000);
    assert_evidence(&nodes[0], &proof);
    let store = nodes[0].chain.store();
    assert_eq!(store.handoff(SetId::new(0)).unwrap(), None);
    scenario.stop(&mut nodes);
}

#[test]
fn a_stored_proof_that_contradicts_the_chain_is_found_at_the_start() {
    let (scenario, next) = handing_off();
    let proof = forged_handoff(&scenario, &next);
    let mut nodes = [scenario.net.node(0)];
    let store = nodes[0].chain.store();
    let commitment = scenario.set.set.commitment();
    store.put_set(commitment).unwrap();
    store
        .put_keys(commitment, &dual_keys(&scenario.set))
        .unwrap();
    store.put_handoff(proof.as_unchecked()).unwrap();
    scenario.net.run(&mut nodes[0], secret(77), false);
    scenario.net.pass(5_000);
    assert_evidence(&nodes[0], &proof);
    scenario.stop(&mut nodes);
}

/// Validators of the set, their votes and what they know after a restart.
#[test]
fn validators_stop_voting_also_after_a_restart_until_their_operators_acknowledge_it() {
    let mut scenario = Scenario::new(1);
    let secrets = scenario.set.secrets.clone();
    let start = |secret: &_| scenario.net.start(Clone::clone(secret), true);
    let mut nodes: Vec<_> = secrets.iter().map(start).collect();
    scenario.net.eventually("block 1 is proven", || {
        nodes.iter().all(|node| node.best() == Some(1))
    });
    let proof = scenario.forged(1);
    scenario.send(&proof);
    scenario.net.pass(1_000);
    nodes.iter().for_each(|node| assert_evidence(node, &proof));
    let sent = |nodes: &[Node]| -> u64 {
        let sent = |node: &Node| node.metric("substrate_duet_votes_sent_total");
        nodes.iter().map(sent).sum()
    };
    let before = sent(&nodes);
    scenario.push(&nodes);
    scenario.net.pass(60_000);
    assert_eq!(sent(&nodes), before, "nobody votes on block 2");

    let restart = |scenario: &Scenario, nodes: &mut Vec<Node>| {
        for (node, secret) in nodes.iter_mut().zip(&secrets) {
            scenario.net.stop(node);
            scenario.net.run(node, secret.clone(), true);
        }
        scenario.net.pass(60_000);
    };
    restart(&scenario, &mut nodes);
    assert!(nodes.iter().all(is_diverged));
    assert_eq!(sent(&nodes), 0, "nor after a restart");
    scenario.net.acknowledged = vec![BlockNumber::new(7)];
    restart(&scenario, &mut nodes);
    assert_eq!(sent(&nodes), 0, "nor when another one is acknowledged");

    scenario.net.acknowledged = vec![BlockNumber::new(1)];
    restart(&scenario, &mut nodes);
    scenario.net.eventually("block 2 is proven", || {
        nodes.iter().all(|node| node.best() == Some(2))
    });
    scenario.net.acknowledged.clear();
    restart(&scenario, &mut nodes);
    scenario.send(&proof);
    scenario.push(&nodes);
    scenario.net.eventually("they go on", || {
        nodes.iter().all(|node| node.best() == Some(3))
    });
    for node in &nodes {
        assert!(!is_diverged(node));
        assert!(known(node)[0].acknowledged, "the evidence stays");
    }
    scenario.stop(&mut nodes);
}

fn numbers(node: &Node) -> Vec<u32> {
    let block = |one: Divergence| one.justification.commitment.block_number.get();
    known(node).into_iter().map(block).collect()
}

#[test]
fn eight_contradictions_are_kept_and_only_an_acknowledged_one_makes_room() {
    let mut scenario = Scenario::new(12);
    let mut nodes = [scenario.observer()];
    for number in 1..=12 {
        scenario.send(&scenario.forged(number));
        scenario.net.pass(1_000);
    }
    assert_eq!(numbers(&nodes[0]), [1, 2, 3, 4, 5, 6, 7, 8]);
    scenario.net.stop(&mut nodes[0]);
    scenario.net.acknowledged = vec![BlockNumber::new(3)];
    scenario.net.run(&mut nodes[0], secret(77), false);
    for number in 10..=12 {
        scenario.send(&scenario.forged(number));
        scenario.net.pass(1_000);
    }
    assert_eq!(numbers(&nodes[0]), [1, 2, 4, 5, 6, 7, 8, 10]);
    scenario.stop(&mut nodes);
}

/// The state of an older version: the key has no entry.
#[test]
fn a_store_without_contradictions_has_none() {
    let node = Scenario::new(0).net.node(0);
    assert_eq!(known(&node), []);
}
