use super::*;
use crate::{notification::next_notification, protocol::GOSSIP};
use codec::Encode;
use duet_primitives::{
    testing::TestSet, Commitment, SetId, SignerIndex, UncheckedJustification, UncheckedVote,
};
use duet_voter::Accepted;
use futures::FutureExt;

/// Reputations as the network keeps them, except that they never decay.
#[derive(Clone, Default)]
struct Ledger(Arc<Mutex<Vec<(PeerId, i32)>>>);

impl Ledger {
    fn entries(&self) -> usize {
        self.0.lock().len()
    }

    fn of(&self, peer: &PeerId) -> i32 {
        let ledger = self.0.lock();
        let of_peer = ledger.iter().filter(|(who, _)| who == peer);
        of_peer.fold(0, |sum, (_, value)| sum.saturating_add(*value))
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
        self.of(peer) < BANNED_THRESHOLD
    }
}

struct Setup {
    set: TestSet,
    genesis: H256,
    validator: Arc<GossipValidator>,
    queues: Queues,
    ledger: Ledger,
    peer: PeerId,
}

const LOWEST: u32 = 5;
const HIGHEST: u32 = 100;

fn setup() -> Setup {
    setup_of(TestSet::new(0, 0..4))
}

fn setup_of(set: TestSet) -> Setup {
    setup_with(set, Interest::Votes)
}

fn setup_with(set: TestSet, interest: Interest) -> Setup {
    let genesis = H256::repeat_byte(9);
    let ledger = Ledger::default();
    let settings = Settings {
        genesis_hash: genesis,
        rounds_per_signer: 32,
        interest,
    };
    let (validator, queues) =
        GossipValidator::new(settings, Box::new(ledger.clone()), Metrics::new(None));
    let signing = Accepted {
        set: Arc::new(set.set.clone()),
        lowest: BlockNumber::new(LOWEST),
        highest: BlockNumber::new(HIGHEST),
    };
    let window = Window {
        signing: Some(signing),
        ..Window::default()
    };
    validator.update(window, BlockNumber::new(LOWEST - 1));
    let setup = Setup {
        set,
        genesis,
        validator: Arc::new(validator),
        queues,
        ledger,
        peer: PeerId::random(),
    };
    setup.validator.connected(setup.peer);
    setup
}

impl Setup {
    /// A message arrives, without a check. Returns whether it is known.
    fn arrive(&self, peer: &PeerId, bytes: &[u8]) -> bool {
        !self.validator.receive(peer, bytes).is_empty()
    }

    /// Checks all waiting messages.
    fn check(&self) {
        self.signal();
        let verifier = verify(self.validator.clone());
        assert!(
            verifier.now_or_never().is_none(),
            "it waits for more when it is done"
        );
    }

    /// So that a check also finds what arrived before the last one.
    fn signal(&self) {
        self.validator.signal_work();
    }

    /// A message arrives and is checked; returns the relayed messages.
    fn send(&self, bytes: &[u8]) -> Vec<Topic> {
        self.arrive(&self.peer, bytes);
        self.check();
        self.relayed().iter().map(plain).collect()
    }

    fn relayed(&self) -> Vec<GossipMessage> {
        let relayed = self.relayed_with_holders().into_iter();
        relayed.map(|(message, _)| message).collect()
    }

    fn relayed_with_holders(&self) -> Vec<(GossipMessage, Vec<PeerId>)> {
        std::iter::from_fn(|| self.queues.orders.try_recv().ok())
            .filter_map(|Order(ordered)| match ordered {
                Ordered::Keep { message, holders } => Some((message, holders)),
                Ordered::Follow { .. } | Ordered::Forget(_) => None,
            })
            .collect()
    }

    fn commitment(&self, number: u32) -> Commitment {
        self.set.commitment(number, &self.set.set)
    }

