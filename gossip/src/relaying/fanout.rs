//! Which peers get a vote at once: a few, others for each vote. The rest get it later, if it is still of use by then.
//! (GOSSIP-12)

use super::marks::{bit_of, WORD};
use duet_voter::Millis;
use std::{collections::VecDeque, num::NonZeroUsize};

/// The number of peers that get a relayed vote at once, while there are at most [`MAX_SLOTS`].
pub(crate) const EAGER: usize = 4;
/// After this time all peers get the vote.
pub(crate) const DELAY: Millis = 250;
/// The precision of the delay. It bounds the number of waiting times of a group.
const STEP: Millis = 50;
/// More peers than this share slots, so each vote goes to a sixteenth of them at once.
const MAX_SLOTS: usize = 64;

/// A peer's share of the votes that go to few peers: those whose places are near its slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// The number of slots.
    slots: NonZeroUsize,
    /// The share of the first [`WORD`] places, and of as many as there are slots beyond them. It repeats after `slots`.
    first: u128,
}

impl Share {
    /// A share of everything.
    pub(super) const ALL: Self = Self {
        slots: NonZeroUsize::MIN,
        first: u128::MAX,
    };

    /// The share of one of so many peers. `slot` counts these peers.
    pub(super) fn of(slot: usize, peers: usize) -> Self {
        let slots = NonZeroUsize::new(peers.min(MAX_SLOTS)).unwrap_or(NonZeroUsize::MIN);
        let mut first = 0;
        for place in 0..WORD.saturating_add(slots.get()) {
            // How far the slot is behind that of the place, in a circle.
            let behind = slot.wrapping_add(slots.get()).wrapping_sub(place % slots) % slots;
            if behind < EAGER {
                first |= 1_u128.rotate_left(u32::try_from(place).unwrap_or_default());
            }
        }
        Self { slots, first }
    }

    /// The peer's messages in a word.
    fn word(self, word: usize) -> u64 {
        let shift = u32::try_from(word.wrapping_mul(WORD) % self.slots).unwrap_or_default();
        let [word @ .., _, _, _, _, _, _, _, _] = self.first.wrapping_shr(shift).to_le_bytes();
        u64::from_le_bytes(word)
    }

    /// Whether a place belongs to it.
    pub(super) fn includes(self, place: usize) -> bool {
        self.word(place / WORD) & bit_of(place) != 0
    }
}

/// Which messages of a group go to all peers, and when the others will.
#[derive(Debug, Default)]
pub(super) struct Fanout {
    /// Those before this place do,
    released: usize,
    /// and of the later ones those with a bit here.
    urgent: Vec<u64>,
    /// Times, each with the end of the places that go to all peers from then on.
    waits: VecDeque<(Millis, usize)>,
}

impl Fanout {
    /// The message at this place, the next one, goes to all peers at once.
    pub(super) fn add_urgent(&mut self, place: usize) {
        let word = place / WORD;
        if self.urgent.len() <= word {
            self.urgent.resize(word.saturating_add(1), 0);
        }
        if let Some(urgent) = self.urgent.get_mut(word) {
            *urgent |= bit_of(place);
        }
    }

    /// The message at this place, the next one, goes to few peers at once.
    pub(super) fn add(&mut self, place: usize, now: Millis) {
        let due = now
            .saturating_add(DELAY)
            .div_ceil(STEP)
            .saturating_mul(STEP);
        let end = place.saturating_add(1);
        match self.waits.back_mut() {
            Some(last) if last.0 >= due => last.1 = end,
            _ => self.waits.push_back((due, end)),
        }
    }

    /// Lets the messages that have waited long enough go to all peers. Returns the word of the first of them.
    pub(super) fn release(&mut self, now: Millis) -> Option<usize> {
        let before = self.released;
        while let Some((_, end)) = self.waits.front().filter(|wait| wait.0 <= now) {
            self.released = *end;
            self.waits.pop_front();
        }
        (self.released > before).then_some(before / WORD)
    }

    /// When [`Fanout::release`] has something to do.
    pub(super) fn releases_at(&self) -> Option<Millis> {
        self.waits.front().map(|wait| wait.0)
    }

    /// The messages in a word that a peer with this share gets now.
    pub(super) fn due(&self, word: usize, share: Share) -> u64 {
        let begin = word.saturating_mul(WORD);
        let released = match self.released.saturating_sub(begin) {
            some @ 0..WORD => bit_of(some).wrapping_sub(1),
            WORD.. => u64::MAX,
        };
        released | self.urgent.get(word).copied().unwrap_or(0) | share.word(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_belongs_to_four_peers_and_each_peer_has_its_share() {
        for peers in 1..=MAX_SLOTS {
            let shares: Vec<_> = (0..peers).map(|slot| Share::of(slot, peers)).collect();
            let mut of_peer = vec![0_usize; peers];
            for place in 0..peers * WORD {
                let has = |slot: &usize| shares[*slot].includes(place);
                let owners: Vec<_> = (0..peers).filter(has).collect();
                assert_eq!(owners.len(), peers.min(EAGER), "{peers} {place}");
                owners.into_iter().for_each(|slot| of_peer[slot] += 1);
            }
            assert_eq!(of_peer, vec![WORD * peers.min(EAGER); peers]);
        }
    }

    #[test]
    fn of_very_many_peers_a_sixteenth_is_eager() {
        let eager = (0..640).filter(|slot| Share::of(*slot, 640).includes(1_000));
        assert_eq!(eager.count(), 40);
    }

    #[test]
    fn a_message_goes_to_all_when_its_time_has_come_and_an_urgent_one_at_once() {
        let (share, mut fanout) = (Share::of(0, 64), Fanout::default());
        let due = |fanout: &Fanout| -> Vec<usize> {
            let due = |place: &usize| fanout.due(place / WORD, share) & bit_of(*place) != 0;
            (0..130).filter(due).collect()
        };
        let own = due(&fanout);
        assert_eq!(own, [0, 61, 62, 63, 64, 125, 126, 127, 128]);
        for place in 0..70 {
            match place == 66 {
                true => fanout.add_urgent(place),
                false => fanout.add(place, if place < 30 { 1_001 } else { 1_200 }),
            }
        }
        assert!(due(&fanout).contains(&66));
        assert_eq!(fanout.releases_at(), Some(1_300));
        assert_eq!(fanout.release(1_299), None);
        assert_eq!(due(&fanout).len(), own.len() + 1);
        assert_eq!(fanout.release(1_300), Some(0));
        assert_eq!(due(&fanout)[..30], Vec::from_iter(0..30));
        assert!(!due(&fanout).contains(&30));
        assert_eq!(fanout.releases_at(), Some(1_450));
        assert_eq!(fanout.release(9_000), Some(0));
        assert_eq!(due(&fanout)[..70], Vec::from_iter(0..70));
        assert_eq!(fanout.release(9_000), None);
        assert_eq!(fanout.releases_at(), None);
    }

    #[test]
    fn many_arrivals_make_few_waits() {
        let mut fanout = Fanout::default();
        (0..10_000).for_each(|place| fanout.add(place, place as Millis / 20));
        assert!(fanout.waits.len() <= 11, "{}", fanout.waits.len());
    }
}
