//! Nodes that begin in the middle of a chain, and peers that help them, lie to them or know nothing.

use super::*;
use crate::{
    store::Reset,
    testing::{
        dual_keys,
        nodes::{planned, Net, Node},
        TestBlock, TestChain,
    },
};
use codec::{Decode, DecodeAll, Encode};
use duet_gossip::{
    requests::history::HistoryRequest,
    source::{HandoffProof, ProofSource, StartProof},
};
use duet_light_client::{testing::TestChain as LightChain, Mode, Outcome, Trusted};
use duet_primitives::{
    testing::{secret, TestSet},
    ConsensusLog, RoundMessage, H256,
};
use parking_lot::Mutex;
use sc_network::request_responses::OutgoingResponse;

/// A chain on which set 2 signs, and its history.
struct Scenario {
    net: Net,
    genesis: StartProof,
    handoffs: Vec<HandoffProof>,
}

/// The first block whose state the late node has.
const BEGINNING: usize = 4;

fn scenario() -> Scenario {
    let sets: Vec<_> = (0..3).map(|id| TestSet::new(id, id..id + 4)).collect();
    let [first, second, third] = &sets[..] else {
        unreachable!("there are three")
    };
    let mut net = Net::new(TestBlock::new(first, first, &[]));
    for block in [
        TestBlock::new(first, second, &[planned(second)]),
        TestBlock::new(second, second, &[ConsensusLog::Activated(SetId::new(1))]),
        TestBlock::new(second, third, &[planned(third)]),
        TestBlock::new(third, third, &[ConsensusLog::Activated(SetId::new(2))]),
        TestBlock::new(third, third, &[]),
    ] {
        net.push([], block);
    }
    let archive = net.node(0);
    let chain = archive.chain.chain();
    let handoffs = [(1, 0), (3, 1)].map(|(block, set): (u32, usize)| {
        let commitment = chain.commitment(BlockNumber::new(block)).unwrap();
        let message = RoundMessage::new(chain.hash(BlockNumber::ZERO).unwrap(), commitment);
        HandoffProof {
            justification: sets[set].justify(&message, 0..3).into_unchecked(),
            next_keys: sets[set + 1].set.keyset().key_bytes(),
        }
    });
    Scenario {
        genesis: chain.prove_genesis().unwrap().unwrap(),
        handoffs: handoffs.to_vec(),
        net,
    }
}

impl Scenario {
    fn genesis_hash(&self) -> H256 {
        self.net.node(0).chain.chain().genesis_hash()
    }

    /// Starts a node that begins with set 2.
    fn late(&self) -> Node {
        let mut node = self.net.node(BEGINNING);
        self.net.run(&mut node, secret(77), false);
        node
    }

    /// An honest peer's answer.
    fn answer(&self) -> impl Fn(HistoryRequest) -> Vec<u8> + 'static {
        let (genesis, handoffs) = (self.genesis.clone(), self.handoffs.clone());
        move |request| match request {
            HistoryRequest::Genesis => Some(&genesis).encode(),
            HistoryRequest::Handoffs { first_set, .. } => {
                let from = usize::try_from(first_set.get())
                    .unwrap()
                    .min(handoffs.len());
                handoffs[from..].to_vec().encode()
            }
        }
    }

    /// The first handoff, signed for a block with this number that is not on the chain.
    fn forked_handoff(&self, number: u32) -> HandoffProof {
        let (first, second) = (TestSet::new(0, 0..4), TestSet::new(1, 1..5));
        let mut commitment = first.commitment(number, &second.set);
        commitment.block_hash = H256::repeat_byte(9);
        let message = RoundMessage::new(self.genesis_hash(), commitment);
        HandoffProof {
            justification: first.justify(&message, 0..3).into_unchecked(),
            ..self.handoffs[0].clone()
        }
    }

    /// A peer with the true genesis and these handoffs.
    fn peer_with(&self, handoffs: Vec<HandoffProof>) -> Peer {
        let honest = self.answer();
        Peer::join(&self.net, move |request| match request {
            HistoryRequest::Genesis => honest(request),
            HistoryRequest::Handoffs { .. } => handoffs.encode(),
        })
    }

    fn knows_all(&self, node: &Node) -> bool {
        let store = node.chain.store();
        store.first_set_proof().unwrap().as_ref() == Some(&self.genesis)
            && store.handoff_proofs(SetId::new(0), 9).unwrap() == self.handoffs
    }
}

