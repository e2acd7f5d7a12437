//! Attacks on incomplete implementations. Each is refused here by the check that the specification names for it, and
//! succeeds against the same equations without that check (`judge`).

mod common;

use ark_bls12_381::{Fq12, Fr, G1Affine, G2Affine};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{Field, One, UniformRand, Zero};
use common::{
    array, bytes,
    judge::{self, Parts, Public, Tuple},
    vectors, Replay, Setting,
};
use duet_searchable::*;

fn judge_of(setting: &Setting) -> Public {
    Public::from_bytes(&setting.master.public_key().to_bytes())
}

fn tuple(ciphertext: &Ciphertext) -> Tuple {
    Tuple::from_plain(&ciphertext.to_plain())
}

fn checked(tuple: &Tuple) -> Result<Ciphertext, CiphertextError> {
    ReceivedCiphertext::from_plain(&tuple.to_plain())
        .expect("1840 bytes")
        .check()
}

fn server_parts(key: &HomomorphicKey) -> Parts {
    Parts::homomorphic(&*key.expose())
}

fn all_parts(master: &MasterKey, keyword: &Keyword) -> Parts {
    Parts::decryption(&*master.decryption_key(keyword).expect("no hit").expose())
}

#[test]
fn the_library_agrees_with_the_equations_as_they_stand_in_the_specification() {
    let mut setting = Setting::new(1);
    let public = judge_of(&setting);
    let ours = setting.encrypt(-5);
    assert!(server_parts(&setting.server).naive_test(&public, &tuple(&ours)));
    let omega = judge::keyword(setting.keyword.as_bytes());
    let message = judge::pow(&judge::z(), &Fr::from(12u64));
    let theirs = public.encrypt(&omega, &message, &Fr::from(987_654_321u64));
    let theirs = checked(&theirs).expect("honest");
    assert!(setting.server.test(&theirs).is_ok());
    let decrypted = setting.decrypt(&theirs).expect("its own");
    assert_eq!(decrypted.to_bytes().to_vec(), judge::encode(&message));
}

// A tuple that is for no keyword passes the test for every keyword.

#[test]
fn the_universal_ciphertext_passes_every_naive_test_and_is_refused_as_identity() {
    let mut setting = Setting::new(2);
    let public = judge_of(&setting);
    let message = judge::pow(&judge::z(), &Fr::from(77u64));
    let universal = Tuple {
        c1: G1Affine::zero(),
        c2: Fq12::one(),
        c3: message,
        c4: Fq12::one(),
        tau: public.tau(&Fq12::one()),
    };
    for name in ["one", "two", "three"] {
        let (keyword, _, server) = setting.other(name);
        assert!(server_parts(&server).naive_test(&public, &universal));
        let opened = all_parts(&setting.master, &keyword).naive_decrypt(&public, &universal);
        assert_eq!(opened, Some(message));
    }
    let refused = |component| Err(CiphertextError::IdentityElement { component });
    assert_eq!(checked(&universal), refused(Component::C1));
    // In the compressed form, one is encoded as zero.
    let honest = setting.encrypt(1).to_compressed();
    let mut compressed = honest;
    compressed[..48].fill(0);
    compressed[0] = 0xc0;
    compressed[48..336].fill(0);
    compressed[624..912].fill(0);
    let check = |bytes: &[u8]| {
        ReceivedCiphertext::from_compressed(bytes)
            .expect("976 bytes")
            .check()
    };
    assert_eq!(check(&compressed), refused(Component::C1));
    compressed[..48].copy_from_slice(&honest[..48]);
    assert_eq!(check(&compressed), refused(Component::C2));
    // Each half of the check separately.
    let honest = tuple(&setting.encrypt(1));
    let half = Tuple {
        c2: Fq12::one(),
        ..honest.clone()
    };
    assert_eq!(checked(&half), refused(Component::C2));
    let half = Tuple {
        c1: G1Affine::zero(),
        ..honest
    };
    assert_eq!(checked(&half), refused(Component::C1));
}

// Mixing keywords.

