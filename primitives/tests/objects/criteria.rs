//! Which bytes are a point, a scalar, a key, a signature: every case of `duet_curve::testing` has the verdict that
//! stands there.
//!
//! Which signatures are valid is consensus, so each case has one verdict, and all back ends give it with the same error.

use ark_bls12_381::G1Affine;
use ark_ec::AffineRepr;
use codec::{Decode, DecodeAll, Encode};
use duet_curve::{
    testing::{compress, Case, G1, G2, SCALARS},
    Ark, Base, Blst, Curve, PointError, Purpose, Wasm,
};
use duet_primitives::{
    check_stateless,
    testing::{secret, TestSet},
    *,
};

fn decoded<C: Curve>(case: &Case<48>) -> [Result<(), PointError>; 2] {
    let verdict = C::g1_from_bytes(&case.bytes).map(|_| ());
    let with_tables = Base::<C>::from_bytes(&case.bytes, Purpose::AFewTimes).map(|_| ());
    assert_eq!(with_tables, verdict, "{}", case.name);
    [
        verdict,
        C::g1_from_stored_unchecked(&case.bytes).map(|_| ()),
    ]
}

#[test]
fn each_odd_point_of_g1_has_one_verdict_in_all_back_ends() {
    for case in G1.iter() {
        let expected = [case.verdict, case.stored];
        assert_eq!(decoded::<Ark>(case), expected, "arkworks: {}", case.name);
        assert_eq!(decoded::<Blst>(case), expected, "blst: {}", case.name);
        assert_eq!(decoded::<Wasm>(case), expected, "wasm: {}", case.name);
    }
}

fn decoded_g2<C: Curve>(case: &Case<96>) -> [Result<(), PointError>; 2] {
    let verdict = C::g2_from_bytes(&case.bytes).map(|_| ());
    let prepared = C::g2_prepared_from_bytes(&case.bytes).map(|_| ());
    assert_eq!(prepared, verdict, "{}", case.name);
    [
        verdict,
        C::g2_from_stored_unchecked(&case.bytes).map(|_| ()),
    ]
}

#[test]
fn each_odd_point_of_g2_has_one_verdict_in_all_back_ends() {
    for case in G2.iter() {
        let expected = [case.verdict, case.stored];
        assert_eq!(decoded_g2::<Ark>(case), expected, "arkworks: {}", case.name);
        assert_eq!(decoded_g2::<Blst>(case), expected, "blst: {}", case.name);
        assert_eq!(decoded_g2::<Wasm>(case), expected, "wasm: {}", case.name);
    }
}

/// SET-5: what is read from chain state is decoded without the subgroup check.
#[test]
fn an_odd_point_is_no_key_and_the_error_says_which_half() {
    let good = secret(0).public();
    for case in G1.iter() {
        let key = DualKeyBytes::new(Pk1Bytes(case.bytes), good.pk2());
        assert_eq!(
            key.check().map(|_| ()),
            case.verdict.map_err(KeyError::Pk1),
            "{}",
            case.name
        );
        let stored = Pk1::from_chain_state_unchecked(&key.pk1()).map(|_| ());
        assert_eq!(stored, case.stored.map_err(KeyError::Pk1), "{}", case.name);
    }
    for case in G2.iter() {
        let key = DualKeyBytes::new(good.pk1(), Pk2Bytes(case.bytes));
        assert_eq!(
            key.check().map(|_| ()),
            case.verdict.map_err(KeyError::Pk2),
            "{}",
            case.name
        );
    }
}

/// A valid signature with another σ: an odd one breaks its own rule, a good one the proof.
#[test]
fn an_odd_point_is_no_signature() {
    let key = secret(0).public().check().expect("a secret's key is a key");
    let good = secret(0).sign(b"message");
    for case in G1.iter() {
        let mut signature = good;
        signature.0[..48].copy_from_slice(&case.bytes);
        let expected = match case.verdict {
            Ok(()) => SignatureError::ProofFails,
            Err(error) => SignatureError::Sigma(error),
        };
        assert_eq!(
            key.pk1().verify(b"message", &signature),
            Err(expected),
            "{}",
            case.name
        );
    }
}

