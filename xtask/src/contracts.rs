//! The contracts: compiled by the pinned solc, and tested in an EVM.

use crate::{
    cargo::{self, root},
    result::Result,
    tools,
};
use std::{env, fs, process::Command};

/// The tests, which are a workspace of their own: what they bring along stays out of our lock file.
pub(crate) const TESTS: &str = "contracts/evm-tests/Cargo.toml";

/// The file in which the tests write down what happened, and the program that tells it to another EVM.
const STORIES: &str = "out/stories.jsonl";
const SECOND_OPINION: &str = "second-opinion.js";
/// How many refused calls there are to each that the other EVM is asked about, unless `DUET_EVM_ROUNDS` asks for a long run.
const SHARE: &str = "40";

/// Compiles, tests, and asks another EVM.
pub(crate) fn run() -> Result {
    tools::for_linting()?;
    compile()?;
    let mut clippy = on_tests("clippy");
    clippy.args(["--all-targets", "--", "--deny", "warnings"]);
    cargo::run(&mut clippy)?;
    let stories = root().join("contracts").join(STORIES);
    if stories.exists() {
        fs::remove_file(&stories)?;
    }
    cargo::run(on_tests("test").env("DUET_EVM_STORIES", &stories))?;
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

fn on_tests(verb: &str) -> Command {
    cargo::apart(verb, TESTS, "contracts")
}

fn in_contracts(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root().join("contracts"));
    command
}
