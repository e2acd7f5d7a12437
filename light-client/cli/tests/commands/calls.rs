//! Calls of the runtime, by the commands and by `serve`: executed over what nodes prove, whatever they say of the
//! outcome. (STATE-5 to STATE-8)

use crate::support::{
    account_info, account_key, checkpoint_file, code, data, hex, urls, Finished, Folder, Node,
    Program, Served, Tamper, World, FIRST_WORD,
};
use codec::Encode;
use serde_json::{json, Value};
use sp_core::{Blake2Hasher, Hasher};
use std::sync::Arc;

const NEWEST: u32 = 9;
/// An extrinsic of three bytes, with its length in front.
const EXTRINSIC: &str = "0x0c010203";

fn world() -> Arc<World> {
    Arc::new(World::new(NEWEST, 1))
}

async fn run(world: &World, question: &str, nodes: &[&Node]) -> Finished {
    let checkpoint = checkpoint_file(&world.checkpoint());
    let path = checkpoint.path().display();
    let urls = urls(nodes.iter().map(|node| &node.url));
    Program::run(&format!("{question} --checkpoint {path}{urls}")).await
}

async fn ask(world: &World, question: &str, nodes: &[&Node]) -> Value {
    let finished = run(world, &format!("{question} --json"), nodes).await;
    finished.expect_code(0).named("call").remove(0)
}

fn some(value: &[u8]) -> String {
    hex(&Some(value).encode())
}

/// STATE-5, STATE-6.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_executed_over_the_entries_of_the_block_that_is_asked_about() {
    let world = world();
    let node = Node::start(&world, Tamper::None).await;
    for (at, number) in [("", NEWEST), ("--at 4", 4)] {
        let question = format!("call get {} {at}", hex(&account_key()));
        let answer = ask(&world, &question, &[&node]).await;
        assert_eq!(answer["output"], some(&account_info(number)));
        assert_eq!(answer["block"], number);
        assert_eq!(answer["code"], json!(Blake2Hasher::hash(&code())));
        assert_eq!(
            (&answer["entries"], &answer["requests"]),
            (&json!(1), &json!(2))
        );
        assert_eq!(answer["url"], node.url.as_str());
        // The proof does not repeat the code.
        let bytes = answer["proof_bytes"].as_u64().expect("a number");
        assert!(bytes < 3_000, "{bytes}");
    }
    let next = format!("call next {}", hex(b"word:a"));
    assert_eq!(
        ask(&world, &next, &[&node]).await["output"],
        some(b"word:c")
    );
    let absent = format!("call get {}", hex(b"word:b"));
    assert_eq!(ask(&world, &absent, &[&node]).await["output"], "0x00");
    assert_eq!(node.calls("state_call"), 0);
}

/// STATE-2. False code, a false entry, a false absence and a false next key; the outcome itself is nobody's word.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_lies_about_what_a_call_reads_is_reported_and_left() {
    let world = world();
    let honest = Node::start(&world, Tamper::None).await;
    let (get, next) = (
        format!("call get {}", hex(b"word:a")),
        format!("call next {}", hex(b"word:a")),
    );
    for (tamper, question, output) in [
        (
            Tamper::Changed("ext_storage_get_version_1"),
            &get,
            some(FIRST_WORD.as_bytes()),
        ),
        (
            Tamper::Changed(FIRST_WORD),
            &get,
            some(FIRST_WORD.as_bytes()),
        ),
        (Tamper::NoWords, &get, some(FIRST_WORD.as_bytes())),
        (Tamper::NoWords, &next, some(b"word:c")),
        (Tamper::OldState, &get, some(FIRST_WORD.as_bytes())),
    ] {
        let liar = Node::start(&world, tamper).await;
        let alone = run(
            &world,
            &format!("{question} --json --give-up-after 3"),
            &[&liar],
        )
        .await;
        let alone = alone.expect_code(3);
        let left = alone.named("endpoint").remove(0);
        assert_eq!(
            (&left["verdict"], &left["rule"]),
            (&json!("lied"), &json!("STATE-2"))
        );
        assert!(alone.named("call").is_empty());
        let both = run(&world, &format!("{question} --json"), &[&liar, &honest]).await;
        let both = both.expect_code(0);
        assert_eq!(both.named("endpoint")[0]["url"], liar.url.as_str());
        let answer = both.named("call").remove(0);
        assert_eq!(
            (&answer["output"], &answer["url"]),
            (&json!(output), &json!(honest.url))
        );
    }
}

