//! Every verb of `duet-schemes polynomial`, end to end through the program.

use serde_json::Value;
use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

const WORTH: &str = "Experimental: anybody who holds the public key can forge this";

/// A folder in which commands run.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With a key of dimension 16, and the signatures of a data set.
    fn with_signatures() -> Self {
        let desk = Self::new();
        desk.succeeds(KEYGEN, "");
        desk.succeeds(&format!("{SIGN} --out signatures"), "71 85\n90 62\n");
        desk
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

    /// The command fails with this status and one line that has these words in it, and prints nothing else.
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
    let desk = Desk::new();
    let said = desk.succeeds(KEYGEN, "");
    assert!(said.starts_with("key ") && said.contains(WORTH), "{said}");
    // 0x01, n, two generators of 16 coefficients, the seed.
    let before = fs::read(desk.path("secret")).unwrap();
    assert_eq!(before.len(), 3 + 64 + 32);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(desk.path("secret"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    desk.fails(KEYGEN, "", 2, "secret: there already");
    assert_eq!(fs::read(desk.path("secret")).unwrap(), before);
    let other = "keygen --dimension 16 --secret other --public public --register";
    desk.fails(
        &format!("{other} register"),
        "",
        2,
        "register: there already",
    );
    desk.fails(
        &format!("{other} new --anchor register.anchor"),
        "",
        2,
        "register.anchor: there already",
    );
    assert!(!desk.path("other").exists() && !desk.path("new").exists());
}

#[test]
fn keygen_leaves_no_register_behind_when_the_secret_cannot_be_written() {
    let desk = Desk::new();
    let keygen = "keygen --dimension 4 --public public --register register --secret nowhere/secret";
    desk.fails(keygen, "", 2, "nowhere/secret");
    assert_eq!(fs::read_dir(desk.path(".")).unwrap().count(), 0);
}

#[test]
fn keygen_answers_in_json_and_refuses_what_is_no_dimension() {
    let desk = Desk::new();
    let key = desk.json(KEYGEN);
    assert_eq!(key["assurance"], "Experimental");
    assert_eq!(key["dimension"], 16);
    assert_eq!(key["fingerprint"].as_str().unwrap().len(), 64);
    let files = "--secret s --public p --register r";
    desk.fails(
        &format!("keygen --dimension 12 {files}"),
        "",
        2,
        "dimension 12",
    );
    desk.fails(&format!("keygen --values 0 {files}"), "", 2, "limits");
    assert!(!desk.path("s").exists());
}

#[test]
fn signatures_are_lines_that_say_what_they_are_worth() {
    let desk = Desk::with_signatures();
    let text = fs::read_to_string(desk.path("signatures")).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0], format!("# {WORTH}"));
    // The same request gives the same signatures, here through a pipe.
    let again = desk.succeeds(&format!("{SIGN} --out -"), "71 85 90 62");
    assert_eq!(again, text);
}

#[test]
fn a_label_never_gets_a_second_value() {
    let desk = Desk::with_signatures();
    let sign = format!("{SIGN} --out other");
    desk.fails(&sign, "71 85 91 62", 1, "label 2 of the request");
    assert!(!desk.path("other").exists());
    fs::remove_file(desk.path("register")).unwrap();
    desk.fails(&sign, "71 85 90 62", 2, "register: ");
}

#[test]
fn a_register_restored_from_a_copy_is_refused() {
    let desk = Desk::with_signatures();
    let copy = fs::read(desk.path("register")).unwrap();
    desk.succeeds(&format!("{SIGN} --out longer"), "71 85 90 62 77");
    fs::write(desk.path("register"), copy).unwrap();
    let sign = format!("{SIGN} --out other");
    desk.fails(&sign, "71 85 90 62 78", 1, "4 records of the 5");
    assert!(!desk.path("other").exists());
    // Nor does it help to lose the anchor.
    fs::remove_file(desk.path("register.anchor")).unwrap();
    desk.fails(&sign, "71 85 90 62 78", 2, "register.anchor: ");
}

#[test]
fn the_anchor_goes_where_it_is_told_to() {
    let desk = Desk::new();
    desk.succeeds(&format!("{KEYGEN} --anchor elsewhere"), "");
    assert!(!desk.path("register.anchor").exists());
    desk.fails(&format!("{SIGN} --out o"), "1", 2, "register.anchor: ");
    desk.succeeds(&format!("{SIGN} --out o --anchor elsewhere"), "1");
}

#[test]
fn bad_values_and_keys_are_refused_in_one_line() {
    let desk = Desk::with_signatures();
    let sign = format!("{SIGN} --out other");
    desk.fails(&sign, "71 x", 2, "value 1 is no integer");
    desk.fails(&sign, "1_000", 2, "value 0 is no integer");
    desk.fails(&sign, "", 2, "no values");
    desk.fails(&sign, "1 2 3 4 5 6", 2, "index 5");
    fs::write(desk.path("public"), b"no key").unwrap();
    desk.fails(&sign, "71", 2, "public: bad encoding");
    let missing = "sign --secret secret --public nowhere --register r --tag t --out o";
    desk.fails(missing, "", 2, "nowhere");
}

