use super::*;
use crate::{Aggregation, RoundView, VotesView};
use duet_primitives::{
    testing::TestSet, Commitment, EquivocationProof, RoundMessage, VotingRules, H256,
};

const RETRY: Millis = 1_000;

fn key(number: u64) -> Pk1Bytes {
    duet_primitives::testing::secret(number).public().pk1()
}

fn config() -> Config {
    Config {
        retry: RETRY,
        grace: 0,
        rebroadcast: 60_000,
        ..Config::default()
    }
}

fn hash(commitment: Commitment) -> RoundMessage {
    RoundMessage::new(H256::zero(), commitment)
}

fn message(base: &TestSet, block: u32, next: &TestSet) -> RoundMessage {
    hash(base.commitment(block, &next.set))
}

/// A voter with this key at GRANDPA's block `scanned` in a set of four, which is loaded.
fn voter_at(base: &TestSet, own: u64, scanned: u32) -> Voter {
    let state = State::new(base.set.commitment().clone(), BlockNumber::new(1));
    let mut voter = Voter::new(config(), state, vec![key(own)]);
    voter.handle(Event::Set(Arc::new(base.set.clone())), 0);
    voter.handle(
        Event::Finalized {
            number: BlockNumber::new(scanned),
        },
        0,
    );
    voter
}

/// The effects by their names, timers left out.
fn names(effects: &[Effect]) -> Vec<&'static str> {
    let name = |effect: &Effect| match effect {
        Effect::Conclude { .. } => "conclude",
        Effect::Grow { .. } => "grow",
        Effect::Persist => "persist",
        Effect::PublishVote(_) => "publish vote",
        Effect::PublishJustification(_) => "publish proof",
        Effect::Report(_) => "report",
        Effect::Diverged(_) => "diverged",
        Effect::LoadSet(_) => "load",
        Effect::Prepare { .. } => "prepare",
        Effect::Sign { .. } => "sign",
        Effect::Aggregate(_) => "aggregate",
        Effect::Request { .. } => "request",
        Effect::WakeAt(_) => "",
    };
    effects
        .iter()
        .map(name)
        .filter(|name| !name.is_empty())
        .collect()
}

fn handle(voter: &mut Voter, event: Event, now: Millis) -> Vec<&'static str> {
    names(&drive(voter, event, now))
}

/// What the voter asks for, after a host that adds up at once.
fn drive(voter: &mut Voter, event: Event, now: Millis) -> Vec<Effect> {
    let mut events = VecDeque::from([event]);
    let mut effects = Vec::new();
    while let Some(event) = events.pop_front() {
        for effect in voter.handle(event, now) {
            match effect {
                Effect::Aggregate(votes) => {
                    events.push_back(Event::Aggregated(Box::new(votes.run())));
                }
                other => effects.push(other),
            }
        }
    }
    effects
}

fn vote(base: &TestSet, signer: u32, message: &RoundMessage) -> Event {
    Event::Votes(vec![base.vote(signer, message).expect("a member")])
}

fn own_vote(voter: &mut Voter, base: &TestSet, message: &RoundMessage) -> Vec<&'static str> {
    let signer = voter.own_signer().expect("a member");
    let vote = base.vote(signer.get(), message).expect("a member");
    handle(voter, Event::Signed(vote), 0)
}

#[test]
fn a_vote_is_prepared_signed_persisted_and_then_published() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 1, 1);
    let message = message(&base, 1, &base);
    assert_eq!(
        handle(&mut voter, Event::Tick, RETRY),
        ["prepare"],
        "asked again"
    );
    assert_eq!(
        handle(&mut voter, Event::Prepared(message.clone()), RETRY),
        ["sign"]
    );
    assert_eq!(
        own_vote(&mut voter, &base, &message),
        ["persist", "publish vote"]
    );
    assert_eq!(
        own_vote(&mut voter, &base, &message),
        [""; 0],
        "an answer that came twice"
    );
    assert_eq!(voter.best_voted(), Some(BlockNumber::new(1)));
}

#[test]
fn a_quorum_is_concluded_before_it_is_persisted_and_persisted_before_it_is_published() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 1, 1);
    let message = message(&base, 1, &base);
    let first = (0..4).find(|signer| {
        crate::schedule::rank(message.commitment(), 4, SignerIndex::new(*signer)) == 0
    });
    let own = base.secrets[first.expect("somebody is first") as usize]
        .public()
        .pk1();
    drive(&mut voter, Event::OwnKeys(vec![own]), 0);
    for signer in 0..2 {
        assert_eq!(
            handle(&mut voter, vote(&base, signer, &message), 0),
            [""; 0]
        );
    }
    let effects = handle(&mut voter, vote(&base, 2, &message), 0);
    assert_eq!(effects, ["conclude", "persist", "publish proof"]);
    assert!(voter.window().unpublished.is_empty(), "it published itself");
    assert_eq!((voter.rounds_open(), voter.votes_held()), (0, 0));
    assert_eq!(
        handle(&mut voter, vote(&base, 3, &message), 0),
        ["grow"],
        "the last vote makes the proof full"
    );
    handle(&mut voter, vote(&base, 3, &message), 0);
    assert_eq!(voter.counters().stale_votes, 1);
}

#[test]
fn after_a_restart_the_persisted_vote_is_published_again_and_no_other_is_signed() {
    let base = TestSet::new(0, 0..4);
    let mut before = voter_at(&base, 1, 1);
    let message = message(&base, 1, &base);
    drive(&mut before, Event::Prepared(message.clone()), 0);
    own_vote(&mut before, &base, &message);
    let stored = before.state().to_bytes();

    let restart = || {
        let state = State::from_bytes(&stored).expect("stored by a voter");
        let mut voter = Voter::new(config(), state, vec![key(1)]);
        assert_eq!(handle(&mut voter, Event::Tick, 0), ["load"]);
        let set = Event::Set(Arc::new(base.set.clone()));
        // The block is known to be final only when the chain says so again.
        let effects = [
            handle(&mut voter, set, 0),
            handle(
                &mut voter,
                Event::Finalized {
                    number: BlockNumber::new(1),
                },
                0,
            ),
        ];
        assert_eq!(effects.concat(), ["prepare"]);
        voter
    };
    assert_eq!(
        handle(&mut restart(), Event::Prepared(message), 0),
        ["publish vote"]
    );

    let mut reorging = restart();
    let mut other = base.commitment(1, &base.set);
    other.block_hash = H256::zero();
    assert_eq!(
        handle(&mut reorging, Event::Prepared(hash(other)), 0),
        [""; 0]
    );
    assert_eq!(handle(&mut reorging, Event::Tick, 10 * RETRY), [""; 0]);
    assert_eq!(reorging.counters().inconsistent, 1);
}

