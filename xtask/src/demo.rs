//! The demo: build, then hand over to `duet-demo`.

use crate::{cargo, contracts, page, programs, relay, result::Result, tools};
use std::{os::unix::process::CommandExt, process::Command};

/// The flags that the demo takes; `duet-demo` checks them.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Ends with status 0 after this many verified proofs, instead of running until Ctrl-C.
    #[arg(long, value_name = "N")]
    blocks: Option<u32>,
    /// Starts a second network and an EVM chain (anvil) that follow the first, and relayers that bring proofs to both.
    #[arg(long)]
    bridge: bool,
    /// Number of validators that the network starts with.
    #[arg(long, value_name = "N", default_value_t = 4)]
    validators: usize,
    /// First of the TCP ports to use, two for each node; by default free ports are searched.
    #[arg(long, value_name = "PORT")]
    base_port: Option<u16>,
    /// Keeps the nodes' directories and prints their path.
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
        if self.bridge {
            flags.push("--bridge".to_owned());
        }
        flags
    }
}

/// Builds page, node, light client and demo, and becomes the demo.
pub(crate) fn run(options: &Options) -> Result {
    tools::for_building()?;
    if options.bridge {
        contracts::compile()?;
    } else if let Err(error) = page::build() {
        println!("xtask: continuing without the page: {error}");
    }
    let more = if options.bridge {
        &relay::PROGRAM[..]
    } else {
        &[]
    };
    programs::build_with(more)?;
    let demo = cargo::output_directory().join("duet-demo");
    let error = Command::new(&demo).args(options.flags()).exec();
    Err(format!("cannot start {}: {error}", demo.display()).into())
}
