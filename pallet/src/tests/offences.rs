use crate::{
    mock::{
        events, evidence, evidence_on, key, next_block, next_session, register_key_of, sessions,
        with, AwaitHandoff, Duet, Elected, Offences, Punished, RuntimeCall, RuntimeOrigin, Session,
        SlashableSessions, Test, AUTHOR,
    },
    Call, Error, Event, KeyOwners, SetRecord, Sets, StakedFor, TimeSlot, WeightInfo,
};
use codec::{Decode, Encode};
use duet_primitives::{
    testing::TestSet, BlockNumber, EquivocationError, EquivocationProof, EvidenceStatus,
    MerkleProof, Pk1Bytes, SetId, SignerIndex, H256,
};
#[allow(deprecated)]
use frame_support::pallet_prelude::ValidateUnsigned;
use frame_support::{
    assert_noop,
    dispatch::{DispatchResultWithPostInfo, Pays},
    pallet_prelude::{
        InvalidTransaction, TransactionSource, TransactionValidity, TransactionValidityError,
    },
};
use sp_core::offchain::{testing::TestTransactionPoolExt, TransactionPoolExt};
use sp_runtime::{testing::TestXt, Perbill};
use sp_staking::offence::{Offence, ReportOffence};

const REPORTER: u64 = 50;

/// The set that four validators form at genesis.
fn four() -> TestSet {
    TestSet::new(0, [1, 2, 3, 4])
}

fn with_four(test: impl FnOnce()) {
    with(&[1, 2, 3, 4], test);
}

fn report(evidence: EquivocationProof) -> DispatchResultWithPostInfo {
    Duet::report_equivocation(RuntimeOrigin::signed(REPORTER), Box::new(evidence))
}

/// Valid evidence with one thing changed.
fn tweaked(tweak: impl FnOnce(&mut EquivocationProof)) -> EquivocationProof {
    let mut evidence = evidence(&four(), 2, BlockNumber::new(5));
    tweak(&mut evidence);
    evidence
}

fn fraction(offenders: u32, of: u32) -> Perbill {
    Perbill::from_rational(3 * offenders, of).square()
}

#[test]
fn what_can_be_done_about_evidence_is_told_at_each_stage() {
    with(&[1, 2, 3], || {
        let set = TestSet::new(0, [1, 2, 3]);
        let proof = evidence(&set, 2, BlockNumber::new(1));
        assert_eq!(Duet::evidence_status(&proof), EvidenceStatus::New);

        let mut forged = proof.clone();
        forged.second.1 = forged.first.1;
        assert_eq!(Duet::evidence_status(&forged), EvidenceStatus::Invalid);
        let ahead = evidence(&TestSet::new(1, [1, 2, 3]), 2, BlockNumber::new(1));
        assert_eq!(Duet::evidence_status(&ahead), EvidenceStatus::NotActive);

        let sent = Duet::report_equivocation(RuntimeOrigin::signed(1), Box::new(proof.clone()));
        assert!(sent.is_ok());
        assert_eq!(Duet::evidence_status(&proof), EvidenceStatus::Reported);

        register_key_of(10, 1);
        sessions(3 + SlashableSessions::get());
        assert_eq!(Duet::evidence_status(&proof), EvidenceStatus::NotSlashable);
    });
}

#[test]
fn an_equivocation_is_reported_for_free() {
    with_four(|| {
        let post = report(evidence(&four(), 2, BlockNumber::new(5))).expect("it is accepted");
        assert_eq!(post.pays_fee, Pays::No);
        type Weights = <Test as crate::Config>::WeightInfo;
        let of_the_set = Weights::report_equivocation(4);
        assert_eq!(
            post.actual_weight,
            Some(of_the_set),
            "and not of the largest"
        );
        assert_eq!(Punished::take(), [(2, vec![REPORTER], fraction(1, 4), 0)]);
        let reported = Event::EquivocationReported {
            offender: 2,
            set_id: SetId::new(0),
            block_number: BlockNumber::new(5),
            session: 0,
        };
        assert_eq!(events(), [reported]);
    });
}

