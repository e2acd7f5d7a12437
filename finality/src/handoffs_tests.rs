//! How the answers of one peer are handled.

use super::{check::AnswerCheck, *};
use crate::testing::{dual_keys, TestChain};
use codec::Encode;
use duet_gossip::network::Answer;
use duet_primitives::{testing::TestSet, RoundMessage, UncheckedJustification, Vote};
use futures::future;
use parking_lot::Mutex;

/// A network with one peer, which gives the same answer to every question.
struct OnePeer {
    peer: PeerId,
    answer: fn(&Fixture) -> Result<Vec<u8>, RequestFailure>,
    fixture: Fixture,
    reports: Mutex<Vec<PeerBehaviour>>,
}

impl Network for OnePeer {
    fn publish_vote(&self, _: &Vote) {}
    fn publish_justification(&self, _: UncheckedJustification) {}

    fn peers(&self) -> Vec<PeerId> {
        vec![self.peer]
    }

    fn ask(&self, _: PeerId, _: Question) -> Answer {
        future::ready((self.answer)(&self.fixture)).boxed()
    }

    fn report(&self, _: PeerId, behaviour: PeerBehaviour) {
        self.reports.lock().push(behaviour);
    }

    fn is_banned(&self, _: &PeerId) -> bool {
        false
    }

    fn is_syncing(&self) -> bool {
        false
    }
}

/// The handoffs of sets 0 and 1, and an invalid justification of set 0.
struct Fixture {
    handoffs: Vec<UncheckedJustification>,
    ordinary: UncheckedJustification,
}

/// A chain that knows sets 0 and 1.
fn fixture() -> (TestChain, Fixture) {
    let chain = TestChain::default();
    let sets: Vec<_> = (0..3).map(|id| TestSet::new(id, id..id + 4)).collect();
    chain.push(&sets[0], &sets[1], &[]);
    let genesis = chain.blocks().genesis_hash();
    let store = chain.store();
    for set in &sets[..2] {
        store.put_set(set.set.commitment()).unwrap();
        store
            .put_keys(set.set.commitment(), &dual_keys(set))
            .unwrap();
    }
    let justify = |number, set: &TestSet, next: &TestSet| {
        let message = RoundMessage::new(genesis, set.commitment(number, &next.set));
        set.justify(&message, 0..3).into_unchecked()
    };
    let fixture = Fixture {
        handoffs: vec![
            justify(10, &sets[0], &sets[1]),
            justify(20, &sets[1], &sets[2]),
        ],
        ordinary: justify(5, &sets[0], &sets[0]),
    };
    (chain, fixture)
}

/// The number of justifications that the voter gets from an answer, and the peer's reported behaviour.
fn given(
    answer: fn(&Fixture) -> Result<Vec<u8>, RequestFailure>,
) -> (Option<usize>, Vec<PeerBehaviour>) {
    given_after(answer, |_| {})
}

/// The same with an event during the check of the answer.
fn given_after(
    answer: fn(&Fixture) -> Result<Vec<u8>, RequestFailure>,
    meanwhile: fn(&mut HandoffSearch),
) -> (Option<usize>, Vec<PeerBehaviour>) {
    let (chain, fixture) = fixture();
    let network = Arc::new(OnePeer {
        peer: PeerId::random(),
        answer,
        fixture,
        reports: Mutex::default(),
    });
    let (check, links) = AnswerCheck::new(Arc::new(chain.chain()));
    let mut search = HandoffSearch::new(network.clone(), links.received, Metrics::new(None));
    search.want(SetId::new(0));
    search.send(0);
    let answer = search
        .next_answer()
        .now_or_never()
        .expect("the peer answered");
    search.on_answer(answer);
    assert!(check.run().now_or_never().is_none(), "it waits for more");
    meanwhile(&mut search);
    let checked = links.checked.try_recv().ok();
    let event = checked.and_then(|checked| search.on_checked(checked));
    let taken = event.map(|event| match event {
        Event::Response(list) => list.len(),
        other => panic!("{other:?} answers no request"),
    });
    let reports = network.reports.lock().clone();
    (taken, reports)
}

#[test]
fn handoffs_in_order_are_taken_and_earn_reputation() {
    let result = given(|fixture| Ok(fixture.handoffs.encode()));
    assert_eq!(result, (Some(2), vec![PeerBehaviour::GoodResponse]));
}

/// ROUND-10.
#[test]
fn an_answer_that_is_too_late_to_help_is_passed_on_to_be_compared() {
    let found = |search: &mut HandoffSearch| search.found(SetId::new(0));
    let result = given_after(|fixture| Ok(fixture.handoffs.encode()), found);
    assert_eq!(result, (Some(2), Vec::new()));
}

/// REQ-2.
#[test]
fn what_holds_before_a_bad_handoff_is_taken_and_its_sender_is_charged() {
    let result = given(|fixture| {
        let mut list = fixture.handoffs.clone();
        list[1].apk2 = list[0].apk2;
        Ok(list.encode())
    });
    assert_eq!(result, (Some(1), vec![PeerBehaviour::BadResponse]));
}

#[test]
fn a_handoff_that_was_not_asked_for_is_charged() {
    let result = given(|fixture| Ok(fixture.handoffs[1..].to_vec().encode()));
    assert_eq!(result, (Some(0), vec![PeerBehaviour::BadResponse]));
}

#[test]
fn a_justification_that_names_no_successor_is_charged() {
    let result = given(|fixture| Ok(vec![fixture.ordinary.clone()].encode()));
    assert_eq!(result, (Some(0), vec![PeerBehaviour::BadResponse]));
}

#[test]
fn a_handoff_of_a_set_that_is_not_known_here_charges_nobody() {
    let result = given(|fixture| {
        let mut list = fixture.handoffs.clone();
        let mut third = list[1].clone();
        third.commitment.validator_set_id = SetId::new(2);
        third.commitment.next.id = SetId::new(3);
        list.push(third);
        Ok(list.encode())
    });
    assert_eq!(result, (Some(2), vec![PeerBehaviour::GoodResponse]));
}

#[test]
fn an_answer_that_does_not_decode_is_charged() {
    let result = given(|_| Ok(vec![4]));
    assert_eq!(result, (None, vec![PeerBehaviour::BadResponse]));
}

/// REQ-2.
#[test]
fn a_peer_that_has_nothing_is_not_charged() {
    let result = given(|_| Ok(Vec::<UncheckedJustification>::new().encode()));
    assert_eq!(result, (None, Vec::new()));
}

#[test]
fn a_peer_that_refuses_is_charged_and_one_that_left_is_not() {
    let refused = given(|_| Err(RequestFailure::Refused));
    assert_eq!(refused, (None, vec![PeerBehaviour::RefusedRequest]));
    let left = given(|_| Err(RequestFailure::NotConnected));
    assert_eq!(left, (None, Vec::new()));
}
