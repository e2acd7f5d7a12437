use super::negated;
use crate::{
    config_preludes::MmrDefaultConfig,
    limits,
    mock::{
        events, genesis, key, logs, next_block, next_session, on, proof, register, register_key_of,
        sessions, with, AllPalletsWithSystem, Duet, Elected, Heard, Listener, MaxValidators,
        MmrRoot, RuntimeOrigin, Session, SlashableSessions, System, Test, TrustingPeriod, GENESIS,
    },
    Event, KeptReason, KeyOwners, KeyStatus, Keysets, MmrDefaults, MmrRootOf, OldestSet,
    SessionHandler, SetRecord, Sets,
};
use core::any::type_name;
use duet_primitives::{
    ownership_statement, suite,
    testing::{secret, TestSet},
    BlockNumber, CommitmentPayload, ConsensusLog, DualKeyBytes, KeysetCommitment, LeafVersion,
    MmrLeaf, SetId, H256,
};
use frame_support::{assert_ok, derive_impl, traits::IntegrityTest};
use pallet_session::SessionHandler as _;
use sp_io::hashing::twox_128;
use sp_mmr_primitives::LeafDataProvider;

/// What the chain should commit to for these validators.
fn commitment(id: u64, members: impl IntoIterator<Item = u64>) -> KeysetCommitment {
    TestSet::new(id, members).set.commitment().clone()
}

fn sorted(members: &[u64]) -> Vec<DualKeyBytes> {
    let mut keys: Vec<_> = members.iter().copied().map(key).collect();
    keys.sort();
    keys
}

fn ids() -> (u64, u64) {
    let sets = Duet::keysets().expect("there are sets");
    (sets.current.id.get(), sets.next.id.get())
}

#[test]
fn genesis_makes_set_zero_the_signing_and_the_next_one() {
    with(&[3, 1, 2], || {
        let sets = Duet::keysets().expect("there are sets");
        assert_eq!(sets.current, commitment(0, [1, 2, 3]));
        assert_eq!(sets.next, sets.current);
        assert_eq!(Duet::current_keys(), sorted(&[1, 2, 3]));
        assert_eq!(Duet::next_keys(), Duet::current_keys());
        let record = SetRecord {
            commitment: sets.current,
            last_session: None,
        };
        assert_eq!(Sets::<Test>::get(SetId::new(0)), Some(record));
        assert_eq!(logs(), []);
    });
}

#[test]
fn genesis_leaves_validators_without_keys_out() {
    on(genesis(&[1, 2, 3], 2), || {
        assert_eq!(Duet::current_keys(), sorted(&[1, 2]));
    });
}

#[test]
fn light_clients_find_the_sets_under_the_key_they_expect() {
    with(&[1, 2], || {
        let at = [suite::PALLET_NAME, suite::KEYSETS_ITEM].map(|name| twox_128(name.as_bytes()));
        let at = at.concat();
        assert_eq!(at, suite::KEYSETS_STORAGE_KEY);
        assert_eq!(Keysets::<Test>::hashed_key().to_vec(), at);
        let found: Option<duet_primitives::Keysets> = frame_support::storage::unhashed::get(&at);
        assert_eq!(found, Duet::keysets());
    });
}

#[test]
fn light_clients_find_the_trusting_period_that_the_runtime_has_since_the_session_began() {
    with(&[1, 2], || {
        let at =
            [suite::PALLET_NAME, suite::TRUSTING_PERIOD_ITEM].map(|name| twox_128(name.as_bytes()));
        assert_eq!(at.concat(), suite::TRUSTING_PERIOD_STORAGE_KEY);
        let stated = || frame_support::storage::unhashed::get::<u64>(&at.concat());
        assert_eq!(stated(), Some(1000));
        TrustingPeriod::set(2000);
        assert_eq!(stated(), Some(1000));
        next_session();
        assert_eq!(stated(), Some(2000));
    });
}

#[test]
fn the_payload_names_the_root_the_signing_set_and_the_next() {
    with(&[1, 2], || {
        register(3);
        Elected::set(vec![1, 2, 3]);
        next_session();
        let expected = CommitmentPayload {
            mmr_root: MmrRoot::get(),
            validator_set_id: SetId::new(0),
            next: commitment(1, [1, 2, 3]),
        };
        assert_eq!(Duet::commitment_payload(), Some(expected));
    });
}

/// CHAIN-3.
#[test]
fn sessions_that_keep_the_keys_keep_the_set() {
    with(&[1, 2, 3], || {
        for order in [[3, 2, 1], [2, 3, 1], [1, 2, 3]] {
            Elected::set(order.to_vec());
            assert_eq!(next_session(), []);
            assert_eq!(ids(), (0, 0));
            assert_eq!(events(), []);
        }
    });
}

