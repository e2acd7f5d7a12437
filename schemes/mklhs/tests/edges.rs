//! Edge cases, and the expected verdict for each.

mod support;

use ark_bls12_381::{Fq, G1Affine};
use ark_ec::CurveGroup;
use ark_ff::PrimeField;
use duet_mklhs::{
    check_all, combine_disjoint, evaluate, evaluate_unchecked, group_by_signer, suite, verify,
    AdmissionError, BadInputs, BatchError, Bounds, CombineError, Combined, DecodeError,
    EquivocationError, EquivocationProof, EvidenceError, KeyError, KeyStatus, KeyStatusError,
    Label, LabelError, LabelField, MalformedProgram, Message, Part, Program, ProgramError,
    ProofOfPossession, PublicKey, Record, Scalar, SignError, Signature, SignatureError, Signers,
    SigningKey, VerifyError,
};
use support::{judge, key, label, registered, rng, sign, Scenario};

fn integers(inputs: &[(u8, i128, i128)]) -> Scenario {
    let of = |&(at, f, m): &(u8, i128, i128)| (at, f.into(), m.into());
    Scenario::new(Bounds::Integers, &inputs.iter().map(of).collect::<Vec<_>>())
}

fn accepts(scenario: &Scenario) {
    let combined = scenario.combined();
    let verified = scenario.verify(scenario.total(), &combined).unwrap();
    assert_eq!(verified.total, scenario.total());
}

#[test]
fn one_input_with_coefficient_one_is_its_signature() {
    let scenario = integers(&[(1, 1, 42)]);
    accepts(&scenario);
    assert_eq!(
        scenario.combined().to_bytes(),
        scenario.signatures[0].to_bytes()
    );
    let label = &scenario.program.labels()[0];
    let checked = scenario.signatures[0].check(&scenario.signers, label, Bounds::Integers);
    assert_eq!(checked, Ok(()));
}

#[test]
fn messages_may_be_negative_zero_and_minus_one() {
    let scenario = integers(&[(1, 3, -5), (1, 2, 0), (2, 7, -1)]);
    accepts(&scenario);
    assert_eq!(scenario.total(), Scalar::from(-22));
    let minus_one = Scalar::from_bytes(&(-Scalar::ONE).to_bytes()).unwrap();
    assert_eq!(minus_one, Scalar::from(-1));
}

#[test]
fn a_coefficient_of_minus_one_gives_the_difference_of_two_signers() {
    let scenario = integers(&[(1, 1, 100), (2, -1, 58)]);
    accepts(&scenario);
    assert_eq!(scenario.total(), Scalar::from(42));
}

#[test]
fn a_part_may_be_zero() {
    let scenario = integers(&[(1, 1, 5), (1, -1, 5), (2, 1, 0)]);
    accepts(&scenario);
    assert_eq!(scenario.combined().partials(), [Scalar::ZERO; 2]);
}

#[test]
fn the_largest_integers_are_accepted_and_the_next_are_not() {
    let largest = (1_i128 << 64) - 1;
    accepts(&integers(&[
        (1, largest, largest),
        (1, -largest, -largest),
        (2, largest, -largest),
    ]));
    for beyond in [1_i128 << 64, -(1 << 64)] {
        let labels = vec![label(&key(1), "x")];
        let program = Program::new(Bounds::Integers, vec![beyond.into()], labels);
        assert_eq!(program, Err(ProgramError::OutOfBounds { index: 0 }));
        let message = Message::new(Bounds::Integers, beyond);
        assert_eq!(
            message,
            Err(SignError::OutOfBounds {
                message: beyond.into()
            })
        );
    }
}

#[test]
fn a_signed_message_beyond_the_bounds_is_not_admitted() {
    let signer = key(1);
    let label = label(&signer, "x");
    let signature = sign(&signer, &label, 1_u128 << 64);
    let signers = registered([&signer]);
    let signer = signer.id();
    let refused = SignatureError::OutOfBounds { signer };
    assert_eq!(
        signature.check(&signers, &label, Bounds::Integers),
        Err(refused)
    );
    assert_eq!(signature.check(&signers, &label, Bounds::Residues), Ok(()));
    let all = check_all(
        &signers,
        Bounds::Integers,
        &[label],
        &[signature],
        &mut rng(0),
    );
    assert_eq!(all, Err(BadInputs(vec![(0, refused)]).into()));
}

