//! More than a third of a set's keys are lost for good, and governance resets the chain.

use crate::{
    client::Client,
    lost_keys, owners,
    support::{is_in_the_log, metric, proven_beyond, rpc, scenario, NEXT_MINUTE, SOON},
};
use duet_light_client::Trusted;
use duet_local_network::{
    recovery::{self, Owner},
    wait, LightClient, Network, Node,
};
use duet_primitives::BlockNumber;
use duet_runtime::constants::BONDING_SESSIONS;
use serde_json::Value;
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread")]
/// RECOVER-7, RECOVER-8: one client crosses the reset with the proof of the recovery keys, another one with a checkpoint.
async fn the_keys_of_three_of_four_are_lost_and_a_reset_brings_the_proofs_back() {
    scenario(async {
        let network = Network::builder().metrics(true).start().await;
        let mut network = network.expect("the network starts");
        let alice = rpc(&network, 0).await;
        let first = proven_beyond(&alice, BlockNumber::new(0)).await;
        first.expect("the first proof");
        let owners = owners::register(&network, &alice).await;
        let light = Client::new(&network, &alice).await;
        light.syncs(&network, &[]).await;
        let behind = light.copy("behind.state");

        let proven = lost_keys::lose(&mut network, &alice).await;
        light.syncs(&network, &[]).await;
        let crossing = light.copy("crossing.state");
        let reset = lost_keys::reset(&network, &alice, proven).await;
        shows_ready_keys(network.node(0)).await;
        is_in_the_log(network.node(0), "RESET-1").await;

        comes_up_to(&behind, &network, proven).await;
        let checkpoint = stops_before(&light, &network, reset).await;
        light.syncs(&network, &["--checkpoint", &checkpoint]).await;
        light.syncs(&network, &[]).await;
        crosses(&crossing, &network, &owners, reset).await;
    })
    .await;
}

/// The node reads the storage of the pallets by name and form, and this alone compares both with a real chain.
async fn shows_ready_keys(node: &Node) {
    for gauge in ["validators", "ready", "members"] {
        let name = format!("substrate_duet_recovery_{gauge}");
        let shown = || metric(node, &name);
        let all = wait::until(&name, NEXT_MINUTE, shown, |shown| shown == "4").await;
        all.expect("each validator has a key that is ready");
    }
    let left = metric(node, "substrate_duet_recovery_sessions_left").await;
    let left = left.expect("the node answers").parse::<u32>();
    let left = left.expect("a number of sessions");
    assert!((1..=BONDING_SESSIONS).contains(&left), "{left}");
}

/// RESET-5: a client that was away when the set proved its last block gets there behind the reset.
async fn comes_up_to(client: &Client, network: &Network, proven: BlockNumber) {
    client.says(network, &["LIGHT-8"]).await;
    let state = std::fs::read(&client.state).expect("it is kept");
    let trusted = Trusted::decode(&state).expect("its own");
    assert_eq!(trusted.best_number(), proven);
}

/// Stops before the reset and says why. Returns the file with the checkpoint that it shows.
async fn stops_before(client: &Client, network: &Network, reset: BlockNumber) -> String {
    let urls = [network.node(0).url()];
    let follow = LightClient::follow(
        &client.executables,
        client.genesis,
        &urls,
        &client.state,
        &["--json"],
    );
    let mut following = follow.expect("it starts");
    let said = async {
        loop {
            let line = following.next_line().await.expect("it goes on asking");
            let event: Value = serde_json::from_str(&line).expect("JSON");
            if event["verdict"] == "reset" {
                return event;
            }
            assert_ne!(event["event"], "synced", "{event}");
        }
    };
    let said = wait::at_most("the light client to stop", SOON, async { Ok(said.await) }).await;
    let said = said.expect("it meets the reset");
    // Another one is going to use its state.
    following.end().await.expect("the process is ours");
    assert_eq!(said["rule"], "LIGHT-8");
    let reason = said["reason"].as_str().expect("a text");
    assert!(reason.contains(&format!("block {reset} ")), "{reason}");
    let (_, checkpoint) = reason
        .split_once("a file with this content: ")
        .expect(reason);
    let file = network.directory().join("checkpoint.json");
    std::fs::write(&file, checkpoint).expect("the directory is ours");
    file.display().to_string()
}

/// A light client crosses the reset after the wait, without a checkpoint.
async fn crosses(client: &Client, network: &Network, owners: &[Owner], reset: BlockNumber) {
    let proof = lost_keys::recovery_proof(client, network, owners).await;
    let urls = [network.node(0).url()];
    let flags = ["--json", "--recovery-proof", &proof];
    let began = Instant::now();
    let follow = LightClient::follow(
        &client.executables,
        client.genesis,
        &urls,
        &client.state,
        &flags,
    );
    let mut following = follow.expect("it starts");
    let crossed = wait::at_most(
        "the light client to cross",
        SOON,
        recovery::crosses(&mut following, reset),
    );
    let crossed = crossed.await.expect("it takes a proof of the new set");
    let waited = crossed - began;
    assert!(waited >= Duration::from_secs(owners::DELAY), "{waited:?}");
    following.end().await.expect("the process is ours");
}
