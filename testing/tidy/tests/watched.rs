//! The page that says what watches each rule is what the citations say.

mod support;

use duet_tidy::{
    sources::Sources,
    watched::{page, PAGE},
};
use std::{env, fs};

#[test]
fn the_page_is_what_the_citations_say() {
    let root = support::repository();
    let expected = page(&Sources::read(&root, &["rs", "md"]).expect("readable sources"));
    if env::var_os("DUET_REGENERATE").is_some() {
        fs::write(root.join(PAGE), &expected).expect("the page can be written");
    }
    let found = fs::read_to_string(root.join(PAGE)).unwrap_or_default();
    let differs = |(found, expected): &(&str, &str)| found != expected;
    let row = found.lines().zip(expected.lines()).find(differs);
    assert!(
        found == expected,
        "{PAGE} is old: DUET_REGENERATE=1 cargo test -p duet-tidy --test watched\n{row:#?}"
    );
}

#[test]
fn a_citation_counts_where_it_stands() {
    let cases = "verifiers/conformance/generator/src/cases";
    let (points, odd, world) = (
        format!("{cases}/points.rs"),
        format!("{cases}/points/odd.rs"),
        format!("{cases}/world.rs"),
    );
    let sources: Sources = [
        ("docs/spec/README.md", "ABC"),
        ("docs/spec/abc.md", "- **ABC-1** …\n- **ABC-2** …"),
        (
            "curve/src/a.rs",
            "// ABC-1\n#[cfg(test)]\nmod tests {\n// ABC-2\n}",
        ),
        ("curve/src/b.rs", "// ABC-1 ABC-1"),
        ("curve/src/c.rs", "// ABC-1"),
        ("curve/src/d.rs", "// ABC-1"),
        ("testing/load/src/lib.rs", "// ABC-1"),
        (
            "testing/fuzz/src/a.rs",
            "// ABC-1\n  // to ABC-2.\n  name: \"a\",\n/// ABC-1\nfn b() {}",
        ),
        (
            "testing/model/src/a.rs",
            "/// ABC-1\npub const SAFE: &str =\n/// ABC-2\n  Step,\nf(\"ABC-2\"),",
        ),
        ("testing/model/src/mutant.rs", "/// ABC-2\n  Broken,"),
        ("curve/src/error.rs", "// ABC-1 ABC-1 ABC-1"),
        (&points, "// ABC-1\npub(super) fn file() -> File {"),
        (&odd, "// ABC-2"),
        (&world, "// ABC-2"),
    ]
    .into_iter()
    .collect();
    let page = page(&sources);
    let rows: Vec<_> = page
        .lines()
        .filter(|line| line.starts_with("| ABC"))
        .collect();
    assert_eq!(
        rows,
        [
            "| ABC-1 | `curve/src/b.rs`, `curve/src/a.rs`, `curve/src/c.rs`, 2 more |  | `a` | `SAFE` | `points` |",
            "| ABC-2 |  | `curve/src/a.rs` | `a` | `Broken` | `points` |",
        ]
    );
}