#[test]
fn a_batch_has_as_many_signatures_as_labels_or_nothing_is_checked() {
    let scenario = Scenario::three_signers();
    let (labels, signatures) = (scenario.program.labels(), &scenario.signatures);
    let check = |labels: &[Label], signatures: &[Signature]| {
        let bounds = Bounds::Integers;
        check_all(&scenario.signers, bounds, labels, signatures, &mut rng(0))
    };
    assert_eq!(check(labels, signatures), Ok(()));
    for (of_labels, of_signatures) in [(3, 0), (0, 3), (6, 5), (5, 6)] {
        let refused = BatchError::LengthMismatch {
            labels: of_labels,
            signatures: of_signatures,
        };
        assert_eq!(
            check(&labels[..of_labels], &signatures[..of_signatures]),
            Err(refused)
        );
    }
}

#[test]
fn programs_are_refused_by_their_first_broken_rule() {
    let (a, b) = (label(&key(1), "a"), label(&key(1), "b"));
    let new = |coefficients: &[i32], labels: &[&Label]| {
        let coefficients = coefficients.iter().map(|f| (*f).into()).collect();
        let labels = labels.iter().map(|label| (*label).clone()).collect();
        Program::new(Bounds::Integers, coefficients, labels).unwrap_err()
    };
    assert_eq!(new(&[], &[]), ProgramError::EmptyProgram);
    let mismatch = |coefficients, labels| ProgramError::LengthMismatch {
        coefficients,
        labels,
    };
    assert_eq!(new(&[1, 2], &[&a]), mismatch(2, 1));
    assert_eq!(new(&[], &[&a]), mismatch(0, 1));
    assert_eq!(
        new(&[1, 0], &[&a, &b]),
        ProgramError::ZeroCoefficient { index: 1 }
    );
    let duplicate = ProgramError::DuplicateLabel {
        first: 0,
        second: 2,
    };
    assert_eq!(new(&[1, 2, 3], &[&a, &b, &a]), duplicate);
}

#[test]
fn a_program_has_at_most_65536_inputs() {
    let signer = key(1);
    let labels: Vec<_> = (0..=suite::MAX_INPUTS)
        .map(|at| label(&signer, &at.to_string()))
        .collect();
    let new = |count: usize| {
        Program::new(
            Bounds::Integers,
            vec![Scalar::ONE; count],
            labels[..count].to_vec(),
        )
    };
    assert!(new(suite::MAX_INPUTS).is_ok());
    let got = suite::MAX_INPUTS + 1;
    assert_eq!(new(got), Err(ProgramError::TooManyInputs { got }));
}

#[test]
fn signers_who_take_turns_are_ordered_by_first_appearance() {
    let scenario = Scenario::three_signers();
    accepts(&scenario);
    let ids: Vec<_> = scenario.keys.iter().map(SigningKey::id).collect();
    assert_eq!(scenario.program.signers(), ids);
    let groups = group_by_signer(scenario.program.labels());
    assert_eq!(groups.inputs, [[0, 3], [1, 4], [2, 5]]);
    let reversed = group_by_signer(scenario.program.labels().iter().rev());
    assert_eq!(reversed.signers, [ids[2], ids[1], ids[0]]);
    assert_eq!(reversed.inputs, [[0, 3], [1, 4], [2, 5]]);
}

#[test]
fn parts_that_change_places_are_refused() {
    let scenario = Scenario::three_signers();
    let combined = scenario.combined();
    let gamma = judge::g1(&combined.to_bytes()[..suite::G1_LEN]);
    let mut partials = combined.partials().to_vec();
    partials.swap(0, 1);
    let swapped = judge::combined(gamma, &partials);
    let verdict = scenario.verify(scenario.total(), &swapped);
    assert_eq!(verdict, Err(VerifyError::PairingMismatch));
}

#[test]
fn a_total_that_is_off_is_refused_whether_the_parts_follow_it_or_not() {
    let scenario = Scenario::three_signers();
    let combined = scenario.combined();
    let off = scenario.total() + Scalar::ONE;
    assert_eq!(
        scenario.verify(off, &combined),
        Err(VerifyError::SumMismatch)
    );
    let gamma = judge::g1(&combined.to_bytes()[..suite::G1_LEN]);
    let mut partials = combined.partials().to_vec();
    partials[0] = partials[0] + Scalar::ONE;
    assert_eq!(
        scenario.verify(off, &judge::combined(gamma, &partials)),
        Err(VerifyError::PairingMismatch)
    );
}