#[test]
fn a_signature_on_something_else_than_what_was_prepared_is_not_used() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 1, 1);
    drive(&mut voter, Event::Prepared(message(&base, 1, &base)), 0);
    let mut other = base.commitment(1, &base.set);
    other.block_hash = H256::zero();
    assert_eq!(own_vote(&mut voter, &base, &hash(other)), [""; 0]);
    let stranger = base.vote(
        (voter.own_signer().expect("a member").get() + 1) % 4,
        &message(&base, 1, &base),
    );
    assert_eq!(
        handle(&mut voter, Event::Signed(stranger.expect("a member")), 0),
        [""; 0]
    );
    assert_eq!(voter.counters().inconsistent, 2);
    assert_eq!(voter.best_voted(), None);
}

#[test]
fn what_was_prepared_for_another_set_a_wrong_successor_or_beyond_grandpa_is_not_used() {
    let base = TestSet::new(0, 0..4);
    let right = base.commitment(1, &base.set);
    let (mut another_set, mut successor) = (right.clone(), right.clone());
    another_set.validator_set_id = SetId::new(1);
    successor.next = TestSet::new(1, 4..8).set.commitment().clone();
    let beyond = base.commitment(2, &base.set);
    let mut voter = voter_at(&base, 1, 1);
    for (wrong, count) in [another_set, successor, beyond].into_iter().zip(1..) {
        assert_eq!(handle(&mut voter, Event::Prepared(hash(wrong)), 0), [""; 0]);
        assert_eq!(voter.counters().inconsistent, count);
    }
}

#[test]
fn answers_and_proofs_that_come_after_the_proof_of_their_block_are_not_used() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 1, 1);
    let message = message(&base, 1, &base);
    let proof = base.justify(&message, 0..4);
    handle(&mut voter, Event::Justification(proof.clone()), 0);
    let prepared = Event::Prepared(message.clone());
    assert_eq!(handle(&mut voter, prepared, 0), [""; 0]);
    assert_eq!(own_vote(&mut voter, &base, &message), [""; 0]);
    assert_eq!(voter.counters(), Counters::default());

    let unknown = TestSet::new(7, 0..4);
    let of_unknown_set = unknown.justify(&hash(unknown.commitment(2, &unknown.set)), 0..4);
    for proof in [proof, of_unknown_set] {
        handle(&mut voter, Event::Justification(proof), 0);
    }
    let stale = voter.counters().stale_justifications;
    assert_eq!((stale, voter.justifications_held()), (2, 0));
}

#[test]
fn a_threshold_against_the_own_chain_is_not_concluded_but_told() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 1, 1);
    drive(&mut voter, Event::Prepared(message(&base, 1, &base)), 0);
    let mut other = base.commitment(1, &base.set);
    other.block_hash = H256::zero();
    let proof = base.justify(&hash(other.clone()), 0..3);
    assert_eq!(
        handle(&mut voter, Event::Justification(proof), 0),
        ["diverged"]
    );
    let other = hash(other);
    drive(&mut voter, vote(&base, 0, &other), 0);
    drive(&mut voter, vote(&base, 2, &other), 0);
    assert_eq!(handle(&mut voter, vote(&base, 3, &other), 0), ["diverged"]);
    assert_eq!(handle(&mut voter, Event::Tick, 1), [""; 0], "told once");
    assert!(voter.best().is_none());
}

/// What the chain has at block 1, and a vote of three of four on something else.
fn against_the_chain(base: &TestSet) -> (RoundMessage, Vec<Event>) {
    let mut other = base.commitment(1, &base.set);
    other.block_hash = H256::zero();
    let other = hash(other);
    let votes = [0, 2, 3].map(|signer| vote(base, signer, &other));
    (message(base, 1, base), votes.into())
}

/// ROUND-10.
#[test]
fn votes_on_another_block_than_grandpa_finalized_are_not_concluded_where_nothing_was_prepared() {
    let base = TestSet::new(0, 0..4);
    let (chain, votes) = against_the_chain(&base);
    let mut voter = voter_at(&base, 9, 1);
    let asked = votes.into_iter().flat_map(|vote| voter.handle(vote, 0));
    let sum = to_aggregate(asked.collect()).run();
    assert_eq!(sum.block(), BlockNumber::new(1));
    let finalized = chain.commitment().block_hash;
    let mut same = voter.clone();
    let answer = |sum: Aggregated| Event::Aggregated(Box::new(sum));
    assert_eq!(
        names(&voter.handle(answer(sum.clone().with_finalized(finalized)), 0)),
        ["diverged"]
    );
    assert!(voter.best().is_none() && voter.is_halted());
    assert_eq!(
        names(&same.handle(answer(sum.with_finalized(H256::zero())), 0)),
        ["conclude", "persist"],
        "the same votes where GRANDPA finalized what they say"
    );
}

