//! An EVM chain for a demo on one machine.

use clap::{Parser, ValueEnum};
use duet_evm_node::{Address, Config, EvmNode, Fork, Mining, U256};
use std::{error::Error, num::NonZeroU64, time::Duration};

/// What a funded account has: ten thousand ether.
const FUNDS: u128 = 10_000 * 10u128.pow(18);

/// An EVM chain in one process, served over JSON-RPC on 127.0.0.1, for tests and demos.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// The port; 0 for any that is free.
    #[arg(long, default_value_t = 8545)]
    port: u16,
    /// Seconds between blocks; without it, each transaction gets a block at once.
    #[arg(long, value_name = "SECONDS")]
    block_time: Option<NonZeroU64>,
    /// The chain id.
    #[arg(long, default_value_t = 31337)]
    chain_id: u64,
    /// The rules of execution.
    #[arg(long, value_enum, default_value_t = ForkName::Osaka)]
    fork: ForkName,
    /// The base fee in wei.
    #[arg(long, value_name = "WEI", default_value_t = 1_000_000_000)]
    base_fee: u64,
    /// An account that starts with 10,000 ether. May be given several times.
    #[arg(long, value_name = "ADDRESS")]
    fund: Vec<Address>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ForkName {
    Prague,
    Osaka,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let funded = arguments.fund.into_iter();
    let node = EvmNode::start(Config {
        port: arguments.port,
        fork: match arguments.fork {
            ForkName::Prague => Fork::Prague,
            ForkName::Osaka => Fork::Osaka,
        },
        chain_id: arguments.chain_id,
        base_fee: arguments.base_fee,
        funded: funded.map(|address| (address, U256::from(FUNDS))).collect(),
        mining: match arguments.block_time {
            Some(seconds) => Mining::Every(Duration::from_secs(seconds.get())),
            None => Mining::OnEachTransaction,
        },
    })
    .await?;
    println!("{}", node.url());
    tokio::signal::ctrl_c().await?;
    Ok(())
}