#[test]
fn another_number_of_parts_than_signers_is_refused() {
    let scenario = Scenario::three_signers();
    let wire = scenario.combined().to_bytes();
    let shorter = Combined::from_bytes(&wire[..wire.len() - suite::SCALAR_LEN]).unwrap();
    let longer = Combined::from_bytes(&[wire, vec![0; suite::SCALAR_LEN]].concat()).unwrap();
    for (combined, got) in [(shorter, 2), (longer, 4)] {
        assert_eq!(
            scenario.verify(scenario.total(), &combined),
            Err(VerifyError::PartialCountMismatch { expected: 3, got })
        );
    }
}

/// A point of order 3 on the curve, outside the subgroup: `x = 0`, `y = 2`.
fn small_order() -> G1Affine {
    let point = G1Affine::new_unchecked(Fq::from(0), Fq::from(2));
    assert!(point.is_on_curve());
    point
}

#[test]
fn a_point_of_small_order_is_refused_alone_and_added_to_a_signature() {
    let scenario = Scenario::three_signers();
    let wire = scenario.combined().to_bytes();
    let gamma = judge::g1(&wire[..suite::G1_LEN]);
    let shifted = judge::bytes((gamma + small_order()).into_affine());
    for point in [judge::bytes(small_order()), shifted] {
        let bytes = [point.as_slice(), &wire[suite::G1_LEN..]].concat();
        assert_eq!(
            Combined::from_bytes(&bytes),
            Err(DecodeError::NotInSubgroup)
        );
        let single = &bytes[..suite::SIGNATURE_LEN];
        assert_eq!(
            Signature::from_bytes(single),
            Err(DecodeError::NotInSubgroup)
        );
        assert_eq!(
            ProofOfPossession::from_bytes(&point),
            Err(DecodeError::NotInSubgroup)
        );
    }
}

fn infinity<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    bytes[0] = 0xc0;
    bytes
}

#[test]
fn the_point_at_infinity_is_refused_wherever_a_point_is_read() {
    let identity = DecodeError::IdentityPoint;
    let point = infinity::<{ suite::G1_LEN }>();
    let wire = [point.as_slice(), &[0; suite::SCALAR_LEN]].concat();
    assert_eq!(Signature::from_bytes(&wire), Err(identity));
    assert_eq!(Combined::from_bytes(&wire), Err(identity));
    assert_eq!(ProofOfPossession::from_bytes(&point), Err(identity));
    assert_eq!(
        PublicKey::from_bytes(&infinity::<{ suite::G2_LEN }>()),
        Err(identity)
    );
    let refused = Signers::new().register_bytes(&infinity::<{ suite::G2_LEN }>(), &point);
    assert_eq!(refused, Err(AdmissionError::Key(identity)));
}

#[test]
fn wrong_flags_and_coordinates_that_are_not_reduced_are_refused() {
    let bad = DecodeError::BadPoint;
    let good = key(1).prove_possession().to_bytes();
    let mut uncompressed = good;
    uncompressed[0] &= 0x7f;
    let mut infinite = good;
    infinite[0] |= 0x40;
    let mut stray = infinity::<{ suite::G1_LEN }>();
    stray[0] |= 0x20;
    let mut modulus: [u8; suite::G1_LEN] = {
        use ark_ff::BigInteger;
        Fq::MODULUS.to_bytes_be().try_into().unwrap()
    };
    modulus[0] |= 0x80;
    let mut largest = [0xff; suite::G1_LEN];
    largest[0] = 0x9f;
    for bytes in [uncompressed, infinite, stray, modulus, largest] {
        assert_eq!(
            ProofOfPossession::from_bytes(&bytes),
            Err(bad),
            "{bytes:02x?}"
        );
        let wire = [bytes.as_slice(), &[0; suite::SCALAR_LEN]].concat();
        assert_eq!(Signature::from_bytes(&wire), Err(bad));
    }
    let mut key = key(1).public().to_bytes();
    key[0] &= 0x7f;
    assert_eq!(PublicKey::from_bytes(&key), Err(bad));
}

