//! Fuzzes the decoders and verdicts of consensus, or the decoders of the schemes, or replays the kept inputs.
//!
//! Guided runs need no nightly compiler: the stable one contains the coverage instrumentation, and libFuzzer, which
//! is C++, is built with it.

use crate::{cargo, programs::WITH_FEATURES_OF_TESTS, result::Result, tools};
use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    sync::Mutex,
    thread,
};

/// What to fuzz, and for how long.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only replays the kept corpus.
    #[arg(long, conflicts_with_all = ["minutes", "unguided"])]
    replay: bool,
    /// Only writes the seed inputs of the corpus, after a change of their generator.
    #[arg(long, conflicts_with_all = ["minutes", "unguided", "replay", "targets"])]
    seeds: bool,
    /// Duration of the whole run after the build; the targets share it.
    #[arg(long, value_name = "N", required_unless_present_any = ["replay", "seeds"])]
    minutes: Option<u64>,
    /// Mutates inputs at random instead of by coverage, which needs no C++ compiler.
    #[arg(long)]
    unguided: bool,
    /// Seeds the random mutations; by default the commit does, so that each commit tries others, and always the same.
    #[arg(long)]
    seed: Option<u32>,
    /// Fuzzes the decoders of the companion schemes instead.
    #[arg(long, conflicts_with_all = ["replay", "seeds", "unguided"])]
    schemes: bool,
    /// Only these targets; by default all.
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
}

/// The flags that instrument code for libFuzzer, as `cargo-fuzz` sets them.
const INSTRUMENT: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// Set where cargo calls this program in place of rustc.
const WRAPPING: &str = "DUET_FUZZ_INSTRUMENT";

/// Compiles one crate of the workspace in place of rustc, when cargo asks for that. Cargo does not call this
/// program for other crates, so only the branches of our code are instrumented and sort the inputs.
pub(crate) fn run_as_wrapper() -> Option<ExitCode> {
    env::var_os(WRAPPING)?;
    let mut arguments = env::args_os().skip(1);
    let mut rustc = Command::new(arguments.next()?);
    let arguments: Vec<_> = arguments.collect();
    if is_ours(&arguments) {
        rustc.args(INSTRUMENT);
    }
    Some(match rustc.args(arguments).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cannot start rustc: {error}");
            ExitCode::FAILURE
        }
    })
}

/// Whether the call is neither for a build script nor a query about the compiler.
fn is_ours(arguments: &[OsString]) -> bool {
    let name = arguments
        .windows(2)
        .find(|pair| pair[0] == "--crate-name")
        .map(|pair| pair[1].to_string_lossy());
    name.is_some_and(|name| name.starts_with("duet_") || name.starts_with("guided"))
}

/// Replays or fuzzes.
pub(crate) fn run(options: &Options) -> Result {
    let folder = cargo::target_directory().join("fuzz");
    let artifacts = folder.join("artifacts");
    fs::create_dir_all(&artifacts)?;
    if let (Some(minutes), false) = (options.minutes, options.unguided) {
        return guided(options, minutes, &folder, &artifacts);
    }
    let mut command = Command::new(build()?);
    if options.seeds {
        return cargo::run(command.arg("seeds"));
    }
    match options.minutes {
        None => command.arg("replay"),
        Some(minutes) => command
            .arg("mutate")
            .args(["--seconds", &(minutes * 60).to_string()])
            .args(["--seed", &seed(options)?.to_string()]),
    };
    command
        .arg("--artifacts")
        .arg(artifacts)
        .args(&options.targets);
    cargo::run(&mut command)
}

/// The given seed, or the first digits of the commit.
fn seed(options: &Options) -> Result<u32> {
    if let Some(seed) = options.seed {
        return Ok(seed);
    }
    let mut git = Command::new("git");
    git.current_dir(cargo::root())
        .args(["rev-parse", "--short=7", "HEAD"]);
    let digits = cargo::output(&mut git)?;
    let first = digits
        .get(..7)
        .ok_or("git printed fewer than 7 digits of the commit")?;
    Ok(u32::from_str_radix(first, 16)?)
}

/// Seconds per target when so many of them run at a time.
fn share(minutes: u64, targets: usize, at_a_time: usize) -> u64 {
    let rounds = targets.div_ceil(at_a_time).max(1);
    (minutes * 60 / u64::try_from(rounds).unwrap_or(u64::MAX)).max(1)
}

/// The program that replays and mutates, built as in `cargo xtask test`.
fn build() -> Result<PathBuf> {
    let mut build = cargo::workspace("build");
    build.args(["--bin", "duet-fuzz"]);
    cargo::run(build.args(WITH_FEATURES_OF_TESTS))?;
    Ok(cargo::output_directory().join("duet-fuzz"))
}

