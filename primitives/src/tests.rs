//! The three equations of the protocol, run for every back end: each checks the other's output, and both refuse the
//! same bytes with the same error.

use crate::{
    dleq,
    equation::Equation,
    justification::{self, Apk2},
    possession::{self, Suites},
    suite::{POSSESSION_SUITE, SIGNATURE_SUITE},
    transcript::hash_to_scalar,
    JustificationError, Pk2Bytes, PossessionError, PossessionProof, SignatureBytes, SignatureError,
    VoteSignature,
};
use alloc::vec::Vec;
use duet_curve::{Ark, Base, Blst, Curve, Purpose, Wasm};

const OWNER: &[u8] = b"owner";

struct Signer<C: Curve> {
    secret: C::Scalar,
    pk1: Base<C>,
    pk2: C::G2,
    pk2_bytes: Pk2Bytes,
}

fn signer<C: Curve>(seed: u8) -> Signer<C> {
    let secret = hash_to_scalar::<C>(&[&[seed; 32]]);
    let pk2 = C::g2_mul_secret(&C::g2_generator(), &secret);
    Signer {
        pk1: Base::new(C::g1_mul_secret(&C::g1_generator(), &secret), Purpose::Once),
        pk2_bytes: Pk2Bytes(C::g2_to_bytes(&pk2)),
        pk2,
        secret,
    }
}

/// `H(m)`, used once.
fn hash_message<C: Curve>(suite: &[u8], message: &[u8]) -> Base<C> {
    dleq::hash_message(suite, message, Purpose::Once)
}

fn sign<C: Curve>(seed: u8, message: &[u8]) -> VoteSignature {
    let Signer { secret, pk1, .. } = signer::<C>(seed);
    dleq::sign(&secret, &pk1, &hash_message(SIGNATURE_SUITE, message))
}

fn check<C: Curve>(
    seed: u8,
    message: &[u8],
    signature: &VoteSignature,
) -> Result<(), SignatureError> {
    let hm = hash_message(SIGNATURE_SUITE, message);
    dleq::check(signature, &signer::<C>(seed).pk1, &hm).map(|_| ())
}

#[test]
fn all_back_ends_sign_the_same_bytes_and_accept_them() {
    for seed in 0..6 {
        let message = [seed; 100];
        let message = &message[..usize::from(seed) * 20];
        let signature = sign::<Ark>(seed, message);
        assert_eq!(signature, sign::<Blst>(seed, message));
        assert_eq!(signature, sign::<Wasm>(seed, message));
        assert_eq!(check::<Ark>(seed, message, &signature), Ok(()));
        assert_eq!(check::<Blst>(seed, message, &signature), Ok(()));
        assert_eq!(check::<Wasm>(seed, message, &signature), Ok(()));
        assert_eq!(
            check::<Ark>(seed + 1, message, &signature),
            Err(SignatureError::ProofFails)
        );
        assert_eq!(
            check::<Blst>(seed + 1, message, &signature),
            Err(SignatureError::ProofFails)
        );
        assert_eq!(
            check::<Wasm>(seed + 1, message, &signature),
            Err(SignatureError::ProofFails)
        );
    }
}

#[test]
fn all_back_ends_refuse_a_changed_signature_with_the_same_error() {
    let signature = sign::<Ark>(1, b"message");
    for at in 0..VoteSignature::LEN {
        for change in [0x01, 0x20, 0x40, 0x80, 0xff] {
            let mut changed = signature;
            changed.0[at] ^= change;
            let by_ark = check::<Ark>(1, b"message", &changed);
            assert!(by_ark.is_err(), "byte {at} changed by {change:#x}");
            let by_others = [
                check::<Blst>(1, b"message", &changed),
                check::<Wasm>(1, b"message", &changed),
            ];
            assert_eq!(by_others, [by_ark; 2], "byte {at} by {change:#x}");
        }
    }
}

fn prove<C: Curve>(seed: u8) -> PossessionProof {
    let Signer {
        secret,
        pk1,
        pk2_bytes,
        ..
    } = signer::<C>(seed);
    let owned = hash_message(SIGNATURE_SUITE, &possession::tagged_owner(OWNER));
    let possessed = hash_message(POSSESSION_SUITE, pk2_bytes.as_ref());
    PossessionProof::new(
        dleq::sign(&secret, &pk1, &owned),
        dleq::sign(&secret, &pk1, &possessed),
    )
}

fn possessed<C: Curve>(
    pk1: &Base<C>,
    pk2: &C::G2,
    pk2_bytes: &Pk2Bytes,
    owner: &[u8],
    proof: &PossessionProof,
) -> Result<(), PossessionError> {
    let read = Base::<C>::from_bytes(pk1.bytes(), Purpose::AFewTimes).expect("a key");
    assert_eq!(read.point(), pk1.point());
    let pk1 = read;
    let equation = possession::prepare(
        &pk1,
        C::g2_prepare(pk2),
        pk2_bytes,
        owner,
        proof,
        &Suites::VOTING,
    )?;
    possession::verify_all(&[&equation]).remove(0)
}

