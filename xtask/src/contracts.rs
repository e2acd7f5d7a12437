//! The contracts: compiled by the pinned solc, and tested in an EVM.

use crate::{
    cargo::{self, root},
    result::Result,
    tools,
};
use std::process::Command;

/// Installs the compiler, builds, and tests.
pub(crate) fn run() -> Result {
    tools::for_javascript()?;
    cargo::run(in_contracts("npm").args(["ci", "--no-audit", "--no-fund"]))?;
    cargo::run(in_contracts("node").arg("build.js"))?;
    let mut test = cargo::cargo(["test", "--locked"]);
    test.args(["--manifest-path", "contracts/evm-tests/Cargo.toml"])
        .env(
            "CARGO_TARGET_DIR",
            cargo::target_directory().join("contracts"),
        );
    cargo::run(&mut test)
}

fn in_contracts(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root().join("contracts"));
    command
}
