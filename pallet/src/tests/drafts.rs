//! CHAIN-8: sets of more validators than one block looks at.

use crate::{
    blocks,
    mock::{
        events, genesis, key, logs, next_block, on, register, register_key_of, sessions, with,
        AwaitHandoff, Duet, Elected, MaxValidators, MinParticipation, RuntimeOrigin, Session,
        SlashableSessions, System, Test, ValidatorsPerBlock,
    },
    rotation, Chores, Draft, DraftParts, ElectedFor, Event, KeptReason, KeyOwners, KeyStatus,
    OpenChores, Purpose, WeightInfo,
};
use duet_primitives::{
    testing::TestSet, ConsensusLog, DualKeyBytes, Keysets, SetId, Share, VotingRules,
};
use frame_support::{
    assert_ok,
    dispatch::GetDispatchInfo,
    traits::{Get, Hooks},
    weights::RuntimeDbWeight,
};
use sp_runtime::{DigestItem, Perbill};

type Weights = <Test as crate::Config>::WeightInfo;

/// A whole block; returns what its header says of sets.
fn block() -> Vec<ConsensusLog> {
    next_block();
    Duet::on_finalize(System::block_number());
    assert_eq!(crate::invariants::check::<Test>(), Ok(()));
    let mut logs = logs();
    logs.retain(|log| !matches!(log, ConsensusLog::Payload(_)));
    logs
}

/// The next block in which a session starts.
fn session() -> Vec<ConsensusLog> {
    let session = Session::current_index();
    loop {
        let logs = block();
        if Session::current_index() != session {
            return logs;
        }
    }
}

/// Blocks until no set is in the making; returns how many, and what the last header says.
fn finish() -> (u32, Vec<ConsensusLog>) {
    let (mut blocks, mut logs) = (0, Vec::new());
    while Draft::<Test>::exists() {
        logs = block();
        blocks += 1;
    }
    (blocks, logs)
}

fn set(id: u64, members: impl IntoIterator<Item = u64>) -> duet_primitives::KeysetCommitment {
    TestSet::new(id, members).set.commitment().clone()
}

fn planned(id: u64, members: impl IntoIterator<Item = u64>) -> ConsensusLog {
    ConsensusLog::Planned(set(id, members))
}

fn sets() -> Keysets {
    Duet::keysets().expect("there are sets")
}

fn sorted(members: &[u64]) -> Vec<DualKeyBytes> {
    let mut keys: Vec<_> = members.iter().copied().map(key).collect();
    keys.sort();
    keys
}

/// A chain with set 0, whose next session begins to make one of the validators 1 to 5, by two in each block.
fn five_by_two(test: impl FnOnce()) {
    with(&[1, 2], || {
        (3..=5).for_each(register);
        Elected::set(vec![4, 1, 5, 2, 3]);
        ValidatorsPerBlock::set(2);
        assert_eq!(session(), []);
        test();
    });
}

#[test]
fn more_validators_than_a_block_looks_at_take_the_next_blocks() {
    five_by_two(|| {
        let begun = Event::SetDrafted {
            purpose: Purpose::Successor,
            session: 2,
            validators: 5,
            blocks: 4,
        };
        assert_eq!(events(), [begun]);
        for (taken, members) in [(1, 2), (2, 4), (3, 5)] {
            assert_eq!(block(), []);
            let draft = Draft::<Test>::get().expect("it goes on");
            assert_eq!((draft.taken, draft.tally.members), (taken, members));
            assert_eq!(sets(), Keysets::without_successor(set(0, [1, 2])));
        }
        assert_eq!(block(), [planned(1, 1..=5)]);
        // CHAIN-7: what is signed about the block says that the set is planned.
        let payload = Duet::commitment_payload().expect("a set signs");
        assert_eq!(payload.next, set(1, 1..=5));
        assert!(logs().contains(&ConsensusLog::Payload(payload.hash())));
        let event = Event::SetPlanned {
            id: SetId::new(1),
            len: 5,
            // Session 2 began meanwhile.
            session: 3,
        };
        assert_eq!(events(), [event]);
        assert_eq!(sets().next, set(1, 1..=5));
        assert_eq!(Duet::next_keys(), sorted(&[1, 2, 3, 4, 5]));
        assert_eq!(ElectedFor::<Test>::get().1, 2);
        assert_eq!(Draft::<Test>::get(), None);
        assert_eq!(DraftParts::<Test>::iter().count(), 0);

        assert_eq!(session(), [ConsensusLog::Activated(SetId::new(1))]);
        assert_eq!(Duet::current_keys(), sorted(&[1, 2, 3, 4, 5]));
    });
}

