use super::*;
use duet_primitives::{BlockNumber, SignerIndex};

const INTERVAL: Millis = 32_000;

fn vote(number: u32, signer: u32) -> Topic {
    Topic {
        number: BlockNumber::new(number),
        set_id: SetId::new(0),
        signer: Some(SignerIndex::new(signer)),
        digest: [7; 8],
    }
}

fn with_peers<const N: usize>() -> (Relaying, [PeerId; N]) {
    let mut relaying = Relaying::new(INTERVAL, 0);
    let peers = std::array::from_fn(|_| PeerId::random());
    for peer in peers {
        relaying.peers.connected(peer, 0);
    }
    (relaying, peers)
}

fn kept<'a>(topic: &Topic, bytes: &'a [u8]) -> Kept<'a> {
    let topic = *topic;
    Kept { topic, bytes }
}

fn may_go(relaying: &mut Relaying, peer: &PeerId, topic: &Topic, now: Millis) -> bool {
    let intent = MessageIntent::Broadcast;
    relaying.may_send(peer, intent, &kept(topic, b"vote"), &mut Pass::begin(now))
}

/// GOSSIP-5.
#[test]
fn a_message_does_not_go_back_over_a_connection_that_brought_it() {
    let (mut relaying, [sender, other]) = with_peers();
    let topic = vote(10, 2);
    relaying.has(&sender, topic);
    assert!(!may_go(&mut relaying, &sender, &topic, 0));
    let again = MessageIntent::PeriodicRebroadcast;
    let mut late = Pass::begin(5 * INTERVAL);
    assert!(!relaying.may_send(&sender, again, &kept(&topic, b"vote"), &mut late));
    assert!(may_go(&mut relaying, &other, &topic, 0));
    assert!(may_go(&mut relaying, &sender, &vote(10, 3), 0));
    let conflicting = Topic {
        digest: [8; 8],
        ..topic
    };
    assert!(
        may_go(&mut relaying, &sender, &conflicting, 0),
        "the other vote of an equivocator"
    );

    relaying.peers.disconnected(&sender);
    relaying.peers.connected(sender, 0);
    assert!(
        may_go(&mut relaying, &sender, &topic, 0),
        "it may have been restarted and have lost it"
    );
}

/// GOSSIP-8.
#[test]
fn votes_beyond_a_burst_wait_and_proofs_do_not() {
    let (mut relaying, [peer, other]) = with_peers();
    let sent = |relaying: &mut Relaying, peer, now| {
        let votes = (0..3_000).map(|signer| vote(10, signer));
        votes
            .filter(|vote| may_go(relaying, peer, vote, now))
            .count()
    };
    assert_eq!(sent(&mut relaying, &peer, 0), 1_024);
    assert_eq!(sent(&mut relaying, &other, 0), 1_024, "each has its own");
    assert_eq!(sent(&mut relaying, &peer, 500), 1_024);
    let proof = Topic {
        signer: None,
        ..vote(10, 0)
    };
    assert!(may_go(&mut relaying, &peer, &proof, 500));
}

#[test]
fn the_engine_is_told_of_a_message_once_as_long_as_it_keeps_it() {
    let (mut relaying, []) = with_peers();
    assert!(relaying.keep(b"a vote"));
    assert!(!relaying.keep(b"a vote"));
    assert!(relaying.keep(b"another"));
    relaying.drop_message(b"a vote");
    assert!(relaying.keep(b"a vote"));
}

#[test]
fn who_has_what_is_forgotten_below_the_horizon() {
    let (mut relaying, [peer]) = with_peers();
    for number in [9, 10, 11] {
        relaying.has(&peer, vote(number, 1));
    }
    let horizon = Horizon::of(&duet_voter::Window::default(), BlockNumber::new(10));
    relaying.forget_below(&horizon);
    let left = relaying.peers.brought(&peer);
    let left: Vec<_> = left.iter().map(|it| it.number.get()).collect();
    assert_eq!(left, [10, 11], "a proof of block 10 is still of use");
}

#[test]
fn what_a_peer_has_goes_again_once_per_interval_and_relays_do_not_use_up_the_turn() {
    let (mut relaying, [peer]) = with_peers();
    let again = |relaying: &mut Relaying, now| {
        let mut pass = Pass::begin(now);
        let intent = MessageIntent::PeriodicRebroadcast;
        (0..64)
            .filter(|signer| {
                let topic = vote(10, *signer);
                relaying.may_send(&peer, intent, &kept(&topic, b"vote"), &mut pass)
            })
            .count()
    };
    assert_eq!(again(&mut relaying, 0), 0);
    assert!(may_go(&mut relaying, &peer, &vote(10, 1), INTERVAL / 2));
    assert_eq!(again(&mut relaying, INTERVAL / 2), 32);
    assert_eq!(again(&mut relaying, INTERVAL / 2), 0);
    assert_eq!(again(&mut relaying, INTERVAL), 32);
    assert_eq!(again(&mut relaying, 5 * INTERVAL), 64, "late, and once");
}

#[test]
fn what_the_engine_has_forgotten_that_it_sent_is_a_repetition() {
    let (mut relaying, [peer]) = with_peers();
    let topic = vote(10, 1);
    assert!(may_go(&mut relaying, &peer, &topic, 0));
    assert!(!may_go(&mut relaying, &peer, &topic, 0));
    let other = kept(&topic, b"another vote of the same signer");
    let (broadcast, mut pass) = (MessageIntent::Broadcast, Pass::begin(0));
    assert!(relaying.may_send(&peer, broadcast, &other, &mut pass));
    assert!(may_go(&mut relaying, &peer, &topic, INTERVAL), "it is due");

    relaying.peers.disconnected(&peer);
    relaying.peers.connected(peer, INTERVAL);
    assert!(
        may_go(&mut relaying, &peer, &topic, INTERVAL),
        "it may have been restarted"
    );
    let horizon = Horizon::of(&duet_voter::Window::default(), BlockNumber::new(11));
    relaying.forget_below(&horizon);
    assert!(!relaying.peers.was_sent(&peer, &kept(&topic, b"vote")));
}
