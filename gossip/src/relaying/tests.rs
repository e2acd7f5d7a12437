use super::{
    testing::{proof, vote},
    *,
};
use codec::Encode;
use duet_primitives::{BlockNumber, H256};
use duet_voter::Window;

const INTERVAL: Millis = 32_000;

/// The other vote of an equivocator.
fn conflicting(number: u32, signer: u32) -> GossipMessage {
    let GossipMessage::Vote(mut vote) = vote(number, signer) else {
        unreachable!("it is a vote")
    };
    vote.commitment.block_hash = H256::repeat_byte(7);
    GossipMessage::Vote(vote)
}

fn with_peers<const N: usize>() -> (Relaying, [PeerId; N]) {
    let mut relaying = Relaying::new(INTERVAL, 0);
    let peers = std::array::from_fn(|_| PeerId::random());
    for peer in peers {
        relaying.connected(peer, Interest::Votes, 0);
    }
    (relaying, peers)
}

/// All that goes to a peer now.
fn all_for(relaying: &mut Relaying, peer: &PeerId, now: Millis) -> Vec<GossipMessage> {
    let mut all = Vec::new();
    while let Next::Messages(messages) = relaying.take(peer, 16, now) {
        assert!(messages.len() <= 16);
        all.extend(messages.iter().map(|it| it.message.as_ref().clone()));
    }
    all
}

fn follow(relaying: &mut Relaying, best_block: u32) {
    let best_block = BlockNumber::new(best_block);
    relaying.follow(Horizon::of(&Window::default(), best_block), 4);
}

#[test]
fn proofs_go_first_and_then_the_votes_of_the_newest_rounds() {
    let (mut relaying, [peer]) = with_peers();
    for message in [vote(9, 1), vote(11, 2), proof(8), vote(10, 3), vote(11, 1)] {
        relaying.keep(message, &[], 0);
    }
    relaying.keep(proof(9), &[], 0);
    let expected = [
        proof(9),
        proof(8),
        vote(11, 2),
        vote(11, 1),
        vote(10, 3),
        vote(9, 1),
    ];
    assert_eq!(all_for(&mut relaying, &peer, 0), expected);
    relaying.keep(vote(10, 4), &[], 0);
    assert_eq!(all_for(&mut relaying, &peer, 0), [vote(10, 4)]);
}

/// GOSSIP-8.
#[test]
fn a_message_is_kept_once_and_goes_to_each_peer_once() {
    let (mut relaying, [peer, other]) = with_peers();
    for _ in 0..3 {
        relaying.keep(vote(10, 1), &[], 0);
        relaying.keep(proof(9), &[], 0);
    }
    assert_eq!(relaying.len(), 2);
    for peer in [peer, other] {
        let all = all_for(&mut relaying, &peer, 0);
        assert_eq!(all, [proof(9), vote(10, 1)]);
        relaying.keep(vote(10, 1), &[], 0);
        assert_eq!(all_for(&mut relaying, &peer, 0), []);
    }
    let late = PeerId::random();
    relaying.connected(late, Interest::Votes, 0);
    assert_eq!(all_for(&mut relaying, &late, 0).len(), 2);
}

/// GOSSIP-5.
#[test]
fn a_message_does_not_go_back_over_a_connection_that_brought_it() {
    let (mut relaying, [sender, late, other]) = with_peers();
    relaying.keep(vote(10, 2), &[sender], 0);
    relaying.keep(vote(10, 3), &[], 0);
    relaying.keep(conflicting(10, 2), &[], 0);
    relaying.has(&late, &Topic::of(&vote(10, 2)));
    let rest = [vote(10, 3), conflicting(10, 2)];
    for peer in [sender, late] {
        assert_eq!(all_for(&mut relaying, &peer, 0), rest);
    }
    assert_eq!(all_for(&mut relaying, &other, 0).len(), 3);

    for turn in 1..=4 {
        relaying.repeat(turn * INTERVAL);
        let again = all_for(&mut relaying, &sender, turn * INTERVAL);
        assert!(!again.contains(&vote(10, 2)), "not later, either");
    }
    relaying.disconnected(&sender);
    relaying.connected(sender, Interest::Votes, 0);
    assert!(
        all_for(&mut relaying, &sender, 0).contains(&vote(10, 2)),
        "it may have been restarted and have lost it"
    );
}

#[test]
fn nothing_is_noted_of_what_is_not_kept_and_of_who_is_not_connected() {
    let (mut relaying, [peer]) = with_peers();
    let stranger = PeerId::random();
    relaying.has(&peer, &Topic::of(&vote(10, 1)));
    relaying.keep(vote(10, 1), &[stranger], 0);
    relaying.connected(stranger, Interest::Votes, 0);
    for peer in [peer, stranger] {
        assert_eq!(all_for(&mut relaying, &peer, 0), [vote(10, 1)]);
    }
}

