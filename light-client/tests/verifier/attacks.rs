//! One valid thing, one change, one error: what a lying server may send, and how each lie is refused.

use codec::Encode;
use duet_light_client::{
    decode, testing, testing::TestChain, Conflict, Culprit, Error, HandoffProof, Misbehaviour,
    Mode, NextStep, Outcome, Received, StartProof, StorageProofError, Trusted, Update,
};
use duet_primitives::{
    suite::MAX_VALIDATORS, testing::TestSet, Bitfield, BlockNumber, Commitment, JustificationError,
    Keysets, Pk1Bytes, RoundMessage, SetId, SignerIndex, StatelessProof, UncheckedJustification,
    H256,
};
use sp_core::{Blake2Hasher, Hasher};

fn chain() -> TestChain {
    TestChain::new(3, 5, 1)
}

fn begin(chain: &TestChain, mode: Mode) -> Trusted {
    Trusted::from_genesis(chain.genesis_hash, &chain.genesis_proof(), mode).expect("honest")
}

fn after(trusted: &Trusted, update: impl Into<Update>) -> Trusted {
    match trusted.verify(update).expect("honest") {
        Outcome::New(verified) => verified.trusted,
        Outcome::Known => panic!("the block is new"),
    }
}

fn ordinary(chain: &TestChain) -> UncheckedJustification {
    chain.justification(2).expect("set 0 proves block 2")
}

/// The error of a justification with one change, which must not depend on the mode.
fn refused(change: impl Fn(&mut UncheckedJustification)) -> Error {
    let chain = chain();
    let mut bad = ordinary(&chain);
    change(&mut bad);
    let full = begin(&chain, Mode::Full)
        .verify(bad.clone())
        .expect_err("it is refused");

    let mut stateless: StatelessProof = chain.stateless_proof(2).expect("the same block");
    stateless.justification = bad;
    let other = begin(&chain, Mode::Stateless)
        .verify(stateless)
        .expect_err("it is refused");
    if full.culprit() != Culprit::Nobody {
        assert_eq!(full.next_step(), other.next_step());
    }
    assert_eq!(full.rule(), other.rule(), "{full} / {other}");
    full
}

#[test]
fn a_wrong_apk2_is_refused_by_the_equation() {
    let other = chain().justification(5).expect("other signers").apk2;
    let error = refused(|bad| bad.apk2 = other);
    assert_eq!(error, JustificationError::EquationFails.into());
    assert_eq!((error.rule(), error.culprit()), ("JUST-5", Culprit::Sender));
    assert_eq!(error.next_step(), NextStep::LeaveSender);
}

#[test]
fn a_bitfield_below_the_threshold_is_refused() {
    let error =
        refused(|bad| bad.signers = Bitfield::from_indices(5, (0..3).map(SignerIndex::new)));
    assert_eq!(
        error,
        JustificationError::BelowThreshold {
            threshold: 4,
            got: 3
        }
        .into()
    );
    assert_eq!(error.rule(), "JUST-4");
}

#[test]
fn a_bitfield_with_padding_bits_is_refused() {
    let error = refused(|bad| {
        let mut bytes = bad.signers.as_bytes().to_vec();
        bytes[0] |= 1 << 5;
        bad.signers = Bitfield::from_bytes(bytes);
    });
    assert_eq!(error, JustificationError::PaddingBits.into());
    assert_eq!(error.rule(), "JUST-3");
}

#[test]
fn a_bitfield_of_another_length_is_refused() {
    let error = refused(|bad| bad.signers = Bitfield::empty(9));
    assert_eq!(
        error,
        JustificationError::BitfieldLength {
            expected: 1,
            got: 2
        }
        .into()
    );
}

