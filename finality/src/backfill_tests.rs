//! Nodes that begin in the middle of a chain, and peers that help them, lie to them or know nothing.

use super::*;
use crate::{
    client::testing::{
        network::Hub,
        nodes::{eventually, planned, Net, Node},
        TestBlock,
    },
    network::{history::HistoryRequest, message::decode_exactly},
};
use codec::Decode;
use duet_light_client::{testing::TestChain, GenesisProof};
use duet_primitives::{
    testing::{secret, TestSet},
    ConsensusLog, RoundMessage, UncheckedJustification,
};
use futures::executor::block_on_stream;
use parking_lot::Mutex;
use sc_network::request_responses::OutgoingResponse;
use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// A chain on which set 2 signs, and what led there.
struct Story {
    net: Net,
    genesis: GenesisProof,
    handovers: Vec<SetProof>,
}

/// The first block that the late node has the state of.
const BEGINNING: usize = 4;

fn story() -> Story {
    let sets: Vec<_> = (0..3).map(|id| TestSet::new(id, id..id + 4)).collect();
    let [first, second, third] = &sets[..] else {
        unreachable!("there are three")
    };
    let mut net = Net::new(TestBlock::new(first, first, &[]));
    for block in [
        TestBlock::new(first, second, &[planned(second)]),
        TestBlock::new(second, second, &[ConsensusLog::Activated(1)]),
        TestBlock::new(second, third, &[planned(third)]),
        TestBlock::new(third, third, &[ConsensusLog::Activated(2)]),
        TestBlock::new(third, third, &[]),
    ] {
        net.push(&[], block);
    }
    let archive = net.node(0);
    let chain = archive.chain.chain();
    let handovers = [(1, 0), (3, 1)].map(|(block, set): (u32, usize)| {
        let commitment = chain.commitment(block).unwrap();
        let message = RoundMessage::new(chain.hash(0).unwrap(), commitment);
        SetProof {
            justification: sets[set].justify(&message, 0..3).into_unchecked(),
            next_keys: sets[set + 1].set.keyset().key_bytes(),
        }
    });
    Story {
        genesis: chain.prove_genesis().unwrap().unwrap(),
        handovers: handovers.to_vec(),
        net,
    }
}

impl Story {
    /// Starts a node that begins with set 2.
    fn late(&self) -> Node {
        let mut node = self.net.node(BEGINNING);
        self.net.run(&mut node, secret(77), false);
        node
    }

    /// What an honest peer answers.
    fn answer(&self) -> impl Fn(HistoryRequest) -> Vec<u8> + Send + 'static {
        let (genesis, handovers) = (self.genesis.clone(), self.handovers.clone());
        move |request| match request {
            HistoryRequest::Genesis => Some(&genesis).encode(),
            HistoryRequest::Handovers { first_set, .. } => {
                let from = usize::try_from(first_set).unwrap().min(handovers.len());
                handovers[from..].to_vec().encode()
            }
        }
    }

    fn knows_all(&self, node: &Node) -> bool {
        let store = node.chain.store();
        store.genesis_proof().unwrap().as_ref() == Some(&self.genesis)
            && store.set_proofs(0, 9).unwrap() == self.handovers
    }
}

/// A peer that answers questions about the past, and nothing else.
struct Peer {
    id: PeerId,
    asked: Arc<Mutex<Vec<HistoryRequest>>>,
}

impl Peer {
    fn join(hub: &Hub, answer: impl Fn(HistoryRequest) -> Vec<u8> + Send + 'static) -> Self {
        let id = PeerId::random();
        let joined = hub.join(id);
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = asked.clone();
        thread::spawn(move || {
            // The other queues stay open as long as this one.
            let _others = (joined.notifications, joined.requests);
            for request in block_on_stream(joined.history) {
                let question = decode_exactly(&request.payload).expect("our nodes ask well");
                log.lock().push(question);
                let response = OutgoingResponse {
                    result: Ok(answer(question)),
                    reputation_changes: Vec::new(),
                    sent_feedback: None,
                };
                // The asking node may have gone.
                request.pending_response.send(response).ok();
            }
        });
        Self { id, asked }
    }

    fn asked(&self) -> Vec<HistoryRequest> {
        self.asked.lock().clone()
    }
}

fn handovers_from(first_set: SetId) -> HistoryRequest {
    Past::Handovers(first_set).request()
}

