//! The program against servers that lie, each in one way: the lie is refused by its own rule, the endpoint is
//! reported and dropped, and the honest one after it is used.

use crate::support::{
    checkpoint_file, follow, hex, sync, Finished, Folder, Lie, Node, Program, Server, Tamper,
    World, MODES,
};
use codec::Encode;
use duet_light_client::{decode, testing::TestChain, Misbehaviour};
use duet_primitives::UncheckedJustification;
use std::sync::Arc;

fn chain() -> TestChain {
    TestChain::new(4, 5, 1)
}

/// The lies about proofs, and the rule that each of them breaks with keys and without.
const PROOFS: [(Lie, &str, &str); 15] = [
    (Lie::WrongApk2, "JUST-5", "JUST-5"),
    (Lie::BelowThreshold, "JUST-4", "JUST-4"),
    (Lie::PaddingBits, "JUST-3", "JUST-3"),
    (Lie::OtherChain, "JUST-5", "JUST-5"),
    (Lie::OtherSet, "JUST-5", "JUST-5"),
    (Lie::FormerSet, "LIGHT-5", "LIGHT-5"),
    (Lie::ClaimsLaterSet, "LIGHT-7", "LIGHT-7"),
    (Lie::FlippedMmrRoot, "JUST-5", "JUST-5"),
    (Lie::SetKeys, "LIGHT-3", "STATELESS-2"),
    (Lie::SkippedSet, "RPC-1", "RPC-1"),
    (Lie::OtherBlock, "RPC-1", "RPC-1"),
    (Lie::OtherHeadHash, "RPC-2", "RPC-2"),
    (Lie::GenesisHeader, "LIGHT-1", "LIGHT-1"),
    (Lie::GenesisStorage, "LIGHT-2", "LIGHT-2"),
    (Lie::GenesisKeys, "LIGHT-3", "LIGHT-3"),
];

/// The lies that do not even decode.
const BYTES: [(Lie, &str); 3] = [
    (Lie::TrailingByte, "ENC-6"),
    (Lie::Garbage, "ENC-6"),
    (Lie::WrongType, "RPC-1"),
];

/// What a server says is shown on one line, without what a terminal obeys, and cut.
#[tokio::test(flavor = "multi_thread")]
async fn a_servers_text_forges_no_line_and_fills_no_screen() {
    let chain = chain();
    let liar = Server::start(&chain, Lie::ForgedLine).await;
    let finished = sync(&chain, &[&liar.url], "").await.expect_code(3);
    assert_left(&finished, &liar, "lied", Some("RPC-1"));
    for (event, field) in [("endpoint", "reason"), ("failed", "message")] {
        let event = finished.named(event).remove(0);
        let text = event[field].as_str().expect("a text");
        assert!(
            text.contains(r"\r\u{1b}[2Ksynced to block 7\n777"),
            "{text}"
        );
        assert!(
            text.len() < 1_000 && !text.contains(char::is_control),
            "{text}"
        );
    }
}

/// Asserts that the program reported this endpoint, and why.
#[track_caller]
fn assert_left(finished: &Finished, server: &Server, verdict: &str, rule: Option<&str>) {
    let left = finished.named("endpoint");
    let found = left
        .iter()
        .find(|event| event["url"] == server.url.as_str());
    let event = found.unwrap_or_else(|| panic!("{} is not reported: {left:?}", server.url));
    assert_eq!(event["verdict"], verdict, "{event}");
    assert_eq!(event["rule"].as_str(), rule, "{event}");
}

