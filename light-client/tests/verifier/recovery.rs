//! A reset is crossed by a recovery proof, after a wait. (RECOVER-7, RECOVER-8)

use codec::{Compact, Encode};
use duet_light_client::{
    recovery_terms, testing::TestChain, Conflict, Crossing, Culprit, Dated, Error, Mode, NextStep,
    Outcome, RecoverError, StateError, TooOld, Trusted, Update, MAX_AHEAD,
};
use duet_primitives::{
    suite::ENGINE_ID, testing::TestSet, BlockNumber, ConsensusLog, MerkleProof, Pk1Bytes, Recovery,
    RecoveryError, RecoveryMessage, RecoveryProof, RecoveryStatement, RecoveryTerms, RecoveryVote,
    RoundMessage, SetId, SignerIndex, StatelessProof, UncheckedJustification, H256,
};
use sp_core::{Blake2Hasher, Hasher};

const SECOND: u64 = 1_000;
/// The time of the newest proven block, and when the recovery is announced.
const TIME: u64 = 1_000_000;
const NOW: u64 = TIME + 50 * SECOND;
const DELAY: u64 = 100;
const PERIOD: u64 = 1_000;
const RESET: u32 = 20;

fn chain() -> TestChain {
    TestChain::new(2, 4, 0)
}

/// A client whose newest block is 5, in which set 0 named set 1.
fn client(mode: Mode) -> Trusted {
    let chain = chain();
    let trusted = Trusted::from_genesis(chain.genesis_hash, &chain.genesis_proof(), mode).unwrap();
    let update = match mode {
        Mode::Full => chain.handoff_proofs(0, 1).remove(0).into(),
        Mode::Stateless => chain.stateless_proof(5).unwrap().into(),
    };
    dated(&after(&trusted, update))
}

fn dated(trusted: &Trusted) -> Trusted {
    trusted.clone().with_date(Dated {
        time: TIME,
        trusting_period: Some(PERIOD),
    })
}

fn after(trusted: &Trusted, update: Update) -> Trusted {
    match trusted.verify(update).unwrap() {
        Outcome::New(verified) => verified.trusted,
        Outcome::Known => panic!("it is new"),
    }
}

fn members() -> TestSet {
    TestSet::new(3, 20..27)
}

/// The set behind the reset.
fn set() -> TestSet {
    TestSet::new(7, 30..34)
}

fn terms() -> RecoveryTerms {
    RecoveryTerms {
        set: members().set.commitment().clone(),
        delay: DELAY,
    }
}

fn statement() -> RecoveryStatement {
    let newest = chain().justification(5).unwrap().commitment;
    RecoveryStatement {
        recovery_set: SetId::new(3),
        block_number: newest.block_number,
        block_hash: newest.block_hash,
        ended: SetId::new(1),
        reset_number: BlockNumber::new(RESET),
        reset_hash: H256::repeat_byte(8),
        set: set().set.commitment().clone(),
    }
}

fn prove_by(statement: &RecoveryStatement, signers: [u32; 5]) -> RecoveryProof {
    let (genesis, members) = (chain().genesis_hash, members());
    let message = RecoveryMessage::new(genesis, statement.clone());
    let votes = signers.map(|signer| {
        let secret = &members.secrets[signer as usize];
        RecoveryVote::sign(secret, SignerIndex::new(signer), &message)
    });
    let proof = Recovery::combine(members.set.keyset(), genesis, &votes);
    proof.unwrap().into_unchecked()
}

fn prove(statement: &RecoveryStatement) -> RecoveryProof {
    prove_by(statement, [0, 2, 3, 4, 6])
}

/// The statement with a change, proven.
fn other(change: impl FnOnce(&mut RecoveryStatement)) -> RecoveryProof {
    let mut statement = statement();
    change(&mut statement);
    prove(&statement)
}

fn announced(mode: Mode) -> Trusted {
    let client = client(mode);
    client
        .announce(&terms(), prove(&statement()), NOW, None)
        .unwrap()
}

/// After the wait.
fn crossed(mode: Mode) -> Trusted {
    match announced(mode).cross(NOW + DELAY * SECOND, None).unwrap() {
        Crossing::Crossed(trusted) => *trusted,
        Crossing::Restarted(_) => panic!("the clock goes forward"),
    }
}

/// A proof by the set behind the reset.
fn behind(number: u32) -> UncheckedJustification {
    let set = set();
    let message = RoundMessage::new(chain().genesis_hash, set.commitment(number, &set.set));
    set.justify(&message, [0, 1, 3]).into_unchecked()
}

