//! LIGHT-9: the program continues from no block that is older than the trusting period.

use crate::support::{
    checkpoint_file, hex, Finished, Folder, Node, Program, Tamper, World, ACCOUNT,
};
use serde_json::Value;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

const NEWEST: u32 = 9;
/// In the state of the chain below, in seconds. Block 1 is 16 s older than the newest one.
const PERIOD: u64 = 1_000;

/// A chain whose newest block is so old.
fn world(age: u64) -> Arc<World> {
    Arc::new(World::aged(NEWEST, 1, age, PERIOD))
}

async fn sync(node: &Node, more: &str) -> Finished {
    let line = format!("sync --json --give-up-after 1 --url {} {more}", node.url);
    Program::run(&line).await
}

fn start(world: &World, block: usize) -> String {
    let (genesis, hash) = (world.genesis(), world.blocks[block].hash);
    format!("--genesis {genesis:?} --start {hash:?}")
}

/// The rule is named, the program ends with its status, and nothing was verified.
fn refused(finished: Finished) {
    let finished = finished.expect_code(8);
    let failed = finished.named("failed").remove(0);
    assert_eq!(failed["kind"], "too_old");
    let message = failed["message"].as_str().expect("text");
    assert!(message.starts_with("LIGHT-9: "), "{message}");
    assert!(message.contains("--trust-old-start"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_is_as_old_as_its_state_says_and_a_genesis_as_its_first_block_is_said_to_be() {
    for (age, period, from_start, from_genesis) in [
        (0, "", 0, 0),
        (PERIOD - 12, "", 0, 8),
        (PERIOD - 4, "", 8, 8),
        (100, "--trusting-period 112", 0, 8),
        (100, "--trusting-period 104", 8, 8),
        (PERIOD, "--trusting-period 100000", 8, 8),
    ] {
        let world = world(age);
        let node = Node::start(&world, Tamper::None).await;
        let checkpoint = checkpoint_file(&world.checkpoint());
        for (from, code) in [
            (start(&world, 5), from_start),
            (
                format!("--checkpoint {}", checkpoint.path().display()),
                from_genesis,
            ),
        ] {
            let asked = format!("{from} {period}");
            match code {
                0 => drop(sync(&node, &asked).await.expect_code(0)),
                _ => refused(sync(&node, &asked).await),
            }
            let trusted = sync(&node, &format!("{asked} --trust-old-start")).await;
            assert_eq!(trusted.expect_code(0).numbers(), [9], "{asked}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_became_too_old_asks_nobody_and_its_checkpoint_is_as_old() {
    let (world, folder) = (world(PERIOD + 1), Folder::new());
    let node = Node::start(&world, Tamper::None).await;
    let state = format!("--state {}", folder.text("state"));
    let begin = format!("{} {state}", start(&world, 5));
    let synced = sync(&node, &format!("{begin} --trust-old-start")).await;
    synced.expect_code(0);
    let calls = || node.calls("duet_getFinalizedHead") + node.calls("duet_getProofs");
    let before = calls();
    refused(sync(&node, &state).await);
    let status = Program::run(&format!("status --json {state}")).await;
    let status = status.expect_code(0).named("status").remove(0);
    assert_eq!(status["trusting_period"], PERIOD);
    assert!(status["age"].as_u64() > Some(PERIOD), "{status}");
    let printed = Program::run(&format!("status {state} --checkpoint")).await;
    let printed = printed.expect_code(0).stdout;
    let checkpoint: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(checkpoint["time"], status["time"]);
    folder.write("checkpoint", printed);
    let from = format!("--checkpoint {}", folder.text("checkpoint"));
    refused(sync(&node, &from).await);
    assert_eq!(calls(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_age_that_nobody_proves_is_not_believed() {
    let world = world(0);
    for (tamper, code, rule) in [
        (Tamper::Pruned, 6, "LIGHT-9"),
        (Tamper::OldTime, 3, "STATE-2"),
    ] {
        let node = Node::start(&world, tamper).await;
        let finished = sync(&node, &start(&world, 5)).await.expect_code(code);
        assert_eq!(finished.named("endpoint")[0]["rule"], rule);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_that_names_no_period_is_followed_from_any_block_with_a_warning() {
    let world = Arc::new(World::aged(NEWEST, 1, 1_000_000_000, 0));
    let node = Node::start(&world, Tamper::None).await;
    let from = start(&world, 5);
    let finished = sync(&node, &from).await.expect_code(0);
    assert_eq!(finished.named("no_trusting_period").len(), 1);
    refused(sync(&node, &format!("{from} --trusting-period 9")).await);
}

/// Whoever bought the keys of validators that have their stake back signs another history, which nothing tells from the
/// chain: within the period the client is fooled, and beyond it is not.
#[tokio::test(flavor = "multi_thread")]
async fn old_keys_fool_no_client_that_slept_beyond_the_period() {
    const SLEPT: u64 = 600;
    let (world, folder) = (world(SLEPT), Folder::new());
    let honest = Node::start_at(&world, Tamper::None, 5, true).await;
    let state = format!("--state {}", folder.text("state"));
    let begin = format!("{} {state} --trust-old-start", start(&world, 4));
    sync(&honest, &begin).await.expect_code(0);

    let forged = Arc::new(world.forged(6));
    let forger = Node::start(&forged, Tamper::None).await;
    refused(sync(&forger, &format!("{state} --trusting-period {SLEPT}")).await);
    let fooled = sync(
        &forger,
        &format!("{state} --trusting-period {}", SLEPT + 60),
    )
    .await;
    assert_eq!(fooled.expect_code(0).numbers(), [u64::from(NEWEST)]);
    let status = Program::run(&format!("status --json {state}")).await;
    let status = status.expect_code(0).named("status").remove(0);
    let of = |world: &World| serde_json::json!(world.blocks[NEWEST as usize].hash);
    assert_eq!(status["hash"], of(&forged));
    assert_ne!(status["hash"], of(&world));
}

/// A chain that stopped looks like a healthy one but for its age.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_shown_has_its_age_and_is_refused_beyond_the_users_limit() {
    const AGE: u64 = 100;
    let world = world(AGE);
    let node = Node::start(&world, Tamper::None).await;
    let account = hex(&ACCOUNT);
    let hash = hex(&[7; 32]);
    let commands = [
        "sync".to_owned(),
        format!("account {account}"),
        format!("storage {account}"),
        "block".to_owned(),
        format!("tx {hash} --at 9"),
    ];
    let run = async |command: &str, more: &str| {
        let (url, from) = (&node.url, start(&world, 5));
        let line = format!("{command} --json --give-up-after 1 --url {url} {from} {more}");
        Program::run(&line).await
    };
    for command in &commands {
        let shown = run(command, &format!("--max-age {}", AGE + 60)).await;
        let last = shown.expect_code(0).events().pop().expect("an answer");
        let age = if command == "sync" { "age" } else { "head_age" };
        let age = last[age].as_u64().expect("it is proven");
        assert!((AGE..AGE + 60).contains(&age), "{last}");

        let refused = run(command, &format!("--max-age {}", AGE - 1)).await;
        let refused = refused.expect_code(9);
        let failed = refused.events().pop().expect("a failure");
        assert_eq!(failed["kind"], "stale");
        let is_answer = |event: &Value| !event["head_age"].is_null();
        assert!(!refused.events().iter().any(is_answer), "{command}");
    }
    // The time is that of the newest block, and not of the one that it began from.
    let synced = run("sync", "")
        .await
        .expect_code(0)
        .named("synced")
        .remove(0);
    assert_eq!(synced["time"], world.time());
    // An older block is as old as the newest one that proves it.
    let older = run(&commands[1], "--at 6 --max-age 160").await;
    assert_eq!(older.expect_code(0).named("account")[0]["block"], 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_age_that_nobody_proves_is_too_old_for_every_limit() {
    let world = world(0);
    let node = Node::start(&world, Tamper::Pruned).await;
    let begin = format!("{} --trust-old-start", start(&world, 5));
    let synced = sync(&node, &begin).await.expect_code(0);
    assert!(synced.named("synced")[0]["age"].is_null());
    sync(&node, &format!("{begin} --max-age 1000000"))
        .await
        .expect_code(9);
}

/// HANDOFF-5: a client that begins at a set that has expired waits for nothing.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_for_a_set_that_signs_nothing_is_told() {
    for (tamper, age, told) in [
        (Tamper::SignsNothing, 100, 1),
        (Tamper::SignsNothing, 0, 0),
        (Tamper::None, 100, 0),
    ] {
        let world = world(age);
        let node = Node::start(&world, tamper).await;
        let synced = sync(&node, &start(&world, 5)).await.expect_code(0);
        assert_eq!(synced.named("silent").len(), told, "{tamper:?} {age}");
    }
    let world = world(0);
    let node = Node::start(&world, Tamper::SignsNothing).await;
    let from = start(&world, 5);
    let line = format!("follow --json --stall-after 1 --url {} {from}", node.url);
    let follower = Program::start(&line).wait_for_line("\"silent\"").await;
    follower.signal("TERM");
    let finished = follower.finish().await.expect_code(0);
    assert_eq!(finished.named("stalled").len(), 1);
}

/// An endpoint that hides the state makes the newest block look old, which another one corrects in time.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_hides_the_time_is_left_for_another_endpoint_before_the_period_ends() {
    let (world, folder) = (world(60), Folder::new());
    let state = format!("--state {}", folder.text("state"));
    let first = Node::start_at(&world, Tamper::None, 6, true).await;
    let begin = format!("{} {state}", start(&world, 5));
    sync(&first, &begin).await.expect_code(0);
    let time = async || {
        let status = Program::run(&format!("status --json {state}")).await;
        status
            .named("status")
            .pop()
            .and_then(|status| status["time"].as_u64())
    };
    let hides = Node::start(&world, Tamper::Pruned).await;
    let honest = Node::start(&world, Tamper::None).await;
    let urls = format!("--url {} --url {}", hides.url, honest.url);
    let line = format!("follow --json {urls} {state} --trusting-period 110");
    let follower = Program::start(&line).wait_for_line("LIGHT-9").await;
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        if time().await == Some(world.time()) {
            break;
        }
        assert!(Instant::now() < until, "nobody is asked for the time");
    }
    follower.signal("TERM");
    let finished = follower.finish().await.expect_code(0);
    assert_eq!(finished.named("endpoint")[0]["url"], hides.url.as_str());
}

/// A clock is the user's, and may be wrong.
#[tokio::test(flavor = "multi_thread")]
async fn a_block_from_the_future_is_told_once_and_its_age_is_0() {
    for (ahead, told) in [(30, 0), (90, 1)] {
        let world = Arc::new(World::ahead(NEWEST, ahead));
        let node = Node::start(&world, Tamper::None).await;
        let finished = sync(&node, &format!("{} --max-age 0", start(&world, 5))).await;
        let finished = finished.expect_code(0);
        assert_eq!(finished.named("synced")[0]["age"], 0);
        assert_eq!(finished.named("ahead").len(), told, "{ahead}");
    }
}

/// A program that slept, as on a suspended machine, takes no proof when it wakes.
#[tokio::test(flavor = "multi_thread")]
async fn a_follower_whose_newest_block_became_too_old_takes_no_proof_any_more() {
    let (world, folder) = (world(0), Folder::new());
    let node = Node::start_at(&world, Tamper::None, 8, true).await;
    let state = format!("--state {}", folder.text("state"));
    let line = format!("follow --json --stall-after 1 --url {} {state}", node.url);
    let from = start(&world, 7);
    // From the first young block on, the user's word about the start counts no more.
    let told = "--trusting-period 5 --trust-old-start";
    let program = Program::start(&format!("{line} {told} {from}"));
    let program = program.synced().await;
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let status = Program::run(&format!("status --json {state}")).await;
        let status = status.named("status").pop();
        if status.is_some_and(|status| status["age"].as_u64() > Some(5)) {
            break;
        }
        assert!(Instant::now() < until, "the kept state does not age");
    }
    node.prove(NEWEST);
    let finished = program.finish().await;
    assert_eq!(finished.named("proof").last().expect("block 8")["block"], 8);
    refused(finished);
}
