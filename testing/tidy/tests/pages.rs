//! Pages name files that exist.

mod support;

use std::fs;

/// Pages that lead a reader through the source tree.
const PAGES: [&str; 4] = [
    "CONTRIBUTING.md",
    "RELEASING.md",
    "SECURITY.md",
    "docs/architecture.md",
];

#[test]
fn every_file_that_a_page_names_exists() {
    let root = support::repository();
    let mut missing = String::new();
    for page in PAGES {
        let text = fs::read_to_string(root.join(page)).expect("the page");
        for name in files(&text).filter(|name| !root.join(name).is_file()) {
            missing.push_str(&format!("{page} names `{name}`\n"));
        }
    }
    assert!(missing.is_empty(), "\n{missing}");
}

#[test]
fn only_paths_of_files_are_taken_for_files() {
    let text = "`a/b.rs`, `docs/x.md` and `curve`, `c::d`, `/work/e.rs`, `a/<b>.rs`, b.rs";
    assert_eq!(files(text).collect::<Vec<_>>(), ["a/b.rs", "docs/x.md"]);
}

/// Relative paths of files between backticks.
fn files(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter(|name| {
            let plain = name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte));
            let known = [".rs", ".md", ".toml", ".yml"]
                .iter()
                .any(|end| name.ends_with(end));
            plain && known && !name.starts_with('/') && name.contains('/')
        })
}
