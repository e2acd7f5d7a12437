//! How long the worker's loop is busy with one input: nothing else is heard meanwhile.

use crate::metrics::LoopMetrics;
use duet_gossip::LOG_TARGET;
use std::time::{Duration, Instant};

/// No pass of the loop should take longer.
const TARGET: Duration = Duration::from_millis(5);

/// Measures the passes of the loop.
pub(crate) struct Pauses {
    metrics: LoopMetrics,
    longest: Duration,
}

impl Pauses {
    pub(crate) fn new(metrics: LoopMetrics) -> Self {
        Self {
            metrics,
            longest: Duration::ZERO,
        }
    }

    /// A pass that has begun at `start` is over. `input` names what it was about.
    ///
    /// It is the time on the wall that counts: on a busy machine the loop waits for the processor, too.
    pub(crate) fn over(&mut self, input: &'static str, start: Instant) {
        let pause = start.elapsed();
        self.metrics.pauses.observe(pause.as_secs_f64());
        let is_longest = pause > self.longest;
        if is_longest || pause > TARGET {
            log::debug!(target: LOG_TARGET, "{input} kept the loop busy for {pause:?}");
        }
        if is_longest {
            self.longest = pause;
            let micros = u64::try_from(pause.as_micros()).unwrap_or(u64::MAX);
            self.metrics.longest.set(micros);
        }
    }
}
