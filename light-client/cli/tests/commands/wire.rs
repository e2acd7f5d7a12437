//! The program against servers whose messages are no answers: each is named with what was expected and what came,
//! and is not asked again. (RPC-3)

use crate::support::{follow, sync, Finished, Lie, Proxy, Server, Tampering};
use duet_light_client::testing::TestChain;

/// What is done to the messages, and what is said about it.
const FAULTS: [(Tampering, &str); 8] = [
    (
        Tampering::WrongId,
        "expected an answer to one of the requests 0 to 0, got one to request 770",
    ),
    (
        Tampering::Twice,
        "expected one answer to request 0, got two",
    ),
    (
        Tampering::Cut,
        "expected a whole JSON text, got one that is cut: EOF while parsing",
    ),
    (
        Tampering::Deep,
        "expected JSON of at most 127 levels, got more: recursion limit exceeded",
    ),
    (
        Tampering::NotRpc,
        "expected a message of JSON-RPC 2.0, got {\"hello\":1}",
    ),
    (
        Tampering::NotJson,
        "expected a message of JSON-RPC 2.0, got expected value at line 1 column 1",
    ),
    (Tampering::TooLong, "bytes, got 30000000"),
    (
        Tampering::BadFrame,
        "expected a WebSocket message, got codec error: ",
    ),
];

/// Asserts that this is all that the program reported of endpoints.
#[track_caller]
fn assert_named(finished: &Finished, url: &str, reason: &str) {
    let left = finished.named("endpoint");
    let [event] = &left[..] else {
        panic!("one report is expected: {left:?}");
    };
    assert_eq!(
        (&event["url"], &event["verdict"], &event["rule"]),
        (&url.into(), &"lied".into(), &"RPC-3".into()),
        "{event}"
    );
    let text = event["reason"].as_str().expect("a text");
    assert!(
        text.starts_with("RPC-3: ") && text.contains(reason),
        "{text} does not say: {reason}"
    );
    assert!(text.len() < 400 && !text.contains('\n'), "{text}");
}

/// RPC-3. A second request shows what happened to a connection behind its first answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_no_answer_is_named_and_its_server_not_asked_again() {
    let chain = TestChain::new(2, 5, 1);
    let honest = Server::start(&chain, Lie::None).await;
    for (tampering, reason) in FAULTS {
        let liar = Proxy::start(&honest.url, tampering).await;
        let alone = sync(&chain, &[&liar.url], "").await.expect_code(3);
        assert_named(&alone, &liar.url, reason);
        assert_eq!(liar.connections(), 1, "{tampering:?}");

        let both = sync(&chain, &[&liar.url, &honest.url], "")
            .await
            .expect_code(0);
        assert_named(&both, &liar.url, reason);
        assert_eq!(liar.connections(), 2, "{tampering:?}");
        let synced = both.named("synced").remove(0);
        assert_eq!(synced["block"], chain.head().block_number.get());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_changes_nothing_is_as_good_as_its_server() {
    let chain = TestChain::new(2, 5, 1);
    let honest = Server::start(&chain, Lie::None).await;
    let proxy = Proxy::start(&honest.url, Tampering::None).await;
    let finished = sync(&chain, &[&proxy.url], "").await.expect_code(0);
    assert!(finished.named("endpoint").is_empty());
}

/// RPC-3.
#[tokio::test(flavor = "multi_thread")]
async fn a_cut_message_to_a_subscriber_is_named_too() {
    let chain = TestChain::new(2, 5, 1);
    let honest = Server::start_at(&chain, Lie::None, 2).await;
    let liar = Proxy::start(&honest.url, Tampering::CutPush).await;
    let program = follow(&chain, &[&liar.url], "").synced().await;
    honest.prove_next();
    let finished = program.finish().await.expect_code(3);
    assert_named(&finished, &liar.url, "got one that is cut");
}
