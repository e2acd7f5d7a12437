//! `--start`: the program begins at a block whose hash its user trusts. (LIGHT-1 to LIGHT-3, LIGHT-8)

use crate::support::{
    from, hex, sync, Folder, Lie, Node, Program, Served, Server, Tamper, World, BEGAN, MODES,
};
use duet_light_client::testing::TestChain;
use duet_primitives::H256;
use serde_json::{json, Value};
use std::sync::Arc;

fn chain() -> TestChain {
    TestChain::new(4, 5, 1)
}

/// The hash of the first block of a set.
fn first_of(chain: &TestChain, set: u64) -> String {
    text(chain.start_proof(set).block_hash())
}

fn text(hash: H256) -> String {
    format!("{hash:?}")
}

/// A file that ends with the folder, as an argument.
fn state(folder: &Folder) -> String {
    format!("--state {}", folder.text("state"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_that_took_duet_up_later_is_followed_from_a_block_of_it() {
    let chain = chain();
    let server = Server::start(&chain, Lie::LaterStart).await;
    let start = first_of(&chain, 2);
    for mode in MODES {
        let more = format!("--start {start} {mode}");
        let finished = sync(&chain, &[&server.url], &more).await.expect_code(0);
        assert_eq!(finished.numbers(), [25, 35, 38]);
        assert_eq!(finished.named("start")[0]["start"], start.as_str());
        let began = finished.named("began").remove(0);
        let expected = json!([20, start, 2, server.url]);
        assert_eq!(
            json!([began["block"], began["hash"], began["set"], began["url"]]),
            expected
        );
    }
    assert_eq!(server.calls("duet_getGenesisProof"), 0);
    // The line for people.
    let line = format!("sync {} --start {start}", from(&chain, &[&server.url]));
    let finished = Program::run(&line).await;
    let line = format!("began at block 20  set 2  {start}");
    let finished = finished.expect_code(0);
    assert!(finished.stderr.contains(&line), "{}", finished.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_goes_before_a_start_that_is_not_newer() {
    let (chain, folder) = (chain(), Folder::new());
    let server = Server::start_at(&chain, Lie::LaterStart, 28).await;
    let start = first_of(&chain, 2);
    let more = format!("--start {start} {}", state(&folder));
    let first = sync(&chain, &[&server.url], &more).await.expect_code(0);
    assert_eq!(first.numbers(), [25, 28]);
    while server.prove_next().is_some() {}
    let again = sync(&chain, &[&server.url], &more).await.expect_code(0);
    assert_eq!(again.named("start")[0]["block"], 28);
    assert_eq!(again.numbers(), [35, 38]);
    assert!(again.named("began").is_empty());
    assert_eq!(server.calls("duet_getStartProof"), 1, "only the first run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_is_newer_than_what_is_kept_is_begun_at() {
    let (chain, folder) = (chain(), Folder::new());
    let server = Server::start(&chain, Lie::None).await;
    let old = Server::start_at(&chain, Lie::None, 8).await;
    let kept = sync(&chain, &[&old.url], &state(&folder)).await;
    kept.expect_code(0);
    let start = first_of(&chain, 3);
    let more = format!("--start {start} {}", state(&folder));
    let finished = sync(&chain, &[&server.url], &more).await.expect_code(0);
    assert_eq!(finished.named("began")[0]["block"], 30);
    assert_eq!(finished.numbers(), [35, 38]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_contradicts_what_is_kept_is_bad_usage() {
    let (chain, folder) = (chain(), Folder::new());
    let start = chain.start_proof(3);
    let honest = Server::start_at(&chain, Lie::None, 28).await;
    let keep = state(&folder);
    let more = format!("--start {:?} {keep}", start.block_hash());
    sync(&chain, &[&honest.url], &more).await.expect_code(0);

    let mut other = start;
    other.header[0] ^= 1;
    let other = text(other.block_hash());
    let fork = Server::start_at(&chain, Lie::Fork, 28).await;
    let more = format!("--start {other} {keep}");
    let refused = sync(&chain, &[&fork.url], &more).await.expect_code(2);
    let message = refused.message();
    let says = format!("--start names {other} as block 30");
    assert!(message.contains(&says), "{message}");
}

/// LIGHT-8.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_a_state_file_crosses_a_reset_at_the_block_that_its_user_confirms() {
    let (chain, folder) = (chain(), Folder::new());
    let before = Server::start_at(&chain, Lie::None, 28).await;
    let keep = state(&folder);
    sync(&chain, &[&before.url], &keep).await.expect_code(0);

    let server = Server::start(&chain, Lie::Reset).await;
    let stopped = sync(&chain, &[&server.url], &keep).await.expect_code(6);
    let left = stopped.named("endpoint").remove(0);
    assert_eq!(
        (&left["verdict"], &left["claimed_block"]),
        (&json!("reset"), &json!(37))
    );
    let start = left["claimed_hash"].as_str().expect("a hash").to_owned();
    let message = stopped.message();
    let advice = format!("continue from it with --start {start}, or with --checkpoint");
    assert!(message.contains(&advice), "{message}");

    let more = format!("{keep} --start {start}");
    let synced = sync(&chain, &[&server.url], &more).await.expect_code(0);
    assert_eq!(synced.named("began")[0]["set"], 9);
    let proof = synced.named("proof").remove(0);
    assert_eq!((&proof["set"], &proof["block"]), (&json!(9), &json!(38)));
    // The file is of the chain behind the reset now.
    let again = sync(&chain, &[&server.url], &keep).await.expect_code(0);
    assert_eq!(again.named("start")[0]["set"], 9);
}

/// LIGHT-1. What a server says about the start is shown, and not believed.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_start_the_block_that_an_endpoint_claims_is_shown_and_not_taken() {
    let chain = chain();
    let server = Server::start(&chain, Lie::LaterStart).await;
    let stopped = sync(&chain, &[&server.url], "").await.expect_code(6);
    let left = stopped.named("endpoint").remove(0);
    let start = first_of(&chain, 2);
    assert_eq!(stopped.left(), json!(["later_start", "LIGHT-1"]));
    assert_eq!(
        json!([left["claimed_block"], left["claimed_hash"]]),
        json!([20, start])
    );
    assert!(stopped.named("synced").is_empty());
    let message = stopped.message();
    for said in [
        &format!("at block 20 ({start})"),
        "This is not proven",
        &format!("start at it with --start {start}"),
    ] {
        assert!(message.contains(said), "{said}: {message}");
    }

    // One that proves the genesis is believed, whatever the other claims.
    let honest = Server::start(&chain, Lie::None).await;
    let synced = sync(&chain, &[&server.url, &honest.url], "")
        .await
        .expect_code(0);
    assert_eq!(synced.named("synced")[0]["url"], honest.url.as_str());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claimed_start_that_does_not_hold_is_a_lie_and_none_is_a_gap() {
    let chain = chain();
    let liar = Server::start(&chain, Lie::FalseStart).await;
    let stopped = sync(&chain, &[&liar.url], "").await.expect_code(3);
    assert_eq!(stopped.left(), json!(["lied", "LIGHT-2"]));

    let old = Server::start(&chain, Lie::OldLaterStart).await;
    let stopped = sync(&chain, &[&old.url], "").await.expect_code(6);
    assert_eq!(stopped.named("endpoint")[0]["verdict"], "incomplete");
    let message = stopped.message();
    assert!(message.contains("no proof of genesis"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_lie_about_a_start_is_refused_by_its_own_rule() {
    let chain = chain();
    let start = first_of(&chain, 2);
    let honest = Server::start(&chain, Lie::LaterStart).await;
    for (lie, rule) in [
        (Lie::GenesisHeader, "LIGHT-1"),
        (Lie::GenesisStorage, "LIGHT-2"),
        (Lie::GenesisKeys, "LIGHT-3"),
        (Lie::TrailingByte, "ENC-6"),
        (Lie::WrongType, "RPC-1"),
    ] {
        let liar = Server::start(&chain, lie).await;
        let more = format!("--start {start}");
        let alone = sync(&chain, &[&liar.url], &more).await.expect_code(3);
        assert_eq!(alone.left(), json!(["lied", rule]), "{lie:?}");
        assert!(alone.named("began").is_empty());
        let both = sync(&chain, &[&liar.url, &honest.url], &more).await;
        let both = both.expect_code(0);
        assert_eq!(both.named("began")[0]["url"], honest.url.as_str());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_no_endpoint_has_is_a_gap() {
    let chain = chain();
    let server = Server::start(&chain, Lie::None).await;
    let unknown = text(H256::repeat_byte(7));
    let more = format!("--start {unknown}");
    let stopped = sync(&chain, &[&server.url], &more).await.expect_code(6);
    let message = stopped.message();
    let says = format!("no start proof of block {unknown}");
    assert!(message.contains(&says), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_makes_no_sense_is_bad_usage() {
    let chain = chain();
    let server = Server::start(&chain, Lie::Fork).await;
    // Block 0 of another chain.
    let other = text(TestChain::new(1, 5, 9).genesis_hash);
    let more = format!("--start {other}");
    let refused = sync(&chain, &[&server.url], &more).await;
    let message = refused.expect_code(2).message();
    assert!(message.contains("LIGHT-1"), "{message}");
    assert!(
        message.contains("the genesis of another chain"),
        "{message}"
    );

    let start = first_of(&chain, 2);
    let both = format!("--start {start} --checkpoint file");
    let refused = sync(&chain, &[&server.url], &both).await.expect_code(2);
    assert!(
        refused.stderr.contains("--checkpoint"),
        "{}",
        refused.stderr
    );
    // Which chain?
    let alone = format!("sync --url {} --start {start}", server.url);
    let refused = Program::run(&alone).await.expect_code(2);
    assert!(refused.stderr.contains("--genesis"), "{}", refused.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_began_at_a_start_answers_and_passes_starts_on() {
    let world = Arc::new(World::new(9, 1));
    let node = Node::start(&world, Tamper::None).await;
    let (genesis, newest) = (text(world.genesis()), &world.blocks[9]);
    let start = text(world.blocks[BEGAN as usize].hash);
    let begin = format!("--genesis {genesis} --start {start}");
    let served = Served::start_from(&begin, &[&node], "").await;
    let head = served.ask("chain_getFinalizedHead", json!([])).await;
    assert_eq!(head, json!(newest.hash));

    let method = "duet_getStartProof";
    for (number, params) in [
        (BEGAN, json!([])),
        (BEGAN, json!([start])),
        (7, json!([world.blocks[7].hash])),
    ] {
        let proof = world.start_proof(number as usize);
        let expected = hex(&codec::Encode::encode(&proof));
        assert_eq!(served.ask(method, params).await, expected);
    }
    let unknown = json!([H256::repeat_byte(7)]);
    assert_eq!(served.ask(method, unknown).await, Value::Null);
    // The codes are those of nodes, so that a client behind it asks where it can begin.
    let refusal = served.refusal("duet_getGenesisProof", json!([])).await;
    assert_eq!(refusal.code(), 9005);
    let url = format!("ws://{}", served.address);
    let behind = format!("sync --json --give-up-after 1 --genesis {genesis} --url {url}");
    let stopped = Program::run(&behind).await.expect_code(6);
    let advice = format!("--start {start}");
    assert!(stopped.message().contains(&advice));
    let synced = Program::run(&format!("{behind} {advice}")).await;
    assert_eq!(synced.expect_code(0).named("synced")[0]["block"], 9);
    served.end().await.expect_code(0);

    let strict = Served::start_from(&begin, &[&node], "--strict").await;
    let refusal = strict.refusal(method, json!([])).await;
    assert!(refusal.message().contains("--strict"), "{refusal:?}");
    strict.ask(method, json!([start])).await;
    strict.end().await.expect_code(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_passes_no_false_start_on() {
    let world = Arc::new(World::new(9, 1));
    for params in [json!([world.blocks[5].hash]), json!([])] {
        // The server ends with its only endpoint.
        let liar = Node::start(&world, Tamper::OtherStart).await;
        let served = Served::start(&world, &[&liar], "").await;
        let refusal = served.refusal("duet_getStartProof", params).await;
        assert_eq!(refusal.code(), 9101, "{refusal:?}");
        assert_eq!(crate::support::data(&refusal)["rule"], "LIGHT-3");
        served.program.finish().await.expect_code(3);
    }
}
