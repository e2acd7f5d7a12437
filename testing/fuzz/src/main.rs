//! Runs fuzz targets without coverage, on any compiler.

use clap::Parser;
use duet_fuzz::{
    mutate::{mutated, Random},
    odd, targets, Target,
};
use sha2::{Digest, Sha256};
use std::{
    error::Error,
    fs,
    panic::catch_unwind,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

/// Runs fuzz targets of consensus without coverage.
#[derive(Parser)]
enum Command {
    /// Prints the names of the targets.
    List,
    /// Prints a dictionary for libFuzzer: points and scalars of interest.
    Dictionary,
    /// Writes the inputs that the corpus begins with.
    Seeds,
    /// Runs every input of the kept corpus.
    Replay(Selection),
    /// Runs random changes of the kept corpus.
    Mutate {
        #[command(flatten)]
        selection: Selection,
        /// How long each target runs.
        #[arg(long)]
        seconds: u64,
        /// Chooses the changes.
        #[arg(long, default_value_t = 0)]
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

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::List => {
            targets()
                .iter()
                .for_each(|target| println!("{}", target.name));
            Ok(())
        }
        Command::Dictionary => {
            dictionary();
            Ok(())
        }
        Command::Seeds => write_seeds(),
        Command::Replay(selection) => for_each(&selection, replay),
        Command::Mutate {
            selection,
            seconds,
            seed,
        } => for_each(&selection, |run| {
            mutate(run, Duration::from_secs(seconds), seed)
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

/// The folder of a target in the kept corpus.
fn corpus_of(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target)
}

fn write_seeds() -> Result {
    for target in targets() {
        let folder = corpus_of(target.name);
        fs::create_dir_all(&folder)?;
        for seed in (target.seeds)() {
            fs::write(folder.join(seed.name), seed.bytes)?;
        }
    }
    Ok(())
}

fn dictionary() {
    let points = odd::G1.iter().map(|(_, bytes)| &bytes[..]);
    let scalars = odd::SCALARS.iter().map(|(_, bytes)| &bytes[..]);
    for bytes in points.chain(scalars) {
        let escaped: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
        println!("\"{escaped}\"");
    }
}

/// One target, its corpus, and where to put what it finds.
struct Run<'a> {
    target: Target,
    corpus: Vec<Vec<u8>>,
    artifacts: &'a Path,
}

fn for_each(selection: &Selection, run: impl Fn(&Run<'_>) -> Result) -> Result {
    let all = targets();
    for name in &selection.targets {
        if all.iter().all(|target| target.name != name) {
            return Err(format!("there is no target {name}").into());
        }
    }
    for target in all {
        if selection.targets.is_empty() || selection.targets.iter().any(|name| name == target.name)
        {
            run(&Run {
                corpus: read(&corpus_of(target.name))?,
                target,
                artifacts: &selection.artifacts,
            })?;
        }
    }
    Ok(())
}

/// The inputs of a folder, in the order of their names.
fn read(folder: &Path) -> Result<Vec<Vec<u8>>> {
    let at = |error| format!("{}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(at)? {
        files.push(entry?.path());
    }
    files.sort();
    if files.is_empty() {
        return Err(format!("{} is empty", folder.display()).into());
    }
    Ok(files.iter().map(fs::read).collect::<std::io::Result<_>>()?)
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
        Err(format!("{} found something: {}", self.target.name, file.display()).into())
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
