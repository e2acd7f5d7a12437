//! Limits on waiting messages per peer, and the choice of the next copy to check. (GOSSIP-3, GOSSIP-7)

use sc_network_types::PeerId;
use std::{collections::HashMap, hash::Hash};

/// How many peers may each have an equivalent copy waiting. More than one, so that an early forgery does not keep the
/// real one out; few, so that copies take little room.
const COPIES: usize = 3;

/// The limits on items that wait, or are under check, at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The limit for all peers together.
    pub(crate) total: usize,
    /// The limit for one peer.
    pub(crate) of_peer: usize,
}

/// Why an item may not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The same peer already has a copy waiting, or enough other peers have.
    Repeated,
    /// The peer's limit, or the limit of all peers, is reached.
    NoRoom,
}

/// The copies of one statement. One of them is in a queue or under check.
#[derive(Debug)]
struct Copies<T> {
    first: PeerId,
    /// The copies to check if the first is invalid.
    spare: Vec<(PeerId, T)>,
}

/// All waiting items, by statement. Of each statement, at most one copy is checked at a time.
#[derive(Debug)]
pub(super) struct Claims<K, T> {
    limits: Limits,
    copies: HashMap<K, Copies<T>>,
    of_peer: HashMap<PeerId, usize>,
    total: usize,
}

