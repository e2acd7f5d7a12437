//! Who pays, and what a transaction extension refuses.

use crate::{
    mock::*, CallSubType, CheckAndBoostBridgeDuetTransactions, Contradicted, FreeHeadersRemaining,
};
use bridge_runtime_common::extensions::BridgeRuntimeFilterCall;
use duet_light_client::Conflict;
use duet_primitives::{SetId, StatelessProof};
use frame_support::{assert_ok, dispatch::Pays, traits::fungible::Inspect};
use sp_runtime::transaction_validity::{InvalidTransaction, TransactionValidityError};

type Filter = CheckAndBoostBridgeDuetTransactions<Test, (), Boost, SlashedTo>;

fn call(header: &Header, proof: &StatelessProof, set: u64, free: bool) -> RuntimeCall {
    RuntimeCall::BridgeDuet(crate::Call::submit_finality_proof_ex {
        finality_target: Box::new(header.clone()),
        proof: Box::new(proof.clone()),
        current_set_id: SetId::new(set),
        is_free_execution_expected: free,
    })
}

fn pays(header: &Header, proof: &StatelessProof) -> Pays {
    BridgeDuet::submit_finality_proof(
        RuntimeOrigin::signed(RELAYER),
        Box::new(header.clone()),
        Box::new(proof.clone()),
    )
    .unwrap()
    .pays_fee
}

