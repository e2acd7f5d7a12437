//! Virtual time: it stands still while there is work, and jumps to the next time that somebody waits for.

use duet_gossip::clock::Clock;
use duet_voter::Millis;
use futures::{
    channel::oneshot,
    future::{self, BoxFuture},
    FutureExt,
};
use parking_lot::Mutex;
use std::{collections::BTreeMap, sync::Arc};

#[derive(Default)]
struct Time {
    now: Millis,
    sleepers: BTreeMap<Millis, Vec<oneshot::Sender<()>>>,
}

/// A clock that a test moves. Clones show the same time.
#[derive(Clone, Default)]
pub(crate) struct VirtualClock(Arc<Mutex<Time>>);

impl VirtualClock {
    /// Jumps to the next time that somebody waits for; `false` when nobody does.
    pub(crate) fn advance(&self) -> bool {
        let mut time = self.0.lock();
        loop {
            let Some((at, sleepers)) = time.sleepers.pop_first() else {
                return false;
            };
            let mut woken = false;
            for sleeper in sleepers {
                woken |= sleeper.send(()).is_ok();
            }
            if woken {
                time.now = time.now.max(at);
                return true;
            }
        }
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Millis {
        self.0.lock().now
    }

    fn sleep_until(&self, at: Millis) -> BoxFuture<'static, ()> {
        let mut time = self.0.lock();
        if at <= time.now {
            return future::ready(()).boxed();
        }
        let (sender, woken) = oneshot::channel();
        time.sleepers.entry(at).or_default().push(sender);
        woken.map(drop).boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_jumps_from_sleeper_to_sleeper_in_order() {
        let clock = VirtualClock::default();
        let (late, early) = (clock.sleep_until(70), clock.sleep_until(20));
        assert!(clock.advance());
        assert_eq!(clock.now(), 20);
        assert!(early.now_or_never().is_some());
        drop(late);
        assert!(!clock.advance(), "nobody waits any more");
        assert_eq!(clock.now(), 20);
        assert!(clock.sleep_until(20).now_or_never().is_some());
    }
}
