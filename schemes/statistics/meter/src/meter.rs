//! Measurements, and the figures of a time.

use crate::resources::{processor_time, resident_kib};
use duet_statistics::Metric;
use parking_lot::Mutex;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Takes measurements from where they arise. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Mutex<Totals>>);

/// All that was measured since the node started.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    imports: Sum,
    lags: Sum,
    /// The highest block that was not new when it was imported.
    old: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    sum: u64,
    count: u64,
}

impl Sum {
    fn add(&mut self, value: u64) {
        self.sum = self.sum.saturating_add(value);
        self.count = self.count.saturating_add(1);
    }

    /// The mean of the values added since, rounded down; `None` if there are none.
    fn mean_since(&self, before: &Self) -> Option<u64> {
        let sum = self.sum.saturating_sub(before.sum);
        sum.checked_div(self.count.saturating_sub(before.count))
    }
}

impl Meter {
    /// Records an imported block; `old` is the number of a block with which the node catches up.
    pub fn imported(&self, took: Duration, old: Option<u32>) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let mut totals = self.0.lock();
        totals.imports.add(micros);
        totals.old = totals.old.max(old);
    }

    /// So many blocks were not final after a block was imported.
    pub fn lag(&self, blocks: u32) {
        let thousandths = u64::from(blocks).saturating_mul(1000);
        self.0.lock().lags.add(thousandths);
    }

    /// A reader that has not started.
    pub fn reader(&self) -> Reader {
        Reader {
            meter: self.clone(),
            began: None,
        }
    }
}

/// Takes the figures of one time after another.
#[derive(Debug)]
pub struct Reader {
    meter: Meter,
    began: Option<Began>,
}

/// The counters when a period began.
#[derive(Debug)]
struct Began {
    at: Instant,
    totals: Totals,
    processor: Option<Duration>,
}

impl Reader {
    /// Whether this node has imported all blocks from this one on as they came.
    pub fn has_kept_up_since(&self, block: u32) -> bool {
        self.meter.0.lock().old.is_none_or(|old| old < block)
    }

    /// Ends a period and begins the next. Returns the figures of the ended one, in the order of [`Metric::ALL`];
    /// unmeasurable figures, and figures without an event, are left out. `None` the first time.
    pub fn turn(&mut self, peers: usize) -> Option<Vec<(Metric, u64)>> {
        self.turn_at(Instant::now(), processor_time(), peers)
    }

    /// [`Self::turn`] at a time at which the process had taken so much of the processor.
    fn turn_at(
        &mut self,
        at: Instant,
        processor: Option<Duration>,
        peers: usize,
    ) -> Option<Vec<(Metric, u64)>> {
        let now = Began {
            at,
            totals: *self.meter.0.lock(),
            processor,
        };
        let figures = self.began.as_ref().map(|began| {
            let figure = |metric| match metric {
                Metric::ImportTime => now.totals.imports.mean_since(&began.totals.imports),
                Metric::Peers => u64::try_from(peers).ok(),
                Metric::FinalityLag => now.totals.lags.mean_since(&began.totals.lags),
                Metric::Memory => resident_kib(),
                Metric::Processor => {
                    let taken = now.processor?.checked_sub(began.processor?)?;
                    thousandths(taken, now.at.checked_duration_since(began.at)?)
                }
            };
            let figures = Metric::ALL.into_iter();
            figures
                .filter_map(|metric| Some((metric, figure(metric)?)))
                .collect()
        });
        self.began = Some(now);
        figures
    }
}

/// A part of a time, in thousandths.
fn thousandths(part: Duration, of: Duration) -> Option<u64> {
    let thousandths = part.as_micros().checked_mul(1000)?;
    u64::try_from(thousandths.checked_div(of.as_micros())?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(figures: &[(Metric, u64)], metric: Metric) -> Option<u64> {
        let found = figures.iter().find(|(of, _)| *of == metric);
        found.map(|(_, value)| *value)
    }

    #[test]
    fn figures_are_of_one_time_and_there_are_none_before_it_began() {
        let meter = Meter::default();
        let mut reader = meter.reader();
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        meter.imported(Duration::from_secs(9), None);
        assert_eq!(reader.turn_at(start, Some(second), 4), None);

        meter.imported(Duration::from_millis(2), None);
        meter.imported(Duration::from_millis(5), None);
        for blocks in [1, 2, 2] {
            meter.lag(blocks);
        }
        let figures = reader.turn_at(start + 2 * second, Some(second + second / 2), 7);
        let figures = figures.unwrap();
        assert!(figures.is_sorted_by_key(|(metric, _)| *metric));
        assert_eq!(of(&figures, Metric::ImportTime), Some(3500));
        assert_eq!(of(&figures, Metric::Peers), Some(7));
        assert_eq!(of(&figures, Metric::FinalityLag), Some(1666));
        assert_eq!(of(&figures, Metric::Processor), Some(250));

        let figures = reader.turn_at(start + 3 * second, None, 7).unwrap();
        assert_eq!(
            of(&figures, Metric::ImportTime),
            None,
            "nothing was imported"
        );
        assert_eq!(of(&figures, Metric::FinalityLag), None);
        assert_eq!(of(&figures, Metric::Processor), None, "it is not known");
    }

    #[test]
    fn readers_do_not_take_each_others_figures() {
        let meter = Meter::default();
        let (mut slow, mut fast) = (meter.reader(), meter.reader());
        slow.turn(0);
        fast.turn(0);
        meter.lag(1);
        let figures = fast.turn(0).unwrap();
        assert_eq!(of(&figures, Metric::FinalityLag), Some(1000));
        meter.lag(3);
        let figures = slow.turn(0).unwrap();
        assert_eq!(of(&figures, Metric::FinalityLag), Some(2000));
    }

    #[test]
    fn a_node_has_kept_up_since_the_last_block_that_was_old() {
        let meter = Meter::default();
        let reader = meter.reader();
        assert!(reader.has_kept_up_since(0));
        for old in [Some(7), Some(5), None] {
            meter.imported(Duration::ZERO, old);
        }
        assert!(!reader.has_kept_up_since(7));
        assert!(reader.has_kept_up_since(8));
    }

    #[test]
    fn processor_time_is_in_thousandths_of_a_core() {
        let (part, of) = (Duration::from_millis(1500), Duration::from_secs(1));
        assert_eq!(thousandths(part, of), Some(1500));
        assert_eq!(thousandths(part, Duration::ZERO), None);
    }
}
