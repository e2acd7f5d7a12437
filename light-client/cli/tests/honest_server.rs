//! The program against honest servers, and everything that goes wrong without a lie.

mod support;

use duet_light_client::testing::TestChain;
use serde_json::Value;
use std::{fs, path::PathBuf, time::Duration};
use support::{Finished, Lie, Program, Server};

/// A port on which nobody listens.
const NOBODY: &str = "ws://127.0.0.1:1";

fn chain() -> TestChain {
    TestChain::new(6, 5, 1)
}

struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().expect("a directory"),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("text").to_owned()
    }
}

fn genesis(chain: &TestChain) -> String {
    format!("{:?}", chain.genesis_hash)
}

fn numbers(finished: &Finished) -> Vec<u64> {
    let number = |proof: Value| proof["block"].as_u64().expect("a number");
    finished.named("proof").into_iter().map(number).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn sync_verifies_one_proof_per_set_and_the_head() {
    let chain = chain();
    let server = Server::start(&chain, Lie::None).await;
    let head = u64::from(chain.head().block_number.get());
    for more in [&[][..], &["--stateless"]] {
        let genesis = genesis(&chain);
        let mut args = vec![
            "sync",
            "--json",
            "--url",
            &server.url,
            "--genesis",
            &genesis,
        ];
        args.extend(more);
        let finished = Program::run(args).await.expect_code(0);
        assert_eq!(numbers(&finished), [5, 15, 25, 35, 45, 55, head]);
        let proof = finished.named("proof").remove(0);
        assert_eq!(
            (proof["set"].as_u64(), proof["next_set"].as_u64()),
            (Some(0), Some(1))
        );
        assert_eq!(proof["of"], 5);
        assert!(
            proof["bytes"]
                .as_u64()
                .is_some_and(|bytes| (300..600).contains(&bytes)),
            "{proof}"
        );
        assert!(proof["millis"].as_f64().is_some_and(|millis| millis > 0.0));
        let start = finished.named("start").remove(0);
        assert_eq!(start["genesis"], genesis.as_str());
        assert_eq!(
            finished.named("synced")[0]["hash"],
            format!("{:?}", chain.head().block_hash)
        );
        assert!(finished.stderr.is_empty(), "{}", finished.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn people_get_one_line_per_proof() {
    let chain = chain();
    let server = Server::start(&chain, Lie::None).await;
    let genesis = genesis(&chain);
    let args = ["sync", "--url", &server.url, "--genesis", &genesis];
    let finished = Program::run(args).await.expect_code(0);
    let lines: Vec<_> = finished.stdout.lines().collect();
    assert_eq!(lines.len(), 8, "{}", finished.stdout);
    assert!(
        lines[0].starts_with("block 5  set 0  signers "),
        "{}",
        lines[0]
    );
    assert!(
        lines[0].contains(" of 5  ") && lines[0].contains(" bytes  "),
        "{}",
        lines[0]
    );
    assert!(lines[0].contains(" ms"), "{}", lines[0]);
    assert!(
        lines[7].starts_with("synced to block 58  set 5  0x"),
        "{}",
        lines[7]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_is_kept_and_continued_from_in_either_mode() {
    let (chain, place) = (chain(), Place::new());
    let (genesis, state) = (genesis(&chain), place.text("state"));
    let server = Server::start_at(&chain, Lie::None, 22).await;
    let first = [
        "sync",
        "--json",
        "--url",
        &server.url,
        "--genesis",
        &genesis,
        "--state",
        &state,
    ];
    let finished = Program::run(first).await.expect_code(0);
    assert_eq!(numbers(&finished), [5, 15, 22]);

    while server.prove_next().is_some_and(|number| number < 42) {}
    let again = [
        "sync",
        "--json",
        "--url",
        &server.url,
        "--state",
        &state,
        "--stateless",
    ];
    let finished = Program::run(again).await.expect_code(0);
    assert_eq!(finished.named("start")[0]["block"], 22);
    assert_eq!(numbers(&finished), [25, 35, 42]);

    // The keys that the stateless run did not keep are asked for.
    while server.prove_next().is_some() {}
    let again = ["sync", "--json", "--url", &server.url, "--state", &state];
    let finished = Program::run(again).await.expect_code(0);
    assert_eq!(numbers(&finished), [45, 55, 58]);
    assert!(server.calls("duet_getKeys") > 0);
    assert_eq!(server.calls("duet_getGenesisProof"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn follow_verifies_what_is_pushed_and_ends_after_as_many_proofs_as_it_was_told() {
    let chain = chain();
    for more in [&[][..], &["--stateless"]] {
        let server = Server::start_at(&chain, Lie::None, 8).await;
        let genesis = genesis(&chain);
        let mut args = vec![
            "follow",
            "--json",
            "--blocks",
            "12",
            "--url",
            &server.url,
            "--genesis",
            &genesis,
        ];
        args.extend(more);
        let program = Program::start(args);
        let (finished, ()) = tokio::join!(
            program.finish(),
            server.keep_proving(Duration::from_millis(150))
        );
        let finished = finished.expect_code(0);
        let numbers = numbers(&finished);
        assert_eq!(numbers.len(), 12);
        assert!(
            numbers.windows(2).all(|pair| pair[0] < pair[1]),
            "{numbers:?}"
        );
        let sets: Vec<_> = finished
            .named("proof")
            .iter()
            .map(|p| p["set"].as_u64())
            .collect();
        assert!(
            sets.contains(&Some(2)),
            "the sets changed on the way: {sets:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_that_was_skipped_over_fetches_the_handoffs_that_it_missed() {
    let chain = chain();
    for more in [&[][..], &["--stateless"]] {
        let server = Server::start_at(&chain, Lie::None, 8).await;
        let genesis = genesis(&chain);
        let mut args = vec![
            "follow",
            "--json",
            "--blocks",
            "7",
            "--url",
            &server.url,
            "--genesis",
            &genesis,
        ];
        args.extend(more);
        let program = Program::start(args).wait_for_line("\"synced\"").await;
        // The handoffs of sets 1, 2 and 3, at blocks 15, 25 and 35, are among what is not pushed.
        server.prove_up_to(42);
        let program = program.wait_for_line("\"block\":42").await;
        server.prove_up_to(45);
        let finished = program.finish().await.expect_code(0);
        assert_eq!(numbers(&finished), [5, 8, 15, 25, 35, 42, 45]);
        assert!(finished.named("endpoint").is_empty(), "it is honest");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sync_until_a_block_waits_for_it() {
    let chain = chain();
    let server = Server::start_at(&chain, Lie::None, 5).await;
    let genesis = genesis(&chain);
    let args = [
        "sync",
        "--json",
        "--until",
        "30",
        "--url",
        &server.url,
        "--genesis",
        &genesis,
    ];
    let program = Program::start(args).wait_for_line("\"synced\"").await;
    let (finished, ()) = tokio::join!(
        program.finish(),
        server.keep_proving(Duration::from_millis(100))
    );
    let numbers = numbers(&finished.expect_code(0));
    assert!(
        numbers.last().is_some_and(|last| *last >= 30),
        "{numbers:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_without_a_proof_yet_is_waited_for() {
    let chain = chain();
    let server = Server::start_at(&chain, Lie::None, 0).await;
    let genesis = genesis(&chain);
    let args = [
        "follow",
        "--json",
        "--blocks",
        "2",
        "--url",
        &server.url,
        "--genesis",
        &genesis,
    ];
    let program = Program::start(args).wait_for_line("\"synced\"").await;
    let (finished, ()) = tokio::join!(
        program.finish(),
        server.keep_proving(Duration::from_millis(100))
    );
    assert_eq!(numbers(&finished.expect_code(0)).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_is_restarted_is_used_again() {
    let chain = chain();
    let server = Server::start_at(&chain, Lie::None, 2).await;
    let genesis = genesis(&chain);
    let url = server.url.clone();
    let args = [
        "follow",
        "--json",
        "--blocks",
        "8",
        "--url",
        &url,
        "--genesis",
        &genesis,
    ];
    let program = Program::start(args).wait_for_line("\"synced\"").await;
    let server = server.restart(&chain).await;
    let program = program.wait_for_line("\"synced\"").await;
    let (finished, ()) = tokio::join!(
        program.finish(),
        server.keep_proving(Duration::from_millis(100))
    );
    let finished = finished.expect_code(0);
    let left = finished.named("endpoint");
    assert!(!left.is_empty() && left.iter().all(|event| event["verdict"] == "unreachable"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_whose_proofs_stall_while_its_chain_grows_is_replaced_by_another() {
    let chain = chain();
    let stalled = Server::start_at(&chain, Lie::Stalls, 8).await;
    let honest = Server::start(&chain, Lie::None).await;
    let genesis = genesis(&chain);
    let both = [
        "follow",
        "--json",
        "--blocks",
        "5",
        "--lag-after",
        "1",
        "--genesis",
        &genesis,
        "--url",
        &stalled.url,
        "--url",
        &honest.url,
    ];
    let finished = Program::run(both).await.expect_code(0);
    let left = finished.named("endpoint").remove(0);
    assert_eq!(
        (left["url"].as_str(), &left["verdict"]),
        (Some(&*stalled.url), &"lagging".into())
    );

    // Alone it is only reported.
    let alone = [
        "follow",
        "--json",
        "--stall-after",
        "1",
        "--genesis",
        &genesis,
        "--url",
        &stalled.url,
    ];
    let program = Program::start(alone).wait_for_line("\"stalled\"").await;
    program.signal("TERM");
    program.finish().await.expect_code(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_that_was_not_told_notices_that_it_is_behind() {
    let chain = chain();
    // It pushes nothing, but its proven head moves.
    let server = Server::start_at(&chain, Lie::Stalls, 8).await;
    let genesis = genesis(&chain);
    let args = [
        "follow",
        "--json",
        "--stall-after",
        "2",
        "--genesis",
        &genesis,
        "--url",
        &server.url,
    ];
    let program = Program::start(args).wait_for_line("\"synced\"").await;
    while server.prove_next().is_some() {}
    let program = program.wait_for_line("\"behind\"").await;
    program.signal("INT");
    program.finish().await.expect_code(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_shows_an_old_head_does_not_keep_sync_behind() {
    let chain = chain();
    let old = Server::start_at(&chain, Lie::None, 22).await;
    let new = Server::start(&chain, Lie::None).await;
    let genesis = genesis(&chain);
    for [first, second] in [[&old, &new], [&new, &old]] {
        let args = [
            "sync",
            "--json",
            "--genesis",
            &genesis,
            "--url",
            &first.url,
            "--url",
            &second.url,
        ];
        let finished = Program::run(args).await.expect_code(0);
        let synced = finished.named("synced").remove(0);
        assert_eq!(synced["block"], chain.head().block_number.get());
        assert_eq!(synced["url"], new.url.as_str());
        assert!(finished.named("endpoint").is_empty(), "both are honest");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_endpoint_is_tried_again_and_the_next_one_used_meanwhile() {
    let chain = chain();
    let server = Server::start(&chain, Lie::None).await;
    let genesis = genesis(&chain);
    let args = [
        "sync",
        "--json",
        "--url",
        NOBODY,
        "--url",
        &server.url,
        "--genesis",
        &genesis,
    ];
    let finished = Program::run(args).await.expect_code(0);
    let left = finished.named("endpoint").remove(0);
    assert_eq!(
        (&left["url"], &left["verdict"]),
        (&NOBODY.into(), &"unreachable".into())
    );

    let args = [
        "sync",
        "--json",
        "--url",
        NOBODY,
        "--genesis",
        &genesis,
        "--give-up-after",
        "1.5",
    ];
    let finished = Program::run(args).await.expect_code(4);
    assert!(finished.named("endpoint").len() >= 2, "it was tried again");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_state_survives_being_killed_and_interrupted() {
    let (chain, place) = (chain(), Place::new());
    let (genesis, state) = (genesis(&chain), place.text("state"));
    let server = Server::start_at(&chain, Lie::None, 8).await;
    let args = [
        "follow",
        "--json",
        "--url",
        &server.url,
        "--genesis",
        &genesis,
        "--state",
        &state,
    ];
    let program = Program::start(args).wait_for_line("\"synced\"").await;
    program.signal("KILL");
    assert_eq!(program.finish().await.code, None, "it was killed");
    let status = ["status", "--json", "--state", &state];
    let kept = Program::run(status)
        .await
        .expect_code(0)
        .named("status")
        .remove(0);
    assert!(
        kept["block"].as_u64().is_some_and(|block| block >= 5),
        "{kept}"
    );

    let program = Program::start(args).wait_for_line("\"synced\"").await;
    program.signal("INT");
    program.finish().await.expect_code(0);
    let kept = Program::run(status)
        .await
        .expect_code(0)
        .named("status")
        .remove(0);
    assert_eq!(
        (&kept["block"], &kept["set"], &kept["next_set"]),
        (&8.into(), &0.into(), &1.into())
    );
    assert_eq!(
        (&kept["mode"], &kept["threshold"]),
        (&"full".into(), &4.into())
    );

    // An interrupt before a goal is another end.
    let until = [
        "sync",
        "--json",
        "--until",
        "900",
        "--url",
        &server.url,
        "--state",
        &state,
    ];
    let program = Program::start(until).wait_for_line("\"synced\"").await;
    program.signal("INT");
    program.finish().await.expect_code(130);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_begins_from_a_printed_checkpoint() {
    let (chain, place) = (chain(), Place::new());
    let (genesis, state) = (genesis(&chain), place.text("state"));
    let server = Server::start_at(&chain, Lie::None, 28).await;
    let args = [
        "sync",
        "--json",
        "--url",
        &server.url,
        "--genesis",
        &genesis,
        "--state",
        &state,
    ];
    Program::run(args).await.expect_code(0);
    let printed = Program::run(["status", "--state", &state, "--checkpoint"])
        .await
        .expect_code(0)
        .stdout;
    let checkpoint = place.text("checkpoint.json");
    fs::write(&checkpoint, printed).expect("written");

    while server.prove_next().is_some() {}
    for more in [&[][..], &["--stateless"]] {
        let mut args = vec![
            "sync",
            "--json",
            "--url",
            &server.url,
            "--checkpoint",
            &checkpoint,
        ];
        args.extend(more);
        let finished = Program::run(args).await.expect_code(0);
        assert_eq!(finished.named("start")[0]["block"], 28);
        assert_eq!(numbers(&finished), [35, 45, 55, 58]);
    }
    assert_eq!(
        server.calls("duet_getGenesisProof"),
        1,
        "only the first run asked for it"
    );

    // A state that is newer than the checkpoint is kept.
    let args = [
        "sync",
        "--json",
        "--url",
        &server.url,
        "--checkpoint",
        &checkpoint,
        "--state",
        &state,
    ];
    Program::run(args).await.expect_code(0);
    let finished = Program::run(args).await.expect_code(0);
    assert_eq!(finished.named("start")[0]["block"], 58);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_makes_no_sense_is_bad_usage() {
    let (chain, place) = (chain(), Place::new());
    let server = Server::start(&chain, Lie::None).await;
    let (genesis, state) = (genesis(&chain), place.text("state"));
    Program::run(["sync", "--genesis", &genesis])
        .await
        .expect_code(2);
    Program::run(["sync", "--url", "http://localhost", "--genesis", &genesis])
        .await
        .expect_code(2);
    Program::run(["sync", "--url", &server.url, "--genesis", "0x12"])
        .await
        .expect_code(2);
    let finished = Program::run(["sync", "--url", &server.url])
        .await
        .expect_code(2);
    assert!(finished.stderr.contains("--genesis"), "{}", finished.stderr);

    let args = [
        "sync",
        "-q",
        "--url",
        &server.url,
        "--genesis",
        &genesis,
        "--state",
        &state,
    ];
    Program::run(args).await.expect_code(0);
    let other = "0x0101010101010101010101010101010101010101010101010101010101010101";
    let args = [
        "sync",
        "--url",
        &server.url,
        "--genesis",
        other,
        "--state",
        &state,
    ];
    Program::run(args).await.expect_code(2);

    Program::run(["status", "--state", &place.text("nothing")])
        .await
        .expect_code(1);
    fs::write(place.path("state"), b"damaged").expect("written");
    let finished = Program::run(["status", "--state", &state])
        .await
        .expect_code(1);
    assert!(finished.stderr.contains("damaged"), "{}", finished.stderr);
}
