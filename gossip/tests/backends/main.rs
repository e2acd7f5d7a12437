//! The gossip engine over both network back ends of the SDK, on loopback.
//!
//! These tests run in real time, because the back ends do. Each waits for conditions, and the bounds grow with the time
//! that passed.

mod node;
mod tap;
mod votes;

use codec::Encode;
use duet_gossip::{message::GossipMessage, Interest, Protocol, GOSSIP};
use duet_primitives::{BlockNumber, H256};
use node::{Block, Node};
use sc_network::{Litep2pNetworkBackend, NetworkBackend, NetworkWorker};
use std::{
    collections::HashSet,
    sync::LazyLock,
    time::{Duration, Instant},
};
use tap::{Log, PATIENCE};
use votes::{notification, Votes, FIRST};

/// The tests, for a back end.
macro_rules! tests {
    ($($name:ident: $backend:ty;)*) => {
        $(mod $name {
            use super::*;

            /// GOSSIP-8.
            #[test]
            fn votes_that_are_published_again_and_again_arrive_once_per_interval() {
                published_again_and_again::<$backend>();
            }

            /// GOSSIP-8.
            #[test]
            fn more_votes_than_a_queue_holds_arrive_at_who_reads_late_and_at_who_comes_late() {
                more_than_a_queue_holds::<$backend>();
            }

            #[test]
            fn a_backlog_of_ten_thousand_votes_is_sent_at_once() {
                ten_thousand_votes::<$backend>();
            }

            /// GOSSIP-8.
            #[test]
            fn a_connection_that_ends_in_mid_send_begins_anew() {
                ends_in_mid_send::<$backend>();
            }

            /// GOSSIP-9.
            #[test]
            fn who_wants_proofs_gets_no_votes_and_relays_proofs() {
                wants_proofs::<$backend>();
            }

            #[test]
            fn nodes_of_two_versions_speak_the_older_one_with_each_other() {
                two_versions::<$backend>();
            }

            #[test]
            fn what_is_below_the_horizon_is_dropped() {
                below_the_horizon::<$backend>();
            }
        })*
    };
}

tests! {
    libp2p: NetworkWorker<Block, H256>;
    litep2p: Litep2pNetworkBackend;
}

/// As in a stall, when the voter publishes its votes every 30 s: here far more often. Alice is connected with Bob, and
/// Bob, who relays, with Carol.
fn published_again_and_again<N: NetworkBackend<Block, H256>>() {
    const INTERVAL: Duration = Duration::from_secs(1);
    let votes = Votes::new(4, 5);
    let began = Instant::now();
    let [alice, bob, carol] = [(); 3].map(|()| Node::start::<N>(INTERVAL, &votes));
    alice.connect(&bob);
    bob.connect(&carol);

    let mut published = 0;
    loop {
        for vote in &votes.votes {
            alice.network.publish_vote(vote);
        }
        published += 1;
        let done = carol.tap.holds_within(Duration::from_millis(50), |log| {
            let all_thrice = log.received.len() == votes.votes.len() && log.fewest_copies() >= 3;
            all_thrice && began.elapsed() > 2 * INTERVAL
        });
        if done {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "{:?}", carol.tap.log());
    }
    let copies = [&bob, &carol].map(|node| node.tap.log().most_copies());

    let expected = most_copies(began.elapsed(), INTERVAL);
    assert!(
        copies.iter().all(|copies| *copies <= expected),
        "{copies:?} copies after {published} publications, expected {expected}"
    );
    assert!(published > 2 * expected, "{published}");
    assert_eq!(alice.tap.log().arrivals(), 0, "nothing goes back");
}

/// More than either back end has room for, with 2 048 notifications at most for a peer.
fn backlog() -> &'static Votes {
    /// Made once for all back ends.
    static VOTES: LazyLock<Votes> = LazyLock::new(|| Votes::new(700, 12));
    &VOTES
}

fn notifications(votes: &Votes) -> HashSet<Vec<u8>> {
    votes.votes.iter().map(notification).collect()
}

fn arrived(node: &Node) -> HashSet<Vec<u8>> {
    node.tap.log().received.into_keys().collect()
}

