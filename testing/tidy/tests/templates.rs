//! The patch that adds Duet to the template makes the template with Duet, and can be read in one go.

mod support;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use duet_tidy::sources::Sources;

/// Lines that are added or removed.
const LONGEST: usize = 200;

/// Where the patch is applied, as `testing/templates/README.md` says it.
const DIRECTORY: &str = "--directory=testing/templates/solochain";

/// Texts by their paths in a template.
type Files = BTreeMap<PathBuf, String>;

#[test]
fn the_patch_makes_the_template_with_duet() {
    // As the README says it, in a repository: there `git apply` leaves out what it takes for files elsewhere, and succeeds.
    let repository = scratch("apply");
    assert!(git(&["init", "--quiet"], &repository).status.success());
    let folder = repository.join("testing/templates/solochain");
    write(&read(&template("solochain")), &folder);
    let patch = patch().display().to_string();
    let applied = git(&["apply", DIRECTORY, &patch], &repository);
    let said = String::from_utf8_lossy(&applied.stderr);
    assert!(applied.status.success(), "{said}{}", remedy());
    let is_it = read(&folder) == with_duet();
    assert!(is_it, "it makes something else{}", remedy());
}

#[test]
fn the_patch_can_be_read_in_one_go() {
    let patch = fs::read_to_string(patch()).expect("readable");
    let is_change = |line: &&str| {
        let is_header = line.starts_with("+++") || line.starts_with("---");
        !is_header && line.starts_with(['+', '-'])
    };
    let changes = patch.lines().filter(is_change).count();
    assert!(changes > 0);
    assert!(changes <= LONGEST, "{changes} lines");
}

/// Makes the patch anew, and says where it is.
fn remedy() -> String {
    let folder = scratch("make");
    let (old, new) = (folder.join("a"), folder.join("b"));
    write(&read(&template("solochain")), &old);
    write(&with_duet(), &new);
    let made = git(&["diff", "--no-index", "--no-prefix", "a", "b"], &folder);
    let path = folder.join("duet.patch");
    fs::write(&path, made.stdout).expect("writable");
    format!(
        "; testing/templates/duet.patch should be {}",
        path.display()
    )
}

/// The template with Duet, its crates named as those without: one workspace has both.
fn with_duet() -> Files {
    let mut files = read(&template("solochain-duet"));
    for text in files.values_mut() {
        *text = text
            .replace("package = \"solochain-duet-runtime\", ", "")
            .replace("solochain-duet-", "solochain-");
    }
    files
}

fn read(folder: &Path) -> Files {
    let sources = Sources::read(folder, &["rs", "toml"]).expect("readable");
    let owned = |(path, text): (&Path, &str)| (path.to_owned(), text.to_owned());
    sources.iter().map(owned).collect()
}

fn template(name: &str) -> PathBuf {
    support::repository().join("testing/templates").join(name)
}

fn patch() -> PathBuf {
    template("duet.patch")
}

fn write(files: &Files, folder: &Path) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(path, text).expect("writable");
    }
}

/// An empty folder.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("testing/templates")
        .join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("it is ours");
    }
    fs::create_dir_all(&folder).expect("writable");
    folder
}

fn git(arguments: &[&str], folder: &Path) -> Output {
    Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("git is there")
}
