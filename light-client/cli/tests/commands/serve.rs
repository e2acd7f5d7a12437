//! `serve` in front of nodes: what is answered, and what of it is verified.

use crate::{
    gate::http,
    support::{
        account_info, account_key, checkpoint_file, data, events_key, hex, Node, Program, Served,
        Tamper, World, ACCOUNT, FORGED, MODES,
    },
};
use codec::Encode;
use duet_primitives::H256;
use serde_json::{json, Value};
use sp_core::{Blake2Hasher, Hasher};
use std::{
    net::TcpListener,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

const NEWEST: u32 = 9;

fn world() -> Arc<World> {
    Arc::new(World::new(NEWEST, 1))
}

fn key() -> String {
    hex(&account_key())
}

/// A chain that stopped is not up to date, whatever its node says.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_newest_block_is_old_syncs() {
    for (age, is_syncing) in [(0, false), (100, true)] {
        let world = Arc::new(World::aged(NEWEST, 1, age, 1_000));
        let node = Node::start(&world, Tamper::None).await;
        let served = Served::start(&world, &[&node], "--strict").await;
        let health = served.ask("system_health", json!([])).await;
        assert_eq!(health["isSyncing"], is_syncing);
        assert_eq!(
            (&health["peers"], &health["shouldHavePeers"]),
            (&json!(1), &json!(true))
        );
        let told = health["headAge"].as_u64().expect("it is proven");
        assert!((age..age + 60).contains(&told), "{health}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_tell_the_newest_block_and_its_time() {
    let world = Arc::new(World::aged(NEWEST, 1, 100, 1_000));
    let node = Node::start(&world, Tamper::None).await;
    let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = free.local_addr().expect("it is bound").to_string();
    let metrics = format!("--metrics {address}");
    let file = checkpoint_file(&world.checkpoint());
    let (file, url) = (file.path().display(), &node.url);
    let line =
        format!("serve --json --listen 127.0.0.1:0 {metrics} --checkpoint {file} --url {url}");
    let busy = Program::run(&line).await.expect_code(1);
    assert!(busy.message().contains("--metrics"), "{}", busy.message());
    drop(free);

    let served = Served::start(&world, &[&node], &metrics).await;
    let health = served.ask("system_health", json!([])).await;
    let age = health["headAge"].as_u64().expect("it is proven");
    let shown = async {
        loop {
            let text = http(&address, "GET /metrics HTTP/1.1", &["host: localhost"], "").await;
            let value = |name: &str| -> Option<u64> {
                let line = text.lines().find_map(|line| line.strip_prefix(name))?;
                line.trim().parse().ok()
            };
            match value("duet_light_best_block_timestamp_seconds ") {
                None | Some(0) => tokio::time::sleep(Duration::from_millis(50)).await,
                Some(time) => {
                    let rest = ["best_block", "best_set", "endpoints"];
                    break (time, rest.map(|name| value(&format!("duet_light_{name} "))));
                }
            }
        }
    };
    let shown = tokio::time::timeout(Duration::from_secs(30), shown).await;
    let (time, rest) = shown.expect("the time is known soon");
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970");
    assert!((age..age + 60).contains(&(now.as_secs() - time)), "{time}");
    assert_eq!(rest, [u64::from(NEWEST), 0, 1].map(Some));
}

/// STATE-1 to STATE-4.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_of_the_newest_block_and_of_older_ones_is_answered() {
    let world = world();
    for at_once in [false, true] {
        let node = Node::start_at(&world, Tamper::None, NEWEST, at_once).await;
        let served = Served::start(&world, &[&node], "").await;
        let newest = &world.blocks[NEWEST as usize];
        for name in [
            "chain_getFinalizedHead",
            "chain_getFinalisedHead",
            "duet_getFinalizedHead",
        ] {
            assert_eq!(served.ask(name, json!([])).await, json!(newest.hash));
        }
        assert_eq!(served.ask("chain_getHeader", json!([])).await, newest.json);
        assert_eq!(
            served.ask("chainSpec_v1_genesisHash", json!([])).await,
            json!(world.genesis())
        );
        for number in [0, 1, 4, NEWEST] {
            let block = &world.blocks[number as usize];
            let hash = json!(block.hash);
            assert_eq!(
                served.ask("chain_getBlockHash", json!([number])).await,
                hash
            );
            assert_eq!(
                served.ask("chain_getHeader", json!([hash])).await,
                block.json
            );
            let body = served.ask("chain_getBlock", json!([hash])).await;
            let extrinsics: Vec<_> = block.extrinsics.iter().map(|bytes| hex(bytes)).collect();
            assert_eq!(
                body["block"],
                json!({ "header": block.json, "extrinsics": extrinsics })
            );
            let value = account_info(number);
            assert_eq!(
                served.ask("state_getStorage", json!([key(), hash])).await,
                hex(&value)
            );
            assert_eq!(
                served
                    .ask("state_getStorageSize", json!([key(), hash]))
                    .await,
                value.len()
            );
            let digest = json!(Blake2Hasher::hash(&value));
            assert_eq!(
                served
                    .ask("state_getStorageHash", json!([key(), hash]))
                    .await,
                digest
            );
            assert_eq!(
                served.ask("state_getStorage", json!(["0x77", hash])).await,
                Value::Null
            );
            let proof = served
                .ask("state_getReadProof", json!([[key()], hash]))
                .await;
            let nodes = world.nodes(number as usize, &[account_key()]);
            let nodes: Vec<_> = nodes.iter().map(|node| hex(node)).collect();
            assert_eq!(proof, json!({ "at": hash, "proof": nodes }));
        }
        assert_eq!(
            served.ask("chain_getBlockHash", json!(["0x3"])).await,
            json!(world.blocks[3].hash)
        );
        assert_eq!(
            served.ask("chain_getBlockHash", json!([NEWEST + 1])).await,
            Value::Null
        );
        assert_eq!(
            served
                .ask("system_accountNextIndex", json!([hex(&ACCOUNT)]))
                .await,
            NEWEST
        );
        assert_eq!(
            served
                .ask("account_nextIndex", json!([hex(&[8; 32])]))
                .await,
            0
        );
        let events = hex(&events_key());
        let query = served
            .ask("state_queryStorageAt", json!([[key(), "0x77", events]]))
            .await;
        let expected = json!([
            [key(), hex(&account_info(NEWEST))],
            [events, hex(&vec![NEWEST; 3].encode())],
            ["0x77", null]
        ]);
        assert_eq!(query[0]["block"], json!(newest.hash));
        for change in expected.as_array().expect("an array") {
            let changes = query[0]["changes"].as_array().expect("an array");
            assert!(changes.contains(change) && changes.len() == 3, "{query}");
        }
        assert_eq!(
            node.calls("duet_getProofs") > 2,
            at_once,
            "once without on each connection, and it is known"
        );
        assert_eq!(node.calls("mmr_generateProof") > 0, !at_once);
        served.end().await.expect_code(0);
    }
}

/// The proofs that are given out hold for a light client behind the server.
#[tokio::test(flavor = "multi_thread")]
async fn a_light_client_can_be_pointed_at_it() {
    let world = world();
    let node = Node::start(&world, Tamper::None).await;
    let served = Served::start(&world, &[&node], "").await;
    let (url, file) = (
        format!("ws://{}", served.address),
        checkpoint_file(&world.checkpoint()),
    );
    let checkpoint = file.path().display();
    let account = hex(&ACCOUNT);
    for mode in MODES {
        for (at, number) in [("--at 4", 4), ("", NEWEST)] {
            let args = format!("account {account} --json --checkpoint {checkpoint} --url {url}");
            let finished = Program::run(&format!("{args} {mode} {at}")).await;
            let answer = finished.expect_code(0).named("account").remove(0);
            assert_eq!(
                (&answer["block"], &answer["free"]),
                (&number.into(), &number.to_string().into())
            );
        }
    }
    assert!(
        node.calls("duet_getProofs") <= 2,
        "the node has no such method, on neither connection: the server has"
    );
    served.end().await.expect_code(0);
}

/// What each lie breaks, and what is asked to see it.
fn lies(world: &World) -> Vec<(Tamper, &'static str, &'static str, Value)> {
    let at = json!(world.blocks[5].hash);
    vec![
        (
            Tamper::ChangedBalance,
            "STATE-2",
            "state_getStorage",
            json!([key()]),
        ),
        (
            Tamper::ChangedBalance,
            "STATE-2",
            "state_queryStorageAt",
            json!([[key()], at]),
        ),
        (
            Tamper::ChangedBalance,
            "STATE-2",
            "system_accountNextIndex",
            json!([hex(&ACCOUNT)]),
        ),
        (
            Tamper::OldState,
            "STATE-2",
            "state_getStorage",
            json!([key()]),
        ),
        (
            Tamper::OldState,
            "STATE-2",
            "state_getReadProof",
            json!([[key()]]),
        ),
        (Tamper::OtherPath, "RPC-1", "chain_getBlockHash", json!([4])),
        (Tamper::OtherPath, "RPC-1", "chain_getHeader", json!([at])),
        (
            Tamper::OlderProof,
            "RPC-1",
            "duet_getProofs",
            json!([[key()], null, null, true]),
        ),
        (
            Tamper::FewerExtrinsics,
            "STATE-4",
            "chain_getBlock",
            json!([]),
        ),
        (
            Tamper::OtherTransactionHash,
            "RPC-1",
            "author_submitExtrinsic",
            json!(["0x0402"]),
        ),
    ]
}

/// STATE-2, RPC-3: its length is the request's doing. One is more than a proof of state may have, one more than a message.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_too_long_is_refused_and_no_lie() {
    let world = world();
    for (len, limit) in [(9_000_000, "8388608"), (15_000_000, "28804096")] {
        let huge = Node::start(&world, Tamper::HugeAnswer(len)).await;
        let served = Served::start(&world, &[&huge], "").await;
        for _ in 0..2 {
            let error = served.refusal("state_getStorage", json!([key()])).await;
            assert_eq!(error.code(), 9102, "{error:?}");
            assert_eq!(data(&error)["verdict"], "incomplete");
            let words = format!("no answer of at most {limit} bytes, but one of ");
            assert!(error.message().contains(&words), "{error:?}");
        }
        let finished = served.end().await.expect_code(0);
        assert!(finished.named("endpoint").is_empty());

        let honest = Node::start(&world, Tamper::None).await;
        let served = Served::start(&world, &[&huge, &honest], "").await;
        let answer = served.try_ask("state_getStorage", json!([key()])).await;
        assert!(answer.expect("of the other one").is_string());
        let finished = served.end().await.expect_code(0);
        assert!(finished.named("endpoint").is_empty());
    }
}