/// ROUND-10.
#[test]
fn a_voter_that_found_a_contradiction_signs_sends_and_repeats_no_vote_until_it_is_told_to() {
    let base = TestSet::new(0, 0..4);
    let (chain, votes) = against_the_chain(&base);
    let mut voter = voter_at(&base, 1, 1);
    assert!(voter.may_vote() && !voter.is_halted());
    assert_eq!(
        handle(&mut voter, Event::Prepared(chain.clone()), 0),
        ["sign"]
    );
    let found: Vec<_> = votes
        .into_iter()
        .flat_map(|vote| handle(&mut voter, vote, 0))
        .collect();
    assert_eq!(found, ["diverged"]);
    assert_eq!(
        own_vote(&mut voter, &base, &chain),
        [""; 0],
        "the signer was at work"
    );
    assert_eq!(handle(&mut voter, Event::Tick, 10 * RETRY), [""; 0]);
    let resumed = handle(&mut voter, Event::Halted(false), 10 * RETRY);
    assert_eq!(resumed, ["sign"]);
    assert_eq!(
        own_vote(&mut voter, &base, &chain),
        ["persist", "publish vote"]
    );
    handle(&mut voter, Event::Halted(true), 11 * RETRY);
    let later = 200 * RETRY;
    assert_eq!(handle(&mut voter, Event::Tick, later), [""; 0]);
    handle(&mut voter, Event::Halted(false), later);
    assert_eq!(
        handle(&mut voter, Event::Tick, 2 * later),
        ["publish vote"],
        "it repeats its vote as before"
    );
}

/// ROUND-10.
#[test]
fn a_halted_voter_concludes_what_others_prove_and_after_a_restart_does_not_send_its_vote() {
    let base = TestSet::new(0, 0..4);
    let mut before = voter_at(&base, 1, 1);
    let message = message(&base, 1, &base);
    drive(&mut before, Event::Prepared(message.clone()), 0);
    own_vote(&mut before, &base, &message);

    let state = State::from_bytes(&before.state().to_bytes()).expect("stored by a voter");
    let mut voter = Voter::new(config(), state, vec![key(1)]);
    handle(&mut voter, Event::Halted(true), 0);
    let set = Event::Set(Arc::new(base.set.clone()));
    assert_eq!(handle(&mut voter, set, 0), ["prepare"]);
    assert_eq!(
        handle(&mut voter, Event::Prepared(message.clone()), 0),
        [""; 0]
    );
    let proof = base.justify(&message, 1..4);
    let proven = handle(&mut voter, Event::Justification(proof), 0);
    assert_eq!(proven[..2], ["conclude", "persist"]);
}

#[test]
fn a_proof_that_hands_over_to_another_set_than_the_chain_does_is_not_concluded() {
    let (base, next, usurper) = (
        TestSet::new(0, 0..4),
        TestSet::new(1, 4..8),
        TestSet::new(1, 0..3),
    );
    let mut voter = voter_at(&base, 1, 0);
    drive(
        &mut voter,
        Event::Planned {
            block: BlockNumber::new(2),
            set: next.set.commitment().clone(),
        },
        0,
    );
    drive(
        &mut voter,
        Event::Finalized {
            number: BlockNumber::new(2),
        },
        0,
    );
    let proof = base.justify(&message(&base, 2, &usurper), 0..3);
    assert_eq!(
        handle(&mut voter, Event::Justification(proof), 0),
        ["diverged"]
    );
    let proof = base.justify(&message(&base, 2, &next), 0..3);
    assert_eq!(
        handle(&mut voter, Event::Justification(proof), 0),
        ["conclude", "persist"]
    );
}

#[test]
fn a_proof_waits_for_grandpa() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 9, 1);
    let proof = base.justify(&message(&base, 3, &base), 0..3);
    assert_eq!(handle(&mut voter, Event::Justification(proof), 0), [""; 0]);
    assert_eq!(voter.justifications_held(), 1);
    let effects = handle(
        &mut voter,
        Event::Finalized {
            number: BlockNumber::new(3),
        },
        0,
    );
    assert_eq!(effects, ["conclude", "persist"]);
    assert_eq!(voter.justifications_held(), 0);
}

#[test]
fn without_room_the_highest_proof_is_dropped() {
    let base = TestSet::new(0, 0..4);
    let mut proofs = Proofs::new(2);
    let dropped =
        [2, 3, 1].map(|block| proofs.insert(base.justify(&message(&base, block, &base), 0..3)));
    assert_eq!((dropped, proofs.len()), ([0, 0, 1], 2));
    let all = BlockNumber::ZERO..=BlockNumber::MAX;
    assert_eq!(proofs.ready(SetId::new(0), all), Some(BlockNumber::new(2)));
}

#[test]
fn the_latest_blocks_wait_for_a_proof_from_the_network_and_for_late_votes() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 9, 9);
    for block in 1..=9 {
        let message = message(&base, block, &base);
        for signer in 0..3 {
            drive(&mut voter, vote(&base, signer, &message), 0);
        }
    }
    let window = voter.window();
    let blocks =
        |list: &[Accepted]| -> Vec<_> { list.iter().map(|one| one.lowest.get()).collect() };
    assert_eq!(blocks(&window.unpublished), [6, 7, 8, 9]);
    assert_eq!(blocks(&window.late), [2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn who_is_not_in_the_set_concludes_but_neither_signs_nor_publishes_in_turn() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 9, 1);
    let message = message(&base, 1, &base);
    assert_eq!(
        handle(&mut voter, Event::Tick, RETRY),
        ["prepare"],
        "it checks votes on what it prepared in batches"
    );
    let effects = handle(&mut voter, Event::Prepared(message.clone()), RETRY);
    assert_eq!(effects, [""; 0]);
    drive(&mut voter, vote(&base, 0, &message), RETRY);
    drive(&mut voter, vote(&base, 1, &message), RETRY);
    assert_eq!(
        handle(&mut voter, vote(&base, 2, &message), RETRY),
        ["conclude", "persist"]
    );
    assert_eq!(handle(&mut voter, Event::Tick, 50_000), [""; 0]);
}

#[test]
fn a_key_that_comes_later_signs_from_then_on() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 9, 1);
    let prepared = Event::Prepared(message(&base, 1, &base));
    assert_eq!(handle(&mut voter, prepared, 0), [""; 0]);
    let effects = drive(&mut voter, Event::OwnKeys(vec![key(9), key(3)]), 0);
    assert!(effects
        .iter()
        .any(|effect| matches!(effect, Effect::Sign { key: own, .. } if *own == key(3))));
}

