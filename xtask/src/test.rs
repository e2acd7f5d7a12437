//! All tests.

use crate::{
    cargo::{self, OPTIONAL},
    programs::WITH_FEATURES_OF_TESTS,
    result::{self, Result},
    side_by_side, tools,
};
use clap::ValueEnum;
use std::path::Path;

/// The folders of the crates that need no node.
pub(crate) const OF_LIBRARIES: [&str; 13] = [
    "benches",
    "curve",
    "light-client",
    "pallet",
    "primitives",
    "runtime",
    "schemes",
    "testing/fuzz",
    "testing/model",
    "testing/simulation",
    "verifiers/bridge",
    "verifiers/conformance",
    "voter",
];

/// The programs of the network scenarios.
const OF_NETWORKS: [&str; 12] = [
    "--bin",
    "duet-node",
    "--bin",
    "duet-light",
    "--bin",
    "duet-demo",
    "--bin",
    "duet-recovery",
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
    /// Tests of nodes, tools and the source tree, and documentation tests.
    Programs,
    /// Tests of curves, rules, pallets, the light client, the schemes and the benches, which need no node.
    Libraries,
    /// Scenarios on networks of real nodes.
    Networks,
    /// Tests of optional features, for which the node and the light client are built once more.
    Optional,
}

/// Runs the tests, part by part; a failed part does not stop the next one.
///
/// The program with the network scenarios has the machine to itself, and divides it among them.
pub(crate) fn run(options: &Options) -> Result {
    tools::for_testing()?;
    cargo::announce_build();
    let parts = Part::value_variants().iter().copied();
    let parts = parts.filter(|part| options.part.is_none_or(|only| only == *part));
    let ends: Vec<_> = parts
        .map(|part| (part, part.run(&options.arguments)))
        .collect();
    // At the end, where a failure of the first part is not lost above the tests of the last one.
    for (part, end) in &ends {
        let end = if end.is_ok() { "passed" } else { "failed" };
        println!("xtask: {}: {end}", part.name());
    }
    let failure = |(part, end): (Part, Result)| {
        let error = end.err()?;
        Some(format!("{}: {error}", part.name()))
    };
    result::all(ends.into_iter().filter_map(failure))
}

impl Part {
    /// As after `--part`.
    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    fn run(self, arguments: &[String]) -> Result {
        let mut build = cargo::workspace("build");
        let mut test = cargo::workspace("test");
        match self {
            Self::Programs | Self::Libraries => {
                // Benches run on demand only, but a broken build shows at once.
                build.args(["--lib", "--bins", "--examples", "--tests", "--benches"]);
                cargo::run(&mut build)?;
                let is_library =
                    |package: &Path| OF_LIBRARIES.iter().any(|of| package.starts_with(of));
                let has_programs = self == Self::Programs;
                let documentation = has_programs.then(|| {
                    test.args(["--doc", "--no-fail-fast", "--"]).args(arguments);
                    test
                });
                let programs =
                    side_by_side::programs(|package| is_library(package) != has_programs)?;
                let programs = programs.map(|mut program| {
                    program.args(arguments);
                    program
                });
                return side_by_side::run(documentation.into_iter().chain(programs));
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
        cargo::run(&mut build)?;
        cargo::run(test.args(["--no-fail-fast", "--"]).args(arguments))
    }
}
