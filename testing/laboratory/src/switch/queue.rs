//! Packets on their way: a bounded queue for each link, in the order in which they arrive. Time is what the caller says.

use crate::address::Place;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    time::Duration,
};

/// How many packets are on one link; the next ones are dropped. 1 500 bytes each at 200 ms give more than any node here sends.
const LINK_LENGTH: usize = 2_000;

/// A packet that is on its way.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Travelling {
    /// When it arrives.
    due: Duration,
    /// Packets that arrive at the same time keep their order.
    order: u64,
    from: Place,
    /// Where it arrives.
    pub to: Place,
    /// The packet.
    pub packet: Vec<u8>,
}

/// What one link has on its way.
#[derive(Debug, Default)]
struct Lane {
    length: usize,
    /// When the last packet arrives: no later one overtakes it.
    last: Duration,
}

/// All packets that are on their way.
#[derive(Debug, Default)]
pub struct Queue {
    travelling: BinaryHeap<Reverse<Travelling>>,
    lanes: BTreeMap<(Place, Place), Lane>,
    sent: u64,
}

/// The link has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl Queue {
    /// Sends a packet that takes so long.
    ///
    /// # Errors
    /// [`Full`] when too many are on their way there.
    pub fn push(
        &mut self,
        now: Duration,
        (from, to): (Place, Place),
        takes: Duration,
        packet: Vec<u8>,
    ) -> Result<(), Full> {
        let lane = self.lanes.entry((from, to)).or_default();
        if lane.length >= LINK_LENGTH {
            return Err(Full);
        }
        lane.length += 1;
        lane.last = lane.last.max(now + takes);
        self.sent += 1;
        self.travelling.push(Reverse(Travelling {
            due: lane.last,
            order: self.sent,
            from,
            to,
            packet,
        }));
        Ok(())
    }

    /// When the next packet arrives.
    pub fn next_due(&self) -> Option<Duration> {
        self.travelling.peek().map(|Reverse(first)| first.due)
    }

    /// The next packet that has arrived by now.
    pub fn pop(&mut self, now: Duration) -> Option<Travelling> {
        self.next_due().filter(|due| *due <= now)?;
        let Reverse(first) = self.travelling.pop()?;
        if let Some(lane) = self.lanes.get_mut(&(first.from, first.to)) {
            lane.length -= 1;
        }
        Some(first)
    }

    /// Whether something is on its way from here to there.
    pub fn is_busy(&self, from: Place, to: Place) -> bool {
        let lane = self.lanes.get(&(from, to));
        lane.is_some_and(|lane| lane.length > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: (Place, Place) = (Place::Node(0), Place::Node(1));
    const OTHER: (Place, Place) = (Place::Node(1), Place::Node(0));

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_packet_arrives_when_its_time_has_come_and_not_before() {
        let mut queue = Queue::default();
        queue.push(ms(10), LINK, ms(40), vec![1]).unwrap();
        assert_eq!(queue.next_due(), Some(ms(50)));
        assert_eq!(queue.pop(ms(49)), None);
        assert!(queue.is_busy(LINK.0, LINK.1));
        assert_eq!(queue.pop(ms(50)).unwrap().packet, [1]);
        assert!(!queue.is_busy(LINK.0, LINK.1));
        assert_eq!(queue.next_due(), None);
    }

    #[test]
    fn packets_of_a_link_keep_their_order_and_those_of_others_do_not_wait_for_them() {
        let mut queue = Queue::default();
        queue.push(ms(0), LINK, ms(50), vec![1]).unwrap();
        queue.push(ms(1), LINK, ms(5), vec![2]).unwrap();
        queue.push(ms(1), OTHER, ms(5), vec![3]).unwrap();
        let arrived: Vec<_> = std::iter::from_fn(|| queue.pop(ms(60)))
            .map(|travelling| travelling.packet[0])
            .collect();
        assert_eq!(arrived, [3, 1, 2]);
    }

    #[test]
    fn a_full_link_drops_what_comes_and_takes_packets_again_when_some_have_arrived() {
        let mut queue = Queue::default();
        for _ in 0..LINK_LENGTH {
            queue.push(ms(0), LINK, ms(10), vec![0]).unwrap();
        }
        assert_eq!(queue.push(ms(0), LINK, ms(10), vec![0]), Err(Full));
        assert_eq!(queue.push(ms(0), OTHER, ms(10), vec![0]), Ok(()));
        assert!(queue.pop(ms(10)).is_some());
        while queue.pop(ms(10)).is_some() {}
        assert_eq!(queue.push(ms(10), LINK, ms(10), vec![0]), Ok(()));
    }
}
