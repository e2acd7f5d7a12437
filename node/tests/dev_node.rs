//! A development node: it finalizes, survives a power cut, and keeps its methods for operators to itself.

mod common;

use codec::{Decode, DecodeAll};
use common::{ask, field, json, refuses_to_start, run, succeeds, until, Node};
use duet_light_client::{BlockProof, Mode, Outcome, StartProof, Trusted};
use duet_primitives::{
    ownership_statement, DualKeyBytes, Keyset, Keysets, Pk1Bytes, PossessionProof, StatelessProof,
    UncheckedJustification, H256,
};
use jsonrpsee::{
    core::client::{Subscription, SubscriptionClientT},
    rpc_params,
    ws_client::WsClient,
};
use serde_json::Value;
use sp_core::crypto::AccountId32;
use std::{
    collections::BTreeMap,
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    str::FromStr,
    time::SystemTime,
};
use tempfile::TempDir;

const ALICE: &str = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";
/// Where the state keeps Alice's account: `System.Account`.
const ALICES_ACCOUNT: &str = "0x26aa394eea5630e07c48ae0c9558cef7b99d880ec681799c0cf30e8886371da9\
    de1e86a9a8c739864cf3cc5ec2bea59fd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d";
/// What the RPC answers to a method that is for operators only.
const DENIED: &str = "unsafe";

fn decode<T: Decode>(hex: &str) -> T {
    let bytes = hex::decode(hex.trim_start_matches("0x")).expect("hex");
    T::decode_all(&mut &bytes[..]).expect("the bytes are of that type")
}

async fn text(
    client: &WsClient,
    method: &str,
    params: jsonrpsee::core::params::ArrayParams,
) -> String {
    let value = ask(client, method, params)
        .await
        .unwrap_or_else(|error| panic!("{method}: {error}"));
    value
        .as_str()
        .unwrap_or_else(|| panic!("{method} gave {value}"))
        .to_owned()
}

/// Number of the block with this hash.
async fn number(client: &WsClient, hash: &str) -> u32 {
    let header = ask(client, "chain_getHeader", rpc_params![hash])
        .await
        .expect("the block is known");
    u32::from_str_radix(field(&header, "number").trim_start_matches("0x"), 16).expect("a number")
}

async fn finalized(client: &WsClient) -> Option<String> {
    let head = ask(client, "duet_getFinalizedHead", rpc_params![])
        .await
        .ok()?;
    head.as_str().map(str::to_owned)
}

async fn subscribe(client: &WsClient) -> Subscription<Value> {
    let (on, off) = (
        "duet_subscribeJustifications",
        "duet_unsubscribeJustifications",
    );
    client
        .subscribe(on, rpc_params![], off)
        .await
        .expect("the node takes subscribers")
}

async fn next(subscription: &mut Subscription<Value>) -> UncheckedJustification {
    let item = tokio::time::timeout(common::PATIENCE, subscription.next())
        .await
        .expect("the node finalizes")
        .expect("the subscription stays")
        .expect("an item");
    decode(item.as_str().expect("hex"))
}

/// The signing set and the genesis hash, as the node tells them.
async fn trusted(client: &WsClient) -> (Keyset, H256) {
    let sets = text(client, "state_call", rpc_params!["DuetApi_keysets", "0x"]).await;
    let Keysets { current, .. } = decode::<Option<Keysets>>(&sets).expect("there is a set");
    let keys = text(client, "duet_getKeys", rpc_params![current.id]).await;
    let keyset = Keyset::check(&current, &decode::<Vec<Pk1Bytes>>(&keys)).expect("its keys");
    (keyset, genesis(client).await)
}

async fn genesis(client: &WsClient) -> H256 {
    decode(&text(client, "chain_getBlockHash", rpc_params![0]).await)
}

