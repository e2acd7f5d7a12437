//! End-to-end tests of all verbs of `duet-schemes research-forgeable-polynomial`.

mod support;

use duet_armour::kinds::RESEARCH_SIGNATURE;
use serde_json::Value;
use std::fs;
use support::Cli;

const WARNING: &str =
    "For research only, and forgeable: anybody who holds the public key can forge this";

fn cli() -> Cli {
    Cli::new("research-forgeable-polynomial")
}

/// With a key of dimension 16, and the signatures of a data set.
fn with_signatures() -> Cli {
    let cli = cli();
    cli.succeeds(KEYGEN);
    cli.succeeds_with(&format!("{SIGN} --output signatures"), "71 85\n90 62\n");
    cli
}

const KEYGEN: &str = "keygen --dimension 16 --values 5 signer";
const SIGN: &str = "sign --key signer --tag grades";
const CLAIM: &str = "--public signer --tag grades --count 4";

#[test]
fn keygen_writes_a_key_and_overwrites_none() {
    let cli = cli();
    let said = cli.succeeds(KEYGEN);
    assert!(said.starts_with("key ") && said.contains(WARNING), "{said}");
    let before = cli.bytes("signer/secret");
    cli.fails(KEYGEN, 3, "signer: exists already");
    assert_eq!(cli.bytes("signer/secret"), before);
    let other = "keygen --dimension 16 other";
    let (journal, anchor) = ("signer/register.journal", "signer/register.anchor");
    cli.fails(
        &format!("{other} --register {journal}"),
        3,
        "register.journal: exists already",
    );
    cli.fails(
        &format!("{other} --register new --anchor {anchor}"),
        3,
        "register.anchor: exists already",
    );
    assert!(!cli.path("other").exists() && !cli.path("new").exists());
}

#[test]
fn keygen_leaves_nothing_behind_when_the_register_cannot_be_written() {
    let cli = cli();
    let keygen = "keygen --dimension 4 signer --anchor nowhere/anchor";
    cli.fails(keygen, 3, "nowhere");
    assert_eq!(fs::read_dir(cli.path(".")).unwrap().count(), 0);
}

#[test]
fn keygen_answers_in_json_and_refuses_what_is_no_dimension() {
    let cli = cli();
    let key = cli.json(KEYGEN);
    assert_eq!(key["assurance"], "Experimental");
    assert_eq!(key["dimension"], 16);
    assert_eq!(key["fingerprint"].as_str().unwrap().len(), 64);
    cli.fails("keygen --dimension 12 k", 2, "dimension 12");
    cli.fails("keygen --values 0 k", 2, "limits");
    assert!(!cli.path("k").exists());
}

#[test]
fn every_object_says_what_it_is_worth() {
    let cli = with_signatures();
    let text = cli.read("signatures");
    assert_eq!(cli.objects("signatures").len(), 4);
    for name in ["signatures", "signer/secret", "signer/public"] {
        let objects = cli.objects(name);
        let shown = cli.show_text(name);
        let warning = "WARNING: for research only: anybody who has the public key can forge these";
        assert_eq!(shown.matches(warning).count(), objects.len(), "{name}");
        for object in objects {
            let kind = object.kind().name();
            assert!(kind.starts_with("RESEARCH FORGEABLE "), "{kind}");
        }
    }
    // The same request gives the same signatures, here through a pipe.
    let again = cli.succeeds_with(&format!("{SIGN} --output -"), "71 85 90 62");
    assert_eq!(again, text);
}

#[test]
fn a_label_never_gets_a_second_value() {
    let cli = with_signatures();
    let sign = format!("{SIGN} --output other");
    cli.fails_with(&sign, "71 85 91 62", 5, "label 2 of the request");
    assert!(!cli.path("other").exists());
    cli.remove("signer/register.journal");
    cli.fails_with(&sign, "71 85 90 62", 5, "register.journal: ");
}

#[test]
fn a_register_restored_from_a_copy_is_refused() {
    let cli = with_signatures();
    let copy = cli.bytes("signer/register.journal");
    cli.succeeds_with(&format!("{SIGN} --output longer"), "71 85 90 62 77");
    cli.file("signer/register.journal", copy);
    let sign = format!("{SIGN} --output other");
    cli.fails_with(
        &sign,
        "71 85 90 62 78",
        5,
        "has 4 entries, but the key has signed 5",
    );
    assert!(!cli.path("other").exists());
    // Removing the anchor does not help either.
    cli.remove("signer/register.anchor");
    cli.fails_with(&sign, "71 85 90 62 78", 5, "register.anchor: ");
}

#[test]
fn the_anchor_goes_where_it_is_told_to() {
    let cli = cli();
    cli.succeeds(&format!("{KEYGEN} --anchor elsewhere"));
    assert!(!cli.path("signer/register.anchor").exists());
    cli.fails_with(&format!("{SIGN} --output o"), "1", 5, "register.anchor: ");
    cli.succeeds_with(&format!("{SIGN} --output o --anchor elsewhere"), "1");
}

#[test]
fn bad_values_and_keys_are_refused_in_one_line() {
    let cli = with_signatures();
    let sign = format!("{SIGN} --output other");
    cli.fails_with(&sign, "71 x", 2, "value 1 is not an integer");
    cli.fails_with(&sign, "1_000", 2, "value 0 is not an integer");
    cli.fails(&sign, 2, "no values");
    cli.fails_with(&sign, "1 2 3 4 5 6", 2, "index 5");
    cli.file("signer/public", b"# no key");
    cli.fails_with(&sign, "71", 2, "signer/public: line 1: expected an object");
    cli.fails("sign --key nowhere --tag t --output o", 3, "nowhere");
}

