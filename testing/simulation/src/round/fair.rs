//! Messages of many peers, taken in turn, as `gossip/src/pending/fair.rs` does it.

use super::event::Message;
use std::collections::{BTreeMap, VecDeque};

/// A message that waits to be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    /// On which edge it came.
    pub(super) edge: u32,
    /// What it is.
    pub(super) message: Message,
    /// How many votes it is; a proof counts as one.
    pub(super) votes: u64,
    /// Since when it waits.
    pub(super) since: u64,
}

/// Messages by peer. Who sends much only makes itself wait.
#[derive(Debug, Default)]
pub(super) struct Fair {
    of_peer: BTreeMap<u32, VecDeque<Waiting>>,
    /// The peers that have messages here, the next one first.
    turns: VecDeque<u32>,
}

impl Fair {
    /// Adds a message behind those of the same peer.
    pub(super) fn push(&mut self, item: Waiting) {
        let items = self.of_peer.entry(item.edge).or_default();
        if items.is_empty() {
            self.turns.push_back(item.edge);
        }
        items.push_back(item);
    }

    /// What [`Fair::pop`] would take.
    pub(super) fn peek(&self) -> Option<Waiting> {
        let items = self.of_peer.get(self.turns.front()?)?;
        items.front().copied()
    }

    /// Takes the oldest message of the peer whose turn it is.
    pub(super) fn pop(&mut self) -> Option<Waiting> {
        let edge = self.turns.pop_front()?;
        let items = self.of_peer.get_mut(&edge)?;
        let item = items.pop_front();
        if items.is_empty() {
            self.of_peer.remove(&edge);
        } else {
            self.turns.push_back(edge);
        }
        item
    }

    /// Takes the newest message of one peer.
    pub(super) fn pop_newest_of(&mut self, edge: u32) -> Option<Waiting> {
        let items = self.of_peer.get_mut(&edge)?;
        let item = items.pop_back();
        if items.is_empty() {
            self.remove(edge);
        }
        item
    }

    /// Takes everything of one peer.
    pub(super) fn remove(&mut self, edge: u32) -> VecDeque<Waiting> {
        self.turns.retain(|turn| *turn != edge);
        self.of_peer.remove(&edge).unwrap_or_default()
    }

    /// Takes everything, each peer's together, in the order of their turns.
    pub(super) fn take_all(&mut self) -> Vec<Waiting> {
        let turns = std::mem::take(&mut self.turns);
        let of_turn = |edge| self.of_peer.remove(&edge).unwrap_or_default();
        turns.into_iter().flat_map(of_turn).collect()
    }

    /// Whether there is nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(edge: u32, since: u64) -> Waiting {
        Waiting {
            edge,
            message: Message::Garbage,
            votes: 1,
            since,
        }
    }

    fn filled() -> Fair {
        let mut fair = Fair::default();
        for item in [item(1, 0), item(1, 1), item(1, 2), item(2, 10)] {
            fair.push(item);
        }
        fair
    }

    fn rest(mut fair: Fair) -> Vec<u64> {
        let items = std::iter::from_fn(|| fair.pop());
        items.map(|item| item.since).collect()
    }

    #[test]
    fn peers_take_turns() {
        assert_eq!(filled().peek(), Some(item(1, 0)));
        assert_eq!(rest(filled()), [0, 10, 1, 2]);
    }

    #[test]
    fn what_is_removed_of_one_peer_leaves_the_others_alone() {
        let mut fair = filled();
        assert_eq!(fair.pop_newest_of(1), Some(item(1, 2)));
        assert_eq!(fair.pop_newest_of(2), Some(item(2, 10)));
        assert_eq!(fair.pop_newest_of(2), None);
        fair.push(item(2, 11));
        assert_eq!(fair.remove(1), [item(1, 0), item(1, 1)]);
        assert_eq!(rest(fair), [11]);
    }

    #[test]
    fn nothing_is_left_when_all_is_taken() {
        let mut fair = filled();
        let taken: Vec<_> = fair.take_all().into_iter().map(|it| it.since).collect();
        assert_eq!(taken, [0, 1, 2, 10]);
        assert!(fair.is_empty());
        assert_eq!(fair.peek(), None);
    }
}