/// What the metrics give as the highest block with a proof.
fn best_block(metrics: &str) -> Option<u32> {
    let mut lines = metrics.lines();
    let line = lines.find(|line| line.starts_with("substrate_duet_best_block"))?;
    line.rsplit(' ').next()?.parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_development_node_finalizes_and_goes_on_after_a_power_cut_on_either_network_back_end() {
    let dir = TempDir::new().unwrap();
    let mut node = Node::start_dev(dir.path(), &["--network-backend", "litep2p"]);
    let client = node.connect().await;
    let mut justifications = subscribe(&client).await;
    let first = next(&mut justifications).await;
    let (keyset, genesis) = trusted(&client).await;
    first
        .check(&keyset, genesis)
        .expect("a proof that anybody can check");
    let second = next(&mut justifications).await;
    let proven = second.commitment.block_number.get();
    // The database writes from a thread of its own, so a kill may cost the proof of the last moments, and no earlier one.
    until("the metrics show a later proof", || async {
        (best_block(&node.metrics())? > proven).then_some(())
    })
    .await;
    second
        .check(&keyset, genesis)
        .expect("a proof that anybody can check");
    sees_its_own_votes(&node, &client).await;
    node.kill();

    let node = Node::start_dev(dir.path(), &["--network-backend", "libp2p"]);
    let client = node.connect().await;
    // The very first question, before anything new was finalized.
    let head = finalized(&client).await.expect("the proven head survives");
    let resumed = number(&client, &head).await;
    assert!(resumed >= proven, "{resumed} is below {proven}");
    let mut justifications = subscribe(&client).await;
    let third = next(&mut justifications).await;
    assert!(third.commitment.block_number.get() > resumed);
    third.check(&keyset, genesis).expect("the same set goes on");
}

/// The only validator of a chain: nobody is missing, and a load balancer may send requests to it.
async fn sees_its_own_votes(node: &Node, client: &WsClient) {
    let state = ask(client, "duet_roundState", rpc_params![]).await.unwrap();
    let of_set = ["members", "threshold", "own"].map(|field| state[field].as_u64());
    assert_eq!(of_set, [Some(1), Some(1), Some(0)], "{state}");
    assert_eq!(state["voted"], serde_json::json!([0]), "{state}");
    assert_eq!(state["missing"], serde_json::json!([]), "{state}");
    for path in ["/health", "/health/readiness"] {
        let answer = node.health(path);
        assert!(answer.starts_with("HTTP/1.0 200"), "{answer}");
        assert!(answer.contains("\"voting\":true"), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_make_keys_over_rpc_and_strangers_do_not() {
    let dir = TempDir::new().unwrap();
    let node = Node::start_dev(dir.path(), &[]);
    let client = node.connect().await;
    let genesis = genesis(&client).await;
    let owner = ownership_statement(genesis, &AccountId32::from_str(ALICE).unwrap());

    let keys = ask(&client, "duet_generateKeys", rpc_params![ALICE])
        .await
        .unwrap();
    let public: DualKeyBytes = decode(field(&keys, "public"));
    let proof: PossessionProof = decode(field(&keys, "proof"));
    public
        .check_possession(&owner, &proof)
        .expect("the proof is Alice's on this chain");
    let again = text(
        &client,
        "duet_proveKeys",
        rpc_params![public.to_string(), ALICE],
    )
    .await;
    assert_eq!(decode::<PossessionProof>(&again), proof);

    // The secret is in a key file, and the command line works out the genesis that the node runs on.
    let base = dir.path().to_str().unwrap();
    let listed = json(&["duet-key", "list", "--dev", "-d", base]);
    assert_eq!(field(&listed[0], "publicKey"), public.to_string());
    assert!(Path::new(field(&listed[0], "keyFile")).is_file());
    let proven = json(&["duet-key", "prove", "--dev", "-d", base, "--account", ALICE]);
    assert_eq!(field(&proven, "genesisHash"), format!("{genesis:?}"));
    assert_eq!(field(&proven, "proof"), proof.to_string());

    drop(node);
    let node = Node::start_dev(dir.path(), &["--rpc-methods", "safe"]);
    let client = node.connect().await;
    let calls = [
        ("duet_generateKeys", rpc_params![ALICE]),
        ("duet_proveKeys", rpc_params![public.to_string(), ALICE]),
    ];
    for (method, params) in calls {
        let error = ask(&client, method, params)
            .await
            .expect_err("it is for operators only");
        assert!(error.to_string().contains(DENIED), "{method}: {error}");
    }
}

/// STATE-1 to STATE-3.
#[tokio::test(flavor = "multi_thread")]
async fn one_answer_proves_an_account_at_an_older_block_to_who_has_only_the_genesis_hash() {
    let dir = TempDir::new().unwrap();
    let node = Node::start_dev(dir.path(), &[]);
    let client = node.connect().await;
    until("block 3 is proven", || async {
        let head = finalized(&client).await?;
        (number(&client, &head).await >= 3).then_some(())
    })
    .await;
    let genesis_proof: StartProof =
        decode(&text(&client, "duet_getGenesisProof", rpc_params![]).await);
    let genesis_hash = genesis(&client).await;
    let trusted = Trusted::from_genesis(genesis_hash, &genesis_proof, Mode::Stateless).unwrap();
    let answer = ask(
        &client,
        "duet_getProofs",
        rpc_params![[ALICES_ACCOUNT], 1, Value::Null, true],
    )
    .await
    .expect("the block is proven, and its state is here");

    let proof: StatelessProof = decode(field(&answer, "proof"));
    let Ok(Outcome::New(verified)) = trusted.verify(proof) else {
        panic!("a proof that leads on from genesis: {answer}");
    };
    let bytes = |value: &Value| {
        let digits = value.as_str().expect("bytes").trim_start_matches("0x");
        hex::decode(digits).expect("hex")
    };
    let path = &answer["path"];
    let path = BlockProof::from_rpc(&bytes(&path["leaves"]), &bytes(&path["proof"])).unwrap();
    let block = path.check(&verified.trusted.best_block()).unwrap();
    assert_eq!(block.number().get(), 1);
    let header = block.header(&bytes(&answer["header"])).unwrap();
    let nodes: Vec<_> = answer["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(bytes)
        .collect();
    let key = bytes(&ALICES_ACCOUNT.into());
    let entries = header.read(&[&key], &nodes).unwrap();
    assert!(entries[0].value().is_some(), "Alice is rich");
}

/// Tools decorate only what is listed.
/// Its operator acknowledges a contradiction that there is none of: that does no harm.
#[tokio::test(flavor = "multi_thread")]
async fn a_healthy_validator_says_that_it_votes_and_knows_of_no_contradiction() {
    let dir = TempDir::new().unwrap();
    let node = Node::start_dev(dir.path(), &["--duet-acknowledge-divergence", "7"]);
    let client = node.connect().await;
    let health = until("it votes and has proven a block", || async {
        let health = ask(&client, "duet_health", rpc_params![]).await.ok()?;
        let proves = health["bestProven"].as_u64()? >= 1 && health["active"] == true;
        (proves && health["voting"] == true).then_some(health)
    })
    .await;
    assert!(health["finalized"].as_u64() >= health["bestProven"].as_u64());
    assert_eq!(health["diverged"], Value::Array(Vec::new()));
    assert!(node
        .metrics()
        .lines()
        .any(|line| line.starts_with("substrate_duet_diverged") && line.ends_with(" 0")));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_documented_method_is_listed() {
    let page = include_str!("../../docs/spec/rpc.md");
    let (before, _) = page.split_once("## Error codes").expect("the page has it");
    let rows = before.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut documented: Vec<_> = rows
        .filter_map(|row| Some(row.split_once('`')?.0))
        .collect();
    documented.sort_unstable();
    let dir = TempDir::new().unwrap();
    let node = Node::start_dev(dir.path(), &[]);
    let client = node.connect().await;
    let answer = ask(&client, "rpc_methods", rpc_params![]).await.unwrap();
    let listed: Vec<_> = answer["methods"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let ours = listed.iter().filter(|name| name.starts_with("duet_"));
    let mut ours: Vec<_> = ours.copied().collect();
    ours.sort_unstable();
    assert_eq!(ours, documented);
    for of_the_sdk in [
        "chain_getHeader",
        "grandpa_proveFinality",
        "mmr_generateProof",
        "state_getReadProof",
    ] {
        assert!(listed.contains(&of_the_sdk), "{of_the_sdk}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn old_blocks_are_proven_by_the_merkle_mountain_range() {
    let dir = TempDir::new().unwrap();
    let node = Node::start_dev(dir.path(), &[]);
    let client = node.connect().await;
    let head = until("block 3 is proven", || async {
        let head = finalized(&client).await?;
        (number(&client, &head).await >= 3).then_some(head)
    })
    .await;
    let proof = ask(
        &client,
        "mmr_generateProof",
        rpc_params![[1, 2], Value::Null, head],
    )
    .await
    .expect("the leaves are indexed");
    let valid = ask(&client, "mmr_verifyProof", rpc_params![proof])
        .await
        .unwrap();
    assert_eq!(valid, Value::Bool(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tools_work_on_the_database_of_a_node_that_was_stopped() {
    let dir = TempDir::new().unwrap();
    let base = dir.path().to_str().unwrap();
    let at = ["--dev", "-d", base];
    let key = json(&[&["duet-key", "insert", "--suri", "//Eve"], &at[..]].concat());
    let mut node = Node::start_dev(dir.path(), &[]);
    let client = node.connect().await;
    let proven = until("block 2 is proven", || async {
        let number = number(&client, &finalized(&client).await?).await;
        (number >= 2).then_some(number)
    })
    .await;
    node.kill();

    let info: Value =
        serde_json::from_str(&succeeds(&[&["chain-info"], &at[..]].concat())).unwrap();
    assert!(
        info["finalized_number"].as_u64().unwrap() >= u64::from(proven),
        "{info}"
    );

    let blocks = dir.path().join("blocks");
    let blocks = blocks.to_str().unwrap();
    succeeds(&[&["export-blocks", "--to", "2", blocks], &at[..]].concat());
    succeeds(&[&["check-block", "1"], &at[..]].concat());
    let state = succeeds(&[&["export-state"], &at[..]].concat());
    assert!(serde_json::from_str::<Value>(&state).unwrap()["genesis"]["raw"].is_object());
    // What is proven is final, and stays.
    succeeds(&[&["revert", "1000"], &at[..]].concat());
    let reverted: Value =
        serde_json::from_str(&succeeds(&[&["chain-info"], &at[..]].concat())).unwrap();
    for name in ["best_number", "finalized_number"] {
        assert_eq!(reverted[name], info["finalized_number"], "{reverted}");
    }

    let other = TempDir::new().unwrap();
    let elsewhere = ["--dev", "-d", other.path().to_str().unwrap()];
    let import = run(&[&["import-blocks", blocks], &elsewhere[..]].concat());
    let told = String::from_utf8(import.stderr).unwrap();
    assert!(import.status.success(), "{told}");
    assert!(told.contains("proofs of Duet in the file are not imported"));
    let imported: Value =
        serde_json::from_str(&succeeds(&[&["chain-info"], &elsewhere[..]].concat())).unwrap();
    assert_eq!(imported["best_number"], 2, "{imported}");
    assert_eq!(imported["genesis_hash"], info["genesis_hash"]);

    succeeds(&[&["purge-chain", "-y"], &at[..]].concat());
    let file = Path::new(field(&key, "keyFile"));
    assert!(file.is_file(), "purging a chain leaves the keys");
    let chain = file.parent().unwrap().parent().unwrap();
    assert!(
        !chain.join("paritydb").exists(),
        "purging a chain removes its database"
    );
}

#[test]
fn a_validator_does_not_come_up_without_one_of_its_keys() {
    let dir = TempDir::new().unwrap();
    let base = dir.path().to_str().unwrap();
    let insert = [
        "duet-key",
        "insert",
        "--suri",
        "//Eve",
        "--dev",
        "-d",
        base,
        "--password",
    ];
    let file = field(
        &json(&[&insert[..], &["correct horse"]].concat()),
        "keyFile",
    )
    .to_owned();

    let error = refuses_to_start(dir.path(), &[]);
    assert!(
        error.contains(&file) && error.contains("no password was given"),
        "{error}"
    );
    let error = refuses_to_start(dir.path(), &["--password", "battery staple"]);
    assert!(
        error.contains(&file) && error.contains("wrong password"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_node_on_one_base_path_does_not_start_and_names_the_process_of_the_first() {
    let dir = TempDir::new().unwrap();
    let node = Node::start_dev(dir.path(), &[]);
    let error = refuses_to_start(dir.path(), &[]);
    let holder = format!("process {} uses these keys", node.process_id());
    assert!(error.contains(&holder), "{error}");
    // The first one goes on.
    let client = node.connect().await;
    let mut justifications = subscribe(&client).await;
    next(&mut justifications).await;
}

#[test]
fn runtimes_that_others_could_replace_are_not_run() {
    let dir = TempDir::new().unwrap();
    let runtimes = dir.path().join("runtimes");
    fs::create_dir(&runtimes).unwrap();
    fs::set_permissions(&runtimes, Permissions::from_mode(0o770)).unwrap();
    let error = refuses_to_start(dir.path(), &["--runtime-cache", runtimes.to_str().unwrap()]);
    assert!(error.contains("other users may write to"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compiled_runtime_is_kept_for_the_next_start() {
    let dir = TempDir::new().unwrap();
    let runtimes = dir.path().join("runtimes");
    let flags = ["--runtime-cache", runtimes.to_str().unwrap()];
    let mut node = Node::start_dev(dir.path(), &flags);
    let kept = written(&runtimes);
    assert!(!kept.is_empty(), "nothing is kept");
    node.kill();
    drop(Node::start_dev(dir.path(), &flags));
    assert_eq!(written(&runtimes), kept, "it is not compiled again");
}

/// The compiled runtimes below a directory, and when each was written.
fn written(directory: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.append(&mut written(&path));
        } else if path.extension().is_none() {
            let time = path.metadata().unwrap().modified().unwrap();
            found.insert(path, time);
        }
    }
    found
}

/// GOSSIP-9.
#[test]
fn a_validator_that_wants_to_hear_proofs_only_does_not_start() {
    let dir = TempDir::new().unwrap();
    let error = refuses_to_start(dir.path(), &["--duet-gossip", "proofs"]);
    assert!(error.contains("a validator hears votes"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn wallets_and_relayers_get_answers_to_what_they_ask_any_substrate_node() {
    let dir = TempDir::new().unwrap();
    let node = Node::start_dev(dir.path(), &[]);
    let client = node.connect().await;
    let properties = ask(&client, "system_properties", rpc_params![]).await;
    let properties = properties.expect("the specification has some");
    assert_eq!(properties["ss58Format"], 42);

    let round = until("a round of GRANDPA", || async {
        ask(&client, "grandpa_roundState", rpc_params![]).await.ok()
    });
    assert_eq!(round.await["setId"], 0);
    let proof = until("GRANDPA's proof of block 1", || async {
        let proof = ask(&client, "grandpa_proveFinality", rpc_params![1]).await;
        proof.ok()?.as_str().map(str::to_owned)
    });
    assert!(proof.await.starts_with("0x"));
}
