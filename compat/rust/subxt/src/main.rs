//! subxt on a node of ours: code from the checked-in metadata, typed storage, a transfer, and our own methods.

mod node;
mod proof;

use node::Node;
use proof::Commitment;
use std::{error::Error, process::ExitCode, time::Duration};
use subxt::{
    rpcs::{rpc_params, RpcClient},
    OnlineClient, PolkadotConfig,
};
use subxt_signer::sr25519::dev;

/// What the macro makes of the metadata that `cargo xtask compat --metadata` writes.
#[allow(missing_docs, unreachable_pub)]
#[subxt::subxt(runtime_metadata_path = "../../metadata/duet.scale")]
mod duet {}

const LIMIT: Duration = Duration::from_secs(120);
const AMOUNT: u128 = 1_000_000_000_000;

#[tokio::main]
async fn main() -> ExitCode {
    println!("subxt");
    let done = match tokio::time::timeout(LIMIT, run()).await {
        Ok(done) => done,
        Err(_) => Err(format!("not done after {} s", LIMIT.as_secs()).into()),
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
    let node = Node::start()?;
    let rpc = RpcClient::from_insecure_url(node.url()).await?;
    let api = OnlineClient::<PolkadotConfig>::from_rpc_client(rpc.clone()).await?;
    let block = api.at_current_block().await?;
    if !duet::is_codegen_valid_for(block.metadata_ref()) {
        return Err("the checked-in metadata is not the runtime's: `cargo xtask compat --metadata` writes it anew".into());
    }
    println!("  the checked-in metadata is the runtime's");

    let bob = dev::bob().public_key().to_account_id();
    let account = duet::storage().system().account();
    let read = block.storage().fetch(account, (bob.clone(),)).await?;
    let before = read.decode()?.data.free;
    let keysets = block
        .runtime_apis()
        .call(duet::runtime_apis().duet_api().keysets())
        .await?;
    let set = keysets.ok_or("there is no keyset")?.current.id;
    let limit = block
        .constants()
        .entry(duet::constants().duet().max_validators())?;
    println!("  typed values: free balance {before}, set {set:?}, limit {limit} validators");

    let first = first_proof(&rpc).await?;
    println!("  first proof of the subscription: block {}", first.number);

    let transfer = duet::transactions()
        .balances()
        .transfer_keep_alive(bob.clone().into(), AMOUNT);
    let alice = dev::alice();
    let mut transactions = block.transactions();
    let progress = transactions.sign_and_submit_then_watch_default(&transfer, &alice);
    let included = progress.await?.wait_for_finalized().await?;
    included.wait_for_success().await?;
    let block = api.at_block(included.block_hash()).await?;
    let account = duet::storage().system().account();
    let after = block
        .storage()
        .fetch(account, (bob,))
        .await?
        .decode()?
        .data
        .free;
    if after != before + AMOUNT {
        return Err(format!("the balance is {after}, not {}", before + AMOUNT).into());
    }
    println!(
        "  the transfer is in the finalized block {}",
        block.block_number()
    );

    let proof = proof_of(&rpc, block.block_number()).await?;
    if proof.hash != included.block_hash().0 {
        return Err(format!(
            "the proof is of another block with the number {}",
            proof.number
        )
        .into());
    }
    println!("  the block has a proof of {} bytes", proof.bytes);
    Ok(())
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
