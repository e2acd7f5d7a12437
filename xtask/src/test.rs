//! Every test there is.

use crate::{
    cargo::{self, OPTIONAL},
    programs::WITH_FEATURES_OF_TESTS,
    result::Result,
    tools,
};
use clap::ValueEnum;
use std::process::Command;

/// What the scenarios on networks run.
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

/// Tests of optional features. Of the first two names there are tests of the light client; and of all of them, tests on
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
/// What those networks run.
const PROGRAMS: [&str; 6] = [
    "--bin",
    "duet-node",
    "--bin",
    "duet-light",
    "--bin",
    "duet-collector",
];

/// What to run.
#[derive(clap::Args, Default)]
pub(crate) struct Options {
    /// Only this part of the tests; all of them otherwise.
    #[arg(long, value_enum)]
    part: Option<Part>,
    /// Passed on to the test programs: a filter, or flags such as `--nocapture`.
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// A part of the tests.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// All that needs no network of real nodes: unit tests, integration tests, documentation tests.
    Units,
    /// Scenarios on networks of real nodes.
    Networks,
    /// Tests of optional features, for which the node and the light client are built once more.
    Optional,
}

/// Runs the tests, part by part, also after a part that fails.
///
/// Cargo runs one test program at a time: the one with the scenarios on real networks has the machine for itself, and
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
            // Benches run only when somebody measures; that they build is known at once.
            Self::Units => {
                build.args(["--lib", "--bins", "--examples", "--tests", "--benches"]);
            }
            Self::Networks => {
                build.args(OF_NETWORKS).args(WITH_FEATURES_OF_TESTS);
                test.args(NETWORKS);
            }
            // The tests are named in the build too: with them, dependencies have the features that they have above.
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