#[test]
fn a_bitfield_that_names_others_is_refused() {
    // Four of five in both, but the signature is not theirs.
    let chain = chain();
    let mut proof = ordinary(&chain);
    proof.signers = Bitfield::from_indices(5, (1..5).map(SignerIndex::new));
    assert_ne!(proof.signers, ordinary(&chain).signers);
    let error = begin(&chain, Mode::Full)
        .verify(proof)
        .expect_err("refused");
    assert_eq!(error.rule(), "JUST-5");
}

#[test]
fn a_proof_of_another_chain_is_refused() {
    let (chain, other) = (chain(), TestChain::new(3, 5, 2));
    assert_ne!(chain.genesis_hash, other.genesis_hash);
    let error = begin(&chain, Mode::Full)
        .verify(ordinary(&other))
        .expect_err("refused");
    assert_eq!(error, JustificationError::EquationFails.into());
    let stateless = other.stateless_proof(2).expect("a proof");
    let error = begin(&chain, Mode::Stateless)
        .verify(stateless)
        .expect_err("refused");
    assert_eq!(error.rule(), "JUST-5");
}

#[test]
fn a_genesis_of_another_chain_is_refused() {
    let (chain, other) = (chain(), TestChain::new(3, 5, 2));
    for mode in [Mode::Full, Mode::Stateless] {
        let error = Trusted::from_genesis(chain.genesis_hash, &other.genesis_proof(), mode)
            .expect_err("another hash");
        let (expected, got) = (chain.genesis_hash, other.genesis_hash);
        assert_eq!(error, Error::WrongStart { expected, got });
        assert_eq!(error.next_step(), NextStep::CheckTrustedHash);
    }
}

#[test]
fn a_proof_by_another_set_is_refused_whatever_it_calls_itself() {
    let chain = chain();
    let trusted = begin(&chain, Mode::Full);
    let foreign = chain.justification(12).expect("set 1 proves block 12");
    let error = trusted
        .verify(foreign.clone())
        .expect_err("set 1 is not trusted yet");
    assert_eq!(
        error,
        Error::TooFarAhead {
            latest: SetId::new(0),
            got: SetId::new(1)
        }
    );
    assert_eq!(
        error.next_step(),
        NextStep::FetchHandoffProofs {
            from_set: SetId::new(0)
        }
    );
    assert_eq!(
        error.next_step().to_string(),
        "fetch the handoff proofs from set 0 on and verify them first"
    );

    let mut relabelled = foreign;
    relabelled.commitment.validator_set_id = SetId::new(0);
    let error = trusted
        .verify(relabelled)
        .expect_err("set 0 did not sign it");
    assert_eq!(error, JustificationError::EquationFails.into());
}

#[test]
fn a_proof_by_a_former_set_is_refused() {
    let chain = chain();
    let trusted = after(
        &begin(&chain, Mode::Full),
        chain.handoff_proofs(0, 1).remove(0),
    );
    let trusted = after(&trusted, chain.justification(12).expect("a proof"));
    let mut commitment = chain.justification(8).expect("a proof").commitment;
    commitment.block_number = BlockNumber::new(30);
    let stale = chain.sign(0, commitment, 0..5);
    let error = trusted.verify(stale).expect_err("set 1 signs");
    assert_eq!(
        error,
        Error::OldSet {
            signing: SetId::new(1),
            got: SetId::new(0)
        }
    );
    assert_eq!(error.culprit(), Culprit::Sender);

    // What it signed before is stale, and nobody is to blame.
    let (best, got) = (trusted.best_number(), 8);
    let error = trusted
        .verify(chain.justification(got).expect("a proof"))
        .expect_err("older than what is trusted");
    assert_eq!(
        error,
        Error::OldBlock {
            best,
            got: BlockNumber::new(got)
        }
    );
    assert_eq!(error.culprit(), Culprit::Nobody);
}

