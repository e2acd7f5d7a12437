//! End-to-end tests of all verbs of `duet-schemes searchable`, with files and pipes.

mod support;

use duet_armour::kinds::SEARCHABLE_CIPHERTEXTS;
use serde_json::{json, Value};
use std::process::Command;
use support::Cli;

const KEYWORD: &str = "--keyword validators/cpu";
const OTHER: &str = "--telemetry duet memory 7";

/// A folder with a receiver's keys, and the trapdoors of two keywords.
fn cli() -> Cli {
    let cli = Cli::new("searchable");
    cli.json("keygen receiver");
    for (name, keyword) in [("trapdoor", KEYWORD), ("other", OTHER)] {
        cli.json(&format!(
            "trapdoor --key receiver --output {name} {keyword}"
        ));
    }
    cli
}

fn encrypt(cli: &Cli, keyword: &str, numbers: &str, out: &str) {
    cli.file("numbers", numbers);
    cli.json(&format!(
        "encrypt --public receiver --input numbers --output {out} {keyword}"
    ));
}

fn decrypt(cli: &Cli, input: &str) -> Value {
    let words = format!("decrypt --key receiver --input {input} --bound 100000 --memory 1");
    cli.json(&format!("{words} {KEYWORD}"))["numbers"].clone()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A verb of the server, for the first keyword.
fn server(words: &str) -> String {
    format!("{words} --public receiver --trapdoor trapdoor {KEYWORD}")
}

#[test]
fn readings_are_encrypted_found_added_and_decrypted() {
    let cli = cli();
    encrypt(&cli, KEYWORD, "17, 25\n-2", "mine");
    encrypt(&cli, OTHER, "1000 2000", "foreign");
    let [mine, foreign] = ["mine", "foreign"].map(|name| cli.content(name));
    assert_eq!(mine.len(), 3 * 1841);
    let mixed = [&foreign[..1841], &mine, &foreign[1841..]].concat();
    cli.write("mixed", &SEARCHABLE_CIPHERTEXTS, &mixed);

    let found = cli.json(&server("search --input mixed --output found --compressed"));
    assert_eq!(
        found,
        json!({ "searched": 5, "found": [1, 2, 3], "malformed": [] })
    );
    assert_eq!(cli.content("found").len(), 3 * 977);
    let tested = cli.json(&server("test --input found"));
    assert_eq!(tested["tested"], 3);

    let aggregate =
        server("aggregate --input found --output sum --bound 100 --constant -5 --force");
    let added = cli.json(&aggregate);
    assert_eq!(added, json!({ "added": 3, "duplicates": 0, "bound": 305 }));
    let told = cli.run(&aggregate);
    assert_eq!(
        text(&told.stdout),
        "3 ciphertexts added, 0 duplicates dropped; the sum is between -305 and 305\n"
    );
    cli.json(&format!("{aggregate} --limit 305"));
    let refused = "may reach 305, above the limit of 304";
    cli.fails(&format!("{aggregate} --limit 304"), 1, refused);
    assert_eq!(decrypt(&cli, "sum"), json!([35]));
    assert_eq!(decrypt(&cli, "found"), json!([17, 25, -2]));
}

#[test]
fn a_delegated_key_decrypts_what_the_secret_does() {
    let cli = cli();
    encrypt(&cli, KEYWORD, "123", "mine");
    cli.json(&format!(
        "delegate --key receiver --output delegated {KEYWORD}"
    ));
    let keys = "--delegated delegated --public receiver";
    let args = format!("decrypt {keys} --input mine --bound 1000 --memory 1");
    let found = cli.json(&format!("{args} {KEYWORD}"));
    assert_eq!(found["numbers"], json!([123]));
    cli.fails(&format!("{args} {OTHER}"), 2, "part 1");
}

#[test]
fn pipes_do_as_well_as_files() {
    let cli = cli();
    let args = "encrypt --public receiver --output -";
    let encrypted = cli.run_with(&format!("{args} {KEYWORD}"), b"1 2 3 4");
    assert!(encrypted.status.success());
    let args = server("aggregate --output - --bound 4");
    let sum = cli.run_with(&args, &encrypted.stdout);
    assert!(sum.status.success(), "{}", text(&sum.stderr));
    assert_eq!(text(&sum.stderr), "the sum is between -16 and 16\n");
    cli.file("sum", &sum.stdout);
    assert_eq!(cli.content("sum").len(), 1841);
    let args = "decrypt --key receiver --bound 1000 --memory 1";
    let number = cli.run_with(&format!("{args} {KEYWORD}"), &sum.stdout);
    assert_eq!(text(&number.stdout), "10\n");
}

#[test]
fn weights_count_and_duplicates_do_not() {
    let cli = cli();
    encrypt(&cli, KEYWORD, "3 5", "mine");
    let mine = cli.bytes("mine");
    // Files are joined as they are.
    cli.file("twice", [&mine[..], &mine].concat());
    let added = cli.json(&server("aggregate --input twice --output sum"));
    assert_eq!(
        (&added["added"], &added["duplicates"]),
        (&2.into(), &2.into())
    );
    assert_eq!(decrypt(&cli, "sum"), json!([8]));
    cli.file("weights", "10 -2 0 1");
    let weighted = server("aggregate --input twice --weights weights --output sum --force");
    cli.json(&weighted);
    assert_eq!(decrypt(&cli, "sum"), json!([30 - 10 + 5]));
    cli.file("weights", "1 2 3");
    cli.fails(&weighted, 2, "3 weights for 4 ciphertexts");
}

#[test]
fn encrypted_vectors_are_multiplied() {
    let cli = cli();
    for (name, numbers) in [("left", "3 4 250"), ("right", "10 20 7")] {
        cli.file("numbers", numbers);
        let args = format!("--public receiver --bits 8 --input numbers --output {name}");
        let made = cli.json(&format!("encrypt-vector {args} {KEYWORD}"));
        assert_eq!(made["modulus"], 256);
    }
    let product = cli.json(&server(
        "inner-product --left left --right right --output product",
    ));
    assert_eq!(product, json!({ "length": 3, "ciphertexts": 7 }));
    let args = "decrypt-product --key receiver --input product --memory 1";
    let opened = cli.json(&format!("{args} {KEYWORD}"));
    assert_eq!(opened["number"], (3 * 10 + 4 * 20 + 250 * 7) % 256);
    cli.fails(
        &format!("{args} {OTHER}"),
        1,
        "error: ciphertext 0: the ciphertext was rejected\n",
    );
    let short = |most| format!("{args} --max-length {most} {KEYWORD}");
    cli.json(&short(3));
    cli.fails(&short(2), 1, "length 3, above the limit of 2");
}

#[test]
fn failed_checks_are_refused_in_one_line_with_status_one() {
    let cli = cli();
    encrypt(&cli, KEYWORD, "1", "mine");
    encrypt(&cli, OTHER, "1", "foreign");
    let [mine, foreign] = ["mine", "foreign"].map(|name| cli.content(name));
    cli.write(
        "mixed",
        &SEARCHABLE_CIPHERTEXTS,
        &[&mine[..], &foreign].concat(),
    );
    cli.fails(
        &server("aggregate --input mixed --output sum"),
        1,
        "input 1 is not for this keyword",
    );
    // Dropped duplicates do not change its index.
    cli.write(
        "again",
        &SEARCHABLE_CIPHERTEXTS,
        &[&mine[..], &mine, &foreign].concat(),
    );
    cli.fails(
        &server("aggregate --input again --output sum"),
        1,
        "input 2 is not for this keyword",
    );
    assert!(!cli.path("sum").exists());
    cli.fails(&server("test --input mixed"), 1, "ciphertext 1");
    cli.file("empty", "");
    cli.fails(
        &server("aggregate --input empty --output sum"),
        1,
        "no inputs to add",
    );
    let args = "decrypt --key receiver --input foreign";
    cli.fails(
        &format!("{args} {KEYWORD}"),
        1,
        "error: ciphertext 0: the ciphertext was rejected\n",
    );
    encrypt(&cli, KEYWORD, "5000", "large");
    let args = "decrypt --key receiver --input large --bound 4999";
    cli.fails(&format!("{args} {KEYWORD}"), 1, "between -4999 and 4999");
    cli.fails(&server("test --input empty"), 1, "there are no ciphertexts");
    let mut damaged = mine;
    damaged[100] ^= 1;
    cli.write("damaged", &SEARCHABLE_CIPHERTEXTS, &damaged);
    cli.fails(
        &server("test --input damaged"),
        1,
        "c2 is not in the target group",
    );
}

#[test]
fn a_malformed_record_does_not_hide_those_after_it_from_a_search() {
    let cli = cli();
    encrypt(&cli, KEYWORD, "1 2 3", "mine");
    let mut records = cli.content("mine");
    records[1841 + 100] ^= 1;
    cli.write("damaged", &SEARCHABLE_CIPHERTEXTS, &records);
    let search = server("search --input damaged --output found --force");
    assert_eq!(
        cli.json(&search),
        json!({ "searched": 3, "found": [0, 2], "malformed": [1] })
    );
    assert_eq!(decrypt(&cli, "found"), json!([1, 3]));
    // Sums and tests accept all or nothing.
    for verb in [
        server("aggregate --input damaged --output sum"),
        server("test --input damaged"),
    ] {
        cli.fails(&verb, 1, "damaged: ciphertext 1: c2");
    }
    // If the start of the next record is unknown: after an unknown version, and in a truncated record.
    let mut unknown = records.clone();
    unknown[2 * 1841] = 9;
    for (bytes, complaint) in [
        (&unknown[..], "ciphertext 2: unknown ciphertext version 9"),
        (&records[..2 * 1841 + 7], "ciphertext 2: not a ciphertext"),
    ] {
        cli.write("damaged", &SEARCHABLE_CIPHERTEXTS, bytes);
        cli.fails(&search, 1, complaint);
    }
}

#[test]
fn a_public_key_with_another_fingerprint_than_the_pinned_is_refused_wherever_one_is_read() {
    let cli = cli();
    let pinned = cli.json("keygen another")["fingerprint"].clone();
    let pinned = pinned.as_str().expect("hexadecimal");
    encrypt(&cli, KEYWORD, "1", "mine");
    cli.json(&format!(
        "delegate --key receiver --output delegated {KEYWORD}"
    ));
    let public = format!("--public receiver --fingerprint {pinned}");
    for verb in [
        "encrypt --input mine --output x",
        "encrypt-vector --input mine --output x",
        "test --trapdoor trapdoor --input mine",
        "search --trapdoor trapdoor --input mine --output x",
        "aggregate --trapdoor trapdoor --input mine --output x",
        "inner-product --trapdoor trapdoor --left mine --right mine --output x",
        "decrypt --delegated delegated --input mine",
        "decrypt-product --delegated delegated --input mine",
    ] {
        let refused = "error: receiver/public: the fingerprint is ";
        cli.fails(&format!("{verb} {public} {KEYWORD}"), 1, refused);
    }
    let args = format!("encrypt --input numbers --output x --public another {KEYWORD}");
    cli.json(&format!("{args} --fingerprint {pinned}"));
    let wrong = format!("{args} --fingerprint 12 --force");
    cli.fails(&wrong, 2, "fingerprint 12");
}

#[test]
fn a_ciphertext_without_a_number_hides_no_other_one() {
    let cli = cli();
    encrypt(&cli, KEYWORD, "7 5000 -8", "mine");
    encrypt(&cli, OTHER, "1", "foreign");
    let read = |name| cli.bytes(name);
    cli.file("mixed", [read("foreign"), read("mine")].concat());
    let args = "decrypt --key receiver --input mixed --bound 100";
    let output = cli.run(&format!("{args} {KEYWORD}"));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "-\n7\n-\n-8\n");
    let failed = text(&output.stderr);
    assert!(
        failed.contains("ciphertext 0: the ciphertext was rejected; ciphertext 2: "),
        "{failed}"
    );
    let output = cli.run(&format!("--json {args} {KEYWORD}"));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["numbers"], json!([null, 7, null, -8]));
}

