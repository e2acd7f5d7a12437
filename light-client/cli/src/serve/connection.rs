//! One connection, from its first byte to its last, and how much it gets.

use crate::serve::{
    flow::Flow,
    gate::{Allowed, Gate},
    limits::{Limits, Shared, REQUESTS_PER_CONNECTION},
    socket::{Socket, IDLE},
};
use jsonrpsee::server::{
    middleware::rpc::RpcService, serve_with_graceful_shutdown, BatchRequestConfig, Methods,
    PingConfig, RandomStringIdProvider, RpcServiceBuilder, ServerBuilder, StopHandle,
};
use std::sync::{
    atomic::{AtomicU32, Ordering},
    Arc,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::Semaphore,
};

/// How many connections there may be at a time.
pub(crate) const CONNECTIONS: u32 = 128;
/// How many subscriptions one may have.
const SUBSCRIPTIONS: u32 = 32;
/// How many requests one message may have.
const BATCH: u32 = 32;
/// The longest request. A transaction with new code for the runtime has some MiB.
const MAX_REQUEST: u32 = 16 * 1024 * 1024;
/// The longest answer: the longest answer of a node, with its envelope.
const MAX_ANSWER: u32 = 32 * 1024 * 1024;
/// How many messages may wait for one connection.
const WAITING: u32 = 16;

/// The number of the next connection, by which its subscriptions are counted.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// The state that all connections share.
#[derive(Clone)]
pub(crate) struct Listening {
    pub(crate) methods: Methods,
    pub(crate) allowed: Arc<Allowed>,
    pub(crate) shared: Shared,
    pub(crate) stop: StopHandle,
}