#[test]
fn a_polynomial_is_evaluated_and_verified_through_files() {
    let desk = Desk::with_signatures();
    let evaluate = "evaluate --public public --signatures signatures --range 100 \
                    --function -x0+2*x1^2 --out result";
    let said = desk.succeeds(evaluate, "");
    assert_eq!(said, format!("14379 (not verified)\n{WORTH}\n"));
    let verify = format!("verify --range 100 {CLAIM} --function 2*x1^2-x0 --signature result");
    let said = desk.succeeds(&format!("{verify} --value 14379"), "");
    assert_eq!(said, format!("14379 is verified\n{WORTH}\n"));
    let verified = desk.json(&format!("{verify} --value 14379 --paper-bound"));
    assert_eq!(verified["value"], "14379");
    assert_eq!(verified["assurance"], "Experimental");
    desk.fails(
        &format!("{verify} --value 14380"),
        "",
        1,
        "not for this value",
    );
    let other =
        format!("verify --range 100 {CLAIM} --function 2*x1^2-x2 --value 14379 --signature result");
    desk.fails(&other, "", 1, "not for this function");
}

#[test]
fn a_result_that_may_have_wrapped_around_is_refused() {
    let desk = Desk::with_signatures();
    let evaluate =
        "evaluate --public public --signatures signatures --range 0 --function x0^2 --out result";
    desk.succeeds(evaluate, "");
    let verify = "verify --public public --tag grades --count 4 --function x0^2 --value 5041 --signature result";
    desk.succeeds(&format!("{verify} --range 71"), "");
    let range = format!("--range {}", u64::MAX);
    desk.fails(&format!("{verify} {range}"), "", 1, "message space");
}

#[test]
fn evaluation_and_verification_work_in_a_pipe() {
    let desk = Desk::with_signatures();
    let signatures = fs::read_to_string(desk.path("signatures")).unwrap();
    let evaluate = "evaluate --public public --range 100 --function x0+x1+x2+x3 --out -";
    let result = desk.succeeds(evaluate, &signatures);
    assert!(result.starts_with(&format!("# {WORTH}\n")));
    let verify = format!("verify --range 100 {CLAIM} --stat mean --value 308");
    let said = desk.succeeds(&verify, &result);
    assert_eq!(said, format!("mean 77 is verified\n{WORTH}\n"));
}

#[test]
fn evaluation_names_what_is_wrong() {
    let desk = Desk::with_signatures();
    let evaluate = |function: &str, range: &str| {
        format!(
            "evaluate --public public --signatures signatures --out o \
             --function {function} --range {range}"
        )
    };
    desk.fails(&evaluate("x0+", "100"), "", 2, "byte 3");
    desk.fails(&evaluate("x0+7", "100"), "", 2, "constant term");
    desk.fails(&evaluate("x9", "100"), "", 2, "index of a variable is 9");
    desk.fails(&evaluate("x0^3", "100"), "", 2, "the degree is 3");
    desk.fails(&evaluate("99*x0", "100"), "", 2, "coefficient 99");
    desk.fails(
        &evaluate("x0^2", &u64::MAX.to_string()),
        "",
        2,
        "message space",
    );
    fs::write(desk.path("signatures"), "zz\n").unwrap();
    desk.fails(&evaluate("x0", "100"), "", 2, "signature 0");
}

#[test]
fn statistics_are_computed_verified_and_worth_little() {
    let desk = Desk::with_signatures();
    let stats = |kind: &str| {
        desk.json(&format!(
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
    let said = desk.succeeds(&verify, "");
    assert!(said.starts_with("standard deviation 11.113"), "{said}");
    assert!(said.contains(WORTH), "{said}");
    let empty = "stats mean --public public --tag grades --range 100";
    desk.fails(empty, "# a comment\n", 2, "no signatures");
    let other = "stats mean --public public --tag other --signatures signatures --range 100";
    desk.fails(other, "", 1, "not for this function");
}

#[test]
fn anybody_forges_and_the_verifier_believes_it() {
    let desk = Desk::new();
    desk.succeeds(KEYGEN, "");
    // The forger has the public key and nothing else.
    fs::remove_file(desk.path("secret")).unwrap();
    let claim = format!("{CLAIM} --stat mean --value 400");
    let said = desk.succeeds(&format!("forge {claim} --out forged"), "");
    assert!(said.contains("accepted by the verifier"), "{said}");
    assert!(said.contains(WORTH), "{said}");
    let said = desk.succeeds(
        &format!("verify --range 100 {claim} --signature forged"),
        "",
    );
    assert_eq!(said, format!("mean 100 is verified\n{WORTH}\n"));
    let forged = desk.json(&format!("forge {CLAIM} --function x0*x3 --value -5"));
    assert_eq!(forged["accepted"], true);
    assert_eq!(forged["assurance"], "Experimental");
}

#[test]
fn errors_are_json_where_it_is_asked_for() {
    let desk = Desk::with_signatures();
    let verify =
        format!("verify --range 100 {CLAIM} --stat mean --value 1 --signature signatures --json");
    let output = desk.run(&verify, "");
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["kind"], "input");
    assert!(error["error"]
        .as_str()
        .unwrap()
        .contains("not one signature"));
}