#[test]
fn inputs_of_two_keywords_are_a_mis_operation_at_every_position() {
    let mut setting = Setting::new(3);
    let (_, other_encryptor, other_server) = setting.other("memory");
    let good: Vec<_> = (0..40).map(|number| setting.encrypt(number)).collect();
    let foreign = other_encryptor.encrypt(9, &mut setting.rng);
    assert!(other_server.test(&foreign).is_ok());
    for index in [0, 1, 15, 16, 17, 39] {
        let mut inputs = good.clone();
        inputs[index] = foreign.clone();
        let terms: Vec<_> = inputs.iter().map(|input| Term::new(1, input)).collect();
        let refused = setting.sum(&terms, 0);
        assert_eq!(refused, Err(EvaluationError::MisOperation { index }));
        // With a second foreign input later, the first one is reported, even if its weight is zero.
        inputs[39] = foreign.clone();
        let terms: Vec<_> = inputs.iter().map(|input| Term::new(0, input)).collect();
        let refused = setting.sum(&terms, 0);
        assert_eq!(refused, Err(EvaluationError::MisOperation { index }));
    }
    for pair in [[&good[0], &foreign], [&foreign, &good[0]]] {
        let refused = setting.add(pair[0], pair[1]);
        assert!(matches!(refused, Err(EvaluationError::MisOperation { .. })));
    }
}

#[test]
fn a_mixture_forced_with_the_keys_of_both_keywords_is_caught_by_c4() {
    let mut setting = Setting::new(4);
    let public = judge_of(&setting);
    let (other_keyword, other_encryptor, other_server) = setting.other("memory");
    let (first, second) = (
        setting.encrypt(20),
        other_encryptor.encrypt(22, &mut setting.rng),
    );
    let product = tuple(&first).times(&tuple(&second));
    for (keyword, server) in [
        (&setting.keyword, &setting.server),
        (&other_keyword, &other_server),
    ] {
        let forged = server_parts(server).forge_tag(&public, product.clone());
        // The server's test accepts it, and without the check of c4, so does decryption.
        assert!(all_parts(&setting.master, keyword)
            .naive_decrypt(&public, &forged)
            .is_some());
        let forged = checked(&forged).expect("every component is in its group");
        assert!(server.test(&forged).is_ok());
        let delegated = setting.master.decryption_key(keyword).expect("no hit");
        let refused = delegated.decrypt(&forged).expect_err("mixed");
        assert_eq!(refused.for_local_log(), Reason::MixedKeywords);
        let refused = setting.master.decrypt(keyword, &forged).expect_err("mixed");
        assert_eq!(refused.for_local_log(), Reason::KeywordMismatch);
        // It is still rejected after an honest operation on it.
        let sum = server
            .add(&forged, &forged, &mut setting.rng)
            .expect("passes the test");
        assert!(setting.master.decrypt(keyword, sum.ciphertext()).is_err());
    }
}

#[test]
fn the_scalar_form_without_its_keyword_check_would_open_a_mixture() {
    let vectors = vectors();
    let public = Public::from_bytes(&bytes(&vectors["pk"]));
    let master = MasterKey::from_seed(&array(&vectors["seed"])).expect("usable");
    let keywords = ["keyword", "other_keyword"]
        .map(|name| Keyword::new(bytes(&vectors[name])).expect("short"));
    let y = |index: usize| judge::wide(&bytes(&vectors["y"][index - 1]));
    let sources = [17u64, 25].map(|number| judge::pow(&judge::z(), &Fr::from(number)));
    let sources: Vec<_> = (5u64..)
        .zip(keywords.iter().zip(&sources))
        .map(|(s, (keyword, message))| {
            let omega = judge::keyword(keyword.as_bytes());
            public.encrypt(&omega, message, &Fr::from(s))
        })
        .collect();
    // With the keys of both keywords a server knows Z₃ and Z₄ raised to the randomness of each source, and so of the
    // mixture.
    let parts = keywords
        .each_ref()
        .map(|keyword| server_parts(&master.homomorphic_key(keyword).expect("no hit")));
    let recovered = |number: usize| {
        let factors = parts.iter().zip(&sources);
        factors
            .map(|(parts, source)| parts.apply(number, source))
            .product::<Fq12>()
    };
    let mut mixed = sources[0].times(&sources[1]);
    let delta = public.delta(&mixed);
    mixed.tau = public.tau(&(recovered(3) * judge::pow(&recovered(4), &delta)));
    // All checks of the scalar form except the keyword check pass, and the message is the sum over both keywords.
    assert_eq!(mixed.c4, judge::pow(&mixed.c2, &y(2)));
    let c5 = judge::pow(&mixed.c2, &(y(3) + y(4) * delta));
    assert_eq!(mixed.tau, public.tau(&c5));
    let opened = mixed.c3 * judge::pow(&mixed.c2, &y(1));
    assert_eq!(opened, judge::pow(&judge::z(), &Fr::from(42u64)));
    let ciphertext = checked(&mixed).expect("every component is in its group");
    for keyword in &keywords {
        let refused = master.decrypt(keyword, &ciphertext).expect_err("mixed");
        assert_eq!(refused.for_local_log(), Reason::KeywordMismatch);
    }
}

