use super::*;
use crate::topic::Kind;
use codec::Encode;
use duet_primitives::{
    testing::TestSet, SetId, SignerIndex, UncheckedJustification, UncheckedVote,
};
use duet_voter::Accepted;
use futures::{
    future::{self, BoxFuture},
    FutureExt,
};
use sp_runtime::{
    generic::{Block as GenericBlock, Header},
    traits::BlakeTwo256,
    OpaqueExtrinsic,
};
use std::{
    cell::RefCell,
    sync::atomic::{AtomicU64, Ordering},
};

type Block = GenericBlock<Header<u32, BlakeTwo256>, OpaqueExtrinsic>;

/// Records what is relayed, and to whom it may go.
#[derive(Default)]
struct Context {
    relayed: RefCell<Vec<Vec<u8>>>,
}

impl ValidatorContext<Block> for Context {
    fn broadcast_topic(&mut self, _: H256, _: bool) {}
    fn broadcast_message(&mut self, _: H256, message: Vec<u8>, _: bool) {
        self.relayed.borrow_mut().push(message);
    }
    fn send_message(&mut self, _: &PeerId, _: Vec<u8>) {}
    fn send_topic(&mut self, _: &PeerId, _: H256, _: bool) {}
}

/// Reputations as the network keeps them, except that they never decay.
#[derive(Clone, Default)]
struct Ledger(Arc<Mutex<Vec<(PeerId, i32)>>>);

impl Ledger {
    fn entries(&self) -> usize {
        self.0.lock().len()
    }

    fn last(&self) -> Option<i32> {
        self.0.lock().last().map(|(_, value)| *value)
    }
}

impl Reputations for Ledger {
    fn report(&self, peer: PeerId, change: ReputationChange) {
        self.0.lock().push((peer, change.value));
    }

    fn is_banned(&self, peer: &PeerId) -> bool {
        let of_peer = |(who, value): &(PeerId, i32)| (who == peer).then_some(*value);
        let ledger = self.0.lock();
        let reputation = ledger
            .iter()
            .filter_map(of_peer)
            .fold(0, i32::saturating_add);
        reputation < BANNED_THRESHOLD
    }
}

/// A clock that a test sets; nothing here waits for it.
#[derive(Default)]
struct TestClock(AtomicU64);

impl Clock for TestClock {
    fn now(&self) -> Millis {
        self.0.load(Ordering::Relaxed)
    }

    fn sleep_until(&self, _: Millis) -> BoxFuture<'static, ()> {
        future::pending().boxed()
    }
}

struct Setup {
    set: TestSet,
    genesis: H256,
    validator: GossipValidator,
    checked: async_channel::Receiver<Checked>,
    ledger: Ledger,
    clock: Arc<TestClock>,
    context: Context,
    peer: PeerId,
}

/// See [`Settings::rebroadcast`].
const REBROADCAST: Millis = 30_000;
const LOWEST: u32 = 5;
const HIGHEST: u32 = 100;

fn setup_with_queue(queue: usize) -> Setup {
    let set = TestSet::new(0, 0..4);
    let genesis = H256::repeat_byte(9);
    let (ledger, clock) = (Ledger::default(), Arc::new(TestClock::default()));
    let settings = Settings {
        genesis_hash: genesis,
        rounds_per_signer: 32,
        rebroadcast: REBROADCAST,
    };
    let (mut validator, _) = GossipValidator::new(
        settings,
        Box::new(ledger.clone()),
        clock.clone(),
        Metrics::new(None),
    );
    let (sender, checked) = async_channel::bounded(queue);
    validator.checked = sender;
    let signing = Accepted {
        set: Arc::new(set.set.clone()),
        lowest: BlockNumber::new(LOWEST),
        highest: BlockNumber::new(HIGHEST),
    };
    let window = Window {
        signing: Some(signing),
        next: None,
        awaited: Vec::new(),
    };
    validator.update(window, BlockNumber::new(LOWEST - 1));
    let mut setup = Setup {
        set,
        genesis,
        validator,
        checked,
        ledger,
        clock,
        context: Context::default(),
        peer: PeerId::random(),
    };
    let role = ObservedRole::Full;
    Validator::<Block>::new_peer(&setup.validator, &mut setup.context, &setup.peer, role);
    setup
}

fn setup() -> Setup {
    setup_with_queue(16)
}

/// What the gossip engine is told.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Keep(Topic),
    Process(Topic),
    Discard,
}

impl Setup {
    fn send(&mut self, bytes: &[u8]) -> Told {
        // The connection does not matter for most tests: see the one about relaying.
        let topic = |hash: H256| Topic {
            from: None,
            ..Topic::from_hash(&hash).expect("the validator made the topic")
        };
        let Self {
            validator,
            context,
            peer,
            ..
        } = self;
        match Validator::<Block>::validate(validator, context, peer, bytes) {
            ValidationResult::ProcessAndKeep(hash) => Told::Keep(topic(hash)),
            ValidationResult::ProcessAndDiscard(hash) => Told::Process(topic(hash)),
            ValidationResult::Discard => Told::Discard,
        }
    }

