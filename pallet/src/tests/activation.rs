use crate::{
    migrations::V1ToV2,
    mock::{
        events, evidence, genesis, logs, next_block, next_session, on, register, sessions, with,
        AllPalletsWithSystem, Duet, Elected, MinParticipation, RuntimeGenesisConfig, RuntimeOrigin,
        Session, SlashableSessions, System, Test, ValidatorsPerBlock,
    },
    ActiveFrom, Draft, Ended, Error, Event, KeptReason, Pallet, Purpose, Sets,
};
use duet_primitives::{
    suite, testing::TestSet, BlockNumber, ConsensusLog, EvidenceStatus, KeysetCommitment, SetId,
};
use frame_support::{
    assert_noop, assert_ok,
    traits::{GetStorageVersion, OnFinalize, OnRuntimeUpgrade, StorageVersion},
};
use sp_io::hashing::twox_128;
use sp_runtime::{DispatchError, Perbill};

fn commitment(id: u64, members: impl IntoIterator<Item = u64>) -> KeysetCommitment {
    TestSet::new(id, members).set.commitment().clone()
}

/// A chain of validators without keys that makes no sets yet.
fn inactive(validators: &[u64]) -> RuntimeGenesisConfig {
    let mut config = genesis(validators, 0);
    config.duet.inactive = true;
    config
}

fn activate(at: u64) {
    assert_ok!(Duet::activate(RuntimeOrigin::root(), at));
}

fn deactivate() {
    assert_ok!(Duet::deactivate(RuntimeOrigin::root()));
}

/// Ends this block.
fn finalize() {
    AllPalletsWithSystem::on_finalize(System::block_number());
}

/// What this block's header announces of sets, once the block has ended.
fn announced() -> Vec<ConsensusLog> {
    finalize();
    let mut logs = logs();
    logs.retain(|log| !matches!(log, ConsensusLog::Payload(_)));
    logs
}

/// Ends this block and those after it, up to the start of the one with this number.
fn go_to(block: u64) {
    while System::block_number() < block {
        finalize();
        next_block();
    }
}

fn ids() -> Option<(u64, u64)> {
    Duet::keysets().map(|sets| (sets.current.id.get(), sets.next.id.get()))
}

/// ACTIVE-1.
#[test]
fn an_inactive_chain_takes_keys_and_makes_no_set() {
    on(inactive(&[1, 2, 3]), || {
        for validator in [1, 2, 3] {
            register(validator);
        }
        sessions(4);
        assert_eq!(Duet::keysets(), None);
        assert_eq!(Duet::commitment_payload(), None);
        assert!(!events()
            .iter()
            .any(|event| matches!(event, Event::SetNotFounded { .. })));
        let participation = Duet::participation();
        assert!(participation.missing.is_empty());
    });
}

/// ACTIVE-1: a genesis with keys waits, too.
#[test]
fn an_inactive_genesis_with_keys_makes_no_set() {
    let mut config = genesis(&[1, 2], 2);
    config.duet.inactive = true;
    on(config, || assert_eq!(Duet::keysets(), None));
}

/// ACTIVE-2.
#[test]
fn the_first_set_is_made_at_the_end_of_the_block_that_governance_named() {
    on(inactive(&[1, 2, 3]), || {
        (1..=3).for_each(register);
        go_to(4);
        activate(8);
        assert_eq!(events().last(), Some(&Event::ActivationScheduled { at: 8 }));
        go_to(7);
        assert_eq!((announced(), ids()), (vec![], None));
        next_block();
        assert_eq!(ids(), None, "the session's validators are looked at last");
        assert_eq!(announced(), [ConsensusLog::Activated(SetId::FIRST)]);
        let set = commitment(0, [1, 2, 3]);
        let sets = Duet::keysets().expect("the chain is active");
        assert_eq!((&sets.current, &sets.next), (&set, &set));
        let payload = Duet::commitment_payload().expect("a set signs");
        assert_eq!(payload.validator_set_id, SetId::FIRST);
        sessions(3);
        assert_eq!(ids(), Some((0, 0)));
    });
}

/// ACTIVE-2: the block may be one with which a session starts.
#[test]
fn the_first_block_of_a_session_can_be_named() {
    on(inactive(&[1, 2]), || {
        (1..=3).for_each(register);
        Elected::set(vec![1, 2, 3]);
        let before = Session::current_index();
        activate(3);
        go_to(3);
        assert_eq!(Session::current_index(), before + 1, "a session starts");
        let first = announced();
        let set = commitment(1, [1, 2, 3]);
        assert_eq!(
            first,
            [
                ConsensusLog::Activated(SetId::FIRST),
                ConsensusLog::Planned(set)
            ]
        );
        assert_eq!(ids(), Some((0, 1)));
    });
}