#[test]
fn nothing_is_signed_or_requested_while_the_node_syncs() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 1, 0);
    drive(&mut voter, Event::Syncing(true), 0);
    assert_eq!(
        handle(
            &mut voter,
            Event::Finalized {
                number: BlockNumber::new(5)
            },
            0
        ),
        [""; 0]
    );
    assert_eq!(handle(&mut voter, Event::Syncing(false), 0), ["prepare"]);
}

#[test]
fn a_missing_handoff_proof_is_requested_at_once_when_its_session_is_over() {
    let (base, next) = (TestSet::new(0, 0..4), TestSet::new(1, 1..5));
    let mut voter = voter_at(&base, 9, 0);
    let planned = Event::Planned {
        block: BlockNumber::new(2),
        set: next.set.commitment().clone(),
    };
    assert_eq!(handle(&mut voter, planned, 0), ["persist", "load"]);
    drive(&mut voter, Event::Set(Arc::new(next.set.clone())), 0);
    let loaded = voter.set(SetId::new(1)).expect("the next set");
    assert_eq!(loaded.commitment(), next.set.commitment());
    assert_eq!(
        handle(
            &mut voter,
            Event::Finalized {
                number: BlockNumber::new(3)
            },
            0
        ),
        ["prepare"],
        "its round goes on"
    );
    assert_eq!(
        handle(&mut voter, Event::Tick, RETRY),
        ["prepare", "request"]
    );
    assert_eq!(handle(&mut voter, Event::Tick, RETRY + 1), [""; 0]);
    assert_eq!(
        handle(&mut voter, Event::Tick, 2 * RETRY),
        ["prepare", "request"]
    );

    let mut late = voter_at(&base, 9, 0);
    drive(
        &mut late,
        Event::Planned {
            block: BlockNumber::new(2),
            set: next.set.commitment().clone(),
        },
        0,
    );
    assert_eq!(late.lagging_sets(), 0, "it is planned");
    drive(
        &mut late,
        Event::Activated {
            block: BlockNumber::new(4),
            id: SetId::new(1),
        },
        0,
    );
    assert_eq!(late.lagging_sets(), 1);
    assert_eq!(
        handle(
            &mut late,
            Event::Finalized {
                number: BlockNumber::new(9)
            },
            0
        ),
        ["prepare", "request"]
    );
}

#[test]
fn one_response_carries_over_several_sets_without_asking_in_between() {
    let sets: Vec<_> = (0..4).map(|id| TestSet::new(id, id..id + 4)).collect();
    let mut voter = voter_at(&sets[0], 99, 0);
    for (id, set) in (1..).zip(&sets[1..]) {
        drive(
            &mut voter,
            Event::Planned {
                block: BlockNumber::new(id * 10 - 5),
                set: set.set.commitment().clone(),
            },
            0,
        );
        drive(
            &mut voter,
            Event::Activated {
                block: BlockNumber::new(id * 10),
                id: SetId::new(u64::from(id)),
            },
            0,
        );
    }
    assert_eq!(
        handle(
            &mut voter,
            Event::Finalized {
                number: BlockNumber::new(33)
            },
            0
        ),
        ["prepare", "request"]
    );
    let proofs = (1..)
        .zip(sets.windows(2))
        .map(|(id, pair)| pair[0].justify(&message(&pair[0], id * 10 - 5, &pair[1]), 0..3));
    let effects = handle(&mut voter, Event::Response(proofs.collect()), 0);
    let proven = ["conclude", "conclude", "conclude", "persist", "load"];
    assert_eq!(effects, proven, "the set that signs now was not loaded yet");
    assert_eq!(voter.set_id(), SetId::new(3));
}

#[test]
fn logs_that_leave_a_gap_or_find_no_room_hold_back_what_counts_as_final() {
    let base = TestSet::new(0, 0..4);
    let set = |id| TestSet::new(id, 1..5).set.commitment().clone();
    let mut voter = voter_at(&base, 1, 0);
    drive(
        &mut voter,
        Event::Planned {
            block: BlockNumber::new(4),
            set: set(2),
        },
        0,
    );
    drive(
        &mut voter,
        Event::Finalized {
            number: BlockNumber::new(6),
        },
        0,
    );
    assert_eq!(voter.scanned(), BlockNumber::new(3));
    assert_eq!(voter.counters().inconsistent, 1);

    // Less than three is three: in block 8 one set takes over and another one is planned.
    voter.config.max_eras = 1;
    let planned = |block, id| Event::Planned {
        block: BlockNumber::new(block),
        set: set(id),
    };
    let activated = |block, id| Event::Activated {
        block: BlockNumber::new(block),
        id: SetId::new(id),
    };
    for event in [planned(4, 1), activated(8, 1)] {
        drive(&mut voter, event, 0);
    }
    assert!(voter.accepts_eras());
    for event in [planned(8, 2), activated(12, 2)] {
        drive(&mut voter, event, 0);
    }
    assert!(!voter.accepts_eras());
    drive(&mut voter, planned(12, 3), 0);
    drive(
        &mut voter,
        Event::Finalized {
            number: BlockNumber::new(20),
        },
        0,
    );
    assert_eq!(voter.scanned(), BlockNumber::new(11));
    assert_eq!(voter.counters().deferred_plans, 1);
}

#[test]
fn an_offender_is_reported_once_and_never_by_itself() {
    let base = TestSet::new(0, 0..4);
    let mut other = base.commitment(1, &base.set);
    other.block_hash = H256::zero();
    let (one, other) = (message(&base, 1, &base), hash(other));
    let evidence = |signer| {
        let [one, other] =
            [&one, &other].map(|message| base.vote(signer, message).expect("a member"));
        let proof = EquivocationProof::new(base.set.keyset(), &one, &other).expect("two votes");
        Event::Equivocation(Box::new(proof))
    };
    let mut voter = voter_at(&base, 1, 0);
    let own = voter.own_signer().expect("a member").get();
    assert_eq!(handle(&mut voter, evidence((own + 1) % 4), 0), ["report"]);
    assert_eq!(handle(&mut voter, evidence((own + 1) % 4), 0), [""; 0]);
    assert_eq!(handle(&mut voter, evidence(own), 0), [""; 0]);
}

