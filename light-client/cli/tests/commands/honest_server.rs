//! The program against honest servers, and everything that goes wrong without a lie.

use crate::support::{follow, from, Folder, Lie, Program, Server, MODES};
use duet_light_client::testing::TestChain;
use serde_json::json;
use std::time::{Duration, Instant};

/// A port on which nobody listens.
const NOBODY: &str = "ws://127.0.0.1:1";

fn chain() -> TestChain {
    TestChain::new(6, 5, 1)
}

#[tokio::test(flavor = "multi_thread")]
async fn sync_verifies_one_proof_per_set_and_the_head() {
    let chain = chain();
    let server = Server::start(&chain, Lie::None).await;
    let from = from(&chain, &[&server.url]);
    let head = u64::from(chain.head().block_number.get());
    for mode in MODES {
        let line = format!("sync --json {from} {mode}");
        let finished = Program::run(&line).await.expect_code(0);
        assert_eq!(finished.numbers(), [5, 15, 25, 35, 45, 55, head]);
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
        assert_eq!(start["genesis"], json!(chain.genesis_hash));
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
    let line = format!("sync {}", from(&chain, &[&server.url]));
    let finished = Program::run(&line).await.expect_code(0);
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
    let (chain, folder) = (chain(), Folder::new());
    let state = folder.text("state");
    let server = Server::start_at(&chain, Lie::None, 22).await;
    let first = format!(
        "sync --json --state {state} {}",
        from(&chain, &[&server.url])
    );
    let finished = Program::run(&first).await.expect_code(0);
    assert_eq!(finished.numbers(), [5, 15, 22]);

    while server.prove_next().is_some_and(|number| number < 42) {}
    let again = format!(
        "sync --json --trust-old-start --state {state} --url {}",
        server.url
    );
    let stateless = format!("{again} --stateless");
    let finished = Program::run(&stateless).await.expect_code(0);
    assert_eq!(finished.named("start")[0]["block"], 22);
    assert_eq!(finished.numbers(), [25, 35, 42]);

    // The keys that the stateless run did not keep are asked for.
    while server.prove_next().is_some() {}
    let finished = Program::run(&again).await.expect_code(0);
    assert_eq!(finished.numbers(), [45, 55, 58]);
    assert!(server.calls("duet_getKeys") > 0);
    assert_eq!(server.calls("duet_getGenesisProof"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn follow_verifies_what_is_pushed_and_ends_after_as_many_proofs_as_it_was_told() {
    let chain = chain();
    for mode in MODES {
        let server = Server::start_at(&chain, Lie::None, 8).await;
        let more = format!("--blocks 12 {mode}");
        let program = follow(&chain, &[&server.url], &more);
        let (finished, ()) = tokio::join!(
            program.finish(),
            server.keep_proving(Duration::from_millis(150))
        );
        let finished = finished.expect_code(0);
        let numbers = finished.numbers();
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
    for mode in MODES {
        let server = Server::start_at(&chain, Lie::None, 8).await;
        let more = format!("--blocks 7 {mode}");
        let program = follow(&chain, &[&server.url], &more).synced().await;
        // The handoffs of sets 1, 2 and 3, at blocks 15, 25 and 35, are among what is not pushed.
        server.prove_up_to(42);
        let program = program.wait_for_line("\"block\":42").await;
        server.prove_up_to(45);
        let finished = program.finish().await.expect_code(0);
        assert_eq!(finished.numbers(), [5, 8, 15, 25, 35, 42, 45]);
        assert!(finished.named("endpoint").is_empty(), "it is honest");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sync_until_a_block_waits_for_it() {
    let chain = chain();
    let server = Server::start_at(&chain, Lie::None, 5).await;
    let line = format!("sync --json --until 30 {}", from(&chain, &[&server.url]));
    let program = Program::start(&line).synced().await;
    let (finished, ()) = tokio::join!(
        program.finish(),
        server.keep_proving(Duration::from_millis(100))
    );
    let numbers = finished.expect_code(0).numbers();
    assert!(
        numbers.last().is_some_and(|last| *last >= 30),
        "{numbers:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_without_a_proof_yet_is_waited_for() {
    let chain = chain();
    let server = Server::start_at(&chain, Lie::None, 0).await;
    let program = follow(&chain, &[&server.url], "--blocks 2");
    let program = program.synced().await;
    let (finished, ()) = tokio::join!(
        program.finish(),
        server.keep_proving(Duration::from_millis(100))
    );
    assert_eq!(finished.expect_code(0).numbers().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_is_restarted_is_used_again() {
    let chain = chain();
    let server = Server::start_at(&chain, Lie::None, 2).await;
    let program = follow(&chain, &[&server.url], "--blocks 8");
    let program = program.synced().await;
    let server = server.restart(&chain).await;
    let program = program.synced().await;
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
    let both = [&*stalled.url, &honest.url];
    let program = follow(&chain, &both, "--blocks 8 --lag-after 1");
    let finished = program.finish().await.expect_code(0);
    let left = finished.named("endpoint").remove(0);
    assert_eq!(
        (left["url"].as_str(), &left["verdict"]),
        (Some(&*stalled.url), &"lagging".into())
    );

    // Alone it is only reported.
    let program = follow(&chain, &[&stalled.url], "--stall-after 1");
    let program = program.wait_for_line("\"stalled\"").await;
    program.signal("TERM");
    program.finish().await.expect_code(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_that_was_not_told_notices_that_it_is_behind() {
    let chain = chain();
    // It pushes nothing, but its proven head moves.
    let server = Server::start_at(&chain, Lie::Stalls, 8).await;
    let program = follow(&chain, &[&server.url], "--stall-after 2");
    let program = program.synced().await;
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
    for [first, second] in [[&old, &new], [&new, &old]] {
        let line = format!("sync --json {}", from(&chain, &[&first.url, &second.url]));
        let finished = Program::run(&line).await.expect_code(0);
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
    let line = format!("sync --json {}", from(&chain, &[NOBODY, &server.url]));
    let finished = Program::run(&line).await.expect_code(0);
    let left = finished.named("endpoint").remove(0);
    assert_eq!(
        (&left["url"], &left["verdict"]),
        (&NOBODY.into(), &"unreachable".into())
    );

    let nobody = from(&chain, &[NOBODY]);
    let line = format!("sync --json --give-up-after 1.5 {nobody}");
    let finished = Program::run(&line).await.expect_code(4);
    assert!(finished.named("endpoint").len() >= 2, "it was tried again");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_state_survives_being_killed_and_interrupted() {
    let (chain, folder) = (chain(), Folder::new());
    let state = folder.text("state");
    let server = Server::start_at(&chain, Lie::None, 8).await;
    let keep = format!("--state {state}");
    let start = || follow(&chain, &[&server.url], &keep).synced();
    let program = start().await;
    program.signal("KILL");
    assert_eq!(program.finish().await.code, None, "it was killed");
    let status = format!("status --json {keep}");
    let kept = Program::run(&status).await.expect_code(0);
    let kept = kept.named("status").remove(0);
    assert!(
        kept["block"].as_u64().is_some_and(|block| block >= 5),
        "{kept}"
    );

    let program = start().await;
    program.signal("INT");
    program.finish().await.expect_code(0);
    let kept = Program::run(&status).await.expect_code(0);
    let kept = kept.named("status").remove(0);
    assert_eq!(
        (&kept["block"], &kept["set"], &kept["next_set"]),
        (&8.into(), &0.into(), &1.into())
    );
    assert_eq!(
        (&kept["mode"], &kept["threshold"]),
        (&"full".into(), &4.into())
    );

    // An interrupt before a goal is another end.
    let until = format!(
        "sync --json --trust-old-start --until 900 --url {} {keep}",
        server.url
    );
    let program = Program::start(&until).synced().await;
    program.signal("INT");
    program.finish().await.expect_code(130);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_begins_from_a_printed_checkpoint() {
    let (chain, folder) = (chain(), Folder::new());
    let state = folder.text("state");
    let server = Server::start_at(&chain, Lie::None, 28).await;
    let first = format!(
        "sync --json --state {state} {}",
        from(&chain, &[&server.url])
    );
    Program::run(&first).await.expect_code(0);
    let print = format!("status --state {state} --checkpoint");
    let printed = Program::run(&print).await.expect_code(0).stdout;
    folder.write("checkpoint.json", printed);
    let checkpoint = folder.text("checkpoint.json");
    let begin = format!(
        "sync --json --trust-old-start --url {} --checkpoint {checkpoint}",
        server.url
    );

    while server.prove_next().is_some() {}
    for mode in MODES {
        let line = format!("{begin} {mode}");
        let finished = Program::run(&line).await.expect_code(0);
        assert_eq!(finished.named("start")[0]["block"], 28);
        assert_eq!(finished.numbers(), [35, 45, 55, 58]);
    }
    assert_eq!(
        server.calls("duet_getGenesisProof"),
        1,
        "only the first run asked for it"
    );

    // A state that is newer than the checkpoint is kept.
    let line = format!("{begin} --state {state}");
    Program::run(&line).await.expect_code(0);
    let finished = Program::run(&line).await.expect_code(0);
    assert_eq!(finished.named("start")[0]["block"], 58);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_makes_no_sense_is_bad_usage() {
    let (chain, folder) = (chain(), Folder::new());
    let server = Server::start(&chain, Lie::None).await;
    let (url, genesis, state) = (&server.url, chain.genesis_hash, folder.text("state"));
    let other = "01".repeat(32);
    let good = format!("sync -q --url {url} --genesis {genesis:?} --state {state}");
    Program::run(&good).await.expect_code(0);
    for bad in [
        format!("sync --genesis {genesis:?}"),
        format!("sync --url http://localhost --genesis {genesis:?}"),
        format!("sync --url {url} --genesis 0x12"),
        format!("sync --url {url} --genesis 0x{other} --state {state}"),
    ] {
        Program::run(&bad).await.expect_code(2);
    }
    let finished = Program::run(&format!("sync --url {url}")).await;
    let finished = finished.expect_code(2);
    assert!(finished.stderr.contains("--genesis"), "{}", finished.stderr);

    let nothing = format!("status --state {}", folder.text("nothing"));
    Program::run(&nothing).await.expect_code(1);
    folder.write("state", b"a letter");
    let letter = format!("status --state {state}");
    let finished = Program::run(&letter).await.expect_code(1);
    let said = finished.stderr;
    assert!(said.contains("not a file of duet-light"), "{said}");
}

/// ROUND-9: a client without keys asks for a proof when late votes have made it fuller, and skips those before it.
#[tokio::test(flavor = "multi_thread")]
async fn without_keys_a_proof_that_lacks_many_is_asked_for_a_second_later() {
    let chain = chain();
    let server = Server::start_at(&chain, Lie::PushesEarly, 5).await;
    let program = follow(&chain, &[&server.url], "--stateless").synced().await;
    let start = Instant::now();
    let asked = server.calls("duet_getStatelessProof");
    while *server.prove_next().as_ref().expect("not the last") < 45 {}
    let program = program.wait_for_line(r#""block":45"#).await;
    assert!(start.elapsed() >= Duration::from_secs(1));
    // The first may be on its way before the others come.
    let asked = server.calls("duet_getStatelessProof") - asked;
    assert!(asked <= 2, "{asked}");
    program.signal("TERM");
    program.finish().await.expect_code(0);
}
