//! Proofs that cannot both be true.

use crate::{mock::*, Contradicted, Error, Event, Followed, ImportedHeaders};
use bp_header_chain::HeaderChain;
use duet_light_client::Conflict;
use duet_primitives::StatelessProof;
use frame_support::{
    assert_noop, assert_ok,
    dispatch::{DispatchResultWithPostInfo, Pays},
};

fn submit(header: &Header, proof: StatelessProof) -> DispatchResultWithPostInfo {
    BridgeDuet::submit_finality_proof(
        RuntimeOrigin::signed(RELAYER),
        Box::new(header.clone()),
        Box::new(proof),
    )
}

fn report(first: &StatelessProof, second: &StatelessProof) -> DispatchResultWithPostInfo {
    BridgeDuet::report_misbehaviour(
        RuntimeOrigin::signed(RELAYER),
        Box::new(first.clone()),
        Box::new(second.clone()),
    )
}

#[test]
fn two_proofs_of_one_number_stop_the_pallet_until_the_owner_decides() {
    check(following(), || {
        let first = set(0);
        let (one, other) = (header(11, 1), header(11, 2));
        let proofs = [&one, &other].map(|header| proof(&first, header, &first));
        assert_ok!(submit(&one, proofs[0].clone()));
        let known = || BridgeDuet::finalized_header_state_root(one.hash());
        assert!(known().is_some());

        let done = report(&proofs[0], &proofs[1]).unwrap();
        assert_eq!(done.pays_fee, Pays::No);
        System::assert_last_event(
            Event::ContradictionProven {
                conflict: Conflict::SameBlock,
                proofs: proofs.to_vec(),
            }
            .into(),
        );
        assert_eq!(known(), None, "of a chain that forked nothing is said");
        let later = header(12, 1);
        let of_later = proof(&first, &later, &first);
        assert_noop!(
            submit(&later, of_later.clone()).map_err(|error| error.error),
            Error::<Test>::Contradicted
        );
        assert_noop!(
            report(&proofs[0], &proofs[1]).map_err(|error| error.error),
            Error::<Test>::Contradicted
        );

        // To resume is not to decide.
        let root = RuntimeOrigin::root;
        let normal = bp_runtime::BasicOperatingMode::Normal;
        assert_ok!(BridgeDuet::set_operating_mode(root(), normal));
        assert_eq!(known(), None);
        let keysets = init_data().keysets;
        let decided = Box::new(other.clone());
        // Also what was kept when the ring was larger.
        HeadersToKeep::set(1);
        assert_ok!(BridgeDuet::force_set_pallet_state(root(), keysets, decided));
        assert_eq!(known(), None, "it was forgotten");
        assert_eq!(ImportedHeaders::<Test>::iter().count(), 1);
        assert!(BridgeDuet::finalized_header_state_root(other.hash()).is_some());
        assert_ok!(submit(&later, of_later));
    });
}

#[test]
fn a_successor_that_is_taken_back_or_changed_stops_the_pallet() {
    let first = set(0);
    let other = duet_primitives::testing::TestSet::new(1, 10..14);
    for (next, conflict) in [
        (&first, Conflict::Retraction),
        (&other, Conflict::Successors),
    ] {
        check(following(), || {
            let handoff = header(20, 0);
            assert_ok!(submit(&handoff, proof(&first, &handoff, &set(1))));
            let after = header(21, 0);
            let done = submit(&after, proof(&first, &after, next)).unwrap();
            assert_eq!(done.pays_fee, Pays::No);
            assert_eq!(Contradicted::<Test>::get(), Some(conflict));
            assert_eq!(BridgeDuet::best_finalized().unwrap().number(), 20);
        });
    }
}

#[test]
fn a_set_that_signs_behind_its_successor_stops_the_pallet() {
    check(following(), || {
        let (first, second) = (set(0), set(1));
        let handoff = header(20, 0);
        assert_ok!(submit(&handoff, proof(&first, &handoff, &second)));
        let (early, late) = (header(25, 0), header(26, 0));
        let by_second = proof(&second, &early, &second);
        let by_first = proof(&first, &late, &second);
        assert_ok!(report(&by_second, &by_first));
        assert_eq!(Contradicted::<Test>::get(), Some(Conflict::SetOrder));
    });
}

