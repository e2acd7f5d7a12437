//! The relayer: linted, tested between a chain in memory and the contract in anvil, and between networks of real nodes.

use crate::{
    cargo::{self, Workspace},
    contracts, programs,
    result::Result,
    tools,
};
use std::process::Command;

/// A workspace of its own: what Ethereum's libraries and subxt bring along stays out of our lock file.
pub(crate) const MANIFEST: &str = "relay/Cargo.toml";

/// The test that starts relayers between real nodes. `cargo test` does not run it, because it does not build them.
const BETWEEN_NETWORKS: [&str; 5] = [
    "--workspace",
    "--locked",
    "--test",
    "relayers",
    "--no-fail-fast",
];

/// Installs anvil, compiles the contracts, lints, and tests.
pub(crate) fn run() -> Result {
    tools::for_building()?;
    tools::for_linting()?;
    contracts::compile()?;
    let lint = ["--all-targets", "--", "--deny", "warnings"];
    cargo::run(in_relay("clippy").args(lint))?;
    cargo::run(&mut in_relay("test"))?;
    build()?;
    programs::build()?;
    cargo::run(&mut Workspace::Duet.cargo("test", BETWEEN_NETWORKS))
}

/// Builds the relayer as a program.
pub(crate) fn build() -> Result {
    cargo::run(in_relay("build").arg("--bins"))
}

fn in_relay(verb: &str) -> Command {
    cargo::apart(verb, MANIFEST, "relay")
}
