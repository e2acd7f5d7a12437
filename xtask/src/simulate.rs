//! Runs the simulation of large networks, and plots the results.

use crate::{bench::report, cargo, result::Result};
use std::path::{absolute, PathBuf};

/// The simulation, and its output folder.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder for the costs, results, tables and plots; beside the build by default.
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Simulates nothing: shows the results in this folder of an earlier run.
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

/// Builds together with the benches, which share measuring code and all dependencies with the simulation.
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
