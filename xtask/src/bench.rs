//! Runs the benches, and has the results drawn.

use crate::{cargo, result::Result, tools};
use std::{
    fs,
    num::NonZeroUsize,
    path::{absolute, Path, PathBuf},
    process::Command,
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
    /// How often everything is measured, one after another: once with `--quick`, 15 times with `--rivals`, three times
    /// without.
    #[arg(long, value_name = "COUNT")]
    passes: Option<NonZeroUsize>,
    /// Where the results, the tables and the plots go; beside the build by default.
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Measures nothing: shows what this file of an earlier run holds.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["filters", "quick", "large", "passes"])]
    from: Option<PathBuf>,
    /// The companion schemes instead: the tables of their papers, beside what is measured here. Rows with noise are
    /// measured again.
    #[arg(long, conflicts_with = "large")]
    schemes: bool,
    /// Votes and certificates of 1 000 beside crates that others publish, in one process: prints a table.
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

/// Apart from what the rest of the workspace shares: the benches' dependencies are fewer and have fewer features.
fn target_directory() -> PathBuf {
    cargo::target_directory().join("bench")
}

/// The program that makes tables and plots, up to its own arguments.
pub(crate) fn report() -> Command {
    let mut report = cargo::cargo(["run", "--quiet", "--package", "duet-bench-report"]);
    report
        .args(["--locked", "--"])
        .env("CARGO_TARGET_DIR", target_directory());
    report
}

/// How often rows are measured again that had noise.
const ATTEMPTS: usize = 4;

/// Benches that are measured together.
struct Subject {
    package: &'static str,
    /// What the report calls them.
    report: &'static str,
    /// Criterion's arguments for a rough run, where the benches do not see to that themselves.
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

    /// Measures everything in several passes, so that a slow moment of the machine falls on a part of each
    /// measurement, not on the whole of one. Gives the folder of each pass.
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

    /// Measures again what has noise, with as many passes, until nothing has or there were enough attempts. Gives the
    /// folder of each attempt.
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

    /// What the report of the schemes takes besides.
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

    /// One pass over the benches of which a part of the name matches the filter; over all if it is empty.
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

    /// What a program of the package prints.
    fn output_of(&self, program: &str) -> Result<String> {
        output(self.cargo("run").args(["--quiet", "--bin", program]))
    }
}

/// What a command prints.
fn output(command: &mut Command) -> Result<String> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
