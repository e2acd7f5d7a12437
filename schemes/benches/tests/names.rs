//! Every bench that a paper's table names exists. Without this test, renaming a bench would leave a cell of the table
//! empty.

use duet_scheme_benches::harness::Harness;
use serde_json::Value;
use std::collections::HashSet;

macro_rules! bench {
    ($name:ident, $path:literal) => {
        #[path = $path]
        #[allow(dead_code, reason = "the measuring code is not called here")]
        mod $name;
    };
}

bench!(mklhs, "../benches/mklhs.rs");
bench!(polynomial, "../benches/polynomial.rs");
bench!(searchable, "../benches/searchable.rs");
bench!(sequential, "../benches/sequential.rs");

fn check(paper: &str, run: impl FnOnce(&mut Harness)) {
    let names = Harness::names(run);
    let benches: HashSet<_> = names.iter().map(String::as_str).collect();
    assert_eq!(benches.len(), names.len(), "two benches of one name");
    let paper: Value = serde_json::from_str(paper).expect("JSON");
    let rows = paper["rows"].as_array().expect("rows");
    let named = rows.iter().flat_map(|row| [&row["bench"], &row["rival"]]);
    let named: HashSet<_> = named.filter_map(Value::as_str).collect();
    assert!(!named.is_empty());
    let missing: Vec<_> = named.difference(&benches).collect();
    assert!(missing.is_empty(), "no such benches: {missing:?}");
}

#[test]
fn the_benches_in_the_table_of_mklhs_are_there() {
    check(include_str!("../papers/mklhs.json"), mklhs::run);
}

#[test]
fn the_benches_in_the_table_of_polynomial_are_there() {
    let everything = |harness: &mut Harness| polynomial::run(harness, true);
    check(include_str!("../papers/polynomial.json"), everything);
}

#[test]
fn the_benches_in_the_table_of_searchable_are_there() {
    check(include_str!("../papers/searchable.json"), searchable::run);
}

#[test]
fn the_benches_in_the_table_of_sequential_are_there() {
    let everything = |harness: &mut Harness| sequential::run(harness, true);
    check(include_str!("../papers/sequential.json"), everything);
}