/// GOSSIP-12.
#[test]
fn a_relayed_vote_goes_to_four_peers_at_once_and_to_the_others_later_and_an_own_one_to_all() {
    let (mut relaying, peers): (_, [PeerId; 9]) = with_peers();
    let quiet = PeerId::random();
    relaying.connected(quiet, Interest::Proofs, 0);
    relaying.keep(vote(10, 0), &[], 0);
    for signer in 1..=900 {
        relaying.keep(vote(10, signer), &[peers[0]], 0);
    }
    relaying.keep(proof(9), &[peers[0]], 0);
    let mut got = HashMap::<_, Vec<_>>::new();
    let mut take = |relaying: &mut Relaying, now| -> usize {
        let mut count = 0;
        for peer in peers {
            let all = all_for(relaying, &peer, now);
            count += all.len();
            got.entry(peer).or_default().extend(all);
        }
        count
    };
    let at_once = take(&mut relaying, 0);
    // The peer that brought them is one of the four four times in nine.
    assert_eq!(at_once, 9 + 8 + 900 * 4 - 400);
    assert_eq!(relaying.releases_at(), Some(250));
    relaying.release(249);
    assert_eq!(take(&mut relaying, 249), 0);
    relaying.release(250);
    let later = take(&mut relaying, 250);
    assert_eq!(at_once + later, 9 + 8 + 900 * 8);
    assert_eq!(relaying.releases_at(), None);
    for (peer, mut all) in got {
        let expected = if peer == peers[0] { 1 } else { 902 };
        all.sort_by_key(Encode::encode);
        all.dedup();
        assert_eq!(all.len(), expected, "each once");
    }
}

/// GOSSIP-12.
#[test]
fn an_own_vote_that_comes_last_goes_to_all_peers_at_once() {
    let (mut relaying, peers): (_, [PeerId; 40]) = with_peers();
    let other = PeerId::random();
    for signer in 0..60 {
        relaying.keep(vote(10, signer), &[other], 0);
    }
    relaying.release(250);
    for peer in peers {
        assert_eq!(all_for(&mut relaying, &peer, 250).len(), 60);
    }
    relaying.keep(vote(10, 60), &[], 300);
    for peer in peers {
        assert_eq!(all_for(&mut relaying, &peer, 300), [vote(10, 60)]);
    }
}

/// GOSSIP-12.
#[test]
fn a_peer_that_comes_late_gets_what_waits_and_no_proof_or_own_vote_waits_for_later() {
    let (mut relaying, peers): (_, [PeerId; 9]) = with_peers();
    for signer in 0..90 {
        relaying.keep(vote(10, signer), &[peers[0]], 0);
    }
    relaying.disconnected(&peers[1]);
    let late = PeerId::random();
    relaying.connected(late, Interest::Votes, 100);
    let few = all_for(&mut relaying, &late, 100).len();
    assert!((30..=50).contains(&few), "{few}");
    relaying.release(250);
    let rest = all_for(&mut relaying, &late, 250).len();
    assert_eq!(few + rest, 90);
    // What is handed over, or given back, is as before.
    relaying.keep(vote(11, 1), &[], 600);
    let Next::Messages(taken) = relaying.take(&late, 16, 600) else {
        panic!("an own vote")
    };
    relaying.give_back(&late, taken);
    assert_eq!(all_for(&mut relaying, &late, 600), [vote(11, 1)]);
}

/// GOSSIP-9.
#[test]
fn who_wants_proofs_gets_no_votes() {
    let (mut relaying, []) = with_peers();
    let [early, late] = [(); 2].map(|()| PeerId::random());
    relaying.connected(early, Interest::Proofs, 0);
    relaying.keep(vote(10, 1), &[], 0);
    relaying.keep(proof(9), &[], 0);
    relaying.connected(late, Interest::Proofs, 0);
    for peer in [early, late] {
        assert_eq!(all_for(&mut relaying, &peer, 0), [proof(9)]);
    }
    for turn in 1..=4 {
        relaying.repeat(turn * INTERVAL);
        relaying.keep(vote(10, 1 + u32::try_from(turn).unwrap()), &[], 0);
        let again = all_for(&mut relaying, &early, turn * INTERVAL);
        assert!(again.iter().all(|it| *it == proof(9)));
    }
}

