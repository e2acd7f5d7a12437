//! zombienet-sdk: starts a network of our nodes from a network file, and asserts what their metrics say.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Duration,
};
use zombienet_sdk::{
    subxt::{
        dynamic::{tx, Value},
        ext::subxt_rpcs::rpc_params,
        OnlineClient, PolkadotConfig,
    },
    subxt_signer::sr25519::dev,
    LocalFileSystem, Network, NetworkConfig, NetworkConfigExt, NetworkNode,
};

const LIMIT: Duration = Duration::from_secs(240);
/// How long each metric may take, in seconds.
const METRIC_LIMIT: u64 = 90;
/// How many blocks are proven before a validator is stopped, and again after it.
const BLOCKS: f64 = 3.0;
const AMOUNT: u128 = 1_000_000_000_000;
const NODES: [&str; 4] = ["alice", "bob", "charlie", "dave"];
const PROVEN: &str = "substrate_duet_best_block";

#[tokio::main]
async fn main() -> ExitCode {
    println!("zombienet");
    let folder = env::temp_dir().join(format!("duet-compat-{}", std::process::id()));
    let done = run(&folder).await;
    // Nothing can be done about files that the system does not let us remove.
    let _ = fs::remove_dir_all(&folder);
    match done {
        Ok(()) => {
            println!("zombienet: passed");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("zombienet: failed: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(folder: &Path) -> Result<(), Box<dyn Error>> {
    let network = start(folder).await?;
    let watched = tokio::time::timeout(LIMIT, watch(&network)).await;
    // Whatever was seen, the nodes are ended. A network that does not start is ended by zombienet.
    network.destroy().await?;
    watched.map_err(|_| format!("timed out after {} s", LIMIT.as_secs()))?
}

async fn start(folder: &Path) -> Result<Network<LocalFileSystem>, Box<dyn Error>> {
    let node = env::var_os("DUET_NODE")
        .ok_or("DUET_NODE is not set; `cargo xtask compat` builds a node and sets it")?;
    fs::create_dir_all(folder)?;
    let specification = folder.join("duet.raw.json");
    let exported = Command::new(node)
        .args(["export-chain-spec", "--chain", "local", "--raw"])
        .output()?;
    if !exported.status.success() {
        return Err(format!("export-chain-spec ended with {}", exported.status).into());
    }
    fs::write(&specification, exported.stdout)?;
    env::set_var("DUET_SPEC", &specification);
    env::set_var("DUET_FOLDER", folder.join("network"));
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("network.toml");
    let config = NetworkConfig::load_from_toml(&file.display().to_string())?;
    Ok(config.spawn_native().await?)
}

/// What every node's metrics say: blocks are proven, by votes of which none is bad, also without one of four validators.
async fn watch(network: &Network<LocalFileSystem>) -> Result<(), Box<dyn Error>> {
    for name in NODES {
        let node = network.get_node(name)?;
        reaches(node, PROVEN, BLOCKS).await?;
        reaches(node, "substrate_duet_votes_good_total", 1.0).await?;
        let bad = node.reports("substrate_duet_votes_bad_total").await?;
        if bad != 0.0 {
            return Err(format!("{name} has seen {bad} bad votes").into());
        }
        println!(
            "  {name}: block {} is proven, no bad vote",
            node.reports(PROVEN).await?
        );
    }
    let alice = network.get_node("alice")?;
    transfer(alice).await?;
    network.get_node("dave")?.pause().await?;
    let before = alice.reports(PROVEN).await?;
    reaches(alice, PROVEN, before + BLOCKS).await?;
    println!(
        "  with one of four validators stopped, blocks are proven up to {}",
        alice.reports(PROVEN).await?
    );
    network.get_node("dave")?.resume().await?;
    Ok(())
}

async fn reaches(node: &NetworkNode, metric: &str, least: f64) -> Result<(), Box<dyn Error>> {
    let waited = node.wait_metric_with_timeout(metric, |value| value >= least, METRIC_LIMIT);
    waited
        .await
        .map_err(|error| format!("{}: {error}", node.name()).into())
}

/// Sends a transfer, sees it finalized, and waits until its block has a proof.
async fn transfer(node: &NetworkNode) -> Result<(), Box<dyn Error>> {
    let client: OnlineClient<PolkadotConfig> = node.wait_client().await?;
    let bob = Value::unnamed_variant("Id", [Value::from_bytes(dev::bob().public_key().0)]);
    let call = tx(
        "Balances",
        "transfer_keep_alive",
        vec![bob, Value::u128(AMOUNT)],
    );
    let signer = dev::alice();
    let mut transactions = client.tx();
    let progress = transactions.sign_and_submit_then_watch_default(&call, &signer);
    let included = progress.await?.wait_for_finalized().await?;
    included.wait_for_success().await?;
    let number = client.blocks().at(included.block_hash()).await?.number();
    reaches(node, PROVEN, f64::from(number)).await?;
    let proof: Option<String> = node
        .rpc()
        .await?
        .request("duet_getJustification", rpc_params![number])
        .await?;
    let proof = proof.ok_or("the node has no proof of the block")?;
    // A number stands first, then the hash of the block.
    if proof.get(10..74) != Some(&format!("{:x}", included.block_hash())) {
        return Err(format!("the proof of block {number} is for another block").into());
    }
    println!("  the transfer is in the finalized block {number}, which has a proof");
    Ok(())
}
