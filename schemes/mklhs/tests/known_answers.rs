//! Known answers from an independent implementation, and pinned encodings of our own.

mod support;

use duet_mklhs::{
    evaluate, message_base, suite, verify, Bounds, Combined, EquivocationProof, Label, Program,
    ProofOfPossession, PublicKey, Scalar, Signers, SigningKey,
};
use serde::Deserialize;
use serde_json::{json, Value};
use sha2::Sha256;
use support::{judge, rng, sign, Scenario};

#[derive(Deserialize)]
struct Vectors {
    suite: String,
    base_u: String,
    context: String,
    dataset: String,
    tags: Vec<String>,
    signers: Vec<VectorSigner>,
    program: Vec<VectorInput>,
    combined: VectorCombined,
}

#[derive(Deserialize)]
struct VectorSigner {
    sk: String,
    pk: String,
    id: String,
    pop: String,
}

#[derive(Deserialize)]
struct VectorInput {
    signer: usize,
    coefficient: i64,
    message: i64,
    message_be32: String,
    label: String,
    label_point: String,
    gamma: String,
}

#[derive(Deserialize)]
struct VectorCombined {
    gamma: String,
    mu: Vec<String>,
    m: String,
    m_signed: i128,
    wire: String,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("vectors/mklhs.json")).unwrap()
}

fn unhex(text: &str) -> Vec<u8> {
    hex::decode(text).unwrap()
}

fn keys(vectors: &Vectors) -> Vec<SigningKey> {
    let key = |signer: &VectorSigner| {
        SigningKey::from_bytes(&unhex(&signer.sk).try_into().unwrap()).unwrap()
    };
    vectors.signers.iter().map(key).collect()
}

#[test]
fn the_suite_and_the_message_base_are_those_of_the_reference() {
    let vectors = vectors();
    assert_eq!(suite::SUITE, vectors.suite);
    for (dst, end) in [
        (suite::DST_BASE, "BASE_"),
        (suite::DST_LABEL, "LABEL_"),
        (suite::DST_POP, "POP_"),
    ] {
        assert_eq!(dst, [suite::SUITE, end].concat().as_bytes());
    }
    assert_eq!(hex::encode(message_base()), vectors.base_u);
}

#[test]
fn keys_identities_and_proofs_are_those_of_the_reference() {
    let vectors = vectors();
    for (key, expected) in keys(&vectors).iter().zip(&vectors.signers) {
        assert_eq!(hex::encode(key.public().to_bytes()), expected.pk);
        assert_eq!(key.id().to_string(), expected.id);
        assert_eq!(hex::encode(key.prove_possession().to_bytes()), expected.pop);
        assert_eq!(hex::encode(key.expose().as_ref()), expected.sk);
        let mut signers = Signers::new();
        let id = signers.register_bytes(&unhex(&expected.pk), &unhex(&expected.pop));
        assert_eq!(id.unwrap(), key.id());
    }
}

#[test]
fn labels_points_and_signatures_are_those_of_the_reference() {
    let vectors = vectors();
    let keys = keys(&vectors);
    for (index, input) in vectors.program.iter().enumerate() {
        let key = &keys[input.signer];
        let label = Label::from_bytes(&unhex(&input.label)).unwrap();
        assert_eq!(label.context(), unhex(&vectors.context));
        assert_eq!(label.dataset(), unhex(&vectors.dataset));
        let tag = unhex(&vectors.tags[index / vectors.signers.len()]);
        assert_eq!(label.tag(), tag);
        let made = Label::new(label.context(), key.id(), label.dataset(), &tag).unwrap();
        assert_eq!(made, label);
        assert_eq!(hex::encode(label.hash_to_curve()), input.label_point);
        let signature = sign(key, &label, input.message);
        let expected = [input.gamma.as_str(), &input.message_be32].concat();
        assert_eq!(hex::encode(signature.to_bytes()), expected);
    }
}

#[test]
fn the_combined_signature_is_that_of_the_reference_and_verifies() {
    let vectors = vectors();
    let keys = keys(&vectors);
    let signers = support::registered(&keys);
    let labels: Vec<_> = vectors
        .program
        .iter()
        .map(|input| Label::from_bytes(&unhex(&input.label)).unwrap())
        .collect();
    let signatures: Vec<_> = vectors
        .program
        .iter()
        .zip(&labels)
        .map(|(input, label)| sign(&keys[input.signer], label, input.message))
        .collect();
    let coefficients = vectors.program.iter().map(|input| input.coefficient.into());
    let program = Program::new(Bounds::Integers, coefficients.collect(), labels).unwrap();
    let combined = evaluate(&program, &signatures, &signers, &mut rng(0)).unwrap();
    let expected = &vectors.combined;
    let wire = [expected.gamma.as_str(), &expected.mu.concat()].concat();
    assert_eq!(hex::encode(combined.to_bytes()), wire);
    assert_eq!(wire, expected.wire);
    let total = Scalar::from_bytes(&unhex(&expected.m).try_into().unwrap()).unwrap();
    assert_eq!(total, Scalar::from(expected.m_signed));
    let received = Combined::from_bytes(&unhex(&expected.wire)).unwrap();
    let verified = verify(&program, &signers, total, &received).unwrap();
    assert_eq!(verified.total, total);
    let keys = judge::possessed(&keys);
    let rules = judge::Rules::default();
    assert_eq!(
        rules.verify_program(&program, &keys, total, &received),
        Ok(())
    );
}