/// The program with libFuzzer. Cargo calls this program in place of rustc for the workspace's crates only, and keeps
/// their output apart: the builds of other crates are shared with the tests.
fn build_guided(schemes: bool) -> Result<PathBuf> {
    tools::for_fuzzing()?;
    let (example, feature) = if schemes {
        ("guided-schemes", "duet-scheme-fuzz/guided")
    } else {
        ("guided", "duet-fuzz/guided")
    };
    let mut build = cargo::workspace("build");
    build
        .args(["--example", example, "--features", feature])
        .env(cargo::WRAPPER, env::current_exe()?)
        .env(WRAPPING, "1");
    cargo::run(&mut build)?;
    Ok(cargo::output_directory().join("examples").join(example))
}

/// The names of all targets, from the program itself. That of the schemes also writes the inputs to begin with here.
fn targets(program: &Path, inputs: &Path) -> Result<Vec<String>> {
    let output = Command::new(program)
        .env("DUET_FUZZ_LIST", inputs)
        .output()?;
    let names = String::from_utf8(output.stdout)?;
    Ok(names.lines().map(str::to_string).collect())
}

fn guided(options: &Options, minutes: u64, folder: &Path, artifacts: &Path) -> Result {
    let program = build_guided(options.schemes)?;
    let kept = if options.schemes {
        folder.join("valid")
    } else {
        cargo::root().join("testing/fuzz/corpus")
    };
    let all = targets(&program, &kept)?;
    let names = match &options.targets[..] {
        [] => all,
        some => some.to_vec(),
    };
    let workers = thread::available_parallelism()?.get().min(names.len());
    let seconds = share(minutes, names.len(), workers);
    let seed = seed(options)?;
    let count = names.len();
    println!("xtask: {count} targets for {seconds} s each, {workers} at a time");
    let rest = Mutex::new(names.into_iter());
    let next = || rest.lock().ok()?.next();
    let work = || -> Vec<String> {
        let run = |name: String| {
            let kept = kept.join(&name);
            one(&program, &name, seconds, seed, [folder, artifacts, &kept])
        };
        let errors = std::iter::from_fn(next).filter_map(|name| run(name).err());
        errors.map(|error| error.to_string()).collect()
    };
    let found: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        running
            .into_iter()
            .flat_map(|worker| worker.join())
            .flatten()
            .collect()
    });
    if found.is_empty() {
        return Ok(());
    }
    Err(found.join("\n").into())
}

/// Runs one target: first the kept corpus and the finds of earlier runs here, then mutations of them.
fn one(
    program: &Path,
    name: &str,
    seconds: u64,
    seed: u32,
    [folder, artifacts, kept]: [&Path; 3],
) -> Result {
    let corpus = folder.join("corpus").join(name);
    fs::create_dir_all(&corpus)?;
    let log = folder.join(format!("{name}.log"));
    let output = fs::File::create(&log)?;
    let status = Command::new(program)
        .arg(corpus)
        .arg(kept)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-seed={seed}"))
        .arg(format!("-artifact_prefix={}/{name}-", artifacts.display()))
        .arg(format!(
            "-dict={}",
            cargo::root().join("testing/fuzz/dictionary").display()
        ))
        .args([
            "-max_len=4096",
            "-len_control=0",
            "-timeout=60",
            "-rss_limit_mb=4096",
            "-print_final_stats=1",
        ])
        .env("DUET_FUZZ_TARGET", name)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output)
        .status()?;
    let text = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    if !status.success() {
        let tail: Vec<_> = text.lines().rev().take(40).collect();
        tail.iter().rev().for_each(|line| eprintln!("{line}"));
        return Err(format!("{name} ended with {status}: {}", log.display()).into());
    }
    println!("{name}: {}", summary(&text));
    Ok(())
}

/// Executions and coverage, from libFuzzer's output.
fn summary(text: &str) -> String {
    let executions = text
        .lines()
        .find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let coverage = text.lines().rev().find_map(|line| {
        let (_, after) = line.split_once(" cov: ")?;
        after.split_whitespace().next()
    });
    format!(
        "{} executions, {} edges covered",
        executions.map_or("?", str::trim),
        coverage.unwrap_or("?")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_has_the_last_coverage_and_the_number_of_executions() {
        let text = "#2\tINITED cov: 10 ft: 11 corp: 1/1b exec/s: 0 rss: 30Mb\n\
                    #99\tDONE   cov: 12 ft: 20 corp: 3/9b lim: 4096 exec/s: 9 rss: 31Mb\n\
                    stat::number_of_executed_units: 99\n";
        assert_eq!(summary(text), "99 executions, 12 edges covered");
        assert_eq!(summary(""), "? executions, ? edges covered");
    }

    #[test]
    fn only_our_own_crates_are_instrumented() {
        let call = |name: &str| is_ours(&["--crate-name", name, "lib.rs"].map(OsString::from));
        assert!(call("duet_curve") && call("guided") && call("guided_schemes"));
        assert!(!call("blst") && !call("build_script_build"));
    }

    #[test]
    fn the_time_is_divided_among_the_targets_that_run_one_after_the_other() {
        assert_eq!(share(5, 20, 2), 30);
        assert_eq!(share(1, 3, 1), 20);
        assert_eq!(share(1, 100, 1), 1);
    }
}