#[test]
fn what_no_decrypt_would_find_is_not_encrypted_without_being_told_to() {
    let cli = cli();
    cli.file("numbers", ((1_u64 << 32) + 1).to_string());
    let encrypt = format!("encrypt --public receiver --input numbers --output mine {KEYWORD}");
    cli.fails(&encrypt, 2, "between -4294967296 and 4294967296");
    cli.json(&format!("{encrypt} --bound 5000000000"));
}

#[cfg(unix)]
#[test]
fn memory_that_cannot_be_had_is_an_error() {
    let cli = cli();
    encrypt(&cli, KEYWORD, "7", "mine");
    // 12 GiB, where a process may have 2 GiB.
    let command = format!(
        "ulimit -v 2097152; exec {} searchable decrypt --key receiver --input mine --bound {} --memory 12288 {}",
        env!("CARGO_BIN_EXE_duet-schemes"),
        1_u64 << 60,
        KEYWORD,
    );
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(cli.path("."))
        .output()
        .expect("it runs");
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("cannot allocate a table"), "{error}");
}

#[test]
fn a_number_beyond_the_bound_is_not_encrypted() {
    let cli = cli();
    cli.file("numbers", "-100 100 -101");
    let encrypt = |bound| {
        let args = "--public receiver --input numbers --output mine";
        format!("encrypt {args} --bound {bound} {KEYWORD}")
    };
    cli.fails(
        &encrypt(100),
        2,
        "error: number 2 is not between -100 and 100\n",
    );
    assert!(!cli.path("mine").exists());
    cli.json(&encrypt(101));
    assert_eq!(decrypt(&cli, "mine"), json!([-100, 100, -101]));
}

