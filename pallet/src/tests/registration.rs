use crate::{
    mock::{
        events, evidence, genesis, genesis_proof, key, next_block, on, proof, register,
        register_key_of, sessions, with, Balances, Duet, Elected, RuntimeGenesisConfig,
        RuntimeOrigin, SlashableSessions, System, Test, ValidatorsPerBlock, DEPOSIT, GENESIS,
        NOT_BONDED, NOT_ENDOWED,
    },
    Chores, Error, Event, HoldReason, KeyOwners, KeyStatus, Keys, Retired, RetiredRange,
};
use duet_primitives::{
    ownership_statement,
    testing::{secret, TestSet},
    BlockNumber, DualKeyBytes, Pk1Bytes, Pk2Bytes, PossessionProof, SetId,
};
use frame_support::{assert_noop, assert_ok, traits::fungible::InspectHold};
use sp_runtime::{BuildStorage, DispatchError, TokenError};

fn signed(account: u64) -> RuntimeOrigin {
    RuntimeOrigin::signed(account)
}

fn held(account: u64) -> u64 {
    Balances::balance_on_hold(&HoldReason::Keys.into(), &account)
}

/// What keeps an account alive besides its session keys, to which the genesis refers once.
fn references(account: u64) -> u32 {
    System::consumers(&account) - 1
}

fn status(n: u64) -> Option<KeyStatus> {
    KeyOwners::<Test>::get(key(n).pk1()).map(|owner| owner.status)
}

#[test]
fn a_key_with_its_proof_enters_the_registry() {
    with(&[1, 2], || {
        assert_ok!(Duet::register_keys(signed(3), key(3), proof(3, 3)));

        assert_eq!(Duet::registered_key(&3), Some(key(3)));
        assert_eq!(status(3), Some(KeyStatus::Fresh));
        assert_eq!(held(3), DEPOSIT);
        assert_eq!(references(3), 2, "one for the key, one for the hold");
        let entered = Event::KeysRegistered {
            validator: 3,
            key: key(3),
            replaced: None,
        };
        assert_eq!(events(), [entered]);
    });
}

#[test]
fn a_new_key_takes_the_place_of_the_old_one_and_the_deposit_stays() {
    with(&[1, 2], || {
        register(3);
        register_key_of(30, 3);

        assert_eq!(Duet::registered_key(&3), Some(key(30)));
        assert_eq!(held(3), DEPOSIT);
        assert_eq!(references(3), 2);
        let replaced = Some(key(3));
        let entered = Event::KeysRegistered {
            validator: 3,
            key: key(30),
            replaced,
        };
        assert_eq!(events().last(), Some(&entered));
    });
}

#[test]
fn a_key_that_never_stood_in_a_set_is_forgotten_when_it_is_replaced() {
    with(&[1, 2], || {
        register(3);
        register_key_of(30, 3);
        assert_eq!(status(3), None);
        assert_eq!(RetiredRange::<Test>::get(), (0, 0));
        register_key_of(3, 4);
    });
}

#[test]
fn a_key_leaves_with_its_deposit() {
    with(&[1, 2], || {
        register(3);
        assert_ok!(Duet::deregister_keys(signed(3)));

        assert_eq!(Duet::registered_key(&3), None);
        assert_eq!(held(3), 0);
        assert_eq!(references(3), 0);
        let left = Event::KeysDeregistered {
            validator: 3,
            key: key(3),
        };
        assert_eq!(events().last(), Some(&left));
        assert_noop!(Duet::deregister_keys(signed(3)), Error::<Test>::NoKeys);
    });
}

#[test]
fn genesis_keys_hold_no_deposit_and_leave_cleanly() {
    with(&[1, 2], || {
        assert_eq!((held(1), references(1)), (0, 1));
        assert_ok!(Duet::deregister_keys(signed(1)));
        assert_eq!((held(1), references(1)), (0, 0));
    });
}

#[test]
fn calls_without_a_signature_are_refused() {
    with(&[1, 2], || {
        let none = RuntimeOrigin::none;
        assert_noop!(
            Duet::register_keys(none(), key(3), proof(3, 3)),
            DispatchError::BadOrigin
        );
        assert_noop!(Duet::deregister_keys(none()), DispatchError::BadOrigin);
    });
}

#[test]
fn an_account_that_is_not_bonded_gets_no_key() {
    with(&[1, 2], || {
        assert_noop!(
            Duet::register_keys(signed(NOT_BONDED), key(3), proof(3, NOT_BONDED)),
            Error::<Test>::NotAValidator
        );
        assert_noop!(
            Duet::deregister_keys(signed(NOT_BONDED)),
            Error::<Test>::NoKeys
        );
    });
}

#[test]
fn an_account_that_is_not_alive_gets_no_key() {
    with(&[1, 2], || {
        assert_noop!(
            Duet::register_keys(signed(NOT_ENDOWED), key(3), proof(3, NOT_ENDOWED)),
            Error::<Test>::NoAccount
        );
    });
}