#[test]
fn an_odd_point_is_no_aggregate_signature_and_no_apk2() {
    let genesis = H256::zero();
    let set = TestSet::new(0, 0..4);
    let message = RoundMessage::new(genesis, set.commitment(1, &set.set));
    let good = set.justify(&message, 0..3).into_unchecked();
    let check =
        |changed: UncheckedJustification| changed.check(set.set.keyset(), genesis).map(|_| ());
    assert_eq!(check(good.clone()), Ok(()));
    for case in G1.iter() {
        let changed = UncheckedJustification {
            signature: SignatureBytes(case.bytes),
            ..good.clone()
        };
        let expected = match case.verdict {
            Ok(()) => JustificationError::EquationFails,
            Err(error) => JustificationError::Signature(error),
        };
        assert_eq!(check(changed), Err(expected), "{}", case.name);
    }
    for case in G2.iter() {
        let changed = UncheckedJustification {
            apk2: Pk2Bytes(case.bytes),
            ..good.clone()
        };
        let expected = match case.verdict {
            Ok(()) => JustificationError::EquationFails,
            Err(error) => JustificationError::Apk2(error),
        };
        assert_eq!(check(changed), Err(expected), "{}", case.name);
    }
}

#[test]
fn an_odd_point_is_no_total_of_a_trusted_commitment() {
    let genesis = H256::zero();
    let set = TestSet::new(0, 0..4);
    let message = RoundMessage::new(genesis, set.commitment(1, &set.set));
    let justification = set.justify(&message, 0..3);
    let proof = StatelessProof::new(&justification, set.set.keyset()).expect("of this set");
    for case in G1.iter() {
        let trusted = KeysetCommitment {
            apk1: Pk1Bytes(case.bytes),
            ..set.set.commitment().clone()
        };
        let expected = match case.verdict {
            Ok(()) => StatelessError::Justification(JustificationError::EquationFails),
            Err(error) => StatelessError::Total(error),
        };
        let found = check_stateless(proof.clone(), &trusted, genesis).map(|_| ());
        assert_eq!(found, Err(expected), "{}", case.name);
    }
}

#[test]
fn a_scalar_that_is_not_below_r_is_refused_by_all_back_ends() {
    fn read<C: Curve>(bytes: &[u8; 32]) -> Option<[u8; 32]> {
        C::scalar_from_bytes(bytes).map(|scalar| C::scalar_to_bytes(&scalar))
    }
    for case in SCALARS.iter() {
        let expected = case.is_scalar.then_some(case.bytes);
        assert_eq!(
            read::<Ark>(&case.bytes),
            expected,
            "arkworks: {}",
            case.name
        );
        assert_eq!(read::<Blst>(&case.bytes), expected, "blst: {}", case.name);
        assert_eq!(read::<Wasm>(&case.bytes), expected, "wasm: {}", case.name);
    }
}

#[test]
fn an_odd_challenge_or_response_breaks_its_own_rule() {
    let key = secret(0).public().check().expect("a secret's key is a key");
    let good = secret(0).sign(b"message");
    for case in SCALARS.iter() {
        for (at, error) in [
            (48, SignatureError::ChallengeNotReduced),
            (80, SignatureError::ResponseNotReduced),
        ] {
            let mut signature = good;
            signature.0[at..at + 32].copy_from_slice(&case.bytes);
            let expected = if case.is_scalar {
                SignatureError::ProofFails
            } else {
                error
            };
            assert_eq!(
                key.pk1().verify(b"message", &signature),
                Err(expected),
                "{} at {at}",
                case.name
            );
        }
    }
}

/// With `c = 0` the equation no longer speaks of the key, with `s = 0` not of the generator: only the hash is
/// left to refuse them, and it does for any σ.
#[test]
fn a_proof_of_zeros_is_refused_for_every_sigma() {
    let key = secret(0).public().check().expect("a secret's key is a key");
    let sigmas = [
        secret(0).sign(b"message").sigma().0,
        compress(&G1Affine::generator()),
        key.pk1().to_bytes().0,
    ];
    for sigma in sigmas {
        let mut bytes = [0; 112];
        bytes[..48].copy_from_slice(&sigma);
        let refused = key.pk1().verify(b"message", &VoteSignature(bytes));
        assert_eq!(refused, Err(SignatureError::ProofFails));
    }
}

/// ENC-5, KEY-2.
#[test]
fn a_secret_is_below_r_and_not_zero() {
    for case in SCALARS.iter() {
        let expected = match case.name {
            "zero" => Err(SecretKeyError::Zero),
            _ if case.is_scalar => Ok(()),
            _ => Err(SecretKeyError::NotReduced),
        };
        assert_eq!(
            SecretKey::from_bytes(&case.bytes).map(|_| ()),
            expected,
            "{}",
            case.name
        );
    }
}