#[test]
fn without_a_signature_the_author_is_the_reporter() {
    with_four(|| {
        let evidence = Box::new(evidence(&four(), 2, BlockNumber::new(5)));
        let post = Duet::report_equivocation(RuntimeOrigin::none(), evidence);
        assert_eq!(post.expect("it is accepted").pays_fee, Pays::No);
        assert_eq!(Punished::take(), [(2, vec![AUTHOR], fraction(1, 4), 0)]);
    });
}

#[test]
fn other_origins_do_not_report() {
    with_four(|| {
        let evidence = Box::new(evidence(&four(), 2, BlockNumber::new(5)));
        assert_noop!(
            Duet::report_equivocation(RuntimeOrigin::root(), evidence),
            sp_runtime::DispatchError::BadOrigin
        );
    });
}

/// EQV-7.
#[test]
fn the_same_equivocation_is_punished_once() {
    with_four(|| {
        report(evidence(&four(), 2, BlockNumber::new(5))).expect("it is accepted");
        next_block();
        let again = tweaked(|evidence| core::mem::swap(&mut evidence.first, &mut evidence.second));
        assert_noop!(report(again), Error::<Test>::DuplicateOffenceReport);
        report(evidence(&four(), 2, BlockNumber::new(6)))
            .expect("another block is another offence");
    });
}

#[test]
fn those_who_equivocate_together_are_punished_harder() {
    with_four(|| {
        report(evidence(&four(), 2, BlockNumber::new(5))).expect("it is accepted");
        Punished::take();
        report(evidence(&four(), 3, BlockNumber::new(5))).expect("it is accepted");
        let both = fraction(2, 4);
        assert_eq!(both, Perbill::one());
        let punished = Punished::take();
        assert_eq!(
            punished,
            [(2, vec![REPORTER], both, 0), (3, vec![REPORTER], both, 0)]
        );
    });
}

#[test]
fn the_fraction_grows_with_the_square_of_the_share() {
    let offence = crate::EquivocationOffence {
        time_slot: TimeSlot {
            set_id: SetId::new(1),
            block_number: BlockNumber::new(2),
        },
        session_index: 3,
        validator_set_count: 100,
        offenders: vec![(7u64, ())],
    };
    assert_eq!(offence.slash_fraction(1), Perbill::from_parts(900_000));
    assert_eq!(offence.slash_fraction(10), Perbill::from_percent(9));
    assert_eq!(offence.slash_fraction(34), Perbill::one());
    assert_eq!(offence.slash_fraction(u32::MAX), Perbill::one());
    assert_eq!(offence.offenders(), [(7, ())]);
    assert_eq!(offence.session_index(), 3);
    assert_eq!(offence.validator_set_count(), 100);
    assert_eq!(
        TimeSlot::decode(&mut &offence.slot().encode()[..]),
        Ok(offence.slot())
    );
}

#[test]
fn the_signing_set_answers_with_todays_stake() {
    with_four(|| {
        sessions(10);
        report(evidence(&four(), 2, BlockNumber::new(5))).expect("it is accepted");
        assert_eq!(Punished::take(), [(2, vec![REPORTER], fraction(1, 4), 10)]);
    });
}

#[test]
fn an_earlier_set_answers_with_its_last_session_and_its_former_members() {
    with_four(|| {
        sessions(1);
        Elected::set(vec![1, 3, 4]);
        Duet::deregister_keys(RuntimeOrigin::signed(2)).expect("it has a key");
        sessions(2);
        assert_eq!(
            Duet::keysets().map(|sets| sets.current.id),
            Some(SetId::new(1))
        );
        sessions(SlashableSessions::get() - 1);
        report(evidence(&four(), 2, BlockNumber::new(5))).expect("it is still slashable");
        assert_eq!(Punished::take(), [(2, vec![REPORTER], fraction(1, 4), 2)]);
    });
}

#[test]
fn a_replaced_key_answers_for_its_owner() {
    with_four(|| {
        sessions(1);
        register_key_of(20, 2);
        sessions(2);
        report(evidence(&four(), 2, BlockNumber::new(5))).expect("the key is remembered");
        assert_eq!(Punished::take(), [(2, vec![REPORTER], fraction(1, 4), 2)]);
    });
}

/// The sessions to which offences by set 0 in the next blocks are dated, one in each session that starts.
fn dated(offences: u32) -> Vec<u32> {
    let date = |block| {
        report(evidence(&four(), 2, BlockNumber::new(block))).expect("it is slashable");
        let session = Punished::take().last().map(|(_, _, _, session)| *session);
        next_session();
        session.expect("it is punished")
    };
    (0..offences).map(date).collect()
}

