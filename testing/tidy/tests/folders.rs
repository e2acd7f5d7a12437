//! A reader finds the way from the top: few folders, each of which says what it is for.

mod support;

use std::{fs, path::PathBuf};

/// More folders than this do not show what the product is.
const MOST: usize = 18;

fn folders() -> Vec<PathBuf> {
    let entries = fs::read_dir(support::repository()).expect("the repository");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let name = |path: &PathBuf| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let is_ours =
        |path: &PathBuf| name(path).is_some_and(|name| !name.starts_with('.') && name != "target");
    paths
        .filter(|path| path.is_dir() && is_ours(path))
        .collect()
}

#[test]
fn the_top_has_few_folders() {
    let folders = folders();
    assert!(folders.len() <= MOST, "{folders:?}");
}

#[test]
fn every_folder_at_the_top_says_what_it_is_for() {
    for folder in folders() {
        let page = fs::read_to_string(folder.join("README.md"));
        let page = page.unwrap_or_else(|_| panic!("{} has no README.md", folder.display()));
        let first = page
            .lines()
            .find(|line| !line.is_empty() && !line.starts_with('#'));
        let is_prose = |line: &str| {
            line.starts_with(|first: char| first.is_ascii_alphabetic() || first == '[')
        };
        assert!(
            first.is_some_and(is_prose),
            "{}: {first:?}",
            folder.display()
        );
    }
}
