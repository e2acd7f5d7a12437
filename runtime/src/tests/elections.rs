//! A fifth validator bonds, registers its keys, and signs.

use super::chain::{self, has_event, logs, validators, Chain, GENESIS_HASH};
use crate::{
    constants::{SESSION_BLOCKS, UNIT},
    genesis::STAKE,
    Balances, Duet, Runtime, RuntimeCall, RuntimeEvent, SessionKeys, UncheckedExtrinsic,
};
use codec::Encode;
use duet_primitives::{ownership_statement, ConsensusLog, Keysets, SecretKey, SetId, Share};
use frame_support::traits::fungible::InspectHold;
use pallet_duet::KeptReason;
use pallet_staking::{RewardDestination, ValidatorPrefs};
use sp_keyring::Sr25519Keyring::{self, Eve};

pub(super) const BOND: u128 = 500 * UNIT;

/// The secret behind Eve's Duet key.
pub(super) fn secret() -> SecretKey {
    chain::secret(4)
}

/// What Eve sends to become a validator.
pub(super) fn join(chain: &mut Chain) -> Vec<UncheckedExtrinsic> {
    let account = Eve.to_account_id();
    let generated = chain.ask(|| SessionKeys::generate(&account.encode(), Some(b"//Eve".to_vec())));
    let proof = secret().prove_possession(&ownership_statement(GENESIS_HASH, &account));
    let calls = [
        RuntimeCall::from(pallet_staking::Call::bond {
            value: BOND,
            payee: RewardDestination::Staked,
        }),
        pallet_staking::Call::validate {
            prefs: ValidatorPrefs::default(),
        }
        .into(),
        pallet_session::Call::set_keys {
            keys: generated.keys,
            proof: generated.proof.encode(),
        }
        .into(),
        pallet_duet::Call::register_keys {
            key: secret().public(),
            proof,
        }
        .into(),
    ];
    (0..)
        .zip(calls)
        .map(|(nonce, call)| chain.sign(Eve, nonce, call))
        .collect()
}

#[test]
fn a_fifth_validator_signs_within_three_sessions_and_the_header_announces_it() {
    // The worst case: an election has just been held.
    let mut chain = Chain::of_four();
    chain.advance_to_session(1);
    let transactions = join(&mut chain);
    chain.block_of(transactions);
    let joined_at = chain.number();

    let (mut planned, mut activated) = (None, None);
    while activated.is_none() {
        assert!(
            chain.number() <= joined_at + 3 * SESSION_BLOCKS,
            "does not sign in time"
        );
        let header = chain.block();
        for log in logs(&header) {
            match log {
                ConsensusLog::Planned(set) => planned = Some((header.number, set)),
                ConsensusLog::Activated(id) => activated = Some((header.number, id)),
                ConsensusLog::Reset { .. } => panic!("nobody resets"),
                ConsensusLog::Payload(_) | ConsensusLog::Rules(_) | ConsensusLog::Pardoned(_) => {}
            }
        }
    }
    let (planned_at, set) = planned.expect("is planned before it is activated");
    let (activated_at, id) = activated.expect("the loop ends with it");
    assert_eq!((set.id, set.len), (SetId::new(1), 5));
    assert_eq!(id, set.id);
    assert_eq!(
        activated_at,
        planned_at + SESSION_BLOCKS,
        "planned one session ahead"
    );
    chain.ask(|| {
        assert!(validators().contains(&Eve.to_account_id()));
        let Keysets { current, next } = Duet::keysets().expect("has keys");
        assert_eq!(current, set);
        assert_eq!(current, next);
        assert!(Duet::current_keys().contains(&secret().public()));
    });
}

#[test]
fn a_validator_without_a_duet_key_validates_and_is_left_out_with_an_event() {
    let mut chain = Chain::of_four();
    let mut transactions = join(&mut chain);
    transactions.truncate(3);
    chain.block_of(transactions);

    let mut left_out = false;
    while !chain.ask(|| validators().contains(&Eve.to_account_id())) {
        chain.block();
        left_out |= chain.ask(|| {
            has_event(|event| {
                matches!(event, RuntimeEvent::Duet(pallet_duet::Event::ValidatorsLeftOut {
                    validators, ..
                }) if validators == &[Eve.to_account_id()])
            })
        });
        assert!(chain.session() < 8, "is elected");
    }
    assert!(left_out);
    assert_eq!(
        chain.ask(Duet::keysets).expect("has keys").current.id,
        SetId::new(0)
    );
}

