//! Every test there is.

use crate::{
    cargo::{self, Workspace},
    result::Result,
    tools,
};
use std::process::Command;

/// What to run.
#[derive(clap::Args, Default)]
pub(crate) struct Options {
    /// Passed on to the test programs: a filter, or flags such as `--nocapture`.
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// Builds the programs that the end-to-end tests start, then runs all tests of both workspaces.
///
/// Cargo runs one test program at a time: the one with the scenarios on real networks has the machine for itself, and
/// divides it among them.
pub(crate) fn run(options: &Options) -> Result {
    tools::for_testing()?;
    println!("xtask: building; the first time this takes about half an hour on two cores");
    let targets = ["--lib", "--bins", "--examples", "--tests"];
    let mut build = Workspace::Duet.cargo("build", ["--workspace", "--locked"]);
    cargo::run(build.args(targets))?;
    cargo::run_all(Workspace::ALL.map(|workspace| tests(workspace, options)))
}

fn tests(workspace: Workspace, options: &Options) -> Command {
    let mut test = workspace.cargo("test", ["--workspace", "--locked", "--no-fail-fast"]);
    if !options.arguments.is_empty() {
        test.arg("--").args(&options.arguments);
    }
    test
}
