//! What submissions are charged.

use crate::{
    mock::*,
    weights::{submission, SubstrateWeight, WeightInfo},
};
use duet_primitives::{
    testing::TestSet, BlockNumber, RecoveryProof, RecoveryStatement, SetId, StatelessProof, H256,
};
use frame_support::{
    dispatch::GetDispatchInfo,
    traits::{Hooks, StorageInfoTrait},
    weights::constants::ParityDbWeight,
};

type Measured = SubstrateWeight<Test>;

/// A proof by a set of 64 without these members.
fn without(absent: &[u32]) -> StatelessProof {
    let set = TestSet::new(0, 0..64);
    proof_by(
        &set,
        &header(11, 0),
        &set,
        (0..64).filter(|index| !absent.contains(index)),
    )
}

#[test]
fn each_key_and_each_hash_that_a_proof_brings_is_charged() {
    let charged = |absent: &[u32]| submission::<Measured>(&without(absent));
    assert_eq!(charged(&[]), Measured::submit_finality_proof(0, 0));
    // One key and the six hashes above it.
    let hash = Measured::submit_finality_proof(0, 1) - Measured::submit_finality_proof(1, 0);
    assert_eq!(without(&[5]).proof.hashes().len(), 6);
    assert_eq!(
        charged(&[5]),
        Measured::submit_finality_proof(0, 1) + hash * 5
    );
    // Two siblings have one path.
    assert_eq!(without(&[4, 5]).proof.hashes().len(), 5);
    assert_eq!(
        charged(&[4, 5]),
        Measured::submit_finality_proof(0, 2) + hash * 3
    );
}

/// RECOVER-7, RECOVER-8.
#[test]
fn a_recovery_is_charged_as_the_measured_calls_that_do_as_much() {
    let proof = |absent: &[u32]| {
        let StatelessProof {
            justification,
            non_signers,
            proof,
        } = without(absent);
        RecoveryProof {
            statement: RecoveryStatement {
                recovery_set: SetId::new(0),
                block_number: BlockNumber::new(11),
                block_hash: H256::zero(),
                ended: SetId::new(0),
                reset_number: BlockNumber::new(12),
                reset_hash: H256::zero(),
                set: set(1).set.commitment().clone(),
            },
            signers: justification.signers,
            signature: justification.signature,
            apk2: justification.apk2,
            non_signers,
            proof,
        }
    };
    let charged = |absent: &[u32]| {
        let (proof, terms_proof) = (Box::new(proof(absent)), Vec::new());
        let call = crate::Call::<Test>::announce_recovery { proof, terms_proof };
        call.get_dispatch_info().call_weight
    };
    for absent in [&[][..], &[5], &[4, 5]] {
        let measured = submission::<Measured>(&without(absent)) + Measured::initialize();
        let terms = charged(absent) - measured;
        assert_eq!(terms.ref_time(), 66 * 30_000_000 + 16_384 * 30_000);
    }
    let crossing = crate::Call::<Test>::cross_recovery {}.get_dispatch_info();
    let reads = ParityDbWeight::get().reads(2);
    assert_eq!(
        crossing.call_weight,
        Measured::force_set_pallet_state(0) + reads
    );
}

#[test]
fn what_is_forgotten_is_charged_and_nothing_else() {
    check(following(), || {
        let root = RuntimeOrigin::root;
        let force = || {
            let block = Box::new(header(30, 0));
            BridgeDuet::force_set_pallet_state(root(), init_data().keysets, block).unwrap()
        };
        let actual = |headers| Some(Measured::force_set_pallet_state(headers));
        assert_eq!(force().actual_weight, actual(0));
        crate::Contradicted::<Test>::put(duet_light_client::Conflict::SameBlock);
        assert_eq!(force().actual_weight, actual(2), "blocks 10 and 30");
        // The ring is filled from its first place again.
        let (first, new) = (set(0), header(31, 0));
        frame_support::assert_ok!(BridgeDuet::submit_finality_proof(
            RuntimeOrigin::signed(RELAYER),
            Box::new(new.clone()),
            Box::new(proof(&first, &new, &first)),
        ));
        crate::Contradicted::<Test>::put(duet_light_client::Conflict::SameBlock);
        assert_eq!(force().actual_weight, actual(2), "blocks 30 and 31");
    });
}

#[test]
fn benchmarks_are_told_how_many_headers_are_kept() {
    let values = BridgeDuet::storage_info();
    for name in ["ImportedHashes", "ImportedHeaders"] {
        let mut values = values.iter();
        let value = values.find(|value| value.storage_name == name.as_bytes());
        assert_eq!(value.unwrap().max_values, Some(HeadersToKeep::get()));
    }
}

#[test]
fn a_runtime_that_keeps_no_header_or_more_than_it_can_forget_is_refused() {
    for (headers, why) in [(0, "is zero"), (u32::MAX, "more than half a block")] {
        HeadersToKeep::set(headers);
        let refusal = std::panic::catch_unwind(BridgeDuet::integrity_test).unwrap_err();
        let refusal = refusal.downcast_ref::<&str>().unwrap();
        assert!(refusal.contains(why), "{refusal}");
    }
}