#[test]
fn a_node_that_begins_at_a_later_set_fetches_what_came_before_and_hands_it_on() {
    let story = story();
    let genesis_hash = story.net.node(0).chain.chain().hash(0).unwrap();
    let honest = Peer::join(&story.net.hub, story.answer());
    let mut late = story.late();
    eventually("the past is here", || story.knows_all(&late));
    assert_eq!(
        honest.asked(),
        [HistoryRequest::Genesis, handovers_from(0)],
        "nothing is asked for twice"
    );

    // Nobody else is left to ask, and a light client has to be able to use it.
    story.net.hub.leave(&honest.id);
    let mut later = story.late();
    eventually("it is handed on", || story.knows_all(&later));
    let store = later.chain.store();
    let genesis = store.genesis_proof().unwrap().unwrap();
    let mut trusted = Trusted::from_genesis(genesis_hash, &genesis, Mode::Full).unwrap();
    for proof in store.set_proofs(0, 9).unwrap() {
        let Outcome::New(verified) = trusted.verify(proof).unwrap() else {
            panic!("each is new")
        };
        trusted = verified.trusted;
    }
    assert_eq!(trusted.latest_set().id, 2);
    assert_eq!(
        store.handover_at(3).unwrap(),
        Some(story.handovers[1].justification.clone())
    );
    for (node, peer) in [(&mut late, honest.id), (&mut later, honest.id)] {
        story.net.stop(node);
        assert_eq!(story.net.hub.cost_of(&peer), 0);
    }
    assert_eq!(story.net.hub.cost_of(&late.peer), 0);
}

/// Each tweaks one thing in what an honest peer answers.
type Lie = fn(HistoryRequest, Vec<u8>) -> Vec<u8>;

fn with_handovers(
    request: HistoryRequest,
    honest: Vec<u8>,
    tweak: impl Fn(&mut Vec<SetProof>),
) -> Vec<u8> {
    match request {
        HistoryRequest::Genesis => honest,
        HistoryRequest::Handovers { .. } => {
            let mut list: Vec<SetProof> = Decode::decode(&mut &*honest).unwrap();
            tweak(&mut list);
            list.encode()
        }
    }
}

#[test]
fn who_lies_is_charged_and_left_and_the_next_peer_is_asked() {
    let lies: [(&str, Lie); 4] = [
        (
            "a genesis of another chain",
            |request, honest| match request {
                HistoryRequest::Genesis => Some(TestChain::new(2, 4, 9).genesis_proof()).encode(),
                HistoryRequest::Handovers { .. } => honest,
            },
        ),
        ("hand-overs of another chain", |request, honest| {
            with_handovers(request, honest, |list| {
                *list = TestChain::new(2, 4, 9).set_proofs(0, 2);
            })
        }),
        ("one that is missing", |request, honest| {
            with_handovers(request, honest, |list| {
                list.remove(0);
            })
        }),
        ("bytes that do not decode", |_, mut honest| {
            honest.pop();
            honest
        }),
    ];
    let bad = Conduct::BadResponse.reputation().value;
    let played = lies.map(|(name, lie)| {
        thread::spawn(move || {
            let story = story();
            let honest = story.answer();
            let liar = Peer::join(&story.net.hub, move |request| lie(request, honest(request)));
            let mut late = story.late();
            eventually(name, || story.net.hub.cost_of(&liar.id) == bad);
            let asked = liar.asked().len();
            assert!(late.chain.store().handover(0).unwrap().is_none(), "{name}");

            let honest = Peer::join(&story.net.hub, story.answer());
            eventually("the honest peer is asked", || story.knows_all(&late));
            assert_eq!(liar.asked().len(), asked, "{name}: it is left");
            story.net.stop(&mut late);
            assert_eq!(story.net.hub.cost_of(&liar.id), bad, "{name}");
            assert_eq!(story.net.hub.cost_of(&honest.id), 0);
        })
    });
    for play in played {
        play.join().expect("every lie is found");
    }
}

#[test]
fn after_a_restart_it_goes_on_behind_what_is_stored() {
    let story = story();
    let honest = story.answer();
    let half = Peer::join(&story.net.hub, move |request| match request {
        HistoryRequest::Handovers { first_set: 1.., .. } => Vec::<SetProof>::new().encode(),
        _ => with_handovers(request, honest(request), |list| list.truncate(1)),
    });
    let mut late = story.late();
    eventually("the first hand-over is here", || {
        late.chain.store().handover(0).unwrap().is_some()
    });
    story.net.stop(&mut late);
    assert!(late.chain.store().handover(1).unwrap().is_none());
    story.net.hub.leave(&half.id);

    let whole = Peer::join(&story.net.hub, story.answer());
    story.net.run(&mut late, secret(77), false);
    eventually("the rest is here", || story.knows_all(&late));
    assert_eq!(whole.asked(), [handovers_from(1)]);
    story.net.stop(&mut late);
}