/// The new code may read another payload than the header names: then nobody signs the block.
#[test]
fn the_block_of_an_upgrade_plans_no_successor_and_the_next_one_does() {
    five_by_two(|| {
        for _ in 0..3 {
            assert_eq!(block(), []);
        }
        next_block();
        System::deposit_log(DigestItem::RuntimeEnvironmentUpdated);
        Duet::on_finalize(System::block_number());
        assert_eq!(logs().len(), 1, "the payload");
        assert_eq!(sets(), Keysets::without_successor(set(0, [1, 2])));
        assert_eq!(block(), [planned(1, 1..=5)]);
    });
}

/// As when the scheduler upgrades the runtime before the session changes.
#[test]
fn a_session_that_starts_after_an_upgrade_in_one_block_leaves_the_planning_to_the_next_blocks() {
    with(&[1, 2], || {
        register(3);
        Elected::set(vec![1, 2, 3]);
        next_block();
        System::deposit_log(DigestItem::RuntimeEnvironmentUpdated);
        rotation::rotate::<Test>([1, 2].iter(), [1, 2, 3].iter());
        Duet::on_finalize(System::block_number());
        assert_eq!(sets(), Keysets::without_successor(set(0, [1, 2])));
        assert_eq!(finish(), (2, vec![planned(1, 1..=3)]));
    });
}

#[test]
fn a_set_is_the_same_whatever_a_block_looks_at() {
    for per_block in 1..=6 {
        with(&[1, 2], || {
            (3..=5).for_each(register);
            Elected::set(vec![5, 3, 9, 1, 2, 4]);
            MaxValidators::set(4);
            ValidatorsPerBlock::set(per_block);
            let mut logs = session();
            let mut left_out = events();
            let mut blocks = 0;
            while Draft::<Test>::exists() {
                logs = block();
                left_out.extend(events());
                blocks += 1;
            }
            let expected = if per_block == 6 {
                0
            } else {
                6_u32.div_ceil(per_block) + 1
            };
            assert_eq!(blocks, expected, "{per_block}");
            assert_eq!(logs, [planned(1, [5, 3, 1, 2])], "{per_block}");
            left_out.retain(|event| {
                matches!(
                    event,
                    Event::ValidatorsLeftOut { .. } | Event::SetTruncated { .. }
                )
            });
            let session = 2;
            let [without_key, without_room] = left_out.try_into().expect("two are left out");
            let validators = vec![9];
            assert_eq!(
                without_key,
                Event::ValidatorsLeftOut {
                    session,
                    validators
                }
            );
            let (limit, left_out) = (4, 1);
            assert_eq!(
                without_room,
                Event::SetTruncated {
                    session,
                    limit,
                    left_out
                }
            );
        });
    }
}

#[test]
fn a_session_that_starts_meanwhile_lets_the_set_in_the_making_be_finished() {
    five_by_two(|| {
        block();
        block();
        Elected::set(vec![1, 3]);
        assert_eq!(Session::current_index(), 1);
        assert_eq!(block(), []);
        assert_eq!(Session::current_index(), 2);
        assert_eq!(events(), []);
        assert_eq!(block(), [planned(1, 1..=5)]);
        // The sessions whose validators were not looked at have their turn when nothing is in the making.
        assert_eq!(
            session(),
            [ConsensusLog::Activated(SetId::new(1)), planned(2, [1, 3])]
        );
    });
}

/// HANDOFF-5: what took its time does not make the signing set expire.
#[test]
fn a_set_whose_members_are_validators_goes_on_while_another_one_is_in_the_making() {
    with(&[1, 2], || {
        (3..=6).for_each(register);
        Elected::set(vec![1, 2, 3, 4, 5, 6]);
        ValidatorsPerBlock::set(1);
        MaxValidators::set(10);
        SlashableSessions::set(1);
        session();
        for _ in 0..6 {
            block();
            assert!(Duet::commitment_payload().is_some());
        }
        assert!(Session::current_index() >= 3);
        assert_eq!(block(), [planned(1, 1..=6)]);
    });
}