    fn commitment(&self, number: u32) -> Commitment {
        self.set.commitment(number, &self.set.set)
    }

    fn vote(&self, commitment: Commitment, signer: u32) -> UncheckedVote {
        let message = RoundMessage::new(self.genesis, commitment);
        let secret = &self.set.secrets[usize::try_from(signer).unwrap()];
        UncheckedVote::sign(secret, SignerIndex::new(signer), &message)
    }

    fn send_vote(&mut self, vote: UncheckedVote) -> Told {
        self.send(&GossipMessage::Vote(vote).encode())
    }

    fn relayed(&self) -> usize {
        self.context.relayed.borrow().len()
    }

    fn dleq_checks(&self) -> u64 {
        self.validator.metrics.dleq_checks.get()
    }

    fn last_report(&self) -> Option<i32> {
        self.ledger.last()
    }
}

fn topic(kind: Kind, number: u32) -> Topic {
    Topic {
        kind,
        set_id: SetId::new(0),
        number: BlockNumber::new(number),
        from: None,
    }
}

fn vote_topic(number: u32) -> Topic {
    topic(Kind::Vote, number)
}

/// GOSSIP-5.
#[test]
fn a_valid_vote_is_kept_relayed_as_it_came_and_handed_to_the_worker() {
    let mut setup = setup();
    let bytes = GossipMessage::Vote(setup.vote(setup.commitment(10), 2)).encode();
    assert_eq!(setup.send(&bytes), Told::Keep(vote_topic(10)));
    assert_eq!(*setup.context.relayed.borrow(), [bytes]);
    assert_eq!(
        setup.last_report(),
        Some(PeerBehaviour::GoodVote.reputation().value)
    );
    let Ok(Checked::Vote { vote, message }) = setup.checked.try_recv() else {
        panic!("the worker gets the vote")
    };
    assert_eq!(
        (vote.signer(), message.commitment()),
        (SignerIndex::new(2), vote.commitment())
    );
}

/// GOSSIP-3.
#[test]
fn the_same_vote_again_costs_no_curve_work_and_no_reputation() {
    let mut setup = setup();
    let vote = setup.vote(setup.commitment(10), 2);
    setup.send_vote(vote.clone());
    let reports = setup.ledger.entries();
    assert_eq!(setup.send_vote(vote), Told::Discard);
    assert_eq!(setup.dleq_checks(), 1);
    assert_eq!((setup.relayed(), setup.ledger.entries()), (1, reports));
}

/// GOSSIP-3.
#[test]
fn other_bytes_for_the_same_commitment_cost_no_curve_work() {
    let mut setup = setup();
    let vote = setup.vote(setup.commitment(10), 2);
    setup.send_vote(vote.clone());
    // A re-randomised proof differs in these bytes; whether it would hold is never asked.
    let mut other = vote;
    other.signature = setup.vote(setup.commitment(11), 2).signature;
    assert_eq!(setup.send_vote(other), Told::Discard);
    assert_eq!((setup.dleq_checks(), setup.relayed()), (1, 1));
}

/// GOSSIP-6.
#[test]
fn a_forged_vote_blames_its_sender_and_does_not_take_its_signers_place() {
    let mut setup = setup();
    let good = setup.vote(setup.commitment(10), 2);
    let mut forged = good.clone();
    forged.signature = setup.vote(setup.commitment(10), 3).signature;
    assert_eq!(setup.send_vote(forged), Told::Discard);
    assert_eq!(
        setup.last_report(),
        Some(PeerBehaviour::BadVote.reputation().value)
    );
    assert_eq!(setup.relayed(), 0);
    assert_eq!(setup.send_vote(good), Told::Keep(vote_topic(10)));
}

/// GOSSIP-6.
#[test]
fn nothing_is_checked_of_what_a_peer_sent_before_its_ban() {
    let mut setup = setup();
    let forge = |setup: &Setup, number| {
        let mut forged = setup.vote(setup.commitment(number), 2);
        forged.signature = setup.vote(setup.commitment(number), 3).signature;
        forged
    };
    let mut sent = 0;
    while !setup.ledger.is_banned(&setup.peer) {
        assert_eq!(setup.send_vote(forge(&setup, 10)), Told::Discard);
        sent += 1;
    }
    assert_eq!(setup.dleq_checks(), sent);

    assert_eq!(setup.send_vote(forge(&setup, 11)), Told::Discard);
    let honest = setup.vote(setup.commitment(10), 2);
    assert_eq!(setup.send_vote(honest.clone()), Told::Discard);
    assert_eq!(setup.dleq_checks(), sent);
    assert_eq!(setup.validator.metrics.banned_drops.get(), 2);

    // The same vote from anybody else counts.
    setup.peer = PeerId::random();
    assert_eq!(setup.send_vote(honest), Told::Keep(vote_topic(10)));
}