/// STATE-5.
#[tokio::test(flavor = "multi_thread")]
async fn the_code_is_kept_beside_the_state_and_fetched_once() {
    let (world, folder) = (world(), Folder::new());
    let state = folder.text("state");
    let question = format!("call get {} --state {state}", hex(b"word:a"));
    let mut requests = Vec::new();
    for damaged in [false, false, true] {
        let kept = format!("{state}.code");
        if damaged {
            std::fs::write(&kept, b"other code").expect("written");
        }
        let node = Node::start(&world, Tamper::None).await;
        let answer = ask(&world, &question, &[&node]).await;
        assert_eq!(answer["output"], some(FIRST_WORD.as_bytes()));
        assert_eq!(std::fs::read(&kept).expect("it was kept"), code());
        requests.push(node.calls("state_getReadProof"));
    }
    // Both continued from the same state.
    assert_eq!(requests[1] + 1, requests[2]);
}

/// What a function read in the last run is proven in the first request, and the file is no more than a hint.
#[tokio::test(flavor = "multi_thread")]
async fn the_keys_that_a_call_read_are_kept_for_the_next_run() {
    let (world, folder) = (world(), Folder::new());
    let (state, node) = (
        folder.text("state"),
        Node::start(&world, Tamper::None).await,
    );
    let kept = format!("{state}.keys");
    let requests = |question: &'static str, key: &'static [u8], output| {
        let question = format!("call {question} {} --state {state}", hex(key));
        let (world, node) = (&world, &node);
        async move {
            let answer = ask(world, &question, &[node]).await;
            assert_eq!(answer["output"], some(output));
            answer["requests"].clone()
        }
    };
    let first = FIRST_WORD.as_bytes();
    assert_eq!(requests("get", b"word:a", first).await, 2);
    assert_eq!(requests("get", b"word:a", first).await, 1);
    assert_eq!(requests("next", b"word:a", b"word:c").await, 3);
    assert_eq!(requests("next", b"word:a", b"word:c").await, 1);
    assert_eq!(requests("get", b"word:a", first).await, 1);
    let good = std::fs::read(&kept).expect("it was kept");
    std::fs::write(&kept, &good[1..]).expect("written");
    assert_eq!(requests("get", b"word:a", first).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn people_get_the_output_alone_and_a_fee_in_words() {
    let world = world();
    let node = Node::start(&world, Tamper::None).await;
    let print = |question: String| {
        let (world, node) = (Arc::clone(&world), &node);
        async move { run(&world, &question, &[node]).await.expect_code(0).stdout }
    };
    let echo = print("call echo 0x010203 --quiet".to_owned()).await;
    assert_eq!(echo, "0x010203\n");
    let metadata = print("metadata --quiet".to_owned()).await;
    assert_eq!(metadata, format!("{}\n", hex(b"meta")));
    let fee = print(format!("fee {EXTRINSIC} --quiet")).await;
    let expected =
        "fee       8\nclass     operational\nweight    5 ps, 3 bytes of proof\nblock     9  0x";
    assert!(fee.starts_with(expected), "{fee}");
    let fee = ask(&world, &format!("fee {EXTRINSIC}"), &[&node]).await;
    let shown = ["fee", "class", "ref_time", "proof_size"].map(|name| fee[name].clone());
    assert_eq!(
        shown,
        [json!("8"), json!("operational"), json!(5), json!(3)]
    );
}

/// STATE-7, STATE-8. No node is to blame.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_without_an_outcome_ends_with_its_reason() {
    let world = world();
    let node = Node::start(&world, Tamper::None).await;
    let other = Node::start(&world, Tamper::None).await;
    for (question, code, reason) in [
        (
            "call panic 0x1b5b324a",
            2,
            r"the runtime panicked: \u{1b}[2J",
        ),
        ("call trap", 2, "the runtime stopped"),
        (
            "call no_such_function",
            2,
            "the runtime has no function no_such_function",
        ),
        ("call no-name", 2, "is not the name"),
        (
            "call root",
            6,
            "STATE-7: the runtime asks for the root of the changed state",
        ),
        ("call child 0x01", 6, "STATE-7"),
        ("call look_for_ever 0x01", 6, "STATE-8"),
    ] {
        let finished = run(&world, &format!("{question} --json"), &[&node, &other]).await;
        let finished = finished.expect_code(code);
        let message = finished.message();
        assert!(message.contains(reason), "{message}");
        assert!(finished.named("endpoint").is_empty(), "{message}");
    }
}

/// STATE-5 to STATE-8.
#[tokio::test(flavor = "multi_thread")]
async fn serve_executes_calls_also_when_strict() {
    let world = world();
    let liar = Node::start(&world, Tamper::Changed(FIRST_WORD)).await;
    let node = Node::start(&world, Tamper::None).await;
    let served = Served::start(&world, &[&node], "--strict").await;
    let get = |key: &[u8]| json!(["get", hex(key)]);
    let ask = |method: &'static str, values| served.ask(method, values);
    assert_eq!(
        ask("state_call", get(&account_key())).await,
        some(&account_info(NEWEST))
    );
    let at = json!(["get", hex(&account_key()), world.blocks[4].hash]);
    assert_eq!(ask("state_call", at).await, some(&account_info(4)));
    assert_eq!(ask("state_getMetadata", json!([])).await, hex(b"meta"));
    let version = json!({
        "specName": "test", "implName": "test", "authoringVersion": 1, "specVersion": 7, "implVersion": 0,
        "apis": [], "transactionVersion": 1, "systemVersion": 1, "stateVersion": 1,
    });
    for method in ["state_getRuntimeVersion", "chain_getRuntimeVersion"] {
        assert_eq!(ask(method, json!([])).await, version);
    }
    let fee = ask("payment_queryInfo", json!([EXTRINSIC])).await;
    let weight = json!({ "ref_time": 5, "proof_size": 3 });
    assert_eq!(
        fee,
        json!({ "weight": weight, "class": "operational", "partialFee": "8" })
    );
    let details = ask("payment_queryFeeDetails", json!([EXTRINSIC])).await;
    let parts = json!({ "baseFee": "0x8", "lenFee": "0x2", "adjustedWeightFee": "0x0" });
    assert_eq!(details, json!({ "inclusionFee": parts }));
    let (begin, end) = (
        "state_subscribeRuntimeVersion",
        "state_unsubscribeRuntimeVersion",
    );
    let mut versions = served.subscribe(begin, json!([]), end).await;
    assert_eq!(versions.next().await.expect("open").expect("JSON"), version);
    for (method, code, reason) in [("panic", 9107, "panicked"), ("root", 9107, "STATE-7")] {
        let error = served.refusal("state_call", json!([method, "0x"])).await;
        assert_eq!(error.code(), code);
        assert!(error.message().contains(reason), "{error:?}");
    }
    assert_eq!(node.calls("state_call"), 0);
    served.end().await.expect_code(0);

    let served = Served::start(&world, &[&liar], "").await;
    let error = served.refusal("state_call", get(b"word:a")).await;
    assert_eq!(
        (error.code(), &data(&error)["rule"]),
        (9101, &json!("STATE-2"))
    );
    served.program.finish().await.expect_code(3);
}

/// What a function read last time is proven together with the code, and the code is fetched once.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_proven_in_one_request_the_second_time() {
    let world = world();
    let node = Node::start(&world, Tamper::None).await;
    let served = Served::start(&world, &[&node], "").await;
    let mut requests = vec![node.calls("state_getReadProof")];
    for _ in 0..3 {
        served
            .ask("state_call", json!(["get", hex(b"word:a")]))
            .await;
        requests.push(node.calls("state_getReadProof"));
    }
    let of_each: Vec<_> = requests.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(
        of_each[0] >= 3,
        "which code, the code, the entry: {of_each:?}"
    );
    assert_eq!(of_each[1..], [1, 1]);
    served.end().await.expect_code(0);
}
