//! All tests.

use crate::{
    cargo::{self, OPTIONAL},
    programs::WITH_FEATURES_OF_TESTS,
    result::Result,
    tools,
};
use clap::ValueEnum;
use std::process::Command;

/// The programs of the network scenarios.
const OF_NETWORKS: [&str; 10] = [
    "--bin",
    "duet-node",
    "--bin",
    "duet-light",
    "--bin",
    "duet-demo",
    "--bin",
    "solochain-node",
    "--bin",
    "solochain-duet-node",
];
/// The scenarios. `cargo test` does not run them, because it does not build the nodes.
const NETWORKS: [&str; 2] = ["--test", "network"];

/// Tests of optional features. The first two features have tests in the light client; all of them have tests on
/// networks of real nodes.
const OF_OPTIONAL: [&str; 8] = [
    "--bin",
    "duet-light",
    "--test",
    "vouchers",
    "--test",
    "statistics",
    "--test",
    "telemetry",
];
/// The programs of those networks.
const PROGRAMS: [&str; 6] = [
    "--bin",
    "duet-node",
    "--bin",
    "duet-light",
    "--bin",
    "duet-collector",
];

/// Which tests to run.
#[derive(clap::Args, Default)]
pub(crate) struct Options {
    /// Only this part of the tests; by default all.
    #[arg(long, value_enum)]
    part: Option<Part>,
    /// Passed on to the test programs: a filter, or flags such as `--nocapture`.
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// A part of the tests.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Everything without a network of real nodes: unit tests, integration tests, documentation tests.
    Units,
    /// Scenarios on networks of real nodes.
    Networks,
    /// Tests of optional features, for which the node and the light client are built once more.
    Optional,
}

/// Runs the tests, part by part; a failed part does not stop the next one.
///
/// Cargo runs one test program at a time: the program with the network scenarios has the machine to itself, and
/// divides it among them.
pub(crate) fn run(options: &Options) -> Result {
    tools::for_testing()?;
    println!("xtask: building; the first time this takes about half an hour on two cores");
    let parts = Part::value_variants().iter().copied();
    let parts = parts.filter(|part| options.part.is_none_or(|only| only == *part));
    cargo::run_all(parts.flat_map(|part| part.commands(options)))
}

impl Part {
    fn commands(self, options: &Options) -> [Command; 2] {
        let mut build = cargo::workspace("build");
        let mut test = cargo::workspace("test");
        match self {
            // Benches run on demand only, but a broken build shows at once.
            Self::Units => {
                build.args(["--lib", "--bins", "--examples", "--tests", "--benches"]);
            }
            Self::Networks => {
                build.args(OF_NETWORKS).args(WITH_FEATURES_OF_TESTS);
                // As many as want: they mostly wait, and divide the machine among them.
                test.args(NETWORKS).env("RUST_TEST_THREADS", "16");
            }
            // The build names the tests too: with them, dependencies have the same features as above.
            Self::Optional => {
                build.args(OPTIONAL).args(PROGRAMS).args(OF_OPTIONAL);
                test.args(OPTIONAL).args(OF_OPTIONAL);
            }
        }
        test.arg("--no-fail-fast");
        if !options.arguments.is_empty() {
            test.arg("--").args(&options.arguments);
        }
        [build, test]
    }
}