/// EQV-6: in the later ones the member that left has no stake.
#[test]
fn a_set_that_waits_answers_with_the_last_session_in_which_all_its_members_had_stake() {
    AwaitHandoff::set(true);
    with_four(|| {
        sessions(2);
        Elected::set(vec![1, 3, 4]);
        assert_eq!(SlashableSessions::get(), 3);
        // In session 7 the stake of session 3 is free, and the others still answer.
        assert_eq!(dated(6), [2, 3, 3, 3, 3, 7]);
    });
}

/// EQV-6.
#[test]
fn a_member_that_comes_back_answers_from_the_session_on_in_which_it_is_back() {
    AwaitHandoff::set(true);
    with_four(|| {
        sessions(1);
        Elected::set(vec![1, 3, 4]);
        next_session();
        Elected::set(vec![1, 2, 3, 4]);
        next_session();
        assert_eq!(Session::validators(), [1, 3, 4]);
        assert_eq!(dated(2), [2, 4]);
    });
}

/// EQV-6: sets of before this was stored.
#[test]
fn a_set_of_which_no_session_is_known_answers_with_its_last_one() {
    with_four(|| {
        sessions(1);
        StakedFor::<Test>::remove(SetId::FIRST);
        assert_eq!(dated(2), [1, 2]);
        assert_eq!(StakedFor::<Test>::get(SetId::FIRST), Some((3, 4)));
        register_key_of(20, 2);
        sessions(3 + SlashableSessions::get());
        let known: Vec<_> = StakedFor::<Test>::iter_keys().collect();
        assert_eq!(known, [SetId::new(1)], "it is forgotten with its set");
    });
}

#[test]
fn a_set_that_nobody_answers_for_any_more_is_refused() {
    with_four(|| {
        register_key_of(20, 2);
        sessions(2 + SlashableSessions::get());
        assert_eq!(Sets::<Test>::get(SetId::FIRST), None);
        assert_noop!(
            report(evidence(&four(), 2, BlockNumber::new(5))),
            Error::<Test>::SetNotSlashable
        );
    });
    with_four(|| {
        register_key_of(20, 2);
        sessions(2);
        // Not forgotten yet, and out of the window all the same.
        SlashableSessions::set(0);
        assert_noop!(
            report(evidence(&four(), 2, BlockNumber::new(5))),
            Error::<Test>::SetNotSlashable
        );
        SlashableSessions::set(3);
    });
}

#[test]
fn a_set_that_does_not_sign_yet_is_refused() {
    with_four(|| {
        Elected::set(vec![1, 2, 3]);
        sessions(1);
        let next = TestSet::new(1, [1, 2, 3]);
        assert_noop!(
            report(evidence(&next, 2, BlockNumber::new(5))),
            Error::<Test>::SetNotActive
        );
        sessions(1);
        report(evidence(&next, 2, BlockNumber::new(5))).expect("it signs now");
    });
    crate::mock::on(crate::mock::genesis(&[1], 0), || {
        assert_noop!(
            report(evidence(&four(), 2, BlockNumber::new(5))),
            Error::<Test>::SetNotActive
        );
    });
}

/// EQV-1 to EQV-5.
#[test]
fn each_broken_rule_has_its_error() {
    type Tweak = fn(&mut EquivocationProof);
    let table: [(Tweak, Error<Test>); 7] = [
        (
            |e| e.second.0.validator_set_id = SetId::new(1),
            Error::DifferentSets,
        ),
        (
            |e| e.second.0.block_number = BlockNumber::new(6),
            Error::DifferentBlocks,
        ),
        (|e| e.second = e.first.clone(), Error::SameCommitment),
        (
            |e| e.signer = SignerIndex::new(77),
            Error::InvalidMembership,
        ),
        (|e| e.key = key(3).pk1(), Error::InvalidMembership),
        (
            |e| e.membership = MerkleProof::default(),
            Error::InvalidMembership,
        ),
        (|e| e.second.1 = e.first.1, Error::InvalidVoteSignature),
    ];
    with_four(|| {
        for (index, (tweak, error)) in table.into_iter().enumerate() {
            let refused = report(tweaked(tweak)).expect_err("it is broken");
            assert_eq!(refused.error, error.into(), "row {index}");
            assert_eq!(refused.post_info.pays_fee, Pays::Yes, "row {index}");
        }
        assert_eq!(Punished::take(), []);
    });
    let two = Error::<Test>::from(EquivocationError::DifferentSigners);
    assert!(matches!(two, Error::DifferentSigners));
}