/// GOSSIP-8.
#[test]
fn votes_for_which_a_peer_has_no_room_wait_and_proofs_do_not() {
    let (mut relaying, [peer, other]) = with_peers();
    for signer in 0..5_000 {
        relaying.keep(vote(10, signer), &[], 0);
    }
    assert_eq!(all_for(&mut relaying, &peer, 0).len(), 1_024);
    assert_eq!(
        all_for(&mut relaying, &other, 0).len(),
        1_024,
        "each has its own"
    );
    assert!(matches!(
        relaying.take(&peer, 16, 0),
        Next::NotBefore(REFILL)
    ));
    relaying.keep(proof(11), &[], 0);
    assert_eq!(all_for(&mut relaying, &peer, 0), [proof(11)]);
    assert_eq!(all_for(&mut relaying, &peer, 500).len(), 1_024);

    let large = Horizon::of(&Window::default(), BlockNumber::new(9));
    relaying.follow(large, 5_000);
    assert_eq!(
        all_for(&mut relaying, &peer, 60_000).len(),
        5_000 - 2 * 1_024,
        "a peer has room for two rounds of a large set"
    );
}

#[test]
fn what_is_below_the_horizon_is_dropped_and_not_kept_again() {
    let (mut relaying, [peer]) = with_peers();
    for number in [9, 10, 11] {
        relaying.keep(vote(number, 1), &[], 0);
        relaying.keep(proof(number), &[], 0);
    }
    let Next::Messages(taken) = relaying.take(&peer, 6, 0) else {
        panic!("there are six")
    };
    follow(&mut relaying, 10);
    relaying.keep(vote(10, 2), &[], 0);
    relaying.keep(proof(9), &[], 0);
    assert_eq!(relaying.len(), 3);
    relaying.give_back(&peer, taken);
    let expected = [proof(11), proof(10), vote(11, 1)];
    assert_eq!(all_for(&mut relaying, &peer, 0), expected);
}

/// GOSSIP-7: while no proof comes, votes on any number of blocks are useful.
#[test]
fn a_signer_that_votes_on_every_block_takes_room_for_a_few() {
    let (mut relaying, [sender, peer]) = with_peers();
    for number in 1..=1_000 {
        relaying.keep(vote(number, 1), &[sender], 0);
        relaying.keep(conflicting(number, 1), &[sender], 0);
    }
    assert_eq!(relaying.len(), 64);
    assert_eq!(all_for(&mut relaying, &peer, 0).len(), 64);
    relaying.keep(vote(1_000, 2), &[sender], 0);
    relaying.keep(vote(1_001, 1), &[], 0);
    assert_eq!(relaying.len(), 66, "another signer, and an own vote");
    follow(&mut relaying, 1_000);
    assert_eq!(relaying.len(), 1);
    for number in 1_002..=1_100 {
        relaying.keep(vote(number, 1), &[sender], 0);
    }
    assert_eq!(relaying.len(), 64, "what is proven makes room");
}

#[test]
fn what_was_not_handed_over_goes_again_and_nothing_else() {
    let (mut relaying, [peer]) = with_peers();
    for signer in 0..200 {
        relaying.keep(vote(10, signer), &[], 0);
    }
    let Next::Messages(mut taken) = relaying.take(&peer, 150, 0) else {
        panic!("there are 200")
    };
    let left = taken.split_off(100);
    relaying.give_back(&peer, left);
    let expected: Vec<_> = (100..200).map(|signer| vote(10, signer)).collect();
    assert_eq!(all_for(&mut relaying, &peer, 0), expected);
}

/// GOSSIP-8.
#[test]
fn what_was_handed_over_goes_again_once_per_interval_and_not_all_at_once() {
    let (mut relaying, [peer]) = with_peers();
    for signer in 0..1_000 {
        relaying.keep(vote(10, signer), &[], 0);
    }
    assert_eq!(all_for(&mut relaying, &peer, 0).len(), 1_000);
    let mut again = |interval: Millis| -> Vec<usize> {
        (1..=32)
            .map(|slot| {
                let now = interval * INTERVAL + slot * INTERVAL / 32;
                relaying.repeat(now);
                all_for(&mut relaying, &peer, now).len()
            })
            .collect()
    };
    assert_eq!(again(0), [0; 32], "it has hardly arrived");
    for interval in 1..=3 {
        let again = again(interval);
        assert_eq!(again.iter().sum::<usize>(), 1_000);
        assert!(again.iter().all(|slot| *slot <= 64), "{again:?}");
    }
}

/// ROUND-10.
#[test]
fn forgotten_proofs_go_to_nobody_any_more_and_are_not_repeated() {
    let (mut relaying, [told, other]) = with_peers();
    for message in [proof(9), proof(8), vote(9, 1)] {
        relaying.keep(message, &[], 0);
    }
    assert_eq!(all_for(&mut relaying, &told, 0).len(), 3);
    relaying.forget(&Topic::of(&proof(9)));
    let rest = [proof(8), vote(9, 1)];
    assert_eq!(all_for(&mut relaying, &other, 0), rest);
    for turn in 1..=4 {
        relaying.repeat(turn * INTERVAL);
        let again = all_for(&mut relaying, &told, turn * INTERVAL);
        assert!(!again.contains(&proof(9)));
    }
}
