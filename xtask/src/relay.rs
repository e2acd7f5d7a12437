//! The relayer: tested between a chain in memory and the contract in anvil, and between networks of real nodes.

use crate::{cargo, contracts, programs, result::Result, tools};

/// The tests. `cargo test` does not run them, because it builds neither the contracts nor the nodes.
const TESTS: [&str; 4] = ["--test", "relaying", "--test", "relayers"];
/// The relayer.
pub(crate) const PROGRAM: [&str; 2] = ["--bin", "duet-relay"];
/// The tests lose keys and sign with recovery keys, too.
const PROGRAMS: [&str; 4] = ["--bin", "duet-relay", "--bin", "duet-recovery"];

/// Installs anvil, compiles the contracts, builds the programs, and tests.
pub(crate) fn run() -> Result {
    tools::for_building()?;
    contracts::compile()?;
    programs::build_with(&PROGRAMS)?;
    cargo::run(cargo::workspace("test").args(TESTS).arg("--no-fail-fast"))
}
