use super::*;
use duet_primitives::{
    testing::TestSet, Pk1Bytes, RoundMessage, SignerIndex, VoteSignature, VotingRules, H256,
};

fn set(id: u64) -> KeysetCommitment {
    KeysetCommitment {
        id: SetId::new(id),
        len: 4,
        root: H256::repeat_byte(3),
        apk1: Pk1Bytes([2; 48]),
    }
}

fn vote(block: u32) -> UncheckedVote {
    let base = TestSet::new(0, [0]);
    let commitment = base.commitment(block, &base.set);
    UncheckedVote {
        commitment,
        signer: SignerIndex::new(0),
        signature: VoteSignature([1; 112]),
    }
}

fn proof(base: &TestSet, next: &TestSet, block: u32) -> Justification {
    let message = RoundMessage::new(H256::zero(), base.commitment(block, &next.set));
    base.justify(&message, [0])
}

fn rich() -> State {
    let base = TestSet::new(0, [0]);
    let mut state = State::new(base.set.commitment().clone(), BlockNumber::new(1));
    assert_eq!(state.plan(BlockNumber::new(5), set(1)), Logged::New);
    assert_eq!(
        state.activate(BlockNumber::new(9), SetId::new(1)),
        Logged::New
    );
    assert_eq!(state.plan(BlockNumber::new(9), set(2)), Logged::New);
    state.scan(BlockNumber::new(12));
    state.conclude(&proof(&base, &base, 2));
    state.record(vote(4));
    state.record(vote(3));
    state
}

#[test]
fn what_is_stored_is_what_is_read() {
    for state in [State::new(set(7), BlockNumber::new(90)), rich()] {
        assert_eq!(State::from_bytes(&state.to_bytes()), Ok(state));
    }
}

/// The bytes that the first version wrote of [`rich`], but for its best proof.
fn of_first_version(state: &State) -> Vec<u8> {
    let era = |era: &Era| (&era.set, era.start, era.mandatory).encode();
    let later: Vec<u8> = state.later.iter().flat_map(era).collect();
    let count = codec::Compact(u32::try_from(state.later.len()).unwrap());
    [
        1_u16.encode(),
        era(&state.signing),
        count.encode(),
        later,
        (state.scanned, &state.best, state.floor, &state.votes).encode(),
    ]
    .concat()
}

/// ROUND-4, ROUND-11: a node that is upgraded forgets nothing, and its sets vote as before.
#[test]
fn a_state_of_the_first_version_is_read() {
    let state = rich();
    assert!(!state.votes.is_empty() && state.later.len() == 2);
    assert_eq!(State::from_bytes(&of_first_version(&state)), Ok(state));
    let mut cut = of_first_version(&rich());
    cut.pop();
    assert!(matches!(
        State::from_bytes(&cut),
        Err(StateError::Malformed(_))
    ));
}

/// ROUND-11.
#[test]
fn a_set_votes_by_the_rules_of_its_first_block() {
    let [one, two] = [4, 8].map(VotingRules::with_min_delta);
    let rules = |state: &State| state.eras().map(|era| era.rules).collect::<Vec<_>>();
    let mut state = State::new(set(0), BlockNumber::new(1)).with_rules(one);
    state.plan(BlockNumber::new(5), set(1));
    assert_eq!(state.rule(BlockNumber::new(9), two), Logged::Gap);
    state.activate(BlockNumber::new(9), SetId::new(1));
    assert_eq!(rules(&state), [one, one], "as the set before");
    assert_eq!(state.rule(BlockNumber::new(9), two), Logged::New);
    assert_eq!(state.rule(BlockNumber::new(9), two), Logged::Known);
    assert_eq!(state.rule(BlockNumber::new(1), one), Logged::Known);
    state.plan(BlockNumber::new(9), set(2));
    assert_eq!(rules(&state), [one, two, two]);
    assert_eq!(State::from_bytes(&state.to_bytes()), Ok(state.clone()));
    state.reset(BlockNumber::new(20), set(4));
    assert_eq!(state.rule(BlockNumber::new(9), one), Logged::Known, "over");
    assert_eq!(state.rule(BlockNumber::new(20), two), Logged::New);
    assert_eq!(rules(&state), [two]);
}