#[test]
fn a_handoff_proof_with_other_keys_or_without_a_successor_is_refused() {
    let chain = chain();
    let trusted = begin(&chain, Mode::Full);
    let honest = chain.handoff_proofs(0, 1).remove(0);

    let mut other_keys = honest.clone();
    other_keys.next_keys = chain.keys(2).expect("known");
    let error = trusted.verify(other_keys).expect_err("not set 1's keys");
    assert!(
        matches!(error, Error::Keys { set, .. } if set.get() == 1),
        "{error}"
    );

    let mut one_less = honest.clone();
    one_less.next_keys.pop();
    assert!(matches!(
        trusted.verify(one_less),
        Err(Error::Keys { set, .. }) if set.get() == 1
    ));

    let nobody = HandoffProof {
        justification: ordinary(&chain),
        next_keys: honest.next_keys,
    };
    let error = trusted.verify(nobody).expect_err("set 0 stays");
    assert_eq!(error, Error::NoSuccessor { set: SetId::new(0) });
    assert_eq!(error.culprit(), Culprit::Sender);
}

#[test]
fn a_successor_out_of_order_is_the_validators_fault() {
    let chain = chain();
    let with_next = |change: fn(&mut Commitment)| {
        let mut commitment = chain.justification(5).expect("it is a handoff").commitment;
        change(&mut commitment);
        let signed = chain.sign(0, commitment, 0..5);
        begin(&chain, Mode::Full)
            .verify(signed)
            .expect_err("refused")
    };
    let skipped = with_next(|commitment| commitment.next.id = SetId::new(2));
    assert_eq!(
        skipped,
        Error::Successor {
            set: SetId::new(0),
            next: SetId::new(2)
        }
    );
    let changed = with_next(|commitment| commitment.next.id = SetId::new(0));
    assert_eq!(
        changed,
        Error::Successor {
            set: SetId::new(0),
            next: SetId::new(0)
        }
    );
    assert_eq!(
        (changed.culprit(), changed.next_step()),
        (Culprit::Validators, NextStep::Stop)
    );
}

#[test]
fn a_successor_of_no_keys_or_too_many_is_refused_as_that_and_blames_the_validators() {
    // LIGHT-5
    let chain = chain();
    for len in [0, MAX_VALIDATORS + 1] {
        let mut commitment = chain.justification(5).expect("it is a handoff").commitment;
        commitment.next.len = len;
        let error = begin(&chain, Mode::Full)
            .verify(chain.sign(0, commitment, 0..5))
            .expect_err("refused");
        let (set, next) = (SetId::new(0), SetId::new(1));
        assert_eq!(error, Error::SuccessorLen { set, next, len });
        assert_eq!(
            (error.rule(), error.culprit(), error.next_step()),
            ("LIGHT-5", Culprit::Validators, NextStep::Stop)
        );
    }
}

#[test]
fn the_same_keys_under_the_next_id_are_a_successor() {
    // LIGHT-5: whether the keys differ is not checked.
    let chain = chain();
    let mut commitment = chain.justification(5).expect("it is a handoff").commitment;
    commitment.next = chain.sets[0].set.commitment().clone();
    commitment.next.id = SetId::new(1);
    let signed = chain.sign(0, commitment.clone(), 0..5);
    let trusted = after(&begin(&chain, Mode::Full), signed);
    assert_eq!(trusted.next(), Some(&commitment.next));
}