#[test]
fn a_message_moved_by_one_is_caught_by_the_tag_and_by_nothing_else() {
    let mut setting = Setting::new(19);
    let public = judge_of(&setting);
    let delegated = setting.delegated();
    let mut mauled = tuple(&setting.encrypt(41));
    mauled.c3 *= judge::z();
    // Without the tag, c4 matches, and the message is increased by one.
    let parts = all_parts(&setting.master, &setting.keyword);
    assert_eq!(parts.apply(2, &mauled), mauled.c4);
    let opened = mauled.c3 * parts.apply(1, &mauled);
    assert_eq!(opened, judge::pow(&judge::z(), &Fr::from(42u64)));
    assert!(!server_parts(&setting.server).naive_test(&public, &mauled));
    let mauled = checked(&mauled).expect("every component is in its group");
    assert_eq!(setting.server.test(&mauled), Err(Unmatched));
    let refused = [setting.decrypt(&mauled), delegated.decrypt(&mauled)];
    for refused in refused {
        let reason = refused.expect_err("mauled").for_local_log();
        assert_eq!(reason, Reason::TagMismatch);
    }
}

// Elements of the field outside the target group.

#[test]
fn a_component_of_small_order_leaks_the_key_to_a_naive_test_and_is_refused() {
    let setting = Setting::new(5);
    let public = judge_of(&setting);
    let parts = server_parts(&setting.server);
    let omega = judge::keyword(setting.keyword.as_bytes());
    let s = Fr::from(123_456_789u64);
    let honest = public.encrypt(&omega, &Fq12::one(), &s);
    let prime = 13u32;
    let small = judge::of_order(prime);
    let mut poisoned = Tuple {
        c2: honest.c2 * small,
        ..honest
    };
    // The sender knows c5 for c2 without the added element. For the rest there are only 13 possible values.
    let delta = public.delta(&poisoned);
    let c5 = judge::pow(&public.zi(3), &s) * judge::pow(&public.zi(4), &(s * delta));
    let answers: Vec<_> = (0..u64::from(prime))
        .filter(|guess| {
            poisoned.tau = public.tau(&(c5 * small.pow([*guess])));
            parts.naive_test(&public, &poisoned)
        })
        .collect();
    let ((r3, _), (r4, _)) = (parts.part(3), parts.part(4));
    let secret = num_bigint::BigUint::from(ark_ff::PrimeField::into_bigint(r3 + r4 * delta));
    let remainder = (secret % prime)
        .to_u64_digits()
        .first()
        .copied()
        .unwrap_or(0);
    assert_eq!(
        answers,
        [remainder],
        "the key modulo 13, from the responses alone"
    );
    let component = Component::C2;
    assert_eq!(
        checked(&poisoned),
        Err(CiphertextError::BadGtElement { component })
    );
}

#[test]
fn every_component_outside_the_target_group_is_refused_in_both_forms() {
    let mut setting = Setting::new(6);
    let honest = tuple(&setting.encrypt(3));
    let outside = [
        Fq12::zero(),
        -Fq12::one(),
        judge::of_order(3),
        judge::of_order(13),
        Fq12::rand(&mut setting.rng),
    ];
    for bad in outside {
        for factor in [Fq12::one(), honest.c2] {
            let bad = bad * factor;
            for (component, tuple) in [
                (
                    Component::C2,
                    Tuple {
                        c2: bad,
                        ..honest.clone()
                    },
                ),
                (
                    Component::C3,
                    Tuple {
                        c3: bad,
                        ..honest.clone()
                    },
                ),
                (
                    Component::C4,
                    Tuple {
                        c4: bad,
                        ..honest.clone()
                    },
                ),
            ] {
                assert_eq!(
                    checked(&tuple),
                    Err(CiphertextError::BadGtElement { component })
                );
            }
        }
    }
    // In the compressed form, every element of the subfield decodes to some element of norm one, which is almost never
    // in the target group.
    let compressed = setting.encrypt(3).to_compressed();
    for (component, start) in [
        (Component::C2, 48),
        (Component::C3, 336),
        (Component::C4, 624),
    ] {
        let mut bytes = compressed;
        bytes[start] ^= 1;
        let refused = ReceivedCiphertext::from_compressed(&bytes)
            .expect("976 bytes")
            .check();
        assert_eq!(refused, Err(CiphertextError::BadGtElement { component }));
    }
}

