//! Requests that are wrong, and a node that refuses or ends.

use crate::chain::{within, Chain};
use alloy::providers::Provider;
use duet_evm_node::Address;
use serde_json::{json, Value};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

#[tokio::test]
async fn wrong_parameters_are_answered_with_an_error() {
    let chain = Chain::by_hand().await;
    let address = Address::ZERO;
    let cases = [
        ("eth_getBalance", json!([])),
        ("eth_getBalance", json!(["0x12"])),
        ("eth_getBalance", json!([address, "yesterday"])),
        ("eth_getBalance", json!({ "address": address })),
        ("eth_getBalance", json!([[[[]]]])),
        ("eth_getCode", json!([null])),
        (
            "eth_getTransactionCount",
            json!([address, "0x1ffffffffffffffffffff"]),
        ),
        ("eth_getBlockByNumber", json!([])),
        ("eth_getBlockByNumber", json!([-1, true])),
        ("eth_getBlockByHash", json!(["0x00", false])),
        ("eth_call", json!([])),
        ("eth_call", json!([7])),
        ("eth_call", json!([{ "to": "nobody" }])),
        (
            "eth_estimateGas",
            json!([{ "gas": "0xfffffffffffffffffffff" }]),
        ),
        ("eth_sendRawTransaction", json!([])),
        ("eth_sendRawTransaction", json!(["02"])),
        ("eth_sendRawTransaction", json!(["0xzz"])),
        ("eth_getTransactionReceipt", json!(["0x"])),
        ("eth_getTransactionByHash", json!([1])),
        ("eth_getLogs", json!([[]])),
        ("eth_getLogs", json!([{ "topics": [[], [], [], [], []] }])),
        ("eth_feeHistory", json!(["many", "latest"])),
    ];
    for (method, params) in cases {
        let name = format!("{method} {params}");
        let error = chain.error(method, params).await;
        assert!([-32602, -32000].contains(&error.code), "{name}: {error:?}");
    }
    let error = chain.error("eth_mineAll", json!([])).await;
    assert_eq!(error.code, -32601);
    assert_eq!(
        chain
            .client
            .get_block_number()
            .await
            .expect("it still answers"),
        0
    );
}

#[tokio::test]
async fn extreme_numbers_are_no_panic() {
    let chain = Chain::by_hand().await;
    let most = format!("0x{}", "f".repeat(64));
    let request = json!({
        "from": chain.alice,
        "to": chain.bob,
        "value": most,
        "gas": "0xffffffffffffffff",
        "maxFeePerGas": "0xffffffffffffffffffffffffffffffff",
        "maxPriorityFeePerGas": "0xffffffffffffffffffffffffffffffff",
        "nonce": "0xffffffffffffffff",
    });
    for method in ["eth_call", "eth_estimateGas"] {
        let error = chain.error(method, json!([request, "latest"])).await;
        assert_eq!(error.code, -32000, "{method}: {error:?}");
    }
    let history = json!(["0xffffffffffffffff", "earliest", []]);
    chain
        .call::<_, Value>("eth_feeHistory", history)
        .await
        .expect("an answer");
    let range = json!([{ "fromBlock": "0x0", "toBlock": "0xffffffffffffffff" }]);
    let logs: Vec<Value> = chain.call("eth_getLogs", range).await.expect("an answer");
    assert!(logs.is_empty());
}

/// Sends bytes over HTTP, and reads the answer to its end.
async fn post(chain: &Chain, body: &[u8]) -> String {
    let address = chain.node.url().trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    // The node may answer, and close, before it has read all.
    let _ = stream.write_all(body).await;
    let mut answer = Vec::new();
    let _ = within(stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn wrong_bodies_are_answered_with_an_error() {
    let chain = Chain::by_hand().await;
    for body in ["", "{", "[]", "null", "{\"jsonrpc\":\"2.0\"}", "\u{0}"] {
        let answer = post(&chain, body.as_bytes()).await;
        assert!(
            answer.starts_with("HTTP/1.1 ") && answer.contains("error"),
            "{body}: {answer}"
        );
    }
    let deep = "[".repeat(100_000);
    assert!(post(&chain, deep.as_bytes()).await.starts_with("HTTP/1.1 "));
    let valid = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_blockNumber" });
    let answer = post(&chain, valid.to_string().as_bytes()).await;
    assert!(answer.contains("\"result\":\"0x0\""), "{answer}");
    let batch = json!([valid, valid]).to_string();
    assert_eq!(
        post(&chain, batch.as_bytes())
            .await
            .matches("\"result\"")
            .count(),
        2
    );
    let batch = json!(vec![valid; 101]).to_string();
    assert!(!post(&chain, batch.as_bytes()).await.contains("\"result\""));
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let chain = Chain::by_hand().await;
    let answer = post(&chain, &vec![b' '; 3 * 1024 * 1024]).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[tokio::test]
async fn a_refusing_node_answers_everything_with_an_internal_error() {
    let chain = Chain::by_hand().await;
    chain.node.set_refusing(true);
    for method in [
        "eth_chainId",
        "eth_call",
        "eth_sendRawTransaction",
        "eth_getLogs",
    ] {
        let error = chain.error(method, json!([])).await;
        assert_eq!(
            (error.code, &error.message[..]),
            (-32603, "the node is overloaded")
        );
    }
    chain.node.set_refusing(false);
    assert_eq!(chain.client.get_chain_id().await.expect("an answer"), 31337);
}

#[tokio::test]
async fn a_dropped_node_listens_no_more() {
    let Chain { node, .. } = Chain::by_hand().await;
    let address = node.url().trim_start_matches("http://").to_owned();
    TcpStream::connect(&address).await.expect("it listens");
    drop(node);
    within(async { while TcpStream::connect(&address).await.is_ok() {} }).await;
}
