//! Scenarios: some rounds under the same conditions, and what is measured of them.

use crate::{
    attack::{needed, Attack, Running},
    figures::Figure,
    reading::{Part, Spent},
    round::{play, vote, Order, Plan, Played, LOOK_EVERY},
    row::Row,
    stage::Stage,
    Result,
};
use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};
use tokio::time::sleep;

/// For how long the node is watched without votes.
const IDLE: Duration = Duration::from_secs(8);
/// How many rounds are played before any is measured: tables of keys are made at the second vote of a signer.
const WARMING: u32 = 2;
/// How many of the signers whose votes are missing are named.
const NAMED: usize = 16;
/// What is in a megabyte.
const MEGABYTE: f64 = 1e6;

/// Rounds of all validators without anybody else, after some to get warm.
///
/// # Errors
/// [`Error`](crate::Error) when a node ends or does not vote.
pub async fn rounds(stage: &mut Stage, rounds: u32) -> Result<Row> {
    warm_up(stage).await?;
    let mut plan = all_at_once(stage);
    let idle = idle(stage).await?;
    let memory = Memory::before(stage)?;
    let mut played = Vec::new();
    for _ in 0..rounds {
        for order in [Order::AtOnce, Order::LastApart] {
            plan.order = order;
            played.push(play(stage, &plan).await?);
        }
    }
    summary(stage, "rounds", &played, &idle, memory).await
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
    let memory = Memory::before(stage)?;
    let running = attack.start(stage).await?;
    let mut played = Vec::new();
    for _ in 0..rounds {
        played.push(play(stage, &plan).await?);
    }
    let mut row = summary(stage, attack.name(), &played, &Spent::default(), memory).await?;
    row.notes.push(said(&running));
    Ok(row)
}

fn said(running: &Running) -> String {
    let tally = running.tally();
    let (identities, messages) = (tally.identities(), tally.messages());
    let banned = tally.banned();
    format!("attackers: {identities} identities, {banned} thrown out, {messages} messages")
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
        &played,
        &Spent::default(),
        memory,
    )
    .await?;
    row.notes.push(format!(
        "{targets} blocks without enough votes in {:.0} s; then three rounds of all",
        stalled.as_secs_f64()
    ));
    Ok(row)
}

/// What the node spends while nobody votes, read as often as in a round.
async fn idle(stage: &Stage) -> Result<Spent> {
    let before = stage.gauge.read().await?;
    let began = Instant::now();
    while began.elapsed() < IDLE {
        sleep(LOOK_EVERY).await;
        stage.gauge.read().await?;
    }
    Ok(stage.gauge.read().await?.since(&before))
}

/// Resident memory, before a scenario and the most that was seen, in bytes.
#[derive(Clone, Copy, Debug)]
struct Memory {
    before: u64,
    peak: u64,
}

impl Memory {
    fn before(stage: &Stage) -> Result<Self> {
        let before = stage.gauge.memory()?;
        Ok(Self {
            before,
            peak: before,
        })
    }

    fn look(&mut self, stage: &Stage) -> Result<u64> {
        let now = stage.gauge.memory()?;
        self.peak = self.peak.max(now);
        Ok(now)
    }
}

/// The row of a scenario.
async fn summary(
    stage: &Stage,
    scenario: &str,
    played: &[Played],
    idle: &Spent,
    mut memory: Memory,
) -> Result<Row> {
    let after = memory.look(stage)?;
    let pause = stage.gauge.read().await?.longest_pause();
    let spent: Vec<_> = played
        .iter()
        .map(|it| it.spent.clone().beyond(idle))
        .collect();
    let bare = |round: &Played| micros(round.bare.time) / f64::from(round.bare.votes);
    // Without knowing what the node spends anyway, nobody knows what votes cost it.
    let is_known = !idle.wall.is_zero();
    let work = played.iter().zip(&spent).filter(|_| is_known);
    let work = work.map(|(round, spent)| (round, micros(spent.total) / f64::from(round.votes)));
    let work: Vec<_> = work.collect();
    let in_order = |order| played.iter().filter(move |round| round.order == order);
    let total = |count: fn(&Spent) -> u64| spent.iter().map(count).sum::<u64>();
    let missing: Vec<_> = played.iter().flat_map(|round| &round.missing).collect();
    Ok(Row {
        subject: "duet".into(),
        version: stage.version.clone(),
        validators: stage.validators.count(),
        scenario: scenario.into(),
        rounds: number(played.len()),
        unproven: number(played.iter().filter(|round| round.proof.is_none()).count()),
        bare: Figure::of(played.iter().map(bare)),
        work: Figure::of(work.iter().map(|(_, work)| *work)),
        ratio: Figure::of(work.iter().map(|(round, work)| work / bare(round))),
        per_round: Figure::of(spent.iter().map(|spent| millis(spent.total))),
        parts: parts(&spent),
        threads: threads(&spent),
        round: Figure::of(in_order(Order::AtOnce).filter_map(|it| it.round.map(millis))),
        proof: Figure::of(in_order(Order::AtOnce).filter_map(|it| it.proof.map(millis))),
        proof_when_idle: Figure::of(
            in_order(Order::LastApart).filter_map(|it| it.proof.map(millis)),
        ),
        second: Figure::of(played.iter().filter_map(|it| it.second.map(millis))),
        dropped: total(|spent| spent.counts.no_room),
        missing: u64::try_from(missing.len()).unwrap_or(u64::MAX),
        missing_signers: missing
            .iter()
            .take(NAMED)
            .map(|signer| signer.get())
            .collect(),
        known: total(|spent| spent.counts.known),
        ignored: total(|spent| spent.counts.ignored),
        bad: total(|spent| spent.counts.bad),
        checked: total(|spent| spent.counts.checked),
        of_banned: total(|spent| spent.counts.of_banned),
        received: Figure::of(spent.iter().map(|spent| kilobytes(spent.counts.bytes_in))),
        sent: Figure::of(spent.iter().map(|spent| kilobytes(spent.counts.bytes_out))),
        memory_before: megabytes(memory.before),
        memory_peak: megabytes(memory.peak),
        memory_after: megabytes(after),
        pause: pause.map(millis),
        notes: Vec::new(),
    })
}

/// Processor time per round, by part.
fn parts(spent: &[Spent]) -> Vec<(String, Figure)> {
    let of_part = |part: Part| {
        let times = spent.iter().map(|spent| spent.parts().get(&part).copied());
        let figure = Figure::of(times.map(|time| millis(time.unwrap_or_default())))?;
        Some((part.name().to_owned(), figure))
    };
    Part::ALL.into_iter().filter_map(of_part).collect()
}

/// Processor time per round, by the names of threads; those that do next to nothing are left out.
fn threads(spent: &[Spent]) -> Vec<(String, Figure)> {
    const WORTH_SHOWING: f64 = 0.1;
    let names: BTreeSet<_> = spent.iter().flat_map(|it| it.by_thread.keys()).collect();
    let of_name = |name: &String| {
        let times = spent.iter().map(|spent| spent.by_thread.get(name).copied());
        let figure = Figure::of(times.map(|time| millis(time.unwrap_or_default())))?;
        (figure.high >= WORTH_SHOWING).then_some((name.clone(), figure))
    };
    names.into_iter().filter_map(of_name).collect()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / MEGABYTE
}

#[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
fn kilobytes(bytes: u64) -> f64 {
    bytes as f64 / 1e3
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