/// Serves a connection, which takes a seat, to its end.
pub(crate) async fn serve_connection<T, S>(connection: T, seat: S, listening: Listening)
where
    T: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    S: Send + Unpin + 'static,
{
    let Listening {
        methods,
        allowed,
        shared,
        stop,
    } = listening;
    let flow = Arc::new(Flow::new(Arc::clone(&shared.budget)));
    let watched = Arc::clone(&flow);
    let requests = Arc::new(Semaphore::new(REQUESTS_PER_CONNECTION));
    let limits = RpcServiceBuilder::new().layer_fn(move |service: RpcService| {
        watched.watch(&service);
        let (requests, flow) = (Arc::clone(&requests), Arc::clone(&watched));
        Limits::new(service, shared.clone(), requests, flow)
    });
    let service = ServerBuilder::default()
        .max_connections(CONNECTIONS)
        .max_request_body_size(MAX_REQUEST)
        .max_response_body_size(MAX_ANSWER)
        // The flow has one.
        .max_subscriptions_per_connection(SUBSCRIPTIONS.saturating_add(1))
        .set_batch_request_config(BatchRequestConfig::Limit(BATCH))
        .set_message_buffer_capacity(WAITING)
        .set_id_provider(RandomStringIdProvider::new(16))
        .enable_ws_ping(PingConfig::new())
        .set_rpc_middleware(limits)
        .to_service_builder()
        .connection_id(NEXT.fetch_add(1, Ordering::Relaxed))
        .build(methods, stop.clone());
    let gate = Gate::new(service, allowed, Arc::clone(&flow));
    let socket = Socket::new(connection, seat, flow, IDLE);
    let served = serve_with_graceful_shutdown(socket, gate, stop.shutdown());
    // Whoever breaks the connection off does not want an answer.
    let _ = served.await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        output::Output,
        serve::{
            flow::{self, UNDER_WAY},
            limits::{REQUESTS, WITHIN},
        },
    };
    use jsonrpsee::{
        server::{stop_channel, RpcModule, ServerHandle},
        types::ErrorObjectOwned,
    };
    use serde_json::{json, Value};
    use std::{future::Future, pin::pin, task::Poll, time::Duration};
    use tokio::io::{duplex, split, AsyncReadExt, AsyncWriteExt, DuplexStream};

    /// The client's end of a connection in memory. No more than `pipe` bytes are between the two.
    struct Client {
        stream: DuplexStream,
        _server: Option<ServerHandle>,
    }

    fn methods() -> Methods {
        let mut module = RpcModule::new(());
        flow::register(&mut module).expect("no name twice");
        module
            .register_method("state_getStorage", |params, _, _| {
                let (length,): (usize,) = params.parse()?;
                Ok::<_, ErrorObjectOwned>("a".repeat(length))
            })
            .expect("no name twice");
        module
            .register_async_method("state_call", |_, _, _| std::future::pending::<Value>())
            .expect("no name twice");
        module.into()
    }

    /// A server whose requests end `within` this time.
    fn listening(within: Duration) -> (Listening, ServerHandle) {
        let (stop, server) = stop_channel();
        let listening = Listening {
            methods: methods(),
            allowed: Arc::default(),
            shared: Shared::new(within, false, Output::new(false, true)),
            stop,
        };
        (listening, server)
    }

    fn connect(pipe: usize, within: Duration) -> Client {
        let (listening, server) = listening(within);
        connect_to(pipe, listening, Some(server))
    }

    fn connect_to(pipe: usize, listening: Listening, server: Option<ServerHandle>) -> Client {
        let (ours, stream) = duplex(pipe);
        tokio::spawn(serve_connection(ours, (), listening));
        Client {
            stream,
            _server: server,
        }
    }

    async fn open(pipe: usize, within: Duration) -> Client {
        upgrade(connect(pipe, within)).await
    }

    async fn upgrade(mut client: Client) -> Client {
        let handshake =
            "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
        client.write(handshake.as_bytes()).await;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(client.stream.read_u8().await.expect("an answer"));
        }
        assert!(head.starts_with(b"HTTP/1.1 101"), "{head:?}");
        client
    }

    impl Client {
        async fn write(&mut self, bytes: &[u8]) {
            self.stream.write_all(bytes).await.expect("it is open");
        }

        /// Sends a message and returns the next one.
        async fn ask(&mut self, message: &str) -> Value {
            let (mut from, mut to) = split(&mut self.stream);
            let message = frame(message);
            // One that is too long is answered before all of it is read.
            let (sent, answer) = tokio::join!(to.write_all(&message), receive(&mut from));
            sent.expect("it is open");
            serde_json::from_slice(&answer).expect("JSON")
        }
    }

    fn request(method: &str, params: &Value) -> String {
        json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
    }

    /// A WebSocket message of a client; its mask changes nothing.
    fn frame(message: &str) -> Vec<u8> {
        let mut frame = vec![0x81];
        match message.len() {
            length @ 0..126 => frame.push(0x80 | u8::try_from(length).expect("short")),
            length => {
                frame.push(0xff);
                frame.extend(u64::try_from(length).expect("short").to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(message.as_bytes());
        frame
    }

    /// The next message that is no ping.
    async fn receive(from: &mut (impl AsyncReadExt + Unpin)) -> Vec<u8> {
        loop {
            let kind = from.read_u8().await.expect("a frame");
            let length = match from.read_u8().await.expect("a frame") {
                126 => u64::from(from.read_u16().await.expect("a frame")),
                127 => from.read_u64().await.expect("a frame"),
                short => u64::from(short),
            };
            let mut message = vec![0; usize::try_from(length).expect("short")];
            from.read_exact(&mut message).await.expect("a frame");
            if kind == 0x81 {
                return message;
            }
        }
    }

    /// A future's result, unless everything left in this runtime waits for something else.
    async fn before_all_is_quiet<F: Future>(future: F) -> Option<F::Output> {
        let mut future = pin!(future);
        for _ in 0..1_000 {
            let polled = std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context)));
            if let Poll::Ready(output) = polled.await {
                return Some(output);
            }
            tokio::task::yield_now().await;
        }
        None
    }

    /// A client that sends `message` again and again is not read while it takes no answers, and gets all of them when
    /// it does.
    async fn flood(message: &str, pipe: usize) {
        let mut client = open(pipe, WITHIN).await;
        let answer = client.ask(message).await.to_string().len();
        let message = frame(message);
        // What the pipe takes of the answers, the one that is being written, what waits, what is under way, and what
        // is in the buffers for reading.
        let taken = pipe / answer + 8 * 1024 / answer + 1 + WAITING as usize + UNDER_WAY;
        let most = taken * message.len() + 3 * 8 * 1024 + pipe;
        let messages = 2 * most / message.len() + 1;
        let all = message.repeat(messages);
        let mut sent = 0;
        while let Some(more) = before_all_is_quiet(client.stream.write(&all[sent..])).await {
            sent += more.expect("it is open");
            assert!(sent <= most, "{sent} bytes were read, not {most}");
        }
        let (mut from, mut to) = split(client.stream);
        let rest = tokio::spawn(async move {
            to.write_all(&all[sent..]).await.expect("it is open");
        });
        for _ in 0..messages {
            let next = tokio::time::timeout(WITHIN, receive(&mut from)).await;
            assert!(!next.expect("in time").is_empty());
        }
        rest.await.expect("no panic");
    }

    #[tokio::test]
    async fn a_client_that_takes_no_answers_is_not_read() {
        let long = request("state_getStorage", &json!([3_000]));
        let refused = request("author_rotateKeys", &json!([]));
        for message in [&long, &refused, "{}", "what does not parse"] {
            for pipe in [1024, 256 * 1024] {
                flood(message, pipe).await;
            }
        }
    }

    #[tokio::test]
    async fn a_client_that_takes_no_answers_to_batches_is_not_read() {
        let one = request("state_getStorage", &json!([300]));
        let batch = format!("[{}]", vec![one; BATCH as usize].join(","));
        for message in [&batch, "[1]"] {
            for pipe in [1024, 256 * 1024] {
                flood(message, pipe).await;
            }
        }
    }

    #[tokio::test]
    async fn notifications_which_have_no_answer_take_no_room() {
        let mut client = open(1024, WITHIN).await;
        let notification = json!({ "jsonrpc": "2.0", "method": "state_getStorage" }).to_string();
        let batch = format!("[{notification},{notification}]");
        for message in [notification, batch] {
            let all = frame(&message).repeat(2 * UNDER_WAY);
            client.write(&all).await;
        }
        let answer = client.ask(&request("state_getStorage", &json!([1]))).await;
        assert_eq!(answer["result"], "a");
    }

    #[tokio::test]
    async fn no_client_reaches_the_subscription_that_shows_the_queue() {
        let mut client = open(1024, WITHIN).await;
        for method in flow::QUEUE {
            let answer = client.ask(&request(method, &json!([]))).await;
            assert_eq!(answer["error"]["code"], -32601);
        }
    }

    #[tokio::test]
    async fn a_request_that_is_too_long_by_a_byte_is_refused() {
        let padded = |length: usize| {
            let mut message = request("state_getStorage", &json!([1]));
            message.push_str(&" ".repeat(length - message.len()));
            message
        };
        let longest = usize::try_from(MAX_REQUEST).expect("it fits");
        let mut client = open(1 << 20, WITHIN).await;
        assert_eq!(client.ask(&padded(longest)).await["result"], "a");
        let answer = client.ask(&padded(longest + 1)).await;
        assert_eq!(answer["error"]["code"], -32007, "{answer}");
        for (length, expected) in [(longest, "HTTP/1.1 200"), (longest + 1, "HTTP/1.1 413")] {
            let client = connect(1 << 20, WITHIN);
            let head = format!(
                "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                 content-length: {length}\r\n\r\n"
            );
            let (mut from, mut to) = split(client.stream);
            let post = tokio::spawn(async move {
                // It is not read to its end when it is refused.
                let _ = to.write_all((head + &padded(length)).as_bytes()).await;
            });
            let mut status = [0; 12];
            from.read_exact(&mut status).await.expect("an answer");
            assert_eq!(String::from_utf8_lossy(&status), expected);
            post.abort();
        }
    }

    #[tokio::test]
    async fn an_answer_that_is_too_long_by_a_byte_is_not_sent() {
        let around = json!({ "jsonrpc": "2.0", "id": 1, "result": "" });
        let longest = usize::try_from(MAX_ANSWER).expect("it fits") - around.to_string().len();
        let asked = |length: usize| request("state_getStorage", &json!([length]));
        let mut client = open(1 << 20, WITHIN).await;
        let answer = client.ask(&asked(longest)).await;
        assert_eq!(answer["result"].as_str().map(str::len), Some(longest));
        let answer = client.ask(&asked(longest + 1)).await;
        assert_eq!(answer["error"]["code"], -32008);
        // Two brackets and a comma, and what is around the second answer.
        let second = longest - around.to_string().len() - 3;
        let batch = |length: usize| format!("[{},{}]", asked(0), asked(length));
        let answer = client.ask(&batch(second)).await;
        assert_eq!(answer[1]["result"].as_str().map(str::len), Some(second));
        let answer = client.ask(&batch(second + 1)).await;
        assert_eq!(answer["error"]["code"], -32011);
    }

    #[tokio::test]
    async fn clients_that_take_no_answers_hold_a_bounded_number_of_bytes_together() {
        let (listening, _server) = listening(WITHIN);
        let length = usize::try_from(MAX_ANSWER).expect("it fits") - 1_000;
        let ask = |length: usize| frame(&request("state_getStorage", &json!([length])));
        let mut greedy = Vec::new();
        // Each takes the head of its answer, and no more: the rest is held.
        for _ in 0..flow::BYTES / length {
            let mut client = upgrade(connect_to(1024, listening.clone(), None)).await;
            client.write(&ask(length)).await;
            client.stream.read_u8().await.expect("an answer begins");
            greedy.push(client);
        }
        let mut modest = upgrade(connect_to(1024, listening, None)).await;
        let refused = modest
            .ask(&request("state_getStorage", &json!([length])))
            .await;
        let why = "too many bytes of answers that nobody takes at a time";
        assert_eq!(refused["error"]["message"], why);
        let small = modest.ask(&request("state_getStorage", &json!([1]))).await;
        assert_eq!(small["result"], "a");
        // A connection that ends gives back what it held.
        greedy.pop();
        let ended = async {
            loop {
                let asked = request("state_getStorage", &json!([length]));
                if modest.ask(&asked).await["error"].is_null() {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(WITHIN, ended).await.expect("in time");
    }

    #[tokio::test]
    async fn a_batch_that_is_too_long_by_a_request_is_refused() {
        let mut client = open(1024, WITHIN).await;
        let batch = |length| {
            let one = request("state_getStorage", &json!([1]));
            format!("[{}]", vec![one; length].join(","))
        };
        let answer = client.ask(&batch(BATCH as usize)).await;
        assert_eq!(answer.as_array().map(Vec::len), Some(BATCH as usize));
        let answer = client.ask(&batch(BATCH as usize + 1)).await;
        assert_eq!(answer["error"]["code"], -32010, "{answer}");
    }

    #[tokio::test]
    async fn a_request_that_takes_too_long_ends_and_leaves_its_seat() {
        let within = Duration::from_secs(1);
        let mut client = open(1024, within).await;
        let slow = frame(&request("state_call", &json!([])));
        let start = std::time::Instant::now();
        client.write(&slow.repeat(REQUESTS_PER_CONNECTION)).await;
        let busy = client.ask(&request("state_getStorage", &json!([1]))).await;
        assert_eq!(
            busy["error"]["message"],
            "too many requests of this connection at a time"
        );
        for _ in 0..REQUESTS_PER_CONNECTION {
            let answer = tokio::time::timeout(WITHIN, receive(&mut client.stream)).await;
            let answer: Value = serde_json::from_slice(&answer.expect("in time")).expect("JSON");
            assert_eq!(answer["error"]["code"], 9105, "{answer}");
            assert_eq!(answer["error"]["data"]["seconds"], 1, "{answer}");
        }
        assert!(start.elapsed() >= within);
        let answer = client.ask(&request("state_getStorage", &json!([1]))).await;
        assert_eq!(answer["result"], "a");
    }

    #[test]
    fn the_documentation_names_these_bounds() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/light-clients/command.md"
        );
        let text = std::fs::read_to_string(path).expect("the page is there");
        for bound in [
            format!("| {CONNECTIONS}; on each {SUBSCRIPTIONS} subscriptions"),
            format!("{REQUESTS_PER_CONNECTION} requests at a time, {REQUESTS} requests in all |"),
            format!("| {} MiB a request, ", MAX_REQUEST >> 20),
            format!(
                "{} MiB an answer, {BATCH} requests in a batch",
                MAX_ANSWER >> 20
            ),
            format!("{} for a request, ", WITHIN.as_secs()),
            format!("{} without a byte", IDLE.as_secs()),
            format!("{} MiB of unread answers", flow::BYTES >> 20),
            format!(
                "| {WAITING} messages wait for a connection, and {UNDER_WAY} are being answered"
            ),
        ] {
            assert!(text.contains(&bound), "{bound}");
        }
    }
}
