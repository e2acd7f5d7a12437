//! Flipping any single bit invalidates a value.

mod support;

use duet_mklhs::{
    verify, Bounds, Combined, EquivocationProof, Label, Program, ProofOfPossession, PublicKey,
    Scalar, Signature, Signers,
};
use rayon::prelude::*;
use support::{key, label, sign, Scenario};

/// All single-bit flips.
fn flips(bytes: &[u8]) -> impl ParallelIterator<Item = Vec<u8>> + '_ {
    (0..bytes.len() * 8).into_par_iter().map(|bit| {
        let mut flipped = bytes.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        flipped
    })
}

#[test]
fn a_flipped_bit_of_a_combined_signature_is_refused() {
    let scenario = Scenario::three_signers();
    let total = scenario.total();
    flips(&scenario.combined().to_bytes()).for_each(|wire| {
        if let Ok(combined) = Combined::from_bytes(&wire) {
            let prepared = scenario.verify(total, &combined);
            assert!(prepared.is_err(), "{combined:?}");
            // Not even if the claimed total is changed accordingly.
            let followed = scenario.verify(combined.total(), &combined);
            assert!(followed.is_err(), "{combined:?}");
        }
    });
}

#[test]
fn a_flipped_bit_of_a_signature_is_refused() {
    let scenario = Scenario::three_signers();
    let label = &scenario.program.labels()[0];
    flips(&scenario.signatures[0].to_bytes()).for_each(|wire| {
        if let Ok(signature) = Signature::from_bytes(&wire) {
            let verdict = signature.check(&scenario.signers, label, Bounds::Residues);
            assert!(verdict.is_err(), "{signature:?}");
        }
    });
}

#[test]
fn a_flipped_bit_of_a_label_is_refused() {
    let signer = key(1);
    let load = label(&signer, "load");
    let signature = sign(&signer, &load, 5);
    let signers = support::registered([&signer]);
    flips(load.as_bytes()).for_each(|bytes| {
        if let Ok(label) = Label::from_bytes(&bytes) {
            let verdict = signature.check(&signers, &label, Bounds::Integers);
            assert!(verdict.is_err(), "{label:?}");
        }
    });
}

#[test]
fn a_flipped_bit_of_a_coefficient_is_refused() {
    let scenario = Scenario::three_signers();
    let combined = scenario.combined();
    let of_second = scenario.program.coefficients()[1].to_bytes();
    flips(&of_second).for_each(|bytes| {
        let Some(flipped) = Scalar::from_bytes(&bytes.try_into().unwrap()) else {
            return;
        };
        let mut coefficients = scenario.program.coefficients().to_vec();
        coefficients[1] = flipped;
        let labels = scenario.program.labels().to_vec();
        if let Ok(program) = Program::new(Bounds::Integers, coefficients, labels) {
            assert_ne!(program.digest(), scenario.program.digest());
            assert!(verify(&program, &scenario.signers, scenario.total(), &combined).is_err());
        }
    });
}

#[test]
fn a_flipped_bit_of_a_key_or_its_proof_is_refused() {
    let signer = key(1);
    let (public, pop) = (
        signer.public().to_bytes(),
        signer.prove_possession().to_bytes(),
    );
    flips(&public).for_each(|bytes| {
        if let Ok(key) = PublicKey::from_bytes(&bytes) {
            assert_ne!(key.id(), signer.id());
            assert!(Signers::new().register_bytes(&bytes, &pop).is_err());
        }
    });
    flips(&pop).for_each(|bytes| {
        if ProofOfPossession::from_bytes(&bytes).is_ok() {
            assert!(Signers::new().register_bytes(&public, &bytes).is_err());
        }
    });
}

#[test]
fn a_flipped_bit_of_an_equivocation_proof_is_refused() {
    let cheat = key(1);
    let load = label(&cheat, "load");
    let proof =
        EquivocationProof::new(load.clone(), sign(&cheat, &load, 1), sign(&cheat, &load, 2));
    let bytes = proof.to_bytes();
    assert_eq!(EquivocationProof::from_bytes(&bytes), Ok(proof));
    flips(&bytes).for_each(|bytes| {
        if let Ok(proof) = EquivocationProof::from_bytes(&bytes) {
            assert!(proof.check(cheat.public()).is_err(), "{proof:?}");
        }
    });
}