#[test]
fn a_proof_of_a_trusted_set_that_names_another_blames_its_sender() {
    // LIGHT-7, for the signing set and for the next one, in both forms.
    let chain = chain();
    let changed = SetId::new(99);
    let expect_changed = |trusted: &Trusted, update: Update, expected: u64| {
        let error = trusted.verify(update).expect_err("the id is changed");
        let (expected, got) = (SetId::new(expected), changed);
        assert_eq!(error, Error::SetIdChanged { expected, got });
        assert_eq!(
            (error.rule(), error.culprit(), error.next_step()),
            ("LIGHT-7", Culprit::Sender, NextStep::LeaveSender)
        );
    };
    let handoff = chain.handoff_proofs(0, 1).remove(0);
    let full = begin(&chain, Mode::Full);
    let full_after = after(&full, handoff.clone());
    let stateless = begin(&chain, Mode::Stateless);
    let stateless_after = after(&stateless, chain.stateless_proof(5).expect("a proof"));
    for (full, stateless, number, set) in [
        (&full, &stateless, 2, 0),
        (&full_after, &stateless_after, 12, 1),
    ] {
        let mut proof = chain.justification(number).expect("a proof");
        proof.commitment.validator_set_id = changed;
        expect_changed(full, proof.into(), set);
        let mut proof = chain.stateless_proof(number).expect("a proof");
        proof.justification.commitment.validator_set_id = changed;
        expect_changed(stateless, proof.into(), set);
    }
    let mut handoff = handoff;
    handoff.justification.commitment.validator_set_id = changed;
    expect_changed(&full, handoff.clone().into(), 0);
    assert!(full.verify_prefix(&[handoff.into()]).is_empty());
}

#[test]
fn a_proof_of_a_later_set_is_not_called_a_lie() {
    // LIGHT-6, LIGHT-7: nothing of it was checked, and nothing proves it false.
    let chain = chain();
    let (latest, got) = (SetId::new(0), SetId::new(2));
    let full = begin(&chain, Mode::Full);
    let proof = chain.justification(22).expect("set 2 proves block 22");
    let error = full.verify(proof).expect_err("set 2 is not trusted yet");
    assert_eq!(error, Error::TooFarAhead { latest, got });
    let stateless = begin(&chain, Mode::Stateless);
    let proof = chain.stateless_proof(22).expect("set 2 proves block 22");
    let error = stateless.verify(proof).expect_err("not trusted yet");
    assert_eq!(error, Error::TooFarAhead { latest, got });
    assert_eq!(error.culprit(), Culprit::Nobody);
}

/// The evidence in an error that names this rule and this contradiction.
fn misbehaviour(error: Error, rule: &str, contradiction: &str) -> Box<Misbehaviour> {
    assert_eq!(
        (error.culprit(), error.next_step()),
        (Culprit::Validators, NextStep::Stop)
    );
    assert_eq!(error.rule(), rule);
    let both = "two proofs hold that cannot both be true";
    let (text, start) = (
        error.to_string(),
        format!("{rule}: {both}: {contradiction} (block "),
    );
    assert!(text.starts_with(&start), "{text}");
    match error {
        Error::Misbehaviour(misbehaviour) => misbehaviour,
        other => panic!("no misbehaviour: {other}"),
    }
}

#[test]
fn two_commitments_for_one_block_are_evidence_that_holds() {
    let chain = chain();
    let first = ordinary(&chain);
    let trusted = after(&begin(&chain, Mode::Full), first.clone());
    let mut commitment = first.commitment.clone();
    commitment.block_hash = H256::repeat_byte(9);
    let second = chain.sign(0, commitment, [0, 1, 2, 4]);
    let error = trusted.verify(second.clone()).expect_err("they contradict");
    let evidence = misbehaviour(error, "LIGHT-4", "two commitments for one block number");
    assert_eq!(evidence.conflict(), Conflict::SameBlock);
    assert_eq!(evidence.proofs(), [&first, &second]);

    // Anybody who has the set can check it again.
    let set = chain.sets[0].set.keyset();
    let [one, other] = evidence.proofs().map(|proof| {
        proof
            .clone()
            .check(set, chain.genesis_hash)
            .expect("it holds")
    });
    assert_eq!(Misbehaviour::new(one, other).as_ref(), Some(&*evidence));

    // A forged one is no evidence.
    let mut forged = second;
    forged.commitment.mmr_root = H256::repeat_byte(3);
    assert_eq!(trusted.verify(forged).expect_err("forged").rule(), "JUST-5");
}