/// GOSSIP-4.
#[test]
fn a_second_commitment_makes_evidence_once_and_is_relayed_once() {
    let mut setup = setup();
    let first = setup.commitment(10);
    let others = [1, 2].map(|byte| {
        let mut other = first.clone();
        other.block_hash = H256::repeat_byte(byte);
        other
    });
    setup.send_vote(setup.vote(first, 2));
    let [second, third] = others.map(|other| setup.vote(other, 2));
    assert_eq!(setup.send_vote(second), Told::Keep(vote_topic(10)));
    assert_eq!(
        setup.last_report(),
        Some(PeerBehaviour::GoodEvidence.reputation().value)
    );
    assert_eq!(setup.send_vote(third), Told::Discard);
    assert_eq!((setup.dleq_checks(), setup.relayed()), (2, 2));

    assert!(matches!(setup.checked.try_recv(), Ok(Checked::Vote { .. })));
    let Ok(Checked::Equivocation(evidence)) = setup.checked.try_recv() else {
        panic!("the worker gets the evidence")
    };
    assert!(evidence
        .check(setup.set.set.commitment(), setup.genesis)
        .is_ok());
}

#[test]
fn garbage_is_blamed_by_its_length() {
    let mut setup = setup();
    assert_eq!(setup.send(&[7; 20]), Told::Discard);
    let cost = PeerBehaviour::Undecodable { bytes: 20 }.reputation().value;
    assert_eq!(setup.last_report(), Some(cost));
    assert_eq!(setup.validator.metrics.undecodable.get(), 1);
}

/// GOSSIP-2.
#[test]
fn what_is_out_of_the_window_is_dropped_without_curve_work_or_blame() {
    let mut setup = setup();
    for number in [LOWEST - 1, HIGHEST + 1] {
        assert_eq!(
            setup.send_vote(setup.vote(setup.commitment(number), 1)),
            Told::Discard
        );
    }
    let mut other_set = setup.commitment(10);
    other_set.validator_set_id = SetId::new(1);
    assert_eq!(setup.send_vote(setup.vote(other_set, 1)), Told::Discard);
    assert_eq!((setup.dleq_checks(), setup.last_report()), (0, None));
    assert_eq!(setup.validator.metrics.votes_ignored.get(), 3);
}

/// GOSSIP-2.
#[test]
fn a_signer_that_the_set_does_not_have_is_blamed_without_curve_work() {
    let mut setup = setup();
    let mut vote = setup.vote(setup.commitment(10), 1);
    vote.signer = SignerIndex::new(4);
    assert_eq!(setup.send_vote(vote), Told::Discard);
    assert_eq!(
        setup.last_report(),
        Some(PeerBehaviour::UnknownSigner.reputation().value)
    );
    assert_eq!(setup.dleq_checks(), 0);
}

#[test]
fn a_justification_is_checked_once_relayed_once_and_a_bad_one_blamed() {
    let mut setup = setup();
    let message = RoundMessage::new(setup.genesis, setup.commitment(10));
    let good = setup.set.justify(&message, 0..3).into_unchecked();
    let mut bad = good.clone();
    bad.apk2 = setup.set.justify(&message, 1..4).into_unchecked().apk2;
    let send = |setup: &mut Setup, one: UncheckedJustification| {
        setup.send(&GossipMessage::Justification(one).encode())
    };
    assert_eq!(send(&mut setup, bad), Told::Discard);
    assert_eq!(
        setup.last_report(),
        Some(PeerBehaviour::BadJustification.reputation().value)
    );
    let topic = topic(Kind::Justification, 10);
    assert_eq!(send(&mut setup, good.clone()), Told::Keep(topic));
    assert_eq!(send(&mut setup, good), Told::Discard);
    assert_eq!(setup.relayed(), 1);
    assert!(matches!(
        setup.checked.try_recv(),
        Ok(Checked::Justification(_))
    ));
}

/// GOSSIP-7.
#[test]
fn with_a_full_queue_nothing_is_checked_and_nothing_is_marked_as_known() {
    let mut setup = setup_with_queue(1);
    setup.send_vote(setup.vote(setup.commitment(10), 1));
    let second = setup.vote(setup.commitment(10), 2);
    assert_eq!(setup.send_vote(second.clone()), Told::Discard);
    assert_eq!(setup.dleq_checks(), 1);
    assert_eq!(setup.validator.metrics.queue_drops.get(), 1);
    assert!(setup.checked.try_recv().is_ok());
    assert_eq!(setup.send_vote(second), Told::Keep(vote_topic(10)));
}

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
