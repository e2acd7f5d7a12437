//! Every bench and every count that a paper's table names exists. Without this test, renaming one would leave a cell of
//! the table empty.

use duet_scheme_benches::{
    counted::{self, Counted},
    harness::Harness,
};
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

fn check(paper: &str, run: impl FnOnce(&mut Harness), counted: &[Counted]) {
    let mut names = Harness::names(run);
    names.extend(counted.iter().map(|counted| counted.name.clone()));
    let known: HashSet<_> = names.iter().map(String::as_str).collect();
    assert_eq!(known.len(), names.len(), "two of one name");
    let paper: Value = serde_json::from_str(paper).expect("JSON");
    let rows = paper["rows"].as_array().expect("rows");
    let named = rows
        .iter()
        .flat_map(|row| [&row["bench"], &row["rival"], &row["over"]]);
    let named: HashSet<_> = named.filter_map(Value::as_str).collect();
    assert!(!named.is_empty());
    let missing: Vec<_> = named
        .iter()
        .filter(|name| !is_known(name, &known))
        .collect();
    assert!(missing.is_empty(), "nothing has these names: {missing:?}");
}

/// Rows about numbers of hops have `{n}` in place of the number; they need several.
fn is_known(name: &str, known: &HashSet<&str>) -> bool {
    let Some((before, after)) = name.split_once("{n}") else {
        return known.contains(name);
    };
    let number = |name: &&&str| {
        let number = name.strip_prefix(before)?.strip_suffix(after)?;
        number.parse::<u32>().ok()
    };
    known.iter().filter_map(|name| number(&name)).count() > 10
}

#[test]
fn what_the_table_of_mklhs_names_is_measured() {
    let paper = include_str!("../papers/mklhs.json");
    check(paper, mklhs::run, &counted::linear());
}

#[test]
fn what_the_table_of_polynomial_names_is_measured() {
    let paper = include_str!("../papers/polynomial.json");
    check(paper, polynomial::run, &counted::polynomial());
}

#[test]
fn what_the_table_of_searchable_names_is_measured() {
    let everything = |harness: &mut Harness| searchable::run(harness, true);
    let paper = include_str!("../papers/searchable.json");
    check(paper, everything, &counted::searchable());
}

#[test]
fn what_the_table_of_sequential_names_is_measured() {
    let everything = |harness: &mut Harness| sequential::run(harness, true);
    let paper = include_str!("../papers/sequential.json");
    check(paper, everything, &counted::sequential());
}
