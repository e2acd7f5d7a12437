//! `duet-simulate`: measures what votes cost here, or takes kept costs, and plays rounds with them.

use clap::Parser;
use duet_simulation::{measure, CostTable, Matrix, Model, MILLISECOND};
use std::{
    error::Error,
    fs,
    num::{NonZeroU32, NonZeroUsize},
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Plays rounds of votes over a gossip mesh in virtual time, with measured costs.
#[derive(Parser)]
#[command(name = "duet-simulate", version)]
struct Options {
    /// Sizes of sets.
    #[arg(long, value_delimiter = ',', default_values_t = [100, 1_000, 10_000])]
    validators: Vec<u32>,
    /// Shares of validators that send garbage, in percent.
    #[arg(long, value_delimiter = ',', default_values_t = [0, 1, 10, 33])]
    garbage: Vec<u32>,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many networks there are for each line, with one seed after another.
    #[arg(long, default_value = "3")]
    networks: NonZeroU32,
    /// Takes the costs from this file instead of measuring them. Results are then the same on every machine.
    #[arg(long, value_name = "FILE")]
    costs: Option<PathBuf>,
    /// Where `costs.json`, `results.json` and `tables.md` go; nothing is written without it.
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// How many rounds are played at once. [default: one per core]
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    /// Sets of at most so many validators have every vote travel alone.
    #[arg(long, default_value_t = 1_000)]
    exact: u32,
    /// Larger sets have that many votes travel together that there are no more batches than this.
    #[arg(long, default_value = "500")]
    batches: NonZeroU32,
    /// Median latency of a link, one way, in milliseconds.
    #[arg(long, default_value_t = 50)]
    latency: u32,
    /// What a node sends at most, and receives at most, in megabits per second.
    #[arg(long, default_value_t = 500)]
    bandwidth: u32,
    /// Peers to which a node relays a vote at once.
    #[arg(long, default_value_t = 4)]
    eager_peers: u32,
    /// After this time the other peers get it, in milliseconds.
    #[arg(long, default_value_t = 250)]
    relay_delay: u32,
    /// Threads of a node that check what peers send.
    #[arg(long, default_value = "4")]
    verifiers: NonZeroU32,
    /// What may be on its way on one link, in KiB.
    #[arg(long, default_value_t = 256)]
    window: u32,
    /// Bad votes per second on each link of a garbage sender.
    #[arg(long, default_value_t = 1_000)]
    garbage_rate: u32,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("duet-simulate: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let matrix = options.matrix();
    matrix.check()?;
    let costs = match &options.costs {
        Some(file) => read_costs(file)?,
        None => {
            eprintln!("measuring the costs of votes and proofs on this machine");
            measure(&matrix.validators)
        }
    };
    let threads = match options.threads {
        Some(threads) => threads,
        None => std::thread::available_parallelism()?,
    };
    let report = matrix.run(&costs, threads, &mut |case, seed| {
        eprintln!(
            "{} validators, {} % send garbage, seed {seed}: played",
            case.validators, case.garbage
        );
    })?;
    let tables = report.tables();
    if let Some(output) = &options.output {
        fs::create_dir_all(output)?;
        let costs = serde_json::to_string_pretty(&costs)? + "\n";
        fs::write(output.join("costs.json"), costs)?;
        fs::write(output.join("results.json"), report.to_json()?)?;
        fs::write(output.join("tables.md"), &tables)?;
    }
    println!("{tables}");
    Ok(())
}

fn read_costs(file: &Path) -> Result<CostTable, Box<dyn Error>> {
    let named = |error: &dyn Error| format!("{}: {error}", file.display());
    let text = fs::read_to_string(file).map_err(|error| named(&error))?;
    Ok(serde_json::from_str(&text).map_err(|error| named(&error))?)
}

impl Options {
    fn matrix(&self) -> Matrix {
        let seeds = (0..self.networks.get()).map(|at| self.seed.wrapping_add(u64::from(at)));
        Matrix {
            model: Model {
                latency_median: u64::from(self.latency) * MILLISECOND,
                bandwidth: u64::from(self.bandwidth) * 1_000_000,
                eager_peers: self.eager_peers,
                relay_delay: u64::from(self.relay_delay) * MILLISECOND,
                garbage_rate: self.garbage_rate,
                threads: self.verifiers.get(),
                window: u64::from(self.window) * 1024,
                ..Model::default()
            },
            validators: self.validators.clone(),
            garbage: self.garbage.clone(),
            seeds: seeds.collect(),
            exact_up_to: self.exact,
            batches: self.batches,
        }
    }
}
