//! More than a third of a set's keys are lost for good, and governance resets the chain.

use crate::{
    client::Client,
    owners::{self, Owner},
    support::{
        author_blocks, is_in_the_log, keysets, network_that_proves, proven_beyond, rpc, scenario,
        SOON,
    },
};
use duet_light_client::Trusted;
use duet_local_network::{
    staking::register_new_key, transaction, wait, LightClient, Network, Rpc, DEVELOPMENT_ACCOUNTS,
};
use duet_primitives::{BlockNumber, SetId};
use duet_runtime::{constants::SESSION_BLOCKS, Runtime, RuntimeCall};
use serde_json::Value;
use std::path::Path;

/// The validators whose keys are lost.
const LOSERS: [usize; 3] = [1, 2, 3];

#[tokio::test(flavor = "multi_thread")]
/// RECOVER-7, RECOVER-8: one client crosses the reset with the proof of the recovery keys, another one with a checkpoint.
async fn the_keys_of_three_of_four_are_lost_and_a_reset_brings_the_proofs_back() {
    scenario(async {
        let mut network = network_that_proves().await;
        let alice = rpc(&network, 0).await;
        let owners = owners::register(&network, &alice).await;
        let light = Client::new(&network, &alice).await;
        light.syncs(&network, &[]).await;
        let behind = light.copy("behind.state");

        for loser in LOSERS {
            network
                .lose_duet_key(loser)
                .await
                .expect("the node starts again");
        }
        let proven = nothing_is_proven(&alice).await;
        light.syncs(&network, &[]).await;
        let crossing = light.copy("crossing.state");
        for loser in LOSERS {
            register_new_key(&rpc(&network, loser).await, DEVELOPMENT_ACCOUNTS[loser])
                .await
                .expect("the transaction succeeds");
        }
        // The set of the new keys is planned and waits, and the one that would have to hand off to it cannot.
        author_blocks(&alice, 2 * SESSION_BLOCKS).await;
        assert_eq!(alice.handoffs(SetId::FIRST).await.expect("it answers"), 0);
        assert_eq!(alice.proven().await.expect("it answers"), proven);

        let reset = reset(&alice).await;
        for node in 0..4 {
            let node = rpc(&network, node).await;
            proven_beyond(&node, reset)
                .await
                .expect("the new set proves blocks");
        }
        is_in_the_log(network.node(0), "RESET-1").await;

        comes_up_to(&behind, &network, proven).await;
        let checkpoint = stops_before(&light, &network, reset).await;
        light.syncs(&network, &["--checkpoint", &checkpoint]).await;
        light.syncs(&network, &[]).await;
        crosses(&crossing, &network, &owners, reset).await;
    })
    .await;
}

/// Waits until the blocks go on and the proofs do not.
async fn nothing_is_proven(alice: &Rpc) -> BlockNumber {
    // Votes that were on their way may still make a proof of what was final before.
    author_blocks(alice, 3).await;
    let proven = alice.proven().await.expect("alice has proofs");
    author_blocks(alice, 4).await;
    assert_eq!(alice.proven().await.expect("alice has proofs"), proven);
    proven
}

/// Root resets the sets. The block in which it does.
async fn reset(alice: &Rpc) -> BlockNumber {
    let before = keysets(alice, None).await;
    let planned = SetId::FIRST.saturating_next();
    let ids = (before.current.id, before.next.id);
    assert_eq!(ids, (SetId::FIRST, planned), "HANDOFF-4: one set waits");
    let call = Box::new(RuntimeCall::Duet(pallet_duet::Call::<Runtime>::reset {}));
    let sudo = pallet_sudo::Call::<Runtime>::sudo { call };
    let block = transaction::submit(alice, DEVELOPMENT_ACCOUNTS[0], sudo)
        .await
        .expect("the sudo key is Alice's");
    let after = keysets(alice, Some(block)).await;
    assert_eq!(after.current.id, before.next.id.saturating_next());
    assert_eq!((after.current.len, &after.next), (4, &after.current));
    let header = alice.header(Some(block)).await.expect("it is there");
    BlockNumber::new(header.number)
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
    write(&network.directory().join("checkpoint.json"), checkpoint)
}

/// Three of four recovery keys sign for the reset, and a light client crosses it after the wait, without a checkpoint.
async fn crosses(client: &Client, network: &Network, owners: &[Owner], reset: BlockNumber) {
    let file = |name: &str| network.directory().join(name);
    let members = file("members.txt").display().to_string();
    let flags = ["--members", &members];
    let (said, is_there) = client.asks(network, "recovery-statement", &flags).await;
    assert!(is_there, "{said}");
    let events = said.lines().map(serde_json::from_str::<Value>);
    let events: Vec<Value> = events.collect::<Result<_, _>>().expect("JSON");
    let event = events.iter().find(|event| event["event"] == "statement");
    let event = event.expect(&said);
    let statement = event["statement"].as_str().expect("a text");
    let statement = write(&file("statement.txt"), statement);
    let signatures: Vec<_> = owners[1..]
        .iter()
        .zip(["one.txt", "two.txt", "three.txt"])
        .map(|(owner, name)| write(&file(name), &owner.sign(&members, &statement)))
        .collect();
    let proof = write(
        &file("proof.txt"),
        &owners[0].combine(&members, &signatures),
    );

    let urls = [network.node(0).url()];
    let flags = ["--json", "--recovery-proof", &proof];
    let follow = LightClient::follow(
        &client.executables,
        client.genesis,
        &urls,
        &client.state,
        &flags,
    );
    let mut following = follow.expect("it starts");
    let mut seen = Vec::new();
    let told = async {
        loop {
            let line = following.next_line().await.expect("it goes on");
            let event: Value = serde_json::from_str(&line).expect("JSON");
            if ["announced", "recovered"]
                .map(Value::from)
                .contains(&event["event"])
            {
                seen.push(event["event"].clone());
            }
            let block = event["block"].as_u64().unwrap_or_default();
            if seen.len() == 2 && block > u64::from(reset.get()) {
                return;
            }
        }
    };
    wait::at_most("the light client to cross", SOON, async {
        told.await;
        Ok(())
    })
    .await
    .expect("it takes a proof of the new set");
    following.end().await.expect("the process is ours");
    assert_eq!(seen, ["announced", "recovered"]);
}

fn write(path: &Path, text: &str) -> String {
    std::fs::write(path, text).expect("the directory is ours");
    path.display().to_string()
}