    fn vote(&self, commitment: Commitment, signer: u32) -> UncheckedVote {
        let message = RoundMessage::new(self.genesis, commitment);
        let secret = &self.set.secrets[usize::try_from(signer).unwrap()];
        UncheckedVote::sign(secret, SignerIndex::new(signer), &message)
    }

    /// A vote with another signer's signature.
    fn forged(&self, commitment: Commitment, signer: u32) -> UncheckedVote {
        let mut forged = self.vote(commitment.clone(), signer);
        forged.signature = self.vote(commitment, (signer + 1) % 4).signature;
        forged
    }

    fn send_vote(&self, vote: UncheckedVote) -> Vec<Topic> {
        self.send(&bytes_of(vote))
    }

    fn dleq_checks(&self) -> u64 {
        self.validator.metrics.dleq_checks.get()
    }

    fn last_report(&self) -> Option<i32> {
        self.ledger.last()
    }
}

fn bytes_of(vote: UncheckedVote) -> Vec<u8> {
    GossipMessage::Vote(vote).encode()
}

/// Ignores the field that distinguishes commitments: see [`Setup::send`].
fn vote_topic(number: u32, signer: u32) -> Topic {
    Topic {
        number: BlockNumber::new(number),
        set_id: SetId::new(0),
        signer: Some(SignerIndex::new(signer)),
        commitment: H256::zero(),
    }
}

/// A topic without the field that distinguishes commitments.
fn plain(message: &GossipMessage) -> Topic {
    Topic {
        commitment: H256::zero(),
        ..Topic::of(message)
    }
}

fn proof_topic(number: u32) -> Topic {
    Topic {
        signer: None,
        ..vote_topic(number, 0)
    }
}

/// GOSSIP-5.
#[test]
fn a_valid_vote_is_relayed_as_it_came_and_handed_to_the_worker_after_its_check() {
    let setup = setup();
    let bytes = bytes_of(setup.vote(setup.commitment(10), 2));
    setup.arrive(&setup.peer, &bytes);
    assert_eq!(
        (setup.relayed().len(), setup.ledger.entries()),
        (0, 0),
        "nothing is relayed or earned without a check"
    );
    let metrics = &setup.validator.metrics;
    let checks = || metrics.check_seconds.get_sample_count();
    assert_eq!((metrics.checks_waiting.get(), checks()), (1, 0));
    setup.check();
    assert_eq!((metrics.checks_waiting.get(), checks()), (0, 1));
    assert_eq!(metrics.behaviours.counted(PeerBehaviour::GoodVote), 1);
    let relayed: Vec<_> = setup.relayed().iter().map(Encode::encode).collect();
    assert_eq!(relayed, [bytes]);
    assert_eq!(
        setup.last_report(),
        Some(PeerBehaviour::GoodVote.reputation().value)
    );
    let Ok(Checked::Votes(votes)) = setup.queues.checked.try_recv() else {
        panic!("the worker gets the vote")
    };
    let signers: Vec<_> = votes.iter().map(Vote::signer).collect();
    assert_eq!(signers, [SignerIndex::new(2)]);
}

/// GOSSIP-5.
#[test]
fn votes_of_one_round_are_checked_together_and_each_has_its_own_verdict() {
    let setup = setup();
    let own = RoundMessage::new(setup.genesis, setup.commitment(10)).expecting(4);
    setup.validator.prepare(&own);
    for signer in 0..4 {
        let vote = match signer {
            1 => setup.forged(setup.commitment(10), signer),
            _ => setup.vote(setup.commitment(10), signer),
        };
        setup.arrive(&setup.peer, &bytes_of(vote));
    }
    setup.check();
    let Ok(Checked::Votes(votes)) = setup.queues.checked.try_recv() else {
        panic!("the worker gets the votes")
    };
    let signers: Vec<_> = votes.iter().map(|vote| vote.signer().get()).collect();
    assert_eq!(signers, [0, 2, 3]);
    assert!(setup.queues.checked.try_recv().is_err(), "at once");
    assert_eq!(setup.validator.metrics.votes_bad.get(), 1);
}