#[test]
fn evidence_of_another_chain_is_refused() {
    with_four(|| {
        let elsewhere = evidence_on(H256::repeat_byte(0xaa), &four(), 2, BlockNumber::new(5));
        assert_noop!(report(elsewhere), Error::<Test>::InvalidVoteSignature);
    });
}

#[test]
fn a_member_that_is_no_point_is_refused() {
    with_four(|| {
        // Only a corrupted state has such a member.
        let bogus = Pk1Bytes([0xff; 48]);
        let root = H256(sp_io::hashing::keccak_256(&[&[0], bogus.as_ref()].concat()));
        let good = Sets::<Test>::get(SetId::FIRST).expect("set 0 signs");
        let mut commitment = good.commitment.clone();
        (commitment.root, commitment.len) = (root, 1);
        Sets::<Test>::insert(
            SetId::FIRST,
            SetRecord {
                commitment,
                ..good.clone()
            },
        );
        let evidence = tweaked(|e| {
            (e.signer, e.key, e.membership) = (SignerIndex::new(0), bogus, MerkleProof::default());
        });
        assert_noop!(report(evidence), Error::<Test>::InvalidOffenderKey);
        Sets::<Test>::insert(SetId::FIRST, good);
    });
}

#[test]
fn a_key_without_an_owner_is_refused() {
    with_four(|| {
        // Only a corrupted state has such a key.
        let owner = KeyOwners::<Test>::take(key(2).pk1()).expect("it is registered");
        assert_noop!(
            report(evidence(&four(), 2, BlockNumber::new(5))),
            Error::<Test>::UnknownOffender
        );
        KeyOwners::<Test>::insert(key(2).pk1(), owner);
    });
}

fn validate(source: TransactionSource, evidence: &EquivocationProof) -> TransactionValidity {
    let call = Call::report_equivocation {
        evidence: Box::new(evidence.clone()),
    };
    validate_call(source, &call)
}

fn pre_dispatch(evidence: EquivocationProof) -> Result<(), TransactionValidityError> {
    pre_dispatch_call(&Call::report_equivocation {
        evidence: Box::new(evidence),
    })
}

#[allow(deprecated)]
fn validate_call(source: TransactionSource, call: &Call<Test>) -> TransactionValidity {
    Duet::validate_unsigned(source, call)
}

#[allow(deprecated)]
fn pre_dispatch_call(call: &Call<Test>) -> Result<(), TransactionValidityError> {
    Duet::pre_dispatch(call)
}

#[test]
fn the_pool_takes_a_report_of_the_node_itself_once() {
    with_four(|| {
        let evidence = evidence(&four(), 2, BlockNumber::new(5));
        for source in [TransactionSource::Local, TransactionSource::InBlock] {
            let valid = validate(source, &evidence).expect("it is accepted");
            let slot: (SetId, u32) = (SetId::new(0), 5);
            let tag = ("DuetEquivocation", (slot.0, slot.1, evidence.key)).encode();
            assert_eq!(valid.provides, [tag]);
            assert_eq!(valid.priority, u64::MAX);
            assert_eq!(valid.longevity, 3 * u64::from(SlashableSessions::get()));
            assert!(!valid.propagate);
        }
        assert_eq!(pre_dispatch(evidence), Ok(()));
    });
}

#[test]
fn the_pool_refuses_reports_of_other_nodes() {
    with_four(|| {
        let refused = validate(
            TransactionSource::External,
            &evidence(&four(), 2, BlockNumber::new(5)),
        );
        assert_eq!(refused, Err(InvalidTransaction::Call.into()));
    });
}

#[test]
fn the_pool_refuses_other_calls_without_a_signature() {
    with_four(|| {
        let call = Call::deregister_keys {};
        let refused = InvalidTransaction::Call.into();
        assert_eq!(validate_call(TransactionSource::Local, &call), Err(refused));
        assert_eq!(pre_dispatch_call(&call), Err(refused));
    });
}