#[test]
fn two_successors_or_one_taken_back_are_evidence() {
    let chain = chain();
    let trusted = after(
        &begin(&chain, Mode::Full),
        chain.handoff_proofs(0, 1).remove(0),
    );
    let late = chain.justification(8).expect("a late proof").commitment;

    let mut other = late.clone();
    other.next.root = H256::repeat_byte(7);
    let error = trusted
        .verify(chain.sign(0, other, 0..5))
        .expect_err("another successor");
    let evidence = misbehaviour(error, "LIGHT-5", "two successors of one set");
    assert_eq!(evidence.conflict(), Conflict::Successors);

    let mut back = late;
    back.next = chain.sets[0].set.commitment().clone();
    let error = trusted
        .verify(chain.sign(0, back, 0..5))
        .expect_err("it was named");
    let evidence = misbehaviour(
        error,
        "LIGHT-5",
        "a successor that was named and taken back",
    );
    assert_eq!(evidence.conflict(), Conflict::Retraction);
}

#[test]
fn conflicts_do_not_depend_on_the_order_and_honest_chains_have_none() {
    let chain = chain();
    let all: Vec<_> = chain
        .justifications()
        .map(|proof| proof.commitment.clone())
        .collect();
    for one in &all {
        for other in &all {
            assert_eq!(Conflict::between(one, other), None);
        }
    }
    let mut behind = all[0].clone();
    behind.block_number = BlockNumber::new(100);
    let ahead = all.last().expect("proofs");
    assert_eq!(Conflict::between(&behind, ahead), Some(Conflict::SetOrder));
    assert_eq!(Conflict::between(ahead, &behind), Some(Conflict::SetOrder));
}

#[test]
fn a_checkpoint_of_another_history_is_reported_as_that() {
    let chain = chain();
    let mut checkpoint = chain.checkpoint(0);
    checkpoint.block_number = BlockNumber::new(2);
    checkpoint.block_hash = H256::repeat_byte(5);
    let trusted = Trusted::from_checkpoint(checkpoint, Mode::Stateless).expect("well formed");
    let error = trusted
        .verify(chain.stateless_proof(2).expect("a proof"))
        .expect_err("other hash");
    assert_eq!(
        error,
        Error::CheckpointContradicted {
            number: BlockNumber::new(2),
            conflict: Conflict::SameBlock
        }
    );
    assert_eq!(
        (error.culprit(), error.next_step()),
        (Culprit::Caller, NextStep::NewCheckpoint)
    );

    let mut planned = chain.checkpoint(0);
    planned.keysets.next = chain.sets[1].set.commitment().clone();
    let trusted = Trusted::from_checkpoint(planned, Mode::Stateless).expect("well formed");
    let error = trusted
        .verify(chain.stateless_proof(2).expect("a proof"))
        .expect_err("retracted");
    assert_eq!(
        error,
        Error::CheckpointContradicted {
            number: BlockNumber::new(2),
            conflict: Conflict::Retraction
        }
    );
}

/// LIGHT-5. With the right total the equation holds, so that only the successor shows that the rest is made up.
#[test]
fn a_checkpoint_with_another_root_for_its_set_does_not_blame_the_validators() {
    let chain = chain();
    let mut edited = chain.checkpoint(0);
    edited.keysets.current.root = H256::repeat_byte(5);
    edited.keysets.next = edited.keysets.current.clone();
    let trusted = Trusted::from_checkpoint(edited, Mode::Stateless).expect("well formed");
    let signed_by_all = StatelessProof {
        justification: chain.sign(0, ordinary(&chain).commitment, 0..5),
        non_signers: Vec::new(),
        proof: Default::default(),
    };
    let error = trusted.verify(signed_by_all).expect_err("another root");
    let set = SetId::new(0);
    assert_eq!(error, Error::CheckpointSet { set });
    assert_eq!(
        (error.rule(), error.culprit(), error.next_step()),
        ("LIGHT-5", Culprit::Caller, NextStep::NewCheckpoint)
    );
}

