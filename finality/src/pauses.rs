//! How long the worker's loop is busy with one input, during which it takes no other.

use crate::metrics::LoopMetrics;
use duet_gossip::{metrics::Gauge, LOG_TARGET};
use rustix::time::{clock_gettime, ClockId};
use std::time::{Duration, Instant};

/// The target for the longest pass of the loop.
const TARGET: Duration = Duration::from_millis(5);

/// Measures the passes of the loop.
pub(crate) struct Pauses {
    metrics: LoopMetrics,
    longest: Duration,
    most_work: Duration,
}

/// The beginning of a pass.
pub(crate) struct Begun {
    at: Instant,
    /// Processor time of this thread.
    worked: Duration,
}

impl Begun {
    /// A pass begins now, in this thread.
    pub(crate) fn now() -> Self {
        Self {
            at: Instant::now(),
            worked: thread_time(),
        }
    }
}

impl Pauses {
    pub(crate) fn new(metrics: LoopMetrics) -> Self {
        Self {
            metrics,
            longest: Duration::ZERO,
            most_work: Duration::ZERO,
        }
    }

    /// A pass ends, in the thread that began it. `input` names its input.
    ///
    /// A pause is time on the wall: on a busy machine the loop waits for a processor, too. The work is processor time.
    pub(crate) fn over(&mut self, input: &'static str, begun: &Begun) {
        let pause = begun.at.elapsed();
        let work = thread_time().saturating_sub(begun.worked);
        self.metrics.pauses.observe(pause.as_secs_f64());
        if pause > self.longest.min(TARGET) {
            log::debug!(
                target: LOG_TARGET,
                "{input} kept the loop busy for {pause:?}, of which it worked for {work:?}",
            );
        }
        raise(&mut self.longest, pause, &self.metrics.longest);
        raise(&mut self.most_work, work, &self.metrics.most_work);
    }
}

/// Shows a duration in microseconds if it is the longest.
fn raise(longest: &mut Duration, duration: Duration, shown: &Gauge) {
    if duration > *longest {
        *longest = duration;
        shown.set(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX));
    }
}

/// The processor time of this thread so far.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    /// Works until this thread's clock reaches this time.
    fn work(time: Duration) {
        let until = thread_time() + time;
        while thread_time() < until {
            black_box(0);
        }
    }

    #[test]
    fn the_longest_pause_and_the_most_work_are_shown() {
        let metrics = LoopMetrics::new(None);
        let mut pauses = Pauses::new(metrics.clone());
        let begun = Begun::now();
        work(Duration::from_millis(2));
        pauses.over("a test", &begun);
        let (pause, worked) = (metrics.longest.get(), metrics.most_work.get());
        assert!(worked >= 2_000 && pause >= worked, "{pause} {worked}");

        // Like a pass that waited for a processor.
        let mut begun = Begun::now();
        begun.at -= Duration::from_micros(pause + 1);
        pauses.over("a test", &begun);
        assert!(metrics.longest.get() > pause);
        assert_eq!(metrics.most_work.get(), worked);

        pauses.over("a test", &Begun::now());
        assert_eq!(metrics.pauses.get_sample_count(), 3);
    }
}