/// CHAIN-2, CHAIN-3.
#[test]
fn a_new_validator_is_planned_in_one_session_and_signs_in_the_next() {
    with(&[1, 2], || {
        register(3);
        Elected::set(vec![1, 2, 3]);
        let next = commitment(1, [1, 2, 3]);

        assert_eq!(next_session(), [ConsensusLog::Planned(next.clone())]);
        assert_eq!(
            events(),
            [Event::SetPlanned {
                id: SetId::new(1),
                len: 3,
                session: 2
            }]
        );
        assert_eq!(ids(), (0, 1));
        assert_eq!(Duet::current_keys(), sorted(&[1, 2]));
        assert_eq!(Duet::next_keys(), sorted(&[1, 2, 3]));

        assert_eq!(next_session(), [ConsensusLog::Activated(SetId::new(1))]);
        assert_eq!(
            events(),
            [Event::SetActivated {
                id: SetId::new(1),
                len: 3,
                session: 2
            }]
        );
        assert_eq!(ids(), (1, 1));
        assert_eq!(Duet::current_keys(), sorted(&[1, 2, 3]));
        let old = SetRecord {
            commitment: commitment(0, [1, 2]),
            last_session: Some(1),
        };
        assert_eq!(Sets::<Test>::get(SetId::new(0)), Some(old));
        let new = SetRecord {
            commitment: next,
            last_session: None,
        };
        assert_eq!(Sets::<Test>::get(SetId::new(1)), Some(new));
        assert_eq!(next_session(), []);
    });
}

#[test]
fn a_header_announces_activation_before_the_plan() {
    with(&[1, 2], || {
        register(3);
        Elected::set(vec![1, 2, 3]);
        next_session();
        Elected::set(vec![1, 3]);
        let planned = ConsensusLog::Planned(commitment(2, [1, 3]));
        assert_eq!(
            next_session(),
            [ConsensusLog::Activated(SetId::new(1)), planned]
        );
        assert_eq!(ids(), (1, 2));
    });
}

#[test]
fn the_set_that_is_planned_no_longer_changes() {
    with(&[1, 2], || {
        register(3);
        Elected::set(vec![1, 2, 3]);
        next_session();
        assert_ok!(Duet::deregister_keys(RuntimeOrigin::signed(3)));
        register_key_of(20, 2);

        assert_eq!(Duet::next_keys(), sorted(&[1, 2, 3]));
        next_session();
        assert_eq!(Duet::current_keys(), sorted(&[1, 2, 3]));
        assert_eq!(Duet::next_keys(), sorted(&[1, 20]));
        next_session();
        assert_eq!(Duet::current_keys(), sorted(&[1, 20]));
    });
}

#[test]
fn a_replaced_key_makes_another_set_of_the_same_validators() {
    with(&[1, 2], || {
        register_key_of(10, 1);
        assert_eq!(
            next_session(),
            [ConsensusLog::Planned(commitment(1, [10, 2]))]
        );
        let status = KeyOwners::<Test>::get(key(10).pk1()).map(|owner| owner.status);
        assert_eq!(status, Some(KeyStatus::Enlisted));
        assert_eq!(next_session(), [ConsensusLog::Activated(SetId::new(1))]);
    });
}

#[test]
fn a_set_that_was_planned_in_vain_is_still_activated() {
    with(&[1, 2], || {
        register(3);
        Elected::set(vec![3]);
        next_session();
        Elected::set(vec![1, 2]);
        let planned = ConsensusLog::Planned(commitment(2, [1, 2]));
        assert_eq!(
            next_session(),
            [ConsensusLog::Activated(SetId::new(1)), planned]
        );
        assert_eq!(next_session(), [ConsensusLog::Activated(SetId::new(2))]);
        assert_eq!(Duet::current_keys(), sorted(&[1, 2]));
    });
}

/// CHAIN-4.
#[test]
fn a_validator_without_keys_is_left_out_and_an_event_says_so() {
    with(&[1, 2], || {
        Elected::set(vec![5, 1, 4, 2]);
        assert_eq!(next_session(), []);
        assert_eq!(
            events(),
            [Event::ValidatorsLeftOut {
                session: 2,
                validators: vec![5, 4]
            }]
        );
        assert_eq!(Duet::next_keys(), sorted(&[1, 2]));
    });
}

#[test]
fn without_anybody_to_take_over_the_signing_set_goes_on() {
    with(&[1, 2], || {
        Elected::set(vec![4, 5]);
        let left_out = |session| Event::ValidatorsLeftOut {
            session,
            validators: vec![4, 5],
        };
        let kept = |session| Event::SetKept {
            session,
            id: SetId::new(0),
            reason: KeptReason::NoKeys,
        };
        for session in 2..4 {
            assert_eq!(next_session(), []);
            assert_eq!(events(), [left_out(session), kept(session)]);
            assert_eq!(ids(), (0, 0));
        }
        register(4);
        assert_eq!(next_session(), [ConsensusLog::Planned(commitment(1, [4]))]);
        assert_eq!(next_session(), [ConsensusLog::Activated(SetId::new(1))]);
    });
}

