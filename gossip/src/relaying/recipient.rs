//! The messages that one peer has, and those that it lacks.

use super::{
    fanout::Share,
    kept::{GroupKey, Kept, Place},
    marks::{Marks, WORD},
    pace::{Allowance, Pace},
};
use crate::interest::Interest;
use duet_voter::Millis;
use std::collections::{BTreeSet, HashMap};

/// A connected peer. A peer that reconnects starts anew: it may have been restarted.
#[derive(Debug)]
pub(super) struct Recipient {
    interest: Interest,
    share: Share,
    allowance: Allowance,
    marks: HashMap<GroupKey, Marks>,
    /// The groups of which it may lack messages, in the order of sending.
    unfinished: BTreeSet<GroupKey>,
}

impl Recipient {
    /// A newly connected peer, which lacks all kept messages that interest it.
    pub(super) fn new(interest: Interest, kept: &Kept, pace: &Pace, now: Millis) -> Self {
        let mut recipient = Self {
            interest,
            share: Share::ALL,
            allowance: Allowance::full(pace, now),
            marks: HashMap::new(),
            unfinished: BTreeSet::new(),
        };
        for group in kept.groups() {
            recipient.offer(group);
        }
        recipient
    }

    /// Whether the peer gets votes.
    pub(super) fn wants_votes(&self) -> bool {
        self.interest == Interest::Votes
    }

    /// From now on this is the peer's share of the votes that go to few peers.
    pub(super) fn set_share(&mut self, share: Share) {
        self.share = share;
    }

    /// A group may have a new message.
    pub(super) fn offer(&mut self, group: GroupKey) {
        if !group.is_vote() || self.wants_votes() {
            self.unfinished.insert(group);
        }
    }

    /// There is a new message at this place. `is_urgent` if it does not go to few peers at first.
    pub(super) fn offer_new(&mut self, place: &Place, is_urgent: bool) {
        if is_urgent || self.share.includes(place.at) {
            // Nothing of its word may have been due to this peer until now.
            if let Some(marks) = self.marks.get_mut(&place.group) {
                marks.reopen(place.at / WORD);
            }
            self.offer(place.group);
        }
    }

    /// More messages of this group are due: in this word, or later ones.
    pub(super) fn reopen(&mut self, group: GroupKey, word: usize) {
        if self.wants_votes() {
            self.marks.entry(group).or_default().reopen(word);
            self.offer(group);
        }
    }

    /// The peer sent the message at this place, or an equivalent one.
    pub(super) fn brought(&mut self, place: &Place) {
        self.marks_of(place).brought(place.at);
    }

    /// Takes the next messages that the peer lacks, so that there are `most` at most. Returns whether its allowance ended
    /// before.
    pub(super) fn take(
        &mut self,
        taken: &mut Vec<Place>,
        most: usize,
        kept: &Kept,
        (pace, now): (&Pace, Millis),
    ) -> bool {
        self.allowance.refill(pace, now);
        while let Some(group) = self.unfinished.first().copied() {
            let Some((len, fanout)) = kept.group(&group) else {
                self.unfinished.remove(&group);
                continue;
            };
            let marks = self.marks.entry(group).or_default();
            while let Some(at) = marks.next(len, |word| fanout.due(word, self.share)) {
                if taken.len() >= most {
                    return false;
                }
                // Proofs are few, and worth more than the votes that they replace.
                if group.is_vote() && !self.allowance.take() {
                    return true;
                }
                marks.handed(at);
                taken.push(Place { group, at });
            }
            self.unfinished.remove(&group);
        }
        false
    }

    /// A kept message was not handed over after all.
    pub(super) fn give_back(&mut self, place: &Place) {
        self.marks_of(place).give_back(place.at);
        self.offer(place.group);
    }

    /// Messages that were handed over and are due again count as lacking.
    pub(super) fn repeat(&mut self, is_due: impl Fn(&GroupKey, usize) -> bool) {
        for (group, marks) in &mut self.marks {
            if marks.repeat(|word| is_due(group, word)) {
                self.unfinished.insert(*group);
            }
        }
    }

    /// Forgets the groups that are no longer useful.
    pub(super) fn retain(&mut self, is_useful: impl Fn(&GroupKey) -> bool) {
        self.marks.retain(|group, _| is_useful(group));
        self.unfinished.retain(is_useful);
    }

    fn marks_of(&mut self, place: &Place) -> &mut Marks {
        self.marks.entry(place.group).or_default()
    }
}