/// Of every decodable type: the bytes decode, no shorter ones do, and no longer ones.
fn exact_length<T: Encode + Decode + PartialEq + core::fmt::Debug>(value: &T) {
    let bytes = value.encode();
    assert_eq!(
        &T::decode_all(&mut &bytes[..]).expect("what was encoded decodes"),
        value
    );
    for length in 0..bytes.len() {
        assert!(
            T::decode_all(&mut &bytes[..length]).is_err(),
            "{length} of {} bytes",
            bytes.len()
        );
    }
    for more in [&[0][..], &[0xff], &[0; 48]] {
        let longer = [&bytes, more].concat();
        assert!(
            T::decode_all(&mut &longer[..]).is_err(),
            "{} bytes too many",
            more.len()
        );
    }
}

#[test]
fn every_decodable_type_refuses_trailing_and_missing_bytes() {
    let genesis = H256::zero();
    let set = TestSet::new(3, 0..7);
    let next = TestSet::new(4, 1..8);
    let commitment = set.commitment(9, &next.set);
    let message = RoundMessage::new(genesis, commitment.clone());
    let vote = set.vote(2, &message).expect("a member's vote holds");
    let other = RoundMessage::new(genesis, set.commitment(9, &set.set));
    let second = set.vote(2, &other).expect("a member's vote holds");
    let justification = set.justify(&message, [0, 1, 3, 4, 6]);
    let stateless = StatelessProof::new(&justification, set.set.keyset()).expect("of this set");
    let evidence = EquivocationProof::new(set.set.keyset(), &vote, &second).expect("a double vote");

    exact_length(&secret(0).public());
    exact_length(&secret(0).public().pk1());
    exact_length(&secret(0).public().pk2());
    exact_length(&secret(0).sign(b""));
    exact_length(&secret(0).sign(b"").sigma());
    exact_length(&secret(0).prove_possession(b""));
    exact_length(set.set.commitment());
    exact_length(&Keysets {
        current: set.set.commitment().clone(),
        next: next.set.commitment().clone(),
    });
    exact_length(&commitment);
    exact_length(&CommitmentPayload {
        mmr_root: commitment.mmr_root,
        validator_set_id: SetId::new(3),
        next: commitment.next.clone(),
    });
    exact_length(&vote.to_unchecked());
    exact_length(justification.signers());
    exact_length(justification.as_unchecked());
    exact_length(&stateless.proof);
    exact_length(&stateless);
    exact_length(&evidence);
    exact_length(&ConsensusLog::Planned(next.set.commitment().clone()));
    exact_length(&ConsensusLog::Activated(SetId::new(4)));
}

#[test]
fn a_list_longer_than_any_set_has_is_refused_by_its_length_alone() {
    let with_length =
        |prefix: Vec<u8>, length: u32| [prefix, codec::Compact(length).encode()].concat();
    let message = |error: codec::Error| error.to_string();

    let bits = with_length(Vec::new(), suite::MAX_VALIDATORS / 8 + 1);
    let error = Bitfield::decode(&mut &bits[..]).map_err(message);
    assert_eq!(
        error,
        Err("JUST-2: the bitfield is longer than any set".into())
    );

    let hashes = with_length(Vec::new(), suite::MAX_VALIDATORS / 2 + 1);
    let error = MerkleProof::decode(&mut &hashes[..]).map_err(message);
    assert_eq!(
        error,
        Err("SET-2: the multiproof is longer than any set's".into())
    );

    let set = TestSet::new(0, 0..1);
    let justification = set
        .justify(
            &RoundMessage::new(H256::zero(), set.commitment(1, &set.set)),
            0..1,
        )
        .into_unchecked();
    let keys = with_length(justification.encode(), suite::MAX_VALIDATORS / 3 + 1);
    let error = StatelessProof::decode(&mut &keys[..]).map_err(message);
    assert_eq!(
        error,
        Err("STATELESS-1: more non-signers than any set may have".into())
    );
}

#[test]
fn the_longest_multiproof_of_any_small_set_stays_below_the_bound_that_decoding_puts() {
    for n in 1_usize..=14 {
        let keys: Vec<_> = (0..n)
            .map(|index| Pk1Bytes([u8::try_from(index).expect("small"); 48]))
            .collect();
        for subset in 0_u32..(1 << n) {
            let indices: Vec<_> = (0..u32::try_from(n).expect("small"))
                .filter(|index| subset & (1 << index) != 0)
                .map(SignerIndex::new)
                .collect();
            let proof = MerkleProof::prove(&keys, &indices).expect("ascending and inside");
            let hashes = (proof.encode().len() - 1) / 32;
            assert!(
                hashes <= n.div_ceil(2),
                "{hashes} hashes for {indices:?} of {n}"
            );
        }
    }
}
