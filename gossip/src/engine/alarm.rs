//! Wakes the engine at a time that changes.

use crate::clock::Clock;
use duet_voter::Millis;
use futures::{future::BoxFuture, FutureExt};
use std::{
    sync::Arc,
    task::{Context, Poll},
};

/// Waits for one time after another.
pub(super) struct Alarm {
    clock: Arc<dyn Clock>,
    set: Option<(Millis, BoxFuture<'static, ()>)>,
}

impl Alarm {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, set: None }
    }

    /// Waits for this time only.
    pub(super) fn poll_at(&mut self, at: Millis, context: &mut Context<'_>) -> Poll<()> {
        let (until, mut sleep) = match self.set.take() {
            Some((until, sleep)) if until == at => (until, sleep),
            _ => (at, self.clock.sleep_until(at)),
        };
        let done = sleep.poll_unpin(context);
        if done.is_pending() {
            self.set = Some((until, sleep));
        }
        done
    }
}
