//! Each rule, broken alone.

mod support;

use duet_sequential::{
    testing::secret_key, Epoch, HopNumber, MalformedAggregate, MalformedRecord, Record,
    RecordError, SignError, Suite, Time, VerifyError,
};
use duet_vouch::{
    GenesisHash, InvalidSignature, MalformedVouched, NotAStatement, NotCounted, Reason, Refusal,
    Statement, Subject, TooFew, VouchError, Vouched, WrongSubject,
};
use support::{fingerprint, key, list, names, subject, terms, three, vouched, BEGIN};

/// Long after the last of three statements, and within an hour after the first.
const NOW: u64 = BEGIN + 600;

fn other_checkpoint() -> Subject {
    Subject::new(subject().genesis, b"another checkpoint")
}

fn other_chain() -> Subject {
    Subject {
        genesis: GenesisHash([8; 32]),
        ..subject()
    }
}

fn statement(index: usize, subject: Subject) -> Statement {
    Statement {
        subject,
        signed_at: Time(BEGIN),
        key: key(index).public().clone(),
    }
}

fn hop(number: usize) -> HopNumber {
    HopNumber::new(number).expect("a hop")
}

/// A record by Alice, with another message on top by Bob's key.
fn with_message(message: &[u8]) -> Vec<u8> {
    let record = Record::from_bytes(&vouched(&[0]).to_bytes()).expect("a record");
    let longer = record.append(key(1), message).expect("a longer one");
    longer.to_bytes()
}

#[test]
fn three_vouch_and_each_is_shown_with_the_time() {
    let verdict = vouched(&[0, 1, 2]).verify(&subject(), &three(), &terms(NOW));
    let verdict = verdict.expect("it holds");
    assert_eq!(names(&verdict), support::NAMES);
    let times = verdict.by().iter().map(|voucher| voucher.signed_at.0);
    assert_eq!(times.collect::<Vec<_>>(), [BEGIN, BEGIN + 60, BEGIN + 120]);
    assert_eq!(verdict.not_counted(), []);
    assert_eq!(verdict.require(3), Ok(()));
    let too_few = TooFew {
        got: 3,
        required: 4,
    };
    assert_eq!(verdict.require(4), Err(too_few));
}

#[test]
fn a_key_that_is_not_listed_does_not_count_and_spoils_nothing() {
    let verdict = vouched(&[0, 3, 1]).verify(&subject(), &three(), &terms(NOW));
    let verdict = verdict.expect("it holds");
    assert_eq!(names(&verdict), ["Alice", "Bob"]);
    let expected = NotCounted {
        fingerprint: fingerprint(3),
        name: None,
        signed_at: Time(BEGIN + 60),
        reason: Reason::NotListed,
    };
    assert_eq!(verdict.not_counted(), [expected]);
}

#[test]
fn a_statement_from_the_future_does_not_count_beyond_the_tolerance() {
    let at = |now| {
        let verdict = vouched(&[0]).verify(&subject(), &three(), &terms(now));
        verdict.expect("it holds")
    };
    assert_eq!(names(&at(BEGIN - 10)), ["Alice"]);
    let verdict = at(BEGIN - 11);
    assert_eq!(names(&verdict), [""; 0]);
    let reasons = verdict.not_counted().iter().map(|not| not.reason);
    assert_eq!(
        reasons.collect::<Vec<_>>(),
        [Reason::InTheFuture { ahead: 11 }]
    );
}

#[test]
fn a_statement_that_is_too_old_does_not_count() {
    let at = |now| {
        let verdict = vouched(&[0, 1]).verify(&subject(), &three(), &terms(now));
        verdict.expect("it holds")
    };
    assert_eq!(names(&at(BEGIN + 3_600)), ["Alice", "Bob"]);
    let verdict = at(BEGIN + 3_601);
    assert_eq!(names(&verdict), ["Bob"]);
    let expected = NotCounted {
        fingerprint: fingerprint(0),
        name: verdict.not_counted()[0].name.clone(),
        signed_at: Time(BEGIN),
        reason: Reason::TooOld {
            age: 3_601,
            max_age: 3_600,
        },
    };
    assert_eq!(verdict.not_counted(), [expected]);
    let name = verdict.not_counted()[0].name.as_ref();
    assert_eq!(name.expect("it is listed").as_str(), "Alice");
}

