//! Load on real nodes: build, then hand over to `duet-load`.

use crate::{cargo, programs::WITH_FEATURES_OF_TESTS, result::Result, tools};
use std::{os::unix::process::CommandExt, process::Command};

/// The programs that it runs.
const PROGRAMS: [&str; 4] = ["--bin", "duet-node", "--bin", "duet-load"];
/// The programs of the rival's part.
const RIVAL: [&str; 4] = ["--bin", "duet-beefy-node", "--bin", "duet-beefy-load"];
/// Tests want these compiled soon; a measurement wants them optimised, like the rest of the nodes.
const OPTIMISED: [&str; 3] = ["duet-node", "duet-finality", "duet-beefy-node"];
/// Tests check the debug assertions of our crates. No operator pays for them, and the rival's crates have none.
const WITHOUT_ASSERTIONS: [&str; 7] = [
    "duet-curve",
    "duet-primitives",
    "duet-voter",
    "duet-keystore",
    "duet-gossip",
    "duet-finality",
    "duet-node",
];

/// The flags that both share.
const OF_RIVAL: [&str; 4] = ["--validators", "--rounds", "--players", "--node-core"];

/// The arguments for `duet-load`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Plays the same first against the SDK's BEEFY gadget, and shows it next to Duet: with the same `--validators`,
    /// `--rounds`, `--players` and `--node-core`, or at 100 and 1 000 validators.
    #[arg(long)]
    rival: bool,
    /// Passed on: `--validators 100,1000`, `--rounds 10`, `--attacks garbage,stall`; `-- --help` shows all.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Builds the node and the players, and becomes the players.
pub(crate) fn run(options: &Options) -> Result {
    tools::for_building()?;
    cargo::announce_build();
    let mut build = cargo::workspace("build");
    let rival = if options.rival { &RIVAL[..] } else { &[] };
    cargo::run(
        build
            .args(PROGRAMS)
            .args(rival)
            .args(as_operators_run_them())
            .args(WITH_FEATURES_OF_TESTS),
    )?;
    let load = cargo::output_directory().join("duet-load");
    let mut command = Command::new(&load);
    if options.rival {
        let rows = cargo::output_directory().join("load").join("beefy.jsonl");
        let program = cargo::output_directory().join("duet-beefy-load");
        let mut rival = Command::new(program);
        rival.arg("--output").arg(&rows);
        cargo::run(rival.args(of_rival(&options.arguments)))?;
        command.arg("--beside").arg(rows);
    }
    let error = command.args(&options.arguments).exec();
    Err(format!("cannot start {}: {error}", load.display()).into())
}

/// Flags of cargo that change the profile of the nodes.
fn as_operators_run_them() -> Vec<String> {
    let optimised = OPTIMISED.map(|name| (name, "opt-level=1"));
    let without = WITHOUT_ASSERTIONS.map(|name| (name, "debug-assertions=false"));
    let settings = optimised.into_iter().chain(without);
    let flag = |(name, setting)| {
        [
            "--config".into(),
            format!("profile.dev.package.{name}.{setting}"),
        ]
    };
    settings.flat_map(flag).collect()
}

/// The rival's share of `duet-load`'s flags: `--rounds 10` and `--rounds=10` alike, in any order and number. Flags
/// known only to `duet-load` are left out.
fn of_rival(arguments: &[String]) -> Vec<&str> {
    let mut told = Vec::new();
    let mut arguments = arguments.iter().map(String::as_str);
    while let Some(argument) = arguments.next() {
        let name = argument.split_once('=').map_or(argument, |(name, _)| name);
        if OF_RIVAL.contains(&name) {
            told.push(argument);
            if name == argument {
                told.extend(arguments.next()); // Its value.
            }
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Task {
        #[command(flatten)]
        load: Options,
    }

    /// The rival's flags for these flags of `cargo xtask load`.
    fn told(line: &str) -> Vec<String> {
        let task = Task::parse_from(["load"].into_iter().chain(line.split_whitespace()));
        assert!(task.load.rival, "{line}");
        let told = of_rival(&task.load.arguments);
        told.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn the_rival_is_told_the_sizes_rounds_and_players() {
        let line = "--rival --validators 50,100 --rounds 3 --players 4 --node-core 1";
        assert_eq!(told(line).join(" "), &line["--rival ".len()..]);
        assert_eq!(
            told("--rival --rounds=3 --validators=50"),
            ["--rounds=3", "--validators=50"]
        );
    }

    #[test]
    fn the_rival_is_not_told_what_only_the_other_one_knows() {
        let line =
            "--rival --attacks garbage,stall --rounds 3 --output here --peaceful --stalled=2";
        assert_eq!(told(line), ["--rounds", "3"]);
        assert_eq!(told("--rival"), [""; 0]);
        assert_eq!(told("--rival -- --validators 50"), ["--validators", "50"]);
    }
}