#[test]
fn honest_proofs_and_forged_ones_stop_nothing() {
    check(following(), || {
        let first = set(0);
        let (one, other, later) = (header(11, 1), header(11, 2), header(12, 1));
        let proofs = [&one, &other, &later].map(|header| proof(&first, header, &first));
        for pair in [(0, 0), (0, 2), (2, 0)] {
            assert_noop!(
                report(&proofs[pair.0], &proofs[pair.1]).map_err(|error| error.error),
                Error::<Test>::NoContradiction
            );
        }
        // Said before any proof is looked at.
        let mut forged = proofs[2].clone();
        forged.justification.commitment.mmr_root = GENESIS;
        assert_noop!(
            report(&proofs[0], &forged).map_err(|error| error.error),
            Error::<Test>::NoContradiction
        );
        let mut forged = proofs[0].clone();
        forged.justification.commitment.block_hash = other.hash();
        for (first, second) in [(&proofs[0], &forged), (&forged, &proofs[0])] {
            assert_noop!(
                report(first, second).map_err(|error| error.error),
                Error::<Test>::InvalidProof(crate::Rule::Just5)
            );
        }
        // A set that nobody handed off to may say what it likes.
        let stranger = set(3);
        let of_stranger = [&one, &other].map(|header| proof(&stranger, header, &stranger));
        assert_noop!(
            report(&of_stranger[0], &of_stranger[1]).map_err(|error| error.error),
            Error::<Test>::HandoffsMissing
        );
        assert_eq!(Contradicted::<Test>::get(), None);
    });
}

/// A forged handoff, which replaces the set, does not make the true handoff too old to be evidence.
#[test]
fn handoffs_of_a_set_that_was_replaced_stop_the_pallet_within_the_trusting_period() {
    let other = duet_primitives::testing::TestSet::new(1, 10..14);
    let (forged, honest) = (header(20, 1), header(20, 2));
    let by_first =
        [(&forged, &set(1)), (&honest, &other)].map(|(header, next)| proof(&set(0), header, next));
    let hand_off = |id: u64| {
        let header = header(20 + u32::try_from(id).unwrap(), 1);
        assert_ok!(submit(&header, proof(&set(id), &header, &set(id + 1))));
    };
    let refused = |by_first: &[StatelessProof; 2]| {
        let refused = report(&by_first[0], &by_first[1]).map_err(|error| error.error);
        assert_noop!(refused, Error::<Test>::OldSet);
    };
    for replaced_by in 1..=4 {
        check(following(), || {
            (0..=replaced_by).for_each(hand_off);
            assert_ok!(report(&by_first[0], &by_first[1]));
            assert_eq!(Contradicted::<Test>::get(), Some(Conflict::SameBlock));
        });
    }
    check(following(), || {
        (0..=5).for_each(hand_off);
        refused(&by_first);
    });
    // The owner may have decided that those sets are of another history.
    check(following(), || {
        (0..=1).for_each(hand_off);
        let keysets = Followed::<Test>::get().unwrap().keysets;
        let block = Box::new(header(30, 1));
        let root = RuntimeOrigin::root();
        assert_ok!(BridgeDuet::force_set_pallet_state(root, keysets, block));
        refused(&by_first);
    });
    check(following(), || {
        (0..=1).for_each(hand_off);
        Now::mutate(|now| *now += TRUSTING_PERIOD);
        hand_off(2);
        assert_ok!(report(&by_first[0], &by_first[1]));
    });
    check(following(), || {
        (0..=1).for_each(hand_off);
        Now::mutate(|now| *now += TRUSTING_PERIOD);
        hand_off(2);
        Now::mutate(|now| *now += 1);
        refused(&by_first);
    });
}
