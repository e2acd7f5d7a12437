//! Runs fuzz targets without coverage, on any compiler.

use clap::Parser;
use duet_fuzz::{
    corpus,
    mutate::{mutated, Random},
    targets, Target,
};
use sha2::{Digest, Sha256};
use std::{
    error::Error,
    fs,
    num::NonZeroUsize,
    panic::catch_unwind,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

/// Runs fuzz targets of consensus without coverage.
#[derive(Parser)]
enum Command {
    /// Prints the names of the targets.
    List,
    /// Writes what the corpus begins with, and the dictionary for libFuzzer.
    Seeds,
    /// Runs every input of the kept corpus.
    Replay(Selection),
    /// Runs random changes of the kept corpus.
    Mutate {
        #[command(flatten)]
        selection: Selection,
        /// How long the whole run takes; the targets share it.
        #[arg(long)]
        seconds: u64,
        /// Chooses the changes.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

#[derive(clap::Args)]
struct Selection {
    /// Only these targets.
    targets: Vec<String>,
    /// Where inputs that found something are written.
    #[arg(long, default_value = "artifacts")]
    artifacts: PathBuf,
}

type Result<T = ()> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::List => {
            targets()
                .iter()
                .for_each(|target| println!("{}", target.name));
            Ok(())
        }
        Command::Seeds => write_seeds(),
        Command::Replay(selection) => for_each(&selection, |run, _| replay(run)),
        Command::Mutate {
            selection,
            seconds,
            seed,
        } => for_each(&selection, |run, rounds| {
            mutate(run, Duration::from_secs(seconds) / rounds, seed)
        }),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("duet-fuzz: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write_seeds() -> Result {
    for target in targets() {
        corpus::write_seeds(&target)?;
    }
    let dictionary = corpus::folder().with_file_name("dictionary");
    Ok(fs::write(dictionary, corpus::dictionary())?)
}

/// One target, its corpus, and where to put what it finds.
struct Run<'a> {
    target: Target,
    corpus: Vec<Vec<u8>>,
    artifacts: &'a Path,
}

/// The targets that are selected.
fn selected(selection: &Selection) -> Result<Vec<Target>> {
    let mut all = targets();
    for name in &selection.targets {
        if all.iter().all(|target| target.name != name) {
            return Err(format!("unknown target {name}").into());
        }
    }
    if !selection.targets.is_empty() {
        all.retain(|target| selection.targets.iter().any(|name| name == target.name));
    }
    Ok(all)
}

/// Runs the selected targets, one on each core; `run` is told how many run one after the other.
fn for_each(selection: &Selection, run: impl Fn(&Run<'_>, u32) -> Result + Sync) -> Result {
    let targets = selected(selection)?;
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let rounds = u32::try_from(targets.len().div_ceil(cores))?;
    let rest = Mutex::new(targets.into_iter());
    let next = || rest.lock().ok()?.next();
    let one = |target: Target| {
        let run_of_target = Run {
            corpus: corpus::kept(target.name)?.into_values().collect(),
            target,
            artifacts: &selection.artifacts,
        };
        run(&run_of_target, rounds)
    };
    let work = || -> Vec<_> {
        std::iter::from_fn(next)
            .filter_map(|target| one(target).err())
            .map(|error| error.to_string())
            .collect()
    };
    let found: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        running
            .into_iter()
            .flat_map(|worker| worker.join().expect("findings are caught"))
            .collect()
    });
    if found.is_empty() {
        Ok(())
    } else {
        Err(found.join("\nduet-fuzz: ").into())
    }
}

impl Run<'_> {
    /// Runs one input; what it finds is written down before it is reported.
    fn input(&self, bytes: &[u8]) -> Result {
        let run = self.target.run;
        if catch_unwind(|| run(bytes)).is_ok() {
            return Ok(());
        }
        fs::create_dir_all(self.artifacts)?;
        let name = hex::encode(&Sha256::digest(bytes)[..8]);
        let file = self.artifacts.join(format!("{}-{name}", self.target.name));
        fs::write(&file, bytes)?;
        Err(format!("{} failed on input {}", self.target.name, file.display()).into())
    }
}

fn replay(run: &Run<'_>) -> Result {
    let began = Instant::now();
    run.corpus.iter().try_for_each(|bytes| run.input(bytes))?;
    println!(
        "{}: {} inputs, {} ms",
        run.target.name,
        run.corpus.len(),
        began.elapsed().as_millis()
    );
    Ok(())
}

fn mutate(run: &Run<'_>, time: Duration, seed: u64) -> Result {
    let (began, mut random, mut executions) = (Instant::now(), Random::new(seed), 0_u64);
    while began.elapsed() < time {
        run.input(&mutated(&run.corpus, &mut random))?;
        executions += 1;
    }
    println!("{}: {executions} executions", run.target.name);
    Ok(())
}
