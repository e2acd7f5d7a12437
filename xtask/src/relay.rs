//! The relayer: linted, and tested between a chain in memory and the contract in an EVM.

use crate::{cargo, contracts, result::Result, tools};
use std::process::Command;

/// A workspace of its own: what Ethereum's libraries and subxt bring along stays out of our lock file.
pub(crate) const MANIFEST: &str = "relay/Cargo.toml";

/// Compiles the contracts, lints, and tests.
pub(crate) fn run() -> Result {
    tools::for_building()?;
    tools::for_linting()?;
    contracts::compile()?;
    let lint = ["--workspace", "--all-targets", "--", "--deny", "warnings"];
    cargo::run(in_relay("clippy").args(lint))?;
    cargo::run(in_relay("test").arg("--workspace"))
}

fn in_relay(verb: &str) -> Command {
    cargo::apart(verb, MANIFEST, "relay")
}