#[test]
fn a_key_outside_of_the_subgroup_is_refused() {
    use ark_bls12_381::{Fq2, G2Affine};
    use ark_ec::AffineRepr;
    let point = (1_u64..)
        .filter_map(|x| G2Affine::get_point_from_x_unchecked(Fq2::from(x), true))
        .find(|point| !point.is_in_correct_subgroup_assuming_on_curve() && !point.is_zero())
        .unwrap();
    let bytes = judge::bytes(point);
    assert_eq!(
        PublicKey::from_bytes(&bytes),
        Err(DecodeError::NotInSubgroup)
    );
}

#[test]
fn a_number_that_is_not_reduced_is_refused_with_its_place() {
    let order = {
        use ark_ff::BigInteger;
        ark_bls12_381::Fr::MODULUS.to_bytes_be()
    };
    let scenario = Scenario::three_signers();
    let mut wire = scenario.combined().to_bytes();
    let at = suite::G1_LEN + suite::SCALAR_LEN;
    wire[at..at + suite::SCALAR_LEN].copy_from_slice(&order);
    let refused = DecodeError::NonCanonicalScalar { index: 1 };
    assert_eq!(Combined::from_bytes(&wire), Err(refused));
    let mut single = scenario.signatures[0].to_bytes();
    single[suite::G1_LEN..].copy_from_slice(&order);
    let refused = DecodeError::NonCanonicalScalar { index: 0 };
    assert_eq!(Signature::from_bytes(&single), Err(refused));
}

#[test]
fn truncated_and_trailing_bytes_are_refused() {
    let scenario = Scenario::three_signers();
    let single = scenario.signatures[0].to_bytes();
    let wire = scenario.combined().to_bytes();
    let label = scenario.program.labels()[0].as_bytes().to_vec();
    let is_bad_length = |error| matches!(error, DecodeError::BadLength { .. });
    for length in (0..wire.len() + 40).filter(|length| *length != single.len()) {
        let bytes = [wire.as_slice(), &[0; 40]].concat();
        assert!(is_bad_length(
            Signature::from_bytes(&bytes[..length]).unwrap_err()
        ));
        if length < 80 || (length - 48) % 32 != 0 {
            assert!(is_bad_length(
                Combined::from_bytes(&bytes[..length]).unwrap_err()
            ));
        }
    }
    for length in 0..label.len() {
        let error = Label::from_bytes(&label[..length]).unwrap_err();
        assert!(matches!(error, LabelError::BadLength { .. }));
    }
    let trailing = [label.as_slice(), &[0]].concat();
    let field = LabelField::Tag;
    assert_eq!(
        Label::from_bytes(&trailing),
        Err(LabelError::BadLength { field })
    );
    for length in [0, 47, 49, 95, 97] {
        let bytes = vec![0x80; length];
        assert!(is_bad_length(PublicKey::from_bytes(&bytes).unwrap_err()));
        assert!(is_bad_length(
            ProofOfPossession::from_bytes(&bytes).unwrap_err()
        ));
    }
}

#[test]
fn labels_have_a_signer_of_32_bytes_and_fields_of_at_most_65535() {
    let id = key(1).id();
    let longest = vec![b'x'; suite::MAX_LABEL_FIELD_LEN];
    let long = Label::new(&longest, id, &longest, &longest).unwrap();
    assert_eq!(Label::from_bytes(long.as_bytes()).unwrap(), long);
    assert_eq!((long.context(), long.tag()), (&longest[..], &longest[..]));
    let got = longest.len() + 1;
    let longer = vec![b'x'; got];
    for (field, label) in [
        (LabelField::Context, Label::new(&longer, id, b"", b"")),
        (LabelField::Dataset, Label::new(b"", id, &longer, b"")),
        (LabelField::Tag, Label::new(b"", id, b"", &longer)),
    ] {
        assert_eq!(label, Err(LabelError::FieldTooLong { field, got }));
    }
    let mut bytes = vec![0, 0, 0, 31];
    bytes.extend([7; 31]);
    bytes.extend([0; 4]);
    let field = LabelField::Signer;
    assert_eq!(
        Label::from_bytes(&bytes),
        Err(LabelError::BadLength { field })
    );
}

