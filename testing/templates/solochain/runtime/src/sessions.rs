//! Sessions for a chain that began with fixed lists of authorities.

use crate::{AccountId, Runtime, SessionKeys};
use alloc::vec::Vec;
use frame_support::{
    traits::{BuildGenesisConfig, Get, OnRuntimeUpgrade},
    weights::{RuntimeDbWeight, Weight},
};

/// Makes the authorities of such a chain the validators of its first session, in the runtime upgrade that brings the session
/// pallet. On a chain that has sessions it does nothing, and neither where the lists are not of the same length.
///
/// A validator's account is that of its Aura key; a chain whose operators have other accounts names them here. Both lists have to be
/// in the same order.
pub struct AddSessions;

impl OnRuntimeUpgrade for AddSessions {
    fn on_runtime_upgrade() -> Weight {
        let db: RuntimeDbWeight = <Runtime as frame_system::Config>::DbWeight::get();
        let aura = pallet_aura::Authorities::<Runtime>::get();
        let grandpa = pallet_grandpa::Authorities::<Runtime>::get();
        if pallet_session::Validators::<Runtime>::exists() || aura.len() != grandpa.len() {
            return db.reads(3);
        }
        // A genesis writes both lists, and only where there are none.
        pallet_aura::Authorities::<Runtime>::kill();
        pallet_grandpa::Authorities::<Runtime>::kill();
        let authorities = aura.into_iter().zip(grandpa);
        let validators = authorities.map(|(aura, (grandpa, _))| {
            let account = AccountId::new(aura.clone().into_inner().0);
            (account.clone(), account, SessionKeys { aura, grandpa })
        });
        let keys: Vec<_> = validators.collect();
        let count = u64::try_from(keys.len()).unwrap_or(u64::MAX);
        pallet_session::GenesisConfig::<Runtime> {
            keys,
            non_authority_keys: Vec::new(),
        }
        .build();
        // Keys, owners of two keys, and an account for each; then what there is once.
        let each = count.saturating_mul(4);
        db.reads_writes(each.saturating_add(3), each.saturating_add(7))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        BalancesConfig, Grandpa, RuntimeGenesisConfig, RuntimeOrigin, Session, System,
        SESSION_BLOCKS, UNIT,
    };
    use codec::Encode;
    use frame_support::{assert_ok, traits::Hooks};
    use sp_consensus_aura::sr25519::AuthorityId as AuraId;
    use sp_consensus_grandpa::AuthorityId as GrandpaId;
    use sp_keyring::{Ed25519Keyring, Sr25519Keyring};
    use sp_keystore::{testing::MemoryKeystore, KeystoreExt};
    use sp_runtime::BuildStorage;

    const OPERATORS: [(Sr25519Keyring, Ed25519Keyring); 3] = [
        (Sr25519Keyring::Alice, Ed25519Keyring::Alice),
        (Sr25519Keyring::Bob, Ed25519Keyring::Bob),
        (Sr25519Keyring::Charlie, Ed25519Keyring::Charlie),
    ];

    /// A chain with fixed lists, as it is before the upgrade.
    fn without_sessions() -> sp_io::TestExternalities {
        let genesis = RuntimeGenesisConfig {
            aura: pallet_aura::GenesisConfig {
                authorities: OPERATORS.map(|(aura, _)| aura.public().into()).to_vec(),
            },
            grandpa: pallet_grandpa::GenesisConfig {
                authorities: OPERATORS
                    .map(|(_, grandpa)| (grandpa.public().into(), 1))
                    .to_vec(),
                ..Default::default()
            },
            balances: BalancesConfig {
                balances: OPERATORS
                    .map(|(account, _)| (account.to_account_id(), 10 * UNIT))
                    .to_vec(),
                ..Default::default()
            },
            ..Default::default()
        };
        let mut storage = genesis.build_storage().expect("a genesis");
        // Not even an empty list: the pallet is not there yet.
        let prefix = sp_io::hashing::twox_128(b"Session");
        storage.top.retain(|key, _| !key.starts_with(&prefix));
        storage.into()
    }

    fn lists() -> (Vec<AuraId>, Vec<GrandpaId>) {
        let grandpa = Grandpa::grandpa_authorities().into_iter();
        let aura = pallet_aura::Authorities::<Runtime>::get().into_inner();
        (aura, grandpa.map(|(key, _)| key).collect())
    }

    fn run_to(block: u32) {
        while System::block_number() < block {
            Grandpa::on_finalize(System::block_number());
            System::set_block_number(System::block_number() + 1);
            Session::on_initialize(System::block_number());
        }
    }

    #[test]
    fn authorities_become_validators_and_go_on_with_the_same_keys() {
        without_sessions().execute_with(|| {
            System::set_block_number(17);
            assert!(Session::validators().is_empty());
            let before = lists();
            AddSessions::on_runtime_upgrade();
            let accounts = OPERATORS.map(|(account, _)| account.to_account_id());
            assert_eq!(Session::validators(), accounts);
            assert_eq!(lists(), before);
            run_to(17 + 3 * SESSION_BLOCKS);
            assert_eq!(Session::current_index(), 3);
            assert_eq!(
                (Session::validators(), lists()),
                (accounts.to_vec(), before)
            );
            assert_eq!(Grandpa::current_set_id(), 0);
        });
    }

    #[test]
    fn validators_may_change_their_keys_from_then_on() {
        let mut chain = without_sessions();
        chain.register_extension(KeystoreExt::new(MemoryKeystore::new()));
        chain.execute_with(|| {
            System::set_block_number(17);
            AddSessions::on_runtime_upgrade();
            let alice = OPERATORS[0].0.to_account_id();
            let made = SessionKeys::generate(&alice.encode(), None);
            let (keys, proof) = (made.keys, made.proof.encode());
            let new = (keys.aura.clone(), keys.grandpa.clone());
            assert_ok!(Session::set_keys(RuntimeOrigin::signed(alice), keys, proof));
            run_to(17 + 3 * SESSION_BLOCKS);
            let (authors, voters) = lists();
            assert_eq!((&authors[0], &voters[0]), (&new.0, &new.1));
            assert_eq!(Grandpa::current_set_id(), 1);
        });
    }

    /// What a chain is like whose runtime has the pallet and lacks this.
    #[test]
    fn without_it_sessions_have_no_validators() {
        without_sessions().execute_with(|| {
            System::set_block_number(17);
            let before = lists();
            run_to(17 + 3 * SESSION_BLOCKS);
            assert_eq!(Session::current_index(), 3);
            assert!(Session::validators().is_empty());
            assert_eq!(lists(), before);
        });
    }

    #[test]
    fn lists_that_do_not_match_stay_as_they_are() {
        without_sessions().execute_with(|| {
            pallet_aura::Authorities::<Runtime>::mutate(|list| list.truncate(2));
            let before = lists();
            AddSessions::on_runtime_upgrade();
            assert_eq!((Session::validators(), lists()), (Vec::new(), before));
        });
    }

    #[test]
    fn a_chain_with_sessions_stays_as_it_is() {
        without_sessions().execute_with(|| {
            AddSessions::on_runtime_upgrade();
            let root = sp_io::storage::root(Default::default());
            AddSessions::on_runtime_upgrade();
            assert_eq!(sp_io::storage::root(Default::default()), root);
        });
    }
}
