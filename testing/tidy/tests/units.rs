//! Tests beside the code are run: a crate none of whose targets is tested has none.

mod support;

use duet_tidy::{
    crates::{self, Crates},
    sources::Sources,
};
use std::path::Path;

/// The files of `crates` with tests that nothing runs.
fn never_run(root: &Path, crates: &Crates) -> Vec<String> {
    let mut found = Vec::new();
    for (folder, _) in crates.iter().filter(|(_, one)| !one.runs_its_tests) {
        let sources = root.join(folder).join("src");
        if !sources.is_dir() {
            continue;
        }
        let files = Sources::read(&sources, &["rs"]).expect("readable");
        let tested = files
            .iter()
            .filter(|(_, text)| text.contains("#[cfg(test)]") || text.contains("#[test]"));
        found.extend(tested.map(|(path, _)| format!("{folder}/src/{}", path.display())));
    }
    found
}

#[test]
fn no_test_is_written_that_nothing_runs() {
    let root = support::repository();
    let crates = crates::read(&root).expect("the manifests");
    assert_eq!(never_run(&root, &crates), [""; 0]);
}

#[test]
fn a_test_that_nothing_runs_is_found() {
    let root = support::repository();
    let mut crates = crates::read(&root).expect("the manifests");
    crates.retain(|folder, _| folder == "node");
    let node = crates.get_mut("node").expect("it is there");
    node.runs_its_tests = false;
    let found = never_run(&root, &crates);
    assert!(
        found.contains(&"node/src/duet_state.rs".to_owned()),
        "{found:?}"
    );
}