#[test]
fn a_polynomial_is_evaluated_and_verified_through_files() {
    let cli = with_signatures();
    let evaluate = "evaluate --public signer --signatures signatures --range 100 \
                    --function -x0+2*x1^2 --output result";
    let said = cli.succeeds(evaluate);
    assert_eq!(said, format!("14379 (not verified)\n{WARNING}\n"));
    let verify = format!("verify --range 100 {CLAIM} --function 2*x1^2-x0 --signature result");
    let said = cli.succeeds(&format!("{verify} --value 14379"));
    assert_eq!(said, format!("14379 is verified\n{WARNING}\n"));
    let verified = cli.json(&format!("{verify} --value 14379 --paper-bound"));
    assert_eq!(verified["value"], "14379");
    assert_eq!(verified["assurance"], "Experimental");
    cli.fails(&format!("{verify} --value 14380"), 1, "not for this value");
    let other =
        format!("verify --range 100 {CLAIM} --function 2*x1^2-x2 --value 14379 --signature result");
    cli.fails(&other, 1, "not for this function");
}

#[test]
fn a_result_that_may_have_wrapped_around_is_refused() {
    let cli = with_signatures();
    let evaluate =
        "evaluate --public signer --signatures signatures --range 0 --function x0^2 --output result";
    cli.succeeds(evaluate);
    let verify = "verify --public signer --tag grades --count 4 --function x0^2 --value 5041 --signature result";
    cli.succeeds(&format!("{verify} --range 71"));
    let range = format!("--range {}", u64::MAX);
    cli.fails(&format!("{verify} {range}"), 1, "message space");
}

#[test]
fn evaluation_and_verification_work_in_a_pipe() {
    let cli = with_signatures();
    let signatures = cli.read("signatures");
    let evaluate = "evaluate --public signer --range 100 --function x0+x1+x2+x3 --output -";
    let result = cli.succeeds_with(evaluate, &signatures);
    assert!(result.starts_with("-----BEGIN DUET RESEARCH FORGEABLE POLYNOMIAL SIGNATURE-----\n"));
    let verify = format!("verify --range 100 {CLAIM} --stat mean --value 308");
    let said = cli.succeeds_with(&verify, &result);
    assert_eq!(said, format!("mean 77 is verified\n{WARNING}\n"));
}

#[test]
fn evaluation_names_what_is_wrong() {
    let cli = with_signatures();
    let evaluate = |function: &str, range: &str| {
        format!(
            "evaluate --public signer --signatures signatures --output o \
             --function {function} --range {range}"
        )
    };
    cli.fails(&evaluate("x0+", "100"), 2, "byte 3");
    cli.fails(&evaluate("x0+7", "100"), 2, "constant term");
    cli.fails(&evaluate("x9", "100"), 2, "index of a variable is 9");
    cli.fails(&evaluate("x0^3", "100"), 2, "the degree is 3");
    cli.fails(&evaluate("99*x0", "100"), 2, "coefficient 99");
    cli.fails(&evaluate("x0^2", &u64::MAX.to_string()), 2, "message space");
    cli.write("signatures", &RESEARCH_SIGNATURE, b"zz");
    cli.fails(&evaluate("x0", "100"), 2, "signature 0");
}

#[test]
fn statistics_are_computed_verified_and_worth_little() {
    let cli = with_signatures();
    let stats = |kind: &str| {
        cli.json(&format!(
            "stats {kind} --public signer --tag grades --signatures signatures --range 100 \
             --output {kind}"
        ))
    };
    let (mean, variance, deviation) = (stats("mean"), stats("variance"), stats("deviation"));
    assert_eq!(mean["mean"], 77.0);
    assert_eq!(mean["value"], "308");
    assert_eq!(variance["variance"], 123.5);
    assert_eq!(variance["value"], "1976");
    let difference = deviation["deviation"].as_f64().unwrap() - 123.5f64.sqrt();
    assert!(difference.abs() < 1e-12);
    for result in [mean, variance, deviation] {
        assert_eq!(result["assurance"], "Experimental");
        assert_eq!(result["count"], 4);
    }
    let verify =
        format!("verify --range 100 {CLAIM} --stat deviation --value 1976 --signature variance");
    let said = cli.succeeds(&verify);
    assert!(said.starts_with("standard deviation 11.113"), "{said}");
    assert!(said.contains(WARNING), "{said}");
    let empty = "stats mean --public signer --tag grades --range 100";
    cli.fails_with(empty, "# a comment\n", 2, "no signatures");
    let other = "stats mean --public signer --tag other --signatures signatures --range 100";
    cli.fails(other, 1, "not for this function");
}

#[test]
fn anybody_forges_and_the_verifier_believes_it() {
    let cli = cli();
    cli.succeeds(KEYGEN);
    // The forger has only the public key.
    cli.remove("signer/secret");
    let claim = format!("{CLAIM} --stat mean --value 400");
    let said = cli.succeeds(&format!("forge {claim} --output forged"));
    assert!(said.contains("accepted by the verifier"), "{said}");
    assert!(said.contains(WARNING), "{said}");
    let said = cli.succeeds(&format!("verify --range 100 {claim} --signature forged"));
    assert_eq!(said, format!("mean 100 is verified\n{WARNING}\n"));
    let forged = cli.json(&format!("forge {CLAIM} --function x0*x3 --value -5"));
    assert_eq!(forged["accepted"], true);
    assert_eq!(forged["assurance"], "Experimental");
}

#[test]
fn errors_are_json_where_it_is_asked_for() {
    let cli = with_signatures();
    let verify =
        format!("verify --range 100 {CLAIM} --stat mean --value 1 --signature signatures --json");
    let output = cli.run(&verify);
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["kind"], "input");
    assert!(error["error"]
        .as_str()
        .unwrap()
        .contains("expected exactly one signature"));
}
