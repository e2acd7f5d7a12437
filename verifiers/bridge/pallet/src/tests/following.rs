//! Headers by their proofs, from set to set.

use crate::{mock::*, BestFinalized, Error, Followed, ImportedHeaders, InitializationData, Rule};
use bp_header_chain::HeaderChain;
use duet_primitives::{SetId, StatelessProof, H256};
use frame_support::{assert_noop, assert_ok};

type Refusal = Error<Test>;

fn submit(
    header: &Header,
    proof: &StatelessProof,
    set: u64,
) -> Result<(), sp_runtime::DispatchError> {
    BridgeDuet::submit_finality_proof_ex(
        RuntimeOrigin::signed(RELAYER),
        Box::new(header.clone()),
        Box::new(proof.clone()),
        SetId::new(set),
        false,
    )
    .map(drop)
    .map_err(|error| error.error)
}

fn sets() -> (u64, u64) {
    let keysets = Followed::<Test>::get().unwrap().keysets;
    (keysets.current.id.get(), keysets.next.id.get())
}

#[test]
fn a_proven_header_is_known_by_its_state_root() {
    check(following(), || {
        let (first, new) = (set(0), header(11, 3));
        assert_eq!(BridgeDuet::finalized_header_state_root(new.hash()), None);
        assert_ok!(submit(&new, &proof(&first, &new, &first), 0));
        assert_eq!(BridgeDuet::best_finalized().unwrap().hash(), new.hash());
        assert_eq!(
            BridgeDuet::finalized_header_state_root(new.hash()),
            Some(H256::repeat_byte(3))
        );
        assert_eq!(sets(), (0, 0));
    });
}

#[test]
fn sets_hand_off_to_each_other_and_none_is_skipped() {
    check(following(), || {
        let sets_of_chain: Vec<_> = (0..4).map(set).collect();
        for (id, pair) in sets_of_chain.windows(2).enumerate() {
            let id = u64::try_from(id).unwrap();
            let [by, next] = pair else { unreachable!() };
            let number = 20 + 10 * u32::try_from(id).unwrap();
            let mandatory = header(number, 0);
            assert_ok!(submit(
                &mandatory,
                &proof(by, &mandatory, next),
                id.saturating_sub(1)
            ));
            assert_eq!(sets(), (id, id + 1));
            let beyond = set(id + 2);
            let skipping = header(number + 1, 0);
            assert_noop!(
                submit(&skipping, &proof(&beyond, &skipping, &beyond), id),
                Refusal::HandoffsMissing
            );
        }
        // Set 3 signs, and set 1 does not any more.
        let last = header(60, 0);
        assert_ok!(submit(&last, &proof(&set(3), &last, &set(3)), 2));
        assert_eq!(sets(), (3, 3));
        let late = header(61, 0);
        assert_noop!(
            submit(&late, &proof(&set(1), &late, &set(1)), 3),
            Refusal::OldSet
        );
    });
}

#[test]
fn a_header_that_is_not_newer_is_refused() {
    check(following(), || {
        let first = set(0);
        for number in [9, 10] {
            let old = header(number, 1);
            assert_noop!(
                submit(&old, &proof(&first, &old, &first), 0),
                Refusal::OldHeader
            );
        }
    });
}

#[test]
fn a_proof_of_another_header_is_refused() {
    check(following(), || {
        let first = set(0);
        let (proven, other) = (header(11, 1), header(11, 2));
        let proof = proof(&first, &proven, &first);
        assert_noop!(submit(&other, &proof, 0), Refusal::HeaderMismatch);
        // Under another number the header has another hash.
        let mut renumbered = proof;
        renumbered.justification.commitment.block_number = duet_primitives::BlockNumber::new(12);
        assert_noop!(submit(&proven, &renumbered, 0), Refusal::HeaderMismatch);
    });
}

#[test]
fn a_set_that_the_caller_does_not_expect_is_refused_before_the_proof_is_looked_at() {
    check(following(), || {
        let (first, new) = (set(0), header(11, 0));
        assert_noop!(
            submit(&new, &proof(&first, &new, &first), 1),
            Refusal::InvalidAuthoritySetId
        );
    });
}

/// Each mutation of a valid proof breaks one rule, which the error names.
#[test]
fn an_error_names_the_rule_that_a_proof_breaks() {
    type Mutation = fn(&mut StatelessProof);
    let mutations: [(Rule, Mutation); 8] = [
        (Rule::Just2, |proof| {
            proof.justification.signers = duet_primitives::Bitfield::from_indices(
                9,
                (0..4).map(duet_primitives::SignerIndex::new),
            );
        }),
        (Rule::Just3, |proof| {
            proof.justification.signers = duet_primitives::Bitfield::from_bytes(vec![0xff]);
        }),
        (Rule::Just4, |proof| {
            proof.justification.signers = duet_primitives::Bitfield::from_indices(
                4,
                [1, 2].map(duet_primitives::SignerIndex::new),
            );
        }),
        (Rule::Just5, |proof| {
            proof.justification.commitment.mmr_root = H256::repeat_byte(1)
        }),
        (Rule::Just5, |proof| {
            proof.justification.signature = set(1)
                .justify(
                    &duet_primitives::RoundMessage::new(GENESIS, set(1).commitment(1, &set(1).set)),
                    0..4,
                )
                .into_unchecked()
                .signature;
        }),
        (Rule::Stateless1, |proof| proof.non_signers.clear()),
        (Rule::Stateless2, |proof| {
            proof.non_signers[0] = set(0).secrets[1].public().pk1()
        }),
        (Rule::Other, |proof| {
            proof.justification.signature.0 = [0xff; 48]
        }),
    ];
    for (rule, mutate) in mutations {
        check(following(), || {
            let (first, new) = (set(0), header(11, 0));
            let mut proof = proof(&first, &new, &first);
            mutate(&mut proof);
            assert_noop!(submit(&new, &proof, 0), Refusal::InvalidProof(rule));
        });
    }
}

