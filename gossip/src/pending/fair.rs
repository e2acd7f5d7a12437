//! Items of many peers, taken in turn.

use sc_network_types::PeerId;
use std::collections::{HashMap, VecDeque};

/// Items of many peers. Peers take turns, so that whoever sends much only makes itself wait.
#[derive(Debug)]
pub(super) struct Fair<T> {
    of_peer: HashMap<PeerId, VecDeque<T>>,
    /// The peers that have items, the next one first.
    turns: VecDeque<PeerId>,
}

impl<T> Default for Fair<T> {
    fn default() -> Self {
        Self {
            of_peer: HashMap::new(),
            turns: VecDeque::new(),
        }
    }
}

impl<T> Fair<T> {
    /// Adds an item behind those of the same peer.
    pub(super) fn push(&mut self, peer: PeerId, item: T) {
        let items = self.of_peer.entry(peer).or_default();
        if items.is_empty() {
            self.turns.push_back(peer);
        }
        items.push_back(item);
    }

    /// Takes the oldest item of the peer whose turn it is.
    pub(super) fn pop(&mut self) -> Option<(PeerId, T)> {
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

    /// Takes the newest item of one peer.
    pub(super) fn pop_newest_of(&mut self, peer: &PeerId) -> Option<T> {
        let items = self.of_peer.get_mut(peer)?;
        let item = items.pop_back();
        if items.is_empty() {
            self.forget(peer);
        }
        item
    }

    /// Takes everything of one peer.
    pub(super) fn remove(&mut self, peer: &PeerId) -> VecDeque<T> {
        let items = self.of_peer.remove(peer).unwrap_or_default();
        self.forget(peer);
        items
    }

    /// Takes what `is_wanted`, in the order of the peers' turns. Cost: linear in all items.
    pub(super) fn extract(&mut self, is_wanted: impl Fn(&T) -> bool) -> Vec<(PeerId, T)> {
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

    /// Whether there is nothing to take.
    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    fn forget(&mut self, peer: &PeerId) {
        self.of_peer.remove(peer);
        self.turns.retain(|turn| turn != peer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peers() -> [PeerId; 2] {
        [PeerId::random(), PeerId::random()]
    }

    fn items(fair: &mut Fair<u32>) -> Vec<u32> {
        std::iter::from_fn(|| fair.pop())
            .map(|(_, item)| item)
            .collect()
    }

    #[test]
    fn a_peer_that_sends_much_makes_only_itself_wait() {
        let ([loud, quiet], mut fair) = (peers(), Fair::default());
        for item in 0..4 {
            fair.push(loud, item);
        }
        fair.push(quiet, 10);
        fair.push(quiet, 11);
        assert_eq!(items(&mut fair), [0, 10, 1, 11, 2, 3]);
        assert!(fair.is_empty());
    }

    #[test]
    fn what_is_removed_of_a_peer_leaves_the_others_turns_alone() {
        let ([one, other], mut fair) = (peers(), Fair::default());
        for (peer, item) in [(one, 0), (one, 1), (other, 10), (other, 11)] {
            fair.push(peer, item);
        }
        assert_eq!(fair.pop_newest_of(&one), Some(1));
        assert_eq!(fair.remove(&one), [0]);
        assert_eq!(fair.pop_newest_of(&one), None);
        fair.push(one, 2);
        assert_eq!(items(&mut fair), [10, 2, 11]);
    }

    #[test]
    fn what_is_wanted_is_extracted_and_the_rest_stays_in_order() {
        let ([one, other], mut fair) = (peers(), Fair::default());
        for (peer, item) in [(one, 0), (one, 1), (one, 2), (other, 11)] {
            fair.push(peer, item);
        }
        let odd = fair.extract(|item| item % 2 == 1);
        assert_eq!(odd, [(one, 1), (other, 11)]);
        assert_eq!(items(&mut fair), [0, 2]);
    }
}