/// RECOVER-4, RECOVER-7.
#[test]
fn terms_that_no_recovery_can_follow_are_none() {
    let with = |change: fn(&mut RecoveryTerms)| {
        let mut terms = terms();
        change(&mut terms);
        recovery_terms(Some(&terms.encode()))
    };
    assert_eq!(with(|_| ()), Some(terms()));
    assert!(with(|terms| terms.delay = 1).is_some());
    assert_eq!(with(|terms| terms.delay = 0), None);
    assert_eq!(with(|terms| terms.set.len = 0), None);
    assert_eq!(with(|terms| terms.set.apk1 = Pk1Bytes([0; 48])), None);
    assert_eq!(recovery_terms(None), None);
    let bytes = terms().encode();
    assert_eq!(recovery_terms(Some(&bytes[..99])), None);
    assert_eq!(recovery_terms(Some(&[&bytes[..], &[0]].concat())), None);
}

/// RECOVER-7: items 2 to 5, in order.
#[test]
fn each_condition_of_an_announcement_is_checked_in_order() {
    let refused = |client: &Trusted, proof: RecoveryProof, now, rule, culprit| {
        let error = client.announce(&terms(), proof, now, None).unwrap_err();
        assert_eq!((error.rule(), error.culprit()), (rule, culprit), "{error}");
        error
    };
    let (client, nobody, sender) = (client(Mode::Full), Culprit::Nobody, Culprit::Sender);
    let too_late = TIME + PERIOD * SECOND + 1;
    let invalid = |mut proof: RecoveryProof| {
        proof.signature.0[20] ^= 1;
        proof
    };
    // Each is wrong in all that is checked after it.
    let worst = |statement: &mut RecoveryStatement| {
        statement.block_hash = H256::zero();
        statement.ended = SetId::new(2);
    };
    let error = refused(
        &client,
        invalid(other(worst)),
        too_late,
        "RECOVER-7",
        nobody,
    );
    assert!(matches!(error, RecoverError::OtherBlock { .. }));
    let number = other(|statement| statement.block_number = BlockNumber::new(6));
    let error = refused(&client, number, NOW, "RECOVER-7", nobody);
    assert!(matches!(error, RecoverError::OtherBlock { .. }));
    let ended = other(|statement| statement.ended = SetId::new(2));
    let error = refused(&client, invalid(ended), too_late, "RECOVER-7", sender);
    let (signing, latest, got) = (SetId::new(0), SetId::new(1), SetId::new(2));
    let expected = RecoverError::OtherEnded {
        signing,
        latest,
        got,
    };
    assert_eq!(error, expected);
    let low = other(|statement| {
        statement.ended = SetId::new(0);
        statement.set.id = SetId::new(1);
    });
    let error = refused(&client, invalid(low), too_late, "RECOVER-7", sender);
    let got = latest;
    assert_eq!(error, RecoverError::NotAbove { latest, got });
    let error = refused(
        &client,
        invalid(prove(&statement())),
        too_late,
        "RECOVER-6",
        sender,
    );
    assert!(matches!(
        error,
        RecoverError::Proof(RecoveryError::Proof(_))
    ));
    let unknown = other(|statement| statement.recovery_set = SetId::new(3));
    let elsewhere = RecoveryTerms {
        set: TestSet::new(4, 20..27).set.commitment().clone(),
        ..terms()
    };
    let error = client.announce(&elsewhere, unknown, NOW, None).unwrap_err();
    assert!(matches!(
        error,
        RecoverError::Proof(RecoveryError::WrongSet { .. })
    ));
    let error = refused(&client, prove(&statement()), too_late, "LIGHT-9", nobody);
    assert!(matches!(error, RecoverError::TooOld(TooOld { .. })));
    let given = client.announce(&terms(), prove(&statement()), NOW, Some(49));
    assert!(matches!(given, Err(RecoverError::TooOld(_))));
    let undated = {
        let chain = chain();
        let trusted = Trusted::from_genesis(chain.genesis_hash, &chain.genesis_proof(), Mode::Full);
        after(&trusted.unwrap(), chain.justification(5).unwrap().into())
    };
    let error = refused(&undated, prove(&statement()), NOW, "LIGHT-9", nobody);
    assert_eq!(error, RecoverError::AgeUnknown);
}

