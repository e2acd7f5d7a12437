//! Runs the benches, and plots the results.

use crate::{cargo, result::Result, tools};
use std::{
    fs,
    num::NonZeroUsize,
    path::{absolute, Path, PathBuf},
    process::Command,
};

/// The measurements, and their output folder.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only benches whose name matches one of these regular expressions.
    filters: Vec<String>,
    /// Sets of up to 1 000 and few samples: rough, in less than three minutes.
    #[arg(long, conflicts_with = "large")]
    quick: bool,
    /// Also sets of up to 100 000, whose keys and votes alone take minutes to make.
    #[arg(long)]
    large: bool,
    /// Number of passes over all measurements: once with `--quick`, 15 times with `--rivals`, three times by default.
    #[arg(long, value_name = "COUNT")]
    passes: Option<NonZeroUsize>,
    /// The folder for the results, tables and plots; beside the build by default.
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Measures nothing: shows the results in this file of an earlier run.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["filters", "quick", "large", "passes"])]
    from: Option<PathBuf>,
    /// Measures the companion schemes instead: the tables of their papers, next to our figures. Rows with noise are
    /// measured again.
    #[arg(long, conflicts_with = "large")]
    schemes: bool,
    /// Measures votes and certificates of 1 000 next to other published crates, in one process: prints a table.
    #[arg(long, conflicts_with_all = ["filters", "quick", "large", "output", "from", "schemes", "docs"])]
    rivals: bool,
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

/// Measures or reads, then shows.
pub(crate) fn run(options: &Options) -> Result {
    if options.rivals {
        return cargo::run(&mut rivals(options.passes));
    }
    let subject = if options.schemes { &SCHEMES } else { &GADGET };
    let target = target_directory();
    let output = options.output.clone().unwrap_or(target.join("report"));
    let output = absolute(output)?;
    fs::create_dir_all(&output)?;
    let mut show = report();
    show.arg(subject.report).arg("--output").arg(&output);
    if options.docs {
        show.arg("--docs");
    }
    if let Some(file) = &options.from {
        show.arg("--from").arg(absolute(file)?);
        return cargo::run(&mut show);
    }
    tools::for_measuring()?;
    let passes = subject.measure(options)?;
    show.args(["--scale", options.scale()])
        .arg("--criterion")
        .args(&passes);
    if options.schemes {
        subject.show_schemes(options, &passes, &mut show)?;
    } else {
        let sizes = output.join("sizes.jsonl");
        fs::write(&sizes, subject.output_of("sizes")?)?;
        show.arg("--sizes").arg(sizes);
    }
    cargo::run(&mut show)
}

/// The program that measures rivals.
fn rivals(passes: Option<NonZeroUsize>) -> Command {
    let mut rivals = cargo::cargo(["run", "--package", "duet-rivals"]);
    rivals
        .args(["--quiet", "--profile", "measure", "--locked", "--"])
        .args(passes.map(|passes| passes.to_string()))
        .env("CARGO_TARGET_DIR", target_directory());
    rivals
}

/// A separate build: the benches have fewer dependencies, with fewer features.
fn target_directory() -> PathBuf {
    cargo::target_directory().join("bench")
}

/// The program that makes tables and plots, with its first arguments.
pub(crate) fn report() -> Command {
    let mut report = cargo::cargo(["run", "--quiet", "--package", "duet-bench-report"]);
    report
        .args(["--locked", "--"])
        .env("CARGO_TARGET_DIR", target_directory());
    report
}

/// The most repetitions for rows with noise.
const ATTEMPTS: usize = 4;

/// Benches that are measured together.
struct Subject {
    package: &'static str,
    /// Their name in the report.
    report: &'static str,
    /// Criterion's arguments for a rough run, unless the benches handle that themselves.
    quick: &'static [&'static str],
}

const GADGET: Subject = Subject {
    package: "duet-benches",
    report: "benches",
    quick: &[],
};

const SCHEMES: Subject = Subject {
    package: "duet-scheme-benches",
    report: "schemes",
    quick: &[
        "--sample-size",
        "10",
        "--warm-up-time",
        "0.05",
        "--measurement-time",
        "0.2",
    ],
};

impl Subject {
    fn cargo(&self, verb: &str) -> Command {
        let mut command = cargo::cargo([verb, "--package", self.package, "--profile", "measure"]);
        command
            .arg("--locked")
            .env("CARGO_TARGET_DIR", target_directory());
        command
    }

    /// Measures everything in several passes, so that a slow moment of the machine affects a part of each
    /// measurement, not the whole of one. Returns the folder of each pass.
    fn measure(&self, options: &Options) -> Result<Vec<PathBuf>> {
        let criterion = target_directory().join("criterion");
        if criterion.exists() {
            fs::remove_dir_all(&criterion)?;
        }
        let folders = (1..=options.passes()).map(|pass| criterion.join(pass.to_string()));
        let folders: Vec<_> = folders.collect();
        for folder in &folders {
            cargo::run(&mut self.pass(options, folder, &options.filters.join("|")))?;
        }
        Ok(folders)
    }

    /// Repeats the measurements with noise, with as many passes, until none is left or the attempts are used up.
    /// Returns the folder of each attempt.
    fn measure_again(&self, options: &Options, passes: &[PathBuf]) -> Result<Vec<PathBuf>> {
        let folder = target_directory().join("criterion/again");
        let mut attempts: Vec<PathBuf> = Vec::new();
        for attempt in 1..=ATTEMPTS {
            let mut noisy = report();
            noisy.arg("noisy").arg("--criterion").args(passes);
            if !attempts.is_empty() {
                noisy.arg("--again").args(&attempts);
            }
            let filter = output(&mut noisy)?;
            if filter.trim().is_empty() {
                break;
            }
            let attempt = folder.join(attempt.to_string());
            for pass in 1..=options.passes() {
                let criterion = attempt.join(pass.to_string());
                cargo::run(&mut self.pass(options, &criterion, filter.trim()))?;
            }
            attempts.push(attempt);
        }
        Ok(attempts)
    }

    /// The further inputs of the schemes' report.
    fn show_schemes(&self, options: &Options, passes: &[PathBuf], show: &mut Command) -> Result {
        if !options.quick {
            let attempts = self.measure_again(options, passes)?;
            if !attempts.is_empty() {
                show.arg("--again").args(attempts);
            }
        }
        let cycles = self.output_of("cycles")?;
        if !cycles.trim().is_empty() {
            show.args(["--cycles-per-second", cycles.trim()]);
        }
        let counted = target_directory().join("counted.jsonl");
        fs::write(&counted, self.output_of("counted")?)?;
        show.arg("--counted").arg(counted);
        if !options.filters.is_empty() {
            show.arg("--part");
        }
        Ok(())
    }

    /// One pass over the benches whose name contains the filter; over all if it is empty.
    fn pass(&self, options: &Options, criterion: &Path, filter: &str) -> Command {
        let mut bench = self.cargo("bench");
        bench
            .args(["--benches", "--", "--noplot"])
            .env("CRITERION_HOME", criterion)
            .env("DUET_BENCH_SCALE", options.scale());
        if options.quick {
            bench.args(self.quick);
        }
        if !filter.is_empty() {
            bench.arg(filter);
        }
        bench
    }

    /// The output of a program of the package.
    fn output_of(&self, program: &str) -> Result<String> {
        output(self.cargo("run").args(["--quiet", "--bin", program]))
    }
}

/// The output of a command.
fn output(command: &mut Command) -> Result<String> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