// Keys.

#[test]
fn two_keys_with_different_randomness_for_one_keyword_give_a_public_tester() {
    let vectors = vectors();
    let public = Public::from_bytes(&bytes(&vectors["pk"]));
    let alpha = judge::wide(&bytes(&vectors["alpha"]));
    let omega = judge::wide(&bytes(&vectors["omega"]));
    let inverse = (alpha - omega).inverse().expect("no hit");
    // HomKeyGen with a fresh random r each time.
    let part =
        |r: Fr| ((public.h[2].into_group() - G2Affine::generator() * r) * inverse).into_affine();
    let (ra, rb) = (Fr::from(1001u64), Fr::from(2002u64));
    let difference = part(ra).into_group() - part(rb);
    let tester = (difference * (rb - ra).inverse().expect("different")).into_affine();
    assert_eq!(tester, (G2Affine::generator() * inverse).into_affine());
    let under = Tuple::from_plain(&bytes(&vectors["enc"][0]["ct"]));
    let elsewhere = Tuple::from_plain(&bytes(&vectors["enc_other_keyword"]["ct"]));
    assert_eq!(judge::e(&under.c1, &tester), under.c2);
    assert_ne!(judge::e(&elsewhere.c1, &tester), elsewhere.c2);
    // Our keys are deterministic: the same from another instance, and shared with the decryption key.
    let key = || {
        let master = MasterKey::from_seed(&array(&vectors["seed"])).expect("usable");
        let keyword = Keyword::new(bytes(&vectors["keyword"])).expect("short");
        (
            master
                .homomorphic_key(&keyword)
                .expect("no hit")
                .expose()
                .to_vec(),
            master
                .decryption_key(&keyword)
                .expect("no hit")
                .expose()
                .to_vec(),
        )
    };
    let ((first, decryption), (second, _)) = (key(), key());
    assert_eq!(first, second);
    assert_eq!(first[48..], decryption[256..]);
}

#[test]
fn a_homomorphic_key_for_something_else_finds_nothing_unless_its_import_is_refused() {
    let mut setting = Setting::new(7);
    let public = judge_of(&setting);
    let (other_keyword, _, other_server) = setting.other("memory");
    let ciphertext = setting.encrypt(5);
    let import = |bytes: &[u8]| {
        HomomorphicKey::from_bytes(setting.master.public_key(), &setting.keyword, bytes)
            .expect_err("wrong")
    };
    let good = setting.server.expose();
    // The key of another keyword.
    let wrong = other_server.expose();
    assert!(!Parts::homomorphic(&*wrong).naive_test(&public, &tuple(&ciphertext)));
    assert_eq!(import(&*wrong), BadHomKey::WrongKeyword);
    // Its parts with the point of this keyword.
    let mut spliced = wrong.to_vec();
    spliced[..48].copy_from_slice(&good[..48]);
    assert!(!Parts::homomorphic(&spliced).naive_test(&public, &tuple(&ciphertext)));
    assert_eq!(import(&spliced), BadHomKey::WrongPart { index: 3 });
    // One part of each key.
    let mut spliced = good.to_vec();
    spliced[176..].copy_from_slice(&wrong[176..]);
    assert_eq!(import(&spliced), BadHomKey::WrongPart { index: 4 });
    // The parts in the wrong order.
    let swapped = [&good[..48], &good[176..], &good[48..176]].concat();
    assert_eq!(import(&swapped), BadHomKey::WrongPart { index: 3 });
    // Another receiver's key for the same keyword.
    let stranger = Setting::new(8)
        .master
        .homomorphic_key(&setting.keyword)
        .expect("no hit");
    assert_eq!(
        import(&*stranger.expose()),
        BadHomKey::WrongPart { index: 3 }
    );
    // The decryption key, part by part.
    let good = setting.delegated().expose();
    let wrong = setting
        .master
        .decryption_key(&other_keyword)
        .expect("no hit")
        .expose();
    for index in 1..=4 {
        let mut spliced = good.to_vec();
        let part = (index - 1) * 128..index * 128;
        spliced[part.clone()].copy_from_slice(&wrong[part]);
        let refused =
            DecryptionKey::from_bytes(setting.master.public_key(), &setting.keyword, &spliced);
        assert_eq!(refused.expect_err("wrong"), BadHomKey::WrongPart { index });
    }
}