#[test]
fn invalid_input_is_refused_in_one_line_with_status_two() {
    let cli = cli();
    encrypt(&cli, KEYWORD, "1", "mine");
    // Existing keys are not overwritten.
    cli.fails("keygen receiver", 3, "receiver");
    let wrong = "test --public receiver --trapdoor other --input mine";
    cli.fails(&format!("{wrong} {KEYWORD}"), 2, "another keyword");
    let wrong = "test --public mine --trapdoor trapdoor --input mine";
    cli.fails(
        &format!("{wrong} {KEYWORD}"),
        2,
        "expected an object of type SEARCHABLE PUBLIC KEY",
    );
    cli.file("numbers", "12 twelve");
    let args = "encrypt --public receiver --input numbers --output x";
    cli.fails(&format!("{args} {KEYWORD}"), 2, "twelve");
    let args = "trapdoor --key receiver/public --output x";
    cli.fails(
        &format!("{args} {KEYWORD}"),
        2,
        "expected an object of type SEARCHABLE SECRET KEY",
    );
    let args = "trapdoor --key missing --output x";
    cli.fails(&format!("{args} {KEYWORD}"), 3, "missing");
    // A missing keyword is rejected by the argument parser.
    let output = cli.run("trapdoor --key receiver --output x");
    assert_eq!(output.status.code(), Some(2));
    let output = cli.run(&format!("{args} {KEYWORD} --json"));
    let error: Value = serde_json::from_slice(&output.stderr).expect("one line of JSON");
    assert_eq!(error["kind"], "file");
}

#[test]
fn the_help_names_every_verb() {
    let cli = cli();
    let help = text(&cli.run("--help").stdout);
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