#[test]
fn an_account_that_cannot_pay_the_deposit_gets_no_key() {
    with(&[1, 2], || {
        let keep = 5;
        assert_ok!(Balances::transfer_allow_death(signed(3), 4, 1_000 - keep));
        frame_support::storage::with_storage_layer::<(), DispatchError, _>(|| {
            assert_eq!(
                Duet::register_keys(signed(3), key(3), proof(3, 3)),
                Err(TokenError::FundsUnavailable.into())
            );
            Err(DispatchError::Other("rolled back, as dispatch does"))
        })
        .unwrap_err();
        assert_eq!(Duet::registered_key(&3), None);
    });
}

#[test]
fn the_same_key_again_is_refused() {
    with(&[1, 2], || {
        register(3);
        assert_noop!(
            Duet::register_keys(signed(3), key(3), proof(3, 3)),
            Error::<Test>::KeyUnchanged
        );
    });
}

#[test]
fn the_key_of_another_account_is_refused() {
    with(&[1, 2], || {
        register(3);
        assert_noop!(
            Duet::register_keys(signed(4), key(3), proof(3, 4)),
            Error::<Test>::KeyTaken
        );
        let other_half = DualKeyBytes::new(key(3).pk1(), key(4).pk2());
        assert_noop!(
            Duet::register_keys(signed(4), other_half, proof(3, 4)),
            Error::<Test>::KeyTaken
        );
    });
}

#[test]
fn a_key_that_stood_in_a_set_does_not_come_back_while_it_is_remembered() {
    with(&[1, 2], || {
        assert_eq!(status(1), Some(KeyStatus::Enlisted));
        register_key_of(10, 1);
        let last_set = SetId::new(0);
        assert_eq!(status(1), Some(KeyStatus::Retired { last_set }));
        for account in [1, 3] {
            assert_noop!(
                Duet::register_keys(signed(account), key(1), proof(1, account)),
                Error::<Test>::KeyRetired
            );
        }
    });
}

#[test]
fn a_retired_key_is_forgotten_when_it_can_be_punished_no_more() {
    with(&[1, 2], || {
        register_key_of(10, 1);
        sessions(1 + SlashableSessions::get());
        let last_set = SetId::new(0);
        assert_eq!(status(1), Some(KeyStatus::Retired { last_set }));
        sessions(1);
        assert_eq!(status(1), None);
        assert_eq!(RetiredRange::<Test>::get(), (1, 1));
        assert_eq!(Retired::<Test>::iter().count(), 0);
        register_key_of(1, 3);
    });
}

#[test]
fn a_block_forgets_so_many_retired_keys_in_order_and_the_next_blocks_go_on() {
    with(&[1, 2, 3, 4, 5], || {
        ValidatorsPerBlock::set(5);
        (1..=5).for_each(|v| register_key_of(v + 10, v));
        sessions(1);
        (1..=5).for_each(|v| register_key_of(v + 20, v));
        assert_eq!(RetiredRange::<Test>::get(), (0, 10));
        // Both groups expire at once when the window is cut by a runtime upgrade.
        sessions(2);
        SlashableSessions::set(0);
        ValidatorsPerBlock::set(4);
        // No more than one block looks at.
        Elected::set(vec![1, 2, 3, 4]);
        sessions(1);
        for forgotten in [4, 8, 10, 10] {
            assert_eq!(RetiredRange::<Test>::get(), (forgotten, 10));
            next_block();
        }
        assert_eq!(Chores::<Test>::get(), None);
    });
}

#[test]
fn a_retired_key_that_still_signs_stays_remembered() {
    with(&[1, 2], || {
        // CHAIN-5: no other validator has keys, so the set continues without any registration.
        assert_ok!(Duet::deregister_keys(signed(1)));
        assert_ok!(Duet::deregister_keys(signed(2)));
        sessions(20);
        assert!(matches!(status(1), Some(KeyStatus::Retired { .. })));
        assert_noop!(
            Duet::register_keys(signed(3), key(1), proof(1, 3)),
            Error::<Test>::KeyRetired
        );

        register(3);
        Elected::set(vec![3]);
        sessions(3 + 2 * SlashableSessions::get() + 2);
        assert_eq!((status(1), status(2)), (None, None));
    });
}

/// EQV-6: from the end of the set, not from the day on which the key was given up.
#[test]
fn a_key_that_was_given_up_early_is_remembered_as_long_as_its_set_can_be_punished() {
    with(&[1, 2], || {
        let set = TestSet::new(0, [1, 2]);
        assert_ok!(Duet::deregister_keys(signed(1)));
        assert_ok!(Duet::deregister_keys(signed(2)));
        sessions(3 * SlashableSessions::get());
        register(3);
        Elected::set(vec![3]);
        sessions(1 + SlashableSessions::get());
        let evidence = Box::new(evidence(&set, 1, BlockNumber::new(5)));
        assert_ok!(Duet::report_equivocation(signed(50), evidence));
        sessions(1);
        assert_eq!((status(1), status(2)), (None, None));
    });
}

