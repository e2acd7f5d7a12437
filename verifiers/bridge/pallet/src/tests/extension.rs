//! The transaction extension: what it refuses, and what passes.

use crate::{mock::*, Contradicted, FreeHeadersRemaining, RejectObsoleteHeaders};
use bp_runtime::BasicOperatingMode;
use codec::Encode;
use duet_light_client::Conflict;
use duet_primitives::{testing::TestSet, SetId};
use frame_support::{
    assert_ok,
    dispatch::DispatchInfo,
    weights::{RuntimeDbWeight, Weight},
};
use sp_runtime::{
    traits::{DispatchTransaction, Dispatchable, TransactionExtension},
    transaction_validity::{InvalidTransaction, TransactionSource, TransactionValidityError},
};

type Extension = RejectObsoleteHeaders<Test>;

/// A submission of this header, signed by the first set, that names this set as the next one.
fn submission(header: &Header, next: &TestSet) -> crate::Call<Test> {
    crate::Call::submit_finality_proof_ex {
        finality_target: Box::new(header.clone()),
        proof: Box::new(proof(&set(0), header, next)),
        current_set_id: SetId::FIRST,
        is_free_execution_expected: false,
    }
}

/// The same, whose sender expects to pay nothing.
fn free(header: &Header, next: &TestSet) -> crate::Call<Test> {
    let mut call = submission(header, next);
    if let crate::Call::submit_finality_proof_ex {
        is_free_execution_expected,
        ..
    } = &mut call
    {
        *is_free_execution_expected = true;
    }
    call
}

/// What the extension says of a call.
fn validate(call: impl Into<RuntimeCall>) -> Result<(), TransactionValidityError> {
    let (call, info) = (call.into(), DispatchInfo::default());
    let origin = RuntimeOrigin::signed(RELAYER);
    let valid = Extension::new().validate_only(
        origin,
        &call,
        &info,
        call.encoded_size(),
        TransactionSource::External,
        0,
    );
    valid.map(|_| ())
}

fn refused(why: InvalidTransaction) -> Result<(), TransactionValidityError> {
    Err(why.into())
}

#[test]
fn a_new_header_passes_and_is_refused_once_it_is_known() {
    check(following(), || {
        let (new, first) = (header(11, 0), set(0));
        let call = submission(&new, &first);
        assert_eq!(validate(call.clone()), Ok(()));
        assert_ok!(RuntimeCall::from(call.clone()).dispatch(RuntimeOrigin::signed(RELAYER)));
        assert_eq!(validate(call), refused(InvalidTransaction::Stale));
        let short = crate::Call::submit_finality_proof {
            finality_target: Box::new(new.clone()),
            proof: Box::new(proof(&first, &new, &first)),
        };
        assert_eq!(validate(short), refused(InvalidTransaction::Stale));
    });
}

#[test]
fn nothing_passes_before_a_chain_is_followed_or_while_the_pallet_is_stopped() {
    let call = || submission(&header(11, 0), &set(0));
    check(empty(), || {
        assert_eq!(validate(call()), refused(InvalidTransaction::Call));
    });
    check(following(), || {
        Contradicted::<Test>::put(Conflict::SameBlock);
        assert_eq!(validate(call()), refused(InvalidTransaction::Call));
        Contradicted::<Test>::kill();
        assert_ok!(BridgeDuet::set_operating_mode(
            RuntimeOrigin::root(),
            BasicOperatingMode::Halted
        ));
        assert_eq!(validate(call()), refused(InvalidTransaction::Call));
    });
}

#[test]
fn who_expects_another_set_or_a_free_place_that_is_not_there_is_refused() {
    check(following(), || {
        let (new, first, second) = (header(11, 0), set(0), set(1));
        let mut of_another_set = submission(&new, &first);
        if let crate::Call::submit_finality_proof_ex { current_set_id, .. } = &mut of_another_set {
            *current_set_id = SetId::new(1);
        }
        assert_eq!(validate(of_another_set), refused(InvalidTransaction::Call));
        assert_eq!(
            validate(free(&new, &first)),
            refused(InvalidTransaction::Call),
            "neither mandatory nor far enough"
        );
        assert_eq!(validate(free(&new, &second)), Ok(()));
        FreeHeadersRemaining::<Test>::put(0);
        assert_eq!(
            validate(free(&new, &second)),
            refused(InvalidTransaction::Call)
        );
    });
}

#[test]
fn other_calls_pass_also_while_the_pallet_is_halted() {
    check(empty(), || {
        assert_eq!(
            validate(frame_system::Call::remark { remark: vec![] }),
            Ok(())
        );
        let data = Box::new(proof(&set(0), &header(11, 0), &set(0)));
        let report = crate::Call::report_misbehaviour {
            first: data.clone(),
            second: data,
        };
        assert_eq!(validate(report), Ok(()));
    });
}

#[test]
fn it_has_no_bytes_and_only_submissions_have_a_weight() {
    let weight = |call: RuntimeCall| Extension::new().weight(&call);
    let database: RuntimeDbWeight = <Test as frame_system::Config>::DbWeight::get();
    assert_eq!(Extension::new().encode(), Vec::<u8>::new());
    assert_eq!(
        Extension::new().implicit().map(|it| it.encode()),
        Ok(vec![])
    );
    assert_eq!(
        weight(submission(&header(11, 0), &set(0)).into()),
        database.reads(5)
    );
    let remark = frame_system::Call::remark { remark: vec![] };
    assert_eq!(weight(remark.into()), Weight::zero());
}
