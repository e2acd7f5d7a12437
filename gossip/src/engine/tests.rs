//! The engine over connections that a test controls, in virtual time. What the two network back ends do is tested in
//! `tests/backends`.

use super::{
    sending::SINGLE,
    testing::{Line, TestClock},
    *,
};
use crate::{
    interest::Interest,
    message::GossipMessage,
    notification::{messages_of, MAX_BUNDLED},
    protocol::GOSSIP,
    relaying::testing::{proof, vote},
    topic::Topic,
    validator::{verify, Queues, Reputations, Settings},
};
use codec::Encode;
use duet_primitives::{
    testing::TestSet, BlockNumber, RoundMessage, SignerIndex, UncheckedVote, H256,
};
use duet_voter::{Accepted, Window};
use futures::{
    channel::mpsc::{unbounded, UnboundedSender},
    task::{waker_ref, ArcWake},
};
use sc_network::ReputationChange;
use std::sync::atomic::{AtomicBool, Ordering};

const INTERVAL: Millis = 32_000;
const GENESIS: H256 = H256::repeat_byte(9);

/// Nobody is ever banned.
struct Indifferent;

impl Reputations for Indifferent {
    fn report(&self, _: PeerId, _: ReputationChange) {}

    fn is_banned(&self, _: &PeerId) -> bool {
        false
    }
}

#[derive(Default)]
struct Woken(AtomicBool);

impl ArcWake for Woken {
    fn wake_by_ref(woken: &Arc<Self>) {
        woken.0.store(true, Ordering::SeqCst);
    }
}

struct Setup {
    engine: Engine,
    events: UnboundedSender<Event>,
    validator: Arc<GossipValidator>,
    clock: TestClock,
    woken: Arc<Woken>,
    _checked: async_channel::Receiver<crate::Checked>,
}

fn setup() -> Setup {
    let settings = Settings {
        genesis_hash: GENESIS,
        rounds_per_signer: 32,
        interest: Interest::Votes,
    };
    let metrics = Metrics::new(None);
    let (validator, queues) =
        GossipValidator::new(settings, Box::new(Indifferent), metrics.clone());
    let Queues { checked, orders } = queues;
    let (validator, clock) = (Arc::new(validator), TestClock::default());
    let (events, happened) = unbounded();
    let engine = Engine::new(Parts {
        events: happened.boxed(),
        validator: validator.clone(),
        orders,
        rebroadcast: INTERVAL,
        clock: Arc::new(clock.clone()),
        metrics,
    });
    Setup {
        engine,
        events,
        validator,
        clock,
        woken: Arc::default(),
        _checked: checked,
    }
}

