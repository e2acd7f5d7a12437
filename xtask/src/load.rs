//! Load on real nodes: build, then hand over to `duet-load`.

use crate::{
    cargo::{self, Workspace},
    demo::WITH_FEATURES_OF_TESTS,
    result::Result,
    tools,
};
use std::{os::unix::process::CommandExt, process::Command};

/// What it runs.
const PROGRAMS: [&str; 4] = ["--bin", "duet-node", "--bin", "duet-load"];
/// What the rival's part runs.
const RIVAL: [&str; 4] = ["--bin", "duet-beefy-node", "--bin", "duet-beefy-load"];

/// What `duet-load` is told.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Plays the same first against the SDK's BEEFY gadget, at 100 and 1 000 validators, and shows it beside ours.
    #[arg(long)]
    rival: bool,
    /// Passed on: `--validators 100,1000`, `--rounds 10`, `--attacks garbage,stall`; `-- --help` shows all.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Builds the node and the players, and becomes the players.
pub(crate) fn run(options: &Options) -> Result {
    tools::for_building()?;
    println!("xtask: building; the first time this takes about half an hour on two cores");
    let mut build = Workspace::Duet.cargo("build", ["--workspace", "--locked"]);
    let rival = if options.rival { &RIVAL[..] } else { &[] };
    cargo::run(
        build
            .args(PROGRAMS)
            .args(rival)
            .args(WITH_FEATURES_OF_TESTS),
    )?;
    let load = cargo::output_directory().join("duet-load");
    let mut command = Command::new(&load);
    if options.rival {
        let rows = cargo::output_directory().join("load").join("beefy.jsonl");
        let program = cargo::output_directory().join("duet-beefy-load");
        cargo::run(Command::new(program).arg("--output").arg(&rows))?;
        command.arg("--beside").arg(rows);
    }
    let error = command.args(&options.arguments).exec();
    Err(format!("cannot start {}: {error}", load.display()).into())
}
