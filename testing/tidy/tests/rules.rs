//! Every rule of the specification is cited by code and by a test, and every rule that is cited exists.

mod support;

use std::{collections::BTreeSet, path::PathBuf};

use duet_tidy::{
    rules::{check, Finding, Rule},
    sources::Sources,
};

#[test]
fn code_and_tests_cite_every_rule_and_no_other() {
    let sources = Sources::read(&support::repository(), &["rs", "md"]).expect("readable sources");
    let findings: Vec<_> = check(&sources)
        .iter()
        .map(|finding| format!("{finding}\n"))
        .collect();
    assert!(findings.is_empty(), "\n{}", findings.concat());
}

const SPEC: (&str, &str) = (
    "docs/spec/README.md",
    "ABC, XYZ\n- **ABC-1** …\n- **ABC-2** …\n- **ABC-3** …",
);
const CODE: (&str, &str) = ("curve/src/lib.rs", "/// ABC-1 to\n/// ABC-3");
const TESTS: (&str, &str) = ("curve/tests/abc.rs", "// ABC-1, ABC-2 and ABC-3.");

fn found(files: &[(&'static str, &'static str)]) -> BTreeSet<Finding> {
    check(&files.iter().copied().collect())
}

fn rule(number: u32) -> Rule {
    Rule {
        family: "ABC".into(),
        number,
    }
}

#[test]
fn nothing_is_found_where_all_is_cited() {
    assert_eq!(found(&[SPEC, CODE, TESTS]), [].into());
}

#[test]
fn a_rule_that_no_code_cites_is_found() {
    let code = ("curve/src/lib.rs", "/// ABC-1 and ABC-3");
    assert_eq!(
        found(&[SPEC, code, TESTS]),
        [Finding::NotInCode { rule: rule(2) }].into()
    );
}

#[test]
fn tools_and_pages_are_not_the_code_that_must_cite_a_rule() {
    let code = ("curve/src/lib.rs", "/// ABC-1 and ABC-3");
    let tool = ("testing/simulation/src/lib.rs", "/// ABC-2");
    let page = ("docs/flow.md", "ABC-2");
    let expected = [Finding::NotInCode { rule: rule(2) }].into();
    assert_eq!(found(&[SPEC, code, tool, page, TESTS]), expected);
}

#[test]
fn a_rule_that_no_test_cites_is_found() {
    let tests = ("curve/tests/abc.rs", "// ABC-1 and ABC-3");
    assert_eq!(
        found(&[SPEC, CODE, tests]),
        [Finding::NotInTests { rule: rule(2) }].into()
    );
}

#[test]
fn the_tests_at_the_end_of_a_file_are_tests() {
    let code = (
        "curve/src/lib.rs",
        "/// ABC-1 to ABC-3\n#[cfg(test)]\nuse x;\n#[cfg(test)]\nmod tests {\n    // ABC-1 to ABC-3\n}",
    );
    assert_eq!(found(&[SPEC, code]), [].into());
    let only_tests = (
        "curve/src/lib.rs",
        "#[cfg(test)]\nmod tests {\n    // ABC-1 to ABC-3\n}",
    );
    let expected = [1, 2, 3]
        .map(|number| Finding::NotInCode { rule: rule(number) })
        .into();
    assert_eq!(found(&[SPEC, only_tests]), expected);
}

#[test]
fn a_citation_of_no_rule_is_found_with_its_line() {
    for (path, text) in [
        ("README.md", "\nABC-4"),
        ("node/src/main.rs", "\n\"ABC-4 is broken\""),
        ("node/tests/a.rs", "\n// ABC-3 to ABC-4"),
    ] {
        let expected = Finding::NotDefined {
            rule: rule(4),
            path: PathBuf::from(path),
            line: 2,
        };
        assert_eq!(found(&[SPEC, CODE, TESTS, (path, text)]), [expected].into());
    }
}

#[test]
fn words_that_look_like_rules_are_none() {
    let page = ("README.md", "SHA-256, AVX-512, XABC-9, ABC-9x, ABC-, ABC_9");
    assert_eq!(found(&[SPEC, CODE, TESTS, page]), [].into());
}

#[test]
fn a_rule_that_is_defined_twice_is_found() {
    let again = ("docs/spec/again.md", "- **ABC-1** …");
    let expected = [Finding::DefinedTwice { rule: rule(1) }].into();
    assert_eq!(found(&[SPEC, again, CODE, TESTS]), expected);
}

#[test]
fn a_family_that_the_contents_do_not_list_is_found() {
    let other = ("docs/spec/other.md", "- **NEW-1** …");
    let code = ("voter/src/lib.rs", "NEW-1");
    let tests = ("voter/tests/new.rs", "NEW-1");
    let expected = [Finding::NotListed {
        family: "NEW".into(),
    }]
    .into();
    assert_eq!(found(&[SPEC, other, CODE, TESTS, code, tests]), expected);
}
