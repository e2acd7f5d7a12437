//! The commands against endpoints that answer too slowly or not at all, and where two of three lie.

use crate::support::{
    checkpoint_file, hex, urls, Finished, Node, Program, Proxy, Tamper, Tampering, World, ACCOUNT,
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::task::JoinSet;

const NEWEST: u32 = 9;
/// What the commands below are told: how long to wait for an answer, and for an endpoint of use.
const LIMITS: &str = "--request-timeout 1 --give-up-after 2";
/// The longest that they may take on a busy machine. A second more than the two limits is enough on one that is not.
const BOUND: Duration = Duration::from_secs(20);

/// Each way to be slow, and what is said of it.
const SLOW: [(Tampering, &str); 4] = [
    (
        Tampering::Dripping,
        "chain_getBlockHash: no answer within 1 s",
    ),
    (
        Tampering::Silent,
        "chain_getBlockHash: no answer within 1 s",
    ),
    (Tampering::DrippingAtOnce, "no connection within 1 s"),
    (Tampering::SilentAtOnce, "no connection within 1 s"),
];

fn commands() -> [String; 4] {
    [
        "sync".to_owned(),
        "follow".to_owned(),
        format!("account {}", hex(&ACCOUNT)),
        "serve --listen 127.0.0.1:0".to_owned(),
    ]
}

/// Runs a command; one that only a signal ends gets it once it is at the head.
async fn run(world: &World, command: &str, endpoints: &[&str]) -> Finished {
    let checkpoint = checkpoint_file(&world.checkpoint());
    let path = checkpoint.path().display();
    let urls = urls(endpoints);
    let program = Program::start(&format!(
        "{command} --json {LIMITS} --checkpoint {path}{urls}"
    ));
    let goes_on = command.starts_with("follow") || command.starts_with("serve");
    if !goes_on || endpoints.len() == 1 {
        return program.finish().await;
    }
    let program = program.synced().await;
    program.signal("INT");
    program.finish().await
}

/// Asserts that the command came to the head, or to the answer, by this endpoint.
#[track_caller]
fn assert_done(finished: Finished, command: &str, world: &World, honest: &Node) {
    let finished = finished.expect_code(0);
    let name = if command.starts_with("account") {
        "account"
    } else {
        "synced"
    };
    let done = finished.named(name).pop().expect("it is done");
    assert_eq!(
        (&done["url"], &done["block"]),
        (&honest.url.as_str().into(), &NEWEST.into()),
        "{command}"
    );
    let hash = format!("{:?}", world.blocks[NEWEST as usize].hash);
    assert_eq!(done["hash"], hash, "{command}");
}

/// Alone it ends the command in time with its name and the reason; before an honest one it costs a limit.
#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_is_too_slow_ends_no_command_late_and_hides_no_other() {
    let world = Arc::new(World::new(NEWEST, 1));
    let mut cases = JoinSet::new();
    for (tampering, reason) in SLOW {
        for command in commands() {
            let world = Arc::clone(&world);
            cases.spawn(async move {
                let honest = Node::start(&world, Tamper::None).await;
                let slow = Proxy::start(&honest.url, tampering).await;
                let start = Instant::now();
                let alone = run(&world, &command, &[&slow.url]).await.expect_code(4);
                assert!(start.elapsed() < BOUND, "{command}: {:?}", start.elapsed());
                let expected = format!("{}: {reason}", slow.url);
                let message = alone.message();
                assert!(message.contains(&expected), "{command}: {message}");

                let start = Instant::now();
                let both = run(&world, &command, &[&slow.url, &honest.url]).await;
                assert!(start.elapsed() < BOUND, "{command}: {:?}", start.elapsed());
                let left = both.named("endpoint").remove(0);
                assert_eq!(
                    (&left["url"], &left["verdict"]),
                    (&slow.url.as_str().into(), &"unreachable".into())
                );
                assert_eq!(left["reason"], reason);
                assert_done(both, &command, &world, &honest);
            });
        }
    }
    while let Some(case) = cases.join_next().await {
        case.expect("as it should be");
    }
}

/// Whatever two of them say, the third is found, and each liar is named.
#[tokio::test(flavor = "multi_thread")]
async fn two_liars_of_three_hide_nothing() {
    let world = Arc::new(World::new(NEWEST, 1));
    let mut cases = JoinSet::new();
    for command in commands() {
        for (garbled, lies) in [
            (Tampering::NotJson, Tamper::OtherChain),
            (Tampering::Twice, Tamper::OldTime),
            (Tampering::Cut, Tamper::OtherHeader),
        ] {
            let (world, command) = (Arc::clone(&world), command.clone());
            cases.spawn(async move {
                let honest = Node::start(&world, Tamper::None).await;
                let garbled = Proxy::start(&honest.url, garbled).await;
                let liar = Node::start(&world, lies).await;
                let urls = [&*garbled.url, &liar.url, &honest.url];
                let finished = run(&world, &command, &urls).await;
                let left = finished.named("endpoint");
                for url in &urls[..2] {
                    let named = left
                        .iter()
                        .any(|event| event["url"] == *url && event["rule"].is_string());
                    assert!(named, "{command} {lies:?}: {left:?}");
                }
                assert_done(finished, &command, &world, &honest);
            });
        }
    }
    while let Some(case) = cases.join_next().await {
        case.expect("as it should be");
    }
}