#[test]
fn times_at_either_end_of_what_there_is_are_judged() {
    for (signed_at, now) in [(u64::MAX, 0), (0, u64::MAX)] {
        let record = Vouched::first(key(0), subject(), Time(signed_at)).expect("signed");
        let verdict = record.verify(&subject(), &three(), &terms(now));
        assert_eq!(verdict.expect("it holds").by(), []);
    }
}

#[test]
fn a_key_that_vouches_twice_counts_once_with_its_newest_statement() {
    let verdict = vouched(&[0, 1, 0]).verify(&subject(), &three(), &terms(NOW));
    let verdict = verdict.expect("it holds");
    assert_eq!(names(&verdict), ["Alice", "Bob"]);
    assert_eq!(verdict.by()[0].signed_at, Time(BEGIN + 120));
    assert_eq!(verdict.not_counted()[0].signed_at, Time(BEGIN));
    assert_eq!(verdict.not_counted()[0].reason, Reason::Repeated);
}

#[test]
fn a_name_with_two_keys_counts_once() {
    let list = list(&format!(
        "{} Alice\n{} Alice\n{} Bob",
        fingerprint(0),
        fingerprint(1),
        fingerprint(2)
    ));
    assert_eq!(list.names(), 2);
    let verdict = vouched(&[0, 1, 2]).verify(&subject(), &list, &terms(NOW));
    let verdict = verdict.expect("it holds");
    assert_eq!(names(&verdict), ["Alice", "Bob"]);
    assert_eq!(verdict.by()[0].fingerprint, fingerprint(1));
}

#[test]
fn two_records_together_count_each_name_once() {
    let judge = |keys: &[usize]| {
        let verdict = vouched(keys).verify(&subject(), &three(), &terms(NOW));
        verdict.expect("it holds")
    };
    let both = judge(&[0, 1]).join(judge(&[1, 2]));
    assert_eq!(names(&both), ["Alice", "Bob", "Charlie"]);
    assert_eq!(both.not_counted().len(), 1);
    // Bob's statement of the first record is a minute newer than that of the second.
    assert_eq!(both.by()[1].signed_at, Time(BEGIN + 60));
    assert_eq!(both.not_counted()[0].signed_at, Time(BEGIN));
}

#[test]
fn a_record_for_another_checkpoint_or_chain_is_refused() {
    let record = vouched(&[0, 1, 2]);
    let refused = |subject| record.verify(&subject, &three(), &terms(NOW));
    let checkpoint = WrongSubject::Checkpoint {
        expected: other_checkpoint().checkpoint,
        got: subject().checkpoint,
    };
    assert_eq!(
        refused(other_checkpoint()),
        Err(Refusal::Subject(checkpoint))
    );
    let chain = WrongSubject::Chain {
        expected: other_chain().genesis,
        got: subject().genesis,
    };
    assert_eq!(refused(other_chain()), Err(Refusal::Subject(chain)));
}

#[test]
fn a_statement_about_something_else_is_named_with_its_key() {
    for other in [other_checkpoint(), other_chain()] {
        let bytes = with_message(&statement(1, other).to_bytes());
        let expected = MalformedVouched::OtherSubject {
            hop: hop(2),
            fingerprint: fingerprint(1),
            expected: Box::new(subject()),
            got: Box::new(other),
        };
        assert_eq!(Vouched::from_bytes(&bytes), Err(expected));
    }
}

#[test]
fn a_statement_by_another_key_than_the_hops_is_named_with_both() {
    let bytes = with_message(&statement(2, subject()).to_bytes());
    let expected = MalformedVouched::OtherKey {
        hop: hop(2),
        expected: fingerprint(1),
        got: fingerprint(2),
    };
    assert_eq!(Vouched::from_bytes(&bytes), Err(expected));
}

#[test]
fn a_message_that_is_no_statement_is_named_with_its_key() {
    let bytes = with_message(b"DUET-VOUCH-V2");
    let expected = MalformedVouched::NotAStatement {
        hop: hop(2),
        fingerprint: fingerprint(1),
        error: NotAStatement::Tag,
    };
    assert_eq!(Vouched::from_bytes(&bytes), Err(expected));
}

#[test]
fn the_epoch_which_is_not_signed_has_one_value() {
    let message = statement(0, subject()).to_bytes();
    let record = Record::first(key(0), &message, Epoch(1)).expect("a record");
    let expected = MalformedVouched::Epoch { got: Epoch(1) };
    assert_eq!(Vouched::from_bytes(&record.to_bytes()), Err(expected));
}

