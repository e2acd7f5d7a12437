//! Who gets a recovery key in, and when the deposit returns.

use crate::{
    mock::{
        drill, drill_of, events, make_ready, next_block, next_set, offline, pk1, proof,
        register_key_of, sets, with, Balances, Duet, DuetRecovery, Elected, KeyDeposit,
        RuntimeHoldReason, RuntimeOrigin, Session, SlashableSessions, Test, DEPOSIT, GENESIS,
        NOT_BONDED,
    },
    Error, Event, HoldReason, KeyOwners, KeyStatus, Keys, Members,
};
use duet_primitives::{
    ownership_statement, recovery_ownership_statement,
    suite::RECOVERY_POSSESSION_SUITE,
    testing::{secret, sign_point},
    DualKeyBytes, PossessionProof,
};
use frame_support::{
    assert_noop, assert_ok,
    pallet_prelude::DispatchResult,
    traits::fungible::{Inspect, InspectHold},
};
use sp_runtime::TokenError;

fn register(account: u64, key: DualKeyBytes, proof: PossessionProof) -> DispatchResult {
    DuetRecovery::register_key(RuntimeOrigin::signed(account), key, proof)
}

fn withdraw(account: u64) -> DispatchResult {
    DuetRecovery::withdraw_key(RuntimeOrigin::signed(account))
}

fn held(account: u64) -> u64 {
    let reason = RuntimeHoldReason::DuetRecovery(HoldReason::RecoveryKey);
    Balances::balance_on_hold(&reason, &account)
}

/// Until the set in force, which ends with the next set, can no longer be punished.
fn until_forgotten() {
    sets(SlashableSessions::get());
}

/// RECOVER-1.
#[test]
fn a_key_enters_with_a_deposit() {
    with(&[1, 2, 3], || {
        register_key_of(1, 1);
        let registered = Event::KeyRegistered {
            validator: 1,
            key: pk1(1),
            replaced: None,
        };
        assert_eq!(events().last(), Some(&registered));
        assert_eq!((held(1), Balances::balance(&1)), (DEPOSIT, 1_000 - DEPOSIT));
        let owner = KeyOwners::<Test>::get(pk1(1)).unwrap();
        assert_eq!((owner.validator, owner.sets), (1, 0));
        assert_eq!(owner.status, KeyStatus::Registered);
    });
}

/// RECOVER-1: as for keys in use.
#[test]
fn only_who_may_have_a_key_in_use_gets_a_recovery_key() {
    with(&[1, 2, 3], || {
        let refused = register(NOT_BONDED, offline(1).public(), proof(1, NOT_BONDED));
        assert_noop!(refused, Error::<Test>::NotAValidator);
        // It need not be elected.
        register_key_of(9, 9);
    });
}

/// RECOVER-1, POP-1, POP-2.
#[test]
fn a_proof_that_is_not_that_of_a_recovery_key_of_the_caller_is_refused() {
    with(&[1, 2, 3], || {
        let key = offline(1).public();
        assert_noop!(
            register(1, key, proof(1, 2)),
            Error::<Test>::InvalidOwnership
        );
        let voting = offline(1).prove_possession(&ownership_statement(GENESIS, &1_u64));
        assert_noop!(register(1, key, voting), Error::<Test>::InvalidOwnership);
        let mixed = PossessionProof::new(proof(1, 1).ownership(), voting.possession());
        assert_noop!(register(1, key, mixed), Error::<Test>::InvalidPossession);
        let [mut no_pk1, mut no_pk2] = [key; 2];
        no_pk1.0[..48].fill(0);
        no_pk2.0[48..].fill(0);
        for key in [no_pk1, no_pk2] {
            let refused = register(1, key, proof(1, 1));
            assert_noop!(refused, Error::<Test>::InvalidKey);
        }
        // What the holder of one half can prove about somebody else's other half. (POP-3)
        let theirs = offline(2).public().pk2();
        let possession = sign_point(&offline(1), RECOVERY_POSSESSION_SUITE, theirs.as_ref());
        let proof = PossessionProof::new(proof(1, 1).ownership(), possession);
        let refused = register(1, DualKeyBytes::new(key.pk1(), theirs), proof);
        assert_noop!(refused, Error::<Test>::HalvesDiffer);
    });
}

/// RECOVER-1.
#[test]
fn a_key_in_use_or_one_that_was_is_no_recovery_key() {
    with(&[1, 2, 3], || {
        let of = |n: u64, account: u64| {
            let owner = recovery_ownership_statement(GENESIS, &account);
            secret(n).prove_recovery_possession(&owner)
        };
        let mine = || register(1, secret(1).public(), of(1, 1));
        let foreign = register(1, secret(2).public(), of(2, 1));
        assert_noop!(foreign, Error::<Test>::KeyInUse);
        assert_noop!(mine(), Error::<Test>::KeyInUse);
        assert_ok!(Duet::deregister_keys(RuntimeOrigin::signed(1)));
        assert_noop!(mine(), Error::<Test>::KeyInUse);
    });
}

/// RECOVER-1.
#[test]
fn nobody_registers_a_recovery_key_twice() {
    with(&[1, 2, 3], || {
        register_key_of(1, 1);
        let again = register(1, offline(1).public(), proof(1, 1));
        assert_noop!(again, Error::<Test>::KeyUnchanged);
        let other = register(2, offline(1).public(), proof(1, 2));
        assert_noop!(other, Error::<Test>::KeyTaken);
    });
}