/// ROUND-8.
#[test]
fn votes_on_a_mandatory_block_are_gathered_for_a_while_or_until_all_have_voted() {
    let (base, next) = (TestSet::new(0, 0..4), TestSet::new(1, 1..5));
    let with_votes = |signers: u32| {
        let config = Config {
            grace: 1_000,
            ..config()
        };
        let state = State::new(base.set.commitment().clone(), BlockNumber::new(1));
        let mut voter = Voter::new(config, state, Vec::new());
        drive(&mut voter, Event::Set(Arc::new(base.set.clone())), 0);
        let planned = Event::Planned {
            block: BlockNumber::new(2),
            set: next.set.commitment().clone(),
        };
        drive(&mut voter, planned, 0);
        let number = BlockNumber::new(2);
        drive(&mut voter, Event::Finalized { number }, 0);
        let message = message(&base, 2, &next);
        for signer in 0..signers {
            drive(&mut voter, vote(&base, signer, &message), 100);
        }
        (voter, message)
    };
    let signers = |voter: &Voter| voter.best().map(|best| best.signers.count());

    let (mut voter, message) = with_votes(3);
    assert_eq!(
        signers(&voter),
        None,
        "three of four suffice, and one may come"
    );
    let wakes = drive(&mut voter, Event::Tick, 100);
    assert!(wakes.is_empty(), "{wakes:?}");
    drive(&mut voter, Event::Tick, 1_099);
    assert_eq!((signers(&voter), voter.wake_at), (None, Some(1_100)));
    drive(&mut voter, Event::Tick, 1_100);
    assert_eq!(signers(&voter), Some(3));

    let (voter, _) = with_votes(4);
    assert_eq!(signers(&voter), Some(4), "nobody is left to wait for");

    // The wait is not begun anew while the votes are added up.
    let (mut voter, _) = with_votes(3);
    let due = voter.handle(Event::Tick, 1_100);
    assert!(names(&due).contains(&"aggregate"), "{due:?}");
    assert!(voter.wake_at > Some(1_100), "no wait is over twice");
    let wakes = |effects: &[Effect], now: Millis| {
        effects
            .iter()
            .all(|effect| matches!(effect, Effect::WakeAt(at) if *at > now))
    };
    let idle = voter.handle(Event::Tick, 1_101);
    assert!(wakes(&idle, 1_101), "{idle:?}");
    let again = voter.handle(Event::Tick, 1_100 + RETRY);
    assert!(names(&again).contains(&"aggregate"), "{again:?}");

    let (mut voter, _) = with_votes(3);
    let received = base.justify(&message, 0..3);
    drive(&mut voter, Event::Justification(received), 500);
    assert_eq!(signers(&voter), Some(3), "a peer has made the proof");
}

/// A voter of four that has three votes on block 1, what it asked for last, and the message.
fn with_a_quorum(base: &TestSet) -> (Voter, Vec<Effect>, RoundMessage) {
    let mut voter = voter_at(base, 9, 1);
    let message = message(base, 1, base);
    let mut effects = Vec::new();
    for signer in 0..3 {
        effects = voter.handle(vote(base, signer, &message), 0);
    }
    (voter, effects, message)
}

fn to_aggregate(effects: Vec<Effect>) -> Box<Aggregation> {
    let mut asked = effects.into_iter().filter_map(|effect| match effect {
        Effect::Aggregate(votes) => Some(votes),
        _ => None,
    });
    asked.next().expect("votes are to be added up")
}

#[test]
fn votes_are_added_up_by_the_host_which_is_asked_again_when_it_does_not_answer() {
    let base = TestSet::new(0, 0..4);
    let (mut voter, effects, message) = with_a_quorum(&base);
    assert_eq!(names(&effects), ["aggregate"]);
    let one_more = voter.handle(vote(&base, 3, &message), RETRY - 1);
    assert_eq!(names(&one_more), [""; 0], "the answer is awaited");
    let again = voter.handle(Event::Tick, RETRY);
    assert_eq!(names(&again), ["aggregate", "prepare"]);
    let votes = to_aggregate(again);
    let answer = Event::Aggregated(Box::new(votes.run()));
    assert_eq!(
        names(&voter.handle(answer.clone(), RETRY)),
        ["conclude", "persist"]
    );
    assert_eq!(voter.best().map(|best| best.signers.count()), Some(4));
    let repeated = voter.handle(answer, RETRY);
    assert_eq!(names(&repeated), [""; 0], "it was concluded");
}

#[test]
fn while_a_higher_block_is_added_up_an_answer_that_is_late_wakes_nobody() {
    let base = TestSet::new(0, 0..4);
    let (mut voter, _, _) = with_a_quorum(&base);
    let number = BlockNumber::new(2);
    voter.handle(Event::Finalized { number }, 0);
    let higher = message(&base, 2, &base);
    for signer in 0..3 {
        voter.handle(vote(&base, signer, &higher), 100);
    }
    voter.handle(Event::Tick, RETRY);
    assert!(voter.wake_at > Some(RETRY), "{:?}", voter.wake_at);
}

#[test]
fn a_proof_that_comes_while_votes_are_added_up_is_concluded_and_the_sum_is_not_needed() {
    let base = TestSet::new(0, 0..4);
    let (mut voter, effects, message) = with_a_quorum(&base);
    let answer = Event::Aggregated(Box::new(to_aggregate(effects).run()));
    let received = Event::Justification(base.justify(&message, 1..4));
    assert_eq!(
        handle(&mut voter, received, 10),
        ["conclude", "persist", "grow"],
        "by the vote that the proof lacks"
    );
    assert_eq!(names(&voter.handle(answer, 20)), [""; 0]);
    let later = voter.handle(Event::Tick, RETRY);
    assert_eq!(names(&later), [""; 0], "nor is it asked for again");
}