/// The validators signed it, and it is refused all the same.
#[test]
fn a_successor_that_cannot_follow_is_refused() {
    check(following(), || {
        let (first, new) = (set(0), header(11, 0));
        assert_noop!(
            submit(&new, &proof(&first, &new, &set(2)), 0),
            Refusal::InvalidProof(Rule::Light5)
        );
    });
}

#[test]
fn a_set_of_another_chain_is_refused() {
    check(following(), || {
        let (first, new) = (set(0), header(11, 0));
        let message = duet_primitives::RoundMessage::new(
            H256::repeat_byte(8),
            statement(&first, &new, &first),
        );
        let foreign = first.justify(&message, 0..4);
        let foreign = StatelessProof::new(&foreign, first.set.keyset()).unwrap();
        assert_noop!(
            submit(&new, &foreign, 0),
            Refusal::InvalidProof(Rule::Just5)
        );
    });
}

#[test]
fn the_latest_headers_are_kept_and_older_ones_forgotten() {
    check(following(), || {
        let first = set(0);
        for number in 11..=17 {
            let new = header(number, 0);
            assert_ok!(submit(&new, &proof(&first, &new, &first), 0));
        }
        let kept = |number| ImportedHeaders::<Test>::contains_key(header(number, 0).hash());
        let known: Vec<_> = (10..=17).filter(|number| kept(*number)).collect();
        assert_eq!(known, [13, 14, 15, 16, 17]);
    });
}

#[test]
fn nothing_is_taken_before_the_pallet_follows_a_chain_or_while_it_is_halted() {
    check(empty(), || {
        let (first, new) = (set(0), header(11, 0));
        // Genesis without a chain to follow.
        assert_noop!(
            submit(&new, &proof(&first, &new, &first), 0),
            Refusal::NotInitialized
        );
        assert_eq!(BestFinalized::<Test>::get(), None);
    });
}

#[test]
fn the_call_without_expectations_takes_the_same_proofs() {
    check(following(), || {
        let (first, new) = (set(0), header(11, 0));
        let submit = |origin| {
            BridgeDuet::submit_finality_proof(
                origin,
                Box::new(new.clone()),
                Box::new(proof(&first, &new, &first)),
            )
        };
        let by_nobody = submit(RuntimeOrigin::none()).unwrap_err();
        assert_eq!(by_nobody.error, sp_runtime::traits::BadOrigin.into());
        assert_ok!(submit(RuntimeOrigin::signed(RELAYER)));
        assert_eq!(BridgeDuet::best_finalized().unwrap().number(), 11);
    });
}

/// LIGHT-9.
#[test]
fn a_pallet_without_a_header_for_the_trusting_period_takes_none_until_it_is_set_anew() {
    check(following(), || {
        let first = set(0);
        let submit = |number| {
            let header = header(number, 0);
            let proof = Box::new(proof(&first, &header, &first));
            let by = RuntimeOrigin::signed(RELAYER);
            BridgeDuet::submit_finality_proof(by, Box::new(header), proof)
        };
        let wait = |seconds| Now::mutate(|now| *now += seconds);
        wait(TRUSTING_PERIOD);
        assert_ok!(submit(11));
        wait(TRUSTING_PERIOD);
        assert_ok!(submit(12));
        wait(TRUSTING_PERIOD + 1);
        let expired = || {
            assert_noop!(
                submit(13).map_err(|error| error.error),
                Error::<Test>::Expired
            );
        };
        expired();
        // To halt and to resume is not to decide.
        let root = RuntimeOrigin::root;
        let normal = bp_runtime::BasicOperatingMode::Normal;
        assert_ok!(BridgeDuet::set_operating_mode(root(), normal));
        expired();
        let keysets = init_data().keysets;
        let young = Box::new(header(12, 0));
        assert_ok!(BridgeDuet::force_set_pallet_state(root(), keysets, young));
        assert_ok!(submit(13));
    });
}

/// LIGHT-9: a genesis has no time.
#[test]
fn a_pallet_that_follows_from_the_genesis_on_counts_from_the_end_of_the_first_block() {
    let mut ext = empty();
    ext.execute_with(|| {
        System::set_block_number(0);
        assert_ok!(BridgeDuet::initialize(RuntimeOrigin::root(), init_data()));
        let taken = || Followed::<Test>::get().expect("a chain is followed").taken;
        assert_eq!(taken(), None);
        next_block();
        next_block();
        let first = taken();
        assert_eq!(first, Some(Now::get()));
        Now::mutate(|now| *now += 5);
        next_block();
        assert_eq!(taken(), first);
    });
}

/// LIGHT-9.
#[test]
fn a_trusting_period_of_nothing_is_refused() {
    check(empty(), || {
        let data = InitializationData {
            trusting_period: 0,
            ..init_data()
        };
        let refused = BridgeDuet::initialize(RuntimeOrigin::root(), data);
        assert_noop!(refused, Error::<Test>::NoTrustingPeriod);
    });
}