#[test]
fn the_pool_refuses_evidence_that_does_not_hold() {
    with_four(|| {
        let local = TransactionSource::Local;
        let forged = tweaked(|evidence| evidence.second.1 = evidence.first.1);
        assert_eq!(
            validate(local, &forged),
            Err(InvalidTransaction::BadProof.into())
        );
        // No curve work before dispatch, which refuses it.
        assert_eq!(pre_dispatch(forged), Ok(()));

        let unknown = evidence(&TestSet::new(0, [1, 2, 3, 9]), 9, BlockNumber::new(5));
        assert_eq!(
            validate(local, &unknown),
            Err(InvalidTransaction::BadProof.into())
        );
        assert_eq!(
            pre_dispatch(unknown),
            Err(InvalidTransaction::BadProof.into())
        );

        let early = evidence(&TestSet::new(1, [1, 2, 3]), 2, BlockNumber::new(5));
        assert_eq!(
            validate(local, &early),
            Err(InvalidTransaction::Future.into())
        );
        assert_eq!(pre_dispatch(early), Err(InvalidTransaction::Future.into()));
    });
}

#[test]
fn the_pool_refuses_what_is_known_and_what_is_too_old() {
    with_four(|| {
        let evidence = evidence(&four(), 2, BlockNumber::new(5));
        report(evidence.clone()).expect("it is accepted");
        let local = TransactionSource::Local;
        let stale = Err(InvalidTransaction::Stale.into());
        assert_eq!(validate(local, &evidence), stale.clone());
        assert_eq!(
            pre_dispatch(evidence.clone()),
            Err(InvalidTransaction::Stale.into())
        );

        register_key_of(20, 2);
        sessions(2 + SlashableSessions::get());
        assert_eq!(validate(local, &evidence), stale);
    });
}

#[test]
fn a_submitted_report_is_in_the_pool_without_a_signature() {
    let (pool, state) = TestTransactionPoolExt::new();
    let mut ext: sp_io::TestExternalities = {
        use sp_runtime::BuildStorage;
        let config = crate::mock::genesis(&[1, 2, 3, 4], 4);
        config.build_storage().expect("a good genesis").into()
    };
    ext.register_extension(TransactionPoolExt::new(pool));
    ext.execute_with(|| {
        next_block();
        let evidence = evidence(&four(), 2, BlockNumber::new(5));
        assert_eq!(Duet::submit_equivocation_report(evidence.clone()), Some(()));
        let sent = state.write().transactions.pop().expect("one was sent");
        let sent = TestXt::<RuntimeCall, ()>::decode(&mut &sent[..]).expect("an extrinsic");
        let call = Call::report_equivocation {
            evidence: Box::new(evidence),
        };
        assert_eq!(sent, TestXt::new_bare(RuntimeCall::Duet(call)));
    });
}

#[test]
fn offences_are_known_by_slot_and_offender() {
    with_four(|| {
        report(evidence(&four(), 2, BlockNumber::new(5))).expect("it is accepted");
        let known = |offender: u64, (set_id, block_number): (u64, u32)| {
            let (set_id, block_number) = (SetId::new(set_id), BlockNumber::new(block_number));
            <Offences as ReportOffence<u64, (u64, ()), crate::EquivocationOffence<(u64, ())>>>::is_known_offence(
                &[(offender, ())],
                &TimeSlot { set_id, block_number },
            )
        };
        assert!(known(2, (0, 5)));
        assert!(!known(2, (0, 6)) && !known(2, (1, 5)) && !known(3, (0, 5)));
    });
}

#[test]
fn an_offence_in_a_set_of_the_future_is_not_dated_to_it() {
    with_four(|| {
        // EQV-6: even a record that claims a later last session is clamped to today.
        let good = Sets::<Test>::get(SetId::FIRST).expect("set 0 signs");
        Sets::<Test>::insert(
            SetId::FIRST,
            SetRecord {
                last_session: Some(9),
                ..good.clone()
            },
        );
        report(evidence(&four(), 2, BlockNumber::new(5))).expect("it is accepted");
        assert_eq!(Punished::take(), [(2, vec![REPORTER], fraction(1, 4), 0)]);
        Sets::<Test>::insert(SetId::FIRST, good);
    });
}
