//! What the presets start with.

use super::chain::{config, validators, Chain};
use crate::{
    constants::MIN_VALIDATOR_BOND,
    genesis::{development, keysets_key, local_testnet, preset, preset_names, STAKE},
    Duet, Grandpa, Runtime, Staking,
};
use codec::{Decode, Encode};
use duet_primitives::{DualKeyset, Keysets, SetId};
use sp_keyring::Sr25519Keyring::{Alice, Bob, Charlie, Dave};
use sp_runtime::BuildStorage;
use sp_staking::StakingInterface;

#[test]
fn each_preset_starts_with_its_validators_in_every_set() {
    for (patch, expected) in [
        (development(), vec![Alice]),
        (local_testnet(), vec![Alice, Bob, Charlie, Dave]),
    ] {
        let mut chain = Chain::new(patch);
        chain.ask(|| {
            let mut accounts: Vec<_> = expected.iter().map(|it| it.to_account_id()).collect();
            let mut found = validators();
            accounts.sort();
            found.sort();
            assert_eq!(found, accounts);
            assert_eq!(
                pallet_aura::Authorities::<Runtime>::get().len(),
                accounts.len()
            );
            assert_eq!(Grandpa::grandpa_authorities().len(), accounts.len());
            assert_eq!(Duet::current_keys().len(), accounts.len());
            for account in &accounts {
                assert_eq!(Staking::active_stake(account), Ok(STAKE));
                assert!(Duet::registered_key(account).is_some());
            }
        });
    }
}

#[test]
fn the_first_set_is_set_zero_and_its_own_successor() {
    let mut chain = Chain::new(local_testnet());
    chain.ask(|| {
        let Keysets { current, next } = Duet::keysets().expect("has keys");
        assert_eq!(current.id, SetId::new(0));
        assert_eq!(current, next);
        let set = DualKeyset::from_chain_state_unchecked(&current, &Duet::current_keys()).unwrap();
        assert_eq!(set.commitment(), &current);
    });
}

#[test]
fn light_clients_find_the_first_set_where_they_look() {
    let storage = config(local_testnet()).build_storage().unwrap();
    let mut expected = sp_io::hashing::twox_128(b"Duet").to_vec();
    expected.extend(sp_io::hashing::twox_128(b"Keysets"));
    assert_eq!(keysets_key().as_slice(), expected);
    let bytes = storage
        .top
        .get(&expected)
        .expect("the genesis state has it");
    assert_eq!(Keysets::decode(&mut &bytes[..]).unwrap().encode(), *bytes);
}

#[test]
fn the_runtime_offers_the_presets_that_it_names() {
    for name in preset_names() {
        let bytes = preset(&name).expect("is offered");
        config(serde_json::from_slice(&bytes).unwrap())
            .build_storage()
            .unwrap();
    }
    assert_eq!(preset(&"another".into()), None);
}

#[test]
#[should_panic(expected = "POP-1")]
fn a_proof_of_another_account_ends_the_genesis_with_the_rule() {
    let mut patch = local_testnet();
    patch["duet"]["keys"][1][2] = patch["duet"]["keys"][0][2].clone();
    let _ = config(patch).build_storage();
}

#[test]
fn a_stake_of_a_preset_is_more_than_a_validator_needs() {
    const { assert!(STAKE >= MIN_VALIDATOR_BOND) };
}

#[test]
fn light_clients_look_for_the_first_sets_where_the_pallet_keeps_them() {
    assert_eq!(
        pallet_duet::Keysets::<Runtime>::hashed_key(),
        duet_primitives::suite::KEYSETS_STORAGE_KEY
    );
}
