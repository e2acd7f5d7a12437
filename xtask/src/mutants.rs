//! Mutation testing of the verdict crates: cargo-mutants changes one place at a time, and a test has to notice.

use crate::{
    cargo::{root, show, target_directory},
    result::{self, Result},
    tools::CARGO_MUTANTS,
};
use std::{
    fs,
    path::{absolute, Path},
    process::Command,
};

/// Which mutants to try, and the time limit.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only mutants of this crate; by default of all crates with rules.
    #[arg(long, value_name = "NAME", value_parser = CRATES)]
    package: Option<String>,
    /// Only mutants in the files that match this glob.
    #[arg(long, value_name = "GLOB")]
    file: Vec<String>,
    /// Only the K-th part of N of each crate's mutants, from 0 on.
    #[arg(long, value_name = "K/N")]
    shard: Option<String>,
    /// Stops each crate after this many minutes, and reports the mutants tried until then.
    #[arg(long, value_name = "N")]
    minutes: Option<u64>,
    /// Only lists the mutants.
    #[arg(long)]
    list: bool,
}

/// The crates that decide which bytes are accepted.
const CRATES: [&str; 7] = [
    "duet-curve",
    "duet-primitives",
    "duet-voter",
    "duet-light-client",
    "pallet-duet",
    "duet-keystore",
    "pallet-bridge-duet",
];
/// A wrong point of the first may be seen first in a verdict of the second. Other crates are tested by themselves.
const TESTERS_OF_CURVE: [&str; 2] = ["duet-curve", "duet-primitives"];

/// cargo-mutants' report files, one per outcome.
const OUTCOMES: [&str; 4] = ["caught", "timeout", "unviable", "missed"];

/// cargo-mutants' exit status when tests failed or hung with every mutant that compiles.
const ALL_NOTICED: [i32; 2] = [0, 3];
/// `timeout`'s exit status when the time is up.
const TIME_IS_UP: i32 = 124;

/// Runs cargo-mutants with `.cargo/mutants.toml`, on a copy of the source tree, crate by crate.
///
/// # Errors
/// When a mutant survived, or the tests fail on unchanged code.
pub(crate) fn run(options: &Options) -> Result {
    let chosen = CRATES.into_iter().filter(|name| {
        let only = options.package.as_deref();
        only.is_none_or(|only| only == *name)
    });
    let ends = chosen.map(|package| run_in(package, options));
    result::all(ends.filter_map(Result::err).map(|error| error.to_string()))
}

/// Runs cargo-mutants on one crate.
fn run_in(package: &str, options: &Options) -> Result {
    let program = CARGO_MUTANTS.installed()?;
    let mut mutants = match options.minutes {
        Some(minutes) => {
            let mut limited = Command::new("timeout");
            limited.args(["--signal=INT", &format!("{minutes}m")]);
            limited.arg(program);
            limited
        }
        None => Command::new(program),
    };
    mutants.current_dir(root()).arg("mutants");
    mutants.args(["--package", package]);
    let testers = if package == TESTERS_OF_CURVE[0] {
        &TESTERS_OF_CURVE[..]
    } else {
        &[package][..]
    };
    for tester in testers {
        mutants.args(["--test-package", tester]);
    }
    for file in &options.file {
        mutants.args(["--file", file]);
    }
    if let Some(shard) = &options.shard {
        mutants.args(["--shard", shard]);
    }
    let reports = absolute(target_directory().join("mutants"))?;
    let report = reports.join(package);
    fs::create_dir_all(&report)?;
    if options.list {
        mutants.arg("--list");
    } else {
        // The mutants' common dependencies are built once and kept for the next run.
        mutants.env("CARGO_TARGET_DIR", reports.join("build"));
        mutants.args(["--jobs", "1", "--no-shuffle", "--output"]);
        mutants.arg(&report);
    }
    let code = mutants.status()?.code();
    if options.list && code == Some(0) {
        return Ok(());
    }
    let report = report.join("mutants.out");
    for outcome in OUTCOMES {
        println!("{package}, {outcome}: {}", lines(&report, outcome));
    }
    println!("The report: {}", report.display());
    match code {
        Some(code) if ALL_NOTICED.contains(&code) => Ok(()),
        Some(TIME_IS_UP) if lines(&report, "missed") == 0 => Ok(()),
        _ => Err(format!("`{}` ended with {code:?}", show(&mutants)).into()),
    }
}

/// The number of mutants with this outcome.
fn lines(report: &Path, outcome: &str) -> usize {
    let names = fs::read_to_string(report.join(format!("{outcome}.txt")));
    names.map_or(0, |names| names.lines().count())
}
