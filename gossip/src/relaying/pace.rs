//! How fast messages go to one peer, and when they go again.
//!
//! Both network back ends close a connection, or the stream, when a peer's queue of notifications is full (libp2p's
//! has 2 048 places). The engine does not ask for room before it sends, so this node counts.

use crate::topic::Topic;
use duet_voter::Millis;
use std::num::NonZeroU64;

/// The most votes that go to a peer at once: half of the shortest queue of a back end.
const BURST: u32 = 1_024;
/// How many more may go each second, about 600 kB of them.
const PER_SECOND: u32 = 2_048;

/// What may still go to a peer now. (GOSSIP-8)
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// How many messages.
    left: u32,
    /// When it was counted last.
    at: Millis,
}

impl Allowance {
    /// That of a new connection.
    pub(super) fn full(now: Millis) -> Self {
        Self {
            left: BURST,
            at: now,
        }
    }

    /// Takes one message from it; `false` when there is none left.
    pub(super) fn take(&mut self, now: Millis) -> bool {
        let gained = now
            .saturating_sub(self.at)
            .saturating_mul(PER_SECOND.into())
            / 1_000;
        if gained > 0 {
            let gained = u32::try_from(gained).unwrap_or(u32::MAX);
            self.left = self.left.saturating_add(gained).min(BURST);
            self.at = now;
        }
        let has_one = self.left > 0;
        self.left = self.left.saturating_sub(1);
        has_one
    }
}

/// In how many parts an interval between two repetitions is divided.
const SLOTS: u64 = 32;

/// When messages are sent again that a peer was sent before: each once per interval, in a slot of its own, so that
/// they do not all go at once.
#[derive(Debug)]
pub(super) struct Repetitions {
    /// How long a slot lasts.
    slot: NonZeroU64,
    /// The slot up to which messages were sent again, since the clock started.
    done: u64,
}

/// The slots whose messages are sent again in one pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// The last slot before them.
    after: u64,
    /// The last of them.
    last: u64,
}

impl Repetitions {
    /// Every message once per interval, from now on.
    pub(super) fn new(interval: Millis, now: Millis) -> Self {
        let slot = NonZeroU64::new(interval / SLOTS).unwrap_or(NonZeroU64::MIN);
        Self {
            slot,
            done: now / slot,
        }
    }

    /// The slots that are due.
    pub(super) fn take_turn(&mut self, now: Millis) -> Turn {
        let after = self.done;
        self.done = (now / self.slot).max(after);
        Turn {
            after,
            last: self.done,
        }
    }
}

impl Turn {
    /// Whether a message is sent again in this pass.
    pub(super) fn includes(&self, topic: &Topic) -> bool {
        let slots = self.last.saturating_sub(self.after);
        // How many slots after `after` the message's next one is.
        let next = slot_of(topic).wrapping_sub(self.after.wrapping_add(1)) % SLOTS;
        next < slots
    }
}

/// The slot of a message within each interval.
fn slot_of(topic: &Topic) -> u64 {
    let place = topic
        .signer
        .map_or(SLOTS / 2, |signer| u64::from(signer.get()));
    // A power of two, so that wrapping changes nothing.
    place.wrapping_add(u64::from(topic.number.get())) % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_primitives::{BlockNumber, SetId, SignerIndex};

    fn vote(signer: u32) -> Topic {
        Topic {
            number: BlockNumber::new(7),
            set_id: SetId::new(0),
            signer: Some(SignerIndex::new(signer)),
            digest: [7; 8],
        }
    }

    #[test]
    fn no_more_than_a_burst_goes_at_once_and_the_rest_by_and_by() {
        let mut allowance = Allowance::full(0);
        let mut taken = |now| (0..5_000).filter(|_| allowance.take(now)).count();
        assert_eq!(taken(0), 1_024);
        assert_eq!(taken(250), 512);
        assert_eq!(taken(60_000), 1_024, "nobody saves up more than a burst");
    }

    #[test]
    fn every_message_is_repeated_once_per_interval_and_not_all_at_once() {
        let interval = 32_000;
        let mut repetitions = Repetitions::new(interval, 500);
        let mut times = [0; 100];
        let mut most = 0;
        for pass in 1..=32 {
            let turn = repetitions.take_turn(500 + pass * 1_000);
            let due = (0..100).filter(|signer| turn.includes(&vote(*signer)));
            let due: Vec<_> = due.collect();
            most = most.max(due.len());
            for signer in due {
                times[usize::try_from(signer).unwrap()] += 1;
            }
        }
        assert_eq!(times, [1; 100]);
        assert_eq!(most, 4);
    }

    #[test]
    fn a_pass_that_comes_late_repeats_what_was_missed_once() {
        let mut repetitions = Repetitions::new(32_000, 0);
        let turn = repetitions.take_turn(500_000);
        assert!((0..100).all(|signer| turn.includes(&vote(signer))));
        let turn = repetitions.take_turn(500_000);
        assert!((0..100).all(|signer| !turn.includes(&vote(signer))));
    }
}
