//! Every node reports the votes and proofs that it sees and that contradict the chain, and no others. (GOSSIP-10,
//! FALSE-1)

use crate::testing::{
    nodes::{Net, Node},
    Submission, TestBlock,
};
use codec::Encode;
use duet_gossip::message::GossipMessage;
use duet_primitives::{
    testing::{secret, TestSet},
    BlockNumber, Commitment, EvidenceStatus, Pk1Bytes, RoundMessage, UncheckedVote, H256,
};
use sc_network_types::PeerId;

const FORK: H256 = H256::repeat_byte(0xf0);

/// A set, its chain, a node that follows, and an adversary with the set's keys.
struct Scenario {
    net: Net,
    set: TestSet,
    node: Node,
}

impl Scenario {
    /// With this many blocks above the genesis, all final.
    fn new(blocks: u32) -> Self {
        let set = TestSet::new(0, 0..4);
        let net = Net::of(&set, blocks);
        let node = net.start(secret(77), false);
        net.pass(2_000);
        Self { net, set, node }
    }

    /// The true payload of a block, or of one that does not exist.
    fn truth(&self, number: u32) -> Commitment {
        let mut said = self.set.commitment(number, &self.set.set);
        let hash = self.node.chain.chain().hash(BlockNumber::new(number));
        said.block_hash = hash.unwrap_or(FORK);
        said.mmr_root = H256::repeat_byte(5);
        said
    }

    fn message(&self, said: Commitment) -> RoundMessage {
        RoundMessage::new(self.node.chain.chain().genesis_hash(), said)
    }

    /// A vote of a member arrives, and some time passes.
    fn vote(&self, signer: u32, said: Commitment) -> UncheckedVote {
        let vote = self.set.vote(signer, &self.message(said)).unwrap();
        let vote = vote.into_unchecked();
        self.send(&GossipMessage::Vote(vote.clone()));
        vote
    }

    fn send(&self, message: &GossipMessage) {
        self.net.hub.flood(PeerId::random(), &message.encode());
        self.net.pass(3_000);
    }

    fn push(&mut self) {
        let block = TestBlock::new(&self.set, &self.set, &[]);
        self.net.push([&self.node], block);
        self.net.pass(2_000);
    }

    /// The reports, each once.
    fn accused(&self) -> Vec<(Vec<u32>, Commitment)> {
        let keyset = self.set.set.keyset();
        let position = |key: &Pk1Bytes| keyset.position(key).unwrap().get();
        let mut all: Vec<(Vec<u32>, Commitment)> = Vec::new();
        for accusation in self.node.chain.client.accusations() {
            let genesis = self.node.chain.chain().genesis_hash();
            assert_eq!(accusation.check(keyset.commitment(), genesis), Ok(()));
            let signers: Vec<_> = accusation.accused().map(position).collect();
            let one = (signers, accusation.commitment().clone());
            if !all.contains(&one) {
                all.push(one);
            }
        }
        all
    }

    fn metric(&self, name: &str) -> u64 {
        self.node.metric(&format!("substrate_duet_{name}"))
    }

    fn end(mut self) {
        self.net.stop(&mut self.node);
    }
}

#[test]
fn a_vote_for_another_block_root_or_set_is_reported_and_one_for_what_is_true_is_not() {
    let scenario = Scenario::new(5);
    scenario.vote(0, scenario.truth(3));
    assert_eq!(scenario.accused(), []);
    let mut lies = [3, 4, 5].map(|number| scenario.truth(number));
    lies[0].block_hash = FORK;
    lies[1].mmr_root = FORK;
    lies[2].next.root = FORK;
    let mut expected = Vec::new();
    for (signer, lie) in (1..).zip(lies) {
        scenario.vote(signer, lie.clone());
        expected.push((vec![signer], lie));
        assert_eq!(scenario.accused(), expected);
    }
    assert_eq!(scenario.metric("false_statement_reports_waiting"), 3);
    scenario.node.chain.client.judge(EvidenceStatus::Reported);
    scenario.net.pass(61_000);
    assert_eq!(scenario.metric("false_statement_reports_waiting"), 0);
    scenario.end();
}

