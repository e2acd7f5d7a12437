//! What would be published.

use crate::{
    cargo::{self, Workspace},
    result::Result,
};
use std::process::Command;

/// Small crates: to verify them, each is built from its package, against the packages of the others.
const BUILT: [&str; 5] = [
    "duet-curve",
    "duet-primitives",
    "duet-voter",
    "duet-keystore",
    "duet-light-client",
];
/// Crates on top of the SDK, most of which cargo would build once more for each: they are packed and not built.
const PACKED: [&str; 3] = ["pallet-duet", "duet-gossip", "duet-finality"];

/// What to do besides packing.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Also builds the small crates from their packages, without what the workspace gives them. Takes minutes.
    #[arg(long)]
    verify: bool,
}

/// Packs every crate that is published.
pub(crate) fn run(options: &Options) -> Result {
    if options.verify {
        cargo::run(&mut packing(&BUILT))?;
    }
    let all: Vec<_> = BUILT.into_iter().chain(PACKED).collect();
    cargo::run(packing(&all).arg("--no-verify"))
}

fn packing(names: &[&str]) -> Command {
    let mut package = Workspace::Duet.cargo("package", ["--locked"]);
    // Changes that are not committed are packed too, so that this can be run before a commit.
    package.arg("--allow-dirty");
    for name in names {
        package.args(["--package", name]);
    }
    // The profiles are in the workspace's manifest, which no package contains.
    package.env("CARGO_PROFILE_DEV_DEBUG", "false");
    package
}
