//! A short form of the load, with everything that the long one does: two real nodes, fifty validators, one attack.

use duet_load::{
    attack::{needed, Attack},
    round::{play, Order, Plan, Played},
    stage::{Hears, Size, Stage},
    Result,
};
use duet_local_network::{wait, Interrupt};
use std::time::Duration;

const VALIDATORS: u32 = 50;
/// How long the node may take to throw out who sends garbage.
const BAN_LIMIT: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread")]
async fn fifty_validators_prove_blocks_on_two_real_nodes_while_one_is_sent_garbage() {
    let mut interrupt = Interrupt::listen().expect("signals can be listened to");
    let is_interrupted = tokio::select! {
        played = rounds() => {
            played.expect("the nodes run");
            false
        }
        () = interrupt.next() => true,
    };
    if is_interrupted {
        std::process::exit(130);
    }
}

async fn rounds() -> Result<()> {
    let size = Size {
        validators: VALIDATORS,
        players: 4,
        bundled: 3,
        second_hears: Hears::Votes,
        cores: None,
        keep: false,
    };
    let mut stage = Stage::start(size).await?;
    let plan = |order| Plan {
        voters: stage.validators.played().collect(),
        order,
        copies: 1,
        is_alone: true,
    };
    let [at_once, last_apart] = [Order::AtOnce, Order::LastApart].map(plan);
    let threshold = stage.validators.threshold();
    let played = play(&mut stage, &at_once).await?;
    let signers = assert_proven(&stage, &played);
    assert!(signers >= threshold, "{signers} of {threshold}");
    let played = play(&mut stage, &last_apart).await?;
    assert_eq!(assert_proven(&stage, &played), threshold);
    assert_all_counted(&played);

    let running = Attack::Garbage.start(&stage).await?;
    let attacked = Plan {
        voters: needed(&stage.validators),
        is_alone: false,
        ..at_once
    };
    let played = play(&mut stage, &attacked).await?;
    let signers = assert_proven(&stage, &played);
    assert_eq!(signers, threshold, "of those who vote none is missing");
    let look = || std::future::ready(Ok(running.tally().banned()));
    wait::until(
        "the node to throw somebody out",
        BAN_LIMIT,
        look,
        |banned| *banned > 0,
    )
    .await?;
    let counts = stage.gauge.read().await?.counts();
    assert!(counts.undecodable > 0, "{counts:?}");
    assert_eq!(counts.bad, 0, "every vote held");
    Ok(())
}

/// Fails unless both nodes have a proof, and it holds; how many signed.
fn assert_proven(stage: &Stage, played: &Played) -> u32 {
    assert_eq!(played.missing, [], "votes that did not arrive");
    let proof = played.justification.clone().expect("the node has a proof");
    assert!(played.second.is_some(), "the second node has none");
    let signers = proof.signers.count();
    let checked = proof.check(stage.validators.set().keyset(), stage.genesis);
    assert_eq!(checked.map(drop), Ok(()));
    signers
}

/// Fails unless the node has counted every vote of the round once.
fn assert_all_counted(played: &Played) {
    let counts = played.spent.counts;
    assert_eq!(counts.no_room, 0, "{counts:?}");
    assert_eq!(counts.ignored, 0, "{counts:?}");
    assert_eq!(counts.settled(), u64::from(VALIDATORS - 1), "{counts:?}");
    assert!(!played.spent.total.is_zero(), "the node has worked");
}
