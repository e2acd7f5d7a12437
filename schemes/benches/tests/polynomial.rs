//! The sizes in the thesis' table match the encodings, and every row has one of our figures.

use duet_polynomial::research::Polynomial;
use duet_scheme_benches::polynomial::{candidates_per_key, key, DataSet, DIMENSIONS};
use serde_json::Value;
use std::num::NonZeroUsize;

fn rows() -> Vec<Value> {
    let paper: Value = serde_json::from_str(include_str!("../papers/polynomial.json")).unwrap();
    paper["rows"].as_array().unwrap().clone()
}

#[test]
fn the_sizes_in_the_table_are_those_of_the_encodings() {
    let data = DataSet::new(64, 20);
    let variance = data.evaluate(&Polynomial::variance(20).unwrap()).unwrap();
    let encoded = [
        (
            "secret key, n = 64",
            key(64, 1, NonZeroUsize::MIN).secret.expose().len(),
        ),
        (
            "fresh signature, n = 16",
            DataSet::new(16, 1).signatures[0].to_bytes().len(),
        ),
        (
            "fresh signature, n = 64",
            data.signatures[0].to_bytes().len(),
        ),
        (
            "signature of a variance of 20 values, n = 64",
            variance.signature.to_bytes().len(),
        ),
    ];
    let rows = rows();
    let sizes = rows.iter().filter(|row| row["bytes"].is_number());
    assert_eq!(sizes.count(), encoded.len());
    for (name, bytes) in encoded {
        let row = rows.iter().find(|row| row["row"] == name).unwrap();
        assert_eq!(row["bytes"], bytes, "{name}");
    }
}

#[test]
fn every_row_has_a_figure_of_ours() {
    for row in rows() {
        assert!(
            row["bench"].is_string() != row["bytes"].is_number(),
            "{row}"
        );
    }
}

#[test]
fn the_candidates_per_key_in_the_table_are_those_of_the_keys_that_are_timed() {
    let rows = rows();
    for n in DIMENSIONS {
        let name = format!("GenerateKey, n = {n}");
        let row = rows.iter().find(|row| row["row"] == name.as_str()).unwrap();
        let candidates = format!("; {:.1} candidates per key", candidates_per_key(n));
        let note = row["note"].as_str().unwrap();
        assert!(
            note.ends_with(&candidates),
            "{name}: {note}, not{candidates}"
        );
    }
}
