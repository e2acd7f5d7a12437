//! The rules of the queue, without clock, disk or threads.

use super::{
    entry::{Entry, Reason, State, Terms},
    eviction::{Candidate, EvictionIndex},
};
use crate::{
    attestation::{Party, Time},
    record::{CheckError, Record, RecordId},
};
use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};
use thiserror::Error;

/// The limits of a queue.
///
/// Verified records count until they are taken or removed, and have no deadline. So the verifier must take them, or
/// they fill the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of records.
    pub records: usize,
    /// The maximum length of all encoded records together.
    pub bytes: usize,
}

/// The order in which records are verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The newest first, so that an old flood does not delay new records.
    NewestFirst,
    /// The most valuable first, among equals the newest.
    ByValue,
}

/// A change of the queue. The log is a list of changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A record was added, unverified.
    Added {
        /// The record.
        record: Arc<Record>,
        /// The conditions under which it was added.
        terms: Terms,
    },
    /// An unverified record was verified or found to be invalid.
    Decided {
        /// The record.
        id: RecordId,
        /// `None` when it was verified.
        invalid: Option<Reason>,
    },
    /// A record was taken, removed, dropped after its deadline, or evicted.
    Removed {
        /// The record.
        id: RecordId,
    },
}

/// Why a record was not added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AddError {
    /// The record is in the queue already.
    #[error("the record is in the queue already")]
    Duplicate,
    /// Its deadline has passed.
    #[error("the deadline {deadline} has passed: the time is {now}")]
    Expired {
        /// The deadline.
        deadline: Time,
        /// The current time.
        now: Time,
    },
    /// The queue has the maximum number of records, and none of them can be evicted for this one.
    #[error("the queue has the maximum of {limit} records")]
    TooManyRecords {
        /// The limit.
        limit: usize,
    },
    /// The length of all records would exceed the limit, even after evictions.
    #[error("the queue would exceed the maximum of {limit} bytes")]
    TooManyBytes {
        /// The limit.
        limit: usize,
    },
}

/// A change that is inconsistent with the queue: the log was not written by this queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an inconsistent change of record {id}")]
pub struct InconsistentChange {
    /// The record.
    pub id: RecordId,
}

/// The queue: records, their states, and the rules for changing them.
#[derive(Clone, Debug)]
pub struct Queue {
    limits: Limits,
    entries: BTreeMap<RecordId, Entry>,
    eviction: EvictionIndex,
    bytes: usize,
    next_sequence: u64,
}

