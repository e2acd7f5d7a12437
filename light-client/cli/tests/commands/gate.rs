//! Who `serve` lets in, and how much of it anybody gets.

use crate::support::{data, Node, Served, Tamper, World};
use jsonrpsee::core::client::{ClientT, SubscriptionClientT};
use serde_json::{json, Value};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

fn world() -> Arc<World> {
    Arc::new(World::new(5, 1))
}

const BODY: &str = r#"{"jsonrpc":"2.0","id":1,"method":"chain_getFinalizedHead","params":[]}"#;

/// Sends one request over HTTP, and gives what comes.
pub(crate) async fn http(address: &str, first: &str, headers: &[&str], body: &str) -> String {
    let mut connection = TcpStream::connect(address).await.expect("it listens");
    let mut request = format!("{first}\r\n");
    for header in headers {
        request.push_str(&format!("{header}\r\n"));
    }
    request.push_str(&format!(
        "content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    ));
    connection
        .write_all(request.as_bytes())
        .await
        .expect("it is open");
    let mut answer = String::new();
    let read = connection.read_to_string(&mut answer);
    let read = tokio::time::timeout(Duration::from_secs(30), read).await;
    read.expect("in time").expect("text");
    answer
}

const POST: &str = "POST / HTTP/1.1";
const JSON: &str = "content-type: application/json";

#[tokio::test(flavor = "multi_thread")]
async fn a_page_in_a_browser_and_a_rebound_name_are_refused() {
    let world = world();
    let node = Node::start(&world, Tamper::None).await;
    let more = "--allow-origin https://wallet.example --allow-host box.example";
    let served = Served::start(&world, &[&node], more).await;
    let post = |headers: &'static [&'static str]| http(&served.address, POST, headers, BODY);
    let head = format!("{:?}", world.blocks[5].hash);
    for headers in [
        &["host: localhost", JSON][..],
        &["host: 127.0.0.1:9955", JSON],
        &["host: box.example", JSON],
    ] {
        let answer = post(headers).await;
        assert!(
            answer.starts_with("HTTP/1.1 200") && answer.contains(&head),
            "{answer}"
        );
        assert!(!answer.contains("access-control"), "{answer}");
    }
    for headers in [
        &["host: evil.example", JSON][..],
        &["host: localhost", "origin: https://evil.example", JSON],
        &["host: localhost", "origin: null", JSON],
    ] {
        let answer = post(headers).await;
        assert!(
            answer.starts_with("HTTP/1.1 403") && !answer.contains(&head),
            "{answer}"
        );
    }
    let page = "origin: https://wallet.example";
    let upgrade = [
        "host: localhost",
        "origin: https://evil.example",
        "connection: upgrade",
        "upgrade: websocket",
    ];
    let refused = http(&served.address, "GET / HTTP/1.1", &upgrade, "").await;
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    let answer = post(&["host: localhost", "origin: https://wallet.example", JSON]).await;
    assert!(
        answer.contains("access-control-allow-origin: https://wallet.example"),
        "{answer}"
    );
    assert!(answer.contains(&head), "{answer}");
    let asks = http(
        &served.address,
        "OPTIONS / HTTP/1.1",
        &["host: localhost", page],
        "",
    )
    .await;
    assert!(
        asks.starts_with("HTTP/1.1 204") && asks.contains("allow-headers: content-type"),
        "{asks}"
    );
    served.end().await.expect_code(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_gets_so_many_subscriptions_and_requests_and_no_more() {
    let world = world();
    let node = Node::start(&world, Tamper::None).await;
    let served = Served::start(&world, &[&node], "").await;
    let begin = ("chain_subscribeNewHeads", "chain_unsubscribeNewHeads");
    let mut all = Vec::new();
    for _ in 0..32 {
        all.push(served.subscribe(begin.0, json!([]), begin.1).await);
    }
    let none = jsonrpsee::core::params::ArrayParams::new;
    let more = served
        .client
        .subscribe::<Value, _>(begin.0, none(), begin.1)
        .await;
    assert!(more.is_err(), "one too many");
    drop(all);

    let mut batch = jsonrpsee::core::params::BatchRequestBuilder::new();
    for _ in 0..33 {
        batch
            .insert("chain_getFinalizedHead", none())
            .expect("JSON");
    }
    assert!(
        served.client.batch_request::<Value>(batch).await.is_err(),
        "one too many"
    );
    served.end().await.expect_code(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_beyond_those_that_are_answered_at_a_time_are_refused_at_once() {
    let world = world();
    let silent = Node::start(&world, Tamper::Silence).await;
    let served = Served::start(&world, &[&silent], "--request-timeout 3").await;
    served.ask("chain_getFinalizedHead", json!([])).await;
    let asked = (0..40).map(|_| served.refusal("state_getStorage", json!(["0x01"])));
    let mut tasks = Vec::new();
    for request in asked {
        tasks.push(Box::pin(request));
    }
    let mut codes = Vec::new();
    for error in join_all(tasks).await {
        codes.push(error.code());
        let expected = if error.code() == 9105 {
            Value::Null
        } else {
            json!(silent.url)
        };
        assert_eq!(data(&error)["endpoint"], expected);
    }
    let busy = codes.iter().filter(|code| **code == 9105).count();
    assert_eq!((busy, codes.len()), (8, 40), "{codes:?}");
    served.end().await.expect_code(0);
}

/// All of them at the same time, in one task.
async fn join_all<F: std::future::Future + Unpin>(mut futures: Vec<F>) -> Vec<F::Output> {
    let mut done = Vec::new();
    std::future::poll_fn(move |context| {
        futures.retain_mut(|future| match std::pin::Pin::new(future).poll(context) {
            std::task::Poll::Ready(output) => {
                done.push(output);
                false
            }
            std::task::Poll::Pending => true,
        });
        if futures.is_empty() {
            std::task::Poll::Ready(std::mem::take(&mut done))
        } else {
            std::task::Poll::Pending
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_too_many_is_closed_and_the_others_live_on() {
    let world = world();
    let node = Node::start(&world, Tamper::None).await;
    let served = Served::start(&world, &[&node], "").await;
    served.ask("chain_getFinalizedHead", json!([])).await;
    let mut idle = Vec::new();
    for _ in 0..127 {
        idle.push(
            TcpStream::connect(&served.address)
                .await
                .expect("it listens"),
        );
    }
    let mut more = TcpStream::connect(&served.address)
        .await
        .expect("the kernel accepts");
    let mut byte = [0];
    let read = tokio::time::timeout(Duration::from_secs(30), more.read(&mut byte)).await;
    assert!(
        matches!(read.expect("in time"), Ok(0) | Err(_)),
        "it is closed"
    );
    served.ask("chain_getFinalizedHead", json!([])).await;
    drop(idle);
    served.end().await.expect_code(0);
}

/// Sends a WebSocket message over and over, reads nothing, and says how many bytes were taken until no more were.
async fn flood(address: &str, message: &str) -> usize {
    let mut client = TcpStream::connect(address).await.expect("it listens");
    let handshake = "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                     sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
    let handshake = client.write_all(handshake.as_bytes()).await;
    handshake.expect("it is open");
    let length = u16::try_from(message.len()).expect("short").to_be_bytes();
    // A mask that changes nothing.
    let frame = [&[0x81, 0xfe], &length[..], &[0; 4], message.as_bytes()].concat();
    let frames = frame.repeat(FLOOD / 64 / frame.len());
    let mut sent = 0;
    while sent < FLOOD {
        let write = tokio::time::timeout(Duration::from_secs(5), client.write_all(&frames)).await;
        let Ok(written) = write else { break };
        written.expect("it is open");
        sent += frames.len();
    }
    sent
}

/// Far more than the buffers of two sockets.
const FLOOD: usize = 64 * 1024 * 1024;

/// A client that asks and takes no answers is not read, so that nothing piles up.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_takes_no_answers_is_not_read() {
    let world = world();
    let node = Node::start(&world, Tamper::None).await;
    // Nobody reads its output here, either.
    let served = Served::start(&world, &[&node], "--quiet").await;
    served.ask("chain_getFinalizedHead", json!([])).await;
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"rpc_methods","params":[]}"#;
    let batch = format!("[{}]", vec![request; 32].join(","));
    let padded = format!("{request:<200}");
    for message in [padded, batch] {
        let sent = flood(&served.address, &message).await;
        assert!(sent < FLOOD, "all was read: {sent} bytes");
        served.ask("chain_getFinalizedHead", json!([])).await;
    }
    served.end().await.expect_code(0);
}
