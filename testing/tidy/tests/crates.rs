//! The dependencies between our crates are those that `docs/architecture.md` allows.

mod support;

use std::collections::BTreeSet;

use duet_tidy::crates::{check, read, rows, Crate, Crates, Finding};

#[test]
fn crates_depend_on_each_other_as_the_page_allows() {
    let root = support::repository();
    let page = std::fs::read_to_string(root.join("docs/architecture.md")).expect("the page");
    let crates = read(&root).expect("readable manifests");
    let rows = rows(&page).expect("a table");
    let findings: Vec<_> = check(&crates, &rows)
        .iter()
        .map(|finding| format!("{finding}\n"))
        .collect();
    assert!(findings.is_empty(), "\n{}", findings.concat());
}

#[test]
fn the_page_allows_no_circle() {
    let root = support::repository();
    let page = std::fs::read_to_string(root.join("docs/architecture.md")).expect("the page");
    let mut rest = rows(&page).expect("a table");
    loop {
        let before = rest.len();
        let names: BTreeSet<String> = rest.keys().cloned().collect();
        rest.retain(|_, row| !row.uses.is_disjoint(&names));
        if rest.len() == before {
            break;
        }
    }
    assert!(
        rest.is_empty(),
        "in a circle, or depending on one: {:?}",
        rest.keys()
    );
}

const PAGE: &str = "## The crates

| folder | package | what it is for | may depend on | its tests also |
| --- | --- | --- | --- | --- |
| `a` | `duet-a` | what is *below* | nothing | nothing |
| `b` | `duet-b` | what is above | `a` | nothing |
| `c` | `duet-c` | what stands beside | nothing | `a`, `b` |

## More

| `d` | `duet-d` | not in the table | | |
";

fn krate(package: &str, uses: &[&str], tests_use: &[&str]) -> Crate {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Crate {
        package: package.into(),
        uses: set(uses),
        tests_use: set(tests_use),
        ..Crate::default()
    }
}

fn allowed() -> Crates {
    [
        ("a".into(), krate("duet-a", &[], &[])),
        ("b".into(), krate("duet-b", &["a"], &["a"])),
        ("c".into(), krate("duet-c", &[], &["a", "b"])),
    ]
    .into()
}

fn found(crates: &Crates) -> BTreeSet<Finding> {
    check(crates, &rows(PAGE).expect("a table"))
}

#[test]
fn nothing_is_found_where_all_is_allowed() {
    assert_eq!(found(&allowed()), [].into());
}

#[test]
fn a_dependency_that_is_not_allowed_is_found() {
    let mut crates = allowed();
    crates.insert("a".into(), krate("duet-a", &["b"], &[]));
    let expected = Finding::NotAllowed {
        from: "a".into(),
        to: "b".into(),
        in_tests: false,
    };
    assert_eq!(found(&crates), [expected].into());
}

#[test]
fn what_is_allowed_to_tests_is_not_allowed_to_the_crate() {
    let mut crates = allowed();
    crates.insert("c".into(), krate("duet-c", &["a"], &["b"]));
    let expected = Finding::NotAllowed {
        from: "c".into(),
        to: "a".into(),
        in_tests: false,
    };
    assert_eq!(found(&crates), [expected].into());
}

#[test]
fn a_dependency_of_tests_that_is_not_allowed_is_found() {
    let mut crates = allowed();
    crates.insert("b".into(), krate("duet-b", &[], &["c"]));
    let expected = Finding::NotAllowed {
        from: "b".into(),
        to: "c".into(),
        in_tests: true,
    };
    assert_eq!(found(&crates), [expected].into());
}

#[test]
fn a_crate_without_row_and_a_row_without_crate_are_found() {
    let mut crates = allowed();
    let moved = crates.remove("c").expect("a crate");
    crates.insert("d".into(), moved);
    let expected = [
        Finding::NoRow { folder: "d".into() },
        Finding::NoCrate { folder: "c".into() },
    ];
    assert_eq!(found(&crates), expected.into());
}

#[test]
fn a_row_that_names_another_package_is_found() {
    let mut crates = allowed();
    crates.insert("a".into(), krate("duet-z", &[], &[]));
    let expected = Finding::OtherPackage {
        folder: "a".into(),
        package: "duet-z".into(),
    };
    assert_eq!(found(&crates), [expected].into());
}

#[test]
fn a_page_without_table_is_refused() {
    assert!(rows("## The crates\n\nNone.").is_err());
}