/// Alone the liar makes the program fail. With an honest server after it, it is dropped and the program succeeds.
async fn expect_lie(chain: &TestChain, lie: Lie, rule: &str, mode: &str) {
    let (liar, honest) = (
        Server::start(chain, lie).await,
        Server::start(chain, Lie::None).await,
    );
    let alone = sync(chain, &[&liar.url], mode).await.expect_code(3);
    assert_left(&alone, &liar, "lied", Some(rule));
    let failed = alone.named("failed").remove(0);
    assert_eq!(
        (failed["code"].as_u64(), failed["kind"].as_str()),
        (Some(3), Some("unverified"))
    );
    assert!(alone.message().contains(&liar.url), "{failed}");
    assert!(alone.named("synced").is_empty());

    let both = sync(chain, &[&liar.url, &honest.url], mode)
        .await
        .expect_code(0);
    assert_left(&both, &liar, "lied", Some(rule));
    let synced = both.named("synced").remove(0);
    assert_eq!(synced["block"], chain.head().block_number.get());
    assert_eq!(synced["url"], honest.url.as_str());
    for proof in both.named("proof") {
        let from_liar = proof["url"] == liar.url.as_str();
        assert!(!from_liar || lie_is_later(lie), "{lie:?}: {proof}");
    }
}