impl Queue {
    /// An empty queue.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            entries: BTreeMap::new(),
            eviction: EvictionIndex::default(),
            bytes: 0,
            next_sequence: 0,
        }
    }

    /// The limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The length of all encoded records together.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// A record.
    pub fn get(&self, id: &RecordId) -> Option<&Entry> {
        self.entries.get(id)
    }

    /// All records, by id.
    pub fn iter(&self) -> impl Iterator<Item = (&RecordId, &Entry)> {
        self.entries.iter()
    }

    /// The changes that adding a record causes: it is added, and others are evicted if there is no room. Evicted first
    /// are records whose deadline has passed; then invalid ones, the oldest first; then unverified ones, the least
    /// valuable first, as long as their total value is less than that of the new record.
    ///
    /// Cost: logarithmic in the number of records, for the addition and for each eviction.
    ///
    /// # Errors
    /// The record is in the queue already, its deadline has passed, or there is no room. Verified records are never
    /// evicted.
    pub fn add(
        &self,
        record: Arc<Record>,
        terms: Terms,
        now: Time,
    ) -> Result<Vec<Change>, AddError> {
        let id = record.id();
        if self.entries.contains_key(&id) {
            return Err(AddError::Duplicate);
        }
        let deadline = terms.deadline;
        if deadline < now {
            return Err(AddError::Expired { deadline, now });
        }
        let mut changes = self.make_room(record.to_bytes().len(), terms.value, now)?;
        changes.push(Change::Added { record, terms });
        Ok(changes)
    }

    fn make_room(&self, size: usize, value: u64, now: Time) -> Result<Vec<Change>, AddError> {
        let Limits { records, bytes } = self.limits;
        if size > bytes {
            return Err(AddError::TooManyBytes { limit: bytes });
        }
        let (mut count, mut used) = (self.entries.len(), self.bytes);
        let mut removed = Vec::new();
        let late = self.eviction.expired(now);
        let others = self.eviction.candidates().filter(|candidate| {
            let entry = self.entries.get(&candidate.id);
            entry.is_some_and(|entry| entry.terms().deadline >= now)
        });
        let mut candidates = late.map(Candidate::worthless).chain(others);
        let mut evicted_value = 0_u64;
        while count >= records || used.saturating_add(size) > bytes {
            let candidate = candidates.next().filter(|candidate| {
                evicted_value = evicted_value.saturating_add(candidate.value_lost.unwrap_or(0));
                candidate.value_lost.is_none() || evicted_value < value
            });
            let Some(Candidate { id, .. }) = candidate else {
                return Err(if count >= records {
                    AddError::TooManyRecords { limit: records }
                } else {
                    AddError::TooManyBytes { limit: bytes }
                });
            };
            used = used.saturating_sub(self.entries.get(&id).map_or(0, Entry::size));
            count -= 1;
            removed.push(Change::Removed { id });
        }
        Ok(removed)
    }

    /// The change that a verdict causes. There is none if the record is missing or not unverified, or if the check may
    /// succeed later.
    pub fn decide(&self, id: &RecordId, verdict: &Result<(), CheckError>) -> Option<Change> {
        let entry = self.entries.get(id)?;
        if entry.state() != State::Unverified {
            return None;
        }
        let invalid = match verdict {
            Ok(()) => None,
            Err(error) => Some(Reason::of(error)?),
        };
        Some(Change::Decided { id: *id, invalid })
    }

    /// The changes at a point in time: unverified and invalid records whose deadline has passed are dropped. Verified
    /// ones stay until they are taken or removed.
    pub fn expire(&self, now: Time) -> Vec<Change> {
        let expired = self.eviction.expired(now);
        expired.map(|id| Change::Removed { id }).collect()
    }

    /// The unverified records of this verifier, in the order in which to verify them.
    pub fn pending(&self, verifier: Party, order: Order) -> Vec<RecordId> {
        let mut pending: Vec<_> = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.state() == State::Unverified)
            .filter(|(_, entry)| entry.terms().verifier == verifier)
            .collect();
        pending.sort_by_key(|(_, entry)| {
            let value = match order {
                Order::NewestFirst => 0,
                Order::ByValue => entry.terms().value,
            };
            Reverse((value, entry.sequence()))
        });
        pending.into_iter().map(|(id, _)| *id).collect()
    }

    /// The changes that transform an empty queue into this one, in the order of addition.
    pub fn snapshot(&self) -> Vec<Change> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|(_, entry)| entry.sequence());
        let mut changes = Vec::with_capacity(2 * entries.len());
        for (id, entry) in entries {
            changes.push(Change::Added {
                record: entry.record().clone(),
                terms: *entry.terms(),
            });
            let invalid = match entry.state() {
                State::Unverified => continue,
                State::Verified => None,
                State::Invalid(reason) => Some(reason),
            };
            changes.push(Change::Decided { id: *id, invalid });
        }
        changes
    }

    /// Applies a change.
    ///
    /// # Errors
    /// The change is inconsistent with this queue, which is left unchanged.
    pub fn apply(&mut self, change: Change) -> Result<(), InconsistentChange> {
        match change {
            Change::Added { record, terms } => self.insert(record, terms),
            Change::Decided { id, invalid } => {
                let inconsistent = InconsistentChange { id };
                let entry = self.entries.get_mut(&id).ok_or(inconsistent)?;
                if entry.state() != State::Unverified {
                    return Err(inconsistent);
                }
                self.eviction.remove(id, entry);
                entry.set_verdict(invalid);
                self.eviction.insert(id, entry);
                Ok(())
            }
            Change::Removed { id } => {
                let entry = self.entries.remove(&id).ok_or(InconsistentChange { id })?;
                self.eviction.remove(id, &entry);
                self.bytes -= entry.size();
                Ok(())
            }
        }
    }

    fn insert(&mut self, record: Arc<Record>, terms: Terms) -> Result<(), InconsistentChange> {
        let id = record.id();
        if self.entries.contains_key(&id) {
            return Err(InconsistentChange { id });
        }
        let entry = Entry::new(record, terms, self.next_sequence);
        self.bytes += entry.size();
        self.eviction.insert(id, &entry);
        self.entries.insert(id, entry);
        self.next_sequence += 1;
        Ok(())
    }
}