/// Bob does not read, which Carol does not notice, and reads later.
fn more_than_a_queue_holds<N: NetworkBackend<Block, H256>>() {
    const INTERVAL: Duration = Duration::from_secs(30);
    let votes = backlog();
    let all = notifications(votes);
    assert_eq!(all.len(), 8_400);
    let began = Instant::now();
    let [alice, bob, carol] = [(); 3].map(|()| Node::start::<N>(INTERVAL, votes));
    alice.connect(&bob);

    let paused = bob.pause();
    for vote in &votes.votes {
        alice.network.publish_vote(vote);
    }
    alice.tap.wait_until_full();
    // litep2p takes all of it, with larger windows.
    assert!(alice.tap.log().waiting <= 1, "no more than one waits there");
    let complete = |log: &mut Log| log.received.len() == all.len() || log.closed > 0;
    alice.connect(&carol);
    carol.tap.wait_until("all votes at Carol", complete);
    drop(paused);
    bob.tap.wait_until("all votes at Bob", complete);

    let closed = [&alice, &bob, &carol].map(|node| node.tap.log().closed);
    assert_eq!(closed, [0; 3], "streams that were closed");
    for node in [bob, carol] {
        assert!(arrived(&node) == all, "what arrived is what was published");
        let (copies, expected) = (
            node.tap.log().most_copies(),
            most_copies(began.elapsed(), INTERVAL),
        );
        assert!(copies <= expected, "{copies} copies, expected {expected}");
    }
}

/// Two rounds of 5 000 validators. Measured from the publication to the last arrival, with all that Bob does meanwhile:
/// he checks them, too.
fn ten_thousand_votes<N: NetworkBackend<Block, H256>>() {
    /// Made once for all back ends.
    static VOTES: LazyLock<Votes> = LazyLock::new(|| Votes::new(5_000, 2));
    /// Many times what it takes on a quiet machine. An engine that sends on a timer needs longer.
    const LONGEST: Duration = Duration::from_secs(5);
    let [alice, bob] = [(); 2].map(|()| Node::start::<N>(Duration::from_secs(30), &VOTES));
    alice.connect(&bob);
    let began = Instant::now();
    for vote in &VOTES.votes {
        alice.network.publish_vote(vote);
    }
    let complete = |log: &mut Log| log.received.len() == VOTES.votes.len();
    bob.tap.wait_until("all votes at Bob", complete);
    let log = bob.tap.log();
    let took = log.completed.expect("it is complete") - began;
    println!("10 000 votes in {took:?}, {} sent", alice.tap.log().sent);
    assert_eq!(log.most_copies(), 1);
    assert!(took < LONGEST, "{took:?}");
}

/// Alice's connection with Bob, who does not read, ends while something waits for room in it.
fn ends_in_mid_send<N: NetworkBackend<Block, H256>>() {
    let votes = backlog();
    let all = notifications(votes);
    let [alice, bob, carol] = [(); 3].map(|()| Node::start::<N>(Duration::from_secs(30), votes));
    alice.connect(&bob);
    let paused = bob.pause();
    for vote in &votes.votes {
        alice.network.publish_vote(vote);
    }
    alice.tap.wait_until_full();
    alice.disconnect(&bob);
    alice.tap.wait_until("the end of a connection", |log| {
        log.closed == 1 && log.waiting == 0
    });
    alice.connect(&carol);
    carol
        .tap
        .wait_until("all votes at Carol", |log| log.received.len() == all.len());
    drop(paused);
    alice.connect(&bob);
    bob.tap
        .wait_until("all votes at Bob", |log| log.received.len() == all.len());
    assert!(arrived(&bob) == all, "what arrived is what was published");
}

/// Alice hears everything and is connected with Bob, who wants proofs, and with Carol. Dave is connected with Bob only.
fn wants_proofs<N: NetworkBackend<Block, H256>>() {
    const INTERVAL: Duration = Duration::from_secs(1);
    let votes = Votes::new(4, 5);
    let [alice, carol, dave] = [(); 3].map(|()| Node::start::<N>(INTERVAL, &votes));
    let bob = Node::start_as::<N>(Interest::Proofs, GOSSIP, INTERVAL, &votes);
    alice.connect(&bob);
    alice.connect(&carol);
    bob.connect(&dave);
    for vote in &votes.votes {
        alice.network.publish_vote(vote);
    }
    // All of them have gone again when Carol has the proof.
    two_more_of(
        &carol,
        &votes.votes.iter().map(notification).collect::<Vec<_>>(),
    );
    alice.network.publish_justification(votes.justification());
    let proof = GossipMessage::Justification(votes.justification()).encode();
    for node in [&carol, &dave] {
        node.tap
            .wait_until("the proof", |log| log.copies(&proof) > 0);
    }
    for node in [bob, dave] {
        let arrived = arrived(&node);
        assert!(
            arrived == [proof.clone()].into(),
            "{} arrived",
            arrived.len()
        );
    }
    assert_eq!(alice.tap.log().arrivals(), 0, "nothing goes back");
}