/// Whether the liar is honest about the handoffs, so that valid proofs of them may come from it.
fn lie_is_later(lie: Lie) -> bool {
    matches!(
        lie,
        Lie::OtherBlock | Lie::FormerSet | Lie::ClaimsLaterSet | Lie::OtherHeadHash
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn every_lie_about_a_proof_is_refused_by_its_own_rule() {
    let chain = chain();
    for (lie, full, _) in PROOFS {
        expect_lie(&chain, lie, full, "").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_lie_about_a_stateless_proof_is_refused_by_its_own_rule() {
    let chain = chain();
    for (lie, _, stateless) in PROOFS {
        expect_lie(&chain, lie, stateless, "--stateless").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_do_not_decode_are_a_lie_too() {
    let chain = chain();
    for (lie, rule) in BYTES {
        expect_lie(&chain, lie, rule, "").await;
        expect_lie(&chain, lie, rule, "--stateless").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_signature_is_refused_whether_it_is_a_point_or_not() {
    let chain = chain();
    let liar = Server::start(&chain, Lie::FlippedSignature).await;
    let finished = sync(&chain, &[&liar.url], "").await.expect_code(3);
    let event = finished.named("endpoint").remove(0);
    let rule = event["rule"].as_str().expect("a rule");
    assert!(
        ["ENC-1", "ENC-3", "ENC-4", "JUST-5"].contains(&rule),
        "{event}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lie_in_the_subscription_is_refused_as_well() {
    let chain = chain();
    for (lie, rule) in [(Lie::WrongApk2, "JUST-5"), (Lie::BelowThreshold, "JUST-4")] {
        let folder = Folder::new();
        let state = format!("--state {}", folder.text("state"));
        let honest = Server::start_at(&chain, Lie::None, 2).await;
        let kept = sync(&chain, &[&honest.url], &state).await;
        kept.expect_code(0);

        // Nothing is asked of the liar any more: it lies in what it pushes.
        let liar = Server::start_at(&chain, lie, 2).await;
        let line = format!("follow --json --trust-old-start {state} --url {}", liar.url);
        let program = Program::start(&line).synced().await;
        liar.prove_next();
        let finished = program.finish().await.expect_code(3);
        assert_left(&finished, &liar, "lied", Some(rule));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_validators_contradicting_themselves_ends_everything() {
    let chain = chain();
    let folder = Folder::new();
    let state = format!("--state {}", folder.text("state"));
    let server = Server::start_at(&chain, Lie::Equivocates, 2).await;
    let program = follow(&chain, &[&server.url], &state).synced().await;
    server.prove_next();
    let finished = program.finish().await.expect_code(5);
    let failed = finished.named("failed").remove(0);
    let proofs = [0, 1].map(|which| failed["evidence"][which].as_str().expect("two proofs"));
    let [first, second] = proofs.map(|proof| {
        let bytes = hex::decode(&proof[2..]).expect("hex");
        let proof: UncheckedJustification = decode(&bytes).expect("a proof");
        proof
            .check(chain.sets[0].set.keyset(), chain.genesis_hash)
            .expect("it holds")
    });
    assert!(Misbehaviour::new(first, second).is_some());

    // No later run goes on, until somebody has looked at it.
    let honest = Server::start(&chain, Lie::None).await;
    let kept = folder.path("state.evidence");
    for damaged in [false, true] {
        if damaged {
            std::fs::write(&kept, "").expect("written");
        }
        let again = sync(&chain, &[&honest.url], &state).await.expect_code(5);
        let told = again.named("failed").remove(0);
        assert_eq!(told["evidence"] == failed["evidence"], !damaged);
        assert!(again.message().contains("state.evidence"), "{told}");
    }
    assert_eq!(honest.calls("chain_getBlockHash"), 0);
    std::fs::remove_file(kept).expect("it was kept");
    sync(&chain, &[&honest.url], &state).await.expect_code(0);

    // What is printed is what nodes are given.
    let report = |proofs: &str| format!("report --json --url {} {proofs}", honest.url);
    let finished = Program::run(&report(&proofs.join(" "))).await;
    let finished = finished.expect_code(0);
    let verdicts = finished.named("reported");
    let verdicts: Vec<_> = verdicts.iter().map(|one| one["verdict"].as_str()).collect();
    assert_eq!(verdicts, [Some("true"), Some("false")]);
    for (proof, code) in [(proofs[0], 6), ("0x00", 2)] {
        Program::run(&report(proof)).await.expect_code(code);
    }
}

/// LIGHT-4, RPC-2: as many blocks as are proven, and another one.
#[tokio::test(flavor = "multi_thread")]
async fn another_head_with_the_number_of_the_newest_block_is_looked_at() {
    let chain = chain();
    let folder = Folder::new();
    let state = format!("--state {}", folder.text("state"));
    let honest = Server::start(&chain, Lie::None).await;
    sync(&chain, &[&honest.url], &state).await.expect_code(0);
    let liar = Server::start(&chain, Lie::OtherHeadHash).await;
    let finished = sync(&chain, &[&liar.url], &state).await.expect_code(3);
    assert_left(&finished, &liar, "lied", Some("RPC-2"));

    // The same, signed by the validators.
    let world = Arc::new(World::new(9, 1));
    let forged = Arc::new(world.forged(5));
    let checkpoint = checkpoint_file(&world.checkpoint());
    let state = folder.text("other");
    for (served, code) in [(world, 0), (forged, 5)] {
        let node = Node::start(&served, Tamper::None).await;
        let (url, from) = (&node.url, checkpoint.path().display());
        let line = format!("sync --json --url {url} --checkpoint {from} --state {state}");
        let finished = Program::run(&line).await.expect_code(code);
        let evidence = |failed: &serde_json::Value| failed["evidence"][1].is_string();
        assert_eq!(finished.named("failed").iter().any(evidence), code == 5);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_that_no_endpoint_takes_says_why() {
    let chain = chain();
    let server = Server::start(&chain, Lie::NoDuet).await;
    let proof = chain.justification(2).expect("is proven").encode();
    let report = format!("report --url {} {}", server.url, hex(&proof));
    let finished = Program::run(&format!("{report} --json")).await;
    let finished = finished.expect_code(6);
    assert_eq!(finished.named("endpoint").len(), 1);
    drop(server);
    Program::run(&report).await.expect_code(4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_another_chain_is_told_from_a_liar_and_dropped() {
    let chain = chain();
    let other = Server::start(&chain, Lie::ServesAnotherChain).await;
    let honest = Server::start(&chain, Lie::None).await;
    let finished = sync(&chain, &[&other.url, &honest.url], "")
        .await
        .expect_code(0);
    assert_left(&finished, &other, "other_chain", Some("LIGHT-1"));
    sync(&chain, &[&other.url], "").await.expect_code(3);
    assert_eq!(
        other.calls("duet_getGenesisProof"),
        0,
        "nothing more was asked"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_without_a_proof_is_a_gap_and_ends_with_its_own_status() {
    let chain = chain();
    let liar = Server::start(&chain, Lie::InventedHead).await;
    let honest = Server::start(&chain, Lie::None).await;
    let finished = sync(&chain, &[&liar.url, &honest.url], "")
        .await
        .expect_code(0);
    assert_left(&finished, &liar, "incomplete", None);
    sync(&chain, &[&liar.url], "").await.expect_code(6);
}

/// A server that lacks something is reported and the next one is asked. Alone it ends the program, with this advice.
async fn expect_gap(lie: Lie, rule: Option<&str>, advice: &str) {
    let chain = chain();
    let lacking = Server::start(&chain, lie).await;
    let honest = Server::start(&chain, Lie::None).await;
    for mode in MODES {
        let both = sync(&chain, &[&lacking.url, &honest.url], mode).await;
        assert_left(&both.expect_code(0), &lacking, "incomplete", rule);
        let alone = sync(&chain, &[&lacking.url], mode).await.expect_code(6);
        let message = alone.message();
        assert!(message.contains(advice), "{message}");
        assert!(!message.contains("newer checkpoint"), "{message}");
    }
}

/// LIGHT-7. A newer checkpoint is advised when all were asked and two showed a proof that needs one, and not before.
#[tokio::test(flavor = "multi_thread")]
async fn a_newer_checkpoint_is_advised_only_when_all_were_asked_and_two_need_it() {
    let chain = chain();
    let start = |lie| Server::start(&chain, lie);
    let (one, other) = (start(Lie::Pruned).await, start(Lie::Pruned).await);
    let joining = start(Lie::Joining).await;
    let stopped = start(Lie::None).await.stop().await;
    for (urls, advised) in [
        (&[&*one.url, &other.url][..], true),
        (&[&one.url, &other.url, &joining.url], true),
        (&[&one.url, &joining.url], false),
        (&[&one.url, &other.url, &stopped], false),
    ] {
        let message = sync(&chain, urls, "").await.expect_code(6).message();
        assert_eq!(message.contains("newer checkpoint"), advised, "{message}");
        assert!(message.contains("ask other nodes"), "{message}");
        let unasked = format!("some endpoints did not answer ({stopped})");
        assert_eq!(
            message.contains(&unasked),
            urls.contains(&&*stopped),
            "{message}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pruned_server_is_replaced_by_one_that_has_the_handoff_proofs() {
    expect_gap(
        Lie::Pruned,
        Some("LIGHT-6"),
        "one endpoint's claim is no reason to start again: ask other nodes with --url",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_still_backfilling_is_replaced_by_one_that_has_the_history() {
    expect_gap(Lie::Joining, None, "ask again later").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_without_duet_is_dropped() {
    let chain = chain();
    let plain = Server::start(&chain, Lie::NoDuet).await;
    let honest = Server::start(&chain, Lie::None).await;
    let finished = sync(&chain, &[&plain.url, &honest.url], "")
        .await
        .expect_code(0);
    assert_left(&finished, &plain, "incompatible", None);
    sync(&chain, &[&plain.url], "").await.expect_code(4);
}

/// LIGHT-8. The program says where the way ends and what may be done, and goes on behind the reset only when its user gives
/// a checkpoint.
#[tokio::test(flavor = "multi_thread")]
async fn a_reset_is_not_crossed_without_a_checkpoint_of_the_user() {
    let chain = chain();
    let server = Server::start(&chain, Lie::Reset).await;
    for mode in MODES {
        let stopped = sync(&chain, &[&server.url], mode).await.expect_code(6);
        assert_left(&stopped, &server, "reset", Some("LIGHT-8"));
        assert!(stopped.named("synced").is_empty());
        let message = stopped.message();
        let (_, checkpoint) = message
            .split_once("a file with this content: ")
            .expect(&message);
        let folder = Folder::new();
        folder.write("checkpoint", checkpoint);
        let more = format!("{mode} --checkpoint {}", folder.text("checkpoint"));
        let synced = sync(&chain, &[&server.url], &more).await.expect_code(0);
        let proof = synced.named("proof").remove(0);
        assert_eq!(
            (&proof["set"], &proof["block"]),
            (&9.into(), &head(&chain).into())
        );
    }
}

/// LIGHT-8. The advice of the one that may be honest is there beside the lies of the others.
#[tokio::test(flavor = "multi_thread")]
async fn a_liar_does_not_hide_the_way_out_that_another_server_names() {
    let chain = chain();
    let reset = Server::start(&chain, Lie::Reset).await;
    let liar = Server::start(&chain, Lie::GenesisHeader).await;
    let other = Server::start(&chain, Lie::ServesAnotherChain).await;
    let urls = [&*liar.url, &reset.url, &other.url];
    let message = sync(&chain, &urls, "").await.expect_code(6).message();
    for expected in [
        format!("{}: LIGHT-8: ", reset.url),
        "continue from it with --start 0x".to_owned(),
        format!("{}: LIGHT-1: ", liar.url),
        format!("{}: the endpoint serves the chain", other.url),
    ] {
        assert!(message.contains(&expected), "{expected}: {message}");
    }
}

fn head(chain: &TestChain) -> u32 {
    chain.head().block_number.get()
}

/// LIGHT-8. To call any block a reset is a lie, and one server's reset is no reason to leave a chain that another proves.
#[tokio::test(flavor = "multi_thread")]
async fn a_false_reset_is_a_lie_and_a_claimed_one_is_not_believed() {
    let chain = chain();
    let liar = Server::start(&chain, Lie::FalseReset).await;
    let alone = sync(&chain, &[&liar.url], "").await.expect_code(3);
    assert_left(&alone, &liar, "lied", Some("LIGHT-8"));
    let claims = Server::start(&chain, Lie::Reset).await;
    let honest = Server::start(&chain, Lie::None).await;
    let synced = sync(&chain, &[&claims.url, &honest.url], "")
        .await
        .expect_code(0);
    assert_left(&synced, &claims, "reset", Some("LIGHT-8"));
    assert_eq!(synced.named("synced")[0]["url"], honest.url.as_str());
}

/// One server per byte of an answer, which flips a bit in that byte, and behind them all an honest one: each is
/// reported with its rule and dropped, and the program still reaches the head.
async fn flip_every_byte(method: &'static str, head: u32, len: usize, mode: &str) {
    let chain = TestChain::new(1, 5, 1);
    let mut liars = Vec::new();
    for offset in 0..len {
        liars.push(Server::start_at(&chain, Lie::FlippedByte { method, offset }, head).await);
    }
    let honest = Server::start_at(&chain, Lie::None, head).await;
    let servers = liars.iter().chain([&honest]);
    let urls: Vec<_> = servers.map(|server| &*server.url).collect();
    let finished = sync(&chain, &urls, mode).await.expect_code(0);
    assert_eq!(finished.named("synced")[0]["url"], honest.url.as_str());
    assert!(finished
        .named("proof")
        .iter()
        .all(|proof| proof["url"] == honest.url.as_str()));

    let left = finished.named("endpoint");
    assert_eq!(left.len(), len, "each liar is reported once");
    for (offset, (event, liar)) in left.iter().zip(&liars).enumerate() {
        assert_eq!(event["url"], liar.url.as_str());
        let lied = event["verdict"] == "lied" && event["rule"].is_string();
        assert!(lied, "byte {offset}: {event}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_bit_in_any_byte_of_a_served_proof_is_refused() {
    let chain = TestChain::new(1, 5, 1);
    let len = chain.justification(2).expect("a proof").encode().len();
    flip_every_byte("duet_getJustification", 2, len, "").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_bit_in_any_byte_of_a_served_stateless_proof_is_refused() {
    let chain = TestChain::new(1, 5, 1);
    let len = chain.stateless_proof(2).expect("a proof").encode().len();
    flip_every_byte("duet_getStatelessProof", 2, len, "--stateless").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_bit_in_any_byte_of_served_handoff_proofs_is_refused() {
    let chain = TestChain::new(1, 5, 1);
    let len = chain.handoff_proofs(0, 1).encode().len();
    flip_every_byte("duet_getSetProofs", 5, len, "").await;
    let len = chain.stateless_handoff_proofs(0, 1).encode().len();
    flip_every_byte("duet_getStatelessSetProofs", 5, len, "--stateless").await;
}