/// ACTIVE-2: below the floor each new session tries again.
#[test]
fn below_the_floor_the_next_sessions_try_again() {
    on(inactive(&[1, 2, 3]), || {
        MinParticipation::set(Perbill::from_rational(2u32, 3));
        register(1);
        activate(4);
        go_to(4);
        assert_eq!(announced(), []);
        let refused = |events: &[Event<Test>]| {
            events.iter().any(|event| {
                let Event::SetNotFounded { reason, .. } = event else {
                    return false;
                };
                matches!(reason, KeptReason::TooFewValidators(_))
            })
        };
        assert!(refused(&events()));
        next_session();
        assert!(refused(&events()));
        register(2);
        assert_eq!(
            next_session(),
            [ConsensusLog::Activated(SetId::FIRST)],
            "two of three have keys"
        );
    });
}

/// ACTIVE-2, CHAIN-8.
#[test]
fn a_first_set_that_is_large_is_made_over_several_blocks() {
    on(inactive(&[1, 2, 3]), || {
        ValidatorsPerBlock::set(2);
        (1..=3).for_each(register);
        activate(4);
        go_to(4);
        assert_eq!(announced(), []);
        let draft = Draft::<Test>::get().map(|draft| (draft.purpose, draft.parts));
        assert_eq!(draft, Some((Purpose::First, 2)));
        let made: Vec<_> = (0..3)
            .map(|_| {
                next_block();
                announced()
            })
            .collect();
        let activated = vec![ConsensusLog::Activated(SetId::FIRST)];
        assert_eq!(made, [vec![], vec![], activated]);
        assert_eq!(ids(), Some((0, 0)));
    });
}

/// ACTIVE-1.
#[test]
fn another_block_can_be_named_as_long_as_the_first_has_not_come() {
    on(inactive(&[1, 2]), || {
        (1..=2).for_each(register);
        activate(5);
        activate(9);
        go_to(9);
        assert_eq!(ids(), None);
        finalize();
        assert_eq!(ids(), Some((0, 0)));
        assert_noop!(
            Duet::activate(RuntimeOrigin::root(), 20),
            Error::<Test>::AlreadyActive
        );
    });
}

#[test]
fn a_block_that_has_come_cannot_be_named() {
    on(inactive(&[1, 2]), || {
        go_to(4);
        for past in [0, 3, 4] {
            assert_noop!(
                Duet::activate(RuntimeOrigin::root(), past),
                Error::<Test>::ActivationInThePast
            );
        }
        activate(5);
    });
}

#[test]
fn the_block_that_is_named_is_paid_for() {
    on(inactive(&[1, 2]), || {
        activate(4);
        go_to(3);
        let usual = crate::activation::weight_of_block::<Test>();
        next_block();
        let first = crate::activation::weight_of_block::<Test>();
        assert!(first.all_gt(usual.saturating_mul(100)), "{first:?}");
    });
}

#[test]
fn nobody_but_governance_activates_or_deactivates() {
    with(&[1, 2], || {
        for origin in [RuntimeOrigin::signed(1), RuntimeOrigin::none()] {
            assert_noop!(Duet::activate(origin.clone(), 9), DispatchError::BadOrigin);
            assert_noop!(Duet::deactivate(origin), DispatchError::BadOrigin);
        }
    });
}

/// ACTIVE-1: an activation that has not come can be called off.
#[test]
fn an_activation_is_called_off_before_it_comes() {
    on(inactive(&[1, 2]), || {
        assert_noop!(
            Duet::deactivate(RuntimeOrigin::root()),
            Error::<Test>::NotActive
        );
        (1..=2).for_each(register);
        activate(5);
        deactivate();
        assert_eq!(events().last(), Some(&Event::Deactivated { ended: None }));
        go_to(9);
        assert_eq!(ids(), None);
        assert!(!Ended::<Test>::get());
    });
}