/// A peer that answers history requests, and nothing else.
struct Peer {
    id: PeerId,
    asked: Arc<Mutex<Vec<HistoryRequest>>>,
}

impl Peer {
    fn join(net: &Net, answer: impl Fn(HistoryRequest) -> Vec<u8> + 'static) -> Self {
        let id = PeerId::random();
        let joined = net.hub.join(id);
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = asked.clone();
        let serve = async move {
            // The other queues stay open as long as this one.
            let _others = (joined.notifications, joined.requests);
            let mut requests = joined.history;
            while let Some(request) = requests.next().await {
                let question = HistoryRequest::decode_all(&mut &*request.payload);
                let question = question.expect("our nodes ask well");
                log.lock().push(question);
                let response = OutgoingResponse {
                    result: Ok(answer(question)),
                    reputation_changes: Vec::new(),
                    sent_feedback: None,
                };
                // The node that asked may have left.
                let _ = request.pending_response.send(response);
            }
        };
        net.spawn(serve.boxed_local());
        Self { id, asked }
    }

    fn asked(&self) -> Vec<HistoryRequest> {
        self.asked.lock().clone()
    }
}

fn handoffs_from(first_set: u64) -> HistoryRequest {
    HistoryPart::Handoffs(SetId::new(first_set)).request()
}

/// REQ-3, REQ-6.
#[test]
fn a_node_that_begins_at_a_later_set_fetches_what_came_before_and_hands_it_on() {
    let scenario = scenario();
    let genesis_hash = scenario.genesis_hash();
    let honest = Peer::join(&scenario.net, scenario.answer());
    let mut late = scenario.late();
    scenario
        .net
        .eventually("the history is here", || scenario.knows_all(&late));
    assert_eq!(
        honest.asked(),
        [HistoryRequest::Genesis, handoffs_from(0)],
        "nothing is asked for twice"
    );

    // Nobody else is left to ask, and a light client has to be able to use it.
    scenario.net.hub.leave(&honest.id);
    let mut later = scenario.late();
    scenario
        .net
        .eventually("it is handed on", || scenario.knows_all(&later));
    let store = later.chain.store();
    let genesis = store.first_set_proof().unwrap().unwrap();
    let mut trusted = Trusted::from_genesis(genesis_hash, &genesis, Mode::Full).unwrap();
    for proof in store.handoff_proofs(SetId::new(0), 9).unwrap() {
        let Outcome::New(verified) = trusted.verify(proof).unwrap() else {
            panic!("each is new")
        };
        trusted = verified.trusted;
    }
    assert_eq!(trusted.latest_set().id.get(), 2);
    assert_eq!(
        store.handoff_at(BlockNumber::new(3)).unwrap(),
        Some(scenario.handoffs[1].justification.clone())
    );
    for (node, peer) in [(&mut late, honest.id), (&mut later, honest.id)] {
        scenario.net.stop(node);
        assert_eq!(scenario.net.hub.cost_of(&peer), 0);
    }
    assert_eq!(scenario.net.hub.cost_of(&late.peer), 0);
}

/// A chain that adopted Duet in block 3, on which set 1 signs now.
fn taken_up() -> (Net, [TestSet; 2]) {
    let sets = [0, 1].map(|id| TestSet::new(id, id..id + 4));
    let [first, second] = &sets;
    let mut net = Net::new(TestBlock::without_duet());
    let founded = ConsensusLog::Activated(SetId::FIRST);
    for block in [
        TestBlock::without_duet(),
        TestBlock::without_duet(),
        TestBlock::new(first, first, &[founded]),
        TestBlock::new(first, first, &[]),
        TestBlock::new(first, second, &[planned(second)]),
        TestBlock::new(second, second, &[ConsensusLog::Activated(SetId::new(1))]),
        TestBlock::new(second, second, &[]),
    ] {
        net.push([], block);
    }
    (net, sets)
}

const TAKEN_UP: BlockNumber = BlockNumber::new(3);