/// A notification with these votes.
fn bundle_of(votes: Vec<UncheckedVote>) -> Vec<u8> {
    let messages: Vec<_> = votes.into_iter().map(GossipMessage::Vote).collect();
    let (bundle, len) = next_notification(&messages, GOSSIP.newest).expect("votes");
    assert_eq!(len, messages.len(), "they are on one commitment");
    bundle
}

/// GOSSIP-11.
#[test]
fn each_vote_of_a_bundle_has_its_own_verdict_and_copies_of_it_are_known() {
    let setup = setup();
    let votes: Vec<_> = (0..4)
        .map(|signer| match signer {
            1 => setup.forged(setup.commitment(10), signer),
            _ => setup.vote(setup.commitment(10), signer),
        })
        .collect();
    let bundle = bundle_of(votes.clone());
    let relayed = setup.send(&bundle);
    assert_eq!(relayed, [0, 2, 3].map(|signer| vote_topic(10, signer)));
    let [good, bad] = [PeerBehaviour::GoodVote, PeerBehaviour::BadVote];
    let counted = |behaviour| setup.validator.metrics.behaviours.counted(behaviour);
    assert_eq!([good, bad].map(counted), [3, 1]);

    let expected = [0, 2, 3].map(|at: usize| Topic::of(&GossipMessage::Vote(votes[at].clone())));
    let other = PeerId::random();
    assert_eq!(setup.validator.receive(&other, &bundle), expected);
}

/// GOSSIP-11.
#[test]
fn a_bundle_is_read_up_to_the_first_vote_of_nobody() {
    let setup = setup();
    let vote = |signer| setup.vote(setup.commitment(10), signer);
    let mut stranger = vote(2);
    stranger.signer = SignerIndex::new(4);
    let bundle = bundle_of(vec![vote(0), stranger.clone(), stranger, vote(1)]);
    assert_eq!(setup.send(&bundle), [vote_topic(10, 0)]);
    let blamed = PeerBehaviour::UnknownSigner;
    assert_eq!(setup.validator.metrics.behaviours.counted(blamed), 1);
}

/// GOSSIP-3.
#[test]
fn the_same_vote_again_costs_no_curve_work_and_no_reputation() {
    let setup = setup();
    let vote = setup.vote(setup.commitment(10), 2);
    setup.send_vote(vote.clone());
    let reports = setup.ledger.entries();
    assert_eq!(setup.send_vote(vote), []);
    assert_eq!((setup.dleq_checks(), setup.ledger.entries()), (1, reports));
}

/// GOSSIP-3.
#[test]
fn copies_that_come_before_the_check_are_not_checked() {
    let setup = setup();
    let bytes = bytes_of(setup.vote(setup.commitment(10), 2));
    for _ in 0..5 {
        setup.arrive(&PeerId::random(), &bytes);
    }
    setup.check();
    assert_eq!((setup.dleq_checks(), setup.relayed().len()), (1, 1));
    assert_eq!(setup.ledger.entries(), 1);
}

/// GOSSIP-3.
#[test]
fn other_bytes_for_the_same_commitment_cost_no_curve_work() {
    let setup = setup();
    let vote = setup.vote(setup.commitment(10), 2);
    setup.send_vote(vote.clone());
    // A re-randomised proof differs in these bytes; it is never checked.
    let mut other = vote;
    other.signature = setup.vote(setup.commitment(11), 2).signature;
    assert_eq!(setup.send_vote(other), []);
    assert_eq!(setup.dleq_checks(), 1);
}

/// GOSSIP-6.
#[test]
fn a_forged_vote_blames_its_sender_and_does_not_take_its_signers_place() {
    let setup = setup();
    let forged = setup.forged(setup.commitment(10), 2);
    assert_eq!(setup.send_vote(forged), []);
    assert_eq!(
        setup.last_report(),
        Some(PeerBehaviour::BadVote.reputation().value)
    );
    let good = setup.vote(setup.commitment(10), 2);
    assert_eq!(setup.send_vote(good), [vote_topic(10, 2)]);
}