/// ACTIVE-3.
#[test]
fn a_chain_that_is_deactivated_signs_nothing_and_keeps_what_it_has() {
    with(&[1, 2], || {
        assert!(Duet::commitment_payload().is_some());
        deactivate();
        let ended = Some(SetId::FIRST);
        assert_eq!(events().last(), Some(&Event::Deactivated { ended }));
        assert_eq!(Duet::commitment_payload(), None);
        register(3);
        Elected::set(vec![1, 2, 3]);
        for _ in 0..5 {
            assert_eq!(next_session(), [], "nothing is planned");
            assert_eq!(Duet::commitment_payload(), None);
        }
        assert_eq!(ids(), Some((0, 0)));
        assert!(Duet::registered_key(&1).is_some());
        assert_noop!(
            Duet::deactivate(RuntimeOrigin::root()),
            Error::<Test>::NotActive
        );
    });
}

/// ACTIVE-3.
#[test]
fn nodes_find_whether_a_set_was_ended_under_the_key_they_expect() {
    let at = [suite::PALLET_NAME, suite::ENDED_ITEM].map(|name| twox_128(name.as_bytes()));
    assert_eq!(at.concat(), suite::ENDED_STORAGE_KEY);
    assert_eq!(Ended::<Test>::hashed_key(), suite::ENDED_STORAGE_KEY);
    with(&[1, 2], || {
        let found = || frame_support::storage::unhashed::get::<bool>(&suite::ENDED_STORAGE_KEY);
        assert_ne!(found(), Some(true));
        deactivate();
        assert_eq!(found(), Some(true));
    });
}

/// ACTIVE-3, RESET-3: clients that know the planned set by its handoff trust it.
#[test]
fn the_signing_and_the_planned_set_are_punishable_from_the_deactivation_on_and_no_longer() {
    with(&[1, 2], || {
        register(3);
        Elected::set(vec![1, 2, 3]);
        next_session();
        assert_eq!(ids(), Some((0, 1)));
        let sets = [TestSet::new(0, [1, 2]), TestSet::new(1, [1, 2, 3])];
        let status = |set| Duet::evidence_status(&evidence(set, 1, BlockNumber::new(5)));
        let expected = [EvidenceStatus::New, EvidenceStatus::NotActive];
        assert_eq!(sets.each_ref().map(status), expected);
        deactivate();
        let ended_in = Session::current_index();
        assert_eq!(sets.each_ref().map(status), expected);
        next_session();
        assert_eq!(sets.each_ref().map(status), [EvidenceStatus::New; 2]);
        sessions(SlashableSessions::get() - 1);
        assert_eq!(sets.each_ref().map(status), [EvidenceStatus::New; 2]);
        // The stake is that of the session for which the planned set was made.
        let planned = Box::new(evidence(&sets[1], 3, BlockNumber::new(5)));
        assert_ok!(Duet::report_equivocation(RuntimeOrigin::signed(1), planned));
        assert!(
            matches!(events().last(), Some(Event::EquivocationReported { offender: 3, session, .. }) if *session == ended_in + 1)
        );
        next_session();
        assert_eq!(
            sets.each_ref().map(status),
            [EvidenceStatus::NotSlashable; 2]
        );
    });
}

/// ACTIVE-3: the sets were ended long ago.
#[test]
fn a_second_activation_that_is_called_off_makes_no_ended_set_punishable_anew() {
    with(&[1, 2], || {
        deactivate();
        let ended_in = Session::current_index();
        sessions(SlashableSessions::get() + 2);
        activate(System::block_number() + 100);
        deactivate();
        assert_eq!(events().last(), Some(&Event::Deactivated { ended: None }));
        assert!(Ended::<Test>::get());
        let ended = Sets::<Test>::get(SetId::FIRST).expect("it is remembered");
        assert_eq!(ended.last_session, Some(ended_in));
        let evidence = evidence(&TestSet::new(0, [1, 2]), 1, BlockNumber::new(1));
        let status = Duet::evidence_status(&evidence);
        assert_eq!(status, EvidenceStatus::NotSlashable);
    });
}

/// ACTIVE-4: an activation leaves the sets as the deactivation recorded them.
#[test]
fn an_activation_again_does_not_make_ended_sets_punishable_for_longer() {
    with(&[1, 2], || {
        deactivate();
        let ended_in = Session::current_index();
        sessions(2);
        let at = System::block_number() + 1;
        activate(at);
        go_to(at);
        finalize();
        assert_eq!(ids(), Some((1, 1)));
        let ended = Sets::<Test>::get(SetId::FIRST).expect("it is remembered");
        assert_eq!(ended.last_session, Some(ended_in));
    });
}

