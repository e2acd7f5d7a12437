//! A validator changes its key and another joins by extrinsics, and light clients follow the changes of the set.
//! A node that starts by warp sync after that serves light clients from the genesis on.

use crate::support::{
    network_of_four, no_offence_is_on_chain, proven_beyond, rpc, scenario, SOME_SESSIONS, SOON,
};
use codec::Encode;
use duet_local_network::{
    staking::{become_validator, register_new_key},
    transaction, wait, Executables, LightClient, Network, Node, Result, Rpc, DEVELOPMENT_ACCOUNTS,
};
use duet_primitives::{suite, BlockNumber, SetId, H256};
use duet_runtime::Runtime;
use jsonrpsee::{core::params::ArrayParams, rpc_params};
use serde_json::{json, Value};
use sp_core::{crypto::Ss58Codec, Bytes};
use sp_io::hashing::blake2_256;

#[tokio::test(flavor = "multi_thread")]
async fn light_clients_with_keys_and_without_follow_a_validator_that_joins() {
    scenario(async {
        let mut network = network_of_four().await;
        bob_changes_its_key(&network).await;
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
        state_and_old_blocks_are_proven(&network, &eve, &account.to_account_id().to_ss58check())
            .await;
        a_transaction_is_followed_through_verified_answers(&network, &eve).await;
        a_key_file_outlives_its_node(&mut network, node).await;
        a_node_that_starts_by_warp_sync_serves_light_clients(&mut network).await;
    })
    .await;
}

/// Makes the first change of the set, so early that the network has its first proof with it, and before the next
/// change can be planned.
async fn bob_changes_its_key(network: &Network) {
    let bob = rpc(network, 1).await;
    register_new_key(&bob, DEVELOPMENT_ACCOUNTS[1])
        .await
        .expect("the transaction succeeds");
    handed_off(&bob, 1).await;
}

/// Waits until a node has the handoff proofs of so many sets, from the first on.
async fn handed_off(rpc: &Rpc, sets: usize) {
    let looks = || rpc.handoffs(SetId::new(0));
    wait::until("the handoff proofs", SOON, looks, |got| *got >= sets)
        .await
        .expect("the node has them");
}

/// It has no state of the blocks before the one that it warped to, and so not the keys of the sets before the last.
async fn a_node_that_starts_by_warp_sync_serves_light_clients(network: &mut Network) {
    let alice = rpc(network, 0).await;
    let genesis = alice.genesis_hash().await.expect("there is a genesis");
    let changes = alice
        .handoffs(SetId::new(0))
        .await
        .expect("alice has been there");
    assert!(changes >= 2, "the set has changed {changes} times");
    let node = network
        .join_with("Warp", &["--sync", "warp"])
        .await
        .expect("the node starts");
    let warp = rpc(network, node).await;
    let proven = alice.proven().await.expect("alice has proofs");
    proven_beyond(&warp, proven)
        .await
        .expect("it follows from the middle of the chain");
    let first = alice
        .block_hash(BlockNumber::new(1))
        .await
        .expect("there is a block 1");
    let state = rpc_params![Bytes(b":code".to_vec()), first];
    let code: Result<Option<Value>> = warp.ask("state_getStorageHash", state).await;
    assert!(
        code.is_err(),
        "with the state of block 1 it was no warp sync"
    );
    handed_off(&warp, changes).await;

    let executables = Executables::locate().expect("this program is somewhere");
    for flags in [&[][..], &["--stateless"]] {
        let url = network.node(node).url();
        let synced = LightClient::sync(&executables, genesis, &url, flags);
        let lines = wait::at_most("a light client to sync", SOON, synced).await;
        let lines = lines.expect("one node is enough");
        lines.iter().for_each(|line| println!("{line}"));
    }
}

/// What `duet-light` reads of the chain is what its nodes say.
async fn state_and_old_blocks_are_proven(network: &Network, rpc: &Rpc, joined: &str) {
    let executables = Executables::locate().expect("this program is somewhere");
    let genesis = rpc.genesis_hash().await.expect("there is a genesis");
    let url = network.node(0).url();
    let ask = |verb, flags: Vec<String>| {
        let (executables, url) = (&executables, &url);
        async move {
            let flags: Vec<_> = flags.iter().map(String::as_str).chain(["--json"]).collect();
            let asked = LightClient::run(executables, verb, genesis, url, &flags);
            let lines = wait::at_most("an answer", SOON, asked).await;
            let answer = lines.expect("the node proves it").pop();
            let answer = answer.expect("it prints an answer");
            serde_json::from_str::<Value>(&answer).expect("it is JSON")
        }
    };
    let at = |number: u32| vec!["--at".to_owned(), number.to_string()];
    for number in [0, 1, 5] {
        let hash = rpc.block_hash(BlockNumber::new(number)).await;
        let header = ask("block", at(number)).await;
        assert_eq!(header["hash"], format!("{:?}", hash.expect("it is there")));
    }
    // Staking and the deposit for the key came after block 1.
    let account = |flags| ask("account", [vec![joined.to_owned()], flags].concat());
    let free = |answer: &Value| -> u128 {
        let free = answer["free"].as_str().expect("a balance");
        free.parse().expect("a number")
    };
    let (then, now) = (account(at(1)).await, account(vec![]).await);
    assert_eq!(
        (&then["exists"], &then["nonce"]),
        (&Value::Bool(true), &Value::from(0))
    );
    assert!(free(&now) < free(&then) && now["nonce"] != then["nonce"]);
    let nobody = format!("0x{}", "07".repeat(32));
    assert_eq!(ask("account", vec![nobody]).await["exists"], false);

    let key = format!("0x{}", hex::encode(suite::KEYSETS_STORAGE_KEY));
    let hash = rpc
        .block_hash(BlockNumber::new(5))
        .await
        .expect("it is there");
    let state = rpc_params![key.clone(), hash];
    let value: Option<Value> = rpc
        .ask("state_getStorage", state)
        .await
        .expect("the state is there");
    let proven = ask("storage", [vec![key], at(5)].concat()).await;
    assert_eq!(Some(proven["value"].clone()), value);
}