/// CHAIN-5.
#[test]
fn keys_that_cancel_each_other_do_not_make_a_set() {
    with(&[1, 2], || {
        register(3);
        let twin = negated(&secret(3));
        let proof = twin.prove_possession(&ownership_statement(GENESIS, &4u64));
        assert_ok!(Duet::register_keys(
            RuntimeOrigin::signed(4),
            twin.public(),
            proof
        ));
        Elected::set(vec![3, 4]);
        assert_eq!(next_session(), []);
        let kept = Event::SetKept {
            session: 2,
            id: SetId::new(0),
            reason: KeptReason::Refused,
        };
        assert_eq!(events(), [kept]);

        Elected::set(vec![1, 3, 4]);
        assert!(matches!(next_session()[..], [ConsensusLog::Planned(_)]));
    });
}

#[test]
fn validators_beyond_the_limit_are_left_out_from_the_end() {
    with(&[1, 2], || {
        (3..=7).for_each(register);
        Elected::set(vec![7, 6, 9, 5, 4, 3, 2, 1]);
        next_session();
        assert_eq!(Duet::next_keys(), sorted(&[3, 4, 5, 6, 7]));
        let expected = [
            Event::ValidatorsLeftOut {
                session: 2,
                validators: vec![9],
            },
            Event::SetTruncated {
                session: 2,
                limit: MaxValidators::get(),
                left_out: 2,
            },
            Event::SetPlanned {
                id: SetId::new(1),
                len: 5,
                session: 2,
            },
        ];
        assert_eq!(events(), expected);
    });
}

#[test]
fn a_lower_limit_lets_the_planned_set_sign_and_cuts_the_one_after_it() {
    with(&[1, 2, 3], || {
        register(4);
        Elected::set(vec![1, 2, 3, 4]);
        next_session();
        MaxValidators::set(2);
        next_session();
        assert_eq!(Duet::current_keys(), sorted(&[1, 2, 3, 4]));
        assert_eq!(Duet::next_keys(), sorted(&[1, 2]));
        next_session();
        assert_eq!(ids(), (2, 2));
    });
}

#[test]
fn a_chain_without_genesis_keys_starts_when_active_validators_have_some() {
    on(genesis(&[1, 2], 0), || {
        assert_eq!(Duet::keysets(), None);
        assert_eq!(Duet::commitment_payload(), None);
        assert_eq!(next_session(), []);
        assert_eq!(Duet::keysets(), None);
        let reason = KeptReason::NoKeys;
        assert!(events().contains(&Event::SetNotFounded { session: 1, reason }));

        register(3);
        Elected::set(vec![1, 2, 3]);
        assert_eq!(next_session(), []);
        assert_eq!(
            Duet::keysets(),
            None,
            "3 is queued, and 1 and 2 have no keys"
        );

        register(1);
        let planned = ConsensusLog::Planned(commitment(1, [1, 2]));
        register(2);
        Elected::set(vec![1, 2]);
        assert_eq!(
            next_session(),
            [ConsensusLog::Activated(SetId::new(0)), planned]
        );
        assert_eq!(Duet::current_keys(), sorted(&[1, 2, 3]));
        assert!(events().contains(&Event::SetActivated {
            id: SetId::new(0),
            len: 3,
            session: 3
        }));
        assert_eq!(next_session(), [ConsensusLog::Activated(SetId::new(1))]);
    });
}

#[test]
fn earlier_sets_are_forgotten_when_nobody_can_be_punished_for_them() {
    with(&[1, 2], || {
        register_key_of(10, 1);
        sessions(2);
        let last_session = Sets::<Test>::get(SetId::new(0)).and_then(|set| set.last_session);
        assert_eq!(last_session, Some(1));
        sessions(SlashableSessions::get() - 1);
        assert_eq!(OldestSet::<Test>::get(), SetId::FIRST);
        assert_eq!(Session::current_index(), 4);
        sessions(1);
        assert_eq!(OldestSet::<Test>::get(), SetId::new(1));
        assert_eq!(Sets::<Test>::get(SetId::FIRST), None);
    });
}

#[test]
fn a_bounded_number_of_sets_is_forgotten_at_once() {
    with(&[1, 2], || {
        SlashableSessions::set(100);
        register(3);
        for turn in 0..10u64 {
            Elected::set(vec![1 + turn % 3]);
            next_session();
        }
        assert_eq!((ids().0, OldestSet::<Test>::get()), (9, SetId::FIRST));
        SlashableSessions::set(0);
        let mut oldest = Vec::new();
        for _ in 0..4 {
            next_session();
            oldest.push(OldestSet::<Test>::get());
        }
        assert_eq!(oldest, [4, 8, 10, 10].map(SetId::new));
    });
}

