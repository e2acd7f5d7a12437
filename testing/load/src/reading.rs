//! Readings of a node, and what lies between two of them.

use crate::{
    metrics::Metrics,
    process::{resident_memory, Threads},
    Result,
};
use duet_local_network::{Error as NetworkError, Node};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// Where the readings of a node come from.
#[derive(Clone, Copy, Debug)]
pub struct Gauge {
    process: u32,
    metrics: u16,
}

/// What a node shows at one moment.
#[derive(Clone, Debug)]
pub struct Reading {
    at: Instant,
    threads: Threads,
    metrics: Metrics,
    /// Resident memory, in bytes.
    pub memory: u64,
}

/// What a node did between two readings.
#[derive(Clone, Debug, Default)]
pub struct Spent {
    /// How long it took.
    pub wall: Duration,
    /// Processor time of all threads.
    pub total: Duration,
    /// The same by the names of threads.
    pub by_thread: BTreeMap<String, Duration>,
    /// Time within the polls of the node's tasks, by what they do.
    pub by_part: BTreeMap<Part, Duration>,
    /// What was counted.
    pub counts: Counts,
}

/// What a task of a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Checks what peers send.
    Verify,
    /// The gossip engine.
    Gossip,
    /// The voter's loop.
    Voter,
    /// Anything else of Duet: signing, answers.
    OtherDuet,
    /// Connections and the network worker.
    Network,
    /// What has nothing to do with votes.
    Rest,
}

impl Part {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 6] = [
        Self::Verify,
        Self::Gossip,
        Self::Voter,
        Self::OtherDuet,
        Self::Network,
        Self::Rest,
    ];

    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verify => "duet-verify",
            Self::Gossip => "duet-gossip",
            Self::Voter => "duet (voter)",
            Self::OtherDuet => "duet-sign and others",
            Self::Network => "network",
            Self::Rest => "rest",
        }
    }

    /// The part that a task of this name is of.
    fn of_task(name: &str) -> Self {
        match name {
            "duet-verify" => Self::Verify,
            "duet-gossip" => Self::Gossip,
            "duet" => Self::Voter,
            name if name.starts_with("duet-") => Self::OtherDuet,
            name if name.contains("p2p") || name.contains("network") => Self::Network,
            _ => Self::Rest,
        }
    }
}

/// What a node counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Votes that were new and hold.
    pub good: u64,
    /// Votes that do not hold.
    pub bad: u64,
    /// Votes that were known before any arithmetic.
    pub known: u64,
    /// Votes that were too early or too late.
    pub ignored: u64,
    /// Votes whose proof was checked.
    pub checked: u64,
    /// Messages for which there was no room.
    pub no_room: u64,
    /// Messages of senders that are banned.
    pub of_banned: u64,
    /// Messages that did not decode.
    pub undecodable: u64,
    /// Bytes that arrived.
    pub bytes_in: u64,
    /// Bytes that were sent.
    pub bytes_out: u64,
}

impl Counts {
    /// Votes of which it is known what became of them.
    pub fn settled(&self) -> u64 {
        self.checked + self.known + self.ignored + self.no_room + self.of_banned
    }

    fn of(metrics: &Metrics) -> Self {
        let duet = |name: &str| count(metrics.value(&format!("substrate_duet_{name}_total")));
        let bytes = metrics.by_label("substrate_sub_libp2p_network_bytes_total", "direction");
        let bytes = |direction: &str| count(bytes.get(direction).copied().unwrap_or(0.0));
        Self {
            good: duet("votes_good"),
            bad: duet("votes_bad"),
            known: duet("votes_known"),
            ignored: duet("votes_ignored"),
            checked: duet("dleq_checks"),
            no_room: duet("queue_drops"),
            of_banned: duet("banned_drops"),
            undecodable: duet("undecodable_messages"),
            bytes_in: bytes("in"),
            bytes_out: bytes("out"),
        }
    }

    fn since(&self, earlier: &Self) -> Self {
        Self {
            good: self.good.saturating_sub(earlier.good),
            bad: self.bad.saturating_sub(earlier.bad),
            known: self.known.saturating_sub(earlier.known),
            ignored: self.ignored.saturating_sub(earlier.ignored),
            checked: self.checked.saturating_sub(earlier.checked),
            no_room: self.no_room.saturating_sub(earlier.no_room),
            of_banned: self.of_banned.saturating_sub(earlier.of_banned),
            undecodable: self.undecodable.saturating_sub(earlier.undecodable),
            bytes_in: self.bytes_in.saturating_sub(earlier.bytes_in),
            bytes_out: self.bytes_out.saturating_sub(earlier.bytes_out),
        }
    }
}

/// A count, which the metrics show as a floating-point number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn count(value: f64) -> u64 {
    // Saturates; counts are whole numbers far below the limit.
    value.max(0.0) as u64
}

impl Gauge {
    /// Of a node that runs and shows its metrics.
    ///
    /// # Errors
    /// [`NetworkError::NotRunning`] when it does not.
    pub fn of(node: &Node) -> Result<Self> {
        let not_running = || NetworkError::NotRunning {
            node: node.name().to_owned(),
        };
        Ok(Self {
            process: node.process_id().ok_or_else(not_running)?,
            metrics: node.metrics_port().ok_or_else(not_running)?,
        })
    }