#[test]
fn a_set_that_is_planned_with_the_first_block_of_a_session_waits_for_the_next_one() {
    with(&[1, 2], || {
        (3..=4).for_each(register);
        Elected::set(vec![1, 2, 3, 4]);
        ValidatorsPerBlock::set(2);
        session();
        // Two blocks look, and the last one starts a session.
        block();
        block();
        assert_eq!(Session::current_index(), 1);
        assert_eq!(block(), [planned(1, 1..=4)]);
        assert_eq!(Session::current_index(), 2);
        assert_eq!(sets().current.id, SetId::new(0));
        assert_eq!(session(), [ConsensusLog::Activated(SetId::new(1))]);
    });
}

#[test]
fn a_planned_set_that_took_many_blocks_waits_for_its_handoff() {
    five_by_two(|| {
        AwaitHandoff::set(true);
        assert_eq!(finish().1, [planned(1, 1..=5)]);
        assert_eq!(session(), []);
        assert!(matches!(events()[..], [Event::SetWaits { .. }]));
        assert_eq!(Draft::<Test>::get(), None);
    });
}

/// CHAIN-1, CHAIN-3, EQV-6.
#[test]
fn a_key_that_was_looked_at_stays_and_one_that_was_not_is_as_it_is_then() {
    five_by_two(|| {
        // Looks at 4 and 1; 5 and 2 are next, and 3 is the last.
        block();
        for leaving in [4, 3] {
            assert_ok!(Duet::deregister_keys(RuntimeOrigin::signed(leaving)));
        }
        register_key_of(15, 5);
        let last_set = SetId::new(1);
        let status = |of: u64| KeyOwners::<Test>::get(key(of).pk1()).map(|owner| owner.status);
        assert_eq!(status(4), Some(KeyStatus::Retired { last_set }));
        // Never in a set, and never looked at.
        assert_eq!((status(3), status(5)), (None, None));
        assert_eq!(finish().1, [planned(1, [1, 2, 4, 15])]);
        assert_eq!(status(15), Some(KeyStatus::Enlisted));

        // The drafted set signs, so its key is remembered as long as it can be punished.
        session();
        sessions(1 + SlashableSessions::get());
        assert_eq!(status(4), Some(KeyStatus::Retired { last_set }));
    });
}

/// CHAIN-6.
#[test]
fn too_few_keys_for_the_floor_keep_the_set_when_all_were_looked_at() {
    with(&[1, 2], || {
        MinParticipation::set(Perbill::from_rational(2u32, 3));
        register(3);
        Elected::set(vec![1, 2, 8, 3, 9]);
        ValidatorsPerBlock::set(3);
        session();
        block();
        assert_ok!(Duet::deregister_keys(RuntimeOrigin::signed(1)));
        block();
        // Between the last look and the end of it.
        assert_ok!(Duet::deregister_keys(RuntimeOrigin::signed(3)));
        assert_eq!(block(), []);
        let needed = Share {
            in_set: 3,
            elected: 5,
            needed: 4,
        };
        let kept = Event::SetKept {
            session: 2,
            id: SetId::new(0),
            reason: KeptReason::TooFewValidators(needed),
        };
        assert_eq!(events(), [kept]);
        assert_eq!(sets(), Keysets::without_successor(set(0, [1, 2])));
        // Members 1 and 2 are validators of session 2, and of session 3, which was asked about meanwhile.
        assert_eq!(ElectedFor::<Test>::get().0, 3);

        // This one may be in set 0 only, and is queued behind those that might have been in set 1.
        assert_ok!(Duet::deregister_keys(RuntimeOrigin::signed(2)));
        assert_eq!(crate::invariants::check::<Test>(), Ok(()));
    });
}

/// SET-1.
#[test]
fn a_validator_that_a_session_lists_twice_is_in_the_set_once() {
    for per_block in [2, 20] {
        with(&[1, 2], || {
            register(3);
            ValidatorsPerBlock::set(per_block);
            let listed = [1, 3, 2, 3];
            rotation::rotate::<Test>(listed.iter(), listed.iter());
            while Draft::<Test>::exists() {
                block();
            }
            assert_eq!(sets().next, set(1, 1..=3), "{per_block}");
            assert_eq!(crate::invariants::check::<Test>(), Ok(()));
        });
    }
}