#[test]
fn votes_that_do_not_add_up_are_not_added_up_again() {
    let base = TestSet::new(0, 0..4);
    let (mut voter, _, message) = with_a_quorum(&base);
    let few = [0, 1].map(|signer| Arc::new(base.vote(signer, &message).expect("a member")));
    let set = Arc::new(base.set.clone());
    let broken = Aggregation::new(set, message, few.to_vec(), None);
    let answer = Event::Aggregated(Box::new(broken.run()));
    assert_eq!(names(&voter.handle(answer, 1)), [""; 0]);
    assert_eq!(voter.counters().inconsistent, 1);
    assert_eq!(handle(&mut voter, Event::Tick, RETRY), ["prepare"]);
    assert!(voter.wake_at > Some(RETRY), "or it would wake for ever");
}

fn best_of(effects: &[Effect]) -> Option<u32> {
    effects.iter().rev().find_map(|effect| match effect {
        Effect::Grow { justification, .. } => Some(justification.signers().count()),
        _ => None,
    })
}

/// ROUND-9.
#[test]
fn a_proof_grows_by_late_votes_once_in_a_step_and_at_once_by_the_last_one() {
    let base = TestSet::new(0, 0..7);
    let mut voter = voter_at(&base, 9, 1);
    let message = message(&base, 1, &base);
    for signer in 0..5 {
        drive(&mut voter, vote(&base, signer, &message), 0);
    }
    assert_eq!(voter.best().map(|best| best.signers.count()), Some(5));
    let mut quiet = voter.clone();
    assert_eq!(handle(&mut voter, vote(&base, 5, &message), 100), [""; 0]);
    assert_eq!((voter.votes_held(), voter.wake_at), (1, Some(1_000)));
    assert_eq!(handle(&mut voter, Event::Tick, 999), [""; 0]);
    let grown = drive(&mut voter, Event::Tick, 1_000);
    assert_eq!((names(&grown), best_of(&grown)), (vec!["grow"], Some(6)));
    let full = drive(&mut voter, vote(&base, 6, &message), 1_001);
    assert_eq!((names(&full), best_of(&full)), (vec!["grow"], Some(7)));
    let whole = base.justify(&message, 0..7);
    assert!(full.iter().any(
        |effect| matches!(effect, Effect::Grow { justification, .. } if *justification == whole)
    ));
    assert!(voter.window().late.is_empty(), "nothing more can come");
    assert_eq!(
        voter.best().map(|best| best.signers.count()),
        Some(5),
        "what is published stays"
    );

    // The first vote in a step does not wait.
    handle(&mut quiet, Event::Tick, 5_000);
    let grown = handle(&mut quiet, vote(&base, 5, &message), 5_001);
    assert_eq!(grown, ["grow"]);
    // The host is asked again when it does not answer.
    for (event, now, asked) in [
        (vote(&base, 6, &message), 5_002, vec!["aggregate"]),
        (Event::Tick, 5_003, vec![]),
        (Event::Tick, 5_002 + RETRY, vec!["aggregate"]),
    ] {
        assert_eq!(names(&quiet.handle(event, now)), asked, "{now}");
    }
}

/// ROUND-9.
#[test]
fn votes_on_something_else_do_not_make_a_proof_fuller() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 9, 1);
    let proof = base.justify(&message(&base, 1, &base), 0..3);
    handle(&mut voter, Event::Justification(proof), 0);
    let mut other = base.commitment(1, &base.set);
    other.block_hash = H256::zero();
    assert_eq!(handle(&mut voter, vote(&base, 3, &hash(other)), 1), [""; 0]);
    assert_eq!((voter.counters().stale_votes, voter.votes_held()), (1, 0));
}

/// A member of four at a block that the other three have proven; block 2 is mandatory.
fn proven_without_us(base: &TestSet, block: u32) -> (Voter, RoundMessage) {
    let next = TestSet::new(1, 1..5);
    let mut voter = voter_at(base, 1, 0);
    let own = voter.own_signer().expect("a member").get();
    if block == 2 {
        let set = next.set.commitment().clone();
        let number = BlockNumber::new(block);
        drive(&mut voter, Event::Planned { block: number, set }, 0);
        drive(&mut voter, Event::Set(Arc::new(next.set.clone())), 0);
    }
    let number = BlockNumber::new(block);
    assert_eq!(
        handle(&mut voter, Event::Finalized { number }, 0),
        ["prepare"]
    );
    let named = if block == 2 { &next } else { base };
    let message = message(base, block, named);
    let others = (0..4).filter(|signer| *signer != own);
    let proof = base.justify(&message, others);
    let effects = handle(&mut voter, Event::Justification(proof), 10);
    assert_eq!(effects, ["conclude", "persist"]);
    (voter, message)
}

/// ROUND-9.
#[test]
fn a_mandatory_block_that_the_others_have_proven_is_signed_all_the_same() {
    let base = TestSet::new(0, 0..4);
    let (mut voter, message) = proven_without_us(&base, 2);
    let late = voter.window().late_handoffs;
    assert_eq!(late.len(), 1, "votes on it are forwarded");
    assert_eq!(
        handle(&mut voter, Event::Prepared(message.clone()), 20),
        ["sign"]
    );
    assert_eq!(
        own_vote(&mut voter, &base, &message),
        ["publish vote", "grow"]
    );
    assert_eq!(own_vote(&mut voter, &base, &message), [""; 0], "once");
    assert!(voter.window().late_handoffs.is_empty());
}

/// ROUND-9.
#[test]
fn an_ordinary_block_that_the_others_have_proven_is_not_signed_any_more() {
    let base = TestSet::new(0, 0..4);
    let (mut voter, message) = proven_without_us(&base, 1);
    assert_eq!(
        handle(&mut voter, Event::Prepared(message.clone()), 20),
        [""; 0]
    );
    assert_eq!(own_vote(&mut voter, &base, &message), [""; 0]);
}

