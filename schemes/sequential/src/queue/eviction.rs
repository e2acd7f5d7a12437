//! Eviction: which records leave the queue first, at their deadline or to make room.

use super::entry::{Entry, State};
use crate::{attestation::Time, record::RecordId};
use std::collections::BTreeSet;

/// The records that may be evicted, in the order of each criterion. Verified records are not included.
#[derive(Clone, Debug, Default)]
pub(super) struct EvictionIndex {
    by_deadline: BTreeSet<(Time, RecordId)>,
    /// Invalid records, the oldest first.
    invalid: BTreeSet<(u64, RecordId)>,
    /// Unverified records by value, among equals the oldest first.
    unverified: BTreeSet<(u64, u64, RecordId)>,
}

/// A record that may be evicted for a new one, and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) id: RecordId,
    /// Its value; `None` if it has become worthless.
    pub(super) value_lost: Option<u64>,
}

impl Candidate {
    pub(super) fn worthless(id: RecordId) -> Self {
        Self {
            id,
            value_lost: None,
        }
    }
}

impl EvictionIndex {
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

    /// Call this before the entry changes.
    pub(super) fn remove(&mut self, id: RecordId, entry: &Entry) {
        let (value, sequence) = (entry.terms().value, entry.sequence());
        self.unverified.remove(&(value, sequence, id));
        self.invalid.remove(&(sequence, id));
        self.by_deadline.remove(&(entry.terms().deadline, id));
    }

    /// Records whose deadline has passed, the earliest first.
    pub(super) fn expired(&self, now: Time) -> impl Iterator<Item = RecordId> + '_ {
        let before = (now, RecordId([0; 32]));
        self.by_deadline.range(..before).map(|(_, id)| *id)
    }

    /// The candidates for eviction: first invalid records, then unverified ones, the least valuable first.
    pub(super) fn candidates(&self) -> impl Iterator<Item = Candidate> + '_ {
        let invalid = self.invalid.iter();
        let invalid = invalid.map(|(_, id)| Candidate::worthless(*id));
        let unverified = self.unverified.iter();
        invalid.chain(unverified.map(|(value, _, id)| Candidate {
            id: *id,
            value_lost: Some(*value),
        }))
    }
}
