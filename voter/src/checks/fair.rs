//! Items of many peers, taken in turn.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
};

/// Items of many peers. Peers take turns, so a peer that sends much delays only itself.
///
/// The order depends only on the order of the calls.
#[derive(Debug)]
pub struct Fair<P, T> {
    of_peer: HashMap<P, VecDeque<T>>,
    /// The peers that have items, the next one first.
    turns: VecDeque<P>,
}

impl<P, T> Default for Fair<P, T> {
    fn default() -> Self {
        Self {
            of_peer: HashMap::new(),
            turns: VecDeque::new(),
        }
    }
}

impl<P: Copy + Eq + Hash, T> Fair<P, T> {
    /// Adds an item behind those of the same peer.
    pub fn push(&mut self, peer: P, item: T) {
        let items = self.of_peer.entry(peer).or_default();
        if items.is_empty() {
            self.turns.push_back(peer);
        }
        items.push_back(item);
    }

    /// The item that [`Fair::pop`] would take.
    pub fn peek(&self) -> Option<&T> {
        self.of_peer.get(self.turns.front()?)?.front()
    }

    /// Takes the oldest item of the peer whose turn it is.
    pub fn pop(&mut self) -> Option<(P, T)> {
        let peer = self.turns.pop_front()?;
        let items = self.of_peer.get_mut(&peer)?;
        let item = items.pop_front()?;
        if items.is_empty() {
            self.of_peer.remove(&peer);
        } else {
            self.turns.push_back(peer);
        }
        Some((peer, item))
    }

    /// Takes the newest item of one peer. Cost: linear in the peers when it was the only one.
    pub fn pop_newest_of(&mut self, peer: &P) -> Option<T> {
        let items = self.of_peer.get_mut(peer)?;
        let item = items.pop_back();
        if items.is_empty() {
            self.forget(peer);
        }
        item
    }

    /// Takes everything of one peer, the oldest first. Cost: linear in the peers.
    pub fn remove(&mut self, peer: &P) -> VecDeque<T> {
        let items = self.of_peer.remove(peer).unwrap_or_default();
        self.forget(peer);
        items
    }

    /// Takes what `is_wanted`, each peer's together, in the order of the peers' turns. Cost: linear in all items, and in
    /// the peers once more for each that has nothing left.
    pub fn extract(&mut self, is_wanted: impl Fn(&T) -> bool) -> Vec<(P, T)> {
        let mut wanted = Vec::new();
        for peer in self.turns.clone() {
            let Some(items) = self.of_peer.remove(&peer) else {
                continue;
            };
            let (taken, left): (VecDeque<T>, VecDeque<T>) = items.into_iter().partition(&is_wanted);
            wanted.extend(taken.into_iter().map(|item| (peer, item)));
            if left.is_empty() {
                self.forget(&peer);
            } else {
                self.of_peer.insert(peer, left);
            }
        }
        wanted
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    fn forget(&mut self, peer: &P) {
        self.of_peer.remove(peer);
        self.turns.retain(|turn| turn != peer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOUD: u8 = 1;
    const QUIET: u8 = 2;

    fn fair(items: impl IntoIterator<Item = (u8, u32)>) -> Fair<u8, u32> {
        let mut fair = Fair::default();
        for (peer, item) in items {
            fair.push(peer, item);
        }
        fair
    }

    fn rest(fair: &mut Fair<u8, u32>) -> Vec<u32> {
        std::iter::from_fn(|| fair.pop())
            .map(|(_, item)| item)
            .collect()
    }

    #[test]
    fn a_peer_that_sends_much_makes_only_itself_wait() {
        let loud = (0..4).map(|item| (LOUD, item));
        let mut fair = fair(loud.chain([(QUIET, 10), (QUIET, 11)]));
        assert_eq!(fair.peek(), Some(&0));
        assert!(!fair.is_empty());
        assert_eq!(rest(&mut fair), [0, 10, 1, 11, 2, 3]);
        assert!(fair.is_empty());
        assert_eq!(fair.peek(), None);
    }

    #[test]
    fn what_is_peeked_at_is_taken_next() {
        let mut fair = fair([(LOUD, 0), (LOUD, 1), (QUIET, 10)]);
        while let Some(next) = fair.peek().copied() {
            assert_eq!(fair.pop().map(|(_, item)| item), Some(next));
        }
        assert!(fair.is_empty());
    }

    #[test]
    fn what_is_removed_of_a_peer_leaves_the_others_turns_alone() {
        let mut fair = fair([(LOUD, 0), (LOUD, 1), (QUIET, 10), (QUIET, 11)]);
        assert_eq!(fair.pop_newest_of(&LOUD), Some(1));
        assert_eq!(fair.remove(&LOUD), [0]);
        assert_eq!(fair.pop_newest_of(&LOUD), None);
        fair.push(LOUD, 2);
        assert_eq!(rest(&mut fair), [10, 2, 11]);
    }

    #[test]
    fn what_is_wanted_is_extracted_and_the_rest_stays_in_order() {
        let mut fair = fair([(LOUD, 0), (LOUD, 1), (LOUD, 2), (QUIET, 11)]);
        let odd = fair.extract(|item| item % 2 == 1);
        assert_eq!(odd, [(LOUD, 1), (QUIET, 11)]);
        assert_eq!(rest(&mut fair), [0, 2]);
    }

    #[test]
    fn nothing_is_left_when_everything_is_wanted() {
        let mut fair = fair([(LOUD, 0), (LOUD, 1), (QUIET, 10), (LOUD, 2)]);
        assert_eq!(fair.pop(), Some((LOUD, 0)));
        // It is the quiet one's turn.
        let all = fair.extract(|_| true);
        assert_eq!(all, [(QUIET, 10), (LOUD, 1), (LOUD, 2)]);
        assert!(fair.is_empty());
    }
}