impl<K: Eq + Hash + Clone, T> Claims<K, T> {
    /// No items.
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            copies: HashMap::new(),
            of_peer: HashMap::new(),
            total: 0,
        }
    }

    /// Changes the limits. Waiting items stay.
    pub(super) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Whether `peer` may have another item with `key` waiting, if the limit of all peers leaves room.
    ///
    /// # Errors
    /// [`Refused`].
    pub(super) fn may_admit(&self, peer: &PeerId, key: &K) -> Result<(), Refused> {
        if let Some(Copies { first, spare }) = self.copies.get(key) {
            let is_there = first == peer || spare.iter().any(|(sender, _)| sender == peer);
            if is_there || spare.len().saturating_add(1) >= COPIES {
                return Err(Refused::Repeated);
            }
        }
        if self.waiting_of(peer) >= self.limits.of_peer {
            return Err(Refused::NoRoom);
        }
        Ok(())
    }

    /// Counts a newly waiting item. Returns it if it is the first with `key`: then it goes into a queue.
    pub(super) fn admit(&mut self, peer: PeerId, key: &K, item: T) -> Option<T> {
        let of_peer = self.of_peer.entry(peer).or_default();
        *of_peer = of_peer.saturating_add(1);
        self.total = self.total.saturating_add(1);
        match self.copies.get_mut(key) {
            Some(copies) => {
                copies.spare.push((peer, item));
                None
            }
            None => {
                let copies = Copies {
                    first: peer,
                    spare: Vec::new(),
                };
                self.copies.insert(key.clone(), copies);
                Some(item)
            }
        }
    }

    /// The first item with `key` is valid: its copies are not needed. Returns the senders of the copies.
    pub(super) fn holds(&mut self, key: &K) -> Vec<PeerId> {
        let Some(Copies { first, spare }) = self.copies.remove(key) else {
            return Vec::new();
        };
        self.release(&first);
        let senders: Vec<_> = spare.into_iter().map(|(peer, _)| peer).collect();
        for peer in &senders {
            self.release(peer);
        }
        senders
    }

    /// The first item with `key` is invalid, or left its queue. The next copy goes into a queue.
    pub(super) fn fails(&mut self, key: &K) -> Option<(PeerId, T)> {
        let copies = self.copies.get_mut(key)?;
        let failed = copies.first;
        let next = copies.spare.pop();
        match &next {
            Some((peer, _)) => copies.first = *peer,
            None => {
                self.copies.remove(key);
            }
        }
        self.release(&failed);
        next
    }

    /// Drops a peer's copies outside of queues; returns their number. Cost: linear in all waiting items.
    pub(super) fn drop_spare_of(&mut self, peer: &PeerId) -> usize {
        let mut dropped: usize = 0;
        for copies in self.copies.values_mut() {
            let before = copies.spare.len();
            copies.spare.retain(|(sender, _)| sender != peer);
            dropped = dropped.saturating_add(before.saturating_sub(copies.spare.len()));
        }
        for _ in 0..dropped {
            self.release(peer);
        }
        dropped
    }

    /// The number of waiting statements.
    pub(super) fn len(&self) -> usize {
        self.copies.len()
    }

    /// Whether the limit of all peers is reached.
    pub(super) fn is_full(&self) -> bool {
        self.total >= self.limits.total
    }

    /// The peer with the most waiting items, if it has more than `peer` would have with one more: it gives way.
    pub(super) fn gives_way_to(&self, peer: &PeerId) -> Option<PeerId> {
        let (most, count) = self.of_peer.iter().max_by_key(|(_, count)| **count)?;
        (*count > self.waiting_of(peer).saturating_add(1)).then_some(*most)
    }

    fn waiting_of(&self, peer: &PeerId) -> usize {
        self.of_peer.get(peer).copied().unwrap_or_default()
    }

    fn release(&mut self, peer: &PeerId) {
        self.total = self.total.saturating_sub(1);
        if let Some(of_peer) = self.of_peer.get_mut(peer) {
            *of_peer = of_peer.saturating_sub(1);
            if *of_peer == 0 {
                self.of_peer.remove(peer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        total: 6,
        of_peer: 4,
    };

    fn peers<const N: usize>() -> [PeerId; N] {
        std::array::from_fn(|_| PeerId::random())
    }

    fn offer(
        claims: &mut Claims<u32, &'static str>,
        peer: PeerId,
        key: u32,
        item: &'static str,
    ) -> Result<Option<&'static str>, Refused> {
        claims.may_admit(&peer, &key)?;
        Ok(claims.admit(peer, &key, item))
    }

    #[test]
    fn a_forgery_that_comes_first_does_not_keep_the_real_one_out() {
        let ([liar, honest], mut claims) = (peers(), Claims::new(LIMITS));
        assert_eq!(offer(&mut claims, liar, 7, "forged"), Ok(Some("forged")));
        assert_eq!(offer(&mut claims, honest, 7, "real"), Ok(None));
        assert_eq!(claims.fails(&7), Some((honest, "real")));
        claims.holds(&7);
        assert_eq!((claims.total, claims.of_peer.len()), (0, 0));
    }

    #[test]
    fn copies_are_few_and_of_different_peers() {
        let ([first, second, third, fourth], mut claims) = (peers(), Claims::new(LIMITS));
        assert_eq!(offer(&mut claims, first, 7, "a"), Ok(Some("a")));
        assert_eq!(offer(&mut claims, first, 7, "b"), Err(Refused::Repeated));
        assert_eq!(offer(&mut claims, second, 7, "c"), Ok(None));
        assert_eq!(offer(&mut claims, third, 7, "d"), Ok(None));
        assert_eq!(offer(&mut claims, fourth, 7, "e"), Err(Refused::Repeated));
        assert_eq!(claims.holds(&7), [second, third]);
        assert_eq!(offer(&mut claims, fourth, 7, "e"), Ok(Some("e")));
    }

    #[test]
    fn a_peer_has_its_own_limit_and_the_one_with_most_gives_way() {
        let ([loud, quiet], mut claims) = (peers(), Claims::new(LIMITS));
        for key in 0..4 {
            assert_eq!(offer(&mut claims, loud, key, "x"), Ok(Some("x")));
        }
        assert_eq!(offer(&mut claims, loud, 4, "x"), Err(Refused::NoRoom));
        assert_eq!(claims.gives_way_to(&quiet), Some(loud));
        assert_eq!(claims.gives_way_to(&loud), None);
        assert_eq!(claims.fails(&0), None);
        assert_eq!(offer(&mut claims, loud, 4, "x"), Ok(Some("x")));
    }

    #[test]
    fn spare_copies_of_a_banned_peer_are_dropped_and_no_longer_counted() {
        let ([first, banned], mut claims) = (peers(), Claims::new(LIMITS));
        offer(&mut claims, first, 7, "a").expect("there is room");
        offer(&mut claims, banned, 7, "b").expect("there is room");
        assert_eq!(claims.drop_spare_of(&banned), 1);
        assert_eq!(claims.fails(&7), None);
        assert_eq!((claims.total, claims.of_peer.len()), (0, 0));
    }
}
