//! subxt on a node of ours, or with `DUET_LIGHT` on the light client that answers for it: code from the checked-in metadata, typed storage, a transfer, and our own methods.

mod node;
mod proof;

use node::Server;
use proof::Commitment;
use std::{env, error::Error, ffi::OsString, process::ExitCode, time::Duration};
use subxt::{
    client::OnlineClientAtBlock,
    rpcs::{rpc_params, RpcClient},
    utils::H256,
    OnlineClient, PolkadotConfig,
};
use subxt_signer::sr25519::dev;

/// What the macro makes of the metadata that `cargo xtask compat --metadata` writes.
#[allow(missing_docs, unreachable_pub)]
#[subxt::subxt(runtime_metadata_path = "../../metadata/duet.scale")]
mod duet {}

type Block = OnlineClientAtBlock<PolkadotConfig>;

const LIMIT: Duration = Duration::from_secs(300);
const AMOUNT: u128 = 1_000_000_000_000;

#[tokio::main]
async fn main() -> ExitCode {
    println!("subxt");
    let done = match tokio::time::timeout(LIMIT, run()).await {
        Ok(done) => done,
        Err(_) => Err(format!("timed out after {} s", LIMIT.as_secs()).into()),
    };
    match done {
        Ok(()) => {
            println!("subxt: passed");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("subxt: failed: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let node = Server::node()?;
    let mut rpc = RpcClient::from_insecure_url(node.url()).await?;
    let light = match env::var_os("DUET_LIGHT") {
        Some(program) => Some(light(program, &node, &rpc).await?),
        None => None,
    };
    if let Some(light) = &light {
        rpc = RpcClient::from_insecure_url(light.url()).await?;
    }
    let api = OnlineClient::<PolkadotConfig>::from_rpc_client(rpc.clone()).await?;
    let block = api.at_current_block().await?;
    if !duet::is_codegen_valid_for(block.metadata_ref()) {
        return Err("the checked-in metadata does not match the runtime: `cargo xtask compat --metadata` updates it".into());
    }
    println!("  the checked-in metadata matches the runtime");
    let before = free_balance(&block).await?;
    let keysets = duet::runtime_apis().duet_api().keysets();
    let keysets = block.runtime_apis().call(keysets).await?;
    let set = keysets.ok_or("the runtime has no keyset")?.current.id;
    let limit = duet::constants().duet().max_validators();
    let limit = block.constants().entry(limit)?;
    println!("  typed values: free balance {before}, set {set:?}, limit {limit} validators");

    let first = first_proof(&rpc).await?;
    println!("  first proof of the subscription: block {}", first.number);

    let block = api.at_block(transfer(&block).await?).await?;
    let after = free_balance(&block).await?;
    if after != before + AMOUNT {
        return Err(format!("the balance is {after}, expected {}", before + AMOUNT).into());
    }
    let number = block.block_number();
    println!("  the transfer is in the finalized block {number}");

    let proof = proof_of(&rpc, number).await?;
    if proof.hash != block.block_hash().0 {
        return Err(format!(
            "the proof is for another block with the number {}",
            proof.number
        )
        .into());
    }
    println!("  the block has a proof of {} bytes", proof.bytes);
    Ok(())
}

/// The light client. Only this program trusts a node in the genesis hash.
async fn light(
    program: OsString,
    node: &Server,
    rpc: &RpcClient,
) -> Result<Server, Box<dyn Error>> {
    let params = rpc_params![0];
    let genesis: String = rpc.request("chain_getBlockHash", params).await?;
    Server::light(program, node.url(), &genesis)
}

/// What Bob has at a block.
async fn free_balance(block: &Block) -> Result<u128, Box<dyn Error>> {
    let bob = dev::bob().public_key().to_account_id();
    let account = duet::storage().system().account();
    let read = block.storage().fetch(account, (bob,)).await?;
    Ok(read.decode()?.data.free)
}

/// Sends Bob the amount, and gives the hash of the finalized block that has the transaction.
async fn transfer(block: &Block) -> Result<H256, Box<dyn Error>> {
    let (alice, bob) = (dev::alice(), dev::bob().public_key().to_account_id());
    let balances = duet::transactions().balances();
    let transfer = balances.transfer_keep_alive(bob.into(), AMOUNT);
    let mut transactions = block.transactions();
    let progress = transactions.sign_and_submit_then_watch_default(&transfer, &alice);
    let included = progress.await?.wait_for_finalized().await?;
    included.wait_for_success().await?;
    Ok(included.block_hash())
}

async fn first_proof(rpc: &RpcClient) -> Result<Commitment, Box<dyn Error>> {
    let (begin, end) = (
        "duet_subscribeJustifications",
        "duet_unsubscribeJustifications",
    );
    let mut proofs = rpc.subscribe::<String>(begin, rpc_params![], end).await?;
    let first = proofs.next().await.ok_or("the subscription ended")??;
    Commitment::read(&first)
}

/// Waits for the proof of a block; the limit of the program bounds this.
async fn proof_of(rpc: &RpcClient, number: u64) -> Result<Commitment, Box<dyn Error>> {
    loop {
        let params = rpc_params![number];
        let proof: Option<String> = rpc.request("duet_getJustification", params).await?;
        if let Some(proof) = proof {
            return Commitment::read(&proof);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