/// ROUND-4.
#[test]
fn a_state_that_is_silent_up_to_a_block_signs_nothing_up_to_it() {
    let state = rich().silent_up_to(BlockNumber::new(12));
    let signs = |block| state.may_sign(BlockNumber::new(block));
    assert_eq!([3, 12, 13].map(signs), [false, false, true]);
    assert!(state.votes().is_empty());
    assert_eq!(State::from_bytes(&state.to_bytes()), Ok(state.clone()));
}

#[test]
fn another_version_is_refused() {
    let mut bytes = rich().to_bytes();
    bytes[0] = 9;
    let error = State::from_bytes(&bytes).expect_err("a version of the future");
    let (expected, got) = (2, 9);
    assert_eq!(error, StateError::Version { expected, got });
    assert_eq!(
        error.to_string(),
        "the voter's state has version 9, but this node reads version 2"
    );
}

#[test]
fn bytes_that_are_no_state_are_refused() {
    let bytes = rich().to_bytes();
    assert!(matches!(
        State::from_bytes(&bytes[..40]),
        Err(StateError::Malformed(_))
    ));
    let longer = [bytes, vec![0]].concat();
    assert!(matches!(
        State::from_bytes(&longer),
        Err(StateError::Malformed(_))
    ));
    assert!(matches!(
        State::from_bytes(&[]),
        Err(StateError::Malformed(_))
    ));
}

#[test]
fn a_state_that_no_voter_writes_is_refused() {
    let check = |spoil: fn(&mut State)| {
        let mut state = rich();
        spoil(&mut state);
        State::from_bytes(&state.to_bytes()).map(|_| ())
    };
    assert_eq!(check(|_| ()), Ok(()));
    assert_eq!(
        check(|state| state.signing.start = None),
        Err(StateError::Eras)
    );
    assert_eq!(
        check(|state| state.signing.mandatory = None),
        Err(StateError::Eras)
    );
    assert_eq!(
        check(|state| state.signing.mandatory = Some(BlockNumber::new(9))),
        Err(StateError::Eras)
    );
    assert_eq!(
        check(|state| state.later[0].set.id = SetId::new(2)),
        Err(StateError::Eras)
    );
    assert_eq!(
        check(|state| state.later.truncate(1)),
        Err(StateError::Eras)
    );
    assert_eq!(check(|state| state.votes.reverse()), Err(StateError::Votes));
    assert_eq!(
        check(|state| state.votes[1] = vote(3)),
        Err(StateError::Votes),
        "two on one block"
    );
    assert_eq!(
        check(|state| state.floor = BlockNumber::new(3)),
        Err(StateError::Votes)
    );
}

#[test]
fn logs_are_taken_once_and_in_order() {
    let mut state = State::new(set(0), BlockNumber::new(10));
    assert_eq!(
        state.plan(BlockNumber::new(9), set(1)),
        Logged::Gap,
        "before the set's first block"
    );
    assert_eq!(
        state.plan(BlockNumber::new(12), set(2)),
        Logged::Gap,
        "a set is left out"
    );
    assert_eq!(
        state.activate(BlockNumber::new(12), SetId::new(1)),
        Logged::Gap,
        "never planned"
    );
    assert_eq!(state.plan(BlockNumber::new(12), set(1)), Logged::New);
    assert_eq!(state.plan(BlockNumber::new(12), set(1)), Logged::Known);
    assert_eq!(
        state.plan(BlockNumber::new(14), set(2)),
        Logged::Gap,
        "set 1 does not sign yet"
    );
    assert_eq!(
        state.activate(BlockNumber::new(12), SetId::new(1)),
        Logged::Gap,
        "not after it was planned"
    );
    assert_eq!(
        state.activate(BlockNumber::new(20), SetId::new(1)),
        Logged::New
    );
    assert_eq!(
        state.activate(BlockNumber::new(20), SetId::new(1)),
        Logged::Known
    );
    assert_eq!(
        state.activate(BlockNumber::new(10), SetId::new(0)),
        Logged::Known
    );
    assert_eq!(
        state.plan(BlockNumber::new(20), set(2)),
        Logged::New,
        "in the same block"
    );
}