impl Setup {
    /// Polls the engine once; whether it wants to be polled again at once.
    fn poll(&mut self) -> bool {
        self.woken.0.store(false, Ordering::SeqCst);
        let waker = waker_ref(&self.woken);
        let polled = Pin::new(&mut self.engine).poll(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
        self.woken.0.load(Ordering::SeqCst)
    }

    /// Lets the engine do all that it can do now.
    fn run(&mut self) {
        while self.poll() {}
    }

    /// As [`Setup::run`], at this time.
    fn run_at(&mut self, now: Millis) {
        self.clock.set(now);
        self.run();
    }

    fn connect(&mut self, line: &Line) -> PeerId {
        self.connect_as(PeerId::random(), Interest::Votes, line)
    }

    /// The peer gets each message in a notification of its own.
    fn connect_as(&mut self, peer: PeerId, interest: Interest, line: &Line) -> PeerId {
        self.open(peer, interest, 1, line);
        peer
    }

    /// The peer gets bundles.
    fn connect_bundling(&mut self, line: &Line) {
        self.open(PeerId::random(), Interest::Votes, GOSSIP.newest, line);
    }

    fn open(&mut self, peer: PeerId, interest: Interest, version: u16, line: &Line) {
        self.happens(Event::Opened {
            peer,
            interest,
            version,
            outlet: Arc::new(line.clone()),
        });
        self.run();
    }

    fn happens(&self, event: Event) {
        self.events.unbounded_send(event).unwrap();
    }

    fn publish(&self, messages: impl IntoIterator<Item = GossipMessage>) -> Vec<Vec<u8>> {
        let publish = |message: GossipMessage| {
            let bytes = message.encode();
            self.validator.send(message);
            bytes
        };
        messages.into_iter().map(publish).collect()
    }

    /// So that a peer has room for whole rounds of a set of this size.
    fn sign_with(&self, set: &TestSet) {
        let signing = Accepted {
            set: Arc::new(set.set.clone()),
            lowest: BlockNumber::new(5),
            highest: BlockNumber::new(100),
        };
        let window = Window {
            signing: Some(signing),
            next: None,
            unpublished: Vec::new(),
            ..Window::default()
        };
        self.validator.update(window, BlockNumber::new(4));
    }
}

fn votes(signers: u32) -> impl Iterator<Item = GossipMessage> {
    (0..signers).map(|signer| vote(10, signer))
}

#[test]
fn a_peer_that_never_reads_delays_nobody_and_has_one_batch_on_its_way() {
    let mut setup = setup();
    let [stuck, quick] = [0, usize::MAX].map(Line::with_room);
    setup.connect(&stuck);
    setup.connect(&quick);
    let published = setup.publish(votes(1_000));
    setup.run();
    assert_eq!(quick.taken(), published);
    let on_their_way = |setup: &Setup| {
        let kept = (0..1_000).map(|signer| Topic::of(&vote(10, signer)));
        kept.filter(|topic| setup.engine.relaying.owners(topic) == Some(2))
            .count()
    };
    assert_eq!(on_their_way(&setup), SINGLE);
    assert_eq!(stuck.most_waiting(), 1);

    // It reads after all: everything once.
    stuck.make_room(usize::MAX);
    setup.run();
    assert_eq!(stuck.taken(), published);
    assert_eq!(on_their_way(&setup), 0);
}

/// GOSSIP-12.
#[test]
fn the_engine_is_woken_to_send_a_relayed_vote_to_the_other_peers() {
    let mut setup = setup();
    let lines = [(); 9].map(|()| Line::with_room(usize::MAX));
    let peers: Vec<_> = lines.iter().map(|line| setup.connect(line)).collect();
    let taken = |setup: &mut Setup| -> usize {
        setup.run();
        lines.iter().map(|line| line.taken().len()).sum()
    };
    let keep = |holders| {
        Order(Ordered::Keep {
            message: vote(10, 1),
            holders,
        })
    };
    setup.engine.carry_out(keep(vec![peers[0]]), 0);
    let at_once = taken(&mut setup);
    assert!((3..=4).contains(&at_once), "{at_once}");
    let woken = setup.woken.clone();
    let waker = waker_ref(&woken);
    let is_due = |setup: &mut Setup, now| {
        setup.clock.set(now);
        setup.engine.is_due(&mut Context::from_waker(&waker))
    };
    assert!(!is_due(&mut setup, 249));
    assert_eq!(taken(&mut setup), 0);
    assert!(is_due(&mut setup, 250));
    assert_eq!(at_once + taken(&mut setup), 8);
}

/// What these notifications carry.
fn read(notifications: &[Vec<u8>]) -> Vec<GossipMessage> {
    let read = |bytes: &Vec<u8>| messages_of(bytes).unwrap();
    notifications.iter().flat_map(read).collect()
}

/// GOSSIP-11.
#[test]
fn votes_that_wait_for_a_slow_peer_travel_together_and_a_lone_vote_waits_for_none() {
    let mut setup = setup();
    let [slow, older] = [0, usize::MAX].map(Line::with_room);
    setup.connect_bundling(&slow);
    setup.connect(&older);
    let votes: Vec<_> = votes(1_000).collect();
    let alone = setup.publish(votes[..1].iter().cloned());
    setup.run();
    let rest = setup.publish(votes[1..].iter().cloned());
    setup.run();
    assert_eq!(slow.most_waiting(), 1);
    slow.make_room(usize::MAX);
    setup.run();
    let taken = slow.taken();
    assert_eq!(taken[0], alone[0]);
    assert_eq!(taken.len(), 1 + 999_usize.div_ceil(MAX_BUNDLED));
    assert_eq!(read(&taken), votes);
    assert_eq!(older.taken(), [alone, rest].concat(), "it knows no bundles");
    assert_eq!(setup.engine.metrics.messages_sent.get(), 2_000);
}

/// GOSSIP-11.
#[test]
fn a_bundle_that_a_connection_does_not_take_is_lost_neither_whole_nor_in_part() {
    let mut setup = setup();
    let line = Line::with_room(1);
    setup.connect_bundling(&line);
    let votes: Vec<_> = votes(600).collect();
    setup.publish(votes.iter().cloned());
    setup.run();
    line.set_broken(true);
    line.make_room(usize::MAX);
    setup.run();
    line.set_broken(false);
    let mut taken = line.taken();
    assert_eq!(read(&taken), votes[..MAX_BUNDLED]);
    setup.run_at(REST);
    taken.extend(line.taken());
    assert_eq!(read(&taken), votes);
}

#[test]
fn a_proof_overtakes_the_votes_that_wait_for_a_slow_peer() {
    let mut setup = setup();
    let slow = Line::default();
    setup.connect(&slow);
    setup.publish(votes(500));
    setup.run();
    let proofs = setup.publish([proof(11)]);
    setup.run();
    slow.make_room(SINGLE + 1);
    setup.run();
    assert_eq!(slow.taken().last(), proofs.first());
}

/// GOSSIP-8.
#[test]
fn a_connection_that_closes_in_mid_send_is_forgotten_and_the_next_one_gets_everything() {
    let mut setup = setup();
    let first = Line::with_room(20);
    let peer = setup.connect(&first);
    let published = setup.publish(votes(100));
    setup.run();
    assert_eq!(first.taken(), published[..20]);
    setup.happens(Event::Closed(peer));
    setup.run();
    first.make_room(usize::MAX);
    setup.run();
    assert_eq!(first.taken().len(), 0, "nothing goes to who is gone");
    assert_eq!(setup.validator.peers(), []);

    let second = Line::with_room(usize::MAX);
    setup.connect_as(peer, Interest::Votes, &second);
    assert_eq!(second.taken(), published);
}

#[test]
fn a_connection_that_is_opened_twice_counts_from_the_second_time() {
    let mut setup = setup();
    let [first, second] = [Line::with_room(20), Line::with_room(usize::MAX)];
    let peer = setup.connect(&first);
    let published = setup.publish(votes(100));
    setup.run();
    setup.connect_as(peer, Interest::Votes, &second);
    assert_eq!(second.taken(), published);
    first.make_room(usize::MAX);
    setup.run();
    assert_eq!(first.taken().len(), 20);
}

#[test]
fn a_connection_that_takes_nothing_for_a_while_loses_nothing_and_gets_nothing_twice() {
    let mut setup = setup();
    let line = Line::with_room(20);
    setup.connect(&line);
    let published = setup.publish(votes(100));
    setup.run();
    line.set_broken(true);
    line.make_room(usize::MAX);
    setup.run();
    line.set_broken(false);
    setup.run_at(REST - 1);
    assert_eq!(line.taken(), published[..20], "it is left alone");
    setup.run_at(REST);
    assert_eq!(line.taken(), published[20..]);
}

/// GOSSIP-9.
#[test]
fn a_peer_that_wants_proofs_gets_no_votes() {
    let mut setup = setup();
    let line = Line::with_room(usize::MAX);
    setup.connect_as(PeerId::random(), Interest::Proofs, &line);
    setup.publish(votes(100));
    let proofs = setup.publish([proof(11)]);
    setup.run();
    assert_eq!(line.taken(), proofs);
}

/// GOSSIP-8.
#[test]
fn what_was_handed_over_goes_again_after_a_while() {
    let mut setup = setup();
    let line = Line::with_room(usize::MAX);
    setup.connect(&line);
    let published = setup.publish(votes(100));
    setup.run();
    assert_eq!(line.taken(), published);
    setup.run_at(INTERVAL);
    assert_eq!(line.taken().len(), 0);
    setup.run_at(2 * INTERVAL);
    assert_eq!(line.taken(), published);
}

/// GOSSIP-8.
#[test]
fn votes_for_which_a_peer_has_no_room_follow_when_it_has_some() {
    let mut setup = setup();
    let line = Line::with_room(usize::MAX);
    setup.connect(&line);
    let published = setup.publish(votes(1_100));
    setup.run();
    assert_eq!(line.taken(), published[..1_024]);
    setup.run_at(20);
    assert_eq!(line.taken(), published[1_024..1_064]);
    setup.run_at(1_000);
    assert_eq!(line.taken(), published[1_064..]);
}

#[test]
fn a_poll_ends_after_a_bounded_amount_of_work() {
    let mut setup = setup();
    let lines = [(); 100].map(|()| Line::with_room(usize::MAX));
    for line in &lines {
        setup.connect(line);
    }
    setup.publish(votes(1_000));
    for byte in 0..1_000_u32 {
        let garbage = byte.encode();
        setup.happens(Event::Received(PeerId::random(), garbage));
    }
    let done = |setup: &Setup| {
        [
            setup.engine.metrics.undecodable.get(),
            setup.engine.metrics.messages_kept.get(),
            setup.engine.metrics.messages_sent.get(),
        ]
    };
    let mut before = done(&setup);
    loop {
        let again = setup.poll();
        let after = done(&setup);
        let [received, kept, sent] = [0, 1, 2].map(|of| after[of] - before[of]);
        assert!(
            received <= 128 && kept <= 256 && sent <= 1_100,
            "{received} received, {kept} kept and {sent} sent in one poll"
        );
        before = after;
        if !again {
            break;
        }
    }
    assert_eq!(before, [1_000, 1_000, 100_000]);
}

/// A bundle has as many bytes as a hundred votes, and as much to do.
#[test]
fn a_poll_ends_after_few_large_notifications() {
    let mut setup = setup();
    for _ in 0..20 {
        let garbage = vec![0; 30_000];
        setup.happens(Event::Received(PeerId::random(), garbage));
    }
    let mut read = 0;
    loop {
        let again = setup.poll();
        let before = std::mem::replace(&mut read, setup.engine.metrics.undecodable.get());
        assert!(read - before <= 2, "{} read in one poll", read - before);
        if !again {
            break;
        }
    }
    assert_eq!(read, 20);
}

/// GOSSIP-5. What was checked a moment ago, and is not kept yet, does not go back to who sends a copy of it now.
#[test]
fn a_copy_that_comes_while_the_order_to_keep_waits_is_not_answered() {
    let mut setup = setup();
    let set = TestSet::new(0, 0..4);
    setup.sign_with(&set);
    let lines = [(); 3].map(|()| Line::with_room(usize::MAX));
    let [first, second, third] = lines.each_ref().map(|line| setup.connect(line));
    let message = RoundMessage::new(GENESIS, set.commitment(10, &set.set));
    let vote = UncheckedVote::sign(&set.secrets[1], SignerIndex::new(1), &message);
    let bytes = GossipMessage::Vote(vote).encode();

    setup.happens(Event::Received(first, bytes.clone()));
    setup.run();
    let verifier = verify(setup.validator.clone());
    assert!(futures::FutureExt::now_or_never(verifier).is_none());
    setup.happens(Event::Received(second, bytes.clone()));
    setup.run();
    let taken = lines.each_ref().map(|line| line.taken().len());
    assert_eq!(taken, [0, 0, 1]);
    setup.happens(Event::Received(third, bytes));
    setup.run_at(2 * INTERVAL);
    let taken = lines.each_ref().map(|line| line.taken().len());
    assert_eq!(taken, [0; 3], "all have it");
}

/// 10 000 votes for 25 peers: prints what the engine needs for them.
#[test]
#[ignore = "a measurement, to be run alone: cargo test --workspace --lib -- --ignored --nocapture cost_of_sending"]
fn cost_of_sending() {
    for (version, peers) in [(1, 1), (1, 25), (1, 50), (2, 1), (2, 25), (2, 50)] {
        let mut setup = setup();
        setup.sign_with(&TestSet::new(0, 0..4));
        let lines: Vec<_> = (0..peers).map(|_| Line::with_room(usize::MAX)).collect();
        for line in &lines {
            setup.open(PeerId::random(), Interest::Votes, version, line);
        }
        for round in 0..10 {
            setup.publish((0..1_000).map(|signer| vote(10 + round, signer)));
        }
        let began = std::time::Instant::now();
        let mut longest = std::time::Duration::ZERO;
        for tick in 0..1_000 {
            setup.clock.set(tick * 20);
            loop {
                let poll = std::time::Instant::now();
                let again = setup.poll();
                longest = longest.max(poll.elapsed());
                if !again {
                    break;
                }
            }
        }
        let took = began.elapsed();
        let sent: usize = lines.iter().map(|line| read(&line.taken()).len()).sum();
        println!(
            "{peers} peers, version {version}: {sent} sent in {took:?}, longest poll {longest:?}"
        );
    }
}