#[test]
fn a_storage_proof_with_too_little_too_much_or_nothing_is_refused() {
    let chain = chain();
    let honest = chain.genesis_proof();
    let refuse = |proof: &StartProof| {
        Trusted::from_genesis(chain.genesis_hash, proof, Mode::Full).expect_err("refused")
    };
    for missing in 0..honest.nodes.len() {
        let mut proof = honest.clone();
        proof.nodes.remove(missing);
        assert_eq!(refuse(&proof), StorageProofError::Incomplete.into());
    }
    let expected = honest.nodes.len();
    for extra in [honest.nodes[0].clone(), b"not of this trie".to_vec()] {
        let mut proof = honest.clone();
        proof.nodes.push(extra);
        let surplus = StorageProofError::Surplus {
            expected,
            got: expected + 1,
        };
        assert_eq!(refuse(&proof), surplus.into());
    }
    let mut empty = honest;
    empty.nodes.clear();
    assert_eq!(refuse(&empty), StorageProofError::Incomplete.into());
}

/// What a client makes of a genesis whose state has this value, with everything else in order.
fn genesis_of(value: Option<&[u8]>, number: u32, keys: Vec<Pk1Bytes>) -> Result<Trusted, Error> {
    let state = testing::StartState {
        keysets: value,
        ..Default::default()
    };
    let proof = state.start_proof(H256::zero(), number, keys);
    let hash = Blake2Hasher::hash(&proof.header);
    Trusted::from_genesis(hash, &proof, Mode::Full)
}

fn genesis_with(value: Option<&[u8]>, number: u32) -> Error {
    let keys = chain().keys(0).expect("known");
    genesis_of(value, number, keys).expect_err("refused")
}

const NO_KEYSETS: Error = Error::NoKeysets {
    block: BlockNumber::ZERO,
};

/// A genesis with these keysets, which is accepted.
fn accepted(current: &TestSet, next: &TestSet) -> Trusted {
    let keysets = Keysets {
        current: current.set.commitment().clone(),
        next: next.set.commitment().clone(),
    };
    let keys = current.set.keyset().key_bytes();
    genesis_of(Some(&keysets.encode()), 0, keys).expect("it is accepted")
}

#[test]
fn the_first_set_may_have_any_id() {
    // LIGHT-2
    let fifth = TestSet::new(5, 0..4);
    let trusted = accepted(&fifth, &fifth);
    assert_eq!(trusted.signing().id, SetId::new(5));
    assert_eq!(trusted.next(), None);
}

#[test]
fn a_successor_in_the_genesis_state_is_trusted_at_once() {
    // LIGHT-2: handoff proofs are asked for from it on.
    let (first, second) = (TestSet::new(0, 0..4), TestSet::new(1, 1..5));
    let trusted = accepted(&first, &second);
    assert_eq!(trusted.signing(), first.set.commitment());
    assert_eq!(trusted.next(), Some(second.set.commitment()));
    assert_eq!(trusted.latest_set(), second.set.commitment());

    let message = RoundMessage::new(trusted.genesis_hash(), second.commitment(3, &second.set));
    let trusted = trusted
        .with_keys(SetId::new(1), &second.set.keyset().key_bytes())
        .expect("its keys");
    let proof = second.justify(&message, 0..4).into_unchecked();
    assert_eq!(after(&trusted, proof).signing(), second.set.commitment());
}