#[test]
fn signers_count_when_their_key_is_registered_and_not_revoked() {
    let scenario = Scenario::three_signers();
    let combined = scenario.combined();
    let cheat = &scenario.keys[1];
    let signer = cheat.id();
    let verdict = |signers: &Signers| {
        verify(&scenario.program, signers, scenario.total(), &combined).unwrap_err()
    };
    let mut signers = registered([&scenario.keys[0], &scenario.keys[2]]);
    let unknown = KeyStatusError::UnknownSigner { signer };
    assert_eq!(verdict(&signers), VerifyError::KeyStatus(unknown));
    signers.announce(cheat.public().clone());
    assert_eq!(signers.status(&signer), Some(KeyStatus::Announced));
    let missing = KeyStatusError::MissingPop { signer };
    assert_eq!(verdict(&signers), VerifyError::KeyStatus(missing));
    let pop = cheat.prove_possession();
    signers.register(cheat.public().clone(), &pop).unwrap();
    assert!(verify(&scenario.program, &signers, scenario.total(), &combined).is_ok());

    let label = label(cheat, "twice");
    let proof = EquivocationProof::new(
        label.clone(),
        sign(cheat, &label, 1),
        sign(cheat, &label, 2),
    );
    assert_eq!(signers.revoke(&proof), Ok(signer));
    let revoked = KeyStatusError::Revoked { signer };
    assert_eq!(verdict(&signers), VerifyError::KeyStatus(revoked));
    // Neither announcing nor registering it again restores it.
    signers.announce(cheat.public().clone());
    let again = signers.register(cheat.public().clone(), &pop);
    assert_eq!(again, Err(AdmissionError::Revoked { signer }));
    assert_eq!(signers.status(&signer), Some(KeyStatus::Revoked));
}

#[test]
fn evidence_of_signing_twice_convicts_whoever_did_and_nobody_else() {
    let (cheat, honest) = (key(1), key(2));
    let load = label(&cheat, "load");
    let new = |first, second| EquivocationProof::new(load.clone(), first, second);
    let (one, two) = (sign(&cheat, &load, 1), sign(&cheat, &load, 2));
    assert_eq!(new(one, two).check(cheat.public()), Ok(cheat.id()));
    assert_eq!(
        new(one, one).check(cheat.public()),
        Err(EquivocationError::SameMessage)
    );
    let wrong = EquivocationError::WrongSigner {
        label: cheat.id(),
        key: honest.id(),
    };
    assert_eq!(new(one, two).check(honest.public()), Err(wrong));
    let elsewhere = sign(&cheat, &label(&cheat, "other"), 3);
    let index = |proof: EquivocationProof| proof.check(cheat.public()).unwrap_err();
    assert_eq!(
        index(new(one, elsewhere)),
        EquivocationError::PairingMismatch { index: 1 }
    );
    assert_eq!(
        index(new(elsewhere, two)),
        EquivocationError::PairingMismatch { index: 0 }
    );
    let signer = cheat.id();
    assert_eq!(
        registered([&honest]).revoke(&new(one, two)),
        Err(EquivocationError::UnknownSigner { signer })
    );
}

#[test]
fn evidence_that_does_not_decode_names_the_part() {
    let cheat = key(1);
    let load = label(&cheat, "load");
    let proof =
        EquivocationProof::new(load.clone(), sign(&cheat, &load, 1), sign(&cheat, &load, 2));
    let bytes = proof.to_bytes();
    let label_end = 4 + load.as_bytes().len();
    let with_ff = |at: usize| {
        let mut bytes = bytes.clone();
        bytes[at..at + 2].fill(0xff);
        EquivocationProof::from_bytes(&bytes)
    };
    let field = LabelField::Context;
    let bad_label = LabelError::BadLength { field };
    assert_eq!(with_ff(4), Err(EvidenceError::Label(bad_label)));
    for index in [0, 1] {
        let number_at = label_end + index * suite::SIGNATURE_LEN + suite::G1_LEN;
        let error = DecodeError::NonCanonicalScalar { index: 0 };
        assert_eq!(
            with_ff(number_at),
            Err(EvidenceError::Signature { index, error })
        );
    }
    for length in 0..bytes.len() {
        assert!(matches!(
            EquivocationProof::from_bytes(&bytes[..length]),
            Err(EvidenceError::BadLength { got, .. }) if got == length
        ));
    }
}

