//! The patch that adds Duet to the SDK's public template is short, and applies to it.

mod support;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Lines that the patch adds, in manifests too.
const LONGEST: usize = 60;
/// In their order: to our release of the SDK, Duet, and a running chain's migration.
const PATCHES: [&str; 3] = [
    "solochain-template-2609.patch",
    "solochain-template.patch",
    "solochain-template-sessions.patch",
];
/// The folder of the SDK's template, of the release stable2503.
const VARIABLE: &str = "SOLOCHAIN_TEMPLATE";
/// That folder, beside the repository, unless the variable names another.
const BESIDE: &str = "../shared/outside/solochain-template";

#[test]
fn duet_adds_at_most_sixty_lines() {
    let patch = fs::read_to_string(patch(PATCHES[1])).expect("readable");
    let is_added = |line: &&str| line.starts_with('+') && !line.starts_with("+++");
    let added = patch.lines().filter(is_added).count();
    assert!(added > 0);
    assert!(added <= LONGEST, "{added} lines");
}

/// Without the template nothing can be applied: `cargo xtask template DIR` does it, and builds and runs the result.
#[test]
fn the_patches_apply_to_the_public_template() {
    let named = env::var_os(VARIABLE).map(PathBuf::from);
    let template = named.unwrap_or_else(|| support::repository().join(BESIDE));
    if !template.join("Cargo.toml").is_file() {
        eprintln!("skipped: there is no template at {}", template.display());
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("template");
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("it is ours");
    }
    fs::create_dir_all(&folder).expect("writable");
    let mut copy = Command::new("cp");
    let copied = run(copy.arg("-rT").arg(&template).arg(&folder));
    assert!(copied.status.success());
    // In our repository, `git apply` would leave out files elsewhere, and succeed.
    assert!(git(&["init", "--quiet"], &folder).status.success());
    for name in PATCHES {
        let applied = git(&["apply", &patch(name).display().to_string()], &folder);
        let said = String::from_utf8_lossy(&applied.stderr);
        assert!(applied.status.success(), "{name}: {said}");
    }
    let runtime = fs::read_to_string(folder.join("runtime/src/lib.rs")).expect("it is there");
    assert!(runtime.contains("pub type Duet = pallet_duet;"));
}

fn patch(name: &str) -> PathBuf {
    support::repository().join("testing/templates").join(name)
}

fn git(arguments: &[&str], folder: &Path) -> Output {
    run(Command::new("git").args(arguments).current_dir(folder))
}

fn run(command: &mut Command) -> Output {
    command.output().expect("it is installed")
}
