//! Texts: back and forth, and each fault.

use codec::{Compact, Encode};
use duet_primitives::{
    suite::MAX_VALIDATORS,
    testing::{secret, TestSet},
    BlockNumber, Drill, Pk1Bytes, Recovery, RecoveryMessage, RecoveryStatement, RecoveryTerms,
    RecoveryVote, SetId, SignerIndex, H256,
};
use duet_recovery::text::{
    read, write, Kind, MembersFile, ProofFile, Registration, SignatureFile, StatementFile, Text,
    TextError, MAX_TEXT_LEN,
};
use sha2::{Digest, Sha256};
use std::fmt::Debug;

const GENESIS: H256 = H256::repeat_byte(7);

fn statement() -> StatementFile {
    let statement = RecoveryStatement {
        recovery_set: SetId::new(3),
        block_number: BlockNumber::new(50),
        block_hash: H256::repeat_byte(1),
        ended: SetId::new(9),
        reset_number: BlockNumber::new(90),
        reset_hash: H256::repeat_byte(2),
        set: TestSet::new(11, 0..4).set.commitment().clone(),
    };
    StatementFile {
        genesis_hash: GENESIS,
        statement,
    }
}

fn drill() -> Drill {
    let block = BlockNumber::new(12);
    Drill::sign(&secret(1), GENESIS, &"alice", block, H256::repeat_byte(9))
}

/// A text of any bytes, with the right checksum.
fn raw(kind: &str, hex: &str) -> String {
    let sum = hex::encode(&Sha256::digest(format!("{kind}:{hex}"))[..4]);
    format!("duet-recovery-{kind}:{hex}:{sum}")
}

fn there_and_back<T: Text + PartialEq + Debug>(object: &T, kind: &str) {
    let text = write(object);
    assert_eq!(text, raw(kind, &hex::encode(object.encode())));
    assert_eq!(read::<T>(&text).as_ref(), Ok(object));
    assert_eq!(read::<T>(&format!(" \n{text}\r\n")).as_ref(), Ok(object));
    assert_eq!(Kind::of(&text).map(|kind| kind.to_string()).unwrap(), kind);
}

/// RECOVER-1, RECOVER-2, RECOVER-5, RECOVER-6.
#[test]
fn each_object_survives_as_text_in_the_specified_form() {
    let set = TestSet::new(3, 20..23);
    let statement = statement();
    let message = RecoveryMessage::new(GENESIS, statement.statement.clone());
    let vote = |at: usize| {
        let signer = SignerIndex::new(u32::try_from(at).unwrap());
        RecoveryVote::sign(&set.secrets[at], signer, &message)
    };
    let votes = [vote(0), vote(1), vote(2)];
    let proof = Recovery::combine(set.set.keyset(), GENESIS, &votes).unwrap();
    there_and_back(&statement, "statement");
    let signature = SignatureFile {
        genesis_hash: GENESIS,
        vote: vote(1),
    };
    there_and_back(&signature, "signature");
    let proof = ProofFile {
        genesis_hash: GENESIS,
        proof: proof.into_unchecked(),
    };
    there_and_back(&proof, "proof");
    let members = MembersFile {
        genesis_hash: GENESIS,
        terms: RecoveryTerms {
            set: set.set.commitment().clone(),
            delay: 9,
        },
        keys: set.set.keyset().key_bytes(),
    };
    there_and_back(&members, "members");
    let registration = Registration {
        key: secret(1).public(),
        proof: secret(1).prove_recovery_possession(b"owner"),
    };
    there_and_back(&registration, "registration");
    there_and_back(&drill(), "drill");
}

/// RECOVER-5.
#[test]
fn what_is_no_text_of_recovery_is_refused() {
    let good = write(&drill());
    let (head, _) = good.rsplit_once(':').unwrap();
    for text in [
        "",
        "duet-recovery-drill",
        "duet-recovery-other:00:00",
        head,
        &good[1..],
    ] {
        assert_eq!(read::<Drill>(text), Err(TextError::NotOurs), "{text}");
    }
}

/// RECOVER-5.
#[test]
fn a_text_of_another_kind_is_refused_with_both_kinds() {
    let error = read::<StatementFile>(&write(&drill())).unwrap_err();
    let (expected, got) = (Kind::Statement, Kind::Drill);
    assert_eq!(error, TextError::OtherKind { expected, got });
    let said = error.to_string();
    assert!(
        said.contains("drill") && said.contains("statement"),
        "{said}"
    );
}

/// RECOVER-5.
#[test]
fn a_changed_digit_is_noticed() {
    let good = write(&drill());
    let digits = "duet-recovery-drill:".len()..good.len();
    for at in digits.step_by(7).filter(|at| good.as_bytes()[*at] != b':') {
        let mut bytes = good.clone().into_bytes();
        bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(read::<Drill>(&text), Err(TextError::Checksum(Kind::Drill)));
    }
}

/// RECOVER-5: exactly one text for each object.
#[test]
fn bytes_that_are_no_object_are_refused() {
    let good = hex::encode(drill().encode());
    let upper = good.to_uppercase();
    for hex in [
        &good[2..],
        &good[1..],
        "zz",
        "",
        &upper,
        &format!("{good}00"),
    ] {
        let error = read::<Drill>(&raw("drill", hex)).unwrap_err();
        let kind = Kind::Drill;
        assert!(
            matches!(error, TextError::Decode { kind: got, .. } if got == kind),
            "{hex}: {error}"
        );
    }
}

/// SET-1.
#[test]
fn more_members_than_any_set_has_are_refused_before_they_are_read() {
    let terms = RecoveryTerms {
        set: statement().statement.set,
        delay: 1,
    };
    let head = (GENESIS, &terms, Compact(MAX_VALIDATORS + 1)).encode();
    let error = read::<MembersFile>(&raw("members", &hex::encode(head)));
    assert!(error.unwrap_err().to_string().contains("SET-1"));
    let largest = MembersFile {
        genesis_hash: GENESIS,
        terms,
        keys: vec![Pk1Bytes([1; 48]); MAX_VALIDATORS as usize],
    };
    assert_eq!(read(&write(&largest)), Ok(largest));
}

/// RECOVER-5.
#[test]
fn a_text_above_the_limit_is_refused() {
    let good = write(&drill());
    let longest = format!("{good}{}", " ".repeat(MAX_TEXT_LEN - good.len()));
    assert_eq!(read(&longest), Ok(drill()));
    let len = MAX_TEXT_LEN + 1;
    assert_eq!(
        read::<Drill>(&format!("{longest} ")),
        Err(TextError::TooLong { len })
    );
    assert_eq!(
        Kind::of(&format!("{longest} ")),
        Err(TextError::TooLong { len })
    );
}
