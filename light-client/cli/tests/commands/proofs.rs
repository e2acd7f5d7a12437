//! The reading commands against nodes that give all parts of a proof in one answer, and against those that do not.

use crate::support::{
    account_info, account_key, checkpoint_file, events_key, hex, urls, Finished, Node, Program,
    Tamper, World, ACCOUNT, CHILD, FOREIGN, FROZEN, MODES,
};
use codec::{Decode, Encode};
use duet_light_client::{BlockProof, Mode, Trusted, Update};
use duet_primitives::{SetId, UncheckedJustification};
use serde_json::{json, Value};
use sp_core::{Blake2Hasher, Hasher};
use std::sync::Arc;

const NEWEST: u32 = 9;
const OLDER: u32 = 4;

fn world() -> Arc<World> {
    Arc::new(World::new(NEWEST, 1))
}

async fn ask(world: &World, question: &str, nodes: &[&Node]) -> Finished {
    let checkpoint = checkpoint_file(&world.checkpoint());
    let path = checkpoint.path().display();
    let urls = urls(nodes.iter().map(|node| &node.url));
    Program::run(&format!("{question} --json --checkpoint {path}{urls}")).await
}

fn bytes(text: &Value) -> Vec<u8> {
    let text = text.as_str().expect("bytes");
    hex::decode(text.strip_prefix("0x").expect("0x")).expect("hex")
}

