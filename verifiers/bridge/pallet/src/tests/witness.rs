//! Submissions with a witness of the proof's equation. (JUST-11)

use crate::{mock::*, Call, CallSubType, Error, RejectObsoleteHeaders, Rule};
use duet_primitives::{prepare_stateless, SetId, StatelessProof, Witness, H256};
use frame_support::{assert_noop, assert_ok, dispatch::GetDispatchInfo};
use sp_runtime::{traits::TransactionExtension, transaction_validity::InvalidTransaction};

fn witness(by: u64, proof: &StatelessProof) -> Witness {
    let prepared = prepare_stateless(proof.clone(), set(by).set.commitment(), GENESIS, None);
    prepared.expect("all but the equation is right").witness()
}

fn call(header: &Header, proof: &StatelessProof, witness: Witness) -> Call<Test> {
    Call::submit_finality_proof_by_witness {
        finality_target: Box::new(header.clone()),
        proof: Box::new(proof.clone()),
        current_set_id: SetId::new(0),
        is_free_execution_expected: false,
        witness: Box::new(witness),
    }
}

fn submit(
    header: &Header,
    proof: &StatelessProof,
    witness: Witness,
) -> Result<(), sp_runtime::DispatchError> {
    use frame_support::traits::UnfilteredDispatchable;
    let call = call(header, proof, witness);
    let done = call.dispatch_bypass_filter(RuntimeOrigin::signed(RELAYER));
    done.map(drop).map_err(|error| error.error)
}

#[test]
fn a_header_is_taken_by_a_witness_and_so_is_a_handoff() {
    check(following(), || {
        let (first, new) = (set(0), header(11, 3));
        let known = proof(&first, &new, &first);
        assert_ok!(submit(&new, &known, witness(0, &known)));
        let handoff = header(12, 0);
        let known = proof(&first, &handoff, &set(1));
        assert_ok!(submit(&handoff, &known, witness(0, &known)));
        assert_eq!(BridgeDuet::best_finalized().unwrap().number(), 12);
    });
}

#[test]
fn a_wrong_witness_is_refused_and_the_proof_may_come_again() {
    check(following(), || {
        let (first, new) = (set(0), header(11, 3));
        let valid = proof(&first, &new, &first);
        let right = witness(0, &valid);
        for at in 0..Witness::LEN {
            let mut wrong = right;
            wrong.0[at] ^= 1 << (at % 8);
            assert_noop!(
                submit(&new, &valid, wrong),
                Error::<Test>::InvalidProof(Rule::Just5)
            );
        }
        assert_ok!(submit(&new, &valid, right));
    });
}

/// Neither the witness of the valid proof helps, nor one that is computed for the false one.
#[test]
fn no_witness_makes_a_false_proof_valid() {
    type Change = fn(&mut StatelessProof, &StatelessProof);
    let changes: [Change; 4] = [
        |proof, _| proof.justification.commitment.mmr_root = H256::repeat_byte(1),
        |proof, other| proof.justification.signature = other.justification.signature,
        |proof, other| proof.justification.apk2 = other.justification.apk2,
        |proof, other| {
            let StatelessProof {
                justification,
                non_signers,
                proof: merkle,
            } = other.clone();
            proof.justification.signers = justification.signers;
            (proof.non_signers, proof.proof) = (non_signers, merkle);
        },
    ];
    check(following(), || {
        let (first, new) = (set(0), header(11, 3));
        let valid = proof(&first, &new, &first);
        let other = proof_by(&first, &new, &first, 0..4);
        let right = witness(0, &valid);
        for change in changes {
            let mut changed = valid.clone();
            change(&mut changed, &other);
            for witness in [right, witness(0, &changed), Witness([0; Witness::LEN])] {
                assert_noop!(
                    submit(&new, &changed, witness),
                    Error::<Test>::InvalidProof(Rule::Just5)
                );
            }
        }
        // What is checked before the equation is checked as without a witness.
        let mut too_few = valid.clone();
        too_few.justification.signers = duet_primitives::Bitfield::from_indices(
            4,
            [1, 2].map(duet_primitives::SignerIndex::new),
        );
        assert_noop!(
            submit(&new, &too_few, right),
            Error::<Test>::InvalidProof(Rule::Just4)
        );
    });
}

#[test]
fn the_extension_and_the_weight_are_those_of_a_submission_without_a_witness() {
    check(following(), || {
        let first = set(0);
        let [old, new] = [10, 11].map(|number| header(number, 3));
        let valid = proof(&first, &new, &first);
        let plain = Call::<Test>::submit_finality_proof_ex {
            finality_target: Box::new(new.clone()),
            proof: Box::new(valid.clone()),
            current_set_id: SetId::new(0),
            is_free_execution_expected: false,
        };
        let with = call(&new, &valid, Witness([0; Witness::LEN]));
        let weight = |call: &Call<Test>| call.get_dispatch_info().call_weight;
        assert_eq!(weight(&with), weight(&plain));
        let of_extension = |call: &Call<Test>| {
            RejectObsoleteHeaders::<Test>::new().weight(&RuntimeCall::from(call.clone()))
        };
        assert_eq!(of_extension(&with), of_extension(&plain));
        let checked = |call: Call<Test>| {
            let call = RuntimeCall::from(call);
            CallSubType::<Test, ()>::check_obsolete_submit_finality_proof(&call)
        };
        let claims = checked(plain);
        assert!(claims.as_ref().is_ok_and(Option::is_some));
        assert_eq!(checked(with), claims);
        let late = call(&old, &valid, Witness([0; Witness::LEN]));
        assert_eq!(checked(late), Err(InvalidTransaction::Stale.into()));
    });
}