#[test]
fn a_genesis_that_has_no_first_set_is_told_from_a_lie() {
    let absent = genesis_with(None, 0);
    assert_eq!(absent, NO_KEYSETS);
    assert_eq!(
        (absent.culprit(), absent.next_step()),
        (Culprit::Nobody, NextStep::NewCheckpoint)
    );
    assert_eq!(genesis_with(Some(&[1; 50]), 0), NO_KEYSETS);

    let first = chain().sets[0].set.commitment().clone();
    let next = chain().sets[2].set.commitment().clone();
    let skips = Keysets {
        current: first.clone(),
        next,
    }
    .encode();
    assert_eq!(genesis_with(Some(&skips), 0), NO_KEYSETS);

    let good = Keysets::without_successor(first).encode();
    let later = genesis_with(Some(&good), 1);
    assert_eq!(later, Error::NotAGenesisHash);
    assert_eq!(
        (later.culprit(), later.next_step()),
        (Culprit::Caller, NextStep::CheckTrustedHash)
    );
    for len in [0, MAX_VALIDATORS + 1] {
        let mut keysets = Keysets {
            current: chain().sets[0].set.commitment().clone(),
            next: chain().sets[1].set.commitment().clone(),
        };
        keysets.next.len = len;
        let bytes = keysets.encode();
        assert_eq!(genesis_with(Some(&bytes), 0), NO_KEYSETS);
    }
}

#[test]
fn what_is_too_long_or_goes_on_is_not_decoded() {
    let mut bytes = ordinary(&chain()).encode();
    bytes.push(0);
    let error = decode::<UncheckedJustification>(&bytes).expect_err("a byte is left over");
    assert_eq!((error.rule(), error.culprit()), ("ENC-6", Culprit::Sender));
    let long = vec![0; <UncheckedJustification as Received>::MAX_LEN + 1];
    assert_eq!(
        decode::<UncheckedJustification>(&long)
            .expect_err("too long")
            .rule(),
        "ENC-6"
    );
    // A list that claims more than it brings.
    let liar = codec::Compact(u32::MAX).encode();
    assert_eq!(
        decode::<Vec<HandoffProof>>(&liar)
            .expect_err("short")
            .rule(),
        "ENC-6"
    );
    assert_eq!(
        decode::<Vec<Pk1Bytes>>(&liar).expect_err("short").rule(),
        "ENC-6"
    );
}

/// Flips a bit in every byte, the lowest and then the highest, and wants one of the rules for that part.
fn flip_everywhere<T: Received>(
    bytes: &[u8],
    parts: &[(&str, usize, &[&str])],
    verify: impl Fn(T) -> Result<(), Error>,
) {
    verify(decode(bytes).expect("untouched")).expect("untouched");
    let mut start = 0;
    for (part, len, rules) in parts {
        for offset in start..start + len {
            for bit in [0x01, 0x80] {
                let mut bad = bytes.to_vec();
                bad[offset] ^= bit;
                let error = decode(&bad)
                    .and_then(&verify)
                    .expect_err("a bit is flipped");
                assert!(
                    rules.contains(&error.rule()),
                    "{part}, byte {offset}: {error}"
                );
            }
        }
        start += len;
    }
    assert_eq!(start, bytes.len(), "every byte was flipped");
}

const POINT: &[&str] = &["ENC-1", "ENC-2", "ENC-3", "ENC-4", "JUST-5"];

/// The parts of a justification of a set of five: where they are and what breaks there.
const JUSTIFICATION: [(&str, usize, &[&str]); 11] = [
    ("block number", 4, &["LIGHT-4", "JUST-5"]),
    ("block hash", 32, &["JUST-5"]),
    ("mmr root", 32, &["JUST-5"]),
    ("set id", 8, &["LIGHT-7"]),
    ("next: id", 8, &["JUST-5"]),
    ("next: len", 4, &["JUST-5"]),
    ("next: root and apk1", 80, &["JUST-5"]),
    ("bitfield length", 1, &["ENC-6", "JUST-2"]),
    ("bitfield", 1, &["JUST-3", "JUST-4", "JUST-5"]),
    ("signature", 48, POINT),
    ("apk2", 96, POINT),
];

#[test]
fn a_flipped_bit_at_any_offset_of_a_justification_is_refused() {
    let chain = chain();
    let trusted = begin(&chain, Mode::Full);
    for number in [2, 5] {
        let bytes = chain.justification(number).expect("a proof").encode();
        flip_everywhere(&bytes, &JUSTIFICATION, |bad: UncheckedJustification| {
            trusted.verify(bad).map(|_| ())
        });
    }
}