/// ROUND-4, ROUND-9.
#[test]
fn nothing_is_signed_about_a_proven_block_after_a_restart_against_the_own_chain_or_in_the_next_era()
{
    let base = TestSet::new(0, 0..4);
    let (before, message) = proven_without_us(&base, 2);
    let state = State::from_bytes(&before.state().to_bytes()).expect("stored by a voter");
    let mut voter = Voter::new(config(), state, vec![key(1)]);
    drive(&mut voter, Event::Set(Arc::new(base.set.clone())), 0);
    let number = BlockNumber::new(2);
    assert_eq!(handle(&mut voter, Event::Finalized { number }, 0), [""; 0]);
    assert_eq!(handle(&mut voter, Event::Prepared(message), 1), [""; 0]);

    let (mut voter, message) = proven_without_us(&base, 2);
    let mut other = message.commitment().clone();
    other.block_hash = H256::zero();
    assert_eq!(handle(&mut voter, Event::Prepared(hash(other)), 1), [""; 0]);
    assert_eq!(voter.counters().inconsistent, 1);
    assert_eq!(
        handle(&mut voter, Event::Prepared(message.clone()), 2),
        [""; 0]
    );
    assert_eq!(own_vote(&mut voter, &base, &message), [""; 0]);

    let (mut voter, message) = proven_without_us(&base, 2);
    let (block, id) = (BlockNumber::new(4), SetId::new(1));
    handle(&mut voter, Event::Activated { block, id }, 0);
    handle(&mut voter, Event::Finalized { number: block }, 0);
    assert_eq!(voter.set_id(), id);
    assert_eq!(handle(&mut voter, Event::Prepared(message), 0), [""; 0]);
}

/// RESET-4.
#[test]
fn after_a_reset_the_new_set_proves_blocks_from_it_on_and_the_old_one_none() {
    let (base, new) = (TestSet::new(0, 0..4), TestSet::new(2, 2..6));
    let lost = TestSet::new(1, 4..8);
    let mut voter = voter_at(&base, 2, 6);
    handle(
        &mut voter,
        Event::Planned {
            block: BlockNumber::new(4),
            set: lost.set.commitment().clone(),
        },
        0,
    );
    assert_eq!(voter.target(), Some(BlockNumber::new(4)));
    // One vote of four on the mandatory block, and no more will come.
    handle(&mut voter, vote(&base, 0, &message(&base, 4, &lost)), 0);
    let reset = Event::Reset {
        block: BlockNumber::new(9),
        set: new.set.commitment().clone(),
    };
    assert_eq!(handle(&mut voter, reset.clone(), 0), ["persist", "load"]);
    assert_eq!((voter.set_id().get(), voter.rounds_open()), (2, 0));
    assert_eq!(voter.target(), None, "GRANDPA is not there yet");
    handle(&mut voter, Event::Set(Arc::new(new.set.clone())), 0);
    let number = BlockNumber::new(9);
    assert_eq!(
        handle(&mut voter, Event::Finalized { number }, 0),
        ["prepare"]
    );
    let on_reset = message(&new, 9, &new);
    assert_eq!(
        handle(&mut voter, Event::Prepared(on_reset.clone()), 0),
        ["sign"]
    );
    assert_eq!(
        own_vote(&mut voter, &new, &on_reset),
        ["persist", "publish vote"]
    );
    let stale = voter.counters().stale_votes;
    handle(&mut voter, vote(&base, 1, &message(&base, 9, &base)), 0);
    assert_eq!(voter.counters().stale_votes, stale + 1);
    for signer in [1, 2] {
        handle(&mut voter, vote(&new, signer, &on_reset), 0);
    }
    let best = voter.best().expect("three of four have voted");
    assert_eq!(best.commitment, *on_reset.commitment());
    assert_eq!(handle(&mut voter, reset, 0), [""; 0], "delivered again");
}

/// RESET-4.
#[test]
fn a_reset_is_taken_when_there_is_no_room_for_set_changes() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 2, 6);
    let planned = |id: u64, block| Event::Planned {
        block: BlockNumber::new(block),
        set: TestSet::new(id, id..id + 4).set.commitment().clone(),
    };
    let mut id = 1;
    while voter.accepts_eras() {
        let block = 10 * u32::try_from(id).unwrap();
        handle(&mut voter, planned(id, block), 0);
        let activated = Event::Activated {
            block: BlockNumber::new(block + 1),
            id: SetId::new(id),
        };
        handle(&mut voter, activated, 0);
        id += 1;
    }
    handle(&mut voter, planned(id - 1, 900), 0);
    assert_eq!(voter.counters(), Counters::default(), "delivered again");
    handle(&mut voter, planned(id, 900), 0);
    assert_eq!(voter.counters().deferred_plans, 1);
    // ROUND-11: what comes behind it is not taken either, and nothing is wrong with it.
    let (block, rules) = (BlockNumber::new(901), VotingRules::with_min_delta(4));
    let id_of_next = SetId::new(id);
    for event in [
        Event::Activated {
            block,
            id: id_of_next,
        },
        Event::Rules { block, rules },
    ] {
        assert_eq!(handle(&mut voter, event, 0), [""; 0]);
    }
    assert_eq!(voter.counters().inconsistent, 0);
    let new = TestSet::new(id + 7, 2..6);
    let reset = Event::Reset {
        block: BlockNumber::new(950),
        set: new.set.commitment().clone(),
    };
    handle(&mut voter, reset, 0);
    assert!(voter.accepts_eras());
    let number = BlockNumber::new(951);
    handle(&mut voter, Event::Finalized { number }, 0);
    assert_eq!(voter.scanned(), number);
}

