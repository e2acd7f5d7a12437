//! Duet on the SDK's public template: patches it, builds it, and runs it.

use crate::{cargo, programs, result::Result, tools};
use std::{
    fs,
    os::unix::fs::symlink,
    path::{absolute, Path, PathBuf},
    process::Command,
};

/// The patch to our release of the SDK.
const TO_OUR_RELEASE: &str = "solochain-template-2609.patch";
/// The patches that add Duet, in their order; the second is for running chains.
const DUET: [&str; 2] = [
    "solochain-template.patch",
    "solochain-template-sessions.patch",
];
/// The migration of running chains, which the last patch declares.
const MIGRATION: &str = "testing/templates/solochain/runtime/src/sessions.rs";
/// The node that is built.
const NODE: &str = "solochain-template-node";
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
    /// Only builds the nodes.
    #[arg(long)]
    build: bool,
}

/// Builds the nodes of the template with and without Duet in release mode, and runs chains of four validators.
pub(crate) fn run(options: &Options) -> Result {
    tools::for_building()?;
    let template = absolute(&options.template)?;
    let folder = cargo::target_directory().join("template");
    let repository = folder.join("duet");
    fs::create_dir_all(&folder)?;
    // Clones may share the folder: the link of an earlier run may name another one.
    if repository.is_symlink() {
        fs::remove_file(&repository)?;
    }
    symlink(cargo::root(), &repository)?;

    let without_duet = folder.join("without-duet");
    copy(&template, &without_duet)?;
    apply(&without_duet, &[TO_OUR_RELEASE])?;
    let with_duet = folder.join("with-duet");
    copy(&template, &with_duet)?;
    apply(&with_duet, &[TO_OUR_RELEASE])?;
    apply(&with_duet, &DUET)?;
    let migration = fs::read_to_string(cargo::root().join(MIGRATION))?;
    // The chain has these pallets by way of Duet's.
    let migration = migration.replace("pallet_session::", "pallet_duet::pallet_session::");
    fs::write(with_duet.join("runtime/src/sessions.rs"), migration)?;

    let target = folder.join("target");
    let without_duet = build(&without_duet, &target)?;
    let with_duet = build(&with_duet, &target)?;
    if options.build {
        return Ok(());
    }
    programs::build()?;
    cargo::run(
        cargo::workspace("test")
            .args(TEST)
            .env("SOLOCHAIN_TEMPLATE_NODE", with_duet)
            .env("SOLOCHAIN_TEMPLATE_NODE_WITHOUT_DUET", without_duet),
    )
}

/// A fresh copy, as a repository of its own: in ours, `git apply` would leave out files elsewhere.
fn copy(template: &Path, chain: &Path) -> Result {
    if chain.exists() {
        fs::remove_dir_all(chain)?;
    }
    let mut copy = Command::new("cp");
    cargo::run(copy.arg("-rT").arg(template).arg(chain))?;
    cargo::run(git(chain).args(["init", "--quiet"]))
}

fn apply(chain: &Path, patches: &[&str]) -> Result {
    let folder = cargo::root().join("testing/templates");
    let patches = patches.iter().map(|patch| folder.join(patch));
    cargo::run(git(chain).arg("apply").args(patches))
}

fn git(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(folder);
    git
}

/// The chain's node, which stays when another chain's is built.
fn build(chain: &Path, target: &Path) -> Result<PathBuf> {
    // The same versions of all crates as in the repository.
    fs::copy(cargo::root().join("Cargo.lock"), chain.join("Cargo.lock"))?;
    let mut build = cargo::cargo(["build", "--release", "--package", NODE]);
    build
        .env("CARGO_TARGET_DIR", target)
        // Otherwise the builder of runtimes looks for a lock file above its output, and finds ours or none.
        .env("WASM_BUILD_WORKSPACE_HINT", chain)
        .env_remove(cargo::WRAPPER)
        .current_dir(chain);
    cargo::run(&mut build)?;
    let node = chain.join(NODE);
    fs::copy(target.join("release").join(NODE), &node)?;
    Ok(node)
}
