//! Every test there is.

use crate::{cargo, tools, Result};

/// What to run.
#[derive(clap::Args, Default)]
pub(crate) struct Options {
    /// Passed on to the test programs: a filter, or flags such as `--nocapture`.
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// Builds the programs that the end-to-end tests start, then runs all tests of all crates.
///
/// Cargo runs one test program at a time: the one with the stories of real networks has the machine for itself, and
/// divides it among them.
pub(crate) fn run(options: &Options) -> Result {
    tools::for_building()?;
    println!("xtask: building; the first time this takes about half an hour on two cores");
    cargo::build(cargo::PROGRAMS_AND_TESTS)?;
    let mut command = cargo::cargo(["test", "--workspace", "--locked", "--no-fail-fast"]);
    if !options.arguments.is_empty() {
        command.arg("--").args(&options.arguments);
    }
    cargo::run(&mut command)
}
