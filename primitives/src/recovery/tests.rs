//! Statements, proofs and accusations: each rule broken once.

use super::*;
use crate::{
    error::{CombineError, JustificationError, MerkleError, RecoveryError, StatelessError},
    numbers::{BlockNumber, SetId, SignerIndex},
    suite::{MAX_ACCUSED, MAX_VALIDATORS, RECOVERY_STATEMENT_PREFIX, RECOVERY_SUITE},
    testing::{self, TestSet},
    Bitfield, Culprit, MerkleProof, Pk1Bytes, Pk2Bytes, SignatureBytes, H256,
};
use codec::{DecodeAll, Encode};
use std::{string::ToString, vec, vec::Vec};

const GENESIS: H256 = H256::repeat_byte(7);

/// The recovery set 3, of seven.
fn set() -> TestSet {
    TestSet::new(3, 20..27)
}

fn statement() -> RecoveryStatement {
    RecoveryStatement {
        recovery_set: SetId::new(3),
        block_number: BlockNumber::new(50),
        block_hash: H256::repeat_byte(1),
        ended: SetId::new(9),
        reset_number: BlockNumber::new(90),
        reset_hash: H256::repeat_byte(2),
        set: TestSet::new(11, 0..4).set.commitment().clone(),
    }
}

fn votes(
    statement: &RecoveryStatement,
    signers: impl IntoIterator<Item = u32>,
) -> Vec<RecoveryVote> {
    let message = RecoveryMessage::new(GENESIS, statement.clone());
    let set = set();
    let sign = |signer: u32| {
        let secret = &set.secrets[signer as usize];
        RecoveryVote::sign(secret, SignerIndex::new(signer), &message)
    };
    signers.into_iter().map(sign).collect()
}

fn combine(votes: &[RecoveryVote]) -> Result<Recovery, CombineError> {
    Recovery::combine(set().set.keyset(), GENESIS, votes)
}

fn proof() -> RecoveryProof {
    let combined = combine(&votes(&statement(), [0, 2, 3, 4, 6]));
    combined.unwrap().into_unchecked()
}

fn check(change: impl FnOnce(&mut RecoveryProof)) -> Result<Recovery, RecoveryError> {
    let mut proof = proof();
    change(&mut proof);
    proof.check(set().set.commitment(), GENESIS)
}

fn fails() -> RecoveryError {
    JustificationError::EquationFails.into()
}

/// RECOVER-4, RECOVER-5.
#[test]
fn terms_and_statements_have_the_bytes_of_the_specification() {
    let statement = statement();
    let set = statement.set.encode();
    let bytes = [
        &3_u64.to_le_bytes()[..],
        &50_u32.to_le_bytes(),
        &[1; 32],
        &9_u64.to_le_bytes(),
        &90_u32.to_le_bytes(),
        &[2; 32],
        &set,
    ]
    .concat();
    assert_eq!(statement.encode(), bytes);
    assert_eq!(bytes.len(), 180);
    let signed = [RECOVERY_STATEMENT_PREFIX, GENESIS.as_bytes(), &bytes].concat();
    assert_eq!(statement.signed_bytes(GENESIS), signed);
    let terms = RecoveryTerms {
        set: statement.set,
        delay: 86_400,
    };
    assert_eq!(
        terms.encode(),
        [&set[..], &86_400_u64.to_le_bytes()].concat()
    );
    assert_eq!(terms.encode().len(), 100);
    assert_eq!(votes(&self::statement(), [0])[0].encode().len(), 328);
}

/// RECOVER-6.
#[test]
fn enough_members_prove_a_statement_and_fewer_do_not() {
    for signers in [vec![0, 2, 3, 4, 6], (0..7).collect()] {
        let proof = combine(&votes(&statement(), signers)).unwrap();
        assert_eq!(proof.statement(), &statement());
        let proof = proof.into_unchecked();
        let decoded = RecoveryProof::decode_all(&mut &proof.encode()[..]);
        assert_eq!(decoded.as_ref(), Ok(&proof));
        let checked = proof.clone().check(set().set.commitment(), GENESIS);
        assert_eq!(checked.unwrap().as_unchecked(), &proof);
    }
    let (threshold, got) = (5, 4);
    assert_eq!(
        combine(&votes(&statement(), 0..4)),
        Err(CombineError::BelowThreshold { threshold, got })
    );
    let few = check(|proof| {
        let signers = [0, 2, 3, 4].map(SignerIndex::new);
        proof.signers = Bitfield::from_indices(7, signers);
    });
    let below = JustificationError::BelowThreshold { threshold, got };
    assert_eq!(few, Err(below.into()));
}

