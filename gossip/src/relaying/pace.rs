//! The rate of votes to one peer, and the time of repetitions. (GOSSIP-8)
//!
//! A connection takes only what it has room for, and the engine waits for that. The pace protects the peer behind it:
//! unchecked messages wait there in a queue with limited room per peer (GOSSIP-7), and excess messages are read only
//! to be dropped.

use super::kept::GroupKey;
use crate::pending::room_of_peer;
use duet_voter::Millis;
use std::num::NonZeroU64;

/// The minimum rate per second to a peer that lacks so much: about 600 kB.
const LEAST_PER_SECOND: usize = 2_048;

/// The rate of votes to a peer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// The most votes at once: a peer has room for as many.
    burst: usize,
    /// The further votes per second.
    per_second: usize,
}

impl Pace {
    /// The rate for rounds of a set of this size: two rounds at once, and then one per second.
    pub(super) fn of_set(len: u32) -> Self {
        let votes = usize::try_from(len).unwrap_or(usize::MAX);
        Self {
            burst: room_of_peer(len),
            per_second: votes.max(LEAST_PER_SECOND),
        }
    }
}

/// A peer's remaining allowance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// The number of votes.
    left: usize,
    /// When the number was last updated.
    at: Millis,
}

impl Allowance {
    /// The allowance of a new connection.
    pub(super) fn full(pace: &Pace, now: Millis) -> Self {
        Self {
            left: pace.burst,
            at: now,
        }
    }

    /// Adds the votes of the time since then.
    pub(super) fn refill(&mut self, pace: &Pace, now: Millis) {
        let elapsed = usize::try_from(now.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let gained = elapsed.saturating_mul(pace.per_second) / 1_000;
        if gained > 0 {
            self.left = self.left.saturating_add(gained).min(pace.burst);
            self.at = now;
        }
    }

    /// Takes one vote from the allowance; `false` when it is used up.
    pub(super) fn take(&mut self) -> bool {
        let has_one = self.left > 0;
        self.left = self.left.saturating_sub(1);
        has_one
    }
}

/// The number of slots in an interval between two repetitions.
const SLOTS: u64 = 32;

/// When messages that were handed over are due again: each once per interval, in its own slot, so that they are not
/// all due at once.
#[derive(Debug)]
pub(super) struct Repetitions {
    /// The duration of a slot.
    slot: NonZeroU64,
    /// The slot up to which messages were due, since the clock started.
    done: u64,
}

/// Slots that are due.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// The last slot before them.
    after: u64,
    /// The last due slot.
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

    /// When the next slot is due.
    pub(super) fn next_at(&self) -> Millis {
        self.done.saturating_add(1).saturating_mul(self.slot.get())
    }

    /// The due slots, if any.
    pub(super) fn take_turn(&mut self, now: Millis) -> Option<Turn> {
        let (after, last) = (self.done, now / self.slot);
        self.done = last.max(after);
        (last > after).then_some(Turn { after, last })
    }
}

impl Turn {
    /// Whether a word of 64 messages is due.
    pub(super) fn includes(&self, group: &GroupKey, word: usize) -> bool {
        let slots = self.last.saturating_sub(self.after);
        // How many slots after `after` the word's next one is.
        let next = slot_of(group, word).wrapping_sub(self.after.wrapping_add(1)) % SLOTS;
        next < slots
    }
}

/// The slot of a word within each interval.
fn slot_of(group: &GroupKey, word: usize) -> u64 {
    let place = u64::try_from(word).unwrap_or_default();
    // A power of two, so that wrapping changes nothing.
    place.wrapping_add(u64::from(group.number().get())) % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topic::Topic;
    use duet_primitives::{BlockNumber, SetId, SignerIndex, H256};

    fn group(number: u32) -> GroupKey {
        GroupKey::of(&Topic {
            number: BlockNumber::new(number),
            set_id: SetId::new(0),
            signer: Some(SignerIndex::new(0)),
            commitment: H256::zero(),
        })
    }

    #[test]
    fn no_more_than_a_burst_goes_at_once_and_the_rest_by_and_by() {
        for (members, burst, per_second) in [(4, 1_024, 2_048), (10_000, 20_000, 10_000)] {
            let pace = Pace::of_set(members);
            let mut allowance = Allowance::full(&pace, 0);
            let mut taken = |now| {
                allowance.refill(&pace, now);
                (0..50_000).filter(|_| allowance.take()).count()
            };
            assert_eq!(taken(0), burst);
            assert_eq!(taken(250), per_second / 4);
            assert_eq!(taken(60_000), burst, "nobody saves up more than a burst");
        }
    }

    #[test]
    fn every_word_is_due_once_per_interval_and_not_all_at_once() {
        let interval = 32_000;
        let mut repetitions = Repetitions::new(interval, 500);
        let mut times = [0; 100];
        let mut most = 0;
        for pass in 1..=32 {
            assert_eq!(repetitions.next_at(), pass * 1_000);
            let turn = repetitions.take_turn(500 + pass * 1_000).expect("is due");
            let due = (0..100).filter(|word| turn.includes(&group(7), *word));
            let due: Vec<_> = due.collect();
            most = most.max(due.len());
            for word in due {
                times[word] += 1;
            }
        }
        assert_eq!(times, [1; 100]);
        assert_eq!(most, 4);
    }

    #[test]
    fn a_turn_that_comes_late_has_what_was_missed_once() {
        let mut repetitions = Repetitions::new(32_000, 0);
        let turn = repetitions.take_turn(500_000).expect("is due");
        assert!((0..100).all(|word| turn.includes(&group(7), word)));
        assert!(repetitions.take_turn(500_000).is_none());
    }
}
