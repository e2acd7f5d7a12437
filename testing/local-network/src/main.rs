//! A local network of validators, and a light client that follows it as a user would; or two networks, and relayers.

mod relaying;

use clap::Parser;
use duet_local_network::{
    staking::{become_validator, Step, BOND},
    Error, Executables, Interrupt, LightClient, Network, Node, Page, Result, DEVELOPMENT_ACCOUNTS,
};
use duet_primitives::{BlockNumber, SetId};
use duet_runtime::constants::UNIT;
use std::process::ExitCode;

/// The number of proofs after which another validator joins, if the network runs until Ctrl-C.
const JOINS_AFTER: u64 = 10;
/// The most proofs from the start of that validator's node until its set signs.
const CHANGE_TAKES: u64 = 45;

/// The number of blocks whose signers are shown at the end.
const SERVED: u32 = 10;

/// Starts a local network of validators and follows its finality with the light client.
///
/// After ten proofs, one more validator bonds, registers its keys and joins; the light client follows the change of the
/// set. With `--blocks` it joins so early that the change is seen, if there are at least 46 proofs.
#[derive(Parser)]
#[command(name = "duet-demo", version)]
struct Options {
    /// Ends with status 0 after this many verified proofs, instead of running until Ctrl-C.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    blocks: Option<u64>,
    /// Starts a second network and an EVM chain (anvil) that follow the first network, and relayers that bring proofs
    /// to both. With --blocks, ends after that many relayed proofs.
    #[arg(long)]
    bridge: bool,
    /// Number of validators that the network starts with, at most seven.
    #[arg(long, value_name = "N", default_value_t = 4)]
    validators: usize,
    /// First of the TCP ports to use, two for each node; by default free ports are searched.
    #[arg(long, value_name = "PORT")]
    base_port: Option<u16>,
    /// Keeps the nodes' directories and prints their path.
    #[arg(long)]
    keep: bool,
}

/// How a successful demo ended.
enum Ending {
    AllProofs,
    Interrupted,
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options).await {
        Ok(Ending::AllProofs) => ExitCode::SUCCESS,
        // The user asked for a number of proofs and did not get it.
        Ok(Ending::Interrupted) if options.blocks.is_some() => ExitCode::from(130),
        Ok(Ending::Interrupted) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("duet-demo: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: &Options) -> Result<Ending> {
    let mut interrupt = Interrupt::listen()?;
    let mut network = tokio::select! {
        network = start(options) => network?,
        () = interrupt.next() => return Ok(Ending::Interrupted),
    };
    if options.bridge {
        return tokio::select! {
            relayed = relaying::run(network, options.keep, options.blocks) => {
                relayed.map(|()| Ending::AllProofs)
            }
            () = interrupt.next() => Ok(Ending::Interrupted),
        };
    }
    let ending = tokio::select! {
        followed = follow(&mut network, options.blocks) => followed.map(|()| Ending::AllProofs),
        () = interrupt.next() => Ok(Ending::Interrupted),
    };
    if let Ok(Ending::AllProofs) = ending {
        print_served(&network).await?;
    }
    println!("stopping {} nodes", network.nodes().len());
    if options.keep {
        println!(
            "the nodes' directories stay in {}",
            network.directory().display()
        );
    }
    ending
}

async fn start(options: &Options) -> Result<Network> {
    println!(
        "starting {} validators, each in its own process",
        options.validators
    );
    let tell = |node: &Node| {
        let id = node.process_id().unwrap_or_default();
        println!("  {:8} process {id:<8} {}", node.name(), node.url());
    };
    let builder = Network::builder()
        .validators(options.validators)
        .keep(options.keep);
    builder
        .base_port(options.base_port)
        .start_and_tell(tell)
        .await
}

/// Prints proofs, and lets another validator join half-way.
async fn follow(network: &mut Network, blocks: Option<u64>) -> Result<()> {
    let genesis = network.node(0).rpc().await?.genesis_hash().await?;
    let urls: Vec<_> = network.nodes().iter().map(Node::url).collect();
    let state = network.directory().join("light-client.state");
    let mut client = LightClient::follow(&Executables::locate()?, genesis, &urls, &state, &[])?;
    println!(
        "following the network with the light client: {}",
        client.command()
    );
    let page = Page::serve(genesis, &urls).await?;
    match &page {
        Some(page) => println!("following the network in your browser: {}", page.url()),
        None => {
            println!("the page for your browser is not built: `cargo xtask web --page` builds it")
        }
    }

    let before = blocks.map_or(JOINS_AFTER, proofs_before_joining);
    show(&mut client, before).await?;
    let rest = show(
        &mut client,
        blocks.map_or(u64::MAX, |blocks| blocks - before),
    );
    let joining = join(network);
    tokio::pin!(rest, joining);
    tokio::select! {
        shown = &mut rest => return shown,
        joined = &mut joining => joined?,
    }
    rest.await
}

/// Prints the current number of signers of the first node's proofs: late votes add signers.
async fn print_served(network: &Network) -> Result<()> {
    let rpc = network.node(0).rpc().await?;
    let newest = rpc.proven().await?;
    let mut signers = Vec::new();
    for block in newest.get().saturating_sub(SERVED)..newest.get() {
        let proof = rpc.justification(BlockNumber::new(block)).await?;
        signers.extend(proof.map(|proof| proof.signers.count()));
    }
    println!("signers of the latest proofs, the newest last, late votes included: {signers:?}");
    let handoffs = rpc.handoff_signers(SetId::new(0)).await?;
    println!("signers of the handoff proofs, likewise: {handoffs:?}");
    Ok(())
}

/// Half-way, or sooner, so that the set changes before the last proof.
fn proofs_before_joining(blocks: u64) -> u64 {
    (blocks / 2).min(blocks.saturating_sub(CHANGE_TAKES)).max(1)
}

/// Prints the light client's output, until it has verified this many proofs.
async fn show(client: &mut LightClient, proofs: u64) -> Result<()> {
    let mut seen = 0;
    while seen < proofs {
        let line = client.next_line().await?;
        println!("{line}");
        seen += u64::from(line.starts_with("block "));
    }
    Ok(())
}

/// Starts one more node and makes it a validator.
async fn join(network: &mut Network) -> Result<()> {
    let account = DEVELOPMENT_ACCOUNTS.get(network.nodes().len()).copied();
    let account = account.ok_or(Error::NoAccountLeft)?;
    println!("-- {account} starts a node and becomes a validator");
    let index = network.join(&account.to_string()).await?;
    let rpc = network.node(index).rpc().await?;
    let tell = |step| match step {
        Step::Bonded => println!("-- {account} has bonded {} tokens", BOND / UNIT),
        Step::Candidate => println!("-- {account} is a candidate in the next election"),
        Step::SessionKeysSet => println!("-- {account} has set its session keys"),
        Step::DuetKeyRegistered => {
            println!("-- {account} has registered its Duet key; its set signs in a few sessions");
        }
    };
    become_validator(&rpc, account, tell).await?;
    Ok(())
}
