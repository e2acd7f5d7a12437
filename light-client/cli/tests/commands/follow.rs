//! `serve`: the methods of the new JSON-RPC interface, `chainHead_v1_*`, `archive_v1_*` and `transaction*_v1_*`.

use crate::support::{
    account_info, account_key, data, hex, other_value, params, Node, Served, Tamper, World,
};
use duet_primitives::H256;
use jsonrpsee::{
    core::client::{ClientT, Error, Subscription, SubscriptionClientT, SubscriptionKind},
    ws_client::WsClientBuilder,
};
use serde_json::{json, Value};
use sp_core::{Blake2Hasher, Hasher};
use std::{sync::Arc, time::Duration};

const BEGIN: &str = "chainHead_v1_follow";
const END: &str = "chainHead_v1_unfollow";
const WITHIN: Duration = Duration::from_secs(30);

async fn next(events: &mut Subscription<Value>) -> Value {
    let event = tokio::time::timeout(WITHIN, events.next()).await;
    let event = event.expect("in time").expect("it goes on");
    event.expect("JSON")
}

/// The events of an operation up to its end.
async fn operation(events: &mut Subscription<Value>, started: &Value) -> Vec<Value> {
    assert_eq!(started["result"], "started", "{started}");
    let mut all = Vec::new();
    loop {
        let event = next(events).await;
        assert_eq!(event["operationId"], started["operationId"], "{event}");
        let name = event["event"].as_str().expect("a name").to_owned();
        all.push(event);
        if name.ends_with("Done") || name == "operationError" {
            return all;
        }
    }
}

/// A subscription, and its id.
async fn follow(served: &Served) -> (Subscription<Value>, Value) {
    let events = served.subscribe(BEGIN, json!([false]), END).await;
    let id = match events.kind() {
        SubscriptionKind::Subscription(id) => json!(id),
        other => panic!("{other:?}"),
    };
    (events, id)
}

