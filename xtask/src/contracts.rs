//! The contracts: compiled by the pinned solc and by another one, linted, and tested in an EVM.

use crate::{
    cargo::{self, root},
    result::{self, Result},
    tools,
};
use std::{env, error::Error, fs, path::PathBuf, process::Command, thread};

/// The tests. `cargo test` does not run them, because it does not compile the contracts.
const TESTS: [&str; 10] = [
    "--test",
    "evm_client",
    "--test",
    "evm_differential",
    "--test",
    "evm_messages",
    "--test",
    "evm_owner",
    "--test",
    "evm_points",
];

/// The tests of the second compiler's code, without those of gas and those that take long.
const TESTS_OF_SECOND: [&str; 13] = [
    "--test",
    "evm_client",
    "--",
    "--skip",
    "deployments_stay",
    "--skip",
    "gas_is_within",
    "--skip",
    "gas_of_a_recovery",
    "--skip",
    "many_handoffs_cost",
    "--skip",
    "what_",
];
/// The second compiler's code, and the variable for the folder of the code that the tests deploy.
const SECOND: &str = "out/second";
const CODE: &str = "DUET_EVM_CODE";

/// The comparison with the verifier in Rust.
const CAMPAIGN: [&str; 4] = ["--test", "evm_differential", "--", "--nocapture"];

/// Which tests.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only compares the contracts with the verifier in Rust, by this many calls with changed proofs.
    #[arg(long, value_name = "N")]
    inputs: Option<u64>,
    /// Chooses the changes.
    #[arg(long, default_value_t = 1, requires = "inputs")]
    seed: u32,
}

/// The hashes of the contracts' bytecode.
const PINNED: &str = "bytecode.sha256";
/// The tests' log of calls, and the program that replays it in another EVM.
const STORIES: &str = "out/stories.jsonl";
const SECOND_OPINION: &str = "second-opinion.js";
/// One in this many refused calls is replayed in the other EVM, unless `DUET_EVM_ROUNDS` asks for a long run.
const SHARE: &str = "40";

/// slither's detectors that are off.
const OFF: [&str; 7] = [
    // Points and proofs are packed bytes, and precompiles have no other call.
    "assembly",
    // solhint watches the length of functions.
    "cyclomatic-complexity",
    // A struct with a time counts as a time, and each of its fields may not be compared.
    "incorrect-equality",
    // The trusting period and the delay of a recovery are times. (LIGHT-9, RECOVER-8)
    "timestamp",
    // Masks have many digits.
    "too-many-digits",
    // Solidity begins variables at zero.
    "uninitialized-local",
    // It takes the ring of the last blocks, an index modulo its length, for a lottery.
    "weak-prng",
];

/// Compiles twice, lints, tests, and replays in another EVM; or compares with the verifier in Rust.
pub(crate) fn run(options: &Options) -> Result {
    if let Some(inputs) = options.inputs {
        compile()?;
        let mut campaign = cargo::workspace("test");
        campaign
            .args(CAMPAIGN)
            .env("DUET_EVM_INPUTS", inputs.to_string())
            .env("DUET_EVM_SEED", options.seed.to_string());
        return cargo::run(&mut campaign);
    }
    install()?;
    // Each compiler takes one core.
    thread::scope(|scope| {
        let text = |error: Box<dyn Error>| error.to_string();
        let second = scope.spawn(move || cargo::run(build().arg("--second")).map_err(text));
        let first = cargo::run(&mut build()).and_then(|()| lint());
        let second = second
            .join()
            .unwrap_or_else(|_| Err("a thread panicked".into()));
        let ends = [first.map_err(text), second];
        result::all(ends.into_iter().filter_map(|end| end.err()))
    })?;
    compare_interfaces()?;
    let stories = folder().join(STORIES);
    if stories.exists() {
        fs::remove_file(&stories)?;
    }
    cargo::run(
        cargo::workspace("test")
            .args(TESTS)
            .env("DUET_EVM_STORIES", &stories),
    )?;
    cargo::run(
        cargo::workspace("test")
            .args(TESTS_OF_SECOND)
            .env(CODE, folder().join(SECOND)),
    )?;
    let is_long = env::var_os("DUET_EVM_ROUNDS").is_some();
    let share = if is_long { "1" } else { SHARE };
    cargo::run(in_contracts("node").args([SECOND_OPINION, STORIES, share]))
}

/// Installs the compiler and anvil, and builds the bytecode.
pub(crate) fn compile() -> Result {
    install()?;
    cargo::run(&mut build())
}

fn install() -> Result {
    tools::for_javascript()?;
    cargo::run(in_contracts("npm").args(["ci", "--no-audit", "--no-fund"]))
}

fn build() -> Command {
    let mut build = in_contracts("node");
    build.arg("build.js");
    build
}

/// Runs solhint and slither. Any finding is an error. slither reads what the compiler has parsed.
fn lint() -> Result {
    let mut solhint = in_contracts("node_modules/.bin/solhint");
    // Without a look for newer versions.
    solhint
        .args(["--disc", "--noPoster", "--max-warnings", "0"])
        .args(["--config", ".solhintrc.yaml", "src/**/*.sol"]);
    cargo::run(&mut solhint)?;
    let mut slither = Command::new(tools::slither(&folder().join("requirements.txt"))?);
    slither
        .current_dir(folder().join("src"))
        .args(["../out/slither", "--ignore-compile", "--npx-disable"])
        .args(["--hardhat-artifacts-directory", ".", "--disable-color"])
        .args(["--exclude", &OFF.join(",")]);
    cargo::run(&mut slither)
}

/// Both compilers see the same interface of each contract.
fn compare_interfaces() -> Result {
    let pinned = fs::read_to_string(folder().join(PINNED))?;
    // Each line is a hash and a name.
    for name in pinned.split_whitespace().skip(1).step_by(2) {
        let file = format!("{name}.json");
        let interface = |out| fs::read(folder().join(out).join(&file));
        if interface("out")? != interface(SECOND)? {
            return Err(format!("the compilers see different interfaces of {name}").into());
        }
    }
    Ok(())
}

fn folder() -> PathBuf {
    root().join("verifiers/contracts")
}

/// A program, in the folder of the contracts.
pub(crate) fn in_contracts(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder());
    command
}
