//! The tools of the ecosystem, each run against nodes of ours.

use crate::{
    cargo::{self, root},
    demo,
    result::Result,
    tools,
};
use clap::ValueEnum;
use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Output},
    thread,
};

/// Names an executable to use instead of building one.
const NODE: &str = "DUET_NODE";

/// What to run.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Which tools; those in JavaScript when none is named.
    #[arg(value_name = "TOOL")]
    tools: Vec<Tool>,
    /// Runs every tool, also those whose build takes long.
    #[arg(long, conflicts_with = "tools")]
    all: bool,
    /// Writes the metadata anew from which the code for PAPI and subxt is made, and runs no tool.
    #[arg(long, conflicts_with_all = ["tools", "all"])]
    metadata: bool,
}

/// A tool, by the name of its script or program in `compat`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Tool {
    /// @polkadot/api.
    PolkadotJs,
    /// polkadot-api.
    Papi,
    /// smoldot, with polkadot-api on top of it.
    Smoldot,
    /// @acala-network/chopsticks.
    Chopsticks,
    /// subxt.
    Subxt,
    /// zombienet-sdk.
    Zombienet,
}

/// In which language a tool is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    JavaScript,
    Rust,
}

impl Tool {
    fn language(self) -> Language {
        match self {
            Self::PolkadotJs | Self::Papi | Self::Smoldot | Self::Chopsticks => {
                Language::JavaScript
            }
            Self::Subxt | Self::Zombienet => Language::Rust,
        }
    }

    /// What stands in `compat/javascript`, or after `duet-compat-`.
    fn name(self) -> &'static str {
        match self {
            Self::PolkadotJs => "polkadot-js",
            Self::Papi => "papi",
            Self::Smoldot => "smoldot",
            Self::Chopsticks => "chopsticks",
            Self::Subxt => "subxt",
            Self::Zombienet => "zombienet",
        }
    }
}

impl Options {
    /// Those that are used in this language.
    fn chosen(&self, language: Language) -> Vec<Tool> {
        let all = Tool::value_variants().iter().copied();
        let chosen = all.filter(|tool| match self.tools.as_slice() {
            [] => self.all || tool.language() == Language::JavaScript,
            named => named.contains(tool),
        });
        chosen.filter(|tool| tool.language() == language).collect()
    }
}

/// Builds a node, installs or builds the tools, and runs them.
pub(crate) fn run(options: &Options) -> Result {
    let node = node()?;
    if options.metadata {
        install()?;
        cargo::run(script("metadata").env(NODE, &node))?;
        return generate();
    }
    let in_javascript = options.chosen(Language::JavaScript);
    let in_rust = options.chosen(Language::Rust);
    if !in_javascript.is_empty() {
        install()?;
        generate()?;
        at_once(&in_javascript, &node)?;
    }
    build(&in_rust)?;
    let programs = in_rust.into_iter().map(|tool| {
        let program = format!("compat/debug/duet-compat-{}", tool.name());
        let mut command = Command::new(cargo::target_directory().join(program));
        command.env(NODE, &node);
        command
    });
    cargo::run_all(programs)
}

/// The executable that the environment names, or the one that is built now.
fn node() -> Result<PathBuf> {
    if let Some(named) = env::var_os(NODE) {
        // Scripts run in a folder of their own.
        return Ok(std::path::absolute(named)?);
    }
    tools::for_building()?;
    demo::build()?;
    Ok(cargo::output_directory().join("duet-node"))
}

/// Installs what the lock file of `compat/javascript` names.
fn install() -> Result {
    tools::for_javascript()?;
    cargo::run(javascript("npm").args(["ci", "--prefer-offline", "--no-audit", "--no-fund"]))
}

/// Has PAPI make code of the metadata. With other metadata, the version of that code changes in files that are checked in.
fn generate() -> Result {
    let program = "node_modules/polkadot-api/bin/cli.js";
    cargo::run(javascript("node").args([program, "generate"]))
}

/// Builds programs of `compat/rust`.
fn build(tools: &[Tool]) -> Result {
    for tool in tools {
        let mut build = cargo::cargo(["build", "--locked"]);
        build
            .args(["--manifest-path", "compat/rust/Cargo.toml", "--package"])
            .arg(format!("duet-compat-{}", tool.name()))
            .env("CARGO_TARGET_DIR", cargo::target_directory().join("compat"));
        cargo::run(&mut build)?;
    }
    Ok(())
}

/// Runs scripts side by side, because they mostly wait for blocks. What one prints is shown when it ends; what it
/// prints on standard error, only when it fails.
fn at_once(tools: &[Tool], node: &Path) -> Result {
    let failed: Vec<_> = thread::scope(|scope| {
        let run = |tool: &Tool| {
            let output = script(tool.name()).env(NODE, node).output();
            show(tool.name(), output?)
        };
        let running: Vec<_> = tools
            .iter()
            .map(|tool| scope.spawn(move || run(tool).map_err(|error| error.to_string())))
            .collect();
        let ended = running.into_iter().map(|thread| thread.join());
        ended
            .filter_map(|ended| {
                ended
                    .unwrap_or_else(|_| Err("a thread panicked".into()))
                    .err()
            })
            .collect()
    });
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join("\nxtask: ").into())
    }
}

fn show(name: &str, output: Output) -> Result {
    print!("{}", String::from_utf8_lossy(&output.stdout));
    if output.status.success() {
        return Ok(());
    }
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    Err(format!("the script for {name} ended with {}", output.status).into())
}

/// A script, which says what it does.
fn script(name: &str) -> Command {
    let mut command = javascript("node");
    // Chopsticks tells every block otherwise.
    command.arg(format!("{name}.mjs")).env("LOG_LEVEL", "warn");
    command
}

fn javascript(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root().join("compat/javascript"));
    command
}
