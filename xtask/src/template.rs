//! Duet on the SDK's public template: patches it, builds it, and runs it.

use crate::{cargo, programs, result::Result, tools};
use std::{
    fs,
    os::unix::fs::symlink,
    path::{absolute, Path, PathBuf},
    process::Command,
};

/// The patches, in their order: to our release of the SDK, and Duet.
const PATCHES: [&str; 2] = ["solochain-template-2609.patch", "solochain-template.patch"];
/// The test of the result, which is ignored otherwise.
const TEST: [&str; 8] = [
    "--package",
    "duet-local-network",
    "--test",
    "network",
    "--",
    "--ignored",
    "--nocapture",
    "public_template",
];

/// The template.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// A copy of polkadot-sdk-solochain-template of the release stable2503; it is not changed.
    template: PathBuf,
    /// Only builds the node.
    #[arg(long)]
    build: bool,
}

/// Applies the patches to a copy, builds its node in release mode, and lets four of them prove blocks.
pub(crate) fn run(options: &Options) -> Result {
    tools::for_building()?;
    let folder = cargo::target_directory().join("template");
    let chain = folder.join("solochain-template");
    copy(&absolute(&options.template)?, &chain)?;
    let repository = folder.join("duet");
    // Clones may share the folder: the link of an earlier run may name another one.
    if repository.is_symlink() {
        fs::remove_file(&repository)?;
    }
    symlink(cargo::root(), &repository)?;
    for patch in PATCHES {
        let patch = cargo::root().join("testing/templates").join(patch);
        cargo::run(git(&chain).arg("apply").arg(patch))?;
    }
    // The same versions of all crates as in the repository.
    fs::copy(cargo::root().join("Cargo.lock"), chain.join("Cargo.lock"))?;
    let target = folder.join("target");
    let arguments = ["build", "--release", "--package", "solochain-template-node"];
    let mut build = cargo::cargo(arguments);
    build
        .env("CARGO_TARGET_DIR", &target)
        // Otherwise the builder of runtimes looks for a lock file above its output, and finds ours or none.
        .env("WASM_BUILD_WORKSPACE_HINT", &chain)
        .env_remove(cargo::WRAPPER)
        .current_dir(&chain);
    cargo::run(&mut build)?;
    if options.build {
        return Ok(());
    }
    programs::build()?;
    let node = target.join("release/solochain-template-node");
    cargo::run(
        cargo::workspace("test")
            .args(TEST)
            .env("SOLOCHAIN_TEMPLATE_NODE", node),
    )
}

/// A fresh copy, as a repository of its own: in ours, `git apply` would leave out files elsewhere.
fn copy(template: &Path, chain: &Path) -> Result {
    if chain.exists() {
        fs::remove_dir_all(chain)?;
    }
    fs::create_dir_all(chain)?;
    let mut copy = Command::new("cp");
    cargo::run(copy.arg("-rT").arg(template).arg(chain))?;
    cargo::run(git(chain).args(["init", "--quiet"]))
}

fn git(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(folder);
    git
}