#[test]
fn a_later_time_than_was_signed_breaks_the_signature() {
    let bytes = vouched(&[0, 1]).to_bytes();
    let signed = (BEGIN + 60).to_be_bytes();
    let place = bytes.windows(8).position(|part| part == signed);
    let mut forged = bytes.clone();
    forged[place.expect("Bob's time") + 7] ^= 1;
    let record = Vouched::from_bytes(&forged).expect("well-formed");
    assert_eq!(record.statements()[1].signed_at, Time((BEGIN + 60) ^ 1));
    let refused = record.verify(&subject(), &three(), &terms(NOW));
    let expected = InvalidSignature(VerifyError::BadSignature);
    assert_eq!(refused, Err(Refusal::Signature(expected)));
}

#[test]
fn a_statement_cannot_be_lent_to_another_record() {
    // Bob signed on top of Alice. Without her he has signed nothing.
    let record = Record::from_bytes(&vouched(&[2, 1]).to_bytes()).expect("a record");
    let other = Record::from_bytes(&vouched(&[0, 1]).to_bytes()).expect("a record");
    let mut bytes = record.to_bytes();
    let head = 9 + record.signature().to_bytes().len();
    bytes[9..head].copy_from_slice(&other.signature().to_bytes());
    let forged = Vouched::from_bytes(&bytes).expect("well-formed");
    let refused = forged.verify(&subject(), &three(), &terms(NOW));
    assert!(matches!(refused, Err(Refusal::Signature(_))), "{refused:?}");
}

#[test]
fn no_changed_byte_makes_anybody_vouch() {
    let bytes = vouched(&[0, 1]).to_bytes();
    for index in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[index] ^= 0x10;
        let Ok(record) = Vouched::from_bytes(&changed) else {
            continue;
        };
        let refused = record.verify(&subject(), &three(), &terms(NOW));
        assert!(refused.is_err(), "byte {index}: {refused:?}");
    }
}

#[test]
fn a_record_can_be_cut_and_then_shows_those_who_are_left() {
    let record = Record::from_bytes(&vouched(&[0, 1, 2]).to_bytes()).expect("a record");
    let cut = record.peel(key(2).public()).expect("it is the last");
    let cut = Vouched::from_bytes(&cut.expect("two are left").to_bytes()).expect("well-formed");
    let verdict = cut.verify(&subject(), &three(), &terms(NOW));
    assert_eq!(names(&verdict.expect("it holds")), ["Alice", "Bob"]);
}

#[test]
fn nobody_signs_on_top_of_a_broken_record_or_one_for_something_else() {
    let record = vouched(&[0]);
    let refused = record.append(key(1), other_checkpoint(), Time(NOW));
    assert!(
        matches!(refused, Err(VouchError::Subject(_))),
        "{refused:?}"
    );
    let mut bytes = record.to_bytes();
    // The last byte of the number that is the signature.
    bytes[9 + 4 + 255] ^= 1;
    let broken = Vouched::from_bytes(&bytes).expect("well-formed");
    let refused = broken.append(key(1), subject(), Time(NOW));
    assert!(
        matches!(refused, Err(VouchError::Signature(_))),
        "{refused:?}"
    );
}

#[test]
fn keys_of_two_sizes_do_not_share_a_record() {
    let big = secret_key(Suite::Rsa3072, 0);
    let refused = vouched(&[0]).append(big, subject(), Time(NOW));
    let expected = RecordError::Sign(SignError::MixedModulusSize {
        expected: Suite::Rsa2048,
        got: Suite::Rsa3072,
    });
    assert_eq!(refused, Err(VouchError::Sign(expected)));
    let of_its_own = Vouched::first(big, subject(), Time(NOW)).expect("signed");
    let read = Vouched::from_bytes(&of_its_own.to_bytes());
    assert_eq!(read, Ok(of_its_own));
}

#[test]
fn a_record_has_at_least_one_hop() {
    let mut bytes = vouched(&[0]).to_bytes();
    bytes[9 + 3] = 0;
    let refused = Vouched::from_bytes(&bytes);
    assert!(
        matches!(
            refused,
            Err(MalformedVouched::Record(MalformedRecord::Aggregate(
                MalformedAggregate::HopCount(_)
            )))
        ),
        "{refused:?}"
    );
}