#[test]
fn a_record_ends_where_its_signature_does() {
    let signer = key(1);
    let load = label(&signer, "load");
    let record = Record {
        signature: sign(&signer, &load, 1),
        label: load,
    };
    let bytes = record.to_bytes();
    assert_eq!(Record::from_bytes(&bytes), Ok(record));
    let longer = [&bytes[..], &[0]].concat();
    let twice = [&bytes[..], &bytes[bytes.len() - suite::SIGNATURE_LEN..]].concat();
    let shorter = &bytes[..bytes.len() - 1];
    for wrong in [&longer[..], &twice, shorter, &[]] {
        let refused = Record::from_bytes(wrong);
        assert!(matches!(refused, Err(EvidenceError::BadLength { got, .. }) if got == wrong.len()));
    }
}

#[test]
fn a_program_that_does_not_decode_names_the_input() {
    let scenario = Scenario::three_signers();
    let bytes = scenario.program.to_bytes();
    assert_eq!(Program::from_bytes(&bytes), Ok(scenario.program.clone()));
    let changed = |at: usize, to: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = to;
        Program::from_bytes(&bytes)
    };
    assert_eq!(changed(0, 2), Err(MalformedProgram::Bounds { got: 2 }));
    let index = 0;
    assert_eq!(
        changed(5, 0xff),
        Err(MalformedProgram::NonCanonicalScalar { index })
    );
    assert_eq!(changed(37, 1), Err(MalformedProgram::Cut { index }));
    let error = LabelError::BadLength {
        field: LabelField::Context,
    };
    assert_eq!(
        changed(41, 0xff),
        Err(MalformedProgram::Label { index, error })
    );
    assert_eq!(
        changed(1, 1),
        Err(ProgramError::TooManyInputs {
            got: (1 << 24) + scenario.program.labels().len()
        }
        .into())
    );
    // The same input twice.
    let first = 5 + 32 + 4 + scenario.program.labels()[0].as_bytes().len();
    let mut twice = [&bytes[..first], &bytes[5..]].concat();
    twice[4] += 1;
    let (first, second) = (0, 1);
    assert_eq!(
        Program::from_bytes(&twice),
        Err(ProgramError::DuplicateLabel { first, second }.into())
    );
    for length in 0..bytes.len() {
        let refused = Program::from_bytes(&bytes[..length]);
        assert!(matches!(refused, Err(MalformedProgram::Cut { .. })));
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(
        Program::from_bytes(&longer),
        Err(MalformedProgram::Trailing { got: 1 })
    );
}

#[test]
fn a_key_signs_only_its_own_labels() {
    let (mine, other) = (key(1), key(2));
    let refused = mine.sign_unregistered(&label(&other, "x"), 1.into());
    assert_eq!(
        refused,
        Err(SignError::WrongSigner {
            label: other.id(),
            key: mine.id()
        })
    );
}

#[test]
fn keys_that_are_zero_too_large_or_of_too_little_material_are_refused() {
    assert_eq!(
        SigningKey::from_bytes(&[0; 32]).unwrap_err(),
        KeyError::BadSecret
    );
    assert_eq!(
        SigningKey::from_bytes(&[0xff; 32]).unwrap_err(),
        KeyError::BadSecret
    );
    for got in [0, 31] {
        let short = SigningKey::generate(&vec![1; got]);
        assert_eq!(short.unwrap_err(), KeyError::ShortMaterial { got });
    }
}

#[test]
fn a_secret_is_not_printed() {
    let key = key(1);
    let secret = hex::encode(key.expose().as_ref());
    let printed = format!("{key:?} {:?}", key.public());
    assert!(!printed.contains(&secret[..8]) && printed.contains("redacted"));
}

#[test]
fn combining_needs_as_many_signatures_as_inputs_and_good_ones() {
    let scenario = Scenario::three_signers();
    let short = &scenario.signatures[1..];
    let mismatch = CombineError::LengthMismatch {
        expected: 6,
        got: 5,
    };
    assert_eq!(
        evaluate_unchecked(&scenario.program, short),
        Err(mismatch.clone())
    );
    assert_eq!(
        evaluate(&scenario.program, short, &scenario.signers, &mut rng(0)),
        Err(mismatch)
    );
    let mut swapped = scenario.signatures.clone();
    swapped.swap(0, 3);
    let signer = scenario.keys[0].id();
    let bad = [0, 3].map(|at| (at, SignatureError::PairingMismatch { signer }));
    assert_eq!(
        evaluate(&scenario.program, &swapped, &scenario.signers, &mut rng(0)),
        Err(CombineError::BadInputs(BadInputs(bad.to_vec())))
    );
    let lax = evaluate_unchecked(&scenario.program, &swapped).unwrap();
    assert_eq!(
        scenario.verify(lax.total(), &lax),
        Err(VerifyError::PairingMismatch)
    );
}