/// ROUND-11: not even if its host prepares and signs.
#[test]
fn a_voter_that_does_not_know_the_rules_sends_no_vote_and_takes_proofs() {
    let base = TestSet::new(0, 0..4);
    let rules = VotingRules {
        version: VotingRules::VERSION + 1,
        min_delta: 1,
    };
    let mut voter = voter_at(&base, 0, 0);
    let block = BlockNumber::new(1);
    let ruled = handle(&mut voter, Event::Rules { block, rules }, 0);
    assert_eq!(ruled, ["persist"]);
    let number = BlockNumber::new(6);
    assert_eq!(handle(&mut voter, Event::Finalized { number }, 0), [""; 0]);
    assert!(!voter.knows_rules() && !voter.may_vote());
    let message = message(&base, 4, &base);
    let prepared = Event::Prepared(message.clone());
    assert_eq!(handle(&mut voter, prepared, 0), [""; 0]);
    assert_eq!(own_vote(&mut voter, &base, &message), [""; 0]);
    let proof = base.justify(&message, [1, 2, 3]);
    let concluded = handle(&mut voter, Event::Justification(proof), 0);
    assert!(concluded.contains(&"conclude"), "{concluded:?}");
    assert_eq!(
        voter.best().expect("a proof").commitment,
        *message.commitment()
    );
}

#[test]
fn operators_see_who_has_voted_who_has_not_and_since_when() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 1, 8);
    let message = message(&base, 8, &base);
    let own = voter.own_signer();
    let of =
        |signers: &[u32]| -> Vec<_> { signers.iter().copied().map(SignerIndex::new).collect() };
    let missing = |view: &VotesView| -> Vec<_> {
        let missing = view.missing.iter();
        missing.map(|one| (one.signer.get(), one.last)).collect()
    };

    let before = voter.votes_view(50).expect("the set is loaded");
    assert_eq!(
        (before.newest, before.voted, before.rounds),
        (None, vec![], vec![])
    );
    assert_eq!(before.missing.len(), 4);
    assert_eq!((before.members, before.threshold, before.own), (4, 3, own));
    assert_eq!(before.target, Some(BlockNumber::new(8)));

    drive(&mut voter, vote(&base, 0, &message), 100);
    drive(&mut voter, vote(&base, 2, &message), 200);
    assert_eq!((voter.rounds_open(), voter.votes_held()), (1, 2));
    let open = voter.votes_view(500).expect("the set is loaded");
    let round = RoundView {
        block: BlockNumber::new(8),
        votes: 2,
        agreeing: 2,
        own_vote: own.is_some_and(|own| of(&[0, 2]).contains(&own)),
        open_for: 400,
    };
    assert_eq!((open.newest, open.rounds), (Some(round.block), vec![round]));
    assert_eq!(open.voted, of(&[0, 2]));
    assert_eq!(open.missing[0].key, base.set.keyset().key_bytes()[1]);

    // The proof closes the round; who is late is heard all the same.
    drive(&mut voter, vote(&base, 3, &message), 600);
    let proven = voter.votes_view(700).expect("the set is loaded");
    assert_eq!(proven.best_proven, round.block);
    assert_eq!(proven.rounds, []);
    assert_eq!(missing(&proven), [(1, None)]);
    drive(&mut voter, vote(&base, 1, &message), 800);
    let full = voter.votes_view(900).expect("the set is loaded");
    assert_eq!((full.voted, full.missing), (of(&[0, 1, 2, 3]), vec![]));

    // From the next block on, all but one are missing, and since when they were heard.
    let number = BlockNumber::new(12);
    drive(&mut voter, Event::Finalized { number }, 900);
    let later = hash(base.commitment(12, &base.set));
    drive(&mut voter, vote(&base, 2, &later), 1000);
    let later = voter.votes_view(1100).expect("the set is loaded");
    assert_eq!(later.newest, Some(number));
    let ago = |at: Millis| Some((round.block, 1100 - at));
    assert_eq!(
        missing(&later),
        [(0, ago(100)), (1, ago(800)), (3, ago(600))]
    );
}

#[test]
fn operators_see_whether_the_own_vote_is_among_those_of_a_round() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 1, 1);
    let message = message(&base, 1, &base);
    drive(&mut voter, Event::Prepared(message.clone()), 0);
    let own_vote_of = |voter: &Voter| {
        let view = voter.votes_view(0).expect("the set is loaded");
        view.rounds
            .iter()
            .map(|round| round.own_vote)
            .collect::<Vec<_>>()
    };
    assert_eq!(own_vote_of(&voter), [false]);
    own_vote(&mut voter, &base, &message);
    assert_eq!(own_vote_of(&voter), [true]);
}

#[test]
fn a_proof_of_others_shows_who_voted_where_no_vote_was_heard() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 9, 5);
    let message = message(&base, 5, &base);
    let votes: Vec<_> = [0, 1, 3]
        .map(|signer| base.vote(signer, &message).expect("a member"))
        .into();
    let proof = base.set.aggregate(&message, &votes).expect("good votes");
    drive(&mut voter, Event::Justification(proof), 100);
    let view = voter.votes_view(100).expect("the set is loaded");
    assert_eq!(view.best_proven, BlockNumber::new(5));
    let missing: Vec<_> = view.missing.iter().map(|one| one.signer.get()).collect();
    assert_eq!((view.voted.len(), missing), (3, vec![2]));
}

#[test]
fn a_vote_of_an_own_key_that_this_node_did_not_make_is_counted() {
    let base = TestSet::new(0, 0..4);
    let mut voter = voter_at(&base, 1, 2);
    let message = message(&base, 2, &base);
    drive(&mut voter, Event::Prepared(message.clone()), 0);
    own_vote(&mut voter, &base, &message);
    let own = voter.own_signer().expect("a member").get();
    drive(&mut voter, vote(&base, own, &message), 0);
    assert_eq!(voter.counters().own_key_elsewhere, 0, "an echo");
    let other = (own + 1) % 4;
    let earlier = hash(base.commitment(1, &base.set));
    drive(&mut voter, vote(&base, other, &earlier), 0);
    assert_eq!(voter.counters().own_key_elsewhere, 0, "another member");
    drive(&mut voter, vote(&base, own, &earlier), 0);
    assert_eq!(voter.counters().own_key_elsewhere, 1);
}