/// RECOVER-7.
#[test]
fn either_trusted_set_may_have_ended_and_the_wait_begins() {
    for ended in [0, 1] {
        let proof = other(|statement| statement.ended = SetId::new(ended));
        let client = client(Mode::Stateless);
        assert!(client.announced().is_none());
        let client = client.announce(&terms(), proof.clone(), NOW, None).unwrap();
        let announced = client.announced().unwrap();
        assert_eq!(announced.proof(), &proof);
        assert_eq!(announced.contradicted(), None);
        assert_eq!(announced.left(NOW), DELAY);
        assert_eq!(announced.left(NOW + 1), DELAY);
        assert_eq!(announced.left(NOW + SECOND), DELAY - 1);
        assert_eq!(announced.left(NOW + DELAY * SECOND + 1), 0);
        assert!(client.crossed_by().is_none());
    }
}

/// RECOVER-7.
#[test]
fn the_same_statement_again_is_no_new_wait() {
    let client = announced(Mode::Full);
    let again = prove_by(&statement(), [1, 2, 3, 4, 5]);
    // Also when a new announcement would be refused by age.
    let later = TIME + 2 * PERIOD * SECOND;
    let same = client.announce(&terms(), again, later, None).unwrap();
    assert_eq!(same.encode(), client.encode());
    let mut bad = prove(&statement());
    bad.signature.0[20] ^= 1;
    let error = client.announce(&terms(), bad, NOW, None).unwrap_err();
    assert_eq!(error.rule(), "RECOVER-6");
}

/// RECOVER-8.
#[test]
fn two_statements_about_one_block_contradict_each_other_and_neither_is_crossed() {
    let changes: [fn(&mut RecoveryStatement); 3] = [
        |statement| statement.reset_hash = H256::zero(),
        |statement| statement.ended = SetId::new(0),
        // No client would announce it, and all the same its signers said both.
        |statement| statement.ended = SetId::new(5),
    ];
    for change in changes {
        let client = announced(Mode::Full);
        let second = other(change);
        let mut invalid = second.clone();
        invalid.signature.0[20] ^= 1;
        let error = client.announce(&terms(), invalid, NOW, None).unwrap_err();
        assert_eq!(error.rule(), "RECOVER-6");
        let client = client
            .announce(&terms(), second.clone(), NOW, None)
            .unwrap();
        let third = other(|statement| statement.reset_number = BlockNumber::new(21));
        let client = client.announce(&terms(), third, NOW, None).unwrap();
        let kept = client.announced().unwrap();
        assert_eq!(kept.proof(), &prove(&statement()));
        assert_eq!(kept.contradicted(), Some(&second));
        // At once, and when the clock was set back.
        for now in [NOW + DELAY * SECOND, NOW, NOW - 1] {
            let error = client.cross(now, None).unwrap_err();
            assert_eq!(error.rule(), "RECOVER-8");
            assert_eq!(error.culprit(), Culprit::Validators);
            assert!(matches!(error, RecoverError::Contradicted { .. }));
        }
        let read = Trusted::decode(&client.encode()).unwrap();
        assert_eq!(read.announced(), client.announced());
    }
}

/// RECOVER-8.
#[test]
fn nobody_crosses_before_the_wait_is_over() {
    let client = announced(Mode::Full);
    for (waited, left) in [(0, 100), (1, 100), (1_000, 99), (99_999, 1)] {
        let error = client.cross(NOW + waited, None).unwrap_err();
        assert_eq!(error, RecoverError::Early { left });
        assert_eq!(
            (error.rule(), error.culprit()),
            ("RECOVER-8", Culprit::Nobody)
        );
    }
    let error = self::client(Mode::Full).cross(NOW, None).unwrap_err();
    assert_eq!(error, RecoverError::NothingAnnounced);
    assert_eq!(
        (error.rule(), error.culprit()),
        ("RECOVER-8", Culprit::Caller)
    );
    let endless = RecoveryTerms {
        delay: u64::MAX,
        ..terms()
    };
    let client = self::client(Mode::Full);
    let client = client
        .announce(&endless, prove(&statement()), NOW, None)
        .unwrap();
    assert!(matches!(
        client.cross(u64::MAX, None),
        Err(RecoverError::Early { .. })
    ));
}

