//! Every chore of the project as one program: `cargo xtask <chore>`.
//!
//! - `demo`: builds and starts a local network of validators, and the light client that follows it,
//! - `laboratory`: breaks networks of real nodes, and has light clients watch,
//! - `load`: plays large sets of validators against real nodes, and measures the nodes,
//! - `ci`: all checks that a change must pass, step by step,
//! - `test`: every test of the workspace,
//! - `model`: every state of a small network, by the real code,
//! - `fuzz`: random and odd inputs for every decoder and verdict of consensus,
//! - `mutants`: whether the tests notice each mutation of the verdict code,
//! - `prove`: that no limb of the field arithmetic overflows,
//! - `lint`: formatting, clippy and rustdoc without warnings,
//! - `dependencies`: cargo-deny and cargo-machete,
//! - `bare_metal`: the `no_std` crates on a target without an operating system,
//! - `package`: the published crates, as cargo packs them,
//! - `dist`: the release, as packages that install,
//! - `web`: the light client for JavaScript, and its page,
//! - `contracts`: the light client for the EVM,
//! - `gas`: its transactions in real clients,
//! - `relay`: the relayer,
//! - `compat`: ecosystem tools on our nodes,
//! - `monitoring`: Prometheus rules and the dashboard, on our nodes,
//! - `babe`: a chain with BABE and nominated stake,
//! - `template`: Duet on the SDK's public template,
//! - `book`: the documentation as a book,
//! - `vectors`, `conformance`: the conformance vectors, and other stacks' verifiers that run them,
//! - `bench`, `simulate`: measure and simulate, and plot the results.
//!
//! This program runs commands and links none of the project's crates.

mod babe;
mod bare_metal;
mod bench;
mod book;
mod cargo;
mod ci;
mod compat;
mod conformance;
mod contracts;
mod demo;
mod dependencies;
mod dist;
mod fuzz;
mod gas;
mod laboratory;
mod lint;
mod load;
mod model;
mod monitoring;
mod mutants;
mod package;
mod page;
mod programs;
mod prometheus;
mod prove;
mod relay;
mod result;
mod side_by_side;
mod simulate;
mod template;
mod test;
mod tools;
mod web;

use clap::{Parser, Subcommand};
use result::Result;
use std::{env, process::ExitCode};

/// Every chore of the project as one program.
#[derive(Parser)]
#[command(name = "cargo xtask", version)]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Builds what the demo needs, starts a local network and follows it with the light client.
    Demo(demo::Options),
    /// Plays hundreds to thousands of validators against two real nodes, and prints the nodes' costs.
    Load(load::Options),
    /// Plays scenarios of broken networks with real nodes, watched by light clients; with `--short`, only a few.
    Laboratory(laboratory::Options),
    /// Runs all checks that a change must pass; steps with unchanged inputs are skipped.
    Ci(ci::Options),
    /// Runs all tests, including documentation tests and end-to-end tests.
    Test(test::Options),
    /// Measures Duet next to its rivals, prints tables and draws plots.
    Bench(bench::Options),
    /// Plays rounds of votes in large networks with measured costs, prints tables and draws plots.
    Simulate(simulate::Options),
    /// Visits every state of a small network of validators and light clients, by the real code.
    Model(model::Options),
    /// Fuzzes the decoders and verdicts of consensus, or replays the kept inputs.
    Fuzz(fuzz::Options),
    /// Mutates the crates with rules one place at a time, and runs their tests: one has to fail.
    Mutants(mutants::Options),
    /// Proves that no limb of the field arithmetic overflows.
    Prove,
    /// Checks the formatting.
    Fmt,
    /// Builds every target with clippy and rustdoc beside the compiler; a warning is an error.
    Lint,
    /// Builds the `no_std` crates for a target without an operating system.
    BareMetal,
    /// Checks licences, sources, versions and use of the dependencies.
    Deps,
    /// Packs every published crate; with `--verify`, builds the small ones from their packages.
    Package(package::Options),
    /// Builds the release: executables, packages, bills of materials and sums; with `--test`, installs and uses it.
    Dist(dist::Options),
    /// Builds the light client for JavaScript and its page, and tests both, the page in a real browser.
    Web(web::Options),
    /// Runs ecosystem tools against our nodes: the JavaScript tools, the named tools, or all.
    Compat(compat::Options),
    /// Tests the Prometheus rules and the dashboard, and runs both on a network of real nodes.
    Monitoring(monitoring::Options),
    /// Builds and lints the contracts, and tests them in an EVM.
    Contracts(contracts::Options),
    /// Sends the contracts' transactions to anvil and geth, and prints their gas.
    Gas,
    /// Tests the relayer between a chain in memory and anvil, and between networks of real nodes.
    Relay,
    /// Builds the node with BABE in place of Aura, and runs scenarios on networks of it.
    Babe,
    /// Adds Duet to the SDK's public template, builds it, and proves blocks with four of its nodes.
    Template(template::Options),
    /// Builds the documentation as a book.
    Book,
    /// Writes the conformance vectors; with `--check`, compares them.
    Vectors(conformance::Options),
    /// Checks the conformance vectors, and runs them through the verifiers in JavaScript and Go.
    Conformance,
}

/// The variable for `duet-node`'s cache of compiled runtimes.
const RUNTIME_CACHE: &str = "DUET_RUNTIME_CACHE";

fn main() -> ExitCode {
    if let Some(status) = fuzz::run_as_wrapper().or_else(lint::run_as_wrapper) {
        return status;
    }
    // The nodes that chores start share their compiled runtimes.
    if env::var_os(RUNTIME_CACHE).is_none() {
        env::set_var(RUNTIME_CACHE, cargo::target_directory().join("runtimes"));
    }
    match Cli::parse().chore.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the chore with these arguments.
fn by_arguments(arguments: &[&str]) -> Result {
    let all = ["xtask"].iter().chain(arguments);
    Cli::try_parse_from(all)?.chore.run()
}

impl Chore {
    fn run(&self) -> Result {
        match self {
            Self::Demo(options) => demo::run(options),
            Self::Load(options) => load::run(options),
            Self::Laboratory(options) => laboratory::run(options),
            Self::Ci(options) => ci::run(options, by_arguments),
            Self::Test(options) => test::run(options),
            Self::Bench(options) => bench::run(options),
            Self::Simulate(options) => simulate::run(options),
            Self::Model(options) => model::run(options),
            Self::Fuzz(options) => fuzz::run(options),
            Self::Mutants(options) => mutants::run(options),
            Self::Prove => prove::run(),
            Self::Fmt => lint::formatting(),
            Self::Lint => lint::run(),
            Self::BareMetal => bare_metal::run(),
            Self::Deps => dependencies::run(),
            Self::Package(options) => package::run(options),
            Self::Dist(options) => dist::run(options),
            Self::Web(options) => web::run(options),
            Self::Compat(options) => compat::run(options),
            Self::Monitoring(options) => monitoring::run(options),
            Self::Contracts(options) => contracts::run(options),
            Self::Gas => gas::run(),
            Self::Relay => relay::run(),
            Self::Babe => babe::run(),
            Self::Template(options) => template::run(options),
            Self::Book => book::run(),
            Self::Vectors(options) => conformance::vectors(options),
            Self::Conformance => conformance::run(),
        }
    }
}
