//! Every test there is.

use crate::{
    cargo::{self, Workspace, VOUCHERS},
    result::Result,
    tools,
};
use std::process::Command;

/// Tests of the light client with that feature. The last is one on a network of real nodes, too.
const OF_VOUCHERS: [&str; 4] = ["--bin", "duet-light", "--test", "vouchers"];

/// What to run.
#[derive(clap::Args, Default)]
pub(crate) struct Options {
    /// Passed on to the test programs: a filter, or flags such as `--nocapture`.
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// Builds the programs that the end-to-end tests start, then runs all tests of both workspaces, and last those of what is off
/// by default, for which the light client is built once more.
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
    let vouchers = [VOUCHERS.as_slice(), &OF_VOUCHERS].concat();
    let vouchers = tests(Workspace::Duet, &vouchers, options);
    cargo::run_all(all.into_iter().chain([vouchers]))
}

fn tests(workspace: Workspace, more: &[&str], options: &Options) -> Command {
    let mut test = workspace.cargo("test", ["--workspace", "--locked", "--no-fail-fast"]);
    test.args(more);
    if !options.arguments.is_empty() {
        test.arg("--").args(&options.arguments);
    }
    test
}