#[test]
fn keys_that_stay_the_same_make_no_other_set() {
    with(&[1, 2, 3, 4, 5], || {
        ValidatorsPerBlock::set(2);
        Elected::set(vec![5, 4, 3, 2, 1]);
        session();
        assert_eq!(finish(), (4, vec![]));
        assert_eq!(events(), []);
        assert_eq!(sets(), Keysets::without_successor(set(0, 1..=5)));
        // Session 2 began meanwhile, and its validators for session 3 are the same.
        assert_eq!(ElectedFor::<Test>::get(), (3, 3));
    });
}

#[test]
fn a_chain_that_adopts_duet_founds_its_first_set_over_several_blocks() {
    on(genesis(&[1, 2, 3], 0), || {
        (1..=3).for_each(register);
        ValidatorsPerBlock::set(2);
        assert_eq!(session(), []);
        assert_eq!(Duet::keysets(), None);
        let (blocks, logs) = finish();
        assert_eq!(blocks, 3);
        assert_eq!(logs, [ConsensusLog::Activated(SetId::FIRST)]);
        assert_eq!(sets(), Keysets::without_successor(set(0, 1..=3)));
        // The session that started meanwhile waited.
        assert_eq!(Session::current_index(), 2);
    });
}

#[test]
fn a_first_set_below_the_floor_is_tried_again_in_the_next_session() {
    on(genesis(&[1, 2, 3], 0), || {
        MinParticipation::set(Perbill::from_rational(2u32, 3));
        register(1);
        ValidatorsPerBlock::set(2);
        session();
        finish();
        assert!(matches!(events()[..], [Event::SetNotFounded { .. }]));
        assert_eq!(Duet::keysets(), None);
        (2..=3).for_each(register);
        session();
        assert_eq!(finish().1, [ConsensusLog::Activated(SetId::FIRST)]);
    });
}

/// RESET-1, RESET-2.
#[test]
fn a_reset_of_many_validators_takes_the_next_blocks() {
    with(&[1, 2, 3, 4, 5], || {
        ValidatorsPerBlock::set(2);
        register_key_of(11, 1);
        next_block();
        let done = Duet::reset(RuntimeOrigin::root()).expect("it begins");
        assert_eq!(done.actual_weight, None);
        assert_eq!(sets(), Keysets::without_successor(set(0, 1..=5)));
        let (blocks, logs) = finish();
        assert_eq!(blocks, 4);
        let new = set(1, [11, 2, 3, 4, 5]);
        let ended = SetId::new(0);
        let reset = ConsensusLog::Reset {
            ended,
            set: new.clone(),
        };
        assert_eq!(logs, [reset, ConsensusLog::Rules(VotingRules::default())]);
        assert_eq!(sets(), Keysets::without_successor(new));
        // Those of session 0 were asked.
        assert_eq!(Session::current_index(), 2);
        assert_eq!(ElectedFor::<Test>::get(), (0, 0));
    });
}

#[test]
fn a_reset_that_ends_below_the_floor_is_refused_with_an_event() {
    with(&[1, 2, 3, 4, 5], || {
        MinParticipation::set(Perbill::from_rational(2u32, 3));
        ValidatorsPerBlock::set(2);
        assert_ok!(Duet::reset(RuntimeOrigin::root()));
        for leaving in 1..=3 {
            assert_ok!(Duet::deregister_keys(RuntimeOrigin::signed(leaving)));
        }
        assert_eq!(finish().1, []);
        let share = Share {
            in_set: 2,
            elected: 5,
            needed: 4,
        };
        assert!(Session::current_index() > 0);
        let refused = Event::ResetRefused {
            session: 0,
            reason: KeptReason::TooFewValidators(share),
        };
        assert!(events().contains(&refused));
        assert_eq!(sets(), Keysets::without_successor(set(0, 1..=5)));
    });
}

#[test]
fn a_reset_drops_the_set_that_is_in_the_making() {
    five_by_two(|| {
        block();
        // Two validators are in this session: one block is enough.
        assert_ok!(Duet::reset(RuntimeOrigin::root()));
        assert_eq!(Draft::<Test>::get(), None);
        assert_eq!(DraftParts::<Test>::iter().count(), 0);
        assert_eq!(sets().current, set(1, [1, 2]));
        assert_eq!(ElectedFor::<Test>::get(), (1, 1));

        // The next session has five: they are looked at anew.
        session();
        block();
        assert_ok!(Duet::reset(RuntimeOrigin::root()));
        // Again, with fewer parts: the first ones are gone.
        ValidatorsPerBlock::set(3);
        assert_ok!(Duet::reset(RuntimeOrigin::root()));
        let draft = Draft::<Test>::get().expect("it begins");
        assert_eq!((draft.purpose, draft.taken), (Purpose::Reset, 0));
        assert_eq!(crate::invariants::check::<Test>(), Ok(()));
        let (_, logs) = finish();
        assert!(matches!(&logs[0], ConsensusLog::Reset { set: new, .. } if *new == set(2, 1..=5)));
    });
}

