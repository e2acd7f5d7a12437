//! End-to-end tests of all verbs of `duet-schemes searchable`, with files and pipes.

mod support;

use duet_armour::kinds::SEARCHABLE_CIPHERTEXTS;
use serde_json::Value;
use std::{
    io::Write,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

const KEYWORD: [&str; 2] = ["--keyword", "validators/cpu"];
const OTHER: [&str; 4] = ["--telemetry", "duet", "memory", "7"];

/// A folder with a receiver's keys, and the trapdoors of two keywords.
struct Cli(tempfile::TempDir);

impl Cli {
    fn new() -> Self {
        let cli = Self(tempfile::tempdir().expect("a folder"));
        cli.json(&["keygen", "receiver"]);
        cli.json(
            &[
                &["trapdoor", "--key", "receiver", "--output", "trapdoor"],
                &KEYWORD[..],
            ]
            .concat(),
        );
        cli.json(
            &[
                &["trapdoor", "--key", "receiver", "--output", "other"],
                &OTHER[..],
            ]
            .concat(),
        );
        cli
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, args: &[&str], input: &[u8]) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_duet-schemes"))
            .args(["searchable"])
            .args(args)
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // A program that rejects its arguments does not read its input.
        let _ = child.stdin.take().expect("piped").write_all(input);
        child.wait_with_output().expect("the program ends")
    }

    /// Runs a verb that must succeed, and parses its one line of JSON.
    fn json(&self, args: &[&str]) -> Value {
        let output = self.run(&[args, &["--json"]].concat(), b"");
        assert!(
            output.status.success(),
            "{args:?}: {}",
            text(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).expect("one line of JSON")
    }

    /// Runs a verb that must fail with this status, and returns its one line of error.
    fn fails(&self, args: &[&str], status: i32) -> String {
        let output = self.run(args, b"");
        assert_eq!(
            output.status.code(),
            Some(status),
            "{args:?}: {}",
            text(&output.stderr)
        );
        assert!(output.stdout.is_empty());
        let line = text(&output.stderr);
        assert!(
            line.starts_with("error: ") && line.trim_end().lines().count() == 1,
            "{line}"
        );
        line
    }

    /// The bytes of the ciphertexts in a file.
    fn content(&self, name: &str) -> Vec<u8> {
        support::content(&self.path(name))
    }

    fn write(&self, name: &str, ciphertexts: &[u8]) {
        support::write(&self.path(name), &SEARCHABLE_CIPHERTEXTS, ciphertexts);
    }

    fn encrypt(&self, keyword: &[&str], numbers: &str, out: &str) {
        std::fs::write(self.path("numbers"), numbers).expect("written");
        let args = [
            "encrypt", "--public", "receiver", "--input", "numbers", "--output", out,
        ];
        self.json(&[&args[..], keyword].concat());
    }

    fn decrypt(&self, input: &str) -> Value {
        let args = [
            "decrypt", "--key", "receiver", "--bound", "100000", "--memory", "1",
        ];
        let found = self.json(&[&args[..], &["--input", input], &KEYWORD].concat());
        found["numbers"].clone()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A verb of the server, for the first keyword.
fn server<'a>(verb: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    let keys = ["--public", "receiver", "--trapdoor", "trapdoor"];
    [&[verb], &keys[..], &KEYWORD, rest].concat()
}

#[test]
fn readings_are_encrypted_found_added_and_decrypted() {
    let cli = Cli::new();
    cli.encrypt(&KEYWORD, "17, 25\n-2", "mine");
    cli.encrypt(&OTHER, "1000 2000", "foreign");
    let [mine, foreign] = ["mine", "foreign"].map(|name| cli.content(name));
    assert_eq!(mine.len(), 3 * 1841);
    let mixed = [&foreign[..1841], &mine, &foreign[1841..]].concat();
    cli.write("mixed", &mixed);

    let found = cli.json(&server(
        "search",
        &["--input", "mixed", "--output", "found", "--compressed"],
    ));
    assert_eq!(
        found,
        serde_json::json!({ "searched": 5, "found": [1, 2, 3], "malformed": [] })
    );
    assert_eq!(cli.content("found").len(), 3 * 977);
    let tested = cli.json(&server("test", &["--input", "found"]));
    assert_eq!(tested["tested"], 3);

    let args = [
        "--input",
        "found",
        "--output",
        "sum",
        "--bound",
        "100",
        "--constant",
        "-5",
        "--force",
    ];
    let added = cli.json(&server("aggregate", &args));
    assert_eq!(
        added,
        serde_json::json!({ "added": 3, "duplicates": 0, "bound": 305 })
    );
    let told = cli.run(&server("aggregate", &args), b"");
    assert_eq!(
        text(&told.stdout),
        "3 ciphertexts added, 0 duplicates dropped; the sum is between -305 and 305\n"
    );
    let limit = |limit| server("aggregate", &[&args[..], &["--limit", limit]].concat());
    cli.json(&limit("305"));
    let refused = cli.fails(&limit("304"), 1);
    assert!(
        refused.contains("may reach 305, and the limit is 304"),
        "{refused}"
    );
    assert_eq!(cli.decrypt("sum"), serde_json::json!([35]));
    assert_eq!(cli.decrypt("found"), serde_json::json!([17, 25, -2]));
}

#[test]
fn a_delegated_key_decrypts_what_the_secret_does() {
    let cli = Cli::new();
    cli.encrypt(&KEYWORD, "123", "mine");
    cli.json(
        &[
            &["delegate", "--key", "receiver", "--output", "delegated"],
            &KEYWORD[..],
        ]
        .concat(),
    );
    let args = [
        "decrypt",
        "--delegated",
        "delegated",
        "--public",
        "receiver",
        "--input",
        "mine",
    ];
    let args = [&args[..], &["--bound", "1000", "--memory", "1"]].concat();
    let found = cli.json(&[&args[..], &KEYWORD].concat());
    assert_eq!(found["numbers"], serde_json::json!([123]));
    let wrong = cli.fails(&[&args[..], &OTHER].concat(), 2);
    assert!(wrong.contains("part 1"), "{wrong}");
}

#[test]
fn pipes_do_as_well_as_files() {
    let cli = Cli::new();
    let args = ["encrypt", "--public", "receiver", "--output", "-"];
    let encrypted = cli.run(&[&args[..], &KEYWORD].concat(), b"1 2 3 4");
    assert!(encrypted.status.success());
    let args = server("aggregate", &["--output", "-", "--bound", "4"]);
    let sum = cli.run(&args, &encrypted.stdout);
    assert!(sum.status.success(), "{}", text(&sum.stderr));
    assert_eq!(text(&sum.stderr), "the sum is between -16 and 16\n");
    std::fs::write(cli.path("sum"), &sum.stdout).expect("written");
    assert_eq!(cli.content("sum").len(), 1841);
    let args = [
        "decrypt", "--key", "receiver", "--bound", "1000", "--memory", "1",
    ];
    let number = cli.run(&[&args[..], &KEYWORD].concat(), &sum.stdout);
    assert_eq!(text(&number.stdout), "10\n");
}

#[test]
fn weights_count_and_duplicates_do_not() {
    let cli = Cli::new();
    cli.encrypt(&KEYWORD, "3 5", "mine");
    let mine = std::fs::read(cli.path("mine")).expect("there");
    // Files are joined as they are.
    std::fs::write(cli.path("twice"), [&mine[..], &mine].concat()).expect("written");
    let added = cli.json(&server(
        "aggregate",
        &["--input", "twice", "--output", "sum"],
    ));
    assert_eq!(
        (&added["added"], &added["duplicates"]),
        (&2.into(), &2.into())
    );
    assert_eq!(cli.decrypt("sum"), serde_json::json!([8]));
    std::fs::write(cli.path("weights"), "10 -2 0 1").expect("written");
    let args = [
        "--input",
        "twice",
        "--weights",
        "weights",
        "--output",
        "sum",
        "--force",
    ];
    cli.json(&server("aggregate", &args));
    assert_eq!(cli.decrypt("sum"), serde_json::json!([30 - 10 + 5]));
    std::fs::write(cli.path("weights"), "1 2 3").expect("written");
    let refused = cli.fails(&server("aggregate", &args), 2);
    assert!(refused.contains("3 weights for 4 ciphertexts"));
}

#[test]
fn encrypted_vectors_are_multiplied() {
    let cli = Cli::new();
    for (name, numbers) in [("left", "3 4 250"), ("right", "10 20 7")] {
        std::fs::write(cli.path("numbers"), numbers).expect("written");
        let args = ["encrypt-vector", "--public", "receiver", "--bits", "8"];
        let args = [
            &args[..],
            &["--input", "numbers", "--output", name],
            &KEYWORD,
        ]
        .concat();
        assert_eq!(cli.json(&args)["modulus"], 256);
    }
    let args = ["--left", "left", "--right", "right", "--output", "product"];
    let product = cli.json(&server("inner-product", &args));
    assert_eq!(
        product,
        serde_json::json!({ "length": 3, "ciphertexts": 7 })
    );
    let args = [
        "decrypt-product",
        "--key",
        "receiver",
        "--input",
        "product",
        "--memory",
        "1",
    ];
    let opened = cli.json(&[&args[..], &KEYWORD].concat());
    assert_eq!(opened["number"], (3 * 10 + 4 * 20 + 250 * 7) % 256);
    let refused = cli.fails(&[&args[..], &OTHER].concat(), 1);
    assert_eq!(
        refused,
        "error: ciphertext 0: the ciphertext was rejected\n"
    );
    let short = |most| [&args[..], &["--max-length", most], &KEYWORD].concat();
    cli.json(&short("3"));
    let refused = cli.fails(&short("2"), 1);
    assert!(
        refused.contains("length 3, and at most 2 is allowed"),
        "{refused}"
    );
}

#[test]
fn failed_checks_are_refused_in_one_line_with_status_one() {
    let cli = Cli::new();
    cli.encrypt(&KEYWORD, "1", "mine");
    cli.encrypt(&OTHER, "1", "foreign");
    let [mine, foreign] = ["mine", "foreign"].map(|name| cli.content(name));
    cli.write("mixed", &[&mine[..], &foreign].concat());
    let refused = cli.fails(
        &server("aggregate", &["--input", "mixed", "--output", "sum"]),
        1,
    );
    assert!(
        refused.contains("input 1 is not for this keyword"),
        "{refused}"
    );
    // Dropped duplicates do not change its index.
    cli.write("again", &[&mine[..], &mine, &foreign].concat());
    let refused = cli.fails(
        &server("aggregate", &["--input", "again", "--output", "sum"]),
        1,
    );
    assert!(
        refused.contains("input 2 is not for this keyword"),
        "{refused}"
    );
    assert!(!cli.path("sum").exists());
    let refused = cli.fails(&server("test", &["--input", "mixed"]), 1);
    assert!(refused.contains("ciphertext 1"), "{refused}");
    std::fs::write(cli.path("empty"), "").expect("written");
    let refused = cli.fails(
        &server("aggregate", &["--input", "empty", "--output", "sum"]),
        1,
    );
    assert!(refused.contains("no inputs to add"), "{refused}");
    let args = ["decrypt", "--key", "receiver", "--input", "foreign"];
    let refused = cli.fails(&[&args[..], &KEYWORD].concat(), 1);
    assert_eq!(
        refused,
        "error: ciphertext 0: the ciphertext was rejected\n"
    );
    cli.encrypt(&KEYWORD, "5000", "large");
    let args = [
        "decrypt", "--key", "receiver", "--input", "large", "--bound", "4999",
    ];
    let refused = cli.fails(&[&args[..], &KEYWORD].concat(), 1);
    assert!(refused.contains("between -4999 and 4999"), "{refused}");
    let refused = cli.fails(&server("test", &["--input", "empty"]), 1);
    assert!(refused.contains("there are no ciphertexts"), "{refused}");
    let mut damaged = mine;
    damaged[100] ^= 1;
    cli.write("damaged", &damaged);
    let refused = cli.fails(&server("test", &["--input", "damaged"]), 1);
    assert!(
        refused.contains("c2 is not in the target group"),
        "{refused}"
    );
}

#[test]
fn a_malformed_record_does_not_hide_those_after_it_from_a_search() {
    let cli = Cli::new();
    cli.encrypt(&KEYWORD, "1 2 3", "mine");
    let mut records = cli.content("mine");
    records[1841 + 100] ^= 1;
    cli.write("damaged", &records);
    let search = server(
        "search",
        &["--input", "damaged", "--output", "found", "--force"],
    );
    assert_eq!(
        cli.json(&search),
        serde_json::json!({ "searched": 3, "found": [0, 2], "malformed": [1] })
    );
    assert_eq!(cli.decrypt("found"), serde_json::json!([1, 3]));
    // Sums and tests accept all or nothing.
    for verb in [
        server("aggregate", &["--input", "damaged", "--output", "sum"]),
        server("test", &["--input", "damaged"]),
    ] {
        let refused = cli.fails(&verb, 1);
        assert!(refused.contains("damaged: ciphertext 1: c2"), "{refused}");
    }
    // If the start of the next record is unknown: after an unknown version, and in a truncated record.
    let mut unknown = records.clone();
    unknown[2 * 1841] = 9;
    for (bytes, complaint) in [
        (&unknown[..], "ciphertext 2: unknown ciphertext version 9"),
        (&records[..2 * 1841 + 7], "ciphertext 2: not a ciphertext"),
    ] {
        cli.write("damaged", bytes);
        let refused = cli.fails(&search, 1);
        assert!(refused.contains(complaint), "{refused}");
    }
}

#[test]
fn a_public_key_with_another_fingerprint_than_the_pinned_is_refused_wherever_one_is_read() {
    let cli = Cli::new();
    let keys = ["keygen", "another"];
    let pinned = cli.json(&keys)["fingerprint"]
        .as_str()
        .expect("hexadecimal")
        .to_owned();
    cli.encrypt(&KEYWORD, "1", "mine");
    cli.json(
        &[
            &["delegate", "--key", "receiver", "--output", "delegated"],
            &KEYWORD[..],
        ]
        .concat(),
    );
    let public = ["--public", "receiver", "--fingerprint", &pinned];
    let trapdoor = ["--trapdoor", "trapdoor"];
    let (input, out) = (["--input", "mine"], ["--output", "x"]);
    let vectors = ["--left", "mine", "--right", "mine"];
    let delegated = ["--delegated", "delegated"];
    let verbs: [(&str, Vec<&str>); 8] = [
        ("encrypt", [input, out].concat()),
        ("encrypt-vector", [input, out].concat()),
        ("test", [trapdoor, input].concat()),
        ("search", [trapdoor, input, out].concat()),
        ("aggregate", [trapdoor, input, out].concat()),
        ("inner-product", [&trapdoor[..], &vectors, &out].concat()),
        ("decrypt", [delegated, input].concat()),
        ("decrypt-product", [delegated, input].concat()),
    ];
    for (verb, rest) in verbs {
        let refused = cli.fails(&[&[verb], &public[..], &KEYWORD, &rest].concat(), 1);
        assert!(
            refused.starts_with("error: receiver/public: the fingerprint is "),
            "{verb}: {refused}"
        );
    }
    let own = ["encrypt", "--public", "another", "--fingerprint", &pinned];
    let args = ["--input", "numbers", "--output", "x"];
    cli.json(&[&own[..], &args, &KEYWORD].concat());
    let own = ["encrypt", "--public", "another", "--fingerprint", "12"];
    let refused = cli.fails(&[&own[..], &args, &["--force"], &KEYWORD].concat(), 2);
    assert!(refused.contains("fingerprint 12"), "{refused}");
}

#[test]
fn a_ciphertext_without_a_number_hides_no_other_one() {
    let cli = Cli::new();
    cli.encrypt(&KEYWORD, "7 5000 -8", "mine");
    cli.encrypt(&OTHER, "1", "foreign");
    let read = |name| std::fs::read(cli.path(name)).expect("there");
    std::fs::write(cli.path("mixed"), [read("foreign"), read("mine")].concat()).expect("written");
    let args = [
        "decrypt", "--key", "receiver", "--input", "mixed", "--bound", "100",
    ];
    let output = cli.run(&[&args[..], &KEYWORD].concat(), b"");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "-\n7\n-\n-8\n");
    let failed = text(&output.stderr);
    assert!(
        failed.contains("ciphertext 0: the ciphertext was rejected; ciphertext 2: "),
        "{failed}"
    );
    let output = cli.run(&[&["--json"], &args[..], &KEYWORD].concat(), b"");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["numbers"], serde_json::json!([null, 7, null, -8]));
}