/// ACTIVE-3, RESET-1.
#[test]
fn a_chain_that_is_deactivated_has_nothing_to_reset() {
    with(&[1, 2], || {
        deactivate();
        assert_noop!(
            Duet::reset(RuntimeOrigin::root()),
            Error::<Test>::NoSetToReset
        );
    });
}

/// ACTIVE-3.
#[test]
fn a_set_in_the_making_is_dropped_when_the_chain_is_deactivated() {
    with(&[1, 2, 3], || {
        ValidatorsPerBlock::set(2);
        register(4);
        Elected::set(vec![1, 2, 3, 4]);
        next_session();
        assert!(Draft::<Test>::exists());
        deactivate();
        assert!(!Draft::<Test>::exists());
        next_block();
        finalize();
        assert_eq!(ids(), Some((0, 0)));
    });
}

/// ACTIVE-4.
#[test]
fn a_chain_that_is_activated_again_begins_as_after_a_reset() {
    with(&[1, 2], || {
        register(3);
        Elected::set(vec![1, 2, 3]);
        next_session();
        assert_eq!(ids(), Some((0, 1)), "a set is planned that never signs");
        deactivate();
        sessions(2);
        let at = System::block_number() + 2;
        activate(at);
        go_to(at);
        assert_eq!(Duet::commitment_payload(), None);
        let set = commitment(2, [1, 2, 3]);
        let ended = SetId::FIRST;
        let expected = ConsensusLog::Reset {
            ended,
            set: set.clone(),
        };
        assert_eq!(announced().first(), Some(&expected));
        assert_eq!(ids(), Some((2, 2)));
        let payload = Duet::commitment_payload().expect("a set signs");
        assert_eq!(payload.next, set);
        assert!(!Ended::<Test>::get());
        register(4);
        Elected::set(vec![1, 2, 3, 4]);
        let planned = next_session();
        assert_eq!(
            planned,
            [ConsensusLog::Planned(commitment(3, [1, 2, 3, 4]))],
            "sets rotate as before"
        );
    });
}

/// ACTIVE-4, CHAIN-6.
#[test]
fn an_activation_again_is_tried_until_there_are_enough_keys() {
    with(&[1, 2, 3], || {
        MinParticipation::set(Perbill::from_rational(2u32, 3));
        deactivate();
        for gone in [1, 2] {
            assert_ok!(Duet::deregister_keys(RuntimeOrigin::signed(gone)));
        }
        let at = System::block_number() + 1;
        activate(at);
        go_to(at);
        let refused = |event: &Event<Test>| matches!(event, Event::ResetRefused { .. });
        assert_eq!(announced(), []);
        assert!(events().iter().any(refused));
        assert_eq!(next_session(), []);
        assert!(events().iter().any(refused), "each session tries again");
        crate::mock::register_key_of(11, 1);
        let logs = next_session();
        assert!(
            matches!(&logs[..], [ConsensusLog::Reset { set, .. }, _] if set.id == SetId::new(1)),
            "{logs:?}"
        );
    });
}

/// ACTIVE-4, CHAIN-8: a session that starts meanwhile does not begin anew.
#[test]
fn a_large_set_is_made_once_when_the_chain_is_activated_again() {
    with(&[1, 2, 3, 4, 5], || {
        ValidatorsPerBlock::set(1);
        deactivate();
        let at = System::block_number() + 1;
        activate(at);
        go_to(at);
        finalize();
        let mut resets = 0;
        for _ in 0..12 {
            next_block();
            let is_reset = |log: &ConsensusLog| matches!(log, ConsensusLog::Reset { .. });
            resets += announced().iter().filter(|log| is_reset(log)).count();
        }
        assert_eq!((resets, ids()), (1, Some((1, 1))));
    });
}

/// ACTIVE-1: what version 1 of the storage did not know.
#[test]
fn a_chain_that_had_the_pallet_before_stays_active() {
    with(&[1, 2], || {
        ActiveFrom::<Test>::kill();
        StorageVersion::new(1).put::<Pallet<Test>>();
        V1ToV2::<Test>::on_runtime_upgrade();
        assert_eq!(ActiveFrom::<Test>::get(), Some(0));
        assert_eq!(Duet::on_chain_storage_version(), StorageVersion::new(2));
    });
}

/// ACTIVE-1.
#[test]
fn a_chain_that_adds_the_pallet_now_waits() {
    on(inactive(&[1, 2]), || {
        V1ToV2::<Test>::on_runtime_upgrade();
        assert_eq!(ActiveFrom::<Test>::get(), None);
    });
}
