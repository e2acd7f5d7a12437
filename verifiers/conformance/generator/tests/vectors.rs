//! The published vectors are those of the generator, and every case has its answer from the project's own crates.

use duet_conformance::{files, folder, format::File, run};
use serde_json::{json, Value};
use std::{collections::BTreeSet, fs};

/// The published files.
fn published() -> Vec<File> {
    let entries = fs::read_dir(folder()).expect("the folder of the vectors");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let read = |path| fs::read_to_string(path).expect("a file of text");
    let mut files: Vec<_> = paths
        .map(|path| File::from_json(&read(path)).expect("a file of vectors"))
        .collect();
    files.sort_by(|one, other| one.name.cmp(&other.name));
    files
}

/// The cases of a file whose answer differs.
fn different(file: &File) -> Vec<String> {
    let cases = file.cases.iter();
    let different = cases.filter(|case| run(file, case) != case.expected);
    different.map(|case| case.id.clone()).collect()
}

#[test]
fn every_published_case_has_its_answer_from_our_crates() {
    let files = published();
    assert!(files.iter().map(|file| file.cases.len()).sum::<usize>() > 1_000);
    for file in &files {
        assert_eq!(different(file), Vec::<String>::new(), "{}", file.name);
    }
}

#[test]
fn the_published_files_are_what_the_generator_makes() {
    let mut made = files();
    made.sort_by(|one, other| one.name.cmp(&other.name));
    let names =
        |files: &[File]| -> Vec<String> { files.iter().map(|file| file.name.clone()).collect() };
    assert_eq!(names(&published()), names(&made));
    for file in made {
        let path = folder().join(format!("{}.json", file.name));
        let text = fs::read_to_string(path).expect("a file of text");
        // Not with `assert_eq`, which would print half a megabyte.
        assert!(
            text == file.to_json(),
            "{}: run `cargo xtask vectors`",
            file.name
        );
    }
}

#[test]
fn an_answer_with_another_verdict_rule_or_output_differs() {
    let files = published();
    let file = files
        .iter()
        .find(|file| file.name == "justifications")
        .expect("a file");
    let changed = |pick: fn(&Value) -> bool, change: fn(&mut Value)| {
        let mut file = file.clone();
        let case = file
            .cases
            .iter_mut()
            .find(|case| pick(&case.expected))
            .expect("a case");
        change(&mut case.expected);
        let id = case.id.clone();
        file.cases.retain(|case| case.id == id);
        different(&file)
    };
    let refused = |expected: &Value| expected["rule"] == json!("JUST-5");
    assert_eq!(
        changed(refused, |expected| expected["rule"] = json!("JUST-4")).len(),
        1
    );
    assert_eq!(
        changed(refused, |expected| *expected = json!({ "valid": true })).len(),
        1
    );
    let known_answer = |expected: &Value| expected.get("t").is_some();
    assert_eq!(
        changed(known_answer, |expected| expected["t"] = json!("1")).len(),
        1
    );
    assert_eq!(changed(known_answer, |_| ()).len(), 0);
}

#[test]
fn an_input_with_another_byte_has_another_answer() {
    let files = published();
    let mut file = files
        .into_iter()
        .find(|file| file.name == "justifications")
        .expect("a file");
    let with_proof = |case: &&mut duet_conformance::format::Case| {
        case.operation == "justification" && case.expected["valid"] == json!(true)
    };
    let case = file
        .cases
        .iter_mut()
        .find(with_proof)
        .expect("a proof that holds");
    let proof = case.input["justification"]
        .as_str()
        .expect("bytes")
        .to_string();
    // The first digit of the block number.
    let digit = if &proof[2..3] == "0" { "1" } else { "0" };
    case.input["justification"] = json!(format!("0x{digit}{}", &proof[3..]));
    let id = case.id.clone();
    assert_eq!(different(&file), [id]);
}

#[test]
fn ids_are_unique_and_every_rule_of_a_light_client_is_broken_by_some_case() {
    let files = published();
    let cases = || files.iter().flat_map(|file| &file.cases);
    let ids: BTreeSet<_> = cases().map(|case| &case.id).collect();
    assert_eq!(ids.len(), cases().count());
    let broken: BTreeSet<_> = cases()
        .filter_map(|case| case.expected["rule"].as_str())
        .collect();
    let expected = [
        "DLEQ-2",
        "ENC-1",
        "ENC-2",
        "ENC-3",
        "ENC-4",
        "ENC-5",
        "ENC-6",
        "EQV-1",
        "EQV-2",
        "EQV-3",
        "EQV-4",
        "EQV-5",
        "JUST-1",
        "JUST-2",
        "JUST-3",
        "JUST-4",
        "JUST-5",
        "JUST-8",
        "KEY-1",
        "LIGHT-1",
        "LIGHT-2",
        "LIGHT-3",
        "LIGHT-4",
        "LIGHT-5",
        "LIGHT-6",
        "LIGHT-7",
        "LIGHT-9",
        "POP-1",
        "POP-2",
        "POP-3",
        "RECOVER-4",
        "RECOVER-5",
        "RECOVER-6",
        "RECOVER-7",
        "RECOVER-8",
        "RECOVER-9",
        "SET-1",
        "SET-2",
        "SET-3",
        "STATE-1",
        "STATE-2",
        "STATE-3",
        "STATE-4",
        "STATELESS-1",
        "STATELESS-2",
        "VOTE-1",
        "VOTE-2",
        "VOTE-3",
    ];
    assert_eq!(broken, expected.into());
}
