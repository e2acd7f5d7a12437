//! The row of a scenario, made of its rounds.

use crate::{
    figures::Figure,
    reading::{Part, Spent},
    round::{Order, Played},
    row::Row,
    stage::Stage,
    Result,
};
use std::{collections::BTreeSet, time::Duration};

/// How many of the signers whose votes are missing are named.
const NAMED: usize = 16;
/// What is in a megabyte.
const MEGABYTE: f64 = 1e6;

/// Resident memory, before a scenario and the most that was seen, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    before: u64,
    peak: u64,
}

impl Memory {
    /// Begins to watch.
    pub(crate) fn before(stage: &Stage) -> Result<Self> {
        let before = stage.gauge.memory()?;
        Ok(Self {
            before,
            peak: before,
        })
    }

    /// Looks now, and returns what is seen.
    pub(crate) fn look(&mut self, stage: &Stage) -> Result<u64> {
        let now = stage.gauge.memory()?;
        self.peak = self.peak.max(now);
        Ok(now)
    }
}

/// The row of a scenario. `idle` is what the node spends without votes; nothing if that is not known.
pub(crate) async fn summary(
    stage: &Stage,
    scenario: &str,
    (played, idle): (&[Played], &Spent),
    mut memory: Memory,
) -> Result<Row> {
    let after = memory.look(stage)?;
    let reading = stage.gauge.read().await?;
    let spent: Vec<_> = played
        .iter()
        .map(|round| round.spent.clone().beyond(idle))
        .collect();
    let bare = |round: &Played| micros(round.bare.time) / f64::from(round.bare.votes);
    // Without knowing what the node spends anyway, nobody knows what votes cost it.
    let is_known = !idle.wall.is_zero();
    let work = played.iter().zip(&spent).filter(|_| is_known);
    let work = work.map(|(round, spent)| (round, micros(spent.total) / f64::from(round.votes)));
    let work: Vec<_> = work.collect();
    Ok(Row {
        subject: "duet".into(),
        version: stage.version.clone(),
        validators: stage.validators.count(),
        scenario: scenario.into(),
        bare: Figure::of(played.iter().map(bare)),
        work: Figure::of(work.iter().map(|(_, work)| *work)),
        ratio: Figure::of(work.iter().map(|(round, work)| work / bare(round))),
        per_round: Figure::of(spent.iter().map(|spent| millis(spent.total))),
        parts: parts(&spent),
        threads: threads(&spent),
        memory_before: megabytes(memory.before),
        memory_peak: megabytes(memory.peak),
        memory_after: megabytes(after),
        pause: reading.longest_pause().map(millis),
        pause_work: reading.most_work().map(millis),
        ..counts(times(played), &spent)
    })
}

/// Adds what the second node did to a row. `idle` is what it spends without votes.
pub(crate) fn second(row: &mut Row, played: &[Played], idle: &Spent) {
    let spent = played.iter().map(|round| &round.second_spent);
    let beyond = spent.clone().map(|spent| spent.clone().beyond(idle));
    row.second_per_round = Figure::of(beyond.map(|spent| millis(spent.total)));
    row.second_received = Figure::of(spent.map(|spent| kilobytes(spent.counts.bytes_in)));
}

/// The part of the row that says how long it took to a proof.
fn times(played: &[Played]) -> Row {
    let in_order = |order| played.iter().filter(move |round| round.order == order);
    let at_once = || in_order(Order::AtOnce);
    let missing: Vec<_> = played.iter().flat_map(|round| &round.missing).collect();
    let unproven = played.iter().filter(|round| round.proof.is_none()).count();
    Row {
        rounds: number(played.len()),
        unproven: number(unproven),
        round: Figure::of(at_once().filter_map(|it| it.round.map(millis))),
        proof: Figure::of(at_once().filter_map(|it| it.proof.map(millis))),
        proof_when_idle: Figure::of(
            in_order(Order::LastApart).filter_map(|it| it.proof.map(millis)),
        ),
        second: Figure::of(played.iter().filter_map(|it| it.second.map(millis))),
        missing: u64::try_from(missing.len()).unwrap_or(u64::MAX),
        missing_signers: missing
            .iter()
            .take(NAMED)
            .map(|signer| signer.get())
            .collect(),
        ..Row::default()
    }
}

/// The part of the row that says what the node counted.
fn counts(row: Row, spent: &[Spent]) -> Row {
    let total = |count: fn(&Spent) -> u64| spent.iter().map(count).sum::<u64>();
    Row {
        dropped: total(|spent| spent.counts.no_room),
        known: total(|spent| spent.counts.known),
        ignored: total(|spent| spent.counts.ignored),
        bad: total(|spent| spent.counts.bad),
        checked: total(|spent| spent.counts.checked),
        of_banned: total(|spent| spent.counts.of_banned),
        received: Figure::of(spent.iter().map(|spent| kilobytes(spent.counts.bytes_in))),
        sent: Figure::of(spent.iter().map(|spent| kilobytes(spent.counts.bytes_out))),
        ..row
    }
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