/// RECOVER-8.
#[test]
fn behind_the_reset_its_set_signs_and_the_old_date_counts() {
    for mode in [Mode::Full, Mode::Stateless] {
        let client = crossed(mode);
        let statement = statement();
        assert_eq!(client.best_number(), BlockNumber::new(RESET));
        assert_eq!(client.best_hash(), statement.reset_hash);
        assert_eq!(client.signing(), &statement.set);
        assert_eq!((client.next(), client.best_proof()), (None, None));
        assert_eq!(client.dated(), announced(mode).dated());
        assert_eq!(client.crossed_by(), Some(&prove(&statement)));
        assert!(client.announced().is_none());
        let client = Trusted::decode(&client.encode()).unwrap();
        assert_eq!(client.crossed_by(), Some(&prove(&statement)));
        let error = client.cross(NOW + DELAY * SECOND, None).unwrap_err();
        assert_eq!(error, RecoverError::NothingAnnounced);
    }
    let client = crossed(Mode::Full);
    assert_eq!(client.missing_keys(), Some(SetId::new(7)));
    let keys = set().set.keyset().key_bytes();
    let client = client.with_keys(SetId::new(7), &keys).unwrap();
    assert!(client.crossed_by().is_some());
    let newer = after(&client, behind(RESET + 2).into());
    assert_eq!(newer.crossed_by(), None);
    assert_eq!(newer.dated(), client.dated());
}

/// RECOVER-8: LIGHT-4, LIGHT-5.
#[test]
fn a_proof_that_contradicts_the_reset_is_one_against_a_checkpoint() {
    let keys = set().set.keyset().key_bytes();
    let client = crossed(Mode::Full).with_keys(SetId::new(7), &keys).unwrap();
    let error = client.verify(behind(RESET)).unwrap_err();
    let (number, conflict) = (BlockNumber::new(RESET), Conflict::SameBlock);
    assert_eq!(error, Error::CheckpointContradicted { number, conflict });
    let old = chain().justification(15).unwrap();
    assert_eq!(client.verify(old).unwrap_err().rule(), "LIGHT-4");
}

/// A proof by a set from before the reset, for a block with this number.
fn ended(set: u64, number: u32) -> UncheckedJustification {
    let known = if set == 0 { 5 } else { 15 };
    let mut commitment = chain().justification(known).unwrap().commitment;
    commitment.block_number = BlockNumber::new(number);
    chain().sign(set, commitment, 0..4)
}

/// A proof by all of its set, for a client without keys.
fn stateless(justification: UncheckedJustification) -> StatelessProof {
    StatelessProof {
        justification,
        non_signers: Vec::new(),
        proof: MerkleProof::default(),
    }
}

/// RECOVER-8: the servers that show it are honest.
#[test]
fn a_proof_behind_the_reset_by_a_set_before_it_contradicts_the_recovery() {
    let again = |client: &Trusted| Trusted::decode(&client.encode()).unwrap();
    for mode in [Mode::Full, Mode::Stateless] {
        let client = crossed(mode);
        assert!(client.ended_sets().eq([1, 0].map(SetId::new)));
        for (set, number) in [(1, RESET), (1, RESET + 1), (0, RESET), (0, RESET + 9)] {
            let proof = ended(set, number);
            let update: Update = match (mode, set) {
                // The first set's keys are known.
                (Mode::Full, 0) => proof.clone().into(),
                _ => stateless(proof.clone()).into(),
            };
            for client in [&client, &again(&client)] {
                let error = client.verify(update.clone()).unwrap_err();
                assert_eq!(
                    (error.rule(), error.culprit(), error.next_step()),
                    ("RECOVER-8", Culprit::Validators, NextStep::Stop)
                );
                let expected = [prove(&statement()).encode(), proof.encode()];
                assert_eq!(error.evidence(), Some(expected));
                let witness = client.witness(update.clone()).unwrap();
                assert_eq!(
                    client.verify_by(update.clone(), &witness).unwrap_err(),
                    error
                );
                assert!(client
                    .verify_prefix(std::slice::from_ref(&update))
                    .is_empty());
            }
        }
        // One that does not hold is its sender's fault, and one of an older block says nothing.
        let mut invalid = ended(0, RESET + 1);
        invalid.signature = ended(0, RESET + 2).signature;
        let error = client.verify(stateless(invalid)).unwrap_err();
        assert_eq!((error.rule(), error.culprit()), ("JUST-5", Culprit::Sender));
        let old = client.verify(ended(0, RESET - 1)).unwrap_err();
        assert_eq!((old.rule(), old.culprit()), ("LIGHT-4", Culprit::Nobody));
        // Nor does one of a set whose handoff nobody proved.
        let mut unknown = ended(1, RESET + 1).commitment;
        unknown.validator_set_id = SetId::new(2);
        let unknown = chain().sign(2, unknown, 0..4);
        let error = client.verify(unknown).unwrap_err();
        assert_eq!(
            (error.rule(), error.culprit()),
            ("LIGHT-6", Culprit::Nobody)
        );
    }
}

