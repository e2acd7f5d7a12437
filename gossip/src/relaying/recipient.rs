//! The messages that one peer has, and those that it lacks.

use super::{
    kept::{GroupKey, Kept, Place},
    marks::Marks,
    pace::{Allowance, Pace},
};
use crate::interest::Interest;
use duet_voter::Millis;
use std::collections::{BTreeSet, HashMap};

/// A connected peer. A peer that reconnects starts anew: it may have been restarted.
#[derive(Debug)]
pub(super) struct Recipient {
    interest: Interest,
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
            allowance: Allowance::full(pace, now),
            marks: HashMap::new(),
            unfinished: BTreeSet::new(),
        };
        for group in kept.groups() {
            recipient.offer(group);
        }
        recipient
    }

    /// A group may have a new message.
    pub(super) fn offer(&mut self, group: GroupKey) {
        if !group.is_vote() || self.interest == Interest::Votes {
            self.unfinished.insert(group);
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
            let (len, marks) = (kept.len_of(&group), self.marks.entry(group).or_default());
            while let Some(at) = marks.next(len) {
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