/// RECOVER-5.
#[test]
fn a_statement_that_is_not_well_formed_is_refused() {
    let form = |change: fn(&mut RecoveryStatement)| {
        let mut statement = statement();
        change(&mut statement);
        let of_vote = statement.check_form();
        assert_eq!(
            check(|proof| proof.statement = statement).map(|_| ()),
            of_vote
        );
        of_vote
    };
    for block in [90, 91] {
        let mut late = statement();
        late.block_number = BlockNumber::new(block);
        assert!(matches!(
            late.check_form(),
            Err(RecoveryError::ResetOrder { .. })
        ));
    }
    let got = form(|statement| statement.block_number = statement.reset_number);
    assert!(matches!(got, Err(RecoveryError::ResetOrder { .. })));
    let got = form(|statement| statement.set.id = statement.ended);
    assert!(matches!(got, Err(RecoveryError::SetOrder { .. })));
    let got = form(|statement| statement.ended = SetId::new(12));
    assert!(matches!(got, Err(RecoveryError::SetOrder { .. })));
    let got = form(|statement| statement.set.len = 0);
    assert_eq!(got, Err(RecoveryError::SetLength { len: 0 }));
    let got = form(|statement| statement.set.len = MAX_VALIDATORS + 1);
    assert!(matches!(got, Err(RecoveryError::SetLength { .. })));
    let got = form(|statement| statement.set.apk1 = Pk1Bytes([0; 48]));
    assert!(matches!(got, Err(RecoveryError::SetTotal(_))));
    let mut largest = statement();
    largest.set.len = MAX_VALIDATORS;
    assert_eq!(largest.check_form(), Ok(()));
}

/// RECOVER-6.
#[test]
fn a_proof_holds_for_its_own_words_set_and_chain_only() {
    assert!(check(|_| ()).is_ok());
    let changes: [fn(&mut RecoveryStatement); 6] = [
        |statement| statement.block_number = BlockNumber::new(51),
        |statement| statement.block_hash = H256::zero(),
        |statement| statement.ended = SetId::new(10),
        |statement| statement.reset_number = BlockNumber::new(91),
        |statement| statement.reset_hash = H256::zero(),
        |statement| statement.set = TestSet::new(11, 1..5).set.commitment().clone(),
    ];
    for change in changes {
        assert_eq!(check(|proof| change(&mut proof.statement)), Err(fails()));
    }
    let got = check(|proof| proof.statement.recovery_set = SetId::new(4));
    let (expected, other) = (SetId::new(3), SetId::new(4));
    let wrong = RecoveryError::WrongSet {
        expected,
        got: other,
    };
    assert_eq!(got, Err(wrong));
    assert_eq!(wrong.culprit(), Culprit::Nobody);
    let elsewhere = proof().check(set().set.commitment(), H256::zero());
    assert_eq!(elsewhere, Err(fails()));
    // A set with the same id and other keys.
    let others = TestSet::new(3, 30..37);
    assert!(proof().check(others.set.commitment(), GENESIS).is_err());
}