#[test]
fn what_no_decrypt_would_find_is_not_encrypted_without_being_told_to() {
    let cli = Cli::new();
    let encrypt = |number: &str, more: &[&'static str]| {
        std::fs::write(cli.path("numbers"), number).expect("written");
        let args = [
            "encrypt", "--public", "receiver", "--input", "numbers", "--output", "mine",
        ];
        [&args[..], more, &KEYWORD].concat()
    };
    let beyond = ((1_u64 << 32) + 1).to_string();
    let refused = cli.fails(&encrypt(&beyond, &[]), 2);
    assert!(
        refused.contains("between -4294967296 and 4294967296"),
        "{refused}"
    );
    cli.json(&encrypt(&beyond, &["--bound", "5000000000"]));
}

#[cfg(unix)]
#[test]
fn memory_that_cannot_be_had_is_an_error() {
    let cli = Cli::new();
    cli.encrypt(&KEYWORD, "7", "mine");
    // 12 GiB, where a process may have 2 GiB.
    let command = format!(
        "ulimit -v 2097152; exec {} searchable decrypt --key receiver --input mine --bound {} --memory 12288 {}",
        env!("CARGO_BIN_EXE_duet-schemes"),
        1_u64 << 60,
        KEYWORD.join(" "),
    );
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(cli.path("."))
        .output()
        .expect("it runs");
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("there is no memory for a table"), "{error}");
}

