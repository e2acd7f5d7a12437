//! The demo: build, then hand over to `duet-demo`.

use crate::{
    cargo::{self, Workspace},
    page,
    result::Result,
    tools,
};
use std::{os::unix::process::CommandExt, process::Command};

/// What the demo runs.
const PROGRAMS: [&str; 6] = [
    "--bin",
    "duet-node",
    "--bin",
    "duet-light",
    "--bin",
    "duet-demo",
];

/// One example of the light client, which gives a build of programs the features of the tests.
///
/// Cargo unifies features over all packages that a command selects, and takes those of development dependencies when
/// the command names an example. With `--workspace` and the example every crate has the features that it has in
/// `cargo xtask test`, which then builds no dependency twice. With `--package` for the programs alone, `zerocopy` would
/// have others, and whatever is on top of it would be built again. The price is two small crates.
pub(crate) const WITH_FEATURES_OF_TESTS: [&str; 2] = ["--example", "follow"];

/// The flags that the demo takes; `duet-demo` checks them.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Ends with status 0 after this many verified proofs, instead of running until Ctrl-C.
    #[arg(long, value_name = "N")]
    blocks: Option<u32>,
    /// How many validators the network starts with.
    #[arg(long, value_name = "N", default_value_t = 4)]
    validators: usize,
    /// First of the TCP ports to use, two for each node; free ones are searched when absent.
    #[arg(long, value_name = "PORT")]
    base_port: Option<u16>,
    /// Leaves the nodes' directories in place and says where they are.
    #[arg(long)]
    keep: bool,
}

impl Options {
    fn flags(&self) -> Vec<String> {
        let mut flags = vec!["--validators".to_owned(), self.validators.to_string()];
        if let Some(blocks) = self.blocks {
            flags.extend(["--blocks".to_owned(), blocks.to_string()]);
        }
        if let Some(port) = self.base_port {
            flags.extend(["--base-port".to_owned(), port.to_string()]);
        }
        if self.keep {
            flags.push("--keep".to_owned());
        }
        flags
    }
}

/// Builds node, light client and demo.
pub(crate) fn build() -> Result {
    println!("xtask: building; the first time this takes about half an hour on two cores");
    let mut build = Workspace::Duet.cargo("build", ["--workspace", "--locked"]);
    cargo::run(build.args(PROGRAMS).args(WITH_FEATURES_OF_TESTS))
}

/// Builds page, node, light client and demo, and becomes the demo.
pub(crate) fn run(options: &Options) -> Result {
    tools::for_building()?;
    if let Err(error) = page::build() {
        println!("xtask: going on without the page: {error}");
    }
    build()?;
    let demo = cargo::output_directory().join("duet-demo");
    let error = Command::new(&demo).args(options.flags()).exec();
    Err(format!("cannot start {}: {error}", demo.display()).into())
}
