//! `solochain-node`: the node of a small chain that GRANDPA finalizes.

// The SDK's errors are that large.
#![allow(clippy::result_large_err)]

mod chain_spec;
mod client;
mod command;
mod rpc;
mod service;

fn main() -> sc_cli::Result<()> {
    command::run()
}