#[test]
fn a_keyword_that_hits_the_receivers_secret_gets_no_key_and_no_ciphertext() {
    let setting = Setting::new(20);
    let omega = judge::keyword(setting.keyword.as_bytes());
    // A public key whose secret is the hash of the keyword, so that the divisor α − ω is zero.
    let mut bytes = setting.master.public_key().to_bytes();
    let hit = (G1Affine::generator() * omega).into_affine();
    bytes[..48].copy_from_slice(&judge::encode(&hit));
    let public = PublicKey::from_bytes(&bytes).expect("in its form a key");
    let refused = Encryptor::new(&public, &setting.keyword).expect_err("hit");
    assert_eq!(refused, KeywordCollidesWithKey);
    let key = setting.server.expose();
    let refused = HomomorphicKey::from_bytes(&public, &setting.keyword, &*key);
    assert_eq!(
        refused.expect_err("hit"),
        BadHomKey::KeywordCollidesWithKey(KeywordCollidesWithKey)
    );
    let key = setting.delegated();
    let refused = DecryptionKey::from_bytes(&public, &setting.keyword, &*key.expose());
    assert_eq!(
        refused.expect_err("hit"),
        BadHomKey::KeywordCollidesWithKey(KeywordCollidesWithKey)
    );
    let other = Keyword::new("another").expect("short");
    assert!(Encryptor::new(&public, &other).is_ok());
}

#[test]
fn a_scalar_encoded_with_the_order_added_is_refused_in_every_part_of_a_key() {
    let setting = Setting::new(21);
    let public = setting.master.public_key();
    let order = num_bigint::BigUint::from(<Fr as ark_ff::PrimeField>::MODULUS);
    let encoded_again = |bytes: &[u8], start: usize| {
        let mut bytes = bytes.to_vec();
        let scalar = &mut bytes[start..start + 32];
        let same = num_bigint::BigUint::from_bytes_be(scalar) + &order;
        let same = same.to_bytes_be();
        assert!(same.len() <= 32, "twice the order fits 32 bytes");
        scalar.fill(0);
        scalar[32 - same.len()..].copy_from_slice(&same);
        bytes
    };
    let key = setting.server.expose();
    for (index, start) in [(3, 48), (4, 176)] {
        let bytes = encoded_again(&*key, start);
        let refused = HomomorphicKey::from_bytes(public, &setting.keyword, &bytes);
        assert_eq!(
            refused.expect_err("twice"),
            BadHomKey::ScalarNotReduced { index }
        );
    }
    let key = setting.delegated().expose();
    for index in 1..=4 {
        let bytes = encoded_again(&*key, 128 * (index - 1));
        let refused = DecryptionKey::from_bytes(public, &setting.keyword, &bytes);
        assert_eq!(
            refused.expect_err("twice"),
            BadHomKey::ScalarNotReduced { index }
        );
    }
}

#[test]
fn a_public_key_with_a_part_missing_or_repeated_is_refused() {
    let setting = Setting::new(9);
    let good = setting.master.public_key().to_bytes();
    let at = |index: usize| 48 + 96 * (index - 1)..48 + 96 * index;
    let with = |range: std::ops::Range<usize>, part: &[u8]| {
        let mut bytes = good;
        bytes[range].copy_from_slice(part);
        PublicKey::from_bytes(&bytes).expect_err("wrong")
    };
    let mut identity = [0; 96];
    identity[0] = 0xc0;
    let part = PublicPart::A;
    assert_eq!(
        with(0..48, &identity[..48]),
        PublicKeyError::IdentityElement { part }
    );
    for index in 1..=4 {
        let part = PublicPart::H(index);
        assert_eq!(
            with(at(index), &identity),
            PublicKeyError::IdentityElement { part }
        );
    }
    for (first, second) in [(1, 2), (1, 4), (3, 4)] {
        let refused = with(at(second), &good[at(first)]);
        assert_eq!(refused, PublicKeyError::RepeatedPoint { first, second });
    }
    let other = Setting::new(10);
    let pinned = setting.master.public_key().fingerprint();
    let substituted = other.master.public_key().to_bytes();
    assert!(PublicKey::from_bytes(&substituted).is_ok());
    assert_eq!(
        PublicKey::from_bytes_pinned(&substituted, &pinned),
        Err(PublicKeyError::FingerprintMismatch)
    );
}