/// GOSSIP-6.
#[test]
fn a_forgery_that_waits_does_not_keep_out_the_vote_that_comes_after_it() {
    for prepared in [false, true] {
        let setup = setup();
        if prepared {
            let own = RoundMessage::new(setup.genesis, setup.commitment(10));
            setup.validator.prepare(&own);
        }
        let [liar, honest] = [PeerId::random(), PeerId::random()];
        setup.arrive(&liar, &bytes_of(setup.forged(setup.commitment(10), 2)));
        setup.arrive(&honest, &bytes_of(setup.vote(setup.commitment(10), 2)));
        setup.check();
        assert_eq!(setup.relayed().len(), 1);
        let costs = [liar, honest].map(|peer| setup.ledger.of(&peer).signum());
        assert_eq!(costs, [-1, 1]);
    }
}

/// GOSSIP-6.
#[test]
fn nothing_is_checked_of_what_a_peer_sent_before_its_ban() {
    let mut setup = setup();
    // Each on a separate commitment, all of them before any check.
    for byte in 0..=255 {
        let mut invented = setup.commitment(10);
        invented.mmr_root = H256::repeat_byte(byte);
        setup.arrive(&setup.peer, &bytes_of(setup.forged(invented, 2)));
    }
    setup.check();
    assert!(setup.ledger.is_banned(&setup.peer));
    let checked = setup.dleq_checks();
    assert!((100..=101).contains(&checked), "{checked}");
    assert_eq!(setup.validator.metrics.banned_drops.get(), 256 - checked);
    assert_eq!(setup.relayed(), [], "inventions leave nothing behind");

    let honest = setup.vote(setup.commitment(10), 2);
    assert_eq!(setup.send_vote(honest.clone()), []);
    assert_eq!(setup.dleq_checks(), checked);

    // The same vote from another peer counts.
    setup.peer = PeerId::random();
    assert_eq!(setup.send_vote(honest), [vote_topic(10, 2)]);
}

/// GOSSIP-7.
#[test]
fn a_flood_of_one_peer_does_not_delay_the_vote_of_another() {
    let setup = setup();
    let flood = setup.forged(setup.commitment(10), 2);
    for byte in 0..=255 {
        for signer in 0..4 {
            let mut vote = flood.clone();
            vote.commitment.mmr_root = H256::repeat_byte(byte);
            vote.signer = SignerIndex::new(signer);
            setup.arrive(&setup.peer, &bytes_of(vote));
        }
    }
    let mut late = flood;
    late.commitment.block_number = BlockNumber::new(11);
    setup.arrive(&setup.peer, &bytes_of(late));
    let drops = setup.validator.metrics.queue_drops.get();
    assert_eq!(drops, 1, "a peer has room for 1 024");

    let honest = PeerId::random();
    setup.arrive(&honest, &bytes_of(setup.vote(setup.commitment(10), 3)));
    for _ in 0..2 {
        setup.validator.check_next().expect("some wait");
    }
    assert_eq!(setup.relayed().len(), 1, "the second check is the other's");
}

/// GOSSIP-4.
#[test]
fn a_second_commitment_makes_evidence_once_and_is_relayed_once() {
    let setup = setup();
    let first = setup.commitment(10);
    let others = [1, 2].map(|byte| {
        let mut other = first.clone();
        other.block_hash = H256::repeat_byte(byte);
        other
    });
    setup.send_vote(setup.vote(first, 2));
    let [second, third] = others.map(|other| setup.vote(other, 2));
    assert_eq!(setup.send_vote(second), [vote_topic(10, 2)]);
    assert_eq!(
        setup.last_report(),
        Some(PeerBehaviour::GoodEvidence.reputation().value)
    );
    assert_eq!(setup.send_vote(third), []);
    assert_eq!(setup.dleq_checks(), 2);

    let checked = &setup.queues.checked;
    assert!(matches!(checked.try_recv(), Ok(Checked::Votes(_))));
    let Ok(Checked::Equivocation(evidence)) = checked.try_recv() else {
        panic!("the worker gets the evidence")
    };
    assert!(evidence
        .check(setup.set.set.commitment(), setup.genesis)
        .is_ok());
}