#[test]
fn thirty_sessions_of_coming_and_going_keep_every_invariant() {
    with(&[1, 2, 3, 4], || {
        (5..=12).for_each(register);
        let mut expected = Duet::keysets().expect("there are sets");
        for turn in 0..30u64 {
            let elected: Vec<_> = (1..=12).filter(|v| (v * 7 + turn * 5) % 11 < 4).collect();
            Elected::set(elected);
            // One validator replaces its key, one leaves, one comes back; `next_session` checks the rest.
            let v = 1 + turn % 12;
            let fresh = 100 + turn;
            let signed = RuntimeOrigin::signed;
            assert_ok!(Duet::register_keys(signed(v), key(fresh), proof(fresh, v)));
            let leaver = 1 + (turn * 5) % 12;
            let _ = Duet::deregister_keys(signed(leaver));
            let back = 1 + (turn * 5 + 7) % 12;
            register_key_of(200 + turn, back);

            let logs = next_session();
            let sets = Duet::keysets().expect("there are sets");
            assert_eq!(sets.current, expected.next, "the planned set takes over");
            let activated = sets.current.id != expected.current.id;
            let planned = sets.next.id != sets.current.id;
            assert_eq!(
                logs.contains(&ConsensusLog::Activated(sets.current.id)),
                activated
            );
            assert_eq!(
                logs.contains(&ConsensusLog::Planned(sets.next.clone())),
                planned
            );
            assert_eq!(logs.len(), usize::from(activated) + usize::from(planned));
            expected = sets;
        }
        assert!(expected.current.id > SetId::new(20), "the sets did change");
        let kept = Sets::<Test>::iter().count();
        assert!(
            kept <= 2 + SlashableSessions::get() as usize,
            "{kept} sets are kept"
        );
    });
}

#[test]
fn other_handlers_hear_everything() {
    Heard::take();
    with(&[1, 2], || {
        assert_eq!(Heard::take(), ["genesis"]);
        next_session();
        assert_eq!(Heard::take(), ["ending", "new"]);
        assert!(Session::disable_index(0));
        assert_eq!(Heard::take(), ["disabled"]);
        next_block();
        assert_eq!(Heard::take(), [""; 0]);
    });
    type Handler = SessionHandler<Test, pallet_session::TestSessionHandler>;
    assert_eq!(Handler::KEY_TYPE_IDS, [sp_runtime::key_types::DUMMY]);
}

#[test]
fn limits_that_a_chain_can_work_with_pass() {
    with(&[1], AllPalletsWithSystem::integrity_test);
}

/// LIGHT-2.
#[test]
#[should_panic(expected = "LIGHT-2: the pallet is called Dual")]
fn another_name_fails_the_integrity_test() {
    limits::assert_name("Dual");
}

/// CHAIN-3.
#[test]
#[should_panic(expected = "CHAIN-3: the session handler is")]
fn a_session_handler_that_is_not_wrapped_fails_the_integrity_test() {
    limits::assert_handler(type_name::<Listener>());
}

/// It is configured, and the mock runtime does not have it.
#[derive_impl(MmrDefaultConfig<Test>)]
impl pallet_mmr::Config for Test {}

#[test]
#[should_panic(expected = "the runtime lacks pallet-mmr")]
fn a_range_that_the_runtime_lacks_fails_the_integrity_test() {
    limits::assert_root::<MmrRootOf<Test>>();
}

#[test]
#[should_panic(expected = "SET-1: MaxValidators is zero")]
fn a_limit_of_no_validators_fails_the_integrity_test() {
    MaxValidators::set(0);
    Duet::integrity_test();
}

#[test]
#[should_panic(expected = "SET-1: MaxValidators is 100001")]
fn a_limit_that_decoders_refuse_fails_the_integrity_test() {
    MaxValidators::set(100_001);
    Duet::integrity_test();
}

/// MMR-1.
#[test]
fn a_leaf_tells_of_the_parent_and_holds_what_the_runtime_adds() {
    with(&[1, 2], || {
        next_block();
        let number = System::block_number();
        let expected = MmrLeaf {
            version: LeafVersion::V0,
            parent_number: BlockNumber::new(u32::try_from(number).unwrap() - 1),
            parent_hash: H256::from_low_u64_be(number),
            extra: H256::repeat_byte(8),
        };
        assert_eq!(Duet::leaf_data(), expected);
    });
}

#[test]
#[should_panic(expected = "report_equivocation of a set of that size takes")]
fn a_limit_at_which_a_call_fits_no_block_fails_the_integrity_test() {
    MaxValidators::set(15_000);
    Duet::integrity_test();
}
