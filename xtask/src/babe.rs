//! A chain with BABE and nominated stake: builds its node, and runs networks of it.

use crate::{cargo, programs, result::Result, tools};
use std::{fs, path::absolute};

/// The node's feature.
const FEATURE: [&str; 4] = ["--bin", "duet-node", "--features", "duet-node/babe"];
/// The scenario for this chain, and others that hold on it: the chain differs from ours in authors and epochs only.
const SCENARIOS: [&str; 12] = [
    "--package",
    "duet-local-network",
    "--test",
    "network",
    "--",
    "--include-ignored",
    "--nocapture",
    "babe::",
    "crashes::",
    "equivocation::",
    "false_statements::",
    "stall::",
];

/// Builds the node, and lets networks of it prove blocks.
pub(crate) fn run() -> Result {
    tools::for_building()?;
    cargo::announce_build();
    let mut build = cargo::workspace("build");
    cargo::run(build.args(FEATURE).args(programs::WITH_FEATURES_OF_TESTS))?;
    // The next build puts the node with Aura in its place.
    let folder = absolute(cargo::target_directory().join("babe"))?;
    fs::create_dir_all(&folder)?;
    let node = folder.join("duet-node");
    fs::copy(cargo::output_directory().join("duet-node"), &node)?;
    programs::build()?;
    cargo::run(
        cargo::workspace("test")
            .args(SCENARIOS)
            .env("DUET_BABE_NODE", &node)
            .env("DUET_NODE", &node),
    )
}
