//! Every test there is.

use crate::{
    cargo::{self, Workspace, OPTIONAL},
    result::Result,
    tools,
};
use std::process::Command;

/// Tests of what is off by default. Of the first two names there are tests of the light client; and of all of them, tests on networks
/// of real nodes.
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
    /// Passed on to the test programs: a filter, or flags such as `--nocapture`.
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// Builds the programs that the end-to-end tests start, then runs all tests of both workspaces, and last those of what is off
/// by default, for which the node and the light client are built once more.
///
/// Cargo runs one test program at a time: the one with the scenarios on real networks has the machine for itself, and
/// divides it among them.
pub(crate) fn run(options: &Options) -> Result {
    tools::for_testing()?;
    println!("xtask: building; the first time this takes about half an hour on two cores");
    let targets = ["--lib", "--bins", "--examples", "--tests"];
    let mut build = Workspace::Duet.cargo("build", ["--workspace", "--locked"]);
    cargo::run(build.args(targets))?;
    let all = Workspace::ALL.map(|workspace| tests(workspace, &[], options));
    // The tests are named too: with them, dependencies have the features that they have above.
    let mut build_optional = Workspace::Duet.cargo("build", ["--workspace", "--locked"]);
    build_optional
        .args(OPTIONAL)
        .args(PROGRAMS)
        .args(OF_OPTIONAL);
    let optional = [OPTIONAL.as_slice(), &OF_OPTIONAL].concat();
    let optional = tests(Workspace::Duet, &optional, options);
    cargo::run_all(all.into_iter().chain([build_optional, optional]))
}

fn tests(workspace: Workspace, more: &[&str], options: &Options) -> Command {
    let mut test = workspace.cargo("test", ["--workspace", "--locked", "--no-fail-fast"]);
    test.args(more);
    if !options.arguments.is_empty() {
        test.arg("--").args(&options.arguments);
    }
    test
}
