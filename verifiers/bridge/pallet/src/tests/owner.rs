//! What the owner and root may do.

use crate::{mock::*, Error, Event, Followed, GenesisConfig, ImportedHeaders};
use bp_runtime::{BasicOperatingMode, OwnedBridgeModuleError};
use codec::Encode;
use duet_primitives::{Keysets, SetId};
use frame_support::{assert_noop, assert_ok, traits::BuildGenesisConfig};
use sp_runtime::{traits::BadOrigin, BuildStorage};

const OWNER: u64 = 5;

fn owner() -> RuntimeOrigin {
    RuntimeOrigin::signed(OWNER)
}

#[test]
fn only_root_and_the_owner_may_change_how_the_pallet_works() {
    check(empty(), || {
        let stranger = || RuntimeOrigin::signed(RELAYER);
        let keysets = init_data().keysets;
        let block = || Box::new(header(30, 0));
        assert_noop!(BridgeDuet::initialize(stranger(), init_data()), BadOrigin);
        assert_noop!(BridgeDuet::set_owner(stranger(), Some(RELAYER)), BadOrigin);
        assert_ok!(BridgeDuet::set_owner(RuntimeOrigin::root(), Some(OWNER)));
        assert_ok!(BridgeDuet::initialize(owner(), init_data()));
        let mode = BasicOperatingMode::Halted;
        assert_noop!(BridgeDuet::set_operating_mode(stranger(), mode), BadOrigin);
        assert_ok!(BridgeDuet::set_operating_mode(owner(), mode));
        let forced = BridgeDuet::force_set_pallet_state(stranger(), keysets.clone(), block());
        assert_eq!(forced.unwrap_err().error, BadOrigin.into());
        assert_ok!(BridgeDuet::force_set_pallet_state(
            owner(),
            keysets,
            block()
        ));
        assert_ok!(BridgeDuet::set_owner(owner(), None));
        assert_noop!(
            BridgeDuet::set_operating_mode(owner(), BasicOperatingMode::Normal),
            BadOrigin
        );
    });
}

#[test]
fn a_halted_pallet_takes_no_proof() {
    check(following(), || {
        let (first, new) = (set(0), header(11, 0));
        let submit = || {
            BridgeDuet::submit_finality_proof(
                RuntimeOrigin::signed(RELAYER),
                Box::new(new.clone()),
                Box::new(proof(&first, &new, &first)),
            )
        };
        let root = RuntimeOrigin::root;
        assert_ok!(BridgeDuet::set_operating_mode(
            root(),
            BasicOperatingMode::Halted
        ));
        assert_noop!(
            submit().map_err(|error| error.error),
            Error::<Test>::BridgeModule(OwnedBridgeModuleError::Halted)
        );
        assert_ok!(BridgeDuet::set_operating_mode(
            root(),
            BasicOperatingMode::Normal
        ));
        assert_ok!(submit());
    });
}

#[test]
fn a_chain_is_chosen_once_and_its_sets_must_be_sets() {
    check(empty(), || {
        let root = RuntimeOrigin::root;
        let mut data = init_data();
        data.keysets.next = set(2).set.commitment().clone();
        assert_noop!(
            BridgeDuet::initialize(root(), data),
            Error::<Test>::InvalidKeysets
        );
        let mut data = init_data();
        data.keysets.current.apk1 = duet_primitives::Pk1Bytes([0xff; 48]);
        data.keysets.next = data.keysets.current.clone();
        assert_noop!(
            BridgeDuet::initialize(root(), data),
            Error::<Test>::InvalidKeysets
        );
        assert_ok!(BridgeDuet::initialize(root(), init_data()));
        assert_noop!(
            BridgeDuet::initialize(root(), init_data()),
            Error::<Test>::AlreadyInitialized
        );
    });
}

/// LIGHT-8: a reset is crossed by the owner, and by no proof.
#[test]
fn the_owner_leads_across_a_reset() {
    check(following(), || {
        let before = header(10, 0).hash();
        let fresh = set(7);
        let new = header(50, 0);
        let keysets = Keysets::without_successor(fresh.set.commitment().clone());
        assert_ok!(BridgeDuet::force_set_pallet_state(
            RuntimeOrigin::root(),
            keysets.clone(),
            Box::new(new.clone()),
        ));
        System::assert_last_event(
            Event::StateForced {
                number: 50,
                hash: new.hash(),
                keysets: keysets.clone(),
            }
            .into(),
        );
        let followed = Followed::<Test>::get().unwrap();
        assert_eq!(
            (followed.genesis_hash, followed.keysets),
            (GENESIS, keysets)
        );
        assert!(
            ImportedHeaders::<Test>::contains_key(before),
            "nothing contradicts it"
        );
        let later = header(51, 0);
        assert_ok!(BridgeDuet::submit_finality_proof_ex(
            RuntimeOrigin::signed(RELAYER),
            Box::new(later.clone()),
            Box::new(proof(&fresh, &later, &fresh)),
            SetId::new(7),
            false,
        ));
    });
}

#[test]
fn a_chain_may_be_chosen_before_proofs_are_taken() {
    check(empty(), || {
        let mut data = init_data();
        data.operating_mode = BasicOperatingMode::Halted;
        assert_ok!(BridgeDuet::initialize(RuntimeOrigin::root(), data));
        assert_eq!(
            crate::PalletOperatingMode::<Test>::get(),
            BasicOperatingMode::Halted
        );
    });
}

#[test]
fn a_block_that_is_set_again_has_one_place_in_the_ring() {
    check(following(), || {
        for _ in 0..7 {
            let block = Box::new(header(30, 0));
            let keysets = init_data().keysets;
            assert_ok!(BridgeDuet::force_set_pallet_state(
                RuntimeOrigin::root(),
                keysets,
                block
            ));
        }
        assert_eq!(
            ImportedHeaders::<Test>::iter().count(),
            2,
            "blocks 10 and 30"
        );
    });
}

#[test]
fn genesis_may_choose_the_chain_and_halts_the_pallet_without_one() {
    let config = GenesisConfig::<Test> {
        owner: Some(OWNER),
        init_data: Some(init_data()),
    };
    // As a chain specification has it.
    let json = serde_json::to_string(&config).unwrap();
    let keysets = init_data().keysets.encode();
    let digits: String = keysets.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(json.contains(&format!("\"0x{digits}\"")), "{json}");
    let config: GenesisConfig<Test> = serde_json::from_str(&json).unwrap();
    let storage = config.build_storage().unwrap();
    check(storage.into(), || {
        assert_eq!(BridgeDuet::best_finalized().unwrap().number(), 10);
        assert_eq!(crate::PalletOwner::<Test>::get(), Some(OWNER));
        assert_eq!(
            crate::PalletOperatingMode::<Test>::get(),
            BasicOperatingMode::Normal
        );
    });
    check(sp_io::TestExternalities::default(), || {
        GenesisConfig::<Test>::default().build();
        assert_eq!(
            crate::PalletOperatingMode::<Test>::get(),
            BasicOperatingMode::Halted
        );
    });
}