/// A list of keys whose answer would be too long is split, and answered whole.
#[tokio::test(flavor = "multi_thread")]
async fn keys_whose_entries_are_too_long_for_one_answer_are_split() {
    let world = world();
    let words = ["word:a", "word:c", "word:b"].map(|word| hex(word.as_bytes()));
    let keys = json!([key(), words[0], words[1], words[2], hex(b"none")]);
    let mut answers = Vec::new();
    for tamper in [Tamper::None, Tamper::OneEntry] {
        let node = Node::start(&world, tamper).await;
        let served = Served::start(&world, &[&node], "").await;
        let before = node.calls("state_getReadProof");
        let values = served.ask("state_queryStorageAt", json!([keys])).await;
        let asked = node.calls("state_getReadProof") - before;
        let mut proof = served.ask("state_getReadProof", json!([keys])).await;
        let nodes = proof["proof"].as_array_mut().expect("nodes");
        nodes.sort_by_key(Value::to_string);
        answers.push((values, proof));
        // Of five keys: five, three and two, two and one, …
        assert_eq!(asked, if tamper == Tamper::None { 1 } else { 9 });
        let finished = served.end().await.expect_code(0);
        assert!(finished.named("endpoint").is_empty());
    }
    assert_eq!(answers[0], answers[1]);
}

