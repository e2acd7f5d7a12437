//! Ecosystem tools, each run against our nodes.

mod bencher;
mod runtime;

use crate::{
    cargo::{self, root},
    programs,
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

/// The variable for a ready executable; otherwise one is built.
const NODE: &str = "DUET_NODE";
/// The variable for the light client that serves.
const LIGHT: &str = "DUET_LIGHT";
/// The variable for the runtime whose checks are run.
const TRY_RUNTIME: &str = "DUET_TRY_RUNTIME";

/// Which tools to run.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Which tools; by default the scripts that need only a node.
    #[arg(value_name = "TOOL")]
    tools: Vec<Tool>,
    /// Runs every tool, including those with a long build.
    #[arg(long, conflicts_with = "tools")]
    all: bool,
    /// Regenerates the metadata, from which the code for PAPI and subxt is made, and runs no tool.
    #[arg(long, conflicts_with_all = ["tools", "all"])]
    metadata: bool,
}

/// A tool, named after its script or program in `testing/compat`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Tool {
    /// @polkadot/api.
    PolkadotJs,
    /// polkadot-api.
    Papi,
    /// @polkadot/api on `duet-light serve`.
    LightPolkadotJs,
    /// polkadot-api on `duet-light serve`.
    LightPapi,
    /// subxt on `duet-light serve`.
    LightSubxt,
    /// smoldot, with polkadot-api on top of it.
    Smoldot,
    /// @acala-network/chopsticks.
    Chopsticks,
    /// try-runtime, as chopsticks has it.
    TryRuntime,
    /// subxt.
    Subxt,
    /// zombienet-sdk.
    Zombienet,
    /// frame-omni-bencher.
    FrameOmniBencher,
}

/// The kind of a tool.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A script in `testing/compat/javascript`.
    Script,
    /// A program in `testing/compat/rust`.
    Program,
    /// A separate command, which needs no node.
    Command,
}

impl Tool {
    fn kind(self) -> Kind {
        match self {
            Self::PolkadotJs
            | Self::Papi
            | Self::LightPolkadotJs
            | Self::LightPapi
            | Self::Smoldot
            | Self::Chopsticks
            | Self::TryRuntime => Kind::Script,
            Self::Subxt | Self::LightSubxt | Self::Zombienet => Kind::Program,
            Self::FrameOmniBencher => Kind::Command,
        }
    }

    /// Whether the tool needs no build except the node's.
    fn is_quick(self) -> bool {
        self.kind() == Kind::Script && self != Self::TryRuntime
    }

    /// Whether the tool speaks to the light client, which answers for a node.
    fn is_on_light(self) -> bool {
        matches!(
            self,
            Self::LightPolkadotJs | Self::LightPapi | Self::LightSubxt
        )
    }

    /// Names the light client to a program that is to use it.
    fn set_light(self, command: &mut Command) {
        if self.is_on_light() {
            command.env(LIGHT, cargo::output_directory().join("duet-light"));
        }
    }

    /// The name in `testing/compat/javascript`, or after `duet-compat-`.
    fn name(self) -> &'static str {
        match self {
            Self::PolkadotJs | Self::LightPolkadotJs => "polkadot-js",
            Self::Papi | Self::LightPapi => "papi",
            Self::Smoldot => "smoldot",
            Self::Chopsticks => "chopsticks",
            Self::TryRuntime => "try-runtime",
            Self::Subxt | Self::LightSubxt => "subxt",
            Self::Zombienet => "zombienet",
            Self::FrameOmniBencher => "frame-omni-bencher",
        }
    }
}

impl Options {
    /// The tools of this kind.
    fn chosen(&self, kind: Kind) -> Vec<Tool> {
        let all = Tool::value_variants().iter().copied();
        let chosen = all.filter(|tool| match self.tools.as_slice() {
            [] => self.all || tool.is_quick(),
            named => named.contains(tool),
        });
        chosen.filter(|tool| tool.kind() == kind).collect()
    }
}