#[test]
fn points_outside_the_group_of_prime_order_are_refused_wherever_points_are_read() {
    let mut setting = Setting::new(11);
    // Tries x-coordinates from one up, until a point is on the curve and not in the subgroup.
    let outside_g1 = (1u64..)
        .filter_map(|x| G1Affine::get_point_from_x_unchecked(x.into(), true))
        .find(|point| !point.is_in_correct_subgroup_assuming_on_curve())
        .expect("nearly all");
    let outside_g2 = (1u64..)
        .filter_map(|x| {
            let x = ark_bls12_381::Fq2::new(x.into(), 1u64.into());
            G2Affine::get_point_from_x_unchecked(x, true)
        })
        .find(|point| !point.is_in_correct_subgroup_assuming_on_curve())
        .expect("nearly all");
    let (g1, g2) = (judge::encode(&outside_g1), judge::encode(&outside_g2));
    let error = PointError::Subgroup;
    let honest = tuple(&setting.encrypt(1));
    let c1 = Tuple {
        c1: outside_g1,
        ..honest
    };
    assert_eq!(checked(&c1), Err(CiphertextError::BadG1Point(error)));
    let public = setting.master.public_key();
    let splice = |bytes: &[u8], start: usize, point: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes[start..start + point.len()].copy_from_slice(point);
        bytes
    };
    let pk = public.to_bytes();
    let part = PublicPart::A;
    assert_eq!(
        PublicKey::from_bytes(&splice(&pk, 0, &g1)),
        Err(PublicKeyError::BadPoint { part, error })
    );
    for index in 1..=4 {
        let part = PublicPart::H(index);
        assert_eq!(
            PublicKey::from_bytes(&splice(&pk, 48 + 96 * (index - 1), &g2)),
            Err(PublicKeyError::BadPoint { part, error })
        );
    }
    let hk = setting.server.expose();
    for (start, point, expected) in [
        (0, &g1, BadHomKey::BadKeywordPoint(error)),
        (80, &g2, BadHomKey::BadPoint { index: 3, error }),
        (208, &g2, BadHomKey::BadPoint { index: 4, error }),
    ] {
        let bytes = splice(&*hk, start, point);
        let refused = HomomorphicKey::from_bytes(public, &setting.keyword, &bytes);
        assert_eq!(refused.expect_err("wrong"), expected);
    }
}

// The integrity check of mEval, and when it can be skipped.

#[test]
fn without_the_integrity_check_a_foreign_input_spoils_the_sum_and_only_the_receiver_notices() {
    let mut setting = Setting::new(12);
    let public = judge_of(&setting);
    let (_, other_encryptor, _) = setting.other("memory");
    let inputs = [
        setting.encrypt(1),
        other_encryptor.encrypt(2, &mut setting.rng),
    ];
    // mEval without the integrity check.
    let careless = tuple(&inputs[0]).times(&tuple(&inputs[1]));
    let careless = server_parts(&setting.server).forge_tag(&public, careless);
    let careless = checked(&careless).expect("every component is in its group");
    assert!(setting.server.test(&careless).is_ok());
    assert!(setting.decrypt(&careless).is_err());
    let refused = setting.add(&inputs[0], &inputs[1]);
    assert_eq!(refused, Err(EvaluationError::MisOperation { index: 1 }));
}

#[test]
fn randomness_that_undoes_that_of_the_sum_is_drawn_again() {
    let setting = Setting::new(22);
    let public = judge_of(&setting);
    let omega = judge::keyword(setting.keyword.as_bytes());
    let (s, t) = (Fr::from(1_234_567u64), Fr::from(7_654_321u64));
    // A server changes c2 by one and forges the tag, so that c1 and c2 vanish for different randomness.
    let mut input = public.encrypt(&omega, &Fq12::one(), &s);
    input.c2 *= judge::z();
    let input = checked(&server_parts(&setting.server).forge_tag(&public, input));
    let input = setting
        .server
        .test(&input.expect("every component is in its group"))
        .expect("forged");
    let draws = [-s, -s - Fr::one(), t].map(|scalar| judge::scalar_bytes(&scalar));
    let sum = setting
        .server
        .evaluate(&[Term::tested(1, &input)], 0, &mut Replay::new(&draws))
        .expect("one keyword");
    let sum = tuple(sum.ciphertext());
    let direction = public.a.into_group() - G1Affine::generator() * omega;
    assert_eq!(sum.c1, (direction * (s + t)).into_affine());
    assert_eq!(sum.c2, judge::pow(&judge::z(), &(s + t + Fr::one())));
    assert!(checked(&sum).is_ok());
}

