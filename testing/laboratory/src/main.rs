//! `duet-laboratory`: plays scenarios of broken networks with real nodes, and reports.

use clap::{Args, Parser, Subcommand};
use duet_laboratory::{
    end_with_parent,
    outside::{self, Plan},
    scenario::Scenario,
    scenarios, Error, Files,
};
use duet_process::Signals;
use std::{env, io, path::PathBuf, process::ExitCode};
use tokio::runtime::Builder;

const EXIT_STATUS: &str = "\
Exit status:
  0    all chosen scenarios passed, or were skipped with a message
  1    a scenario failed, or could not be played
  2    bad usage
  130  stopped by SIGINT, SIGTERM or SIGHUP";

/// Plays scenarios of broken networks with real nodes, and has light clients watch from outside.
///
/// What is played is said in `docs/laboratory.md`.
#[derive(Parser)]
#[command(name = "duet-laboratory", version, after_help = [EXIT_STATUS, duet_process::EXIT_STATUS].concat())]
struct Options {
    #[command(subcommand)]
    inside: Option<Inside>,
    #[command(flatten)]
    outside: Outside,
}

#[derive(Args)]
struct Outside {
    /// Plays the short scenarios only. On a machine that gives no namespaces it says so and succeeds.
    #[arg(long, conflicts_with = "scenario")]
    short: bool,
    /// Plays this scenario; all if none is named.
    #[arg(long, value_name = "NAME")]
    scenario: Vec<String>,
    /// How many nodes, all of them validators.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(4..=100))]
    nodes: u16,
    /// Decides what chance decides: which packets are lost, which nodes are killed.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Where `rows.jsonl` and `table.md` go; nothing is written without it.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// The executable of the node; that which `DUET_NODE` names, or the one beside this program, if not said.
    #[arg(long, value_name = "PATH")]
    node: Option<PathBuf>,
    /// The executable of an earlier version of the node, for the scenario that upgrades it; without one that is left out.
    #[arg(long, value_name = "PATH")]
    earlier_node: Option<PathBuf>,
    /// Leaves the folders of nodes, with their logs, in place.
    #[arg(long)]
    keep: bool,
}

#[derive(Subcommand)]
enum Inside {
    /// One scenario, in namespaces of its own: this program starts itself so.
    #[command(hide = true)]
    Inside {
        #[arg(long)]
        scenario: String,
        #[arg(long)]
        nodes: u16,
        #[arg(long)]
        seed: u64,
        #[arg(long)]
        node: PathBuf,
        #[arg(long)]
        earlier_node: Option<PathBuf>,
        #[arg(long)]
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    let options = duet_process::arguments();
    let runtime = duet_process::runtime(Builder::new_multi_thread().enable_all());
    let done = runtime
        .map_err(|error| Some(cannot("start", error)))
        .and_then(|runtime| runtime.block_on(until_stopped(options)));
    duet_process::exit(done, |error| match error {
        Some(error) => {
            duet_process::warn(format_args!("duet-laboratory: {error}"));
            1
        }
        None => 130,
    })
}

/// Without an error when a signal stopped it.
async fn until_stopped(options: Options) -> Result<(), Option<Error>> {
    let signals = Signals::new();
    let mut signals = signals.map_err(|error| cannot("wait for signals", error))?;
    let work = async {
        match options.inside {
            Some(inside) => play(inside).await,
            None => report(options.outside).await,
        }
    };
    tokio::select! {
        done = work => done.map_err(Some),
        _ = signals.wait() => Err(None),
    }
}

fn cannot(what: &str, error: io::Error) -> Error {
    let what = format!("cannot {what}");
    Error::Io { what, error }
}

async fn play(inside: Inside) -> Result<(), Error> {
    let Inside::Inside {
        scenario,
        nodes,
        seed,
        node,
        earlier_node,
        folder,
    } = inside;
    end_with_parent()?;
    let scenario = scenarios::named(&scenario)?;
    let files = Files {
        node,
        earlier_node,
        folder,
    };
    outside::inside(scenario, &files, nodes, seed).await
}

async fn report(options: Outside) -> Result<(), Error> {
    if let Err(error) = outside::probe() {
        if options.short {
            duet_process::tell(format_args!("skipping the laboratory: {error}"));
            return Ok(());
        }
        return Err(error);
    }
    let chosen: Vec<&Scenario> = match (options.short, options.scenario.as_slice()) {
        (true, _) => scenarios::SHORT.into(),
        (false, []) => scenarios::ALL.into(),
        (false, names) => {
            let named = names.iter().map(|name| scenarios::named(name));
            named.collect::<Result<_, _>>()?
        }
    };
    let plan = Plan {
        node: options.node.map_or_else(beside, Ok)?,
        earlier_node: options.earlier_node,
        nodes: options.nodes,
        seed: options.seed,
        report: options.report,
        keep: options.keep,
    };
    outside::run(&plan, &chosen).await
}

/// The node that the environment names, or that cargo has built with this program.
fn beside() -> Result<PathBuf, Error> {
    if let Some(node) = env::var_os("DUET_NODE") {
        return Ok(node.into());
    }
    let program = env::current_exe().map_err(|error| cannot("find this program's path", error))?;
    Ok(program.with_file_name("duet-node"))
}
