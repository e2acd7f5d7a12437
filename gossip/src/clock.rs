//! Time behind a trait, so that tests can control it.

use duet_voter::Millis;
use futures::future::BoxFuture;
use futures::FutureExt;
use futures_timer::Delay;
use std::time::{Duration, Instant};

/// Tells the time and waits. The worker and the validator of one node share one clock.
pub trait Clock: Send + Sync {
    /// Milliseconds since a start chosen by the clock. Never goes backwards.
    fn now(&self) -> Millis;

    /// Completes once [`Clock::now`] has reached `at`.
    fn sleep_until(&self, at: Millis) -> BoxFuture<'static, ()>;
}

/// The machine's clock; it starts at its creation.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// A clock that shows zero now.
    pub fn start() -> Self {
        Self {
            started: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Millis {
        millis(self.started.elapsed())
    }

    fn sleep_until(&self, at: Millis) -> BoxFuture<'static, ()> {
        Delay::new(Duration::from_millis(at.saturating_sub(self.now()))).boxed()
    }
}

/// A duration in the voter's unit.
pub(crate) fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX)
}
