//! Broken networks of real nodes: build, then run `duet-laboratory`.

use crate::{cargo, programs, result::Result, tools};
use std::process::Command;

/// The programs that it runs besides the node.
const PROGRAMS: [&str; 4] = ["--bin", "duet-laboratory", "--bin", "duet-recovery"];

/// The arguments for `duet-laboratory`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Passed on: `--short`, `--scenario partition_even`, `--nodes 7`, `--seed 1`, `--report DIR`; `-- --help` shows all.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Builds the node and the laboratory, and runs it. It is a step of the CI: others come after it.
pub(crate) fn run(options: &Options) -> Result {
    tools::for_building()?;
    programs::build_with(&PROGRAMS)?;
    let laboratory = cargo::output_directory().join("duet-laboratory");
    cargo::run(Command::new(&laboratory).args(&options.arguments))
}
