//! Every chore of the project as one program: `cargo xtask <chore>`.
//!
//! - `demo`: builds and starts a local network of validators, and the light client that follows it,
//! - `laboratory`: breaks networks of real nodes, and has light clients watch,
//! - `load`: plays large sets of validators against real nodes, and measures the nodes,
//! - `ci`: all checks that a change must pass, step by step,
//! - `test`: every test of the workspace,
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
//! - `relay`: the relayer,
//! - `compat`: ecosystem tools on our nodes,
//! - `monitoring`: Prometheus rules and the dashboard, on our nodes,
//! - `book`: the documentation as a book,
//! - `vectors`, `conformance`: the conformance vectors, and other stacks' verifiers that run them,
//! - `bench`, `simulate`: measure and simulate, and plot the results.
//!
//! This program runs commands and links none of the project's crates.

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
mod laboratory;
mod lint;
mod load;
mod monitoring;
mod mutants;
mod package;
mod page;
mod programs;
mod prometheus;
mod prove;
mod relay;
mod result;
mod simulate;
mod test;
mod tools;
mod web;

use clap::{Parser, Subcommand};
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
    /// Fuzzes the decoders and verdicts of consensus, or replays the kept inputs.
    Fuzz(fuzz::Options),
    /// Mutates `curve` or `primitives` one place at a time, and runs their tests: one has to fail.
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
    /// Builds the contracts and tests them in an EVM.
    Contracts,
    /// Tests the relayer between a chain in memory and anvil, and between networks of real nodes.
    Relay,
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
    let done = match Cli::parse().chore {
        Chore::Demo(options) => demo::run(&options),
        Chore::Load(options) => load::run(&options),
        Chore::Laboratory(options) => laboratory::run(&options),
        Chore::Ci(options) => ci::run(&options),
        Chore::Test(options) => test::run(&options),
        Chore::Bench(options) => bench::run(&options),
        Chore::Simulate(options) => simulate::run(&options),
        Chore::Fuzz(options) => fuzz::run(&options),
        Chore::Mutants(options) => mutants::run(&options),
        Chore::Prove => prove::run(),
        Chore::Fmt => lint::formatting(),
        Chore::Lint => lint::run(),
        Chore::BareMetal => bare_metal::run(),
        Chore::Deps => dependencies::run(),
        Chore::Package(options) => package::run(&options),
        Chore::Dist(options) => dist::run(&options),
        Chore::Web(options) => web::run(&options),
        Chore::Compat(options) => compat::run(&options),
        Chore::Monitoring(options) => monitoring::run(&options),
        Chore::Contracts => contracts::run(),
        Chore::Relay => relay::run(),
        Chore::Book => book::run(),
        Chore::Vectors(options) => conformance::vectors(&options),
        Chore::Conformance => conformance::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