#[test]
fn a_value_tested_with_another_key_is_not_taken_as_tested() {
    let mut setting = Setting::new(13);
    let (_, other_encryptor, other_server) = setting.other("memory");
    let mine = setting
        .server
        .test(&setting.encryptor.encrypt(1, &mut setting.rng))
        .expect("mine");
    let foreign = other_encryptor.encrypt(2, &mut setting.rng);
    let foreign = other_server.test(&foreign).expect("its own");
    let terms = [Term::tested(1, &mine), Term::tested(1, &foreign)];
    let refused = setting.sum(&terms, 0);
    assert_eq!(
        refused,
        Err(EvaluationError::TestedWithOtherKey { index: 1 })
    );
    // Another receiver's key for the same keyword is another key; a second import of the same key is not.
    let stranger = Setting::new(14);
    let key = stranger
        .master
        .homomorphic_key(&setting.keyword)
        .expect("no hit");
    let refused = key.evaluate(&[Term::tested(1, &mine)], 0, &mut setting.rng);
    assert_eq!(
        refused,
        Err(EvaluationError::TestedWithOtherKey { index: 0 })
    );
    let again = HomomorphicKey::from_bytes(
        setting.master.public_key(),
        &setting.keyword,
        &*setting.server.expose(),
    )
    .expect("the same key");
    assert!(again
        .evaluate(&[Term::tested(1, &mine)], 0, &mut setting.rng)
        .is_ok());
}

// What decryption reveals.

#[test]
fn every_rejection_looks_the_same_from_outside() {
    let mut setting = Setting::new(15);
    let (other_keyword, ..) = setting.other("memory");
    let ciphertext = setting.encrypt(5);
    let mut changed = tuple(&ciphertext);
    changed.tau[7] ^= 0x10;
    let changed = checked(&changed).expect("tags are any bytes");
    let mut swapped = tuple(&ciphertext);
    swapped.c4 = swapped.c2;
    let swapped = checked(&swapped).expect("every component is in its group");
    let rejections = [
        setting.master.decrypt(&other_keyword, &ciphertext),
        setting.decrypt(&changed),
        setting.decrypt(&swapped),
    ]
    .map(|result| result.expect_err("wrong"));
    let texts = rejections.map(|rejected| format!("{rejected} {rejected:?}"));
    assert!(texts.iter().all(|text| *text == texts[0]));
    let reasons = rejections.map(|rejected| rejected.for_local_log());
    assert_eq!(
        reasons,
        [
            Reason::KeywordMismatch,
            Reason::TagMismatch,
            Reason::MixedKeywords
        ]
    );
}

#[test]
fn ciphertexts_sent_twice_are_dropped_whatever_their_form() {
    let mut setting = Setting::new(16);
    let (first, second) = (setting.encrypt(1), setting.encrypt(1));
    let again = ReceivedCiphertext::parse(&first.to_wire(Form::Compressed))
        .and_then(|received| received.check())
        .expect("the same");
    let kept = without_duplicates([first.clone(), second.clone(), again, first.clone()]);
    assert_eq!(kept, [first, second]);
}

#[test]
fn a_ciphertext_for_another_receiver_passes_no_test_here() {
    let mut setting = Setting::new(17);
    let stranger = Setting::new(18);
    let encryptor = Encryptor::new(stranger.master.public_key(), &setting.keyword).expect("no hit");
    let foreign = encryptor.encrypt(1, &mut setting.rng);
    assert!(setting.server.test(&foreign).is_err());
    assert!(setting.decrypt(&foreign).is_err());
    // The fingerprint is in the hashes: with the same components and the correct c5, the tag still differs.
    let (here, there) = (judge_of(&setting), judge_of(&stranger));
    assert_ne!(here.tau(&Fq12::one()), there.tau(&Fq12::one()));
}