#[test]
fn a_number_beyond_the_bound_is_not_encrypted() {
    let cli = Cli::new();
    std::fs::write(cli.path("numbers"), "-100 100 -101").expect("written");
    let encrypt = |bound| {
        let args = ["encrypt", "--public", "receiver", "--input", "numbers"];
        [&args[..], &["--output", "mine", "--bound", bound], &KEYWORD].concat()
    };
    let refused = cli.fails(&encrypt("100"), 2);
    assert_eq!(refused, "error: number 2 is not between -100 and 100\n");
    assert!(!cli.path("mine").exists());
    cli.json(&encrypt("101"));
    assert_eq!(cli.decrypt("mine"), serde_json::json!([-100, 100, -101]));
}

#[test]
fn invalid_input_is_refused_in_one_line_with_status_two() {
    let cli = Cli::new();
    cli.encrypt(&KEYWORD, "1", "mine");
    // Existing keys are not overwritten.
    assert!(cli.fails(&["keygen", "receiver"], 3).contains("receiver"));
    let wrong = [
        "test",
        "--public",
        "receiver",
        "--trapdoor",
        "other",
        "--input",
        "mine",
    ];
    let refused = cli.fails(&[&wrong[..], &KEYWORD].concat(), 2);
    assert!(refused.contains("another keyword"), "{refused}");
    let wrong = [
        "test",
        "--public",
        "mine",
        "--trapdoor",
        "trapdoor",
        "--input",
        "mine",
    ];
    let refused = cli.fails(&[&wrong[..], &KEYWORD].concat(), 2);
    assert!(
        refused.contains("expected an object of type SEARCHABLE PUBLIC KEY"),
        "{refused}"
    );
    std::fs::write(cli.path("numbers"), "12 twelve").expect("written");
    let args = [
        "encrypt", "--public", "receiver", "--input", "numbers", "--output", "x",
    ];
    let refused = cli.fails(&[&args[..], &KEYWORD].concat(), 2);
    assert!(refused.contains("twelve"), "{refused}");
    let args = ["trapdoor", "--key", "receiver/public", "--output", "x"];
    let refused = cli.fails(&[&args[..], &KEYWORD].concat(), 2);
    assert!(
        refused.contains("expected an object of type SEARCHABLE SECRET KEY"),
        "{refused}"
    );
    let args = ["trapdoor", "--key", "missing", "--output", "x"];
    assert!(cli
        .fails(&[&args[..], &KEYWORD].concat(), 3)
        .contains("missing"));
    // A missing keyword is rejected by the argument parser.
    let output = cli.run(&["trapdoor", "--key", "receiver", "--output", "x"], b"");
    assert_eq!(output.status.code(), Some(2));
    let output = cli.run(&[&args[..], &KEYWORD, &["--json"]].concat(), b"");
    let error: Value = serde_json::from_slice(&output.stderr).expect("one line of JSON");
    assert_eq!(error["kind"], "file");
}

#[test]
fn the_help_names_every_verb() {
    let cli = Cli::new();
    let help = text(&cli.run(&["--help"], b"").stdout);
    for verb in [
        "keygen",
        "trapdoor",
        "delegate",
        "encrypt",
        "test",
        "search",
        "aggregate",
        "decrypt",
        "encrypt-vector",
        "inner-product",
        "decrypt-product",
    ] {
        assert!(help.contains(&format!("\n  {verb} ")), "{verb}: {help}");
    }
}
