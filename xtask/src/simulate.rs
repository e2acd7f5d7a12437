//! Runs the simulation of large networks, and has its results drawn.

use crate::{bench::report, cargo, result::Result};
use std::path::{absolute, PathBuf};

/// What to simulate, and where to put it.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Where the costs, the results, the tables and the plots go; beside the build by default.
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Simulates nothing: shows what this folder of an earlier run holds.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "arguments"])]
    from: Option<PathBuf>,
    /// Also puts the tables and the plots into the documentation.
    #[arg(long)]
    docs: bool,
    /// Passed on to `duet-simulate`: see its `--help`.
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// Simulates or reads, then shows.
pub(crate) fn run(options: &Options) -> Result {
    let folder = match &options.from {
        Some(folder) => folder.clone(),
        None => simulate(options)?,
    };
    let mut show = report();
    show.arg("simulation").arg("--from").arg(absolute(folder)?);
    if options.docs {
        show.arg("--docs");
    }
    cargo::run(&mut show)
}

/// Builds beside the benches, with which the simulation shares what it measures and all dependencies.
fn simulate(options: &Options) -> Result<PathBuf> {
    let target = cargo::target_directory().join("bench");
    let output = options.output.clone().unwrap_or(target.join("simulation"));
    let output = absolute(output)?;
    let mut simulation = cargo::cargo(["run", "--package", "duet-simulation"]);
    simulation
        .args(["--profile", "measure", "--locked", "--", "--output"])
        .arg(&output)
        .args(&options.arguments)
        .env("CARGO_TARGET_DIR", target);
    cargo::run(&mut simulation)?;
    Ok(output)
}
