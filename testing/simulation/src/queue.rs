//! The queue of what happens next, for hundreds of millions of events of which few are far away.
//!
//! A ring of buckets of virtual time: what lies ahead is appended to its bucket, and only the bucket whose time
//! has come is put in order. Events compare by time first and by content second, so that the order does not
//! depend on who entered them when.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    mem,
};

/// Nanoseconds of one bucket, as a power of two: a quarter of a millisecond.
const BUCKET_BITS: u32 = 18;
/// Buckets of the ring, as a power of two: one second of virtual time. Few, so that their ends stay in the cache.
const RING_BITS: u32 = 12;
const RING: u64 = 1 << RING_BITS;

/// Something that happens at a time, in nanoseconds. What it is is a number here, so that events are put in order
/// by one comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) at: u64,
    pub(crate) what: u64,
}

/// An event as one number: the time, then what it is.
type Packed = u128;

fn pack(event: Event) -> Packed {
    (u128::from(event.at) << u64::BITS) | u128::from(event.what)
}

/// One of the halves of what [`pack`] put together.
fn half(number: u128) -> u64 {
    u64::try_from(number & u128::from(u64::MAX)).expect("masked; qed")
}

fn unpack(packed: Packed) -> Event {
    Event {
        at: half(packed >> u64::BITS),
        what: half(packed),
    }
}

fn bucket_of(packed: Packed) -> u64 {
    half(packed >> u64::BITS) >> BUCKET_BITS
}

/// Events by time.
pub(crate) struct Queue {
    /// What is left of the bucket whose time it is, the next event last.
    current: Vec<Packed>,
    /// What was entered for that bucket since its time has come.
    late: BinaryHeap<Reverse<Packed>>,
    bucket: u64,
    ring: Vec<Vec<Packed>>,
    in_ring: usize,
    /// What lies beyond the ring, by turn of the ring.
    far: BTreeMap<u64, Vec<Packed>>,
}

impl Queue {
    pub(crate) fn new() -> Self {
        Self {
            current: Vec::new(),
            late: BinaryHeap::new(),
            bucket: 0,
            ring: (0..RING).map(|_| Vec::new()).collect(),
            in_ring: 0,
            far: BTreeMap::new(),
        }
    }

    pub(crate) fn push(&mut self, event: Event) {
        self.enter(pack(event));
    }

    fn enter(&mut self, event: Packed) {
        let bucket = bucket_of(event);
        if bucket <= self.bucket {
            self.late.push(Reverse(event));
        } else if bucket < self.bucket + RING {
            self.slot(bucket).push(event);
            self.in_ring += 1;
        } else {
            self.far.entry(bucket >> RING_BITS).or_default().push(event);
        }
    }

    pub(crate) fn pop(&mut self) -> Option<Event> {
        while self.current.is_empty() && self.late.is_empty() {
            self.advance()?;
        }
        let next = match (self.current.last(), self.late.peek()) {
            (Some(event), Some(Reverse(late))) if late < event => self.late.pop()?.0,
            (None, _) => self.late.pop()?.0,
            (Some(_), _) => self.current.pop()?,
        };
        Some(unpack(next))
    }

    /// Moves on to the next bucket, skipping turns of the ring in which nothing happens.
    fn advance(&mut self) -> Option<()> {
        let turn = self.bucket >> RING_BITS;
        self.bucket = if self.in_ring > 0 {
            self.bucket + 1
        } else {
            let (far_turn, _) = self.far.first_key_value()?;
            far_turn << RING_BITS
        };
        if self.bucket >> RING_BITS > turn {
            let come = self.far.remove(&(self.bucket >> RING_BITS));
            for event in come.into_iter().flatten() {
                self.enter(event);
            }
        }
        let mut due = mem::take(self.slot(self.bucket));
        self.in_ring -= due.len();
        due.sort_unstable_by(|a, b| b.cmp(a));
        self.current = due;
        Some(())
    }

    fn slot(&mut self, bucket: u64) -> &mut Vec<Packed> {
        let index = usize::try_from(bucket & (RING - 1)).expect("an index of the ring; qed");
        &mut self.ring[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(queue: &mut Queue, at: u64) {
        queue.push(Event { at, what: 0 });
    }

    #[test]
    fn events_come_in_the_order_of_their_times_wherever_they_were_kept() {
        let mut queue = Queue::new();
        let mut state = 1_u64;
        let mut times: Vec<u64> = (0..5000_u32)
            .map(|at| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                state >> (24 + at % 32)
            })
            .collect();
        for (what, at) in (0..).zip(&times) {
            queue.push(Event { at: *at, what });
        }
        times.sort_unstable();
        let popped: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(popped.iter().map(|it| it.at).collect::<Vec<_>>(), times);
        assert!(popped.is_sorted_by_key(|it| (it.at, it.what)));
    }

    #[test]
    fn what_is_entered_while_its_bucket_is_under_way_still_comes_in_order() {
        let mut queue = Queue::new();
        for at in [10, 40, 1 << 20] {
            push(&mut queue, at);
        }
        assert_eq!(queue.pop().map(|it| it.at), Some(10));
        push(&mut queue, 20);
        push(&mut queue, (1 << 20) - 1);
        push(&mut queue, u64::MAX >> 1);
        let rest: Vec<_> = std::iter::from_fn(|| queue.pop().map(|it| it.at)).collect();
        assert_eq!(rest, [20, 40, (1 << 20) - 1, 1 << 20, u64::MAX >> 1]);
    }
}
