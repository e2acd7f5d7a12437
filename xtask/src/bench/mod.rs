//! Runs the benches, keeps what they measured in one file, and shows it: tables with ratios, and plots.

mod papers;
mod plots;
mod results;
mod tables;
mod targets;

use crate::{
    cargo,
    documents::{put_tables, write_plots},
    tools, Result,
};
use results::{Results, Samples};
use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

/// What to measure, and where to put it.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only what has one of these in its name; each is a regular expression.
    filters: Vec<String>,
    /// Sets of up to 1 000 and few samples: rough, in less than three minutes.
    #[arg(long, conflicts_with = "large")]
    quick: bool,
    /// Sets of up to 100 000 too, whose keys and votes alone take minutes to make.
    #[arg(long)]
    large: bool,
    /// How often everything is measured, one after another: once with `--quick`, three times without.
    #[arg(long, value_name = "COUNT")]
    passes: Option<NonZeroUsize>,
    /// Where the results, the tables and the plots go; beside the build by default.
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Measures nothing: shows what this file of an earlier run holds.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["filters", "quick", "large", "passes"])]
    from: Option<PathBuf>,
    /// The companion schemes instead: the tables of their papers, beside what is measured here.
    #[arg(long, conflicts_with = "large")]
    schemes: bool,
    /// Also puts the tables and the plots into the documentation.
    #[arg(long)]
    docs: bool,
}

impl Options {
    fn scale(&self) -> &'static str {
        match (self.quick, self.large) {
            (true, _) => "quick",
            (_, true) => "large",
            _ => "full",
        }
    }

    fn passes(&self) -> usize {
        let usual = if self.quick { 1 } else { 3 };
        self.passes.map_or(usual, NonZeroUsize::get)
    }
}

/// The name of the file that everything else is made from.
const RESULTS: &str = "results.json";

/// Measures or reads, then shows.
pub(crate) fn run(options: &Options) -> Result {
    let target = cargo::target_directory().join("bench");
    let output = options.output.clone().unwrap_or(target.join("report"));
    fs::create_dir_all(&output)?;
    if options.schemes {
        return papers::run(options, &target, &output);
    }
    let results = match &options.from {
        Some(file) => Results::read(file)?,
        None => measure(options, &target)?,
    };
    results.write(&output.join(RESULTS))?;
    let tables = tables::all(&results);
    fs::write(output.join("tables.md"), &tables)?;
    let plots = plots::all(&results);
    write_plots(&plots, &output)?;
    println!("{tables}");
    println!(
        "Results, tables and {} plots: {}",
        plots.len(),
        output.display()
    );
    if options.docs {
        let docs = cargo::root().join("docs");
        write_plots(&plots, &docs.join("benchmarks"))?;
        put_tables(&docs.join("benchmarks.md"), &tables)?;
    }
    Ok(())
}

/// Builds the benches with the one profile, apart from what the rest of the workspace shares: their dependencies
/// are fewer and have fewer features. Then measures everything in several passes, so that a slow moment of the
/// machine falls on a part of each measurement, not on the whole of one.
fn measure(options: &Options, target: &Path) -> Result<Results> {
    tools::for_measuring()?;
    let passes = passes(options, "duet-benches", &["--noplot"], target)?;
    let mut sizes = cargo::cargo(["run", "--quiet", "--bin", "sizes"]);
    sizes
        .args(build_of("duet-benches"))
        .env("CARGO_TARGET_DIR", target);
    Results::collect(&passes, sizes, options.scale())
}

fn build_of(package: &str) -> [&str; 5] {
    ["--package", package, "--profile", "dev", "--locked"]
}

/// Measures a package's benches as often as is asked for; `arguments` are criterion's.
fn passes(
    options: &Options,
    package: &str,
    arguments: &[&str],
    target: &Path,
) -> Result<Vec<Samples>> {
    let criterion = target.join("criterion");
    let mut passes = Vec::new();
    for _ in 0..options.passes() {
        if criterion.exists() {
            fs::remove_dir_all(&criterion)?;
        }
        let mut bench = cargo::cargo(["bench"]);
        bench
            .args(build_of(package))
            .args(["--benches", "--"])
            .args(arguments)
            .env("CARGO_TARGET_DIR", target)
            .env("CRITERION_HOME", &criterion)
            .env("DUET_BENCH_SCALE", options.scale());
        if !options.filters.is_empty() {
            bench.arg(options.filters.join("|"));
        }
        cargo::run(&mut bench)?;
        passes.push(results::samples(&criterion)?);
    }
    Ok(passes)
}