#[test]
fn no_block_is_signed_twice_nor_below_what_is_proven_or_forgotten() {
    let mut state = rich();
    let may_sign = |state: &State| {
        (1..=7)
            .filter(|block| state.may_sign(BlockNumber::new(*block)))
            .collect::<Vec<_>>()
    };
    assert_eq!(may_sign(&state), [5, 6, 7]);
    let base = TestSet::new(0, [0]);
    state.conclude(&proof(&base, &base, 3));
    assert_eq!(may_sign(&state), [5, 6, 7]);
    state.conclude(&proof(&base, &base, 5));
    assert_eq!(may_sign(&state), [6, 7]);
    assert!(state.votes().is_empty());
}

#[test]
fn votes_are_bounded_and_the_forgotten_ones_are_not_signed_again() {
    let mut state = State::new(set(0), BlockNumber::new(1));
    for block in (1..=80).rev() {
        if state.may_sign(BlockNumber::new(block)) {
            state.record(vote(block));
        }
    }
    assert_eq!(state.votes().len(), MAX_VOTES);
    assert_eq!(
        (1..=81)
            .filter(|block| state.may_sign(BlockNumber::new(*block)))
            .collect::<Vec<_>>(),
        [81]
    );
}

#[test]
fn a_set_takes_over_when_it_is_proven_and_its_first_block_is_final() {
    let (base, next) = (TestSet::new(0, [0]), TestSet::new(1, [1]));
    let mut state = State::new(base.set.commitment().clone(), BlockNumber::new(1));
    state.plan(BlockNumber::new(5), next.set.commitment().clone());
    state.scan(BlockNumber::new(8));
    let planned = BlockNumber::new(5);
    assert_eq!((state.pending(), state.highest()), (Some(planned), planned));
    state.conclude(&proof(&base, &next, 5));
    assert_eq!((state.pending(), state.highest()), (None, BlockNumber::MAX));
    assert!(!state.take_over(), "not planned for a block yet");
    state.activate(BlockNumber::new(9), SetId::new(1));
    assert_eq!(state.highest(), BlockNumber::new(8));
    assert!(!state.take_over(), "its first block is not final");
    state.scan(BlockNumber::new(9));
    assert!(state.take_over());
    assert_eq!(state.signing().set.id, SetId::new(1));
    assert_eq!(state.lowest(), BlockNumber::new(9));
    assert!(!state.may_sign(BlockNumber::new(8)));
}

/// RESET-4.
#[test]
fn a_reset_drops_every_open_era_and_goes_on_from_its_block() {
    let mut state = rich();
    assert_eq!(state.reset(BlockNumber::new(40), set(3)), Logged::New);
    let era = Era {
        set: set(3),
        start: Some(BlockNumber::new(40)),
        mandatory: None,
        rules: VotingRules::default(),
    };
    assert_eq!(state.eras().collect::<Vec<_>>(), [&era]);
    assert_eq!(state.scanned().get(), 39);
    assert_eq!(state.lowest().get(), 40);
    assert_eq!(state.votes(), []);
    assert!(!state.may_sign(BlockNumber::new(39)) && state.may_sign(BlockNumber::new(40)));
    assert_eq!(State::from_bytes(&state.to_bytes()), Ok(state.clone()));
    // Of logs that come again, and of those that a reset in the same block made void, none counts.
    for known in [
        state.reset(BlockNumber::new(40), set(3)),
        state.plan(BlockNumber::new(40), set(2)),
        state.activate(BlockNumber::new(40), SetId::new(1)),
    ] {
        assert_eq!(known, Logged::Known);
    }
    assert_eq!(state.plan(BlockNumber::new(44), set(4)), Logged::New);
}