/// REQ-4, LIGHT-1.
#[test]
fn a_chain_that_took_duet_up_later_is_proven_from_the_block_in_which_it_did() {
    let (net, [first, second]) = taken_up();
    let mut early = net.start(secret(1), false);
    let proven = |node: &Node| node.chain.store().first_set_proof().unwrap();
    net.eventually("it proves the block itself", || proven(&early).is_some());
    let proof = proven(&early).unwrap();
    let chain = early.chain.chain();
    assert_eq!(proof.block_hash(), chain.hash(TAKEN_UP).unwrap());
    let message = RoundMessage::new(
        chain.genesis_hash(),
        chain.commitment(BlockNumber::new(5)).unwrap(),
    );
    let handoff = first.justify(&message, 0..3).into_unchecked();
    early.chain.store().put_handoff(&handoff).unwrap();

    let mut late = net.node(6);
    net.run(&mut late, secret(2), false);
    net.eventually("it is handed on", || {
        proven(&late).as_ref() == Some(&proof)
            && late.chain.store().handoff(SetId::FIRST).unwrap().is_some()
    });
    let trusted = Trusted::from_start(
        chain.genesis_hash(),
        chain.hash(TAKEN_UP).unwrap(),
        &proof,
        Mode::Full,
    );
    let next = late.chain.store().handoff_proof(SetId::FIRST).unwrap();
    let Ok(Outcome::New(verified)) = trusted.unwrap().verify(next.unwrap()) else {
        panic!("a light client follows");
    };
    assert_eq!(verified.trusted.latest_set(), second.set.commitment());
    for node in [&mut early, &mut late] {
        net.stop(node);
    }
    assert_eq!(net.hub.cost_of(&early.peer), 0);
}

/// LIGHT-2: an earlier version kept less than clients require.
#[test]
fn a_kept_proof_that_no_client_would_take_is_made_again_or_asked_for() {
    let (net, _) = taken_up();
    let mut early = net.start(secret(1), false);
    let proven = |node: &Node| node.chain.store().first_set_proof().unwrap();
    net.eventually("it proves the block itself", || proven(&early).is_some());
    let proof = proven(&early).unwrap();
    let mut late = net.node(6);
    let mut useless = proof.clone();
    useless.nodes.pop();
    late.chain.store().put_first_set_proof(&useless).unwrap();
    net.run(&mut late, secret(2), false);
    net.eventually("it asks for another", || {
        proven(&late).as_ref() == Some(&proof)
    });
    for node in [&mut early, &mut late] {
        net.stop(node);
    }
    let mut progress = Progress::new(
        Arc::new(late.chain.chain()),
        late.chain.store(),
        Metrics::new(None),
    );
    progress.prove_genesis().unwrap();
    assert_eq!(proven(&late), Some(proof), "a good one stays");
}

/// REQ-4.
#[test]
fn who_sends_the_proof_of_another_block_than_that_in_which_duet_was_taken_up_is_charged() {
    let (net, _) = taken_up();
    let archive = net.node(0).chain;
    let chain = archive.chain();
    let mut another = chain.prove_founding(TAKEN_UP).unwrap().unwrap();
    let header = |number| {
        let hash = chain.hash(BlockNumber::new(number)).unwrap();
        archive.blocks().header(hash).unwrap().encoded
    };
    let rules = ["NotTheFirstSet", "WrongStart", "WrongStart"];
    let mut unknown = header(4);
    *unknown.last_mut().unwrap() ^= 1;
    for (header, rule) in [header(4), unknown, Vec::new()].into_iter().zip(rules) {
        another.header = header;
        let node = net.node(6).chain;
        let mut progress = Progress::new(Arc::new(node.chain()), node.store(), Metrics::new(None));
        let error = progress.take_first_set(&another).unwrap_err();
        assert!(format!("{error:?}").contains(rule), "{error:?}");
        assert_eq!(error.behaviour(), Some(PeerBehaviour::BadResponse));
        assert!(node.store().first_set_proof().unwrap().is_none());
    }
}

/// REQ-4: a node that is still fetching old headers asks again later.
#[test]
fn a_block_that_is_not_here_yet_blames_nobody() {
    let (net, _) = taken_up();
    let proof = net.node(0).chain.chain().prove_founding(TAKEN_UP);
    let young = TestChain::default();
    young.push_without_duet();
    let mut progress = Progress::new(Arc::new(young.chain()), young.store(), Metrics::new(None));
    assert!(matches!(
        progress.take_first_set(&proof.unwrap().unwrap()),
        Ok(false)
    ));
}