/// The truth is still unknown.
#[test]
fn a_vote_on_a_block_that_is_not_final_yet_waits_for_it() {
    let mut scenario = Scenario::new(3);
    let early = scenario.vote(2, scenario.truth(5));
    scenario.push();
    assert_eq!(scenario.accused(), []);
    scenario.push();
    assert_eq!(scenario.accused(), [(vec![2], early.commitment)]);

    // An honest one that is early, on a node that is behind.
    let hash = {
        let mut ahead = scenario.net.node(0);
        let block = TestBlock::new(&scenario.set, &scenario.set, &[]);
        let hash = ahead.chain.add(&block);
        scenario.net.stop(&mut ahead);
        hash
    };
    let mut honest = scenario.truth(6);
    honest.block_hash = hash;
    scenario.vote(1, honest.clone());
    scenario.push();
    assert_eq!(scenario.truth(6), honest);
    assert_eq!(scenario.accused().len(), 1);
    scenario.end();
}

#[test]
fn a_vote_far_beyond_the_chain_is_reported_at_once() {
    let scenario = Scenario::new(3);
    let near = scenario.truth(3 + 32);
    scenario.vote(0, near);
    assert_eq!(scenario.accused(), []);
    let far = scenario.truth(3 + 33);
    // A node that is catching up does not know how far the chain is.
    scenario.net.syncing.set(true);
    scenario.vote(1, far.clone());
    assert_eq!(scenario.accused(), []);
    scenario.net.syncing.set(false);
    scenario.net.pass(3_000);
    assert_eq!(scenario.accused(), [(vec![1], far)]);
    scenario.end();
}

/// The node was further behind than it could know.
#[test]
fn what_turns_out_to_be_true_is_not_reported_any_more() {
    let mut scenario = Scenario::new(3);
    let ahead = scenario.net.node(0);
    let block = TestBlock::new(&scenario.set, &scenario.set, &[]);
    let mut honest = scenario.truth(36);
    for _ in 4..=36 {
        honest.block_hash = ahead.chain.add(&block);
    }
    scenario.vote(1, honest.clone());
    assert_eq!(scenario.metric("false_statement_reports_waiting"), 1);
    for _ in 4..=36 {
        scenario.push();
    }
    assert_eq!(scenario.truth(36), honest);
    scenario.net.pass(61_000);
    assert_eq!(scenario.metric("false_statement_reports_waiting"), 0);
    scenario.end();
}

/// FALSE-3.
#[test]
fn a_proof_that_contradicts_the_chain_accuses_all_who_signed_it() {
    let scenario = Scenario::new(5);
    let mut lie = scenario.truth(4);
    lie.block_hash = FORK;
    let proof = scenario
        .set
        .justify(&scenario.message(lie.clone()), [0, 1, 3]);
    let message = GossipMessage::Justification(proof.into_unchecked());
    for _ in 0..3 {
        scenario.send(&message);
    }
    assert_eq!(scenario.accused(), [(vec![0, 1, 3], lie)]);
    assert_eq!(scenario.metric("false_statement_reports_total"), 1);
    scenario.end();
}

#[test]
fn what_the_pool_does_not_take_is_reported_again_and_after_a_restart() {
    let mut scenario = Scenario::new(5);
    scenario
        .node
        .chain
        .client
        .answer_reports(Submission::Refused);
    let mut lie = scenario.truth(4);
    lie.block_hash = FORK;
    scenario.vote(0, lie);
    let asked = |scenario: &Scenario| scenario.node.chain.client.accusations().len();
    assert_eq!(asked(&scenario), 1);
    scenario.net.pass(61_000);
    assert_eq!(asked(&scenario), 2);
    scenario.net.stop(&mut scenario.node);
    scenario.net.run(&mut scenario.node, secret(77), false);
    scenario.net.pass(2_000);
    assert!(asked(&scenario) > 2);
    assert_eq!(scenario.metric("false_statement_reports_waiting"), 1);
    scenario.end();
}