#[test]
fn signatures_that_cancel_out_are_not_combined() {
    let signer = key(1);
    let labels = vec![label(&signer, "a"), label(&signer, "b")];
    let signature = sign(&signer, &labels[0], 1);
    let program = Program::new(Bounds::Integers, vec![1.into(), Scalar::from(-1)], labels).unwrap();
    assert_eq!(
        evaluate_unchecked(&program, &[signature, signature]),
        Err(CombineError::IdentityPoint)
    );
}

fn part<'a>(weight: i64, scenario: &'a Scenario, combined: &'a Combined) -> Part<'a> {
    Part {
        weight: weight.into(),
        program: &scenario.program,
        combined,
    }
}

#[test]
fn disjoint_parts_combine_and_overlapping_ones_do_not() {
    // Tags are numbered from 0, so these two share signers but no labels.
    let one = integers(&[(1, 3, 5), (2, -7, 11)]);
    let two = integers(&[(3, 2, 8), (3, 1, 1), (1, 4, 9), (2, 5, -1)]);
    let (a, b) = (one.combined(), two.combined());
    let signers = registered(&two.keys);
    let (program, both) = combine_disjoint(&[part(2, &one, &a), part(-3, &two, &b)]).unwrap();
    let total = one.total() * 2.into() + two.total() * Scalar::from(-3);
    let verified = verify(&program, &signers, total, &both).unwrap();
    assert_eq!(verified.per_signer.len(), 3);
    assert_eq!(program.signers()[0], one.keys[0].id());
    assert_eq!(program.coefficients()[2], Scalar::from(-6));

    let overlap = ProgramError::DuplicateLabel {
        first: 0,
        second: 2,
    };
    assert_eq!(
        combine_disjoint(&[part(1, &one, &a), part(1, &one, &a)]),
        Err(CombineError::Program(overlap))
    );
    assert_eq!(
        combine_disjoint(&[part(0, &one, &a)]),
        Err(CombineError::Program(ProgramError::ZeroCoefficient {
            index: 0
        }))
    );
    assert_eq!(
        combine_disjoint(&[]),
        Err(CombineError::Program(ProgramError::EmptyProgram))
    );
    assert_eq!(
        combine_disjoint(&[part(1, &one, &a), part(1, &two, &a)]),
        Err(CombineError::PartialCountMismatch {
            part: 1,
            expected: 3,
            got: 2
        })
    );
    let residues = Scenario::new(Bounds::Residues, &[(9, 1.into(), 1.into())]);
    let c = residues.combined();
    assert_eq!(
        combine_disjoint(&[part(1, &one, &a), part(1, &residues, &c)]),
        Err(CombineError::BoundsMismatch { part: 1 })
    );
}

#[test]
fn error_texts_name_the_input_at_fault() {
    let signer = key(1).id();
    let texts = [
        (
            DecodeError::NonCanonicalScalar { index: 3 }.to_string(),
            "scalar 3 is not below the group order".to_owned(),
        ),
        (
            LabelError::FieldTooLong {
                field: LabelField::Tag,
                got: 70_000,
            }
            .to_string(),
            "the tag has 70000 bytes, at most 65535 are allowed".to_owned(),
        ),
        (
            ProgramError::DuplicateLabel {
                first: 1,
                second: 2,
            }
            .to_string(),
            "inputs 1 and 2 have the same label".to_owned(),
        ),
        (
            VerifyError::OutOfBounds { signer }.to_string(),
            format!("the partial sum of {signer} is out of bounds"),
        ),
        (
            BadInputs(vec![(4, SignatureError::PairingMismatch { signer })]).to_string(),
            format!(
                "1 invalid inputs, the first at index 4: the pairing equation is not satisfied for {signer}"
            ),
        ),
        (
            EquivocationError::SameMessage.to_string(),
            "both signatures are on the same message".to_owned(),
        ),
    ];
    for (text, expected) in texts {
        assert_eq!(text, expected);
    }
}
