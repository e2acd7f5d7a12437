//! The attacks on the scheme. Each is refused by the rule that prevents it, and succeeds against the reference verifier
//! with that rule disabled.

mod support;

use ark_bls12_381::{Fr, G1Projective, G2Affine};
use ark_ec::{pairing::Pairing, AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{Field, PrimeField};
use duet_mklhs::{
    check_all, evaluate_unchecked, message_base, suite, verify, AdmissionError, BadInputs, Bounds,
    KeyStatusError, Label, LabelRegister, Program, ProgramError, ProofOfPossession, PublicKey,
    RegisterError, RegisterFiles, Scalar, SignatureError, Signers, SigningKey, VerifyError,
};
use std::collections::HashMap;
use support::{
    judge::{self, Key, Labels, Rules},
    key, label, rng, sign, Scenario,
};

/// The secret scalar, for attacks in which the attacker owns the key.
fn secret(key: &SigningKey) -> Fr {
    Fr::from_be_bytes_mod_order(key.expose().as_ref())
}

/// `a·P2 − pk`: a key whose secret is unknown, but whose sum with the victim's key has the secret `a`.
fn rogue(victim: &SigningKey, a: Fr) -> PublicKey {
    let victim = judge::g2(&victim.public().to_bytes());
    let point = (G2Affine::generator() * a - victim).into_affine();
    PublicKey::from_bytes(&judge::bytes(point)).unwrap()
}

/// The reference verifier's view of the victim, registered, and of the rogue key.
fn with_rogue(
    victim: &SigningKey,
    rogue: &PublicKey,
    is_possessed: bool,
) -> HashMap<duet_mklhs::SignerId, Key> {
    let mut keys = judge::possessed([victim]);
    let point = judge::g2(&rogue.to_bytes());
    keys.insert(
        rogue.id(),
        Key {
            point,
            is_possessed,
        },
    );
    keys
}

#[test]
fn one_label_for_two_messages_gives_everything_away_and_the_register_refuses_it() {
    let victim = key(1);
    let load = label(&victim, "load");
    let folder = tempfile::tempdir().unwrap();
    let files = RegisterFiles {
        journal: folder.path().join("journal"),
        anchor: folder.path().join("anchor"),
    };
    let register = LabelRegister::create(&files, victim.id()).unwrap();
    let first = register.sign(&victim, &load, 10.into()).unwrap();
    let refused = register.sign(&victim, &load, 14.into());
    assert!(matches!(
        refused,
        Err(RegisterError::LabelAlreadyUsed { used, asked, .. })
            if used == 10.into() && asked == 14.into()
    ));

    // Without the register:
    let second = sign(&victim, &load, 14);
    let evidence = (judge::gamma(&second) - judge::gamma(&first)) * Fr::from(4).inverse().unwrap();
    let public = judge::g2(&victim.public().to_bytes());
    let pairing = ark_bls12_381::Bls12_381::pairing;
    assert_eq!(
        pairing(evidence, G2Affine::generator()),
        pairing(judge::base(), public)
    );
    let other = label(&victim, "other");
    let honest = sign(&victim, &other, 5);
    let forged = judge::gamma(&honest) + evidence * (Fr::from(999) - Fr::from(5));
    let forged = judge::signature(forged, 999.into());
    let signers = support::registered([&victim]);
    assert_eq!(forged.check(&signers, &other, Bounds::Integers), Ok(()));
}

#[test]
fn a_key_of_the_dual_group_scheme_forges_only_where_the_base_is_the_generator() {
    let victim = key(1);
    let load = label(&victim, "load");
    // The G1 part of a public key of that scheme.
    let leaked = G1Projective::generator() * secret(&victim);
    let signers = support::registered([&victim]);

    let honest = sign(&victim, &load, 10);
    let shifted = judge::gamma(&honest) + leaked * (Fr::from(5) - Fr::from(10));
    let forged = judge::signature(shifted, 5.into());
    assert_eq!(
        forged.check(&signers, &load, Bounds::Integers),
        Err(SignatureError::PairingMismatch {
            signer: victim.id()
        })
    );
    assert_ne!(
        message_base().to_vec(),
        judge::compress(G1Projective::generator())
    );

    // With the generator as the base:
    let careless = Rules::but(|it| it.base = G1Projective::generator());
    let point = careless.point(&load) + careless.base * Fr::from(10);
    let honest = point * secret(&victim);
    let forged = honest + leaked * (Fr::from(5) - Fr::from(10));
    let keys = judge::possessed([&victim]);
    let program = [(Scalar::ONE, &load)];
    let verdict = |rules: &Rules| rules.verify(&program, &keys, 5.into(), forged, &[5.into()]);
    assert_eq!(verdict(&careless), Ok(()));
    assert_eq!(verdict(&Rules::default()), Err("PairingMismatch"));
}

#[test]
fn zero_coefficients_let_a_rogue_key_sign_for_others() {
    let victim = key(1);
    let a = Fr::from(987_654_321);
    let rogue = rogue(&victim, a);
    let labels = [
        label(&victim, "x"),
        Label::new(b"test-chain", rogue.id(), b"epoch-7", b"y").unwrap(),
    ];
    let zeros = vec![Scalar::ZERO; 2];
    assert_eq!(
        Program::new(Bounds::Integers, zeros, labels.to_vec()),
        Err(ProgramError::ZeroCoefficient { index: 0 })
    );
    let mut signers = support::registered([&victim]);
    let pop = ProofOfPossession::from_bytes(&judge::compress(
        judge::hash_to_g1(suite::DST_POP, &rogue.to_bytes()) * a,
    ));
    assert_eq!(
        signers.register(rogue.clone(), &pop.unwrap()),
        Err(AdmissionError::BadPop)
    );

    let mu = Scalar::from(1_234_567);
    let forged = judge::base() * (judge::fr(mu) * a);
    let program = [(Scalar::ZERO, &labels[0]), (Scalar::ZERO, &labels[1])];
    let judged = |nonzero, possession| {
        let rules = Rules {
            nonzero,
            possession,
            // The bounds scale with the coefficients, so with zeros nothing would be within them.
            bounds: false,
            ..Default::default()
        };
        let keys = with_rogue(&victim, &rogue, false);
        rules.verify(&program, &keys, mu + mu, forged, &[mu, mu])
    };
    assert_eq!(judged(false, false), Ok(()));
    assert_eq!(judged(true, false), Err("ZeroCoefficient"));
    assert_eq!(judged(false, true), Err("MissingPop"));
}

#[test]
fn a_zero_coefficient_alone_lists_a_signer_who_never_signed() {
    let (victim, attacker) = (key(1), key(2));
    let labels = [label(&victim, "never signed"), label(&attacker, "y")];
    let signature = sign(&attacker, &labels[1], 5);
    let coefficients = vec![Scalar::ZERO, Scalar::ONE];
    assert_eq!(
        Program::new(Bounds::Integers, coefficients, labels.to_vec()),
        Err(ProgramError::ZeroCoefficient { index: 0 })
    );
    let keys = judge::possessed([&victim, &attacker]);
    let program = [(Scalar::ZERO, &labels[0]), (Scalar::ONE, &labels[1])];
    let judged = |nonzero| {
        let rules = Rules::but(|it| it.nonzero = nonzero);
        let partials = [Scalar::ZERO, 5.into()];
        rules.verify(
            &program,
            &keys,
            5.into(),
            judge::gamma(&signature),
            &partials,
        )
    };
    assert_eq!(judged(false), Ok(()));
    assert_eq!(judged(true), Err("ZeroCoefficient"));
}

#[test]
fn labels_that_do_not_bind_the_signer_let_a_rogue_key_forge() {
    let victim = key(1);
    let a = Fr::from(13_579);
    let rogue = rogue(&victim, a);
    let labels = vec![
        label(&victim, "T"),
        Label::new(b"test-chain", rogue.id(), b"epoch-7", b"T").unwrap(),
    ];
    let (f, mu) = (Scalar::from(3), Scalar::from(55));
    let tag_only = Rules::but(|it| (it.labels, it.possession) = (Labels::TagOnly, false));
    // The two signers' parts sum to `a` times one of them.
    let part = judge::base() * judge::fr(mu) + tag_only.point(&labels[0]) * judge::fr(f);
    let forged = part * a;
    let partials = [mu, mu];

    let program = Program::new(Bounds::Integers, vec![f; 2], labels.clone()).unwrap();
    let combined = judge::combined(forged, &partials);
    let mut signers = support::registered([&victim]);
    signers.announce(rogue.clone());
    let signer = rogue.id();
    assert_eq!(
        verify(&program, &signers, mu + mu, &combined),
        Err(VerifyError::KeyStatus(KeyStatusError::MissingPop {
            signer
        }))
    );

    // The test knows the victim's secret, and so that of the rogue key, which no attacker does. Even if the key were
    // admitted with a proof, it could not forge, because labels name their signers.
    let known = judge::scalar(a - secret(&victim)).to_bytes();
    let known = SigningKey::from_bytes(&known).unwrap();
    assert_eq!(known.public(), &rogue);
    let pop = known.prove_possession();
    assert_eq!(signers.register(rogue.clone(), &pop), Ok(signer));
    assert_eq!(
        verify(&program, &signers, mu + mu, &combined),
        Err(VerifyError::PairingMismatch)
    );

    let keys = with_rogue(&victim, &rogue, false);
    let judged = |rules: Rules| rules.verify_program(&program, &keys, mu + mu, &combined);
    assert_eq!(judged(tag_only), Ok(()));
    let bound_labels = Rules::but(|it| it.possession = false);
    assert_eq!(judged(bound_labels), Err("PairingMismatch"));
}

#[test]
fn a_label_that_counts_twice_makes_one_signature_look_like_two() {
    let signer = key(1);
    let load = label(&signer, "load");
    let signature = sign(&signer, &load, 7);
    let refused = Program::new(
        Bounds::Integers,
        vec![Scalar::ONE; 2],
        vec![load.clone(), load.clone()],
    );
    assert_eq!(
        refused,
        Err(ProgramError::DuplicateLabel {
            first: 0,
            second: 1
        })
    );
    // A number signed once, and a total that counts it twice.
    let program = [(Scalar::ONE, &load), (Scalar::ONE, &load)];
    let keys = judge::possessed([&signer]);
    let doubled = judge::gamma(&signature) + judge::gamma(&signature);
    let judged = |distinct| {
        let rules = Rules::but(|it| it.distinct = distinct);
        rules.verify(&program, &keys, 14.into(), doubled, &[14.into()])
    };
    assert_eq!(judged(false), Ok(()));
    assert_eq!(judged(true), Err("DuplicateLabel"));

    // Coefficients that cancel remove the label from the equation, so the result includes a label that was never
    // signed.
    let never = label(&signer, "never signed");
    let minus = -Scalar::ONE;
    let program = [(Scalar::ONE, &load), (Scalar::ONE, &never), (minus, &never)];
    let judged = |distinct| {
        let rules = Rules::but(|it| it.distinct = distinct);
        let gamma = judge::gamma(&signature);
        rules.verify(&program, &keys, 7.into(), gamma, &[7.into()])
    };
    assert_eq!(judged(false), Ok(()));
    assert_eq!(judged(true), Err("DuplicateLabel"));
}

#[test]
fn a_total_that_is_not_the_sum_of_the_parts_is_anything() {
    let scenario = Scenario::three_signers();
    let honest = scenario.combined();
    let claimed = scenario.total() + 1_000_000.into();
    assert_eq!(
        scenario.verify(claimed, &honest),
        Err(VerifyError::SumMismatch)
    );
    let keys = judge::possessed(&scenario.keys);
    let judged = |sum| {
        let rules = Rules::but(|it| it.sum = sum);
        rules.verify_program(&scenario.program, &keys, claimed, &honest)
    };
    assert_eq!(judged(false), Ok(()));
    assert_eq!(judged(true), Err("SumMismatch"));
}

#[test]
fn labels_hashed_in_two_halves_give_signatures_on_what_was_never_signed() {
    let victim = key(2);
    let signers = support::registered([&victim]);
    let new = |dataset: &str, tag: &str| {
        Label::new(b"", victim.id(), dataset.as_bytes(), tag.as_bytes()).unwrap()
    };
    let never = new("D2", "t2");
    let signed = [
        (new("D1", "t1"), 7),
        (new("D1", "t2"), 20),
        (new("D2", "t1"), 30),
    ];

    let ours = signed
        .each_ref()
        .map(|(label, m)| judge::gamma(&sign(&victim, label, *m)));
    let forged = judge::signature(ours[1] + ours[2] - ours[0], 43.into());
    assert_eq!(
        forged.check(&signers, &never, Bounds::Integers),
        Err(SignatureError::PairingMismatch {
            signer: victim.id()
        })
    );

    let split = Rules::but(|it| it.labels = Labels::Split);
    let theirs = signed
        .each_ref()
        .map(|(label, m)| (split.point(label) + split.base * Fr::from(*m)) * secret(&victim));
    let forged = theirs[1] + theirs[2] - theirs[0];
    let keys = judge::possessed([&victim]);
    let verdict = split.verify(
        &[(Scalar::ONE, &never)],
        &keys,
        43.into(),
        forged,
        &[43.into()],
    );
    assert_eq!(verdict, Ok(()));
}

#[test]
fn fields_that_are_only_put_together_collide_and_ours_do_not() {
    let id = key(1).id();
    let new =
        |context: &[u8], dataset: &[u8], tag: &[u8]| Label::new(context, id, dataset, tag).unwrap();
    let (one, other) = (new(b"c", b"ab", b"c"), new(b"c", b"a", b"bc"));
    assert_eq!(
        [one.dataset(), one.tag()].concat(),
        [other.dataset(), other.tag()].concat()
    );
    assert_ne!(one.hash_to_curve(), other.hash_to_curve());
}

#[test]
fn a_corrupt_signer_moves_his_own_part_and_no_other_and_not_beyond_its_bounds() {
    let scenario = Scenario::three_signers();
    let honest = scenario.combined();
    let corrupt = &scenario.keys[2];
    let shift = |by: Scalar| {
        let wire = honest.to_bytes();
        let moved =
            judge::g1(&wire[..suite::G1_LEN]) + judge::base() * (judge::fr(by) * secret(corrupt));
        let mut partials = honest.partials().to_vec();
        partials[2] = partials[2] + by;
        judge::combined(moved, &partials)
    };

    let total = scenario.total() + 1000.into();
    let verified = scenario.verify(total, &shift(1000.into())).unwrap();
    assert_eq!(verified.per_signer[2].1, honest.partials()[2] + 1000.into());
    for index in [0, 1] {
        assert_eq!(verified.per_signer[index].1, honest.partials()[index]);
    }

    let far = Scalar::from(1_u128 << 100);
    let total = scenario.total() + far;
    let signer = corrupt.id();
    assert_eq!(
        scenario.verify(total, &shift(far)),
        Err(VerifyError::OutOfBounds { signer })
    );
    let keys = judge::possessed(&scenario.keys);
    let judged = |bounds| {
        let rules = Rules::but(|it| it.bounds = bounds);
        rules.verify_program(&scenario.program, &keys, total, &shift(far))
    };
    assert_eq!(judged(false), Ok(()));
    assert_eq!(judged(true), Err("OutOfBounds"));
}

#[test]
fn errors_that_cancel_out_pass_a_plain_sum_and_no_weighted_one() {
    let scenario = Scenario::three_signers();
    let mut signatures = scenario.signatures.clone();
    // Inputs 1 and 4 belong to one signer.
    for (index, by) in [(1, 1), (4, -1)] {
        let moved = judge::gamma(&signatures[index]) + G1Projective::generator() * Fr::from(by);
        signatures[index] = judge::signature(moved, signatures[index].message());
    }
    let bounds = Bounds::Integers;
    let labels = scenario.program.labels();
    let bad = check_all(&scenario.signers, bounds, labels, &signatures, &mut rng(9));
    let mismatch = SignatureError::PairingMismatch {
        signer: scenario.keys[1].id(),
    };
    let expected = BadInputs(vec![(1, mismatch), (4, mismatch)]);
    assert_eq!(bad, Err(expected.into()));

    // A batch with all weights one is the program with all coefficients one.
    let ones = vec![Scalar::ONE; labels.len()];
    let program = Program::new(bounds, ones, labels.to_vec()).unwrap();
    let sum = evaluate_unchecked(&program, &signatures).unwrap();
    let keys = judge::possessed(&scenario.keys);
    let verdict = Rules::default().verify_program(&program, &keys, sum.total(), &sum);
    assert_eq!(verdict, Ok(()));
}

#[test]
fn a_proof_of_possession_of_another_key_is_refused() {
    let (victim, attacker) = (key(1), key(2));
    let mut signers = Signers::new();
    let stolen = victim.prove_possession();
    assert_eq!(
        signers.register(attacker.public().clone(), &stolen),
        Err(AdmissionError::BadPop)
    );
    // A signature on a label is not a proof of possession: the domains differ.
    let misused = label(&attacker, "x");
    let gamma = judge::gamma(&sign(&attacker, &misused, 0));
    let pop = ProofOfPossession::from_bytes(&judge::compress(gamma)).unwrap();
    assert_eq!(
        signers.register(attacker.public().clone(), &pop),
        Err(AdmissionError::BadPop)
    );
}
