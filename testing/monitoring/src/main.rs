//! Tries the dashboard and the rules on running nodes.

use clap::{Parser, Subcommand};
use duet_monitoring::{
    live::{Live, WATCHED},
    page, Error, Result,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Tries the dashboard and the rules on running nodes.
#[derive(Parser)]
#[command(name = "duet-monitoring", version)]
struct Options {
    /// The repository.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    root: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Starts a Prometheus that reads nodes, and runs every query and rule there.
    Check(Check),
}

#[derive(clap::Args)]
struct Check {
    /// Where the nodes show their metrics: host and port.
    #[arg(value_name = "ADDRESS", required = true)]
    nodes: Vec<String>,
    /// Prometheus.
    #[arg(long, value_name = "FILE", default_value = "prometheus")]
    prometheus: PathBuf,
    /// Goes on reading for at least this long before it draws.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    read_for: u64,
    /// Draws the panels into this file.
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Waits afterwards until the alerts about a validator that is gone fire: end the last node meanwhile.
    #[arg(long)]
    one_ends: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let Command::Check(check) = &options.command;
    match run(&options.root, check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("duet-monitoring: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(root: &Path, check: &Check) -> Result {
    let start = now();
    let mut live = Live::start(&check.prometheus, root, &check.nodes)?;
    println!("Prometheus reads {} nodes", check.nodes.len());
    let checked = live.check(&[]);
    if let Some(file) = &check.page {
        live.read_for(Duration::from_secs(check.read_for));
        let drawn = page::draw(live.panels(), live.prometheus(), [start, now()])?;
        write(file, &drawn)?;
        println!("the page: {}", file.display());
    }
    checked?;
    println!("every query and every rule gives the result of a healthy network");
    let (true, Some(last)) = (check.one_ends, check.nodes.last()) else {
        return Ok(());
    };
    println!("now stop the node at {last}");
    let [down, spare] = WATCHED;
    let fired = live.wait_until_firing(down, ("instance", last))?;
    println!("{down} fires: {fired}");
    let fired = live.wait_until_firing(spare, ("job", "duet"))?;
    println!("{spare} fires: {fired}");
    Ok(())
}

fn write(path: &Path, text: &str) -> Result {
    let failed = |source| Error::Io {
        what: format!("writing {}", path.display()),
        source,
    };
    fs::write(path, text).map_err(failed)
}

/// Seconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
