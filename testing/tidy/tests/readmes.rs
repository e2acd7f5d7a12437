//! Crates that are published have a README, and its example is the one that the crate's documentation runs. A release
//! packs and publishes all of them.

mod support;

use std::fs;

use cargo_metadata::MetadataCommand;

#[test]
fn published_crates_have_a_readme_whose_example_is_tested() {
    let manifest = support::repository().join("Cargo.toml");
    let metadata = MetadataCommand::new()
        .manifest_path(manifest)
        .no_deps()
        .other_options(vec!["--offline".into()])
        .exec()
        .expect("readable manifests");
    let read = |path| {
        let text = fs::read_to_string(support::repository().join(path));
        text.unwrap_or_else(|_| panic!("{path} is gone"))
    };
    let (releasing, packing) = (read("RELEASING.md"), read("xtask/src/package.rs"));
    let mut published = 0;
    for package in metadata
        .packages
        .iter()
        .filter(|package| package.publish != Some(vec![]))
    {
        published += 1;
        let name = &package.name;
        assert!(
            releasing.contains(&format!("--package {name}")),
            "RELEASING.md does not publish {name}"
        );
        assert!(
            packing.contains(&format!("\"{name}\"")),
            "cargo xtask package does not pack {name}"
        );
        let readme = package
            .readme()
            .unwrap_or_else(|| panic!("{name} names no README"));
        let readme = fs::read_to_string(readme).unwrap_or_else(|_| panic!("{name} has no README"));
        let library = package.manifest_path.with_file_name("src").join("lib.rs");
        let documentation = documentation(&fs::read_to_string(library).expect("a library"));
        for example in examples(&readme) {
            assert!(
                documentation.contains(&example),
                "the README of {name} has an example that its documentation has not:\n{example}"
            );
        }
        let complete = package.repository.is_some()
            && package.documentation.is_some()
            && !package.keywords.is_empty()
            && !package.categories.is_empty();
        assert!(
            complete,
            "{name} lacks repository, documentation, keywords or categories"
        );
    }
    assert!(published > 0);
}

#[test]
fn an_example_that_differs_is_found() {
    let documentation =
        documentation("//! Text.\n//!\n//! ```\n//! use a;\n//! # hidden\n//! a();\n//! ```\n");
    let readme = |code| format!("# a\n\n```rust\n{code}```\n\n```text\nuse z;\n```\n");
    assert_eq!(examples(&readme("use a;\na();\n")), ["use a;\na();\n"]);
    assert!(documentation.contains(&examples(&readme("use a;\na();\n"))[0]));
    assert!(!documentation.contains(&examples(&readme("use a;\nb();\n"))[0]));
}

/// The documentation of a crate as rustdoc shows it.
fn documentation(library: &str) -> String {
    let lines = library.lines().filter_map(|line| line.strip_prefix("//!"));
    let shown = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
    shown
        .filter(|line| !line.starts_with("# "))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// The blocks of Rust that are meant to compile.
fn examples(readme: &str) -> Vec<String> {
    let blocks = readme.split("```rust\n").skip(1);
    blocks
        .filter_map(|block| block.split_once("```"))
        .map(|(code, _)| code.to_owned())
        .collect()
}