/// RECOVER-1: without the deposit there is no key.
#[test]
fn who_cannot_pay_the_deposit_gets_no_key() {
    with(&[1, 2, 3], || {
        KeyDeposit::set(2_000);
        let refused = register(1, offline(1).public(), proof(1, 1));
        assert_noop!(refused, TokenError::FundsUnavailable);
    });
}

/// RECOVER-1, RECOVER-2.
#[test]
fn a_new_key_replaces_the_old_one_and_its_drill_under_the_same_deposit() {
    with(&[1, 2, 3], || {
        make_ready(&[1]);
        KeyDeposit::set(500);
        register_key_of(11, 1);
        let replaced = Event::KeyRegistered {
            validator: 1,
            key: pk1(11),
            replaced: Some(pk1(1)),
        };
        assert_eq!(events().last(), Some(&replaced));
        assert_eq!(held(1), DEPOSIT);
        let registered = Keys::<Test>::get(1).unwrap();
        assert_eq!((registered.key, registered.ready_until), (pk1(11), 0));
        // The drill with the new key has to be newer, too.
        let same_block = DuetRecovery::drill(RuntimeOrigin::signed(1), drill_of(11, 1));
        assert_noop!(same_block, Error::<Test>::OldDrill);
        // The old key was in no set.
        register_key_of(1, 2);
    });
}

/// RECOVER-1, RECOVER-9.
#[test]
fn a_replaced_key_that_can_be_punished_is_nobodys() {
    with(&[1, 2, 3], || {
        make_ready(&[1, 2, 3]);
        next_set();
        register_key_of(11, 1);
        let again = || register(1, offline(1).public(), proof(1, 1));
        let other = || register(2, offline(1).public(), proof(1, 2));
        assert_noop!(again(), Error::<Test>::KeyRetired);
        assert_noop!(other(), Error::<Test>::KeyTaken);
        until_forgotten();
        assert_noop!(again(), Error::<Test>::KeyRetired);
        next_set();
        assert_ok!(other());
        // The deposit was for the other key.
        assert_eq!(held(1), DEPOSIT);
    });
}

/// RECOVER-1.
#[test]
fn the_deposit_of_a_key_that_was_in_no_set_returns_at_once() {
    with(&[1, 2, 3], || {
        make_ready(&[1]);
        KeyDeposit::set(3);
        assert_ok!(withdraw(1));
        let withdrawn = Event::KeyWithdrawn {
            validator: 1,
            key: pk1(1),
        };
        assert_eq!(events().last(), Some(&withdrawn));
        assert_eq!((held(1), Balances::balance(&1)), (0, 1_000));
        assert_noop!(withdraw(1), Error::<Test>::NoKey);
        register_key_of(1, 2);
    });
}

/// RECOVER-1, RECOVER-9.
#[test]
fn the_deposit_of_a_member_returns_when_its_last_set_has_expired() {
    with(&[1, 2, 3], || {
        make_ready(&[1, 2, 3]);
        next_set();
        assert_ok!(withdraw(1));
        assert_eq!(held(1), DEPOSIT);
        let again = register(1, offline(1).public(), proof(1, 1));
        assert_noop!(again, Error::<Test>::KeyRetired);
        // A new key takes a deposit of its own.
        register_key_of(11, 1);
        assert_eq!(held(1), 2 * DEPOSIT);
        until_forgotten();
        assert_eq!(held(1), 2 * DEPOSIT);
        next_set();
        assert_eq!(held(1), DEPOSIT);
        register_key_of(1, 2);
    });
}

/// RECOVER-1: a key may be in several sets.
#[test]
fn a_key_is_remembered_for_the_last_of_its_sets() {
    with(&[1, 2, 3], || {
        make_ready(&[1, 2, 3]);
        next_set();
        register_key_of(12, 2);
        drill(1);
        drill(3);
        assert_ok!(DuetRecovery::drill(
            RuntimeOrigin::signed(2),
            drill_of(12, 2)
        ));
        next_set();
        assert_eq!(KeyOwners::<Test>::get(pk1(1)).unwrap().sets, 2);
        assert_ok!(withdraw(1));
        let mut count = 0;
        while held(1) > 0 {
            next_set();
            count += 1;
        }
        // It is in force until the next set, and punishable for three sessions after its own one.
        assert_eq!(count, SlashableSessions::get() + 1);
        assert_eq!(KeyOwners::<Test>::get(pk1(1)), None);
    });
}

/// RECOVER-1: a validator that has left withdraws, too.
#[test]
fn a_withdrawn_key_is_in_the_set_until_the_next_one_is_made() {
    with(&[1, 2, 3], || {
        make_ready(&[1, 2, 3]);
        next_set();
        assert_ok!(withdraw(1));
        next_block();
        assert!(Members::<Test>::get().contains(&pk1(1)));
        next_set();
        assert!(!Members::<Test>::get().contains(&pk1(1)));
        assert_eq!(Members::<Test>::get().len(), 2);
        Elected::set(vec![1, 2]);
        sets(2);
        assert!(!Session::validators().contains(&3));
        assert_ok!(withdraw(3));
    });
}

/// RECOVER-1.
#[test]
fn a_chain_may_ask_for_no_deposit() {
    with(&[1, 2, 3], || {
        KeyDeposit::set(0);
        register_key_of(1, 1);
        assert_eq!(held(1), 0);
        assert_ok!(withdraw(1));
    });
}