/// RESET-5.
#[test]
fn a_node_that_begins_behind_a_reset_fetches_what_came_after_it() {
    let [first, found, next] = [0, 2, 3].map(|id| TestSet::new(id, id..id + 4));
    let mut net = Net::new(TestBlock::new(&first, &first, &[]));
    let (ended, set) = (SetId::new(0), found.set.commitment().clone());
    let log = ConsensusLog::Reset {
        ended,
        set: set.clone(),
    };
    for block in [
        TestBlock::new(&found, &found, &[log]),
        TestBlock::new(&found, &next, &[planned(&next)]),
        TestBlock::new(&next, &next, &[ConsensusLog::Activated(SetId::new(3))]),
        TestBlock::new(&next, &next, &[]),
    ] {
        net.push([], block);
    }
    let chain = net.node(0).chain.chain();
    let hash = |number| chain.hash(BlockNumber::new(number)).unwrap();
    let message = RoundMessage::new(hash(0), chain.commitment(BlockNumber::new(2)).unwrap());
    let handoff = HandoffProof {
        justification: found.justify(&message, 0..3).into_unchecked(),
        next_keys: next.set.keyset().key_bytes(),
    };
    let genesis = chain.prove_genesis().unwrap().unwrap();
    let served = handoff.clone();
    let peer = Peer::join(&net, move |request| match request {
        HistoryRequest::Genesis => Some(&genesis).encode(),
        HistoryRequest::Handoffs { first_set, .. } if first_set == SetId::new(2) => {
            vec![served.clone()].encode()
        }
        HistoryRequest::Handoffs { .. } => Vec::<HandoffProof>::new().encode(),
    });

    let mut late = net.node(3);
    // The traces of importing a header below the beginning, and of its keys.
    let store = late.chain.store();
    let (block, hash) = (BlockNumber::new(1), hash(1));
    // A peer has sent another header first, with arbitrary content.
    let lie = Reset {
        block,
        hash: H256::repeat_byte(0xee),
        ended,
        set: TestSet::new(1, 20..24).set.commitment().clone(),
    };
    store.put_unchecked_reset(&lie).unwrap();
    store.put_keys(&set, &dual_keys(&found)).unwrap();
    store
        .put_reset(&Reset {
            block,
            hash,
            ended,
            set,
        })
        .unwrap();
    net.run(&mut late, secret(77), false);
    net.eventually("the handoff behind the reset is here", || {
        store.handoff_proof(SetId::new(2)).unwrap().as_ref() == Some(&handoff)
    });
    assert_eq!(peer.asked(), [HistoryRequest::Genesis, handoffs_from(2)]);
    net.stop(&mut late);
}

/// Each tweaks one thing in an honest peer's answer.
type Lie = fn(HistoryRequest, Vec<u8>) -> Vec<u8>;

fn with_handoffs(
    request: HistoryRequest,
    honest: Vec<u8>,
    tweak: impl Fn(&mut Vec<HandoffProof>),
) -> Vec<u8> {
    match request {
        HistoryRequest::Genesis => honest,
        HistoryRequest::Handoffs { .. } => {
            let mut list: Vec<HandoffProof> = Decode::decode(&mut &*honest).unwrap();
            tweak(&mut list);
            list.encode()
        }
    }
}

/// REQ-4.
#[test]
fn a_peer_that_lies_is_charged_and_dropped_and_the_next_is_asked() {
    let lies: [(&str, Lie); 4] = [
        (
            "a genesis of another chain",
            |request, honest| match request {
                HistoryRequest::Genesis => Some(LightChain::new(2, 4, 9).genesis_proof()).encode(),
                HistoryRequest::Handoffs { .. } => honest,
            },
        ),
        ("handoffs of another chain", |request, honest| {
            with_handoffs(request, honest, |list| {
                *list = LightChain::new(2, 4, 9).handoff_proofs(0, 2);
            })
        }),
        ("one that is missing", |request, honest| {
            with_handoffs(request, honest, |list| {
                list.remove(0);
            })
        }),
        ("bytes that do not decode", |_, mut honest| {
            honest.pop();
            honest
        }),
    ];
    let bad = PeerBehaviour::BadResponse.reputation().value;
    for (name, lie) in lies {
        let scenario = scenario();
        let honest = scenario.answer();
        let liar = Peer::join(&scenario.net, move |request| lie(request, honest(request)));
        let mut late = scenario.late();
        scenario
            .net
            .eventually(name, || scenario.net.hub.cost_of(&liar.id) == bad);
        let asked = liar.asked().len();
        assert!(
            late.chain.store().handoff(SetId::new(0)).unwrap().is_none(),
            "{name}"
        );

        let honest = Peer::join(&scenario.net, scenario.answer());
        scenario
            .net
            .eventually("the honest peer is asked", || scenario.knows_all(&late));
        assert_eq!(liar.asked().len(), asked, "{name}: it is dropped");
        scenario.net.stop(&mut late);
        assert_eq!(scenario.net.hub.cost_of(&liar.id), bad, "{name}");
        assert_eq!(scenario.net.hub.cost_of(&honest.id), 0);
    }
}

