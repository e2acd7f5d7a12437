//! Asks once, and again when no answer comes.

use crate::Millis;
use std::collections::BTreeMap;

/// A pending request, and when to repeat it.
#[derive(Clone, Debug)]
pub(super) struct Retry<K> {
    asked: BTreeMap<K, Millis>,
}

impl<K> Default for Retry<K> {
    fn default() -> Self {
        Self {
            asked: BTreeMap::new(),
        }
    }
}

impl<K: Ord + Copy> Retry<K> {
    /// Keeps only requests that are still wanted.
    pub(super) fn keep(&mut self, wanted: impl Fn(&K) -> bool) {
        self.asked.retain(|key, _| wanted(key));
    }

    /// Whether to ask now; if so, the next time comes after `interval`.
    pub(super) fn ask(&mut self, key: K, now: Millis, interval: Millis) -> bool {
        self.ask_after(key, now, 0, interval)
    }

    /// As [`Retry::ask`], with a `delay` before the first time.
    pub(super) fn ask_after(
        &mut self,
        key: K,
        now: Millis,
        delay: Millis,
        interval: Millis,
    ) -> bool {
        let at = self.asked.entry(key).or_insert(now.saturating_add(delay));
        let due = *at <= now;
        if due {
            *at = now.saturating_add(interval.max(1));
        }
        due
    }

    /// When to ask for something again.
    pub(super) fn next(&self) -> Option<Millis> {
        self.asked.values().min().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_time_is_that_of_the_earliest_request() {
        let mut retry = Retry::default();
        assert_eq!(retry.next(), None);
        assert!(retry.ask(1, 10, 5) && retry.ask(2, 10, 3));
        assert_eq!(retry.next(), Some(13));
    }
}
