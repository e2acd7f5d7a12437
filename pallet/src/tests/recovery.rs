use crate::{
    mock::{
        events, evidence, genesis, key, logs, next_block, next_session, on, register,
        register_key_of, sessions, with, Duet, Elected, MinParticipation, Punished, RuntimeOrigin,
        Session, SlashableSessions, Stakes, System, Test,
    },
    Error, Event, KeyOwners, KeyStatus, SetRecord, Sets, WeightInfo,
};
use duet_primitives::{
    testing::TestSet, BlockNumber, ConsensusLog, DualKeyBytes, KeysetCommitment, SetId, VotingRules,
};
use frame_support::{assert_noop, assert_ok, dispatch::GetDispatchInfo};
use sp_runtime::{DispatchError, Perbill};

fn commitment(id: u64, members: impl IntoIterator<Item = u64>) -> KeysetCommitment {
    TestSet::new(id, members).set.commitment().clone()
}

fn ids() -> (u64, u64) {
    let sets = Duet::keysets().expect("there are sets");
    (sets.current.id.get(), sets.next.id.get())
}

fn last_session(id: u64) -> Option<Option<u32>> {
    Sets::<Test>::get(SetId::new(id)).map(|set| set.last_session)
}

fn reset() {
    assert_ok!(Duet::reset(RuntimeOrigin::root()));
}

/// RESET-1.
#[test]
fn a_reset_starts_a_set_of_the_keys_that_are_registered_now() {
    with(&[1, 2, 3, 4], || {
        register_key_of(11, 1);
        register_key_of(12, 2);
        next_block();
        reset();
        let set = commitment(1, [11, 12, 3, 4]);
        let sets = Duet::keysets().expect("there are sets");
        assert_eq!((&sets.current, &sets.next), (&set, &set));
        let mut keys: Vec<DualKeyBytes> = [11, 12, 3, 4].map(key).into();
        keys.sort();
        assert_eq!(Duet::current_keys(), keys);
        assert_eq!(Duet::next_keys(), keys);
        let payload = Duet::commitment_payload().expect("there are sets");
        assert_eq!(payload.validator_set_id, set.id);
        assert_eq!(payload.next, set);
        let ended = SetId::new(0);
        assert_eq!(
            logs(),
            [
                ConsensusLog::Reset {
                    ended,
                    set: set.clone()
                },
                ConsensusLog::Rules(VotingRules::default()),
            ]
        );
        let (id, len, session) = (set.id, 4, Session::current_index());
        assert_eq!(
            events().last(),
            Some(&Event::SetsReset {
                ended,
                id,
                len,
                session
            })
        );
        let owner = KeyOwners::<Test>::get(key(11).pk1()).expect("it is registered");
        assert_eq!(owner.status, KeyStatus::Enlisted);
    });
}

#[test]
fn nobody_but_the_origin_of_resets_may_reset() {
    with(&[1, 2], || {
        for origin in [RuntimeOrigin::signed(1), RuntimeOrigin::none()] {
            assert_noop!(Duet::reset(origin), DispatchError::BadOrigin);
        }
    });
}

/// RESET-1.
#[test]
fn a_set_that_was_planned_never_signs_and_gives_its_id_to_nobody() {
    with(&[1, 2], || {
        register(3);
        Elected::set(vec![1, 2, 3]);
        next_session();
        assert_eq!(ids(), (0, 1));
        let session = Session::current_index();
        reset();
        assert_eq!(ids(), (2, 2));
        assert_eq!(last_session(0), Some(Some(session)));
        assert_eq!(last_session(1), Some(Some(session)));
        assert_eq!(last_session(2), Some(None));
        // The validators of this session are still 1 and 2; 3 comes with the next set.
        assert_eq!(Duet::current_keys().len(), 2);
        let planned = next_session();
        assert_eq!(planned, [ConsensusLog::Planned(commitment(3, [1, 2, 3]))]);
        assert_eq!(
            next_session(),
            [ConsensusLog::Activated(SetId::new(3))],
            "sets rotate on as before"
        );
    });
}

/// RESET-1, RESET-2.
#[test]
fn two_resets_in_one_session_are_two_sets_and_a_block_has_one() {
    with(&[1, 2], || {
        reset();
        refused(Error::AlreadyReset);
        next_block();
        reset();
        assert_eq!(ids(), (2, 2));
        sessions(2);
        assert_eq!(ids(), (2, 2));
    });
}

