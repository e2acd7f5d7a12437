//! The node, the light client and the demo.

use crate::{cargo, result::Result};

/// The programs of the demo.
const PROGRAMS: [&str; 6] = [
    "--bin",
    "duet-node",
    "--bin",
    "duet-light",
    "--bin",
    "duet-demo",
];

/// One example of the light client; with it, a build of programs has the features of the tests.
///
/// Cargo unifies features over all packages that a command selects, and includes those of development dependencies
/// when the command names an example. With `--workspace` and the example, every crate has the same features as in
/// `cargo xtask test`, which then builds no dependency twice. With `--package` for the programs alone, `zerocopy`
/// would have other features, and every crate above it would be built again. The price is two small crates.
pub(crate) const WITH_FEATURES_OF_TESTS: [&str; 2] = ["--example", "follow"];

/// Builds node, light client and demo.
pub(crate) fn build() -> Result {
    build_with(&[])
}

/// Builds these programs, and others that `cargo xtask test` has built.
pub(crate) fn build_with(more: &[&str]) -> Result {
    cargo::announce_build();
    let mut build = cargo::workspace("build");
    cargo::run(build.args(PROGRAMS).args(more).args(WITH_FEATURES_OF_TESTS))
}