/// A lie gives an error that names rule and endpoint, and never a value. With an honest node behind it the answer is
/// the honest one's.
#[tokio::test(flavor = "multi_thread")]
async fn a_lie_is_refused_by_its_rule_and_the_honest_node_asked() {
    let world = world();
    for (tamper, rule, method, values) in lies(&world) {
        let liar = Node::start(&world, tamper).await;
        let served = Served::start(&world, &[&liar], "").await;
        let error = served.refusal(method, values.clone()).await;
        assert_eq!(error.code(), 9101, "{tamper:?} {error:?}");
        let said = data(&error);
        assert_eq!(
            (&said["rule"], &said["endpoint"], &said["verdict"]),
            (&json!(rule), &json!(liar.url), &json!("lied")),
            "{tamper:?} {method}"
        );
        let finished = served.program.finish().await.expect_code(3);
        assert_eq!(finished.named("endpoint").len(), 1);

        let honest = Node::start(&world, Tamper::None).await;
        let truth = Served::start(&world, &[&honest], "").await;
        let expected = truth.ask(method, values.clone()).await;
        let liar = Node::start(&world, tamper).await;
        let served = Served::start(&world, &[&liar, &honest], "").await;
        for _ in 0..2 {
            let answer = served.try_ask(method, values.clone()).await;
            match answer {
                Ok(answer) => assert_eq!(answer, expected, "{tamper:?}"),
                // A transaction is not submitted twice.
                Err(_) => assert_eq!(tamper, Tamper::OtherTransactionHash),
            }
        }
        let finished = served.end().await.expect_code(0);
        let left = finished.named("endpoint");
        let [event] = &left[..] else {
            panic!("one report is expected: {left:?}");
        };
        assert_eq!(
            (&event["url"], &event["verdict"], &event["rule"]),
            (&json!(liar.url), &json!("lied"), &json!(rule))
        );
    }
}