/// RECOVER-8.
#[test]
fn the_sets_before_the_reset_are_kept_until_the_new_set_proves_a_block() {
    let keys = set().set.keyset().key_bytes();
    let client = crossed(Mode::Full).with_keys(SetId::new(7), &keys).unwrap();
    let newer = after(&client, behind(RESET + 2).into());
    assert_eq!(newer.ended_sets().count(), 0);
    let error = newer.verify(ended(0, RESET + 3)).unwrap_err();
    assert_eq!(
        (error.rule(), error.culprit()),
        ("LIGHT-5", Culprit::Sender)
    );
    // Behind a second crossing they are still those of the last proof.
    let mut second = statement();
    second.block_number = client.best_number();
    second.block_hash = client.best_hash();
    second.ended = SetId::new(7);
    second.reset_number = BlockNumber::new(RESET + 10);
    second.set.id = SetId::new(9);
    let client = client
        .announce(&terms(), prove(&second), NOW, None)
        .unwrap();
    let Crossing::Crossed(client) = client.cross(NOW + DELAY * SECOND, None).unwrap() else {
        panic!("the clock goes forward");
    };
    let client = Trusted::decode(&client.encode()).unwrap();
    let error = client.verify(ended(0, RESET + 10)).unwrap_err();
    let expected = [prove(&statement()).encode(), ended(0, RESET + 10).encode()];
    assert_eq!(error.evidence(), Some(expected));
}

/// RECOVER-8.
#[test]
fn a_clock_before_the_announcement_begins_the_wait_anew() {
    let client = announced(Mode::Full);
    let before = NOW - DELAY * SECOND;
    let Crossing::Restarted(client) = client.cross(before, None).unwrap() else {
        panic!("the wait is not over");
    };
    assert_eq!(client.announced().unwrap().left(before), DELAY);
    assert!(matches!(
        client.cross(before + DELAY * SECOND - 1, None),
        Err(RecoverError::Early { left: 1 })
    ));
    assert!(matches!(
        client.cross(before + DELAY * SECOND, None),
        Ok(Crossing::Crossed(_))
    ));
}

/// RECOVER-7.
#[test]
fn by_a_clock_a_minute_behind_the_newest_block_nothing_is_announced_or_crossed() {
    let announce = |now| client(Mode::Full).announce(&terms(), prove(&statement()), now, None);
    let cross = |now| announced(Mode::Full).cross(now, None);
    let last = TIME - MAX_AHEAD;
    assert!(announce(last).is_ok());
    assert!(matches!(cross(last), Ok(Crossing::Restarted(_))));
    let behind = RecoverError::ClockBehind { ahead: 60 };
    assert_eq!(announce(last - 1).unwrap_err(), behind);
    assert_eq!(cross(last - 1).unwrap_err(), behind);
    assert_eq!(
        (behind.rule(), behind.culprit()),
        ("RECOVER-7", Culprit::Caller)
    );
}

/// RECOVER-8: LIGHT-9.
#[test]
fn nobody_crosses_from_a_block_that_became_too_old() {
    let client = announced(Mode::Full);
    let last = TIME + PERIOD * SECOND;
    assert!(client.cross(last, None).is_ok());
    assert!(matches!(
        client.cross(last + 1, None),
        Err(RecoverError::TooOld(_))
    ));
    assert!(matches!(
        client.cross(last, Some(PERIOD - 1)),
        Err(RecoverError::TooOld(_))
    ));
}

/// RECOVER-8.
#[test]
fn a_newer_proof_of_either_set_ends_the_announcement_and_the_same_block_does_not() {
    let chain = chain();
    let client = announced(Mode::Full);
    let same = client.verify(chain.justification(5).unwrap()).unwrap();
    assert!(matches!(same, Outcome::Known));
    assert!(client.announced().is_some());
    for number in [8, 12] {
        let newer = after(&client, chain.justification(number).unwrap().into());
        assert!(newer.announced().is_none());
        assert!(newer.crossed_by().is_none());
        // A state with what is left of it could not be read.
        assert!(Trusted::decode(&newer.encode()).is_ok());
        let again = newer.announce(&terms(), prove(&statement()), NOW, None);
        assert!(matches!(again, Err(RecoverError::OtherBlock { .. })));
    }
    let verified = client.verify_prefix(&[chain.justification(8).unwrap().into()]);
    assert!(verified[0].trusted.announced().is_none());
    // In another mode it stays, and with keys.
    assert!(client
        .clone()
        .in_mode(Mode::Stateless)
        .announced()
        .is_some());
}