/// RESET-3.
#[test]
fn the_sets_that_a_reset_ended_are_punished_and_then_forgotten() {
    with(&[1, 2], || {
        SlashableSessions::set(2);
        sessions(1);
        register(3);
        Elected::set(vec![1, 2, 3]);
        next_session();
        let (session, block) = (Session::current_index(), System::block_number());
        reset();
        let ended = TestSet::new(0, [1, 2]);
        let block = BlockNumber::new(u32::try_from(block).unwrap());
        // A set that never signed is no excuse. Account 3 has no stake before the session of that set.
        let never = TestSet::new(1, [1, 2, 3]);
        let early = Box::new(evidence(&never, 3, block));
        let refused = Duet::report_equivocation(RuntimeOrigin::signed(9), early);
        let not_yet = Error::<Test>::SetNotActive.into();
        assert_eq!(refused.map_err(|err| err.error), Err(not_yet));
        next_session();
        assert_ok!(Duet::report_equivocation(
            RuntimeOrigin::signed(9),
            Box::new(evidence(&ended, 1, block))
        ));
        assert_ok!(Duet::report_equivocation(
            RuntimeOrigin::signed(9),
            Box::new(evidence(&never, 3, block))
        ));
        let punished: Vec<_> = Punished::get()
            .iter()
            .map(|(who, _, _, session)| (*who, *session))
            .collect();
        assert_eq!(punished, [(1, session), (3, session + 1)]);
        sessions(2);
        assert_eq!((last_session(0), last_session(1)), (None, None));
        let evidence = Box::new(evidence(&ended, 2, block));
        assert_eq!(
            Duet::report_equivocation(RuntimeOrigin::signed(9), evidence).map_err(|e| e.error),
            Err(Error::<Test>::SetNotSlashable.into())
        );
    });
}

/// CHAIN-6 holds for a reset, too.
#[test]
fn a_reset_below_the_floor_is_refused_and_changes_nothing() {
    with(&[1, 2, 3, 4], || {
        MinParticipation::set(Perbill::from_rational(2u32, 3));
        for gone in [1, 2] {
            assert_ok!(Duet::deregister_keys(RuntimeOrigin::signed(gone)));
        }
        refused(Error::ResetBelowFloor);
        register_key_of(12, 2);
        reset();
        assert_eq!(ids(), (1, 1));
        next_block();
        Stakes::set([(1, 10), (2, 1), (3, 1), (4, 1)].into());
        refused(Error::ResetBelowFloor);
    });
}

#[test]
fn a_reset_without_any_key_is_refused() {
    with(&[1, 2], || {
        for gone in [1, 2] {
            assert_ok!(Duet::deregister_keys(RuntimeOrigin::signed(gone)));
        }
        refused(Error::ResetWithoutKeys);
    });
}

#[test]
fn a_chain_without_a_set_has_nothing_to_reset() {
    on(genesis(&[1, 2], 0), || refused(Error::NoSetToReset));
}

#[test]
fn a_reset_pays_for_the_set_that_it_made_and_no_more() {
    with(&[1, 2, 3], || {
        let declared = crate::Call::<Test>::reset {}
            .get_dispatch_info()
            .call_weight;
        let done = Duet::reset(RuntimeOrigin::root()).expect("root may");
        let weight = <Test as crate::Config>::WeightInfo::reset(3);
        assert_eq!(done.actual_weight, Some(weight));
        assert!(declared.all_gt(weight), "five members are the most");
    });
}

#[test]
fn the_records_of_sets_are_those_of_the_reset() {
    with(&[1, 2], || {
        reset();
        let record = |id, members: [u64; 2], last_session| SetRecord {
            commitment: commitment(id, members),
            last_session,
        };
        assert_eq!(
            Sets::<Test>::get(SetId::new(0)),
            Some(record(0, [1, 2], Some(0)))
        );
        assert_eq!(
            Sets::<Test>::get(SetId::new(1)),
            Some(record(1, [1, 2], None))
        );
    });
}

fn refused(error: Error<Test>) {
    assert_noop!(Duet::reset(RuntimeOrigin::root()), error);
}