/// A transaction goes through `duet-light serve` as it goes through a node: its nonce, its block, the place in it and
/// the events there are verified on the way.
async fn a_transaction_is_followed_through_verified_answers(network: &Network, node: &Rpc) {
    let executables = Executables::locate().expect("this program is somewhere");
    let genesis = node.genesis_hash().await.expect("there is a genesis");
    let urls: Vec<_> = network.nodes().iter().map(Node::url).collect();
    let serving = LightClient::serve(&executables, genesis, &urls);
    let serving = wait::at_most("the server to listen", SOON, serving).await;
    let (_server, url) = serving.expect("it starts");
    let served = Rpc::connect(&url).await.expect("it listens");
    let call = frame_system::Call::<Runtime>::remark_with_event {
        remark: b"seen by a light client".to_vec(),
    };
    let block = transaction::submit(&served, DEVELOPMENT_ACCOUNTS[5], call)
        .await
        .expect("the transaction succeeds");
    let header = served.header(Some(block)).await.expect("it is proven");
    assert_eq!(header, node.header(Some(block)).await.unwrap());
    let refused: Result<Value> = served.ask("author_rotateKeys", rpc_params![]).await;
    assert!(refused.is_err(), "what is for operators is not passed on");
    calls_have_the_outcomes_of_the_node(&served, node, block).await;

    let body = node.ask("chain_getBlock", rpc_params![block]).await;
    let body: Value = body.expect("it is there");
    let extrinsics = body["block"]["extrinsics"].as_array().expect("a list");
    let last = extrinsics.last().and_then(Value::as_str).expect("bytes");
    let bytes = hex::decode(&last[2..]).expect("hexadecimal digits");
    let hash = format!("{:?}", H256(blake2_256(&bytes)));
    let number = header.number.to_string();
    let flags = ["--json", "--quiet", &hash, "--at", &number];
    let answer = LightClient::run(&executables, "tx", genesis, &urls[0], &flags).await;
    let answer = answer.expect("it is proven").pop().expect("an answer");
    let answer: Value = serde_json::from_str(&answer).expect("it is JSON");
    let outcome = &answer["outcome"];
    assert_eq!(outcome["success"], true, "{answer}");
    let paid: u128 = outcome["fee"]["paid"]
        .as_str()
        .expect("a fee")
        .parse()
        .expect("a number");
    assert!(paid > 0);
    let events = outcome["events"].as_array().expect("events");
    let remarked = events
        .iter()
        .find(|event| event["name"] == "Remarked")
        .expect("its event");
    let sender = format!(
        "0x{}",
        hex::encode(DEVELOPMENT_ACCOUNTS[5].to_account_id().encode())
    );
    assert_eq!(
        (&remarked["pallet"], &remarked["fields"]["sender"]),
        (&json!("System"), &json!(sender))
    );
}

/// Calls of the runtime that `duet-light serve` executes over proven entries have the outcomes of the node's own
/// executor. (STATE-6)
async fn calls_have_the_outcomes_of_the_node(served: &Rpc, node: &Rpc, block: H256) {
    let body: Value = node
        .ask("chain_getBlock", rpc_params![block])
        .await
        .expect("it is there");
    let extrinsics = body["block"]["extrinsics"].as_array().expect("a list");
    let transaction = extrinsics.last().expect("the transaction is in it");
    let account = Bytes(DEVELOPMENT_ACCOUNTS[5].to_account_id().encode());
    let call = |name: &str, parameters: Value| ("state_call", vec![json!(name), parameters]);
    for (method, parameters) in [
        call("Core_version", json!("0x")),
        call("Metadata_metadata_at_version", json!("0x0f000000")),
        call("AccountNonceApi_account_nonce", json!(account)),
        call("DuetApi_keysets", json!("0x")),
        call("DuetApi_commitment_payload", json!("0x")),
        ("state_getMetadata", vec![]),
        ("state_getRuntimeVersion", vec![]),
        ("payment_queryInfo", vec![transaction.clone()]),
        ("payment_queryFeeDetails", vec![transaction.clone()]),
    ] {
        let ask = |rpc| {
            let mut params = ArrayParams::new();
            for parameter in parameters.iter().chain([&json!(block)]) {
                params.insert(parameter).expect("it is JSON");
            }
            Rpc::ask::<Value>(rpc, method, params)
        };
        let said = ask(node).await.expect("the node executes it");
        let proven = ask(served).await.expect("the light client executes it");
        assert_eq!(proven, said, "{method} {:?}", parameters.first());
    }
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
    let settled = alice
        .proven()
        .await
        .expect("alice has proofs")
        .saturating_next();
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
