//! End-to-end tests of all verbs of `duet-schemes polynomial`.

use serde_json::Value;
use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

const WARNING: &str = "Experimental: anybody who holds the public key can forge this";

/// A temporary folder in which commands run.
struct Cli(tempfile::TempDir);

impl Cli {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With a key of dimension 16, and the signatures of a data set.
    fn with_signatures() -> Self {
        let cli = Self::new();
        cli.succeeds(KEYGEN, "");
        cli.succeeds(&format!("{SIGN} --out signatures"), "71 85\n90 62\n");
        cli
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, words: &str, input: &str) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_duet-schemes"))
            .arg("polynomial")
            .args(words.split_whitespace())
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that fails early does not read its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    fn succeeds(&self, words: &str, input: &str) -> String {
        let output = self.run(words, input);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{words}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, words: &str) -> Value {
        serde_json::from_str(&self.succeeds(&format!("{words} --json"), "")).unwrap()
    }

    /// Expects this exit status, one line of error that contains this text, and no other output.
    fn fails(&self, words: &str, input: &str, status: i32, expected: &str) {
        let output = self.run(words, input);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{words}: {error}");
        assert!(error.starts_with("error: "), "{words}: {error}");
        assert!(error.contains(expected), "{words}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(output.stdout.is_empty());
    }
}

const KEYGEN: &str =
    "keygen --dimension 16 --values 5 --secret secret --public public --register register";
const SIGN: &str = "sign --secret secret --public public --register register --tag grades";
const CLAIM: &str = "--public public --tag grades --count 4";

#[test]
fn keygen_writes_a_key_that_only_its_owner_reads_and_overwrites_none() {
    let cli = Cli::new();
    let said = cli.succeeds(KEYGEN, "");
    assert!(said.starts_with("key ") && said.contains(WARNING), "{said}");
    // 0x01, n, two generators of 16 coefficients, the seed.
    let before = fs::read(cli.path("secret")).unwrap();
    assert_eq!(before.len(), 3 + 64 + 32);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(cli.path("secret"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    cli.fails(KEYGEN, "", 2, "secret: there already");
    assert_eq!(fs::read(cli.path("secret")).unwrap(), before);
    let other = "keygen --dimension 16 --secret other --public public --register";
    cli.fails(
        &format!("{other} register"),
        "",
        2,
        "register: there already",
    );
    cli.fails(
        &format!("{other} new --anchor register.anchor"),
        "",
        2,
        "register.anchor: there already",
    );
    assert!(!cli.path("other").exists() && !cli.path("new").exists());
}

#[test]
fn keygen_leaves_no_register_behind_when_the_secret_cannot_be_written() {
    let cli = Cli::new();
    let keygen = "keygen --dimension 4 --public public --register register --secret nowhere/secret";
    cli.fails(keygen, "", 2, "nowhere/secret");
    assert_eq!(fs::read_dir(cli.path(".")).unwrap().count(), 0);
}

#[test]
fn keygen_answers_in_json_and_refuses_what_is_no_dimension() {
    let cli = Cli::new();
    let key = cli.json(KEYGEN);
    assert_eq!(key["assurance"], "Experimental");
    assert_eq!(key["dimension"], 16);
    assert_eq!(key["fingerprint"].as_str().unwrap().len(), 64);
    let files = "--secret s --public p --register r";
    cli.fails(
        &format!("keygen --dimension 12 {files}"),
        "",
        2,
        "dimension 12",
    );
    cli.fails(&format!("keygen --values 0 {files}"), "", 2, "limits");
    assert!(!cli.path("s").exists());
}

#[test]
fn signatures_are_lines_that_say_what_they_are_worth() {
    let cli = Cli::with_signatures();
    let text = fs::read_to_string(cli.path("signatures")).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0], format!("# {WARNING}"));
    // The same request gives the same signatures, here through a pipe.
    let again = cli.succeeds(&format!("{SIGN} --out -"), "71 85 90 62");
    assert_eq!(again, text);
}

#[test]
fn a_label_never_gets_a_second_value() {
    let cli = Cli::with_signatures();
    let sign = format!("{SIGN} --out other");
    cli.fails(&sign, "71 85 91 62", 1, "label 2 of the request");
    assert!(!cli.path("other").exists());
    fs::remove_file(cli.path("register")).unwrap();
    cli.fails(&sign, "71 85 90 62", 2, "register: ");
}

#[test]
fn a_register_restored_from_a_copy_is_refused() {
    let cli = Cli::with_signatures();
    let copy = fs::read(cli.path("register")).unwrap();
    cli.succeeds(&format!("{SIGN} --out longer"), "71 85 90 62 77");
    fs::write(cli.path("register"), copy).unwrap();
    let sign = format!("{SIGN} --out other");
    cli.fails(
        &sign,
        "71 85 90 62 78",
        1,
        "has 4 records, but the key has signed 5",
    );
    assert!(!cli.path("other").exists());
    // Removing the anchor does not help either.
    fs::remove_file(cli.path("register.anchor")).unwrap();
    cli.fails(&sign, "71 85 90 62 78", 2, "register.anchor: ");
}

#[test]
fn the_anchor_goes_where_it_is_told_to() {
    let cli = Cli::new();
    cli.succeeds(&format!("{KEYGEN} --anchor elsewhere"), "");
    assert!(!cli.path("register.anchor").exists());
    cli.fails(&format!("{SIGN} --out o"), "1", 2, "register.anchor: ");
    cli.succeeds(&format!("{SIGN} --out o --anchor elsewhere"), "1");
}

#[test]
fn bad_values_and_keys_are_refused_in_one_line() {
    let cli = Cli::with_signatures();
    let sign = format!("{SIGN} --out other");
    cli.fails(&sign, "71 x", 2, "value 1 is not an integer");
    cli.fails(&sign, "1_000", 2, "value 0 is not an integer");
    cli.fails(&sign, "", 2, "no values");
    cli.fails(&sign, "1 2 3 4 5 6", 2, "index 5");
    fs::write(cli.path("public"), b"no key").unwrap();
    cli.fails(&sign, "71", 2, "public: bad encoding");
    let missing = "sign --secret secret --public nowhere --register r --tag t --out o";
    cli.fails(missing, "", 2, "nowhere");
}

#[test]
fn a_polynomial_is_evaluated_and_verified_through_files() {
    let cli = Cli::with_signatures();
    let evaluate = "evaluate --public public --signatures signatures --range 100 \
                    --function -x0+2*x1^2 --out result";
    let said = cli.succeeds(evaluate, "");
    assert_eq!(said, format!("14379 (not verified)\n{WARNING}\n"));
    let verify = format!("verify --range 100 {CLAIM} --function 2*x1^2-x0 --signature result");
    let said = cli.succeeds(&format!("{verify} --value 14379"), "");
    assert_eq!(said, format!("14379 is verified\n{WARNING}\n"));
    let verified = cli.json(&format!("{verify} --value 14379 --paper-bound"));
    assert_eq!(verified["value"], "14379");
    assert_eq!(verified["assurance"], "Experimental");
    cli.fails(
        &format!("{verify} --value 14380"),
        "",
        1,
        "not for this value",
    );
    let other =
        format!("verify --range 100 {CLAIM} --function 2*x1^2-x2 --value 14379 --signature result");
    cli.fails(&other, "", 1, "not for this function");
}

#[test]
fn a_result_that_may_have_wrapped_around_is_refused() {
    let cli = Cli::with_signatures();
    let evaluate =
        "evaluate --public public --signatures signatures --range 0 --function x0^2 --out result";
    cli.succeeds(evaluate, "");
    let verify = "verify --public public --tag grades --count 4 --function x0^2 --value 5041 --signature result";
    cli.succeeds(&format!("{verify} --range 71"), "");
    let range = format!("--range {}", u64::MAX);
    cli.fails(&format!("{verify} {range}"), "", 1, "message space");
}

#[test]
fn evaluation_and_verification_work_in_a_pipe() {
    let cli = Cli::with_signatures();
    let signatures = fs::read_to_string(cli.path("signatures")).unwrap();
    let evaluate = "evaluate --public public --range 100 --function x0+x1+x2+x3 --out -";
    let result = cli.succeeds(evaluate, &signatures);
    assert!(result.starts_with(&format!("# {WARNING}\n")));
    let verify = format!("verify --range 100 {CLAIM} --stat mean --value 308");
    let said = cli.succeeds(&verify, &result);
    assert_eq!(said, format!("mean 77 is verified\n{WARNING}\n"));
}

#[test]
fn evaluation_names_what_is_wrong() {
    let cli = Cli::with_signatures();
    let evaluate = |function: &str, range: &str| {
        format!(
            "evaluate --public public --signatures signatures --out o \
             --function {function} --range {range}"
        )
    };
    cli.fails(&evaluate("x0+", "100"), "", 2, "byte 3");
    cli.fails(&evaluate("x0+7", "100"), "", 2, "constant term");
    cli.fails(&evaluate("x9", "100"), "", 2, "index of a variable is 9");
    cli.fails(&evaluate("x0^3", "100"), "", 2, "the degree is 3");
    cli.fails(&evaluate("99*x0", "100"), "", 2, "coefficient 99");
    cli.fails(
        &evaluate("x0^2", &u64::MAX.to_string()),
        "",
        2,
        "message space",
    );
    fs::write(cli.path("signatures"), "zz\n").unwrap();
    cli.fails(&evaluate("x0", "100"), "", 2, "signature 0");
}

#[test]
fn statistics_are_computed_verified_and_worth_little() {
    let cli = Cli::with_signatures();
    let stats = |kind: &str| {
        cli.json(&format!(
            "stats {kind} --public public --tag grades --signatures signatures --range 100 \
             --out {kind}"
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
    let said = cli.succeeds(&verify, "");
    assert!(said.starts_with("standard deviation 11.113"), "{said}");
    assert!(said.contains(WARNING), "{said}");
    let empty = "stats mean --public public --tag grades --range 100";
    cli.fails(empty, "# a comment\n", 2, "no signatures");
    let other = "stats mean --public public --tag other --signatures signatures --range 100";
    cli.fails(other, "", 1, "not for this function");
}

#[test]
fn anybody_forges_and_the_verifier_believes_it() {
    let cli = Cli::new();
    cli.succeeds(KEYGEN, "");
    // The forger has only the public key.
    fs::remove_file(cli.path("secret")).unwrap();
    let claim = format!("{CLAIM} --stat mean --value 400");
    let said = cli.succeeds(&format!("forge {claim} --out forged"), "");
    assert!(said.contains("accepted by the verifier"), "{said}");
    assert!(said.contains(WARNING), "{said}");
    let said = cli.succeeds(
        &format!("verify --range 100 {claim} --signature forged"),
        "",
    );
    assert_eq!(said, format!("mean 100 is verified\n{WARNING}\n"));
    let forged = cli.json(&format!("forge {CLAIM} --function x0*x3 --value -5"));
    assert_eq!(forged["accepted"], true);
    assert_eq!(forged["assurance"], "Experimental");
}

#[test]
fn errors_are_json_where_it_is_asked_for() {
    let cli = Cli::with_signatures();
    let verify =
        format!("verify --range 100 {CLAIM} --stat mean --value 1 --signature signatures --json");
    let output = cli.run(&verify, "");
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["kind"], "input");
    assert!(error["error"]
        .as_str()
        .unwrap()
        .contains("expected exactly one signature"));
}