#[test]
fn garbage_is_blamed_by_its_length() {
    let setup = setup();
    assert_eq!(setup.send(&[7; 20]), []);
    let cost = PeerBehaviour::Undecodable { bytes: 20 }.reputation().value;
    assert_eq!(setup.last_report(), Some(cost));
    assert_eq!(setup.validator.metrics.undecodable.get(), 1);
}

/// GOSSIP-2.
#[test]
fn what_is_out_of_the_window_is_dropped_without_curve_work_or_blame() {
    let setup = setup();
    for number in [LOWEST - 1, HIGHEST + 1] {
        assert_eq!(setup.send_vote(setup.vote(setup.commitment(number), 1)), []);
    }
    let mut other_set = setup.commitment(10);
    other_set.validator_set_id = SetId::new(1);
    assert_eq!(setup.send_vote(setup.vote(other_set, 1)), []);
    assert_eq!((setup.dleq_checks(), setup.last_report()), (0, None));
    assert_eq!(setup.validator.metrics.votes_ignored.get(), 3);
}

/// GOSSIP-2.
#[test]
fn a_signer_that_the_set_does_not_have_is_blamed_without_curve_work() {
    let setup = setup();
    let mut vote = setup.vote(setup.commitment(10), 1);
    vote.signer = SignerIndex::new(4);
    assert_eq!(setup.send_vote(vote), []);
    assert_eq!(
        setup.last_report(),
        Some(PeerBehaviour::UnknownSigner.reputation().value)
    );
    assert_eq!(setup.dleq_checks(), 0);
}

#[test]
fn a_justification_is_checked_once_relayed_once_and_a_bad_one_blamed() {
    let setup = setup();
    let message = RoundMessage::new(setup.genesis, setup.commitment(10));
    let good = setup.set.justify(&message, 0..3).into_unchecked();
    let mut bad = good.clone();
    bad.apk2 = setup.set.justify(&message, 1..4).into_unchecked().apk2;
    let bytes = |one: UncheckedJustification| GossipMessage::Justification(one).encode();
    let [liar, honest, other] = [(); 3].map(|()| PeerId::random());
    setup.arrive(&liar, &bytes(bad));
    setup.arrive(&honest, &bytes(good.clone()));
    setup.arrive(&other, &bytes(good.clone()));
    setup.check();
    let cost = PeerBehaviour::BadJustification.reputation().value;
    assert_eq!(setup.ledger.of(&liar), cost);
    assert_eq!(setup.validator.metrics.justifications_good.get(), 1);
    let relayed: Vec<_> = setup.relayed().iter().map(plain).collect();
    assert_eq!(relayed, [proof_topic(10)]);
    assert_eq!(setup.send(&bytes(good)), []);
    assert!(matches!(
        setup.queues.checked.try_recv(),
        Ok(Checked::Justification(_))
    ));
    assert!(setup.queues.checked.try_recv().is_err());
}

/// GOSSIP-7.
#[test]
fn while_the_worker_is_behind_nothing_is_checked_and_nothing_is_lost() {
    let setup = setup();
    let rounds = u32::try_from(CHECKED_QUEUE).unwrap() / 4 + 1;
    for number in 0..rounds {
        for signer in 0..4 {
            let vote = setup.vote(setup.commitment(LOWEST + number), signer);
            setup.arrive(&setup.peer, &bytes_of(vote));
        }
    }
    setup.signal();
    let mut verifier = verify(setup.validator.clone()).boxed();
    assert!((&mut verifier).now_or_never().is_none());
    let queued = u64::try_from(CHECKED_QUEUE).unwrap();
    assert_eq!(setup.dleq_checks(), queued + 1, "one that finds no place");
    let mut received = 0;
    loop {
        received += std::iter::from_fn(|| setup.queues.checked.try_recv().ok()).count();
        assert!((&mut verifier).now_or_never().is_none());
        if setup.queues.checked.is_empty() {
            break;
        }
    }
    assert_eq!(received, usize::try_from(rounds).unwrap() * 4);
}

