//! The `no_std` crates, built for a target that has no operating system.

use crate::{cargo, tools, Result};

/// What runtimes, wallets and other chains embed. (The pallet is proven by the runtime's own build.)
const CRATES: [&str; 2] = ["duet-primitives", "duet-light-client"];

/// Builds each crate without its default features.
pub(crate) fn run() -> Result {
    tools::for_building()?;
    let mut command = cargo::cargo(["build", "--locked", "--no-default-features"]);
    command.args(["--target", tools::BARE_METAL]);
    for name in CRATES {
        command.args(["--package", name]);
    }
    cargo::run(&mut command)
}