#[test]
fn after_a_restart_it_continues_behind_what_is_stored() {
    let scenario = scenario();
    let honest = scenario.answer();
    let half = Peer::join(&scenario.net, move |request| match request {
        HistoryRequest::Handoffs { first_set, .. } if first_set > SetId::new(0) => {
            Vec::<HandoffProof>::new().encode()
        }
        _ => with_handoffs(request, honest(request), |list| list.truncate(1)),
    });
    let mut late = scenario.late();
    scenario.net.eventually("the first handoff is here", || {
        late.chain.store().handoff(SetId::new(0)).unwrap().is_some()
    });
    scenario.net.stop(&mut late);
    assert!(late.chain.store().handoff(SetId::new(1)).unwrap().is_none());
    scenario.net.hub.leave(&half.id);

    let whole = Peer::join(&scenario.net, scenario.answer());
    scenario.net.run(&mut late, secret(77), false);
    scenario
        .net
        .eventually("the rest is here", || scenario.knows_all(&late));
    assert_eq!(whole.asked(), [handoffs_from(1)]);
    scenario.net.stop(&mut late);
}

#[test]
fn peers_that_have_nothing_are_not_blamed_and_not_asked_all_the_time() {
    let scenario = scenario();
    // No proof of the genesis, and no handoffs, are the same byte.
    let peers = [(); 2].map(|()| Peer::join(&scenario.net, |_| vec![0]));
    let mut late = scenario.late();
    scenario.net.eventually("both are asked", || {
        peers.iter().all(|peer| !peer.asked().is_empty())
    });
    scenario.net.pass(4_000);
    for peer in &peers {
        assert_eq!(peer.asked(), [HistoryRequest::Genesis]);
        assert_eq!(scenario.net.hub.cost_of(&peer.id), 0);
    }
    scenario.net.stop(&mut late);
}

#[test]
fn a_node_that_began_at_the_genesis_asks_for_nothing() {
    let scenario = scenario();
    let peer = Peer::join(&scenario.net, scenario.answer());
    let mut node = scenario.net.start(secret(77), false);
    scenario.net.pass(30_000);
    assert!(peer.asked().is_empty());
    scenario.net.stop(&mut node);
}

/// REQ-5.
#[test]
fn a_history_that_contradicts_the_finalized_chain_is_not_stored_and_nobody_is_charged() {
    let scenario = scenario();
    let mut proofs = scenario.handoffs.clone();
    proofs[0] = scenario.forked_handoff(1);
    let contradicting = proofs[0].justification.clone();
    let other = scenario.peer_with(proofs);
    let mut late = scenario.late();
    scenario
        .net
        .eventually("it is asked", || other.asked().len() == 2);
    let honest = Peer::join(&scenario.net, scenario.answer());
    scenario
        .net
        .eventually("another peer is asked", || scenario.knows_all(&late));
    assert_eq!(other.asked().len(), 2);
    let evidence = late.chain.store().divergences().unwrap();
    assert_eq!(evidence.len(), 1);
    assert_eq!(evidence[0].justification, contradicting);
    scenario.net.stop(&mut late);
    for peer in [other, honest] {
        assert_eq!(scenario.net.hub.cost_of(&peer.id), 0);
    }
}

/// REQ-5, ROUND-10. A peer hands off at a block that is not final here; later another one is.
#[test]
fn a_handoff_of_a_block_that_is_not_final_yet_is_not_stored_and_compared_when_it_is() {
    let mut scenario = scenario();
    let handoff = scenario.forked_handoff(7);
    let contradicting = handoff.justification.clone();
    let other = scenario.peer_with(vec![handoff]);
    let nodes = [scenario.late()];
    scenario
        .net
        .eventually("it is asked", || other.asked().len() >= 2);
    scenario.net.pass(2_000);
    let store = nodes[0].chain.store();
    assert_eq!(store.handoff(SetId::new(0)).unwrap(), None);
    assert_eq!(store.divergences().unwrap(), []);
    let third = TestSet::new(2, 2..6);
    for _ in 6..=7 {
        let block = TestBlock::new(&third, &third, &[]);
        scenario.net.push(&nodes, block);
    }
    scenario.net.pass(2_000);
    let evidence = store.divergences().unwrap();
    assert_eq!(evidence.len(), 1);
    assert_eq!(evidence[0].justification, contradicting);
    let [mut node] = nodes;
    scenario.net.stop(&mut node);
}
