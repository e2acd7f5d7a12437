//! The contracts: compiled by the pinned solc, and tested in an EVM.

use crate::{
    cargo::{self, root},
    result::Result,
    tools,
};
use std::{env, fs, process::Command};

/// The tests. `cargo test` does not run them, because it does not compile the contracts.
const TESTS: [&str; 8] = [
    "--test",
    "evm_client",
    "--test",
    "evm_messages",
    "--test",
    "evm_owner",
    "--test",
    "evm_points",
];

/// The tests' log of calls, and the program that replays it in another EVM.
const STORIES: &str = "out/stories.jsonl";
const SECOND_OPINION: &str = "second-opinion.js";
/// One in this many refused calls is replayed in the other EVM, unless `DUET_EVM_ROUNDS` asks for a long run.
const SHARE: &str = "40";

/// Compiles, tests, and replays in another EVM.
pub(crate) fn run() -> Result {
    compile()?;
    let stories = root().join("verifiers/contracts").join(STORIES);
    if stories.exists() {
        fs::remove_file(&stories)?;
    }
    cargo::run(
        cargo::workspace("test")
            .args(TESTS)
            .env("DUET_EVM_STORIES", &stories),
    )?;
    let is_long = env::var_os("DUET_EVM_ROUNDS").is_some();
    let share = if is_long { "1" } else { SHARE };
    cargo::run(in_contracts("node").args([SECOND_OPINION, STORIES, share]))
}

/// Installs the compiler and anvil, and builds the bytecode.
pub(crate) fn compile() -> Result {
    tools::for_javascript()?;
    cargo::run(in_contracts("npm").args(["ci", "--no-audit", "--no-fund"]))?;
    cargo::run(in_contracts("node").arg("build.js"))
}

fn in_contracts(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root().join("verifiers/contracts"));
    command
}
