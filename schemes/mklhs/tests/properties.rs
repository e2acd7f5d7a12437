//! Properties, on random programs.

mod support;

use duet_mklhs::{
    check_all, combine_disjoint, evaluate_unchecked, BadInputs, Bounds, Combined, Label, Part,
    Program, Scalar, Signature, SignatureError, Signers,
};
use proptest::prelude::*;
use support::{judge, rng, sign, Scenario};

/// An integer of up to 64 bits plus sign, small ones as often as large ones.
fn integer() -> impl Strategy<Value = i128> {
    (any::<u64>(), 0_u32..64, any::<bool>()).prop_map(|(number, shift, is_negative)| {
        let number = i128::from(number >> shift);
        if is_negative {
            -number
        } else {
            number
        }
    })
}

fn coefficient() -> impl Strategy<Value = i128> {
    integer().prop_map(|number| if number == 0 { 1 } else { number })
}

fn inputs(most: usize) -> impl Strategy<Value = Vec<(u8, Scalar, Scalar)>> {
    let input = (1_u8..5, coefficient(), integer());
    let input = input.prop_map(|(at, f, m)| (at, f.into(), m.into()));
    prop::collection::vec(input, 1..=most)
}

fn residue() -> impl Strategy<Value = Scalar> {
    any::<[u128; 2]>()
        .prop_map(|[a, b]| Scalar::from(a) * Scalar::from(u128::MAX) + Scalar::from(b))
}