/// KeyGen of the BLS draft, written from its text with another implementation of HKDF.
fn derive(material: &[u8], info: &[u8]) -> ark_bls12_381::Fr {
    use ark_ff::PrimeField;
    use sha2::Digest;
    let salt = Sha256::digest(b"BLS-SIG-KEYGEN-SALT-");
    let material = [material, &[0]].concat();
    let hkdf = hkdf::Hkdf::<Sha256>::new(Some(&salt), &material);
    let mut okm = [0; 48];
    hkdf.expand(&[info, &[0, 48]].concat(), &mut okm).unwrap();
    ark_bls12_381::Fr::from_be_bytes_mod_order(&okm)
}

#[test]
fn keys_are_derived_as_the_draft_says_and_with_our_tag() {
    for at in 0..4 {
        let material = [at; 40];
        let key = SigningKey::generate(&material).unwrap();
        let expected = judge::scalar(derive(&material, b"MKLHS-V01"));
        assert_eq!(*key.expose(), expected.to_bytes());
        let without_tag = judge::scalar(derive(&material, b""));
        assert_ne!(*key.expose(), without_tag.to_bytes());
    }
}

/// The expected content of `extra.json`. The reference verifier accepts all of it.
fn extra() -> Value {
    let key = support::key(1);
    let empty = Label::new(b"", key.id(), b"", b"").unwrap();
    let minus = sign(&key, &empty, -5);
    let plus = sign(&key, &empty, 5);
    let proof = EquivocationProof::new(empty.clone(), minus, plus);
    assert_eq!(proof.check(key.public()), Ok(key.id()));
    let wide: Scalar =
        "-26217937587563095239723870254092982918845276250263818911301829349969290592256"
            .parse()
            .unwrap();
    let residues = Scenario::new(
        Bounds::Residues,
        &[(4, wide, 3.into()), (5, Scalar::ONE, wide)],
    );
    json!({
        "made_by": "duet-mklhs",
        "key": {
            "material": hex::encode([1; 32]),
            "secret": hex::encode(key.expose().as_ref()),
            "public": hex::encode(key.public().to_bytes()),
            "id": key.id().to_string(),
            "possession": hex::encode(key.prove_possession().to_bytes()),
        },
        "empty_label": {
            "label": hex::encode(empty.as_bytes()),
            "point": hex::encode(empty.hash_to_curve()),
            "minus_five": hex::encode(minus.to_bytes()),
        },
        "equivocation": hex::encode(proof.to_bytes()),
        "integers": of_story(&Scenario::three_signers()),
        "residues": of_story(&residues),
    })
}

fn of_story(scenario: &Scenario) -> Value {
    let combined = scenario.combined();
    let keys = judge::possessed(&scenario.keys);
    let rules = judge::Rules::but(|it| it.bounds = scenario.program.bounds() == Bounds::Integers);
    let verdict = rules.verify_program(&scenario.program, &keys, scenario.total(), &combined);
    assert_eq!(verdict, Ok(()));
    let inputs = scenario
        .program
        .coefficients()
        .iter()
        .zip(scenario.program.labels());
    let inputs = inputs
        .zip(&scenario.signatures)
        .map(|((f, label), signature)| {
            json!({
                "coefficient": f.to_string(),
                "label": hex::encode(label.as_bytes()),
                "message": signature.message().to_string(),
                "signature": hex::encode(signature.to_bytes()),
            })
        });
    json!({
        "inputs": inputs.collect::<Vec<_>>(),
        "digest": hex::encode(scenario.program.digest()),
        "total": scenario.total().to_string(),
        "combined": hex::encode(combined.to_bytes()),
    })
}

const EXTRA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/extra.json");

#[test]
fn our_own_vectors_are_what_they_were() {
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(EXTRA).unwrap()).unwrap();
    assert_eq!(extra(), kept);
}

#[test]
#[ignore = "rewrites the vectors"]
fn regenerate() {
    let text = serde_json::to_string_pretty(&extra()).unwrap() + "\n";
    std::fs::write(EXTRA, text).unwrap();
}

#[test]
fn the_digest_of_a_program_is_the_hash_that_is_documented() {
    use sha2::Digest;
    let scenario = Scenario::three_signers();
    let mut bytes = b"MKLHS-V01-PROG".to_vec();
    bytes.extend(6_u32.to_be_bytes());
    for (f, label) in scenario
        .program
        .coefficients()
        .iter()
        .zip(scenario.program.labels())
    {
        bytes.extend(f.to_bytes());
        bytes.extend(u32::try_from(label.as_bytes().len()).unwrap().to_be_bytes());
        bytes.extend(label.as_bytes());
    }
    assert_eq!(
        scenario.program.digest().as_slice(),
        Sha256::digest(&bytes).as_slice()
    );
}

#[test]
fn both_libraries_read_and_write_the_same_points() {
    let key = support::key(1);
    let public = key.public().to_bytes();
    assert_eq!(judge::bytes(judge::g2(&public)), public);
    assert!(PublicKey::from_bytes(&judge::bytes(judge::g2(&public))).is_ok());
    let pop = key.prove_possession().to_bytes();
    assert_eq!(
        ProofOfPossession::from_bytes(&judge::bytes(judge::g1_affine(&pop))),
        Ok(key.prove_possession())
    );
    for text in ["", "a", "somewhat longer"] {
        let label = support::label(&key, text);
        let point = judge::hash_to_g1(suite::DST_LABEL, label.as_bytes());
        assert_eq!(judge::compress(point), label.hash_to_curve());
    }
}