fn refusal(call: &RuntimeCall) -> Option<InvalidTransaction> {
    match call.check_obsolete_submit_finality_proof() {
        Ok(_) => None,
        Err(TransactionValidityError::Invalid(why)) => Some(why),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn a_header_that_names_a_new_set_is_free_and_another_one_by_the_same_set_is_not() {
    check(following(), || {
        let (first, second) = (set(0), set(1));
        let handoff = header(11, 0);
        assert_eq!(pays(&handoff, &proof(&first, &handoff, &second)), Pays::No);
        let again = header(12, 0);
        assert_eq!(pays(&again, &proof(&first, &again, &second)), Pays::Yes);
        // The next set signs for the first time, and names nobody.
        let later = header(13, 0);
        assert_eq!(pays(&later, &proof(&second, &later, &second)), Pays::Yes);
    });
}

#[test]
fn a_header_far_above_the_best_one_is_free() {
    check(following(), || {
        let first = set(0);
        for (number, expected) in [(41, Pays::Yes), (73, Pays::No)] {
            let new = header(number, 0);
            assert_eq!(
                pays(&new, &proof(&first, &new, &first)),
                expected,
                "{number}"
            );
        }
    });
}

#[test]
fn a_block_has_few_free_submissions() {
    check(following(), || {
        let first = set(0);
        for (number, expected) in [(50, Pays::No), (100, Pays::No), (150, Pays::Yes)] {
            let new = header(number, 0);
            assert_eq!(pays(&new, &proof(&first, &new, &first)), expected);
        }
        assert_eq!(FreeHeadersRemaining::<Test>::get(), Some(0));
        next_block();
        let new = header(200, 0);
        assert_eq!(pays(&new, &proof(&first, &new, &first)), Pays::No);
    });
}

#[test]
fn a_large_header_is_taken_and_paid_for() {
    check(following(), || {
        let (first, large) = (set(0), large_header(50, 600));
        assert_eq!(pays(&large, &proof(&first, &large, &first)), Pays::Yes);
    });
}

#[test]
fn what_cannot_succeed_is_refused_before_anybody_pays() {
    check(following(), || {
        let first = set(0);
        let new = header(11, 0);
        let valid = proof(&first, &new, &first);
        assert_eq!(refusal(&call(&new, &valid, 0, false)), None);
        let claims = call(&new, &valid, 0, false).submit_finality_proof_info();
        let claims = claims.map(|claims| (claims.block_number, claims.current_set_id));
        assert_eq!(claims, Some((11, Some(0))));
        assert_eq!(
            refusal(&call(&new, &valid, 1, false)),
            Some(InvalidTransaction::Call),
            "another set signs"
        );
        let old = header(10, 1);
        let of_old = call(&old, &proof(&first, &old, &first), 0, false);
        assert_eq!(refusal(&of_old), Some(InvalidTransaction::Stale));
        // A race: the other relayer's submission came first.
        pays(&new, &valid);
        assert_eq!(
            refusal(&call(&new, &valid, 0, false)),
            Some(InvalidTransaction::Stale)
        );
        let later = header(12, 0);
        let later = call(&later, &proof(&first, &later, &first), 0, false);
        Contradicted::<Test>::put(Conflict::SameBlock);
        assert_eq!(refusal(&later), Some(InvalidTransaction::Call));
        Contradicted::<Test>::kill();
        assert_ok!(BridgeDuet::set_operating_mode(
            RuntimeOrigin::root(),
            bp_runtime::BasicOperatingMode::Halted
        ));
        assert_eq!(refusal(&later), Some(InvalidTransaction::Call));
        let remark = RuntimeCall::System(frame_system::Call::remark { remark: vec![] });
        assert_eq!(refusal(&remark), None);
    });
}

#[test]
fn who_expects_to_pay_nothing_is_refused_when_that_is_not_so() {
    check(following(), || {
        let (first, second) = (set(0), set(1));
        let near = header(11, 0);
        let near_call = call(&near, &proof(&first, &near, &first), 0, true);
        assert_eq!(refusal(&near_call), Some(InvalidTransaction::Call));
        let mandatory = call(&near, &proof(&first, &near, &second), 0, true);
        assert_eq!(refusal(&mandatory), None);
        let large = large_header(50, 600);
        let large = call(&large, &proof(&first, &large, &first), 0, true);
        assert_eq!(refusal(&large), Some(InvalidTransaction::Call));
        FreeHeadersRemaining::<Test>::put(0);
        assert_eq!(refusal(&mandatory), Some(InvalidTransaction::Call));
        // Outside of a block nobody knows yet.
        FreeHeadersRemaining::<Test>::kill();
        assert_eq!(refusal(&mandatory), None);
    });
}

#[test]
fn a_registered_relayer_goes_first_and_loses_its_stake_for_a_failure() {
    check(following(), || {
        let first = set(0);
        let new = header(16, 0);
        let valid = call(&new, &proof(&first, &new, &first), 0, false);
        let priority = |call: &RuntimeCall| Filter::validate(&RELAYER, call).1.unwrap().priority;
        assert_eq!(priority(&valid), 0, "not registered");
        assert_ok!(Relayers::register(RuntimeOrigin::signed(RELAYER), 1_000));
        assert_eq!(priority(&valid), 5 * 10, "six blocks on");

        let (submitted, _) = Filter::validate(&RELAYER, &valid);
        assert_eq!(submitted, Some(16));
        pays(&new, &proof(&first, &new, &first));
        Filter::post_dispatch(&RELAYER, false, submitted);
        assert!(Relayers::is_registration_active(&RELAYER), "it helped");
        Filter::post_dispatch(&RELAYER, false, None);
        assert!(Relayers::is_registration_active(&RELAYER), "another call");

        Contradicted::<Test>::put(Conflict::SameBlock);
        Filter::post_dispatch(&RELAYER, false, Some(17));
        assert!(
            Relayers::is_registration_active(&RELAYER),
            "it stopped the pallet"
        );
        Contradicted::<Test>::kill();

        let total = |account| <Balances as Inspect<u64>>::total_balance(&account);
        // One that failed though its header is the best one, and one that changed nothing.
        for (failures, (has_failed, number)) in (1..).zip([(true, 16), (false, 17)]) {
            Filter::post_dispatch(&RELAYER, has_failed, Some(number));
            assert!(!Relayers::is_registration_active(&RELAYER));
            assert_eq!(total(RELAYER), ENDOWMENT - failures * Stake::get());
            assert_eq!(total(SLASHED_TO), ENDOWMENT + failures * Stake::get());
            assert_ok!(Relayers::register(RuntimeOrigin::signed(RELAYER), 1_000));
        }
    });
}

#[test]
fn the_pallet_itself_is_a_filter_without_boost() {
    check(following(), || {
        let first = set(0);
        let (new, old) = (header(11, 0), header(10, 1));
        let validate = |header: &Header| {
            let call = call(header, &proof(&first, header, &first), 0, false);
            <BridgeDuet as BridgeRuntimeFilterCall<u64, RuntimeCall>>::validate(&RELAYER, &call).1
        };
        assert_eq!(validate(&new).unwrap().priority, 0);
        assert_eq!(validate(&old), Err(InvalidTransaction::Stale.into()));
    });
}