/// GOSSIP-5.
#[test]
fn the_engine_is_told_of_all_who_sent_what_it_relays() {
    let setup = setup();
    let [early, late] = [(); 2].map(|()| PeerId::random());
    let vote = setup.vote(setup.commitment(10), 2);
    let bytes = bytes_of(vote);
    assert!(!setup.arrive(&early, &bytes));
    assert!(!setup.arrive(&setup.peer, &bytes));
    setup.check();
    let holders = |relayed: Vec<(GossipMessage, Vec<PeerId>)>| {
        let holders = relayed.into_iter().flat_map(|(_, holders)| holders);
        holders.collect::<std::collections::HashSet<_>>()
    };
    let relayed = holders(setup.relayed_with_holders());
    assert_eq!(relayed, [early, setup.peer].into());
    assert!(setup.arrive(&late, &bytes), "it is known");

    let message = RoundMessage::new(setup.genesis, setup.commitment(11));
    let proof = setup.set.justify(&message, 0..3).into_unchecked();
    let bytes = GossipMessage::Justification(proof).encode();
    assert!(!setup.arrive(&late, &bytes));
    setup.check();
    assert_eq!(holders(setup.relayed_with_holders()), [late].into());
    assert!(setup.arrive(&early, &bytes));
}

/// GOSSIP-9.
#[test]
fn a_node_that_wants_proofs_drops_votes_without_blame_and_relays_proofs() {
    let setup = setup_with(TestSet::new(0, 0..4), Interest::Proofs);
    let message = RoundMessage::new(setup.genesis, setup.commitment(10)).expecting(4);
    setup.validator.prepare(&message);
    for signer in 0..3 {
        assert_eq!(
            setup.send_vote(setup.vote(setup.commitment(10), signer)),
            []
        );
    }
    assert_eq!((setup.dleq_checks(), setup.last_report()), (0, None));
    assert_eq!(setup.validator.metrics.votes_ignored.get(), 3);
    let proof = setup.set.justify(&message, 0..3).into_unchecked();
    let bytes = GossipMessage::Justification(proof).encode();
    assert_eq!(setup.send(&bytes), [proof_topic(10)]);
}

/// The fastest of a few runs, in microseconds.
fn fastest(mut run: impl FnMut() -> std::time::Duration) -> f64 {
    (0..5)
        .map(|_| run().as_secs_f64() * 1e6)
        .fold(f64::INFINITY, f64::min)
}