    /// Reads everything. Costs the node about a millisecond.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) when it does not run any more.
    pub async fn read(&self) -> Result<Reading> {
        let metrics = Metrics::read(self.metrics).await?;
        Ok(Reading {
            at: Instant::now(),
            threads: Threads::read(self.process)?,
            metrics,
            memory: self.memory()?,
        })
    }

    /// Reads the resident memory only, in bytes.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) when the node does not run any more.
    pub fn memory(&self) -> Result<u64> {
        resident_memory(self.process)
    }
}

impl Reading {
    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        Counts::of(&self.metrics)
    }

    /// What happened since an earlier reading.
    pub fn since(&self, earlier: &Self) -> Spent {
        let by_thread = self.threads.since(&earlier.threads);
        let mut by_part = BTreeMap::new();
        let before = earlier.polled();
        for (task, time) in self.polled() {
            let before = before.get(&task).copied().unwrap_or(0.0);
            let spent = Duration::try_from_secs_f64(time - before).unwrap_or_default();
            *by_part.entry(Part::of_task(&task)).or_default() += spent;
        }
        Spent {
            wall: self.at.saturating_duration_since(earlier.at),
            total: by_thread.values().sum(),
            by_thread,
            by_part,
            counts: self.counts().since(&earlier.counts()),
        }
    }

    /// The longest pause of the voter's loop, if the node measures it.
    pub fn longest_pause(&self) -> Option<Duration> {
        self.micros("loop_pause_max_microseconds")
    }

    /// The most processor time that the voter's loop spent on one input, if the node measures it.
    pub fn most_work(&self) -> Option<Duration> {
        self.micros("loop_work_max_microseconds")
    }

    fn micros(&self, name: &str) -> Option<Duration> {
        let longest = self.metrics.containing(name);
        let microseconds = longest.into_values().reduce(f64::max)?;
        Duration::try_from_secs_f64(microseconds / 1e6).ok()
    }

    /// Seconds within the polls of each task.
    fn polled(&self) -> BTreeMap<String, f64> {
        self.metrics
            .by_label("substrate_tasks_polling_duration_sum", "task_name")
    }
}

impl Spent {
    /// The processor time of each part: the total, divided as the time within the polls of the node's tasks is. On a
    /// machine that has more to do than cores, these take longer than the processor works on them.
    pub fn parts(&self) -> BTreeMap<Part, Duration> {
        let polled: Duration = self.by_part.values().sum();
        if polled.is_zero() {
            return BTreeMap::new();
        }
        let scale = self.total.as_secs_f64() / polled.as_secs_f64();
        let parts = self.by_part.iter();
        parts
            .map(|(part, time)| (*part, time.mul_f64(scale)))
            .collect()
    }

    /// The same without what the node spends in as much time anyway.
    pub fn beyond(mut self, idle: &Self) -> Self {
        if idle.wall.is_zero() {
            return self;
        }
        let share = self.wall.as_secs_f64() / idle.wall.as_secs_f64();
        let less = |spent: Duration, idle: Duration| spent.saturating_sub(idle.mul_f64(share));
        self.total = less(self.total, idle.total);
        for (part, spent) in &mut self.by_part {
            *spent = less(*spent, idle.by_part.get(part).copied().unwrap_or_default());
        }
        for (name, spent) in &mut self.by_thread {
            *spent = less(
                *spent,
                idle.by_thread.get(name).copied().unwrap_or_default(),
            );
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_of_duet_and_of_the_network_are_told_apart() {
        let tasks = [
            ("duet-verify", Part::Verify),
            ("duet-gossip", Part::Gossip),
            ("duet", Part::Voter),
            ("duet-sign", Part::OtherDuet),
            ("libp2p-node", Part::Network),
            ("aura", Part::Rest),
        ];
        for (task, part) in tasks {
            assert_eq!(Part::of_task(task), part, "{task}");
        }
    }

    #[test]
    fn the_total_is_divided_as_the_polls_are() {
        let millis = Duration::from_millis;
        let spent = Spent {
            total: millis(50),
            by_part: BTreeMap::from([(Part::Verify, millis(75)), (Part::Rest, millis(25))]),
            ..Spent::default()
        };
        let parts = spent.parts().into_iter().collect::<Vec<_>>();
        assert_eq!(
            parts,
            [
                (Part::Verify, Duration::from_micros(37_500)),
                (Part::Rest, Duration::from_micros(12_500))
            ]
        );
        assert_eq!(Spent::default().parts(), BTreeMap::new());
    }

    #[test]
    fn what_an_idle_node_spends_is_taken_off_in_proportion() {
        let spent = |wall, total| Spent {
            wall: Duration::from_millis(wall),
            total: Duration::from_millis(total),
            ..Spent::default()
        };
        let beyond = spent(500, 90).beyond(&spent(2_000, 40));
        assert_eq!(beyond.total, Duration::from_millis(80));
        let beyond = spent(500, 5).beyond(&spent(2_000, 40));
        assert_eq!(beyond.total, Duration::ZERO);
    }
}