fn possesses<C: Curve>(
    seed: u8,
    owner: &[u8],
    proof: &PossessionProof,
) -> Result<(), PossessionError> {
    let Signer {
        pk1,
        pk2,
        pk2_bytes,
        ..
    } = signer::<C>(seed);
    possessed(&pk1, &pk2, &pk2_bytes, owner, proof)
}

#[test]
fn all_back_ends_prove_possession_with_the_same_bytes_and_accept_them() {
    for seed in 0..3 {
        let proof = prove::<Ark>(seed);
        assert_eq!(proof, prove::<Blst>(seed));
        assert_eq!(proof, prove::<Wasm>(seed));
        assert_eq!(possesses::<Ark>(seed, OWNER, &proof), Ok(()));
        assert_eq!(possesses::<Blst>(seed, OWNER, &proof), Ok(()));
        assert_eq!(possesses::<Wasm>(seed, OWNER, &proof), Ok(()));
    }
}

#[test]
fn all_back_ends_refuse_possession_with_the_same_error() {
    let proof = prove::<Blst>(1);
    let not_owned = Err(PossessionError::Ownership(SignatureError::ProofFails));
    assert_eq!(possesses::<Ark>(1, b"thief", &proof), not_owned);
    assert_eq!(possesses::<Blst>(1, b"thief", &proof), not_owned);
    assert_eq!(possesses::<Wasm>(1, b"thief", &proof), not_owned);
    for at in (0..PossessionProof::LEN).step_by(5) {
        let mut changed = proof;
        changed.0[at] ^= 1;
        let by_ark = possesses::<Ark>(1, OWNER, &changed);
        assert!(by_ark.is_err(), "byte {at}");
        assert_eq!(possesses::<Blst>(1, OWNER, &changed), by_ark, "byte {at}");
        assert_eq!(possesses::<Wasm>(1, OWNER, &changed), by_ark, "byte {at}");
    }
}

/// Both DLEQ proofs hold: only POP-3 sees that the halves belong to two people.
fn halves_of_two<C: Curve>() -> Result<(), PossessionError> {
    let (first, second) = (signer::<C>(1), signer::<C>(2));
    let sign = |suite, message: &[u8]| {
        dleq::sign(&first.secret, &first.pk1, &hash_message(suite, message))
    };
    let proof = PossessionProof::new(
        sign(SIGNATURE_SUITE, &possession::tagged_owner(OWNER)),
        sign(POSSESSION_SUITE, second.pk2_bytes.as_ref()),
    );
    possessed::<C>(&first.pk1, &second.pk2, &second.pk2_bytes, OWNER, &proof)
}

#[test]
fn all_back_ends_see_by_the_pairing_that_the_halves_of_a_key_differ() {
    assert_eq!(halves_of_two::<Ark>(), Err(PossessionError::HalvesDiffer));
    assert_eq!(halves_of_two::<Blst>(), Err(PossessionError::HalvesDiffer));
    assert_eq!(halves_of_two::<Wasm>(), Err(PossessionError::HalvesDiffer));
}

/// The signature, `apk1` and `apk2` of some signers of one message.
fn aggregate<C: Curve>(seeds: &[u8], message: &[u8]) -> (SignatureBytes, C::G1, Pk2Bytes) {
    let hm = hash_message::<C>(SIGNATURE_SUITE, message);
    let signers: Vec<_> = seeds.iter().map(|seed| signer::<C>(*seed)).collect();
    let sigmas: Vec<_> = signers
        .iter()
        .map(|signer| C::g1_mul_secret(hm.point(), &signer.secret))
        .collect();
    let apk1 = C::g1_sum(
        &signers
            .iter()
            .map(|signer| signer.pk1.point())
            .collect::<Vec<_>>(),
    );
    let apk2 = C::g2_sum(&signers.iter().map(|signer| &signer.pk2).collect::<Vec<_>>());
    let sigma = C::g1_sum(&sigmas.iter().collect::<Vec<_>>());
    (
        SignatureBytes(C::g1_to_bytes(&sigma)),
        apk1,
        Pk2Bytes(C::g2_to_bytes(&apk2)),
    )
}

fn equation<C: Curve>(
    seeds: &[u8],
    message: &[u8],
    apk2: Apk2<'_, C>,
    signature: &SignatureBytes,
) -> Result<Equation<C>, JustificationError> {
    let hm = hash_message::<C>(SIGNATURE_SUITE, message);
    let (_, apk1, _) = aggregate::<C>(seeds, message);
    let apk1 = Base::<C>::new(apk1, Purpose::Once);
    justification::equation(&hm, &apk1, apk2, signature)
}

fn holds<C: Curve>(
    seeds: &[u8],
    message: &[u8],
    apk2: &Pk2Bytes,
    signature: &SignatureBytes,
) -> Result<(), JustificationError> {
    equation::<C>(seeds, message, apk2.into(), signature)?
        .holds()
        .then_some(())
        .ok_or(JustificationError::EquationFails)
}