#[test]
fn a_flipped_bit_at_any_offset_of_a_handoff_proof_is_refused() {
    let chain = chain();
    let trusted = begin(&chain, Mode::Full);
    let bytes = chain.handoff_proofs(0, 1).remove(0).encode();
    let mut parts = JUSTIFICATION.to_vec();
    parts.push(("number of keys", 1, &["ENC-6", "LIGHT-3"]));
    parts.push(("keys", 5 * 48, &["LIGHT-3"]));
    flip_everywhere(&bytes, &parts, |bad: HandoffProof| {
        trusted.verify(bad).map(|_| ())
    });
}

#[test]
fn a_flipped_bit_at_any_offset_of_a_stateless_proof_is_refused() {
    let chain = chain();
    let trusted = begin(&chain, Mode::Stateless);
    let proof = chain.stateless_proof(2).expect("a proof");
    let merkle = proof.proof.encoded_size();
    let mut parts = JUSTIFICATION.to_vec();
    // Another bitfield needs other non-signers' keys.
    parts[8].2 = &["JUST-3", "JUST-4", "STATELESS-1", "STATELESS-2"];
    parts.push(("number of non-signers", 1, &["ENC-6", "STATELESS-1"]));
    parts.push(("non-signer", 48, &["STATELESS-2"]));
    parts.push(("number of hashes", 1, &["ENC-6", "STATELESS-2"]));
    parts.push(("hashes", merkle - 1, &["STATELESS-2"]));
    flip_everywhere(&proof.encode(), &parts, |bad: StatelessProof| {
        trusted.verify(bad).map(|_| ())
    });
}

#[test]
fn a_flipped_bit_at_any_offset_of_a_genesis_proof_is_refused() {
    let chain = chain();
    let proof = chain.genesis_proof();
    let prefix = |list: usize| codec::Compact(u32::try_from(list).expect("short")).encoded_size();
    let parts: [(&str, usize, &[&str]); 4] = [
        ("header", proof.header.encoded_size(), &["ENC-6", "LIGHT-1"]),
        ("nodes", proof.nodes.encoded_size(), &["ENC-6", "LIGHT-2"]),
        (
            "number of keys",
            prefix(proof.keys.len()),
            &["ENC-6", "LIGHT-3"],
        ),
        ("keys", proof.keys.len() * 48, &["LIGHT-3"]),
    ];
    for mode in [Mode::Full, Mode::Stateless] {
        flip_everywhere(&proof.encode(), &parts, |bad: StartProof| {
            Trusted::from_genesis(chain.genesis_hash, &bad, mode).map(|_| ())
        });
    }
}

#[test]
fn a_flipped_bit_at_any_offset_of_keys_is_refused() {
    let chain = chain();
    let trusted = Trusted::from_checkpoint(chain.checkpoint(0), Mode::Full).expect("well formed");
    let keys = chain.keys(0).expect("known").encode();
    let parts: [(&str, usize, &[&str]); 2] = [
        ("number of keys", 1, &["ENC-6", "LIGHT-3"]),
        ("keys", 5 * 48, &["LIGHT-3"]),
    ];
    flip_everywhere(&keys, &parts, |bad: Vec<Pk1Bytes>| {
        trusted.with_keys(SetId::new(0), &bad).map(|_| ())
    });
}

#[test]
fn every_error_names_its_rule_in_what_it_says() {
    let errors = [
        refused(|bad| bad.signers = Bitfield::empty(9)),
        refused(|bad| bad.signature.0 = [0; 48]),
        refused(|bad| bad.apk2.0 = [0xff; 96]),
        refused(|bad| bad.commitment.validator_set_id = SetId::new(9)),
        refused(|bad| bad.commitment.block_number = BlockNumber::new(3)),
        genesis_with(None, 0),
        genesis_with(None, 1),
    ];
    for error in errors {
        assert!(error.to_string().contains(error.rule()), "{error}");
    }
}
