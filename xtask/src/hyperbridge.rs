//! Hyperbridge's consensus client: linted and tested.

use crate::{cargo, result::Result, tools};
use std::process::Command;

/// A workspace of its own: what Hyperbridge's crates bring along stays out of our lock file.
pub(crate) const MANIFEST: &str = "bridge/hyperbridge/Cargo.toml";

/// Lints, builds for a target without an operating system, and tests.
pub(crate) fn run() -> Result {
    tools::for_building()?;
    tools::for_linting()?;
    cargo::run(in_hyperbridge("clippy").args(["--all-targets", "--", "--deny", "warnings"]))?;
    cargo::run(&mut in_hyperbridge("test"))?;
    cargo::run(in_hyperbridge("build").args([
        "--lib",
        "--no-default-features",
        "--target",
        tools::BARE_METAL,
    ]))
}

fn in_hyperbridge(verb: &str) -> Command {
    cargo::apart(verb, MANIFEST, "hyperbridge")
}
