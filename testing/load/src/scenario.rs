//! Scenarios: some rounds under the same conditions, and what is measured of them.

use crate::{
    attack::{needed, Attack, Running},
    reading::Spent,
    round::{play, vote, Order, Plan, LOOK_EVERY},
    row::Row,
    stage::Stage,
    summary::{second, summary, Memory},
    Result,
};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// For how long the node is watched without votes.
const IDLE: Duration = Duration::from_secs(8);
/// How many rounds are played before any is measured: tables of keys are made at the second vote of a signer.
const WARMING: u32 = 2;

/// Who votes in a round that nobody attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voters {
    /// All validators.
    All,
    /// As many as a proof needs, as in a round of BEEFY.
    Needed,
}

/// Rounds without anybody else, after some of all validators to get warm.
///
/// # Errors
/// [`Error`](crate::Error) when a node ends or does not vote.
pub async fn rounds(stage: &mut Stage, rounds: u32, voters: Voters) -> Result<Row> {
    warm_up(stage).await?;
    let mut plan = all_at_once(stage);
    let name = match voters {
        Voters::All => "rounds",
        Voters::Needed => "needed votes",
    };
    if voters == Voters::Needed {
        plan.voters = needed(&stage.validators);
    }
    let [idle, second_idle] = idle(stage).await?;
    let mut memory = Memory::before(stage)?;
    let mut played = Vec::new();
    for _ in 0..rounds {
        for order in [Order::AtOnce, Order::LastApart] {
            plan.order = order;
            played.push(play(stage, &plan).await?);
            memory.look(stage)?;
        }
    }
    let mut row = summary(stage, name, (&played, &idle), memory).await?;
    second(&mut row, &played, &second_idle);
    let hears = stage.second_hears.name();
    row.notes.push(format!("the second node hears {hears}"));
    Ok(row)
}

/// Rounds of all validators that nothing is measured of.
async fn warm_up(stage: &mut Stage) -> Result<()> {
    let plan = all_at_once(stage);
    for _ in 0..WARMING {
        play(stage, &plan).await?;
    }
    Ok(())
}

fn all_at_once(stage: &Stage) -> Plan {
    Plan {
        voters: stage.validators.played().collect(),
        order: Order::AtOnce,
        copies: 1,
        is_alone: true,
    }
}

/// Rounds of just as many validators as are needed, while the node is attacked.
///
/// # Errors
/// [`Error`](crate::Error) when a node ends or does not vote.
pub async fn attacked(stage: &mut Stage, attack: Attack, rounds: u32) -> Result<Row> {
    if attack == Attack::Stall {
        return stall(stage, rounds).await;
    }
    warm_up(stage).await?;
    let plan = Plan {
        voters: needed(&stage.validators),
        order: Order::AtOnce,
        copies: attack.copies(),
        is_alone: attack == Attack::Duplicates,
    };
    let mut memory = Memory::before(stage)?;
    let running = attack.start(stage).await?;
    let mut played = Vec::new();
    for _ in 0..rounds {
        played.push(play(stage, &plan).await?);
        memory.look(stage)?;
    }
    let mut row = summary(stage, attack.name(), (&played, &Spent::default()), memory).await?;
    row.notes.push(said(&running));
    Ok(row)
}

fn said(running: &Running) -> String {
    let tally = running.tally();
    let (identities, messages) = (tally.identities(), tally.messages());
    let banned = tally.banned();
    format!("attackers: {identities} identities, {banned} banned, {messages} messages")
}

/// Too few validators vote for some blocks of the node's choice; then the rest votes, too, and rounds go on.
async fn stall(stage: &mut Stage, targets: u32) -> Result<Row> {
    warm_up(stage).await?;
    let mut voters = needed(&stage.validators);
    voters.pop();
    let mut memory = Memory::before(stage)?;
    let began = Instant::now();
    for _ in 0..targets {
        vote(stage, &voters).await?;
        memory.look(stage)?;
    }
    let stalled = began.elapsed();
    let all = all_at_once(stage);
    let mut played = Vec::new();
    for _ in 0..3 {
        played.push(play(stage, &all).await?);
        memory.look(stage)?;
    }
    let mut row = summary(
        stage,
        Attack::Stall.name(),
        (&played, &Spent::default()),
        memory,
    )
    .await?;
    row.notes.push(format!(
        "{targets} blocks without enough votes in {:.0} s; then three rounds of all",
        stalled.as_secs_f64()
    ));
    Ok(row)
}

/// What each node spends while nobody votes, read as often as in a round.
async fn idle(stage: &Stage) -> Result<[Spent; 2]> {
    let before = stage.gauge.read().await?;
    let second_before = stage.second_gauge.read().await?;
    let began = Instant::now();
    while began.elapsed() < IDLE {
        sleep(LOOK_EVERY).await;
        stage.gauge.read().await?;
    }
    let after = stage.gauge.read().await?;
    let second_after = stage.second_gauge.read().await?;
    Ok([after.since(&before), second_after.since(&second_before)])
}