/// CHAIN-6.
#[test]
fn a_third_of_the_stake_without_a_duet_key_keeps_the_set_and_is_named() {
    let mut chain = Chain::of_four();
    let mut transactions = join(&mut chain);
    transactions.truncate(3);
    let (value, payee) = (3 * STAKE, RewardDestination::Staked);
    transactions[0] = chain.sign(Eve, 0, pallet_staking::Call::bond { value, payee });
    chain.block_of(transactions);

    let share = |in_set, elected, needed| Share {
        in_set,
        elected,
        needed,
    };
    // Rounded down, two thirds of a thousand million parts are 666 666 666.
    let needed = 7 * STAKE / 1_000_000_000 * 666_666_666;
    let too_little = KeptReason::TooLittleStake(share(4 * STAKE, 7 * STAKE, needed));
    let mut kept = false;
    while !kept {
        chain.block();
        kept = chain.ask(|| {
            has_event(|event| {
                matches!(event, RuntimeEvent::Duet(pallet_duet::Event::SetKept { reason, .. })
                    if *reason == too_little)
            })
        });
        assert!(chain.session() < 8, "is elected");
    }
    let participation = chain.ask(Duet::participation);
    assert_eq!(participation.validators, share(4, 5, 4));
    assert_eq!(participation.stake, share(4 * STAKE, 7 * STAKE, needed));
    assert_eq!(participation.missing, [Eve.to_account_id()]);
}

#[test]
fn an_account_that_has_not_bonded_cannot_register_any_key() {
    let mut chain = Chain::of_four();
    let transactions = join(&mut chain).split_off(2);
    // The nonces of what is left start at two.
    let transactions: Vec<_> = (0..)
        .zip(transactions)
        .map(|(nonce, it)| chain.sign(Eve, nonce, it.function))
        .collect();
    let (_, results) = chain.try_block_of(transactions);
    assert_eq!(
        results[0].expect("is applicable").unwrap_err(),
        pallet_session::Error::<Runtime>::NoAssociatedValidatorId.into()
    );
    assert_eq!(
        results[1].expect("is applicable").unwrap_err(),
        pallet_duet::Error::<Runtime>::NotAValidator.into()
    );
}

#[test]
fn keys_hold_a_deposit_and_leave_the_set_when_they_are_deregistered() {
    let mut chain = Chain::of_four();
    let transactions = join(&mut chain);
    chain.block_of(transactions);
    let held =
        |chain: &mut Chain| chain.ask(|| Balances::total_balance_on_hold(&Eve.to_account_id()));
    assert_eq!(held(&mut chain), BOND + 2 * UNIT);
    chain.advance_to_session(6);
    assert_eq!(chain.ask(Duet::keysets).expect("has keys").current.len, 5);

    let nonce = 4;
    let leave = chain.sign(Eve, nonce, pallet_duet::Call::deregister_keys {});
    chain.block_of(vec![leave]);
    assert_eq!(held(&mut chain), BOND + UNIT);
    chain.advance_to_session(8);
    let current = chain.ask(Duet::keysets).expect("has keys").current;
    assert_eq!((current.id, current.len), (SetId::new(2), 4));
}

#[test]
fn fees_go_to_the_author() {
    use crate::Authorship;

    let mut chain = Chain::of_four();
    let issuance = |chain: &mut Chain| chain.ask(pallet_balances::TotalIssuance::<Runtime>::get);
    let before = issuance(&mut chain);
    let remark = frame_system::Call::remark {
        remark: vec![0; 64],
    };
    let transaction = chain.sign(Sr25519Keyring::Ferdie, 0, remark);
    chain.block_of(vec![transaction]);
    chain.ask(|| {
        let author = Authorship::author().expect("has one");
        assert!(has_event(|event| matches!(
            event,
            RuntimeEvent::Balances(pallet_balances::Event::Deposit { who, .. }) if *who == author
        )));
    });
    assert_eq!(issuance(&mut chain), before, "nothing is burnt");
}