/// Measures a vote from its bytes to the worker's and engine's queues, beside its bare check in a batch. Prints;
/// asserts nothing about time.
#[test]
#[ignore = "a measurement, to be run alone: cargo test --workspace --lib -- --ignored --nocapture cost_of_a_round"]
fn cost_of_a_round() {
    for len in [100, 1_000] {
        let set = TestSet::new(0, 0..len);
        let message = RoundMessage::new(H256::repeat_byte(9), set.commitment(10, &set.set));
        let votes: Vec<_> = (0..)
            .map(SignerIndex::new)
            .zip(&set.secrets)
            .map(|(signer, secret)| UncheckedVote::sign(secret, signer, &message))
            .collect();
        let bytes: Vec<_> = votes.iter().cloned().map(bytes_of).collect();
        let message = message.expecting(set.set.keyset().len());
        let bare = fastest(|| {
            let votes = votes.clone();
            let began = Instant::now();
            for batch in votes.chunks(256) {
                let verdicts = UncheckedVote::check_all(
                    batch.to_vec(),
                    set.set.keyset(),
                    &message,
                    std::num::NonZeroUsize::MIN,
                );
                assert!(verdicts.iter().all(Result::is_ok));
            }
            began.elapsed()
        });
        for copies in [1, 5, 25] {
            let peers: Vec<_> = (0..copies).map(|_| PeerId::random()).collect();
            let all = fastest(|| {
                let setup = setup_of(TestSet::new(0, 0..len));
                peers
                    .iter()
                    .for_each(|peer| setup.validator.connected(*peer));
                setup.validator.prepare(&message);
                let began = Instant::now();
                for bytes in &bytes {
                    for peer in &peers {
                        setup.arrive(peer, bytes);
                    }
                }
                setup.check();
                let took = began.elapsed();
                assert_eq!(setup.dleq_checks(), u64::from(set.set.keyset().len()));
                took
            });
            println!(
                "{len} validators, {copies} copies of each vote: {:.2} times the bare check",
                all / bare
            );
        }
    }
}

/// A gauge that stays up would look like a backlog.
#[test]
fn a_vote_that_is_dropped_before_its_check_waits_no_longer() {
    let setup = setup();
    let vote = setup.vote(setup.commitment(10), 0);
    setup.arrive(&setup.peer, &bytes_of(vote));
    let waiting = || setup.validator.metrics.checks_waiting.get();
    assert_eq!(waiting(), 1);
    let later = Accepted {
        set: Arc::new(setup.set.set.clone()),
        lowest: BlockNumber::new(11),
        highest: BlockNumber::new(HIGHEST),
    };
    let window = Window {
        signing: Some(later),
        ..Window::default()
    };
    setup.validator.update(window, BlockNumber::new(10));
    setup.check();
    assert_eq!((waiting(), setup.dleq_checks()), (0, 0));
}

/// Takes the proofs of all blocks but one, and counts the proofs that it was asked about, and those shown to it.
struct Watcher {
    final_here: H256,
    asked: Mutex<u32>,
    shown: Mutex<u32>,
}

impl Watch for Watcher {
    fn takes(&self, _: &PeerId, justification: &UncheckedJustification) -> bool {
        *self.asked.lock() += 1;
        justification.commitment.block_hash != self.final_here
    }

    fn shows(&self, _: &PeerId, _: &UncheckedJustification) {
        *self.shown.lock() += 1;
    }
}

/// ROUND-10.
#[test]
fn a_proof_that_the_watch_takes_is_neither_checked_nor_relayed_and_an_old_one_is_only_shown() {
    let setup = setup();
    let commitment = setup.commitment(10);
    let watcher = Arc::new(Watcher {
        final_here: commitment.block_hash,
        asked: Mutex::default(),
        shown: Mutex::default(),
    });
    setup.validator.watch_with(watcher.clone());
    let send = |commitment: Commitment| {
        let message = RoundMessage::new(setup.genesis, commitment);
        let proof = setup.set.justify(&message, 0..3).into_unchecked();
        setup.send(&GossipMessage::Justification(proof).encode())
    };
    let mut other = commitment.clone();
    other.block_hash = H256::repeat_byte(1);
    assert_eq!(send(other), []);
    assert_eq!(
        setup.ledger.entries(),
        0,
        "nobody is blamed or rewarded here"
    );
    assert!(setup.queues.checked.try_recv().is_err());
    assert_eq!(send(commitment.clone()), [proof_topic(10)]);
    assert_eq!(*watcher.asked.lock(), 2);
    send(commitment);
    assert_eq!(*watcher.asked.lock(), 2, "one that is known is none");
    assert_eq!(*watcher.shown.lock(), 0);
    send(setup.commitment(LOWEST - 1));
    assert_eq!((*watcher.asked.lock(), *watcher.shown.lock()), (2, 1));
}
