//! The program against endpoints that lag, freeze, or claim to be ahead, beside honest ones.

use crate::support::{follow, Finished, Lie, Proxy, Server, Tampering, MODES};
use duet_light_client::testing::TestChain;
use std::time::{Duration, Instant};

/// The longest that a lag may go unnoticed: two seconds to the next question, four of patience, and some for a busy
/// machine. A request alone may take twenty.
const NOTICED: Duration = Duration::from_secs(15);

fn chain() -> TestChain {
    TestChain::new(6, 5, 1)
}

/// Asserts that `left` was left for `other`, in one line, and for nothing else.
#[track_caller]
fn assert_lagging(finished: &Finished, left: &str, other: &str) {
    let events = finished.named("endpoint");
    let [event] = &events[..] else {
        panic!("one report is expected: {events:?}");
    };
    assert_eq!(
        (&event["url"], &event["verdict"]),
        (&left.into(), &"lagging".into())
    );
    let reason = event["reason"].as_str().expect("a text");
    let expected = format!(
        "still at block 8, 4 s after {other} announced a newer block; {other} has proven block 58"
    );
    assert_eq!(reason, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_stands_still_is_left_within_seconds_for_one_that_does_not() {
    let chain = chain();
    for mode in MODES {
        let still = Server::start_at(&chain, Lie::None, 8).await;
        let honest = Server::start_at(&chain, Lie::None, 8).await;
        let more = format!("--blocks 8 {mode}");
        let program = follow(&chain, &[&still.url, &honest.url], &more);
        let program = program.synced().await;
        let start = Instant::now();
        honest.prove_up_to(58);
        let finished = program.finish().await.expect_code(0);
        assert!(start.elapsed() < NOTICED, "{:?}", start.elapsed());
        assert_lagging(&finished, &still.url, &honest.url);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_answers_no_more_is_left_within_seconds_too() {
    let chain = chain();
    let honest = Server::start_at(&chain, Lie::None, 8).await;
    let frozen = Proxy::start(&honest.url, Tampering::None).await;
    let program = follow(&chain, &[&frozen.url, &honest.url], "--blocks 8");
    let program = program.synced().await;
    frozen.freeze();
    let start = Instant::now();
    honest.prove_up_to(58);
    let finished = program.finish().await.expect_code(0);
    assert!(start.elapsed() < NOTICED, "{:?}", start.elapsed());
    assert_lagging(&finished, &frozen.url, &honest.url);
}

/// After the change the client follows the other endpoint: what it is pushed next comes from there.
#[tokio::test(flavor = "multi_thread")]
async fn the_endpoint_that_proved_more_is_followed_from_then_on() {
    let chain = chain();
    let still = Server::start_at(&chain, Lie::None, 8).await;
    let older = Server::start_at(&chain, Lie::None, 8).await;
    let honest = Server::start_at(&chain, Lie::None, 8).await;
    let urls = [&*still.url, &*older.url, &*honest.url];
    let program = follow(&chain, &urls, "--lag-after 0.5");
    let program = program.synced().await;
    honest.prove_up_to(52);
    let program = program.wait_for_line("\"lagging\"").await;
    let program = program.synced().await;
    honest.prove_up_to(55);
    let program = program.wait_for_line("\"block\":55").await;
    program.signal("INT");
    let finished = program.finish().await.expect_code(0);
    let last = finished.named("proof").pop().expect("proofs");
    assert_eq!(last["url"], honest.url.as_str());
    assert_eq!(finished.named("endpoint").len(), 1, "only one was left");
}

/// A claim alone moves nobody: the endpoint that cannot prove it is named, and the honest one is followed on.
#[tokio::test(flavor = "multi_thread")]
async fn a_head_that_is_only_claimed_leaves_nobody() {
    let chain = chain();
    for (lie, head, verdict, rule) in [
        (Lie::InventedHead, 8, "incomplete", None),
        (Lie::WrongApk2, 58, "lied", Some("JUST-5")),
        (Lie::Pruned, 58, "incomplete", Some("LIGHT-6")),
    ] {
        let honest = Server::start_at(&chain, Lie::None, 8).await;
        let liar = Server::start_at(&chain, lie, head).await;
        let program = follow(&chain, &[&honest.url, &liar.url], "--lag-after 0.5");
        let program = program.synced().await;
        let program = program.wait_for_line("\"endpoint\"").await;
        let program = program.synced().await;
        honest.prove_up_to(15);
        let program = program.wait_for_line("\"block\":15").await;
        program.signal("INT");
        let finished = program.finish().await.expect_code(0);
        let events = finished.named("endpoint");
        assert!(
            events.iter().all(|event| event["url"] == liar.url.as_str()),
            "{events:?}"
        );
        assert_eq!(
            (events[0]["verdict"].as_str(), events[0]["rule"].as_str()),
            (Some(verdict), rule)
        );
        let last = finished.named("proof").pop().expect("proofs");
        assert_eq!(last["url"], honest.url.as_str());
    }
}

/// A block that is proven when it is asked for does not stand for those that were only claimed.
#[tokio::test(flavor = "multi_thread")]
async fn who_proves_less_than_it_claims_drives_no_honest_endpoint_away() {
    let chain = chain();
    let honest = Server::start_at(&chain, Lie::None, 8).await;
    let liar = Server::start_at(&chain, Lie::ClaimsAhead, 8).await;
    let program = follow(&chain, &[&honest.url, &liar.url], "--lag-after 0.5");
    let program = program.synced().await;
    liar.prove_up_to(12);
    let program = program.wait_for_line("\"endpoint\"").await;
    let left = program.last_event();
    assert_eq!(
        (&left["url"], &left["verdict"]),
        (&liar.url.as_str().into(), &"incomplete".into()),
        "{left}"
    );
    let program = program.synced().await;
    assert_eq!(
        program.last_event()["block"],
        12,
        "it is proven all the same"
    );
    honest.prove_up_to(15);
    let program = program.wait_for_line("\"block\":15").await;
    assert_eq!(program.last_event()["url"], honest.url.as_str());
    program.signal("INT");
    program.finish().await.expect_code(0);
}

/// Each of its answers comes in time, and all together would take half a minute: the client does not wait for them.
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_is_proven_slowly_holds_nobody_back_for_long() {
    let chain = chain();
    let honest = Server::start_at(&chain, Lie::None, 8).await;
    let liar = Server::start_at(&chain, Lie::InventedHead, 8).await;
    let slow = Proxy::start(&liar.url, Tampering::Late(Duration::from_secs(2))).await;
    let program = follow(&chain, &[&honest.url, &slow.url], "--lag-after 0.5");
    let program = program.synced().await;
    let program = program.wait_for_line("\"endpoint\"").await;
    let left = program.last_event();
    assert_eq!(
        (&left["url"], &left["verdict"]),
        (&slow.url.as_str().into(), &"incomplete".into()),
        "{left}"
    );
    assert_eq!(liar.calls("duet_getJustification"), 0, "it came to that");
    let program = program.synced().await;
    honest.prove_up_to(15);
    let program = program.wait_for_line("\"block\":15").await;
    program.signal("INT");
    program.finish().await.expect_code(0);
}

/// What the questions to the other endpoints find is reported once, also while nothing lags.
#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_of_another_chain_is_named_although_another_one_is_followed() {
    let chain = chain();
    let honest = Server::start_at(&chain, Lie::None, 8).await;
    let other = Server::start(&chain, Lie::ServesAnotherChain).await;
    let more = "--lag-after 0.5 --stall-after 1";
    let program = follow(&chain, &[&honest.url, &other.url], more);
    let program = program.wait_for_line("\"other_chain\"").await;
    let program = program.wait_for_line("\"stalled\"").await;
    program.signal("INT");
    let finished = program.finish().await.expect_code(0);
    assert_eq!(finished.named("endpoint").len(), 1);
    // It is dropped, so that nobody is left to compare with.
    let stalled = finished.named("stalled").remove(0);
    assert_eq!(stalled["alone"], true);
    assert_eq!(other.calls("chain_getBlockHash"), 1);
}

/// A liar is not asked for its heads, either.
#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_lied_is_asked_for_nothing_more() {
    let chain = chain();
    let liar = Server::start_at(&chain, Lie::WrongApk2, 8).await;
    let honest = Server::start_at(&chain, Lie::None, 8).await;
    let urls = [&*liar.url, &*honest.url];
    let program = follow(&chain, &urls, "--lag-after 0.5");
    let program = program.wait_for_line("\"lied\"").await;
    let program = program.synced().await;
    let asked = liar.calls("duet_getFinalizedHead");
    // Eight times as long as from one question to the next.
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(liar.calls("duet_getFinalizedHead"), asked);
    program.signal("INT");
    program.finish().await.expect_code(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_is_reported_once_with_how_long_it_lasts() {
    let chain = chain();
    let servers = [
        Server::start_at(&chain, Lie::None, 8).await,
        Server::start_at(&chain, Lie::None, 8).await,
    ];
    let [one, other] = [&*servers[0].url, &*servers[1].url];
    for (urls, alone) in [(&[one][..], true), (&[one, other], false)] {
        let program = follow(&chain, urls, "--stall-after 1 --lag-after 0.5");
        let program = program.wait_for_line("\"stalled\"").await;
        // Three times as long as it took to be said once.
        tokio::time::sleep(Duration::from_secs(3)).await;
        program.signal("INT");
        let finished = program.finish().await.expect_code(0);
        let all = finished.named("stalled");
        let [stalled] = &all[..] else {
            panic!("one report is expected: {all:?}");
        };
        assert_eq!(
            (&stalled["url"], &stalled["block"], &stalled["alone"]),
            (&one.into(), &8.into(), &alone.into())
        );
        let seconds = stalled["seconds"].as_u64().expect("a number");
        assert!((1..20).contains(&seconds), "{stalled}");
        assert!(finished.named("endpoint").is_empty());
    }
}
