//! The contracts: compiled by the pinned solc, and tested in an EVM.

use crate::{
    cargo::{self, root},
    result::Result,
    tools,
};
use std::process::Command;

/// The tests, which are a workspace of their own: what they bring along stays out of our lock file.
pub(crate) const TESTS: &str = "contracts/evm-tests/Cargo.toml";

/// Installs the compiler, builds, and tests.
pub(crate) fn run() -> Result {
    tools::for_javascript()?;
    tools::for_linting()?;
    cargo::run(in_contracts("npm").args(["ci", "--no-audit", "--no-fund"]))?;
    cargo::run(in_contracts("node").arg("build.js"))?;
    let mut clippy = on_tests("clippy");
    clippy.args(["--all-targets", "--", "--deny", "warnings"]);
    cargo::run(&mut clippy)?;
    cargo::run(&mut on_tests("test"))
}

fn on_tests(verb: &str) -> Command {
    let mut command = cargo::cargo([verb, "--locked", "--manifest-path", TESTS]);
    command.env(
        "CARGO_TARGET_DIR",
        cargo::target_directory().join("contracts"),
    );
    command
}

fn in_contracts(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root().join("contracts"));
    command
}
