//! `duet-beefy-node`: the SDK's BEEFY gadget, as it is published, in a node that makes its own final blocks.
//!
//! It is what `cargo xtask load` measures Duet against: the same SDK, network and runtime, the same connections, and
//! ECDSA votes instead of ours. Blocks are made and finalized by this node alone, once in a while, so that nothing but
//! the gadget has work to do. The validators come from numbers (see [`duet_beefy_node::voters`]); the node holds the
//! key of the first.
//!
//! - `blocks`: makes and finalizes blocks;
//! - `client`: the client over this project's runtime;
//! - `service`: the node.

// The SDK's errors are that large, and its traits and callbacks take them unboxed.
#![allow(clippy::result_large_err)]

mod blocks;
mod client;
mod service;

use clap::Parser;
use duet_runtime::{types::opaque::Block, Hash};
use sc_cli::{ChainSpec, RunCmd, SubstrateCli};
use sc_network::NetworkWorker;
use service::Options;
use std::time::Duration;

/// How to run the node.
#[derive(Debug, Parser)]
struct Cli {
    /// What every node of the SDK takes.
    #[command(flatten)]
    run: RunCmd,
    /// How many validators vote.
    #[arg(long, value_name = "N")]
    voters: u32,
    /// Time between two blocks, each of which is final at once.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 3_000)]
    block_time: u64,
}

impl SubstrateCli for Cli {
    fn impl_name() -> String {
        "BEEFY Node".into()
    }

    fn impl_version() -> String {
        env!("CARGO_PKG_VERSION").into()
    }

    fn description() -> String {
        env!("CARGO_PKG_DESCRIPTION").into()
    }

    fn author() -> String {
        env!("CARGO_PKG_AUTHORS").into()
    }

    fn support_url() -> String {
        "the documentation in docs/".into()
    }

    fn copyright_start_year() -> i32 {
        2026
    }

    fn load_spec(&self, id: &str) -> Result<Box<dyn ChainSpec>, String> {
        duet_chain_spec::load_spec(id)
            .map(|spec| Box::new(spec) as Box<dyn ChainSpec>)
            .map_err(|error| error.to_string())
    }
}

fn main() -> sc_cli::Result<()> {
    let cli = Cli::from_args();
    let options = Options {
        voters: cli.voters,
        block_time: Duration::from_millis(cli.block_time),
    };
    cli.create_runner(&cli.run)?
        .run_node_until_exit(|config| async move {
            service::start::<NetworkWorker<Block, Hash>>(config, options)
                .map_err(sc_cli::Error::Service)
        })
}
