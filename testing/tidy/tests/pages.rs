//! Pages name files that exist.

mod support;

use std::fs;

/// Pages that lead a reader through the source tree.
const PAGES: [&str; 5] = [
    "README.md",
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

/// The README is the door: short, in lines that a diff shows whole, and each of its links leads somewhere.
#[test]
fn the_readme_is_short_and_leads_to_files() {
    let root = support::repository();
    let text = fs::read_to_string(root.join("README.md")).expect("the page");
    assert!(text.lines().count() <= 150);
    for line in text.lines() {
        assert!(line.chars().count() <= 120, "{line}");
    }
    for link in links(&text) {
        let path = link.split('#').next().expect("a part");
        assert!(
            link.starts_with("https://") || root.join(path).exists(),
            "{link}"
        );
    }
}

/// A page that is not in the summary is not in the book, and links to it lead nowhere.
#[test]
fn every_page_is_in_the_summary_of_the_book() {
    let docs = support::repository().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).expect("the summary");
    let (mut folders, mut missing) = (vec![docs.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let page = path.strip_prefix(&docs).expect("below it").display();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md")
                && !summary.contains(&format!("({page})"))
            {
                missing.push(page.to_string());
            }
        }
    }
    assert_eq!(missing, ["SUMMARY.md"]);
}

#[test]
fn only_paths_of_files_are_taken_for_files() {
    let text = "`a/b.rs`, `docs/x.md` and `curve`, `c::d`, `/work/e.rs`, `a/<b>.rs`, b.rs";
    assert_eq!(files(text).collect::<Vec<_>>(), ["a/b.rs", "docs/x.md"]);
}

/// Where the links and pictures of a page lead.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.split("](").skip(1);
    ends.filter_map(|rest| rest.split(')').next())
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
