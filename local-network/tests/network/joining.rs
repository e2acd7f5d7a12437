//! A validator joins by extrinsics, and light clients follow the change of the set.

use crate::support::{network_that_proves, rpc, story, SOME_SESSIONS};
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
        let node = rpc(&network, node).await;
        become_validator(&node, account, |_| ())
            .await
            .expect("the transactions succeed");

        for client in [&mut with_keys, &mut stateless] {
            let signed = sees_five(client);
            let line = wait::at_most("a proof by the set of five", SOME_SESSIONS, signed).await;
            line.expect("the light client follows the change");
        }
    })
    .await;
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