/// RECOVER-6: JUST-2 to JUST-5, STATELESS-1, STATELESS-2.
#[test]
fn each_part_of_a_proof_is_checked() {
    let got = check(|proof| proof.signers = Bitfield::from_bytes(vec![0x7f, 0]));
    assert!(matches!(
        got,
        Err(RecoveryError::Proof(StatelessError::Justification(
            JustificationError::BitfieldLength { .. }
        )))
    ));
    let got = check(|proof| proof.signers = Bitfield::from_bytes(vec![0xff]));
    assert_eq!(got, Err(JustificationError::PaddingBits.into()));
    let got = check(|proof| proof.non_signers.truncate(1));
    let (expected, count) = (2, 1);
    let counted = StatelessError::NonSignerCount {
        expected,
        got: count,
    };
    assert_eq!(got, Err(counted.into()));
    let got = check(|proof| proof.non_signers.swap(0, 1));
    assert_eq!(got, Err(StatelessError::Merkle(MerkleError::Root).into()));
    let got = check(|proof| proof.proof = MerkleProof::default());
    assert!(matches!(
        got,
        Err(RecoveryError::Proof(StatelessError::Merkle(_)))
    ));
    let got = check(|proof| proof.signature = SignatureBytes([0; 48]));
    assert!(got.unwrap_err().to_string().contains("signature"));
    let got = check(|proof| proof.apk2 = Pk2Bytes([0; 96]));
    assert!(got.unwrap_err().to_string().contains("apk2"));
    let other = votes(&statement(), [1]).remove(0);
    assert_eq!(
        check(|proof| proof.signature = other.signature),
        Err(fails())
    );
    assert_eq!(check(|proof| proof.apk2 = other.pk2), Err(fails()));
}

/// RECOVER-1, RECOVER-5: the suite of recovery, and no other.
#[test]
fn a_signature_in_the_suite_of_votes_proves_no_statement() {
    let bytes = statement().signed_bytes(GENESIS);
    let secret = &set().secrets[0];
    let mut vote = votes(&statement(), [0]).remove(0);
    assert_eq!(
        testing::sign_point(secret, RECOVERY_SUITE, &bytes).sigma(),
        vote.signature
    );
    assert_eq!(vote.check(set().set.keyset(), GENESIS), Ok(()));
    vote.signature = secret.sign(&bytes).sigma();
    assert_eq!(vote.check(set().set.keyset(), GENESIS), Err(fails()));
}

/// RECOVER-1.
#[test]
fn a_recovery_key_is_proven_in_suites_of_its_own() {
    let secret = testing::secret(1);
    let owner = crate::recovery_ownership_statement(GENESIS, &"alice");
    assert_eq!(owner, (*b"drcv", GENESIS, "alice").encode());
    let [recovery, voting] = [
        secret.prove_recovery_possession(&owner),
        secret.prove_possession(&owner),
    ];
    let key = secret.public();
    let good = key.check_recovery_possession(&owner, &recovery).unwrap();
    assert_eq!(good.key().to_bytes(), key);
    assert!(key.check_possession(&owner, &voting).is_ok());
    assert!(key.check_recovery_possession(&owner, &voting).is_err());
    assert!(key.check_possession(&owner, &recovery).is_err());
    // Each part alone is of another suite, too.
    let mixed = [
        crate::PossessionProof::new(recovery.ownership(), voting.possession()),
        crate::PossessionProof::new(voting.ownership(), recovery.possession()),
    ];
    for proof in &mixed {
        assert!(key.check_recovery_possession(&owner, proof).is_err());
        assert!(key.check_possession(&owner, proof).is_err());
    }
    assert!(key.check_recovery_possession(b"bob", &recovery).is_err());
}

/// RECOVER-6.
#[test]
fn signatures_that_do_not_belong_together_are_not_combined() {
    assert_eq!(combine(&[]), Err(CombineError::Nothing));
    let mut all = votes(&statement(), 0..6);
    let again = [&all[..], &all[2..3]].concat();
    let signer = SignerIndex::new(2);
    assert_eq!(
        combine(&again),
        Err(CombineError::RepeatedSigner { signer })
    );
    let mut other = statement();
    other.reset_hash = H256::zero();
    let mixed = [&all[..], &votes(&other, [6])].concat();
    assert_eq!(combine(&mixed), Err(CombineError::OtherStatement { at: 6 }));
    all[4].pk2 = all[3].pk2;
    let error = fails();
    assert_eq!(combine(&all), Err(CombineError::Vote { at: 4, error }));
    all[4].signer = SignerIndex::new(7);
    let (signer, len) = (SignerIndex::new(7), 7);
    let error = RecoveryError::UnknownSigner { signer, len };
    assert_eq!(combine(&all), Err(CombineError::Vote { at: 4, error }));
    let culprit = CombineError::Vote { at: 4, error }.culprit();
    assert_eq!(culprit, Culprit::Sender);
}

fn accusation_of_vote() -> RecoveryAccusation {
    let vote = votes(&statement(), [5]).remove(0);
    RecoveryAccusation::of_vote(&vote, set().set.keyset(), GENESIS).unwrap()
}

