//! Mutation testing of the verdict crates: cargo-mutants changes one place at a time, and a test has to notice.

use crate::{
    cargo::{root, show, target_directory},
    result::Result,
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
    /// Only mutants in the files that match this glob; by default those of `curve` and `primitives`.
    #[arg(long, value_name = "GLOB")]
    file: Vec<String>,
    /// Stops after this many minutes, and reports the mutants tried until then.
    #[arg(long, value_name = "N")]
    minutes: Option<u64>,
    /// Only lists the mutants.
    #[arg(long)]
    list: bool,
}

/// The crates that decide which bytes are accepted.
const DECIDING: [&str; 2] = ["curve/src/**", "primitives/src/**"];

/// cargo-mutants' report files, one per outcome.
const OUTCOMES: [&str; 4] = ["caught", "timeout", "unviable", "missed"];

/// cargo-mutants' exit status when tests failed or hung with every mutant that compiles.
const ALL_NOTICED: [i32; 2] = [0, 3];
/// `timeout`'s exit status when the time is up.
const TIME_IS_UP: i32 = 124;

/// Runs cargo-mutants with `.cargo/mutants.toml`, on a copy of the source tree.
///
/// # Errors
/// When a mutant survived, or the tests fail on unchanged code.
pub(crate) fn run(options: &Options) -> Result {
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
    let named = options.file.iter().map(String::as_str);
    let all = DECIDING.into_iter().filter(|_| options.file.is_empty());
    for file in named.chain(all) {
        mutants.args(["--file", file]);
    }
    let folder = absolute(target_directory().join("mutants"))?;
    fs::create_dir_all(&folder)?;
    if options.list {
        mutants.arg("--list");
    } else {
        // The mutants' common dependencies are built once and kept for the next run.
        mutants.env("CARGO_TARGET_DIR", folder.join("build"));
        mutants.args(["--jobs", "1", "--no-shuffle", "--output"]);
        mutants.arg(&folder);
    }
    let code = mutants.status()?.code();
    if options.list && code == Some(0) {
        return Ok(());
    }
    let report = folder.join("mutants.out");
    for outcome in OUTCOMES {
        println!("{outcome}: {}", lines(&report, outcome));
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
