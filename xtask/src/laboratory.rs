//! Broken networks of real nodes: build, then hand over to `duet-laboratory`.

use crate::{cargo, programs, result::Result, tools};
use std::{os::unix::process::CommandExt, process::Command};

/// The programs that it runs besides the node.
const PROGRAMS: [&str; 4] = ["--bin", "duet-laboratory", "--bin", "duet-recovery"];

/// The arguments for `duet-laboratory`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Passed on: `--short`, `--scenario partition_even`, `--nodes 7`, `--seed 1`, `--report DIR`; `-- --help` shows all.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Builds the node and the laboratory, and becomes the laboratory.
pub(crate) fn run(options: &Options) -> Result {
    tools::for_building()?;
    programs::build_with(&PROGRAMS)?;
    let laboratory = cargo::output_directory().join("duet-laboratory");
    let error = Command::new(&laboratory).args(&options.arguments).exec();
    Err(format!("cannot start {}: {error}", laboratory.display()).into())
}
