//! All vectors, checked through the public API.

mod common;

use ark_bls12_381::G1Affine;
use ark_ec::{AffineRepr, CurveGroup};
use common::{array, bytes, judge, vectors, Replay};
use duet_searchable::*;
use serde_json::Value;

fn master(vectors: &Value) -> MasterKey {
    MasterKey::from_seed(&array(&vectors["seed"])).expect("a usable seed")
}

fn keyword(value: &Value) -> Keyword {
    Keyword::new(bytes(value)).expect("short")
}

fn ciphertext(value: &Value) -> Ciphertext {
    received(value).check().expect("a ciphertext")
}

fn received(value: &Value) -> ReceivedCiphertext {
    ReceivedCiphertext::from_plain(&bytes(value)).expect("1840 bytes")
}

fn number(value: &Value) -> i64 {
    value.as_i64().expect("a number")
}

fn table() -> DiscreteLog {
    DiscreteLog::new(Bound::new(1000), 1 << 16, &()).expect("small")
}

#[test]
fn the_seed_derives_the_public_key_and_its_fingerprint() {
    let vectors = vectors();
    let master = master(&vectors);
    let public = master.public_key();
    assert_eq!(public.to_bytes().to_vec(), bytes(&vectors["pk"]));
    assert_eq!(
        public.fingerprint().as_bytes(),
        &array(&vectors["pk_fingerprint"])
    );
    let again = PublicKey::from_bytes_pinned(&bytes(&vectors["pk"]), &public.fingerprint());
    assert_eq!(again.as_ref(), Ok(public));
    assert_eq!(master.expose().to_vec(), bytes(&vectors["seed"]));
}

#[test]
fn the_message_one_is_the_generator_of_the_target_group() {
    let expected = bytes(&vectors()["gt_generator"]);
    assert_eq!(Message::number(1).to_bytes().to_vec(), expected);
}

#[test]
fn keywords_and_secrets_are_derived_as_specified() {
    let vectors = vectors();
    for (keyword, omega) in [("keyword", "omega"), ("other_keyword", "other_omega")] {
        assert_eq!(
            judge::keyword(&bytes(&vectors[keyword])),
            judge::wide(&bytes(&vectors[omega]))
        );
        let point = G1Affine::generator() * judge::wide(&bytes(&vectors[omega]));
        let omega_point = judge::encode(&point.into_affine());
        let key = master(&vectors)
            .homomorphic_key(&self::keyword(&vectors[keyword]))
            .expect("no hit");
        // The first component of a homomorphic key is ω·P1.
        assert_eq!(key.expose()[..48], omega_point);
    }
}

#[test]
fn the_homomorphic_key_is_the_same_bytes_every_time() {
    let vectors = vectors();
    let (master, keyword) = (master(&vectors), keyword(&vectors["keyword"]));
    let expected = bytes(&vectors["homkey"]);
    for _ in 0..2 {
        let key = master.homomorphic_key(&keyword).expect("no hit");
        assert_eq!(key.expose().to_vec(), expected);
        assert_eq!(
            master.trapdoor(&keyword).expect("no hit").expose().to_vec(),
            expected
        );
    }
    let imported = HomomorphicKey::from_bytes(master.public_key(), &keyword, &expected);
    assert_eq!(imported.expect("its own").expose().to_vec(), expected);
}

#[test]
fn encryption_with_the_recorded_randomness_gives_the_recorded_bytes() {
    let vectors = vectors();
    let master = master(&vectors);
    let cases = [
        (&vectors["enc"][0], "keyword"),
        (&vectors["enc"][1], "keyword"),
        (&vectors["enc_other_keyword"], "other_keyword"),
    ];
    for (case, keyword) in cases {
        let keyword = self::keyword(&vectors[keyword]);
        let encryptor = Encryptor::new(master.public_key(), &keyword).expect("no hit");
        let mut replay = Replay::new(&[array(&case["s"])]);
        let made = encryptor.encrypt(number(&case["m"]), &mut replay);
        assert_eq!(made.to_plain().to_vec(), bytes(&case["ct"]));
        let read = ciphertext(&case["ct"]);
        assert_eq!(read, made);
        let compressed = ReceivedCiphertext::from_compressed(&made.to_compressed());
        assert_eq!(compressed.expect("976 bytes").check(), Ok(made));
        let message = master.decrypt(&keyword, &read).expect("its own");
        assert_eq!(table().find(&message), Ok(number(&case["m"])));
    }
}

#[test]
fn sums_with_the_recorded_randomness_give_the_recorded_bytes() {
    let vectors = vectors();
    let (master, keyword) = (master(&vectors), keyword(&vectors["keyword"]));
    let key = master.homomorphic_key(&keyword).expect("no hit");
    let inputs = [&vectors["enc"][0]["ct"], &vectors["enc"][1]["ct"]].map(ciphertext);
    for (case, weights) in [("eval_sum", [1, 1]), ("eval_weighted", [3, 10])] {
        let case = &vectors[case];
        let recorded = case["weights"]
            .as_array()
            .map(|weights| weights.iter().map(number).collect());
        assert_eq!(recorded.unwrap_or_else(|| vec![1, 1]), weights);
        let terms = [
            Term::new(weights[0], &inputs[0]),
            Term::new(weights[1], &inputs[1]),
        ];
        let mut replay = Replay::new(&[array(&case["s"])]);
        let sum = key.evaluate(&terms, 0, &mut replay).expect("one keyword");
        assert_eq!(sum.ciphertext().to_plain().to_vec(), bytes(&case["ct"]));
        for message in [
            master.decrypt(&keyword, sum.ciphertext()),
            master
                .decryption_key(&keyword)
                .expect("no hit")
                .decrypt(sum.ciphertext()),
        ] {
            assert_eq!(
                table().find(&message.expect("a sum")),
                Ok(number(&case["m"]))
            );
        }
    }
    let mut replay = Replay::new(&[array(&vectors["eval_sum"]["s"])]);
    let sum = key
        .add(&inputs[0], &inputs[1], &mut replay)
        .expect("one keyword");
    assert_eq!(
        sum.ciphertext().to_plain().to_vec(),
        bytes(&vectors["eval_sum"]["ct"])
    );
}

#[test]
fn the_recorded_forgeries_are_refused() {
    let vectors = vectors();
    let master = master(&vectors);
    let mixed = ciphertext(&vectors["reject"]["mixed_keywords_with_forged_tau"]);
    for name in ["keyword", "other_keyword"] {
        let keyword = keyword(&vectors[name]);
        assert!(master.decrypt(&keyword, &mixed).is_err());
        let delegated = master.decryption_key(&keyword).expect("no hit");
        assert!(delegated.decrypt(&mixed).is_err());
    }
    assert_eq!(
        received(&vectors["reject"]["universal_s0"]).check(),
        Err(CiphertextError::IdentityElement {
            component: Component::C1
        })
    );
}