fn residues() -> impl Strategy<Value = Vec<(u8, Scalar, Scalar)>> {
    let nonzero = residue().prop_filter("a coefficient", |f| !f.is_zero());
    prop::collection::vec((1_u8..5, nonzero, residue()), 1..=5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_combined_verifies_and_the_judge_agrees(inputs in inputs(9)) {
        let scenario = Scenario::new(Bounds::Integers, &inputs);
        let combined = scenario.combined();
        let verified = scenario.verify(scenario.total(), &combined).unwrap();
        let sum: Scalar = verified.per_signer.iter().map(|(_, part)| *part).sum();
        prop_assert_eq!(sum, scenario.total());
        prop_assert_eq!(combined.to_bytes().len(), 48 + 32 * scenario.program.signers().len());
        let keys = judge::possessed(&scenario.keys);
        let verdict = judge::Rules::default()
            .verify_program(&scenario.program, &keys, scenario.total(), &combined);
        prop_assert_eq!(verdict, Ok(()));
    }

    #[test]
    fn residues_combine_as_integers_do(inputs in residues()) {
        let scenario = Scenario::new(Bounds::Residues, &inputs);
        let combined = scenario.combined();
        prop_assert!(scenario.verify(scenario.total(), &combined).is_ok());
    }

    #[test]
    fn the_offline_and_the_online_part_are_the_verification(
        inputs in inputs(6),
        off in prop::option::of(integer()),
    ) {
        let scenario = Scenario::new(Bounds::Integers, &inputs);
        let total = scenario.total() + off.map_or(Scalar::ZERO, Scalar::from);
        let combined = scenario.combined();
        let prepared = scenario.program.prepare();
        prop_assert_eq!(prepared.signers(), scenario.program.signers());
        prop_assert_eq!(
            prepared.verify(&scenario.signers, total, &combined),
            scenario.verify(total, &combined)
        );
    }

    #[test]
    fn the_batch_names_what_each_check_refuses(
        inputs in inputs(8),
        swaps in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..4), 0..3),
    ) {
        let scenario = Scenario::new(Bounds::Integers, &inputs);
        let mut signatures = scenario.signatures.clone();
        let mut signers = scenario.signers.clone();
        for (index, how) in swaps {
            let at = index.index(signatures.len());
            let key = &scenario.keys[0];
            match how {
                0 => signatures[at] = signatures[0],
                1 => signatures[at] = judge::signature(
                    judge::gamma(&signatures[at]),
                    signatures[at].message() + Scalar::ONE,
                ),
                2 => signatures[at] = sign(key, &support::label(key, "x"), 1_u128 << 70),
                _ => signers = support::registered(&scenario.keys[1..]),
            }
        }
        let labels = scenario.program.labels();
        let one_by_one = |(index, (label, signature)): (usize, (&Label, &Signature))| {
            let verdict = signature.check(&signers, label, Bounds::Integers);
            verdict.err().map(|error| (index, error))
        };
        let expected: Vec<(usize, SignatureError)> =
            labels.iter().zip(&signatures).enumerate().filter_map(one_by_one).collect();
        let together = check_all(&signers, Bounds::Integers, labels, &signatures, &mut rng(3));
        let expected = if expected.is_empty() { Ok(()) } else { Err(BadInputs(expected).into()) };
        prop_assert_eq!(together, expected);
    }

    #[test]
    fn combining_is_linear(inputs in inputs(5), weight in coefficient()) {
        let scenario = Scenario::new(Bounds::Residues, &inputs);
        let scaled: Vec<_> = inputs
            .iter()
            .map(|(at, f, m)| (*at, *f * weight.into(), *m))
            .collect();
        let scaled = Scenario::new(Bounds::Residues, &scaled);
        let combined = scenario.combined();
        let part = Part { weight: weight.into(), program: &scenario.program, combined: &combined };
        let (program, of_part) = combine_disjoint(&[part]).unwrap();
        prop_assert_eq!(&program, &scaled.program);
        prop_assert_eq!(of_part, scaled.combined());
    }

    #[test]
    fn parts_make_what_the_whole_makes(inputs in inputs(8), at in any::<prop::sample::Index>()) {
        let scenario = Scenario::new(Bounds::Integers, &inputs);
        let at = at.index(inputs.len());
        let split = |range: std::ops::Range<usize>| {
            let program = Program::new(
                Bounds::Integers,
                scenario.program.coefficients()[range.clone()].to_vec(),
                scenario.program.labels()[range.clone()].to_vec(),
            ).ok()?;
            let combined = evaluate_unchecked(&program, &scenario.signatures[range]).unwrap();
            Some((program, combined))
        };
        let parts: Vec<_> = [split(0..at), split(at..inputs.len())].into_iter().flatten().collect();
        let parts: Vec<_> = parts
            .iter()
            .map(|(program, combined)| Part { weight: Scalar::ONE, program, combined })
            .collect();
        let (program, combined) = combine_disjoint(&parts).unwrap();
        prop_assert_eq!(&program, &scenario.program);
        prop_assert_eq!(combined, scenario.combined());
    }

    #[test]
    fn labels_are_what_they_were_made_of(
        context in prop::collection::vec(any::<u8>(), 0..40),
        id in any::<[u8; 32]>(),
        dataset in prop::collection::vec(any::<u8>(), 0..40),
        tag in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let id = duet_mklhs::SignerId::from_bytes(id);
        let label = Label::new(&context, id, &dataset, &tag).unwrap();
        let parts = (label.context(), label.signer(), label.dataset(), label.tag());
        prop_assert_eq!(parts, (&context[..], id, &dataset[..], &tag[..]));
        prop_assert_eq!(&Label::from_bytes(label.as_bytes()).unwrap(), &label);
    }

    #[test]
    fn scalars_compute_as_the_judge_does(a in residue(), b in residue()) {
        prop_assert_eq!(judge::fr(a + b), judge::fr(a) + judge::fr(b));
        prop_assert_eq!(judge::fr(a * b), judge::fr(a) * judge::fr(b));
        prop_assert_eq!(judge::fr(-a), -judge::fr(a));
        prop_assert_eq!(judge::scalar(judge::fr(a)), a);
        prop_assert_eq!(a.to_string().parse::<Scalar>(), Ok(a));
        prop_assert_eq!(a + -a, Scalar::ZERO);
    }

    #[test]
    fn signatures_of_any_message_hold_and_of_no_other(
        message in residue(),
        off in residue().prop_filter("a difference", |off| !off.is_zero()),
    ) {
        let key = support::key(1);
        let label = support::label(&key, "any");
        let signature = sign(&key, &label, message);
        let signers: Signers = support::registered([&key]);
        prop_assert!(signature.check(&signers, &label, Bounds::Residues).is_ok());
        let moved = judge::signature(judge::gamma(&signature), message + off);
        prop_assert!(moved.check(&signers, &label, Bounds::Residues).is_err());
        prop_assert_eq!(Combined::from_bytes(&signature.to_bytes()).unwrap().total(), message);
    }
}
