//! Keys, signatures and proofs of possession are byte for byte those of `sp_core::bls381`, in both directions.

use duet_primitives::{
    ownership_statement, DualKeyBytes, PossessionError, PossessionProof, SecretKey, SignatureError,
    VoteSignature, H256,
};
use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest, ProptestConfig};
use sp_core::{
    bls381::{Pair, ProofOfPossession, Public, Signature},
    proof_of_possession::{ProofOfPossessionGenerator, ProofOfPossessionVerifier},
    Pair as _,
};

/// The uris that every Substrate developer types.
const URIS: [&str; 8] = [
    "//Alice",
    "//Bob",
    "//Charlie",
    "//Dave",
    "//Eve",
    "//Ferdie",
    "//Alice//stash",
    "//Alice///password",
];

fn pair(uri: &str) -> Pair {
    Pair::from_string(uri, None).expect("a valid uri")
}

fn ours(pair: &Pair) -> SecretKey {
    let bytes: [u8; 32] = pair.to_raw_vec().try_into().expect("a scalar has 32 bytes");
    SecretKey::from_bytes(&bytes).expect("a derived secret is below r and not zero")
}

fn public(key: &DualKeyBytes) -> Public {
    Public::from_raw(key.0)
}

fn verified_by_theirs(message: &[u8], signature: &VoteSignature, key: &DualKeyBytes) -> bool {
    Pair::verify(&Signature::from_raw(signature.0), message, &public(key))
}

fn verified_by_ours(
    message: &[u8],
    signature: &Signature,
    key: &Public,
) -> Result<(), SignatureError> {
    let key = DualKeyBytes::try_from(key.as_ref()).expect("both have 144 bytes");
    let signature = VoteSignature::try_from(signature.as_ref()).expect("both have 112 bytes");
    key.check()
        .expect("their key is a key")
        .pk1()
        .verify(message, &signature)
}

#[test]
fn a_derived_key_is_the_same_on_both_sides() {
    for uri in URIS {
        let theirs = pair(uri);
        let ours = ours(&theirs);
        assert_eq!(ours.public().0, theirs.public().0, "{uri}");
        assert_eq!(ours.expose().to_vec(), theirs.to_raw_vec(), "{uri}");
    }
}

/// DLEQ-3: signing needs no randomness, so that both sides give the same bytes.
#[test]
fn a_signature_is_the_same_on_both_sides_and_each_verifies_the_other() {
    for uri in URIS {
        let theirs = pair(uri);
        let ours = ours(&theirs);
        for message in [&b""[..], b"m", &[0xff; 300]] {
            let (by_ours, by_theirs) = (ours.sign(message), theirs.sign(message));
            assert_eq!(by_ours.0, by_theirs.0, "{uri}");
            assert!(
                verified_by_theirs(message, &by_ours, &ours.public()),
                "{uri}"
            );
            assert_eq!(
                verified_by_ours(message, &by_theirs, &theirs.public()),
                Ok(()),
                "{uri}"
            );
        }
    }
}

#[test]
fn a_proof_of_possession_is_the_same_on_both_sides_and_each_verifies_the_other() {
    for uri in URIS {
        let mut theirs = pair(uri);
        let ours = ours(&theirs);
        for owner in [
            b"".to_vec(),
            b"owner".to_vec(),
            ownership_statement(H256::zero(), &[7_u8; 32]),
        ] {
            let by_ours = ours.prove_possession(&owner);
            let by_theirs = theirs.generate_proof_of_possession(&owner);
            assert_eq!(by_ours.0, by_theirs.0, "{uri}");

            let as_theirs = ProofOfPossession::from_raw(by_ours.0);
            assert!(Pair::verify_proof_of_possession(
                &owner,
                &as_theirs,
                &public(&ours.public())
            ));
            let as_ours =
                PossessionProof::try_from(by_theirs.as_ref()).expect("both have 224 bytes");
            assert!(
                ours.public().check_possession(&owner, &as_ours).is_ok(),
                "{uri}"
            );
        }
    }
}

#[test]
fn what_one_side_refuses_the_other_refuses() {
    let (mut alice, bob) = (pair("//Alice"), pair("//Bob"));
    let (message, owner) = (&b"message"[..], &b"owner"[..]);
    let signature = alice.sign(message);
    assert!(!Pair::verify(&signature, b"another", &alice.public()));
    assert_eq!(
        verified_by_ours(b"another", &signature, &alice.public()),
        Err(SignatureError::ProofFails)
    );
    assert!(!Pair::verify(&signature, message, &bob.public()));
    assert_eq!(
        verified_by_ours(message, &signature, &bob.public()),
        Err(SignatureError::ProofFails)
    );

    let proof = alice.generate_proof_of_possession(owner);
    let as_ours = PossessionProof::try_from(proof.as_ref()).expect("both have 224 bytes");
    assert!(!Pair::verify_proof_of_possession(
        b"thief",
        &proof,
        &alice.public()
    ));
    let refused = ours(&alice)
        .public()
        .check_possession(b"thief", &as_ours)
        .map(|_| ());
    assert_eq!(
        refused,
        Err(PossessionError::Ownership(SignatureError::ProofFails))
    );
}

#[test]
fn a_proof_of_possession_is_no_signature_over_the_key_and_the_other_way_round() {
    let alice = ours(&pair("//Alice"));
    let key = alice.public();
    let proof = alice.prove_possession(b"owner");
    let signature = alice.sign(key.pk2().as_ref());
    assert!(!verified_by_theirs(
        key.pk2().as_ref(),
        &proof.possession(),
        &key
    ));
    let swapped = PossessionProof::new(proof.ownership(), signature);
    let as_theirs = ProofOfPossession::from_raw(swapped.0);
    assert!(!Pair::verify_proof_of_possession(
        b"owner",
        &as_theirs,
        &public(&key)
    ));
    assert_eq!(
        key.check_possession(b"owner", &swapped).map(|_| ()),
        Err(PossessionError::Possession(SignatureError::ProofFails))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_seed_and_message_give_the_same_key_and_signature(
        seed in any::<[u8; 32]>(),
        message in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let theirs = Pair::from_seed(&seed);
        let ours = SecretKey::from_seed(&seed).expect("no seed hashes to zero");
        prop_assert_eq!(ours.public().0, theirs.public().0);
        let signature = ours.sign(&message);
        prop_assert_eq!(signature.0, theirs.sign(&message).0);
        prop_assert!(verified_by_theirs(&message, &signature, &ours.public()));
    }

    #[test]
    fn a_signature_with_one_changed_byte_is_refused_on_both_sides(
        at in 0_usize..112,
        change in 1_u8..=255,
    ) {
        let alice = ours(&pair("//Alice"));
        let mut signature = alice.sign(b"message");
        signature.0[at] ^= change;
        prop_assert!(!verified_by_theirs(b"message", &signature, &alice.public()));
        let key = alice.public().check().expect("a secret's key is a key");
        prop_assert!(key.pk1().verify(b"message", &signature).is_err());
    }
}
