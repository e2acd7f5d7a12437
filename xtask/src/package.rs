//! Packs the published crates.

use crate::{
    cargo::{self, root, target_directory},
    result::Result,
    tools::CARGO_SEMVER_CHECKS,
};
use std::{
    path::{absolute, PathBuf},
    process::Command,
};

/// Crates that need no SDK: only their API is compared.
const SMALL: [&str; 7] = [
    "duet-curve",
    "duet-primitives",
    "duet-voter",
    "duet-keystore",
    "duet-light-client",
    "duet-light-warp",
    "duet-process",
];
/// Crates on top of the SDK.
const LARGE: [&str; 5] = [
    "pallet-duet",
    "pallet-duet-recovery",
    "duet-gossip",
    "duet-finality",
    "duet-keys",
];

/// Further actions besides packing.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Also builds each crate from its package, against the packages of the others and without the workspace's
    /// settings. Takes half an hour the first time.
    #[arg(long)]
    verify: bool,

    /// Also compares the small crates' API with the API at this commit or tag. Fails when the two are incompatible
    /// but the version claims that they are compatible.
    #[arg(long, value_name = "REVISION")]
    semver: Option<String>,
}

/// Packs every published crate.
pub(crate) fn run(options: &Options) -> Result {
    if let Some(revision) = &options.semver {
        cargo::run(&mut comparing(revision)?)?;
    }
    let mut package = packing();
    if options.verify {
        // Without a common folder the SDK would be built once for each crate.
        package.env("CARGO_TARGET_DIR", folder("packages")?);
    } else {
        package.arg("--no-verify");
    }
    cargo::run(&mut package)
}

fn comparing(revision: &str) -> Result<Command> {
    let mut compare = Command::new(CARGO_SEMVER_CHECKS.installed()?);
    compare.current_dir(root());
    compare.args(["semver-checks", "--baseline-rev", revision]);
    for name in SMALL {
        compare.args(["--package", name]);
    }
    // It documents both versions, and must not touch this build's output.
    compare.env("CARGO_TARGET_DIR", folder("semver")?);
    Ok(compare)
}

/// A folder for the build of one action.
fn folder(name: &str) -> Result<PathBuf> {
    Ok(absolute(target_directory().join(name))?)
}

fn packing() -> Command {
    let mut package = cargo::cargo(["package", "--locked"]);
    // Uncommitted changes are packed too, so that this can be run before a commit.
    package.arg("--allow-dirty");
    for name in SMALL.into_iter().chain(LARGE) {
        package.args(["--package", name]);
    }
    // The profiles are in the workspace's manifest, which is in no package.
    package.env("CARGO_PROFILE_DEV_DEBUG", "false");
    package
}