fn accusation_of_proof() -> RecoveryAccusation {
    let proof = proof().check(set().set.commitment(), GENESIS).unwrap();
    let mut parts = RecoveryAccusation::of_proof(&proof, set().set.keyset());
    assert_eq!(parts.len(), 1);
    parts.remove(0)
}

fn convict(accusation: &RecoveryAccusation) -> Result<(), RecoveryError> {
    accusation.check(set().set.commitment(), GENESIS)
}

/// RECOVER-9.
#[test]
fn the_signers_are_accused_and_nobody_else() {
    let keys = set().set.keyset().key_bytes();
    for (accusation, signers, others) in [
        (accusation_of_vote(), vec![5_u32], 0),
        (accusation_of_proof(), vec![0, 2, 3, 4, 6], 2),
    ] {
        assert_eq!(convict(&accusation), Ok(()));
        assert_eq!(accusation.statement(), &statement());
        let count = u32::try_from(signers.len()).unwrap();
        assert_eq!(accusation.sizes(), (count, others));
        let expected: Vec<_> = signers
            .iter()
            .map(|signer| (SignerIndex::new(*signer), keys[*signer as usize]))
            .collect();
        assert_eq!(accusation.accused, expected);
        let decoded = RecoveryAccusation::decode_all(&mut &accusation.encode()[..]);
        assert_eq!(decoded.as_ref(), Ok(&accusation));

        let mut nobody = accusation.clone();
        nobody.accused.clear();
        assert_eq!(convict(&nobody), Err(RecoveryError::Nobody));
        let mut bystander = accusation.clone();
        let signer = SignerIndex::new(1);
        bystander.accused = vec![(signer, keys[1])];
        bystander.membership = set().set.keyset().prove(&[signer]).unwrap();
        assert_eq!(
            convict(&bystander),
            Err(RecoveryError::NotASigner { signer })
        );
        let mut foreign = accusation.clone();
        foreign.accused[0].1 = keys[1];
        assert_eq!(convict(&foreign), Err(MerkleError::Root.into()));
        let elsewhere = accusation.check(set().set.commitment(), H256::zero());
        assert_eq!(elsewhere, Err(fails()));
        let other = TestSet::new(4, 20..27);
        let got = accusation.check(other.set.commitment(), GENESIS);
        assert!(matches!(got, Err(RecoveryError::WrongSet { .. })));
    }
}

/// RECOVER-9.
#[test]
fn what_was_not_signed_accuses_nobody() {
    let mut vote = votes(&statement(), [5]).remove(0);
    vote.statement.reset_hash = H256::zero();
    let set = set();
    assert_eq!(
        RecoveryAccusation::of_vote(&vote, set.set.keyset(), GENESIS),
        None
    );
    let proof = proof().check(set.set.commitment(), GENESIS).unwrap();
    let other = TestSet::new(4, 20..27);
    assert_eq!(RecoveryAccusation::of_proof(&proof, other.set.keyset()), []);
    let mut accusation = accusation_of_vote();
    let Signed::Vote(vote) = &mut accusation.signed else {
        panic!("of a vote");
    };
    vote.statement.reset_hash = H256::zero();
    assert_eq!(convict(&accusation), Err(fails()));
    let mut accusation = accusation_of_proof();
    let Signed::Proof(proof) = &mut accusation.signed else {
        panic!("of a proof");
    };
    proof.statement.reset_hash = H256::zero();
    assert_eq!(convict(&accusation), Err(fails()));
}

/// RECOVER-9.
#[test]
fn more_than_fits_is_refused_before_anything_is_allocated() {
    let mut accusation = accusation_of_vote();
    accusation.accused = vec![accusation.accused[0]; MAX_ACCUSED as usize + 1];
    let error = RecoveryAccusation::decode_all(&mut &accusation.encode()[..]);
    assert!(error.unwrap_err().to_string().contains("RECOVER-9"));
    let mut proof = proof();
    proof.non_signers = vec![Pk1Bytes([0; 48]); MAX_VALIDATORS as usize / 3 + 1];
    let error = RecoveryProof::decode_all(&mut &proof.encode()[..]);
    assert!(error.unwrap_err().to_string().contains("STATELESS-1"));
}
