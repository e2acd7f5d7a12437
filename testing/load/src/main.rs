//! `duet-load`: plays hundreds to thousands of validators against real nodes, and prints what it costs these.

use clap::Parser;
use duet_load::{
    attack::Attack,
    cores::Cores,
    row::Row,
    scenario::{attacked, rounds, Voters},
    stage::{Hears, Size, Stage},
    table::{details, table},
    Error, Result,
};
use duet_local_network::Interrupt;
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Plays the validators of large sets over real connections against two real nodes, and measures the first one.
///
/// What is played and measured is said in `docs/load.md`.
#[derive(Parser)]
#[command(name = "duet-load", version)]
struct Options {
    /// Sizes of sets.
    #[arg(long, value_delimiter = ',', default_values_t = [100, 1_000, 10_000],
        value_parser = clap::value_parser!(u32).range(4..))]
    validators: Vec<u32>,
    /// How many rounds of each kind are measured in each scenario.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Over how many peers the validators vote.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(3..64))]
    players: u16,
    /// How many votes each notification of a player carries: 1, as validators send their own votes, or more, as nodes
    /// relay them under load.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    bundled: u16,
    /// Keeps the first node on this core alone, and everything else on the other cores.
    #[arg(long, value_name = "CORE")]
    node_core: Option<u16>,
    /// What is done to the node besides, each for itself. [default: all of them]
    #[arg(long, value_delimiter = ',', value_enum)]
    attacks: Option<Vec<Attack>>,
    /// Attacks nothing.
    #[arg(long, conflicts_with = "attacks")]
    peaceful: bool,
    /// Only as many validators vote as a proof needs, as in the rounds of the SDK's BEEFY gadget. Attacks nothing.
    #[arg(long, conflicts_with = "attacks")]
    needed: bool,
    /// At which of the sizes the node is attacked.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1_000])]
    attacked: Vec<u32>,
    /// How many blocks the stall lasts. The node chooses them, each twice as far away as the one before.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    stalled: u32,
    /// What the second node wants to hear.
    #[arg(long, value_enum, default_value_t = Hears::Votes)]
    second_hears: Hears,
    /// Where `rows.jsonl` and `table.md` go; nothing is written without it.
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Shows the rows of these files, too: of a rival, or of an earlier run.
    #[arg(long, value_name = "FILE")]
    beside: Vec<PathBuf>,
    /// Leaves the nodes' directories in place.
    #[arg(long)]
    keep: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    let mut interrupt = match Interrupt::listen() {
        Ok(interrupt) => interrupt,
        Err(error) => return fail(&error.into()),
    };
    // Whichever ends first: what the other one holds is dropped, and with it the nodes.
    let done = tokio::select! {
        done = run(&options) => done,
        () = interrupt.next() => return ExitCode::from(130),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn fail(error: &Error) -> ExitCode {
    eprintln!("duet-load: {error}");
    ExitCode::FAILURE
}

async fn run(options: &Options) -> Result<()> {
    let cores = options.node_core.map(Cores::node_on).transpose()?;
    let mut rows = Vec::new();
    for file in &options.beside {
        rows.extend(read(file)?);
    }
    let earlier = rows.len();
    for validators in &options.validators {
        play((options, cores), *validators, &mut rows).await?;
        if let Some(folder) = &options.output {
            write(folder, &rows[earlier..], &rows)?;
        }
    }
    println!("{}", table(&rows));
    Ok(())
}

/// All scenarios of one size, the attacks on nodes of their own, so that none of them begins with what another one left.
async fn play(
    (options, cores): (&Options, Option<Cores>),
    validators: u32,
    rows: &mut Vec<Row>,
) -> Result<()> {
    let size = Size {
        validators,
        players: options.players.into(),
        bundled: options.bundled.into(),
        second_hears: options.second_hears,
        cores,
        keep: options.keep,
    };
    println!("starting two nodes for a set of {validators} validators");
    let mut stage = Stage::start(size).await?;
    let voters = if options.needed {
        Voters::Needed
    } else {
        Voters::All
    };
    say(rows, rounds(&mut stage, options.rounds, voters).await?);
    if options.peaceful || options.needed || !options.attacked.contains(&validators) {
        return Ok(());
    }
    let all = <Attack as clap::ValueEnum>::value_variants();
    for attack in options.attacks.as_deref().unwrap_or(all) {
        let count = match attack {
            Attack::Stall => options.stalled,
            _ => options.rounds,
        };
        drop(stage);
        stage = Stage::start(size).await?;
        say(rows, attacked(&mut stage, *attack, count).await?);
    }
    Ok(())
}

fn say(rows: &mut Vec<Row>, row: Row) {
    println!("{}", details(&row));
    rows.push(row);
}

fn read(file: &Path) -> Result<Vec<Row>> {
    let name = file.display().to_string();
    let text = fs::read_to_string(file).map_err(|error| Error::Io {
        what: name.clone(),
        error,
    })?;
    let rows = text.lines().map(serde_json::from_str);
    let rows = rows.collect::<std::result::Result<_, _>>();
    rows.map_err(|error| Error::Rows { file: name, error })
}

fn write(folder: &Path, own: &[Row], all: &[Row]) -> Result<()> {
    let wrong = |error| Error::Io {
        what: format!("writing into {}", folder.display()),
        error,
    };
    let lines = own.iter().map(serde_json::to_string);
    let lines: std::result::Result<Vec<_>, _> = lines.collect();
    let lines = lines.map_err(|error| wrong(error.into()))?;
    fs::create_dir_all(folder).map_err(wrong)?;
    fs::write(folder.join("rows.jsonl"), lines.join("\n") + "\n").map_err(wrong)?;
    fs::write(folder.join("table.md"), table(all)).map_err(wrong)
}
