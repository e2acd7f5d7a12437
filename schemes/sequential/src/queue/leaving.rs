//! Which records leave the queue first: when their time is over, and when a newcomer needs room.

use super::entry::{Entry, State};
use crate::{attestation::Time, record::RecordId};
use std::collections::BTreeSet;

/// The records that may leave by themselves, sorted by each reason to. Verified ones are not among them.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaving {
    by_deadline: BTreeSet<(Time, RecordId)>,
    /// Invalid records in the order in which they came in.
    invalid: BTreeSet<(u64, RecordId)>,
    /// Unverified records by value; among equals the oldest first.
    unverified: BTreeSet<(u64, u64, RecordId)>,
}

/// A record that may leave for a newcomer, and what is given up with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) id: RecordId,
    /// What it is worth; `None` when it is worth nothing to anybody any more.
    pub(super) price: Option<u64>,
}

impl Offer {
    pub(super) fn free(id: RecordId) -> Self {
        Self { id, price: None }
    }
}

impl Leaving {
    pub(super) fn insert(&mut self, id: RecordId, entry: &Entry) {
        match entry.state() {
            State::Verified => return,
            State::Unverified => {
                let key = (entry.terms().value, entry.sequence(), id);
                self.unverified.insert(key);
            }
            State::Invalid(_) => {
                self.invalid.insert((entry.sequence(), id));
            }
        }
        self.by_deadline.insert((entry.terms().deadline, id));
    }

    /// To be called before the entry changes.
    pub(super) fn remove(&mut self, id: RecordId, entry: &Entry) {
        let (value, sequence) = (entry.terms().value, entry.sequence());
        self.unverified.remove(&(value, sequence, id));
        self.invalid.remove(&(sequence, id));
        self.by_deadline.remove(&(entry.terms().deadline, id));
    }

    /// Whose deadline is over, the earliest first.
    pub(super) fn expired(&self, now: Time) -> impl Iterator<Item = RecordId> + '_ {
        let before = (now, RecordId([0; 32]));
        self.by_deadline.range(..before).map(|(_, id)| *id)
    }

    /// The other order, for a newcomer: what is invalid, and then what waits, the cheapest first.
    pub(super) fn offers(&self) -> impl Iterator<Item = Offer> + '_ {
        let invalid = self.invalid.iter();
        let invalid = invalid.map(|(_, id)| Offer::free(*id));
        let unverified = self.unverified.iter();
        invalid.chain(unverified.map(|(value, _, id)| Offer {
            id: *id,
            price: Some(*value),
        }))
    }
}