#[test]
fn a_planned_set_may_take_over_while_a_reset_is_in_the_making() {
    five_by_two(|| {
        finish();
        ValidatorsPerBlock::set(1);
        block();
        assert_ok!(Duet::reset(RuntimeOrigin::root()));
        assert_ok!(Duet::deregister_keys(RuntimeOrigin::signed(3)));
        let owner = KeyOwners::<Test>::get(key(3).pk1()).expect("it is remembered");
        let last_set = SetId::new(2);
        assert_eq!(owner.status, KeyStatus::Retired { last_set });
        let mut seen = Vec::new();
        while Draft::<Test>::exists() {
            seen.extend(block());
        }
        let (activated, ended) = (SetId::new(1), SetId::new(1));
        let new = set(2, [1, 2, 4, 5]);
        let rules = ConsensusLog::Rules(VotingRules::default());
        let reset = ConsensusLog::Reset { ended, set: new };
        assert_eq!(seen, [ConsensusLog::Activated(activated), reset, rules]);
    });
}

#[test]
fn each_block_is_charged_for_what_it_does() {
    five_by_two(|| {
        let db: RuntimeDbWeight = <Test as frame_system::Config>::DbWeight::get();
        let read = db.reads(1);
        let always = Weights::announce_payload().saturating_add(read);
        let mut charged = Vec::new();
        while Draft::<Test>::exists() {
            System::set_block_number(System::block_number() + 1);
            charged.push(Duet::on_initialize(System::block_number()));
            blocks::finish_draft::<Test>();
        }
        let expected = [
            Weights::draft_part(2),
            Weights::draft_part(2),
            Weights::draft_part(1),
            Weights::finish_draft(5, 3),
        ];
        assert_eq!(charged, expected.map(|step| always.saturating_add(step)));

        Chores::<Test>::put(OpenChores {
            settles: true,
            forgets: true,
        });
        let expected = always
            .saturating_add(read)
            .saturating_add(Weights::settle_members(0))
            .saturating_add(Weights::forget_keys(0));
        assert_eq!(Duet::on_initialize(System::block_number()), expected);
        let idle = always.saturating_add(read);
        assert_eq!(Duet::on_initialize(System::block_number()), idle);
    });
}

#[test]
fn a_reset_is_charged_for_the_most_that_one_block_does() {
    MaxValidators::set(1_000);
    let call = crate::Call::<Test>::reset {};
    for (per_block, most) in [
        (2_000, Weights::reset(1_000)),
        (1_000, Weights::reset(1_000)),
        (1, Weights::reset(1).max(Weights::begin_draft(1_000, 1_000))),
    ] {
        ValidatorsPerBlock::set(per_block);
        assert!(
            call.get_dispatch_info().call_weight.all_gte(most),
            "{per_block}"
        );
    }
}

/// ACTIVE-3: it may drop the largest set while that is in the making.
#[test]
fn a_deactivation_is_charged_for_all_parts_of_the_largest_set() {
    MaxValidators::set(1_000);
    let call = crate::Call::<Test>::deactivate {};
    for (per_block, parts) in [(2_000, 1), (1_000, 1), (300, 4), (1, 1_000)] {
        ValidatorsPerBlock::set(per_block);
        assert_eq!(
            call.get_dispatch_info().call_weight,
            Weights::deactivate(parts),
            "{per_block}"
        );
    }
}

#[test]
#[should_panic(expected = "CHAIN-8: ValidatorsPerBlock is zero")]
fn blocks_that_look_at_nobody_fail_the_integrity_test() {
    ValidatorsPerBlock::set(0);
    Duet::integrity_test();
}

#[test]
#[should_panic(expected = "CHAIN-8: the start of a session takes")]
fn blocks_that_look_at_too_many_fail_the_integrity_test() {
    // A quarter of a block.
    MaxValidators::set(400);
    ValidatorsPerBlock::set(400);
    Duet::integrity_test();
}