/// Whether four proofs hold together, of which the second and the third are by the same signers and share the point of
/// `apk2`.
fn hold_together<C: Curve>() -> bool {
    let mut equations: Vec<Equation<C>> = Vec::new();
    for (number, seeds) in (0_u8..).zip([[1, 2], [3, 4], [3, 4], [1, 2]]) {
        let message = [number];
        let (signature, _, bytes) = aggregate::<C>(&seeds, &message);
        let apk2 = Apk2 {
            bytes: &bytes,
            point: (number == 2).then(|| equations[1].point.clone()),
        };
        let equation = equation::<C>(&seeds, &message, apk2, &signature);
        equations.push(equation.expect("points of its signers"));
    }
    Equation::all_hold(&equations.iter().collect::<Vec<_>>())
}

#[test]
fn all_back_ends_add_up_equations_that_share_a_point() {
    assert!(hold_together::<Ark>());
    assert!(hold_together::<Blst>());
    assert!(hold_together::<Wasm>());
}

#[test]
fn all_back_ends_add_up_the_same_proof_and_accept_it() {
    for seeds in [&[1][..], &[1, 2], &[3, 1, 4, 5, 9, 2, 6]] {
        let (signature, _, apk2) = aggregate::<Ark>(seeds, b"message");
        let (by_blst, _, apk2_by_blst) = aggregate::<Blst>(seeds, b"message");
        assert_eq!((signature, apk2), (by_blst, apk2_by_blst));
        let (by_wasm, _, apk2_by_wasm) = aggregate::<Wasm>(seeds, b"message");
        assert_eq!((signature, apk2), (by_wasm, apk2_by_wasm));
        assert_eq!(holds::<Ark>(seeds, b"message", &apk2, &signature), Ok(()));
        assert_eq!(holds::<Blst>(seeds, b"message", &apk2, &signature), Ok(()));
        assert_eq!(holds::<Wasm>(seeds, b"message", &apk2, &signature), Ok(()));
    }
}

#[test]
fn all_back_ends_refuse_a_proof_with_the_same_error() {
    let (signature, _, apk2) = aggregate::<Ark>(&[1, 2, 3], b"message");
    let compare = |seeds: &[u8], message: &[u8], apk2, signature| {
        let by_ark = holds::<Ark>(seeds, message, &apk2, &signature);
        assert_eq!(holds::<Blst>(seeds, message, &apk2, &signature), by_ark);
        assert_eq!(holds::<Wasm>(seeds, message, &apk2, &signature), by_ark);
        assert!(by_ark.is_err());
        by_ark
    };
    let fails = Err(JustificationError::EquationFails);
    assert_eq!(compare(&[1, 2], b"message", apk2, signature), fails);
    assert_eq!(compare(&[1, 2, 3], b"another", apk2, signature), fails);
    let (other, _, other_apk2) = aggregate::<Blst>(&[1, 2, 4], b"message");
    assert_eq!(
        compare(&[1, 2, 3], b"message", other_apk2, signature),
        fails
    );
    assert_eq!(compare(&[1, 2, 3], b"message", apk2, other), fails);
    for at in (0..Pk2Bytes::LEN).step_by(7) {
        let mut changed = apk2;
        changed.0[at] ^= 1;
        assert!(compare(&[1, 2, 3], b"message", changed, signature).is_err());
    }
    for at in (0..SignatureBytes::LEN).step_by(5) {
        let mut changed = signature;
        changed.0[at] ^= 1;
        assert!(compare(&[1, 2, 3], b"message", apk2, changed).is_err());
    }
}

/// The verdicts on equations of possession, of which two may be spoiled so that their errors cancel.
fn verdicts<C: Curve>(spoil: bool) -> Vec<Result<(), PossessionError>> {
    let mut equations: Vec<Equation<C>> = (0..4)
        .map(|seed| {
            let Signer {
                pk1,
                pk2,
                pk2_bytes,
                ..
            } = signer::<C>(seed);
            let pk2 = C::g2_prepare(&pk2);
            possession::prepare(
                &pk1,
                pk2,
                &pk2_bytes,
                OWNER,
                &prove::<C>(seed),
                &Suites::VOTING,
            )
            .expect("its holder's proof")
        })
        .collect();
    if spoil {
        let error = C::g1_generator();
        equations[1].sigma = C::g1_sum(&[&equations[1].sigma, &error]);
        equations[3].sigma = C::g1_sub(&equations[3].sigma, &error);
    }
    possession::verify_all(&equations.iter().collect::<Vec<_>>())
}

#[test]
fn all_back_ends_verify_possessions_together_and_errors_do_not_cancel() {
    let bad = Err(PossessionError::HalvesDiffer);
    let expected = [Ok(()), bad, Ok(()), bad];
    assert_eq!(verdicts::<Ark>(false), [Ok(()); 4]);
    assert_eq!(verdicts::<Blst>(false), [Ok(()); 4]);
    assert_eq!(verdicts::<Wasm>(false), [Ok(()); 4]);
    assert_eq!(verdicts::<Ark>(true), expected);
    assert_eq!(verdicts::<Blst>(true), expected);
    assert_eq!(verdicts::<Wasm>(true), expected);
}