/// EQV-6: the planned set takes over with a key that was given up meanwhile.
#[test]
fn a_key_of_the_planned_set_is_remembered_as_long_as_that_set_can_be_punished() {
    with(&[1, 2], || {
        register(3);
        Elected::set(vec![3]);
        sessions(1);
        assert_ok!(Duet::deregister_keys(signed(3)));
        let last_set = SetId::new(1);
        assert_eq!(status(3), Some(KeyStatus::Retired { last_set }));
        Elected::set(vec![1]);
        sessions(1 + SlashableSessions::get());
        let evidence = Box::new(evidence(&TestSet::new(1, [3]), 3, BlockNumber::new(5)));
        assert_ok!(Duet::report_equivocation(signed(50), evidence));
    });
}

#[test]
fn a_half_that_is_no_point_is_refused() {
    with(&[1, 2], || {
        let bad_pk1 = DualKeyBytes::new(Pk1Bytes([0xff; 48]), key(3).pk2());
        assert_noop!(
            Duet::register_keys(signed(3), bad_pk1, proof(3, 3)),
            Error::<Test>::InvalidPk1
        );
        let bad_pk2 = DualKeyBytes::new(key(3).pk1(), Pk2Bytes([0xff; 96]));
        assert_noop!(
            Duet::register_keys(signed(3), bad_pk2, proof(3, 3)),
            Error::<Test>::InvalidPk2
        );
    });
}

#[test]
fn a_proof_for_another_account_or_another_chain_is_refused() {
    with(&[1, 2], || {
        for other in [proof(3, 4), genesis_proof(3, 3)] {
            assert_noop!(
                Duet::register_keys(signed(3), key(3), other),
                Error::<Test>::InvalidOwnership
            );
        }
    });
}

#[test]
fn a_possession_part_of_another_key_is_refused() {
    with(&[1, 2], || {
        let mixed = PossessionProof::new(proof(3, 3).ownership(), proof(4, 3).possession());
        assert_noop!(
            Duet::register_keys(signed(3), key(3), mixed),
            Error::<Test>::InvalidPossession
        );
    });
}

#[test]
fn halves_of_two_secrets_are_refused() {
    with(&[1, 2], || {
        let halves = DualKeyBytes::new(key(3).pk1(), key(4).pk2());
        let owner = ownership_statement(GENESIS, &3u64);
        let forged = super::proof_about(&secret(3), &key(4).pk2(), &owner);
        assert_noop!(
            Duet::register_keys(signed(3), halves, forged),
            Error::<Test>::HalvesDiffer
        );
    });
}

fn build(config: RuntimeGenesisConfig) {
    let _ = config.build_storage();
}

#[test]
#[should_panic(expected = "duet genesis: keys[1] of account 2 refused: POP-1")]
fn genesis_with_a_bad_proof_names_the_account_and_the_rule() {
    let mut config = genesis(&[1, 2, 3], 3);
    config.duet.keys[1].2 = genesis_proof(2, 3);
    build(config);
}

#[test]
#[should_panic(expected = "duet genesis: keys[0] of account 1 refused: KEY-1")]
fn genesis_with_a_bad_key_names_the_account_and_the_rule() {
    let mut config = genesis(&[1, 2], 2);
    config.duet.keys[0].1 = DualKeyBytes([0xff; 144]);
    build(config);
}

#[test]
#[should_panic(expected = "duet genesis: keys[1] of account 2 refused: CHAIN-1: another account")]
fn genesis_with_a_key_twice_names_the_account_and_the_rule() {
    let mut config = genesis(&[1, 2], 2);
    config.duet.keys[1] = (2, key(1), genesis_proof(1, 2));
    build(config);
}

#[test]
#[should_panic(expected = "duet genesis: keys[1] of account 1 refused: CHAIN-1: the account has")]
fn genesis_with_an_account_twice_names_the_account_and_the_rule() {
    let mut config = genesis(&[1, 2], 2);
    config.duet.keys[1] = (1, key(2), genesis_proof(2, 1));
    build(config);
}

#[test]
fn genesis_keys_of_accounts_without_funds_bring_them_to_life() {
    let mut config = genesis(&[1], 1);
    config
        .duet
        .keys
        .push((NOT_ENDOWED, key(9), genesis_proof(9, NOT_ENDOWED)));
    on(config, || {
        assert_eq!(Keys::<Test>::get(NOT_ENDOWED), Some(key(9)));
        assert_ok!(Duet::deregister_keys(signed(NOT_ENDOWED)));
        assert_eq!(System::consumers(&NOT_ENDOWED), 0);
    });
}

#[test]
fn genesis_is_written_and_read_as_hex() {
    let config = genesis(&[1], 1).duet;
    let json = serde_json::to_value(&config).expect("it is written");
    assert_eq!(json["keys"][0][1], format!("{}", key(1)));
    let back: crate::GenesisConfig<Test> = serde_json::from_value(json).expect("it is read");
    assert_eq!(back.keys, config.keys);
}