/// Builds a node, installs or builds the tools, and runs them.
pub(crate) fn run(options: &Options) -> Result {
    if options.metadata {
        return metadata(&node()?);
    }
    let scripts = options.chosen(Kind::Script);
    let programs = options.chosen(Kind::Program);
    if !(scripts.is_empty() && programs.is_empty()) {
        let node = node()?;
        run_scripts(&scripts, &node)?;
        run_programs(&programs, &node)?;
    }
    if options
        .chosen(Kind::Command)
        .contains(&Tool::FrameOmniBencher)
    {
        bencher::run()?;
    }
    Ok(())
}

/// Fetches the metadata from a node, and generates the code for PAPI from it.
fn metadata(node: &Path) -> Result {
    install()?;
    cargo::run(script("metadata").env(NODE, node))?;
    cargo::run(&mut generate())
}

fn run_scripts(tools: &[Tool], node: &Path) -> Result {
    if tools.is_empty() {
        return Ok(());
    }
    install()?;
    // PAPI installs again, which now changes nothing. An older npm would drop parts of the lock file.
    cargo::run(generate().env("npm_config_dry_run", "true"))?;
    let mut named = vec![(NODE, node.to_path_buf())];
    if tools.contains(&Tool::TryRuntime) {
        named.push((TRY_RUNTIME, runtime::build("try-runtime")?));
    }
    at_once(tools, &named)
}

fn run_programs(tools: &[Tool], node: &Path) -> Result {
    build(tools)?;
    let programs = tools.iter().map(|tool| {
        let program = format!("compat/debug/duet-compat-{}", tool.name());
        let mut command = Command::new(cargo::target_directory().join(program));
        command.env(NODE, node);
        tool.set_light(&mut command);
        command
    });
    cargo::run_all(programs)
}

/// The executable named in the environment, or a fresh build.
fn node() -> Result<PathBuf> {
    if let Some(named) = env::var_os(NODE) {
        // Scripts run in another folder.
        return Ok(std::path::absolute(named)?);
    }
    tools::for_building()?;
    programs::build()?;
    Ok(cargo::output_directory().join("duet-node"))
}

/// Installs the packages of the lock file in `testing/compat/javascript`.
fn install() -> Result {
    tools::for_javascript()?;
    cargo::run(javascript("npm").args(["ci", "--prefer-offline", "--no-audit", "--no-fund"]))
}

/// Generates PAPI's code from the metadata. With other metadata, checked-in files change with its version.
fn generate() -> Command {
    let mut command = javascript("node");
    command.args(["node_modules/polkadot-api/bin/cli.js", "generate"]);
    command
}

/// Builds programs of `testing/compat/rust`.
fn build(tools: &[Tool]) -> Result {
    for tool in tools {
        let mut build = cargo::cargo(["build", "--locked"]);
        build
            .args([
                "--manifest-path",
                "testing/compat/rust/Cargo.toml",
                "--package",
            ])
            .arg(format!("duet-compat-{}", tool.name()))
            .env("CARGO_TARGET_DIR", cargo::target_directory().join("compat"));
        cargo::run(&mut build)?;
    }
    Ok(())
}

/// Runs scripts side by side, because they mostly wait for blocks, with paths in their environment. A script's output
/// is shown when it ends, its standard error only when it fails.
fn at_once(tools: &[Tool], named: &[(&str, PathBuf)]) -> Result {
    let failed: Vec<_> = thread::scope(|scope| {
        let run = |tool: &Tool| {
            let mut script = script(tool.name());
            script.envs(named.iter().map(|(name, path)| (*name, path)));
            tool.set_light(&mut script);
            let output = script.output();
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

/// A script, which prints its steps.
fn script(name: &str) -> Command {
    let mut command = javascript("node");
    // Chopsticks tells every block otherwise.
    command.arg(format!("{name}.mjs")).env("LOG_LEVEL", "warn");
    command
}

fn javascript(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root().join("testing/compat/javascript"));
    command
}
