//! The SDK's gossip engine over both of its network back ends, on loopback.
//!
//! These tests run in real time, because the engine does: it goes over what it keeps every 1.1 s. Each waits for
//! conditions, and the bounds grow with the time that passed.

mod node;
mod tap;
mod votes;

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
    const INTERVAL: Duration = Duration::from_secs(3);
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
    assert!(published > 5 * expected, "{published}");
    assert_eq!(alice.tap.log().arrivals(), 0, "nothing goes back");
}

/// More votes than fit into the queue of a peer (2 048 in both back ends, which close the stream when it is full), and
/// than the engine remembers (8 192).
fn more_than_a_queue_holds<N: NetworkBackend<Block, H256>>() {
    /// Made once for all back ends.
    static VOTES: LazyLock<Votes> = LazyLock::new(|| Votes::new(700, 12));
    const INTERVAL: Duration = Duration::from_secs(30);
    let all: HashSet<_> = VOTES.votes.iter().map(notification).collect();
    assert_eq!(all.len(), 8_400);
    let began = Instant::now();
    let [alice, bob, carol] = [(); 3].map(|()| Node::start::<N>(INTERVAL, &VOTES));
    alice.connect(&bob);

    let paused = bob.pause();
    for vote in &VOTES.votes {
        alice.network.publish_vote(vote);
    }
    alice
        .tap
        .wait_until("the first burst", |log| log.sent >= 1_024);
    drop(paused);
    let complete = |log: &mut Log| log.received.len() == all.len() || log.closed > 0;
    bob.tap.wait_until("all votes at Bob", complete);
    alice.connect(&carol);
    carol.tap.wait_until("all votes at Carol", complete);

    let closed = [&alice, &bob, &carol].map(|node| node.tap.log().closed);
    assert_eq!(closed, [0; 3], "streams that were closed");
    for node in [bob, carol] {
        let log = node.tap.log();
        let arrived: HashSet<_> = log.received.keys().cloned().collect();
        assert!(arrived == all, "what arrived is what was published");
        let (copies, expected) = (log.most_copies(), most_copies(began.elapsed(), INTERVAL));
        assert!(copies <= expected, "{copies} copies, expected {expected}");
    }
}

/// How often a vote goes to one peer in this time at most: once when it is new, and in each interval that has begun.
fn most_copies(elapsed: Duration, interval: Duration) -> usize {
    let intervals = elapsed.as_millis() / interval.as_millis() + 1;
    usize::try_from(1 + intervals).expect("few")
}

/// Alice repeats all that she keeps whenever the engine goes over it.
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
    // The engine has gone over all messages since then when it repeats the rest for the second time.
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