#[test]
fn peers_that_have_nothing_are_not_blamed_and_not_asked_all_the_time() {
    let story = story();
    // No proof of the genesis, and no hand-overs, are the same byte.
    let peers = [(); 2].map(|()| Peer::join(&story.net.hub, |_| vec![0]));
    let mut late = story.late();
    let begin = Instant::now();
    eventually("both are asked", || {
        peers.iter().all(|peer| !peer.asked().is_empty())
    });
    eventually("some time passes", || {
        begin.elapsed() > Duration::from_secs(4)
    });
    for peer in &peers {
        assert_eq!(peer.asked(), [HistoryRequest::Genesis]);
        assert_eq!(story.net.hub.cost_of(&peer.id), 0);
    }
    story.net.stop(&mut late);
}

#[test]
fn a_node_that_began_at_the_genesis_asks_for_nothing() {
    let story = story();
    let peer = Peer::join(&story.net.hub, story.answer());
    let mut node = story.net.start(secret(77), false);
    let begin = Instant::now();
    eventually("it has had time to ask", || {
        begin.elapsed() > Duration::from_secs(3)
    });
    assert!(peer.asked().is_empty());
    story.net.stop(&mut node);
}

/// The rule that a hand-over of set 1 breaks after `tweak`, and whether its sender is blamed.
fn refused(tweak: impl Fn(&TestChain, &mut SetProof)) -> (String, bool) {
    let chain = TestChain::new(4, 4, 0);
    let genesis = Trusted::from_genesis(chain.genesis_hash, &chain.genesis_proof(), Mode::Full);
    let mut proofs = chain.set_proofs(0, 2);
    let (trusted, _) = check(&genesis.unwrap(), 0, proofs.remove(0)).expect("the first holds");
    let mut proof = proofs.remove(0);
    assert!(check(&trusted, 1, proof.clone()).is_ok());
    tweak(&chain, &mut proof);
    let error = check(&trusted, 1, proof).expect_err("it was tweaked");
    (error.to_string(), error.blames_sender())
}

#[test]
fn every_lie_has_a_reason_of_its_own() {
    type Tweak = fn(&TestChain, &mut SetProof);
    let tweaks: [(&str, Tweak); 6] = [
        (
            "hand-over of set 1 was next, and one of set 0 came",
            |chain, proof| {
                *proof = chain.set_proofs(0, 1).remove(0);
            },
        ),
        (
            "hand-over of set 1 was next, and one of set 2 came",
            |chain, proof| {
                *proof = chain.set_proofs(2, 1).remove(0);
            },
        ),
        ("LIGHT-3", |chain, proof| {
            proof.next_keys = chain.keys(3).unwrap();
        }),
        ("LIGHT-5", |chain, proof| {
            let ordinary: UncheckedJustification = chain.justification(12).unwrap();
            proof.justification = ordinary;
        }),
        ("JUST-5", |_, proof| {
            proof.justification.commitment.mmr_root = H256::repeat_byte(7);
        }),
        ("JUST-5", |_, proof| {
            *proof = TestChain::new(4, 4, 1).set_proofs(1, 1).remove(0);
        }),
    ];
    for (reason, tweak) in tweaks {
        let (error, blames_sender) = refused(tweak);
        assert!(error.starts_with("REQ-4"), "{error}");
        assert!(error.contains(reason), "{error} is not about {reason}");
        assert!(blames_sender, "{error}");
    }
}

#[test]
fn a_past_that_contradicts_the_finalized_chain_is_not_stored_and_nobody_is_charged() {
    let story = story();
    let mut proofs = story.handovers.clone();
    let (first, second) = (TestSet::new(0, 0..4), TestSet::new(1, 1..5));
    let mut commitment = first.commitment(1, &second.set);
    commitment.block_hash = H256::repeat_byte(9);
    let genesis_hash = story.net.node(0).chain.chain().hash(0).unwrap();
    let message = RoundMessage::new(genesis_hash, commitment);
    proofs[0].justification = first.justify(&message, 0..3).into_unchecked();
    let honest = story.answer();
    let other = Peer::join(&story.net.hub, move |request| match request {
        HistoryRequest::Genesis => honest(request),
        HistoryRequest::Handovers { .. } => proofs.encode(),
    });
    let mut late = story.late();
    eventually("it is asked", || other.asked().len() == 2);
    let honest = Peer::join(&story.net.hub, story.answer());
    eventually("another peer is asked", || story.knows_all(&late));
    assert_eq!(other.asked().len(), 2);
    story.net.stop(&mut late);
    for peer in [other, honest] {
        assert_eq!(story.net.hub.cost_of(&peer.id), 0);
    }
}
