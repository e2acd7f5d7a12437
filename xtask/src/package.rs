//! Packs the published crates.

use crate::{
    cargo::{self, root, target_directory},
    result::Result,
    tools::CARGO_SEMVER_CHECKS,
};
use std::{path::absolute, process::Command};

/// Small crates: each is verified by a build from its package, against the packages of the others.
const BUILT: [&str; 7] = [
    "duet-curve",
    "duet-primitives",
    "duet-voter",
    "duet-keystore",
    "duet-light-client",
    "duet-light-warp",
    "duet-process",
];
/// Crates on top of the SDK, most of which cargo would build once more for each: they are packed but not built.
const PACKED: [&str; 5] = [
    "pallet-duet",
    "pallet-duet-recovery",
    "duet-gossip",
    "duet-finality",
    "duet-keys",
];

/// Further actions besides packing.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Also builds the small crates from their packages, without the workspace's settings. Takes minutes.
    #[arg(long)]
    verify: bool,

    /// Also compares the small crates' API with the API at this commit or tag. Fails when the two are incompatible
    /// but the version claims that they are compatible.
    #[arg(long, value_name = "REVISION")]
    semver: Option<String>,
}

/// Packs every published crate.
pub(crate) fn run(options: &Options) -> Result {
    if options.verify {
        cargo::run(&mut packing(&BUILT))?;
    }
    if let Some(revision) = &options.semver {
        cargo::run(&mut comparing(revision)?)?;
    }
    let all: Vec<_> = BUILT.into_iter().chain(PACKED).collect();
    cargo::run(packing(&all).arg("--no-verify"))
}

fn comparing(revision: &str) -> Result<Command> {
    let mut compare = Command::new(CARGO_SEMVER_CHECKS.installed()?);
    compare.current_dir(root());
    compare.args(["semver-checks", "--baseline-rev", revision]);
    for name in BUILT {
        compare.args(["--package", name]);
    }
    // It documents both versions, and must not touch this build's output.
    let folder = absolute(target_directory().join("semver"))?;
    compare.env("CARGO_TARGET_DIR", folder);
    Ok(compare)
}

fn packing(names: &[&str]) -> Command {
    let mut package = cargo::cargo(["package", "--locked"]);
    // Uncommitted changes are packed too, so that this can be run before a commit.
    package.arg("--allow-dirty");
    for name in names {
        package.args(["--package", name]);
    }
    // The profiles are in the workspace's manifest, which is in no package.
    package.env("CARGO_PROFILE_DEV_DEBUG", "false");
    package
}
