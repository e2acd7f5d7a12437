//! A chain that runs without Duet takes it up at a block that governance names, puts it down and takes it up again. Light clients
//! begin at the blocks at which it did.

use crate::{
    client::Client,
    support::{
        author_blocks, keysets, participation, proven_beyond, rpc, scenario, SOME_SESSIONS, SOON,
    },
};
use codec::Decode;
use duet_light_client::StartProof;
use duet_local_network::{
    staking::register_new_key, transaction, wait, Network, Rpc, DEVELOPMENT_ACCOUNTS,
};
use duet_primitives::{BlockNumber, Keysets, SetId, H256};
use duet_runtime::{constants::SESSION_BLOCKS, Runtime, RuntimeCall};
use jsonrpsee::rpc_params;
use sp_core::Bytes;
use sp_io::hashing::twox_128;

/// Blocks from the call that names the block of activation to that block.
const NOTICE: u32 = 4;

#[tokio::test(flavor = "multi_thread")]
async fn a_running_chain_takes_duet_up_puts_it_down_and_takes_it_up_again() {
    scenario(async {
        let mut network = network_without_duet().await;
        let alice = rpc(&network, 0).await;
        nothing_is_proven_and_blocks_become_final(&alice).await;
        let light = Client::new(&network, &alice).await;
        light.says(&network, &[]).await;

        // The time of grace: three of four register, which is enough.
        for validator in 0..3 {
            register(&network, validator).await;
        }
        // Those of the running session count, and a key counts at once.
        let participation = participation(&alice).await;
        let missing = DEVELOPMENT_ACCOUNTS[3].to_account_id();
        assert_eq!(participation.missing, [missing]);
        assert_eq!(sets(&alice).await, None, "keys alone make no set");

        let taken_up = activate(&alice).await;
        proven_beyond(&alice, taken_up)
            .await
            .expect("the set proves");
        let start = start_of_chain(&alice).await;
        assert_eq!(
            start,
            (
                taken_up,
                alice.block_hash(taken_up).await.expect("it is there")
            )
        );
        // It does not believe a node about the block to begin at, and says which it is.
        let (number, hash) = (format!("block {}", start.0), format!("{:?}", start.1));
        light.says(&network, &["--start", &number, &hash]).await;
        let start = hash;
        light.syncs(&network, &["--start", &start]).await;

        // Who forgot it registers now, and the sets rotate as on any chain.
        register(&network, 3).await;
        let handoffs = || alice.handoffs(SetId::FIRST);
        wait::until("a handoff", SOME_SESSIONS, handoffs, |got| *got == 1)
            .await
            .expect("the set of four takes over");
        light.syncs(&network, &[]).await;
        a_node_that_starts_by_warp_sync_serves_the_start(&mut network, taken_up).await;

        deactivate(&alice).await;
        let proven = nothing_more_is_proven(&alice).await;
        nothing_is_proven_and_blocks_become_final(&alice).await;
        let again = activate(&alice).await;
        assert!(again > proven);
        proven_beyond(&alice, again)
            .await
            .expect("the new set proves");
        let number = format!("block {again}");
        light.says(&network, &["LIGHT-8", "--start", &number]).await;
        let hash = alice.block_hash(again).await.expect("it is there");
        light
            .syncs(&network, &["--start", &format!("{hash:?}")])
            .await;
        light.syncs(&network, &[]).await;
    })
    .await;
}

/// Four validators of a chain whose state knows nothing of Duet, as after the upgrade that adds the pallet.
async fn network_without_duet() -> Network {
    let prefix = twox_128(b"Duet");
    let forget = Box::new(move |state: &mut duet_local_network::State| {
        state.retain(|key, _| !key.starts_with(&prefix));
    });
    let network = Network::builder().validators(4).genesis(forget).start();
    network.await.expect("the network starts")
}

async fn nothing_is_proven_and_blocks_become_final(alice: &Rpc) {
    let final_now = alice.finalized().await.expect("the node answers");
    let later = |now: &BlockNumber| *now > final_now.saturating_add(2);
    wait::until("finality", SOON, || alice.finalized(), later)
        .await
        .expect("GRANDPA goes on");
}

async fn register(network: &Network, validator: usize) {
    let node = rpc(network, validator).await;
    register_new_key(&node, DEVELOPMENT_ACCOUNTS[validator])
        .await
        .expect("the transaction succeeds");
}

async fn sets(rpc: &Rpc) -> Option<Keysets> {
    let asked = rpc.call_runtime("DuetApi_keysets", &[], None).await;
    asked.expect("the API answers")
}

/// Root names a block, and the chain has come to it. Returns the block.
async fn activate(alice: &Rpc) -> BlockNumber {
    let now = alice.best().await.expect("the node answers");
    let at = now.saturating_add(NOTICE);
    sudo(alice, pallet_duet::Call::activate { at: at.get() }).await;
    author_blocks(alice, NOTICE + 1).await;
    let hash = alice.block_hash(at).await.expect("it is there");
    let signing = keysets(alice, Some(hash)).await.current;
    assert!(signing.len >= 3);
    at
}

async fn deactivate(alice: &Rpc) {
    sudo(alice, pallet_duet::Call::deactivate {}).await;
}

async fn sudo(alice: &Rpc, call: pallet_duet::Call<Runtime>) {
    let call = Box::new(RuntimeCall::Duet(call));
    let sudo = pallet_sudo::Call::<Runtime>::sudo { call };
    transaction::submit(alice, DEVELOPMENT_ACCOUNTS[0], sudo)
        .await
        .expect("the sudo key is Alice's");
}

/// Two sessions pass in which nothing is proven that was not signed before. Returns what is proven.
async fn nothing_more_is_proven(alice: &Rpc) -> BlockNumber {
    author_blocks(alice, 3).await;
    let proven = alice.proven().await.expect("alice has proofs");
    author_blocks(alice, 2 * SESSION_BLOCKS).await;
    assert_eq!(alice.proven().await.expect("alice has proofs"), proven);
    proven
}

/// The block at which the chain's sets begin, as a node says it.
async fn start_of_chain(node: &Rpc) -> (BlockNumber, H256) {
    let ask = || node.ask::<Bytes>("duet_getStartProof", rpc_params![]);
    let bytes = wait::until("the proof of the first set", SOON, ask, |_| true).await;
    let bytes = bytes.expect("the node has it");
    let proof = StartProof::decode(&mut &bytes[..]).expect("a proof");
    (proof.block_number().expect("a header"), proof.block_hash())
}

/// It has no state of the block at which the chain took Duet up.
async fn a_node_that_starts_by_warp_sync_serves_the_start(
    network: &mut Network,
    taken_up: BlockNumber,
) {
    let node = network.join_with("Warp", &["--sync", "warp"]).await;
    let warp = rpc(network, node.expect("the node starts")).await;
    assert_eq!(start_of_chain(&warp).await.0, taken_up);
}
