//! A validator joins by extrinsics, and light clients follow the change of the set.

use crate::support::{
    network_that_proves, no_offence_is_on_chain, proven_beyond, rpc, story, SOME_SESSIONS,
};
use duet_local_network::{
    staking::become_validator, wait, Executables, LightClient, Network, Node, Result,
    DEVELOPMENT_ACCOUNTS,
};

#[tokio::test(flavor = "multi_thread")]
async fn light_clients_with_keys_and_without_follow_a_validator_that_joins() {
    story(async {
        let mut network = network_that_proves().await;
        let mut with_keys = light_client(&network, "with-keys", &[]).await;
        let mut stateless = light_client(&network, "stateless", &["--stateless"]).await;

        let account = DEVELOPMENT_ACCOUNTS[4];
        let node = network
            .join(&account.to_string())
            .await
            .expect("the fifth node starts");
        let eve = rpc(&network, node).await;
        become_validator(&eve, account, |_| ())
            .await
            .expect("the transactions succeed");

        for client in [&mut with_keys, &mut stateless] {
            let signed = sees_five(client);
            let line = wait::at_most("a proof by the set of five", SOME_SESSIONS, signed).await;
            line.expect("the light client follows the change");
        }
        a_key_file_outlives_its_node(&mut network, node).await;
    })
    .await;
}

/// Kills the node that has its key, and the record of its votes, on disk, and starts it again in the same rounds.
async fn a_key_file_outlives_its_node(network: &mut Network, node: usize) {
    network.node_mut(node).kill().expect("the process is ours");
    let alice = rpc(network, 0).await;
    let proven = alice.proven().await.expect("alice has proofs");
    network
        .restart(node)
        .await
        .expect("a killed node starts again");
    let eve = rpc(network, node).await;
    proven_beyond(&eve, proven)
        .await
        .expect("the restarted node follows the proofs");
    // Four of five are needed, so that no proof goes without the restarted node's vote.
    network.node_mut(3).kill().expect("the process is ours");
    let settled = alice.proven().await.expect("alice has proofs") + 1;
    proven_beyond(&alice, settled)
        .await
        .expect("the restarted node votes");
    no_offence_is_on_chain(&alice).await;
}

async fn light_client(network: &Network, state: &str, flags: &[&str]) -> LightClient {
    let genesis = rpc(network, 0)
        .await
        .genesis_hash()
        .await
        .expect("there is a genesis");
    let urls: Vec<_> = network.nodes().iter().map(Node::url).collect();
    let executables = Executables::locate().expect("this program is somewhere");
    let state = network.directory().join(state);
    LightClient::follow(&executables, genesis, &urls, &state, flags).expect("the client starts")
}

/// Reads until a proof of a later set with five members.
async fn sees_five(client: &mut LightClient) -> Result<()> {
    loop {
        let line = client.next_line().await?;
        println!("{line}");
        if line.starts_with("block ") && line.contains(" of 5") && !line.contains("set 0 ") {
            return Ok(());
        }
    }
}