#[tokio::test(flavor = "multi_thread")]
async fn each_proven_block_is_new_and_best_and_finalized_in_order() {
    let world = Arc::new(World::new(9, 1));
    let node = Node::start_at(&world, Tamper::None, 4, true).await;
    let served = Served::start(&world, &[&node], "--strict").await;
    let hash = |number: usize| json!(world.blocks[number].hash);
    let (mut events, id) = follow(&served).await;
    let first = json!({ "event": "initialized", "finalizedBlockHashes": [hash(4)] });
    assert_eq!(next(&mut events).await, first);
    let best = |number| json!({ "event": "bestBlockChanged", "bestBlockHash": hash(number) });
    assert_eq!(next(&mut events).await, best(4));

    node.prove(7);
    for number in 5..=7 {
        let new = json!({
            "event": "newBlock",
            "blockHash": hash(number),
            "parentBlockHash": hash(number - 1),
            "newRuntime": null,
        });
        assert_eq!(next(&mut events).await, new);
    }
    assert_eq!(next(&mut events).await, best(7));
    let finalized = json!({
        "event": "finalized",
        "finalizedBlockHashes": [hash(5), hash(6), hash(7)],
        "prunedBlockHashes": [],
    });
    assert_eq!(next(&mut events).await, finalized);

    let header = served
        .ask("chainHead_v1_header", json!([id, hash(6)]))
        .await;
    assert_eq!(header, hex(&world.blocks[6].header));
    // All or none are unpinned.
    let refused = json!([id, [hash(6), hash(8)]]);
    assert_eq!(
        served.refusal("chainHead_v1_unpin", refused).await.code(),
        -32801
    );
    served
        .ask("chainHead_v1_unpin", json!([id, [hash(6), hash(4)]]))
        .await;
    for number in [4, 6, 8] {
        let error = served
            .refusal("chainHead_v1_header", json!([id, hash(number)]))
            .await;
        assert_eq!(error.code(), -32801, "{number}");
    }
    events.unsubscribe().await.expect("it ends");
    // Of a subscription that has ended nothing is known, as soon as the server sees the end.
    let ended = async {
        loop {
            let params = json!([id, hash(7)]);
            if served.ask("chainHead_v1_header", params).await.is_null() {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(WITHIN, ended).await.expect("in time");
    let body = served.ask("chainHead_v1_body", json!([id, hash(7)])).await;
    assert_eq!(body, json!({ "result": "limitReached" }));
}

/// STATE-2, STATE-4.
#[tokio::test(flavor = "multi_thread")]
async fn bodies_and_entries_of_a_pinned_block_come_as_events_of_an_operation() {
    let world = Arc::new(World::new(9, 1));
    let node = Node::start_at(&world, Tamper::None, 9, true).await;
    let served = Served::start(&world, &[&node], "--strict").await;
    let (mut events, id) = follow(&served).await;
    for _ in 0..2 {
        next(&mut events).await;
    }
    let hash = world.blocks[9].hash;
    let started = served.ask("chainHead_v1_body", json!([id, hash])).await;
    let done = operation(&mut events, &started).await;
    let extrinsics: Vec<_> = world.blocks[9]
        .extrinsics
        .iter()
        .map(|bytes| hex(bytes))
        .collect();
    assert_eq!(done[0]["value"], json!(extrinsics));

    let (key, value) = (hex(&account_key()), account_info(9));
    let items = json!([
        { "key": key, "type": "value" },
        { "key": "0xabcd", "type": "value" },
        { "key": key, "type": "hash" },
    ]);
    let started = served
        .ask("chainHead_v1_storage", json!([id, hash, items, null]))
        .await;
    let told = operation(&mut events, &started).await;
    let expected = json!([
        { "key": key, "value": hex(&value) },
        { "key": key, "hash": Blake2Hasher::hash(&value) },
    ]);
    assert_eq!(told[0]["items"], expected);
    assert_eq!(told[1]["event"], "operationStorageDone");
    for wrong in [
        json!([id, hash, [{ "key": key, "type": "other" }]]),
        json!([id, hash, items, "0xabcd"]),
        json!([id, hash, vec![&items[0]; 257]]),
    ] {
        assert_eq!(
            served.refusal("chainHead_v1_storage", wrong).await.code(),
            -32602
        );
    }
}

/// STATE-2.
#[tokio::test(flavor = "multi_thread")]
async fn a_false_entry_ends_an_operation_and_is_not_told() {
    let world = Arc::new(World::new(9, 1));
    let liar = Node::start_at(&world, Tamper::ChangedBalance, 9, true).await;
    let served = Served::start(&world, &[&liar], "--strict").await;
    let (mut events, id) = follow(&served).await;
    for _ in 0..2 {
        next(&mut events).await;
    }
    let items = json!([{ "key": hex(&account_key()), "type": "value" }]);
    let params = json!([id, world.blocks[9].hash, items, null]);
    let started = served.ask("chainHead_v1_storage", params).await;
    let told = operation(&mut events, &started).await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["event"], "operationError");
    let why = told[0]["error"].as_str().expect("text");
    assert!(why.contains("STATE-2"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_has_a_bounded_number_of_follow_subscriptions() {
    let world = Arc::new(World::new(9, 1));
    let node = Node::start_at(&world, Tamper::None, 9, true).await;
    let served = Served::start(&world, &[&node], "").await;
    let mut all = Vec::new();
    for _ in 0..4 {
        all.push(follow(&served).await);
    }
    match served.try_subscribe(BEGIN, json!([false]), END).await {
        Err(Error::Call(error)) => assert_eq!(error.code(), -32800),
        other => panic!("{other:?}"),
    }
    // Others have as many.
    let other = WsClientBuilder::default()
        .build(format!("ws://{}", served.address))
        .await;
    let other = other.expect("it listens");
    for _ in 0..4 {
        let params = params(&json!([false]));
        let begun: Result<Subscription<Value>, _> = other.subscribe(BEGIN, params, END).await;
        all.push((begun.expect("it is accepted"), Value::Null));
    }
    drop(all.split_off(4));
    let (first, _) = all.pop().expect("four");
    first.unsubscribe().await.expect("it ends");
    // The seat is free when the server has seen the end.
    let again = async {
        loop {
            match served.try_subscribe(BEGIN, json!([false]), END).await {
                Ok(events) => return events,
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    tokio::time::timeout(WITHIN, again).await.expect("in time");
}

/// STATE-1 to STATE-4.
#[tokio::test(flavor = "multi_thread")]
async fn blocks_and_entries_are_read_by_hash_from_the_archive() {
    let world = Arc::new(World::new(9, 1));
    let node = Node::start_at(&world, Tamper::None, 9, true).await;
    let served = Served::start(&world, &[&node], "--strict").await;
    let genesis = served.ask("archive_v1_genesisHash", json!([])).await;
    assert_eq!(genesis, json!(world.genesis()));
    assert_eq!(served.ask("archive_v1_finalizedHeight", json!([])).await, 9);
    for number in [1_u32, 4, 9] {
        let block = &world.blocks[number as usize];
        let hashes = served.ask("archive_v1_hashByHeight", json!([number])).await;
        assert_eq!(hashes, json!([block.hash]));
        let header = served.ask("archive_v1_header", json!([block.hash])).await;
        assert_eq!(header, hex(&block.header));
        let body = served.ask("archive_v1_body", json!([block.hash])).await;
        let extrinsics: Vec<_> = block.extrinsics.iter().map(|bytes| hex(bytes)).collect();
        assert_eq!(body, json!(extrinsics));
        let items = json!([{ "key": hex(&account_key()), "type": "value" }]);
        let params = json!([block.hash, items, null]);
        let mut events = served
            .subscribe("archive_v1_storage", params, "archive_v1_stopStorage")
            .await;
        let item = json!({
            "event": "storage",
            "key": hex(&account_key()),
            "value": hex(&account_info(number)),
        });
        assert_eq!(next(&mut events).await, item);
        assert_eq!(next(&mut events).await, json!({ "event": "storageDone" }));
    }
    assert_eq!(
        served.ask("archive_v1_hashByHeight", json!([10])).await,
        json!([])
    );
    let forged = world.forged(5).blocks[6].hash;
    let error = served.refusal("archive_v1_header", json!([forged])).await;
    assert_eq!(data(&error)["block"], Value::Null, "{error:?}");
    let unknown: H256 = H256::repeat_byte(9);
    let params = json!([unknown, [], null]);
    let mut events = served
        .subscribe("archive_v1_storage", params, "archive_v1_stopStorage")
        .await;
    assert_eq!(next(&mut events).await["event"], "storageError");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broadcast_is_submitted_and_has_an_id() {
    let world = Arc::new(World::new(9, 1));
    let node = Node::start_at(&world, Tamper::None, 9, true).await;
    let served = Served::start(&world, &[&node], "--strict").await;
    let id = served
        .ask("transaction_v1_broadcast", json!(["0x0402"]))
        .await;
    assert!(id.is_string(), "{id}");
    assert_eq!(node.calls("author_submitExtrinsic"), 1);
    assert_eq!(
        served.ask("transaction_v1_stop", json!([id])).await,
        Value::Null
    );
}

/// The first two bytes of the keys of fifty entries.
const MANY: [u8; 2] = [0, 0];

/// STATE-2.
#[tokio::test(flavor = "multi_thread")]
async fn lists_of_keys_are_complete_whatever_a_node_lists() {
    let world = Arc::new(World::new(9, 1));
    for tamper in [Tamper::None, Tamper::FewerKeys] {
        let node = Node::start_at(&world, tamper, 9, true).await;
        let served = Served::start(&world, &[&node], "--strict").await;
        let hash = world.blocks[9].hash;
        let keys: Vec<_> = world
            .keys_under(9, &MANY)
            .iter()
            .map(|key| hex(key))
            .collect();
        assert_eq!(keys.len(), 50);
        for page in keys.chunks(20) {
            let after = keys
                .iter()
                .position(|key| *key == page[0])
                .expect("it is there");
            let after = after.checked_sub(1).map(|before| keys[before].clone());
            let params = json!([hex(&MANY), 20, after, hash]);
            let answer = served.ask("state_getKeysPaged", params).await;
            assert_eq!(answer, json!(page));
        }
        // All keys come after one that sorts before the prefix.
        let below = json!([hex(&MANY), 20, "0x00", hash]);
        let first = served.ask("state_getKeysPaged", below).await;
        assert_eq!(first, json!(keys[..20]));
        let last = json!([hex(&MANY), 20, keys[49], hash]);
        assert_eq!(served.ask("state_getKeysPaged", last).await, json!([]));
        let all = served.ask("state_getKeys", json!([hex(&MANY), hash])).await;
        assert_eq!(all, json!(keys));
        let pairs = served.ask("state_getPairs", json!([hex(&MANY)])).await;
        let value = |key: &Vec<u8>| hex(&world.value(9, key).expect("it is there"));
        let expected = world.keys_under(9, &MANY);
        let expected: Vec<_> = expected.iter().map(|key| [hex(key), value(key)]).collect();
        assert_eq!(pairs, json!(expected));
        // A prefix that is a key itself, and one that no key has.
        let one = served.ask("state_getKeysPaged", json!([keys[7], 5])).await;
        assert_eq!(one, json!([keys[7]]));
        let none = served
            .ask("state_getKeysPaged", json!(["0xabcdef", 5]))
            .await;
        assert_eq!(none, json!([]));
        let error = served
            .refusal("state_getKeysPaged", json!([keys[7], 1_001]))
            .await;
        assert_eq!(error.code(), -32602);

        let (mut events, id) = follow(&served).await;
        for _ in 0..2 {
            next(&mut events).await;
        }
        let items = json!([
            { "key": hex(&MANY), "type": "descendantsValues" },
            { "key": hex(&MANY), "type": "closestDescendantMerkleValue" },
            { "key": "0xabcdef", "type": "closestDescendantMerkleValue" },
        ]);
        let started = served
            .ask("chainHead_v1_storage", json!([id, hash, items]))
            .await;
        let told = operation(&mut events, &started).await;
        let entry = |(other, key): (u32, &String)| json!({ "key": key, "value": hex(&other_value(1, other)) });
        let entries: Value = (0..).zip(&keys).map(entry).collect();
        assert_eq!(told[0]["items"], entries);
        assert_eq!(told[1]["items"][0]["key"], hex(&MANY));
        assert!(told[1]["items"][0]["closestDescendantMerkleValue"].is_string());
        assert_eq!(told[2]["event"], "operationStorageDone");
    }
}

/// STATE-4.
#[tokio::test(flavor = "multi_thread")]
async fn a_watched_transaction_is_final_where_its_block_has_it() {
    let world = Arc::new(World::new(9, 1));
    for (tamper, is_final) in [(Tamper::None, true), (Tamper::FalselyFinal, false)] {
        let node = Node::start_at(&world, tamper, 9, true).await;
        let served = Served::start(&world, &[&node], "--strict").await;
        let block = &world.blocks[6];
        let (method, end) = (
            "transactionWatch_v1_submitAndWatch",
            "transactionWatch_v1_unwatch",
        );
        let params = json!([hex(&block.extrinsics[2])]);
        let mut events = served.subscribe(method, params, end).await;
        assert_eq!(next(&mut events).await, json!({ "event": "validated" }));
        let last = tokio::time::timeout(WITHIN, events.next())
            .await
            .expect("in time");
        let expected = json!({ "event": "finalized", "block": { "hash": block.hash, "index": 2 } });
        match last {
            Some(Ok(event)) if is_final => assert_eq!(event, expected),
            other => assert!(!is_final, "{other:?}"),
        }
    }
}

/// A node that does not answer keeps operations running.
#[tokio::test(flavor = "multi_thread")]
async fn operations_are_bounded_for_a_subscription_and_in_all() {
    let world = Arc::new(World::new(9, 1));
    let silent = Node::start_at(&world, Tamper::Silence, 9, true).await;
    // So that none ends before all are begun.
    let served = Served::start(&world, &[&silent], "--request-timeout 30").await;
    let hash = world.blocks[9].hash;
    let items = json!([{ "key": hex(&account_key()), "type": "value" }]);
    let (mut clients, mut begun) = (Vec::new(), Vec::new());
    // Four connections take all seats, and nothing is left for a fifth.
    for connection in 0..5 {
        let client = WsClientBuilder::default()
            .build(format!("ws://{}", served.address))
            .await;
        let client = client.expect("it listens");
        for _ in 0..4 {
            let mut events: Subscription<Value> = client
                .subscribe(BEGIN, params(&json!([false])), END)
                .await
                .expect("it is accepted");
            // The first blocks are pinned with the first event.
            assert_eq!(next(&mut events).await["event"], "initialized");
            let SubscriptionKind::Subscription(id) = events.kind() else {
                panic!("a subscription");
            };
            let storage = params(&json!([id, hash, items]));
            for operation in 0..17 {
                let method = "chainHead_v1_storage";
                let answer: Value = client
                    .request(method, storage.clone())
                    .await
                    .expect("it is known");
                let expected = match operation < 16 && connection < 4 {
                    true => "started",
                    false => "limitReached",
                };
                assert_eq!(answer["result"], expected, "{connection} {operation}");
            }
            begun.push(events);
        }
        clients.push(client);
    }
}
