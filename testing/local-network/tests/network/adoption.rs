//! A chain without Duet takes it up: its nodes are replaced one after the other, its runtime is upgraded, its validators register keys,
//! and root names a block. Another chain puts Duet down and takes it up again. Light clients begin at the blocks of activation.

use crate::{
    client::Client,
    solochain::{register, rotate_session_keys, sudo, upgrade_runtime},
    support::{
        a_session_is_proven_without, author_blocks, has_handoffs, keysets, metric, participation,
        proven_beyond, rotates_key, rpc, scenario, SOON,
    },
};
use codec::Decode;
use duet_light_client::StartProof;
use duet_local_network::{wait, Executables, Network, Result, Rpc, DEVELOPMENT_ACCOUNTS};
use duet_primitives::{BlockNumber, Keysets, H256};
use jsonrpsee::rpc_params;
use pallet_duet::ActiveFrom;
use serde_json::Value;
use solochain_duet_runtime::{Runtime, SESSION_BLOCKS};
use sp_core::Bytes;
use std::path::PathBuf;

/// Blocks from the call that names the block of activation to that block.
const NOTICE: u32 = 4;
const ALICE: usize = 0;
const BOB: usize = 1;
const CHARLIE: usize = 2;
const DAVE: usize = 3;

#[tokio::test(flavor = "multi_thread")]
async fn a_running_chain_takes_duet_up() {
    scenario(async {
        let mut network = chain_of(programs().solochain()).await;
        // Nodes come before the runtime. Dave's stays as it is for now: both kinds make one network.
        for node in [ALICE, BOB, CHARLIE] {
            with_duet(&mut network, node).await;
        }
        let alice = rpc(&network, ALICE).await;
        blocks_become_final(&alice).await;
        shows_active(&network, &alice, false).await;
        let light = Client::new(&network, &alice).await;
        light.says(&network, &[]).await;

        assert_eq!(alice.spec_version().await.expect("the node answers"), 1);
        let without = alice.best().await.expect("the node answers");
        upgrade_runtime(&alice).await;
        let with = alice.best().await.expect("the node answers");
        blocks_become_final(&alice).await;

        three_register(&network, &alice).await;
        assert_eq!(sets(&alice).await, None, "keys alone make no set");

        let taken_up = takes_up(&alice).await;
        shows_active(&network, &alice, true).await;
        let start = start_of_chain(&alice).await;
        assert_eq!(
            start,
            (
                taken_up,
                alice.block_hash(taken_up).await.expect("it is there")
            )
        );
        begins_by_grandpa(&network, &alice, 0).await;
        let start = format!("{:?}", start.1);
        light.syncs(&network, &["--start", &start]).await;
        // The range over earlier blocks begins with the runtime that has it, and so do proofs of them.
        assert!(with < taken_up);
        light.proves_block(&network, &alice, with).await;
        let at = without.get().to_string();
        let (said, proven) = light.asks(&network, "block", &["--at", &at]).await;
        let reason = format!("no proofs of block {without} under");
        assert!(!proven && said.contains(&reason), "{said}");

        // Who forgot it comes later, and the sets rotate as on any chain, GRANDPA's too.
        with_duet(&mut network, DAVE).await;
        let node = programs().solochain_duet().expect("it was built");
        rotates_key(&node, &network, DAVE).await;
        rotate_session_keys(&alice, DEVELOPMENT_ACCOUNTS[ALICE]).await;
        has_handoffs(&alice, 1).await;
        light.syncs(&network, &[]).await;
        a_validator_goes_back_to_its_old_node_for_a_while(&mut network, &alice).await;
        light.syncs(&network, &[]).await;
        begins_by_grandpa(&network, &alice, 1).await;
        a_node_that_starts_by_warp_sync_serves_the_start(&mut network, taken_up).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_puts_duet_down_and_takes_it_up_again() {
    scenario(async {
        let network = chain_of(programs().solochain_duet()).await;
        let alice = rpc(&network, ALICE).await;
        three_register(&network, &alice).await;
        let taken_up = takes_up(&alice).await;
        let light = Client::new(&network, &alice).await;
        light
            .syncs(&network, &["--start", &hash_of(&alice, taken_up).await])
            .await;

        deactivate(&alice).await;
        let proven = nothing_more_is_proven(&alice).await;
        blocks_become_final(&alice).await;
        shows_active(&network, &alice, false).await;
        nobody_begins_at_a_set_that_was_ended(&network, &alice, &light).await;
        let again = takes_up(&alice).await;
        assert!(again > proven);
        shows_active(&network, &alice, true).await;
        let number = format!("block {again}");
        light.says(&network, &["LIGHT-8", "--start", &number]).await;
        light
            .syncs(&network, &["--start", &hash_of(&alice, again).await])
            .await;
        light.syncs(&network, &[]).await;
    })
    .await;
}

/// Four validators of the template's chain, which is not active.
async fn chain_of(executable: Result<PathBuf>) -> Network {
    let active_from = ActiveFrom::<Runtime>::hashed_key();
    let network = Network::builder()
        .executable(executable.expect("it was built"))
        .metrics(true)
        // Its specification is a file, as that of any living chain: the new node calls another chain `local`.
        .genesis(Box::new(move |state| {
            state.remove(&active_from[..]);
        }));
    let network = network.start().await.expect("the network starts");
    blocks_become_final(&rpc(&network, ALICE).await).await;
    network
}

/// Upgrades a validator's node.
async fn with_duet(network: &mut Network, node: usize) {
    let executable = programs().solochain_duet().expect("it was built");
    let replaced = network.replace(node, executable).await;
    replaced.expect("the new node starts on the old one's database");
}

fn programs() -> Executables {
    Executables::locate().expect("this program is somewhere")
}

/// A light client that knows the genesis alone follows GRANDPA to a block with sets, over so many changes of its voters.
async fn begins_by_grandpa(network: &Network, alice: &Rpc, changes: u64) {
    let client = Client {
        state: network.directory().join(format!("grandpa-{changes}.state")),
        ..Client::new(network, alice).await
    };
    let (said, is_synced) = client.run(network, &[]).await;
    assert!(is_synced, "{said}");
    let events = said
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let warped = events.into_iter().find(|event| event["event"] == "warped");
    let warped = warped.unwrap_or_else(|| panic!("not by GRANDPA: {said}"));
    assert_eq!(warped["changes"], changes, "{said}");
}

/// The state of a block in between still names the set. (LIGHT-2)
async fn nobody_begins_at_a_set_that_was_ended(network: &Network, alice: &Rpc, light: &Client) {
    let number = alice.finalized().await.expect("the node answers");
    let between = alice.block_hash(number).await.expect("it is there");
    assert!(keysets(alice, Some(between)).await.current.len >= 3);
    let start = format!("{between:?}");
    let (said, is_synced) = light.run(network, &["--start", &start]).await;
    let reason = format!("LIGHT-2: Duet is deactivated at block {number}");
    assert!(!is_synced && said.contains(&reason), "{said}");
}

/// What a node shows its operator, and says of itself. (ACTIVE-1, ACTIVE-3)
async fn shows_active(network: &Network, alice: &Rpc, active: bool) {
    let shown = || metric(network.node(ALICE), "substrate_duet_active");
    let gauge = if active { "1" } else { "0" };
    wait::until("the gauge", SOON, shown, |shown| shown == gauge)
        .await
        .expect("it follows the finalized chain");
    let health = alice.ask::<Value>("duet_health", rpc_params![]).await;
    let health = health.expect("the node answers");
    assert_eq!(health["active"], active, "{health}");
}

/// It imports a set and a handoff without noting them. Back on the node with Duet it has every proof, and votes.
async fn a_validator_goes_back_to_its_old_node_for_a_while(network: &mut Network, alice: &Rpc) {
    let old = programs().solochain().expect("it was built");
    network.replace(CHARLIE, old).await.expect("it starts");
    register_at(network, BOB).await;
    has_handoffs(alice, 2).await;
    with_duet(network, CHARLIE).await;
    let charlie = rpc(network, CHARLIE).await;
    has_handoffs(&charlie, 2).await;
    let proven = alice.proven().await.expect("alice has proofs");
    proven_beyond(&charlie, proven)
        .await
        .expect("it follows the proofs");
    a_session_is_proven_without(network, DAVE).await;
}

async fn blocks_become_final(alice: &Rpc) {
    let final_now = alice.finalized().await.expect("the node answers");
    let later = |now: &BlockNumber| *now > final_now.saturating_add(2);
    wait::until("finality", SOON, || alice.finalized(), later)
        .await
        .expect("GRANDPA goes on");
}

async fn register_at(network: &Network, validator: usize) {
    let node = rpc(network, validator).await;
    register(&node, DEVELOPMENT_ACCOUNTS[validator]).await;
}

/// The time of grace: three of four register, which is enough.
async fn three_register(network: &Network, alice: &Rpc) {
    for validator in [ALICE, BOB, CHARLIE] {
        register_at(network, validator).await;
    }
    // Those of the running session count, and a key counts at once: in the block, which comes to Alice a moment later.
    let missing = [DEVELOPMENT_ACCOUNTS[DAVE].to_account_id()];
    let counted = || async { Ok(participation(alice).await.missing) };
    wait::until("the keys", SOON, counted, |counted| *counted == missing)
        .await
        .expect("they are registered");
}

/// Root names a block, and a block after it is proven. Returns the block that was named.
async fn takes_up(alice: &Rpc) -> BlockNumber {
    let at = activate(alice).await;
    proven_beyond(alice, at).await.expect("the set proves");
    at
}

async fn hash_of(alice: &Rpc, block: BlockNumber) -> String {
    let hash = alice.block_hash(block).await.expect("it is there");
    format!("{hash:?}")
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
    network.set_executable(programs().solochain_duet().expect("it was built"));
    let node = network.join_with("Warp", &["--sync", "warp"]).await;
    let warp = rpc(network, node.expect("the node starts")).await;
    assert_eq!(start_of_chain(&warp).await.0, taken_up);
    let way = warp.ask::<Option<Bytes>>("duet_getWarpProof", rpc_params![0]);
    assert!(
        way.await.expect("the node answers").is_some(),
        "it serves the way, too"
    );
}