/// STATE-1. Nothing is answered before the header of the newest block is there.
#[tokio::test(flavor = "multi_thread")]
async fn a_head_with_another_header_is_not_served() {
    let world = world();
    let liar = Node::start(&world, Tamper::OtherHeader).await;
    let served = Served::start(&world, &[&liar], "").await;
    let answer: Result<Value, _> = served.try_ask("chain_getHeader", json!([])).await;
    assert!(answer.is_err(), "{answer:?}");
    let finished = served.program.finish().await.expect_code(3);
    assert_eq!(finished.named("endpoint")[0]["rule"], "STATE-1");

    let liar = Node::start(&world, Tamper::OtherHeader).await;
    let honest = Node::start(&world, Tamper::None).await;
    let served = Served::start(&world, &[&liar, &honest], "").await;
    let header = served.ask("chain_getHeader", json!([])).await;
    assert_eq!(header, world.blocks[NEWEST as usize].json);
    served.end().await.expect_code(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_of_another_chain_is_not_asked() {
    let (world, other) = (world(), Arc::new(World::new(NEWEST, 2)));
    let wrong = Node::start(&other, Tamper::None).await;
    let honest = Node::start(&world, Tamper::None).await;
    let served = Served::start(&world, &[&wrong, &honest], "").await;
    let value = served.ask("state_getStorage", json!([key()])).await;
    assert_eq!(value, hex(&account_info(NEWEST)));
    assert_eq!(wrong.calls("state_getReadProof"), 0);
    let finished = served.end().await.expect_code(0);
    assert_eq!(finished.named("endpoint")[0]["verdict"], "other_chain");
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_is_an_error_and_another_node_is_asked_meanwhile() {
    let world = world();
    let silent = Node::start(&world, Tamper::Silence).await;
    let served = Served::start(&world, &[&silent], "--request-timeout 1").await;
    let error = served.refusal("state_getStorage", json!([key()])).await;
    assert_eq!(
        (error.code(), &data(&error)["endpoint"]),
        (9103, &json!(silent.url))
    );
    served.end().await.expect_code(0);

    let honest = Node::start(&world, Tamper::None).await;
    let nodes = [&silent, &honest];
    let served = Served::start(&world, &nodes, "--request-timeout 1").await;
    let asked = silent.calls("state_getReadProof");
    for _ in 0..3 {
        let value = served.ask("state_getStorage", json!([key()])).await;
        assert_eq!(value, hex(&account_info(NEWEST)));
    }
    assert!(
        silent.calls("state_getReadProof") <= asked + 2,
        "it is asked last for a while, but once for the time"
    );
    served.end().await.expect_code(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn state_that_is_pruned_is_missing_and_no_lie() {
    let world = world();
    let pruned = Node::start(&world, Tamper::Pruned).await;
    let served = Served::start(&world, &[&pruned], "").await;
    let error = served.refusal("state_getStorage", json!([key()])).await;
    assert_eq!(error.code(), 9102);
    assert!(
        error.message().contains("--state-pruning archive"),
        "{}",
        error.message()
    );
    assert_eq!(data(&error)["verdict"], "incomplete");
    let header = served.ask("chain_getHeader", json!([])).await;
    assert_eq!(header, world.blocks[NEWEST as usize].json);
    let finished = served.end().await.expect_code(0);
    assert!(finished.named("endpoint").is_empty());
}

/// A node that withholds the newest blocks is left for one that proves them, and every answer is of one block.
#[tokio::test(flavor = "multi_thread")]
async fn a_withheld_head_is_found_by_another_node() {
    let world = world();
    let late = Node::start_at(&world, Tamper::None, 5, false).await;
    let honest = Node::start_at(&world, Tamper::None, 5, false).await;
    let served = Served::start(&world, &[&late, &honest], "--lag-after 0.5").await;
    let mut heads = served
        .subscribe(
            "chain_subscribeFinalizedHeads",
            json!([]),
            "chain_unsubscribeFinalizedHeads",
        )
        .await;
    let first = heads.next().await.expect("open").expect("JSON");
    assert_eq!(first, world.blocks[5].json);
    honest.prove(8);
    let next = tokio::time::timeout(Duration::from_secs(30), heads.next()).await;
    let next = next.expect("in time").expect("open").expect("JSON");
    assert_eq!(next, world.blocks[8].json);
    let query = served.ask("state_queryStorageAt", json!([[key()]])).await;
    assert_eq!(query[0]["block"], json!(world.blocks[8].hash));
    assert_eq!(query[0]["changes"][0][1], hex(&account_info(8)));
    // The one that withheld it is judged after the new head is told.
    let finished = served.end_after("\"endpoint\"").await.expect_code(0);
    assert_eq!(finished.named("endpoint")[0]["verdict"], "lagging");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_that_a_node_names_before_it_is_proven_is_waited_for() {
    let world = world();
    let node = Node::start_at(&world, Tamper::None, 5, false).await;
    let served = Served::start(&world, &[&node], "").await;
    assert_eq!(
        served.ask("chain_getFinalizedHead", json!([])).await,
        json!(world.blocks[5].hash)
    );
    let early = served.ask("chain_getHeader", json!([world.blocks[7].hash]));
    let proving = async {
        // It is asked before the block is proven.
        while node.calls("chain_getHeader") < 4 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        node.prove(8);
    };
    let (header, ()) = tokio::join!(early, proving);
    assert_eq!(header, world.blocks[7].json);
    served.end().await.expect_code(0);
}

/// STATE-2. First all entries, then those that changed, each time of one block.
#[tokio::test(flavor = "multi_thread")]
async fn subscribers_of_state_get_what_changed_from_one_proven_block_to_the_next() {
    let world = world();
    let node = Node::start_at(&world, Tamper::None, 3, false).await;
    let served = Served::start(&world, &[&node], "").await;
    let same = hex(&7_u32.to_be_bytes());
    let mut changes = served
        .subscribe(
            "state_subscribeStorage",
            json!([[key(), same]]),
            "state_unsubscribeStorage",
        )
        .await;
    let mut proofs = served
        .subscribe(
            "duet_subscribeJustifications",
            json!([]),
            "duet_unsubscribeJustifications",
        )
        .await;
    for (number, len) in [(3, 2), (4, 1), (6, 1)] {
        node.prove(number);
        let set = changes.next().await.expect("open").expect("JSON");
        assert_eq!(set["block"], json!(world.blocks[number as usize].hash));
        let all = set["changes"].as_array().expect("an array");
        assert_eq!(all.len(), len, "{set}");
        assert!(
            all.contains(&json!([key(), hex(&account_info(number))])),
            "{set}"
        );
        let proof = proofs.next().await.expect("open").expect("JSON");
        assert_eq!(proof, hex(&world.justification(number).encode()));
    }
    served.end().await.expect_code(0);
}

/// Of a transaction only the end is proven, and it is only said when it is.
#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_is_called_final_when_a_proven_block_has_it_and_not_before() {
    let world = world();
    let transaction = world.blocks[7].extrinsics[1].clone();
    for (tamper, is_honest) in [(Tamper::None, true), (Tamper::FalselyFinal, false)] {
        let node = Node::start_at(&world, tamper, 5, false).await;
        let served = Served::start(&world, &[&node], "").await;
        let hash = served
            .ask("author_submitExtrinsic", json!([hex(&transaction)]))
            .await;
        assert_eq!(hash, json!(Blake2Hasher::hash(&transaction)));
        let mut said = served
            .subscribe(
                "author_submitAndWatchExtrinsic",
                json!([hex(&transaction)]),
                "author_unwatchExtrinsic",
            )
            .await;
        assert_eq!(said.next().await.expect("open").expect("JSON"), "ready");
        let in_block = said.next().await.expect("open").expect("JSON");
        assert!(in_block["inBlock"].is_string());
        let early = tokio::time::timeout(Duration::from_millis(300), said.next()).await;
        assert!(early.is_err(), "the block is not proven: {early:?}");
        node.prove(8);
        let last = said.next().await;
        if is_honest {
            let last = last.expect("open").expect("JSON");
            assert_eq!(last, json!({ "finalized": world.blocks[7].hash }));
            served.end().await.expect_code(0);
        } else {
            assert!(!matches!(last, Some(Ok(_))), "{last:?}");
            let finished = served.program.finish().await.expect_code(3);
            assert_eq!(finished.named("endpoint")[0]["rule"], "RPC-1");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_text_of_what_is_passed_through_is_escaped_and_cut() {
    let world = world();
    let node = Node::start(&world, Tamper::None).await;
    let served = Served::start(&world, &[&node], "").await;
    let chain = served.ask("system_chain", json!([])).await;
    assert_eq!(chain, r"\u{1b}[2J\r\nsynced to block 7");
    let error = served.refusal("system_version", json!([])).await;
    assert_eq!(
        (error.code(), error.message()),
        (4003, r"\u{1b}[2J\r\nsynced to block 7")
    );
    let said = data(&error);
    assert_eq!(
        (&said["class"], &said["endpoint"]),
        (&json!("passed"), &json!(node.url))
    );
    let text = said["data"].as_str().expect("text");
    assert!(
        text.len() < 1_000 && !text.contains(char::is_control),
        "{text}"
    );
    assert!(FORGED.contains(char::is_control));
    served.end().await.expect_code(0);

    let strict = Served::start(&world, &[&node], "--strict").await;
    for method in ["system_chain", "system_version"] {
        let error = strict.refusal(method, json!([])).await;
        assert_eq!(
            (error.code(), &data(&error)["class"]),
            (-32601, &json!("refused")),
            "{method}"
        );
        assert!(error.message().contains("--strict"), "{}", error.message());
    }
    let transaction = json!(["0x0402"]);
    assert!(strict
        .ask("author_submitExtrinsic", transaction)
        .await
        .is_string());
    strict.end().await.expect_code(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_is_refused_with_its_reason_and_not_listed() {
    let world = world();
    let node = Node::start(&world, Tamper::None).await;
    let served = Served::start(&world, &[&node], "").await;
    let listed = served.ask("rpc_methods", json!([])).await;
    let listed: Vec<_> = listed["methods"].as_array().expect("a list").clone();
    for (method, why) in [
        ("childstate_getStorage", "child tries"),
        ("author_rotateKeys", "operator"),
        ("chainHead_v2_follow", "not supported"),
        ("no_such\u{1b}", "not supported"),
    ] {
        let error = served.refusal(method, json!([])).await;
        assert_eq!(error.code(), -32601, "{method}");
        assert!(error.message().contains(why), "{}", error.message());
        assert!(!error.message().contains('\u{1b}'));
        assert!(!listed.contains(&json!(method)));
    }
    // Whatever is listed is there: without its parameters it says what it lacks.
    for method in &listed {
        let method = method.as_str().expect("a name");
        let answer: Result<Value, _> = served.try_ask(method, json!([{}])).await;
        if let Err(jsonrpsee::core::client::Error::Call(error)) = answer {
            let is_ours = data(&error)["class"] == "refused";
            assert!(!is_ours, "{method}: {error:?}");
        }
    }
    for (method, values) in [
        ("state_getStorage", json!([])),
        ("state_getStorage", json!(["no hex"])),
        ("state_getStorage", json!([hex(&[1; 1_025])])),
        ("state_getKeys", json!(["no hex"])),
        // A byte too many: a node would take the transaction without it, and answer with another hash.
        ("author_submitExtrinsic", json!(["0x040200"])),
        ("transaction_v1_broadcast", json!(["0x0802"])),
        ("state_queryStorageAt", json!([vec!["0x01"; 257]])),
        ("chain_getBlockHash", json!([[1, 2]])),
        ("system_accountNextIndex", json!(["5Grw"])),
    ] {
        let error = served.refusal(method, values).await;
        assert_eq!(error.code(), -32602, "{method}: {error:?}");
    }
    served.end().await.expect_code(0);
}

/// A block that is not of the proven chain is none, whatever its header says.
#[tokio::test(flavor = "multi_thread")]
async fn a_hash_that_no_node_knows_is_missing() {
    let world = world();
    let node = Node::start(&world, Tamper::None).await;
    let served = Served::start(&world, &[&node], "").await;
    let error = served
        .refusal("chain_getHeader", json!([H256::repeat_byte(9)]))
        .await;
    assert!([9102, 9103].contains(&error.code()), "{error:?}");
    served.end().await.expect_code(0);
}