fn sealed(mut body: Vec<u8>) -> Vec<u8> {
    let checksum = Blake2Hasher::hash(&body);
    body.extend(checksum.as_bytes());
    body
}

/// RECOVER-7, RECOVER-8.
#[test]
fn a_state_keeps_its_recovery_and_older_versions_are_read_without_one() {
    let client = announced(Mode::Full);
    let bytes = client.encode();
    assert_eq!(bytes[0], 4);
    let read = Trusted::decode(&bytes).unwrap();
    assert_eq!(read.announced(), client.announced());
    assert_eq!(read.encode(), bytes);
    // The three optional parts are at the end.
    let mut body = bytes;
    body.truncate(body.len() - 32);
    assert_eq!(body.pop(), Some(0), "no state before a crossing");
    body[0] = 3;
    let read = Trusted::decode(&sealed(body)).unwrap();
    assert_eq!(read.encode(), client.encode());
    let plain = self::client(Mode::Full);
    let mut body = plain.encode();
    body.truncate(body.len() - 32);
    assert_eq!(body.pop(), Some(0), "no state before a crossing");
    assert_eq!(body.pop(), Some(0), "no recovery");
    body[0] = 2;
    let read = Trusted::decode(&sealed(body.clone())).unwrap();
    assert_eq!(read.encode(), plain.encode());
    let dated = body.len() - Some(plain.dated().unwrap()).encode().len();
    body.truncate(dated);
    body[0] = 1;
    let read = Trusted::decode(&sealed(body)).unwrap();
    assert_eq!((read.dated(), read.announced()), (None, None));
    assert_eq!(read.best_hash(), plain.best_hash());
}

/// RECOVER-8.
#[test]
fn a_recovery_of_another_block_is_no_part_of_a_state() {
    let refuse = |state: &Trusted, part: &[u8], with: &[u8]| {
        let mut body = state.encode();
        body.truncate(body.len() - 32);
        let places = body.windows(part.len()).enumerate().rev();
        let mut places = places.filter(|(_, bytes)| *bytes == part);
        // The last place is that in the recovery; behind it a crossed state repeats it in the state before.
        let at = places.nth(usize::from(state.crossed_by().is_some()));
        let at = at.unwrap().0;
        body.splice(at..at + part.len(), with.iter().copied());
        let error = Trusted::decode(&sealed(body)).unwrap_err();
        let why = "the recovery is of another block".to_string();
        assert_eq!(error, StateError::Malformed(why));
    };
    let (of_block, of_reset) = (
        (statement().block_number, statement().block_hash),
        (statement().reset_number, statement().reset_hash),
    );
    let elsewhere = |(number, _): (BlockNumber, H256)| (number, H256::repeat_byte(9)).encode();
    let earlier = |(_, hash): (BlockNumber, H256)| (BlockNumber::new(4), hash).encode();
    for change in [elsewhere, earlier] {
        refuse(
            &announced(Mode::Stateless),
            &of_block.encode(),
            &change(of_block),
        );
        refuse(
            &crossed(Mode::Stateless),
            &of_reset.encode(),
            &change(of_reset),
        );
    }
    let set = statement().set;
    let mut renamed = set.clone();
    renamed.id = SetId::new(8);
    refuse(&crossed(Mode::Stateless), &set.encode(), &renamed.encode());
}

/// RECOVER-5, RECOVER-7.
#[test]
fn a_statement_is_made_of_the_claim_and_the_newest_block_where_a_client_could_cross_by_it() {
    let header = |ended: u64| {
        let log = ConsensusLog::Reset {
            ended: SetId::new(ended),
            set: set().set.commitment().clone(),
        };
        let item = (4_u8, ENGINE_ID, log.encode());
        let root = H256::repeat_byte(5);
        (root, Compact(RESET), root, root, vec![item]).encode()
    };
    let client = client(Mode::Full);
    let bytes = header(1);
    let claim = client.reset_claim(&bytes).unwrap();
    let expected = RecoveryStatement {
        reset_hash: Blake2Hasher::hash(&bytes),
        ..statement()
    };
    assert_eq!(client.recovery_statement(&terms(), &claim), Ok(expected));
    let claim = client.reset_claim(&header(2)).unwrap();
    let error = client.recovery_statement(&terms(), &claim).unwrap_err();
    assert!(matches!(error, RecoverError::OtherEnded { .. }));
}