/// STATE-1 to STATE-3. The answer is the same, however its parts came.
#[tokio::test(flavor = "multi_thread")]
async fn one_question_is_asked_where_the_node_has_it_and_else_one_for_each_part() {
    let world = world();
    let account = hex(&ACCOUNT);
    for mode in MODES {
        for (at, number) in [("--at 4", OLDER), ("", NEWEST)] {
            let mut answers = Vec::new();
            for at_once in [true, false] {
                let node = Node::start_at(&world, Tamper::None, NEWEST, at_once).await;
                let question = format!("account {account} {mode} {at}");
                let finished = ask(&world, &question, &[&node]).await;
                let mut answer = finished.expect_code(0).named("account").remove(0);
                assert_eq!(answer["free"], number.to_string());
                assert_eq!(
                    node.calls("duet_getProofs"),
                    2,
                    "for the time, and for this"
                );
                for of in ["state_getReadProof", "time"] {
                    assert_eq!(node.calls(of), usize::from(!at_once), "{of}");
                }
                let path = usize::from(!at_once && number != NEWEST);
                assert_eq!(node.calls("mmr_generateProof"), path);
                // Another node, asked a moment later.
                answer["url"] = Value::Null;
                answer["head_age"] = Value::Null;
                answers.push(answer);
            }
            assert_eq!(answers[0], answers[1]);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_is_absent_frozen_or_foreign_and_a_child_trie_are_shown_as_they_are() {
    let world = world();
    let node = Node::start(&world, Tamper::None).await;
    for (account, exists, amounts) in [(FROZEN, true, ["0", "5", "9"]), ([1; 32], false, ["0"; 3])]
    {
        let finished = ask(&world, &format!("account {}", hex(&account)), &[&node]).await;
        let answer = finished.expect_code(0).named("account").remove(0);
        assert_eq!(answer["exists"], exists);
        let shown = ["free", "reserved", "frozen"].map(|name| answer[name].as_str().expect("text"));
        assert_eq!(shown, amounts);
    }
    let checkpoint = checkpoint_file(&world.checkpoint());
    let from = format!(
        "--checkpoint {} --url {}",
        checkpoint.path().display(),
        node.url
    );
    for (account, text) in [
        (FROZEN, "frozen    9  of free and reserved together"),
        ([1; 32], "the state after block 9 has no account 0x01"),
    ] {
        let line = format!("account {} {from}", hex(&account));
        let finished = Program::run(&line).await.expect_code(0);
        assert!(finished.stdout.contains(text), "{}", finished.stdout);
    }
    let foreign = ask(&world, &format!("account {}", hex(&FOREIGN)), &[&node]).await;
    let message = foreign.expect_code(2).message();
    assert!(message.contains("another account format"), "{message}");

    let inside = [CHILD, b"inside"].concat();
    for (key, value) in [(CHILD, json!(hex(&[5; 32]))), (&inside, Value::Null)] {
        let finished = ask(&world, &format!("storage {}", hex(key)), &[&node]).await;
        let answer = finished.expect_code(0).named("storage").remove(0);
        assert_eq!(answer["value"], value);
    }
}

/// A stranger can check the parts again.
#[tokio::test(flavor = "multi_thread")]
async fn every_part_of_the_proof_is_printed() {
    let world = world();
    let node = Node::start_at(&world, Tamper::None, NEWEST, true).await;
    let question = format!("storage {} --at 4", hex(&account_key()));
    let finished = ask(&world, &question, &[&node]).await;
    let answer = finished.expect_code(0).named("storage").remove(0);
    assert_eq!(answer["value"], hex(&account_info(OLDER)));
    assert_eq!(answer["length"], account_info(OLDER).len());
    assert_eq!(answer["events"], Value::Null);

    let trusted = Trusted::from_checkpoint(world.checkpoint(), Mode::Full).expect("a checkpoint");
    let keys = world.set.set.keyset().key_bytes();
    let trusted = trusted.with_keys(SetId::new(0), &keys).expect("its keys");
    let proof = &answer["proof"];
    let justification = UncheckedJustification::decode(&mut &bytes(&proof["justification"])[..]);
    let update = Update::from(justification.expect("a justification"));
    let verified = trusted.verify_prefix(&[update]).remove(0).trusted;
    let [leaves, path] = ["leaves", "proof"].map(|part| bytes(&proof["path"][part]));
    let path = BlockProof::from_rpc(&leaves, &path).expect("a path");
    let block = path.check(&verified.best_block()).expect("it is final");
    let header = block.header(&bytes(&proof["header"])).expect("its header");
    let nodes: Vec<_> = proof["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .map(bytes)
        .collect();
    let key = account_key();
    let entries = header.read(&[&key], &nodes).expect("they prove it");
    assert_eq!(entries[0].value(), Some(&account_info(OLDER)[..]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_events_of_a_block_are_printed_by_their_name_and_counted() {
    let world = world();
    let node = Node::start(&world, Tamper::None).await;
    let finished = ask(&world, "storage --name System.Events", &[&node]).await;
    let answer = finished.expect_code(0).named("storage").remove(0);
    let events = vec![NEWEST; 3].encode();
    assert_eq!(
        (&answer["key"], &answer["name"]),
        (&json!(hex(&events_key())), &json!("System.Events"))
    );
    assert_eq!(
        (&answer["value"], &answer["events"]),
        (&json!(hex(&events)), &json!(3))
    );
    assert_eq!(answer["length"], events.len());

    for wrong in [
        "storage",
        "storage --name System",
        "storage 0x00 --name A.B",
    ] {
        ask(&world, wrong, &[&node]).await.expect_code(2);
    }
}

/// One node per byte of a part, which flips a bit of it, and an honest one behind them all: each is reported with its
/// rule and dropped, and the honest one's answer is given.
async fn flip_every_byte(part: &'static str, len: usize, rules: &[&str], question: &str) {
    let world = world();
    let mut liars = Vec::new();
    for at in 0..len {
        let tamper = Tamper::FlippedByte { part, at };
        liars.push(Node::start_at(&world, tamper, NEWEST, true).await);
    }
    let honest = Node::start_at(&world, Tamper::None, NEWEST, true).await;
    let nodes: Vec<_> = liars.iter().chain([&honest]).collect();
    let finished = ask(&world, question, &nodes).await;
    let finished = finished.expect_code(0);
    let names = [&json!("account"), &json!("transaction")];
    let mut answers = finished.events();
    answers.retain(|event| names.contains(&&event["event"]));
    let [answer] = &answers[..] else {
        panic!("one answer is expected: {answers:?}");
    };
    assert_eq!(answer["url"], honest.url.as_str());
    assert!(
        answer["free"] == "4" || answer["included"] == true,
        "{answer}"
    );
    let left = finished.named("endpoint");
    assert_eq!(left.len(), len, "{part}: each liar is reported once");
    for (at, (event, liar)) in left.iter().zip(&liars).enumerate() {
        assert_eq!(event["url"], liar.url.as_str());
        let rule = event["rule"].as_str().expect("a rule");
        assert!(
            event["verdict"] == "lied" && rules.contains(&rule),
            "{part}, byte {at}: {event}"
        );
    }
}

fn account() -> String {
    format!("account {} --at 4", hex(&ACCOUNT))
}

fn transaction() -> String {
    let extrinsic = &world().blocks[OLDER as usize].extrinsics[1];
    format!("tx {:?} --at 4", Blake2Hasher::hash(extrinsic))
}

/// For both verbs, which ask for the same parts and another one each.
async fn flip(part: &'static str, len: usize, rules: &[&str]) {
    for question in [account(), transaction()] {
        flip_every_byte(part, len, rules, &question).await;
    }
}

/// STATE-1.
#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_bit_in_any_byte_of_the_header_is_refused() {
    let len = world().blocks[OLDER as usize].header.len();
    flip("header", len, &["STATE-1"]).await;
}

/// STATE-2.
#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_bit_in_any_byte_of_a_trie_node_is_refused() {
    let len = world().nodes(OLDER as usize, &[account_key()])[0].len();
    flip_every_byte("nodes", len, &["STATE-2"], &account()).await;
}

/// STATE-4.
#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_bit_in_any_byte_of_the_extrinsics_is_refused() {
    let len = world().blocks[OLDER as usize].extrinsics.concat().len();
    flip_every_byte("extrinsics", len, &["STATE-4"], &transaction()).await;
}

/// STATE-3. What does not decode as the path of one block is another answer than was asked for.
#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_bit_in_any_byte_of_the_path_is_refused() {
    let (leaves, path) = world().path(OLDER, NEWEST);
    flip("leaves", leaves.len(), &["STATE-3", "RPC-1"]).await;
    flip("path", path.len(), &["STATE-3", "RPC-1"]).await;
}

/// It proves nothing that is not known, and is checked all the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_bit_in_any_byte_of_the_proof_that_comes_along_is_refused() {
    let rules = [
        "ENC-1", "ENC-3", "ENC-4", "ENC-6", "JUST-1", "JUST-3", "JUST-4", "JUST-5", "LIGHT-4",
        "LIGHT-5", "LIGHT-6", "LIGHT-7", "RPC-1",
    ];
    let len = world().justification(NEWEST).encode().len();
    flip_every_byte("proof", len, &rules, &account()).await;
}

/// What is wrong with one part, and with a node that does not have it.
#[tokio::test(flavor = "multi_thread")]
async fn parts_of_another_block_are_refused_by_their_rules() {
    let world = world();
    let question = account();
    for (tamper, verdict, rule) in [
        (Tamper::ChangedBalance, "lied", Some("STATE-2")),
        (Tamper::OldState, "lied", Some("STATE-2")),
        (Tamper::OtherHeader, "lied", Some("STATE-1")),
        (Tamper::OtherPath, "lied", Some("RPC-1")),
        (Tamper::Pruned, "incomplete", None),
    ] {
        for at_once in [true, false] {
            if tamper == Tamper::OtherHeader && !at_once {
                // Its head is false then, too, which is found first.
                continue;
            }
            let liar = Node::start_at(&world, tamper, NEWEST, at_once).await;
            let honest = Node::start_at(&world, Tamper::None, NEWEST, at_once).await;
            let code = if rule.is_some() { 3 } else { 6 };
            let alone = ask(&world, &question, &[&liar]).await;
            let alone = alone.expect_code(code);
            assert!(alone.named("account").is_empty(), "{tamper:?}");
            let both = ask(&world, &question, &[&liar, &honest]).await;
            let both = both.expect_code(0);
            let event = both.named("endpoint").remove(0);
            assert_eq!(
                (
                    &event["url"],
                    event["verdict"].as_str(),
                    event["rule"].as_str()
                ),
                (&json!(liar.url), Some(verdict), rule),
                "{tamper:?}"
            );
            assert_eq!(both.named("account")[0]["free"], "4");
        }
    }
}
