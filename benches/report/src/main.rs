//! `duet-bench-report`: shows the results of the benches and the simulation.

use clap::{Parser, Subcommand};
use duet_bench_report::{benches, papers, simulation};
use std::process::ExitCode;

/// Shows the results of the benches and the simulation, as tables and plots.
#[derive(Parser)]
#[command(name = "duet-bench-report", version)]
struct Cli {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(Subcommand)]
enum Subject {
    /// The gadget's benches, beside the rivals.
    Benches(benches::Options),
    /// The companion schemes' benches, beside their papers.
    Schemes(papers::Options),
    /// A filter for the companion schemes' benches that have to run again, if any.
    Noisy(papers::NoisyOptions),
    /// The simulation of large networks.
    Simulation(simulation::Options),
}

fn main() -> ExitCode {
    let done = match Cli::parse().subject {
        Subject::Benches(options) => benches::run(&options),
        Subject::Schemes(options) => papers::run(&options),
        Subject::Noisy(options) => papers::print_noisy(&options),
        Subject::Simulation(options) => simulation::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("duet-bench-report: {error}");
            ExitCode::FAILURE
        }
    }
}
