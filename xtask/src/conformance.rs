//! The conformance vectors: generates them, and runs them through the verifiers of other stacks.

use crate::{
    cargo::{self, root},
    programs::WITH_FEATURES_OF_TESTS,
    result::Result,
    tools,
};
use std::process::Command;

/// The action on the vectors.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Compares the files with the generator's output, and writes nothing.
    #[arg(long)]
    check: bool,
}

/// Writes the vectors, or compares them.
pub(crate) fn vectors(options: &Options) -> Result {
    cargo::run(&mut generator(options.check)?)
}

/// Compares the vectors with the generator's output, and runs both verifiers.
pub(crate) fn run() -> Result {
    tools::for_conformance()?;
    let generator = generator(true)?;
    cargo::run(node().args(["ci", "--no-audit", "--no-fund"]))?;
    let mut in_node = node();
    in_node.arg("test");
    let mut in_go = Command::new("go");
    // Prints the number of cases. Go's cache is bypassed, because it does not track the vectors.
    in_go
        .args(["test", "-v", "-count=1", "-mod=readonly", "./..."])
        .current_dir(root().join("verifiers/conformance/go"));
    cargo::run_all([generator, in_node, in_go])?;
    println!(
        "xtask: the vectors match the generator, and both verifiers give every expected answer"
    );
    Ok(())
}

fn node() -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(root().join("verifiers/conformance/javascript"));
    npm
}

/// Builds the generator, and returns the command for it.
fn generator(check: bool) -> Result<Command> {
    let mut build = cargo::workspace("build");
    build
        .args(["--bin", "duet-conformance"])
        .args(WITH_FEATURES_OF_TESTS);
    cargo::run(&mut build)?;
    let mut generator = Command::new(cargo::output_directory().join("duet-conformance"));
    generator.args(check.then_some("--check"));
    Ok(generator)
}