/// An upgrade in progress: Bob, between Alice and Carol, knows only version 1, and Dave only version 2. (GOSSIP-11)
fn two_versions<N: NetworkBackend<Block, H256>>() {
    const INTERVAL: Duration = Duration::from_secs(30);
    let only = |newest| Protocol {
        newest,
        older: &[],
        ..GOSSIP
    };
    let votes = Votes::new(4, 5);
    let start = |protocol| Node::start_as::<N>(Interest::Votes, protocol, INTERVAL, &votes);
    let [alice, bob, carol, dave] = [GOSSIP, only(1), GOSSIP, only(2)].map(start);
    alice.connect(&bob);
    bob.connect(&carol);
    for vote in &votes.votes {
        alice.network.publish_vote(vote);
    }
    let has_all = |node: &Node| {
        node.tap
            .wait_until("all votes", |log| log.received.len() == votes.votes.len());
    };
    has_all(&bob);
    has_all(&carol);
    // Carol has the votes together; those on one block share a notification.
    carol.connect(&dave);
    has_all(&dave);
    let bundles = [&bob, &carol, &dave].map(|node| node.tap.log().bundles);
    assert_eq!(bundles, [0, 0, votes.rounds.len()]);
    let connections = [&alice, &bob, &carol, &dave].map(|node| {
        let log = node.tap.log();
        (log.opened, log.older)
    });
    // Bob speaks the newest version that he knows; so do Carol and Dave, with each other.
    assert_eq!(connections, [(1, 1), (2, 0), (2, 1), (1, 0)]);
}

/// How often a vote goes to one peer in this time at most: once when it is new, and in each interval that has begun.
fn most_copies(elapsed: Duration, interval: Duration) -> usize {
    let intervals = elapsed.as_millis() / interval.as_millis() + 1;
    usize::try_from(1 + intervals).expect("few")
}

/// Alice repeats all that she keeps once per second.
fn below_the_horizon<N: NetworkBackend<Block, H256>>() {
    let votes = Votes::new(4, 5);
    let last = FIRST + 4;
    let (below, above): (Vec<_>, Vec<_>) = votes
        .votes
        .iter()
        .partition(|vote| vote.commitment().block_number < BlockNumber::new(last));
    let [below, above] =
        [below, above].map(|of| of.into_iter().map(notification).collect::<Vec<_>>());
    let [alice, bob, carol] = [(); 3].map(|()| Node::start::<N>(Duration::from_secs(1), &votes));
    alice.connect(&bob);
    for vote in &votes.votes {
        alice.network.publish_vote(vote);
    }
    bob.tap.wait_until("all votes at Bob", |log| {
        log.received.len() == votes.votes.len()
    });

    alice
        .validator
        .update(votes.window(), BlockNumber::new(last - 1));
    // What was on its way has arrived when the rest was repeated twice.
    two_more_of(&bob, &above);
    let copies = |log: &Log| below.iter().map(|it| log.copies(it)).sum::<usize>();
    let before = copies(&bob.tap.log());
    two_more_of(&bob, &above);
    assert_eq!(copies(&bob.tap.log()), before, "votes below are not sent");

    alice
        .validator
        .update(votes.window(), BlockNumber::new(FIRST - 1));
    alice.connect(&carol);
    two_more_of(&carol, &above);
    assert_eq!(copies(&carol.tap.log()), 0, "votes below were not kept");
}

/// Waits until each of these has arrived twice more.
fn two_more_of(node: &Node, notifications: &[Vec<u8>]) {
    let before = node.tap.log();
    node.tap.wait_until("two repetitions", |log| {
        notifications
            .iter()
            .all(|it| log.copies(it) >= before.copies(it) + 2)
    });
}
