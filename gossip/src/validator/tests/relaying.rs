//! To whom messages go, and when they are sent again.

use super::setup::{setup, topic, vote_topic, Block, Setup, REBROADCAST};
use crate::{message::GossipMessage, topic::Kind};
use codec::Encode;
use duet_primitives::{BlockNumber, H256};
use duet_voter::Window;
use sc_network::ObservedRole;
use sc_network_gossip::{MessageIntent, ValidationResult, Validator};
use sc_network_types::PeerId;
use std::sync::atomic::Ordering;

#[test]
fn messages_below_the_best_proof_expire_and_are_not_sent() {
    let setup = setup();
    setup
        .validator
        .update(Window::default(), BlockNumber::new(20));
    let mut expired = Validator::<Block>::message_expired(&setup.validator);
    let hash = |kind, number| topic(kind, number).to_hash();
    assert!(expired(hash(Kind::Vote, 20), &[]));
    assert!(!expired(hash(Kind::Vote, 21), &[]));
    assert!(expired(hash(Kind::Justification, 19), &[]));
    assert!(!expired(hash(Kind::Justification, 20), &[]));
    assert!(expired(H256::repeat_byte(0xff), &[]));
    drop(expired);
    let mut allowed = Validator::<Block>::message_allowed(&setup.validator);
    let intent = MessageIntent::Broadcast;
    assert!(!allowed(&setup.peer, intent, &hash(Kind::Vote, 20), &[]));
    assert!(allowed(&setup.peer, intent, &hash(Kind::Vote, 21), &[]));
}

#[test]
fn what_peers_have_is_sent_again_once_per_interval_and_relays_do_not_use_up_the_turn() {
    let setup = setup();
    let topic = vote_topic(10).to_hash();
    let ask = |intent| {
        let mut allowed = Validator::<Block>::message_allowed(&setup.validator);
        (0..2).all(|_| allowed(&setup.peer, intent, &topic, &[]))
    };
    setup.clock.0.store(REBROADCAST - 1, Ordering::Relaxed);
    assert!(!ask(MessageIntent::PeriodicRebroadcast));
    setup.clock.0.store(REBROADCAST, Ordering::Relaxed);
    assert!(ask(MessageIntent::Broadcast));
    assert!(
        ask(MessageIntent::PeriodicRebroadcast),
        "all messages of one pass go"
    );
    assert!(
        !ask(MessageIntent::PeriodicRebroadcast),
        "the next pass waits"
    );
    setup.clock.0.store(2 * REBROADCAST, Ordering::Relaxed);
    assert!(ask(MessageIntent::PeriodicRebroadcast));
}

/// Asks whether a message may be sent to a peer that does not have it.
fn may_go_to(setup: &Setup, peer: &PeerId, topic: &H256) -> bool {
    let mut allowed = Validator::<Block>::message_allowed(&setup.validator);
    allowed(peer, MessageIntent::Broadcast, topic, &[])
}

/// GOSSIP-5.
#[test]
fn a_message_is_not_relayed_over_the_connection_that_it_came_over() {
    let mut setup = setup();
    let (sender, other) = (setup.peer, PeerId::random());
    let role = ObservedRole::Full;
    Validator::<Block>::new_peer(&setup.validator, &mut setup.context, &other, role);
    let bytes = GossipMessage::Vote(setup.vote(setup.commitment(10), 2)).encode();
    let result =
        Validator::<Block>::validate(&setup.validator, &mut setup.context, &sender, &bytes);
    let ValidationResult::ProcessAndKeep(topic) = result else {
        panic!("the vote is good")
    };
    assert!(!may_go_to(&setup, &sender, &topic));
    assert!(may_go_to(&setup, &other, &topic));

    // A peer that restarted has lost what it sent.
    Validator::<Block>::peer_disconnected(&setup.validator, &mut setup.context, &sender);
    Validator::<Block>::new_peer(&setup.validator, &mut setup.context, &sender, role);
    assert!(may_go_to(&setup, &sender, &topic));
}

#[test]
fn own_messages_go_to_everybody() {
    let setup = setup();
    let topic = vote_topic(10).to_hash();
    assert!(may_go_to(&setup, &setup.peer, &topic));
    assert!(may_go_to(&setup, &PeerId::random(), &topic));
}

#[test]
fn peers_are_ranked_by_what_they_sent() {
    let mut setup = setup();
    let silent = PeerId::random();
    let role = ObservedRole::Full;
    Validator::<Block>::new_peer(&setup.validator, &mut setup.context, &silent, role);
    assert_eq!(setup.validator.metrics.live_peers.get(), 2);
    setup.send_vote(setup.vote(setup.commitment(10), 2));
    assert_eq!(setup.validator.peers(), [setup.peer, silent]);
    let peer = setup.peer;
    Validator::<Block>::peer_disconnected(&setup.validator, &mut setup.context, &peer);
    assert_eq!(setup.validator.peers(), [silent]);
    assert_eq!(setup.validator.metrics.live_peers.get(), 1);
}
