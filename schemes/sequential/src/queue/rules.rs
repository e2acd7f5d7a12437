//! The rules of the queue, without clock, disk or thread.

use super::{
    entry::{Entry, Reason, State, Terms},
    leaving::{Leaving, Offer},
};
use crate::{
    attestation::{Party, Time},
    record::{CheckError, Record, RecordId},
};
use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};
use thiserror::Error;

/// How much a queue holds at most.
///
/// What was verified counts until it is taken or removed, and has no deadline: whoever verifies has to fetch, or the
/// queue fills up with good records that nobody wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Records.
    pub records: usize,
    /// Bytes of all encoded records together.
    pub bytes: usize,
}

/// In which order records are verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The newest first: an old flood does not hold up what comes in now.
    NewestFirst,
    /// The most valuable first; among equals the newest.
    ByValue,
}

/// What happens to the queue; the log is a list of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A record came in, unverified.
    Added {
        /// The record.
        record: Arc<Record>,
        /// What was agreed about it.
        terms: Terms,
    },
    /// An unverified record was verified or found to be invalid.
    Settled {
        /// Which one.
        id: RecordId,
        /// `None` when it was verified.
        invalid: Option<Reason>,
    },
    /// A record was taken out, dropped after its deadline, or made room for another.
    Removed {
        /// Which one.
        id: RecordId,
    },
}

/// Why a record is not taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AddError {
    /// It is there already.
    #[error("the record is there already")]
    Duplicate,
    /// Its deadline is over.
    #[error("the deadline {deadline} is over at {now}")]
    Expired {
        /// Until when it was to be verified.
        deadline: Time,
        /// The time now.
        now: Time,
    },
    /// The queue holds as many records as it may, and none of them makes room for this one.
    #[error("the queue holds its {limit} records")]
    TooManyRecords {
        /// How many it may hold.
        limit: usize,
    },
    /// The queue would hold more bytes than it may, even without the records that make room for this one.
    #[error("the queue would hold more than its {limit} bytes")]
    TooManyBytes {
        /// How many it may hold.
        limit: usize,
    },
}

/// A change that cannot happen to the queue as it is: the log was not written by this queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a change that cannot follow, at record {id}")]
pub struct InconsistentChange {
    /// The record that it is about.
    pub id: RecordId,
}

/// Records, what is known about them, and the rules by which that changes.
#[derive(Clone, Debug)]
pub struct Queue {
    limits: Limits,
    entries: BTreeMap<RecordId, Entry>,
    leaving: Leaving,
    bytes: usize,
    next_sequence: u64,
}

impl Queue {
    /// An empty queue.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            entries: BTreeMap::new(),
            leaving: Leaving::default(),
            bytes: 0,
            next_sequence: 0,
        }
    }

    /// How much it may hold.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// How many records it holds.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes of all encoded records together.
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

    /// What follows when a record comes in: it is added, and others make room for it where needed. First go those whose
    /// deadline is over; then the invalid ones, the oldest first; then unverified ones, the cheapest first, as long as
    /// they are together worth less than the newcomer.
    ///
    /// Cost: a logarithm of the number of records, and as much for each that makes room.
    ///
    /// # Errors
    /// It is there already, its deadline is over, or there is no room. Verified records are never pushed out.
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
        let late = self.leaving.expired(now);
        let others = self.leaving.offers().filter(|offer| {
            let entry = self.entries.get(&offer.id);
            entry.is_some_and(|entry| entry.terms().deadline >= now)
        });
        let mut offers = late.map(Offer::free).chain(others);
        let mut given_up = 0_u64;
        while count >= records || used.saturating_add(size) > bytes {
            let offer = offers.next().filter(|offer| {
                given_up = given_up.saturating_add(offer.price.unwrap_or(0));
                offer.price.is_none() || given_up < value
            });
            let Some(Offer { id, .. }) = offer else {
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

    /// What a verdict changes: nothing when the record is not there or is not unverified any more, or when the check may
    /// succeed another time.
    pub fn settle(&self, id: &RecordId, verdict: &Result<(), CheckError>) -> Option<Change> {
        let entry = self.entries.get(id)?;
        if entry.state() != State::Unverified {
            return None;
        }
        let invalid = match verdict {
            Ok(()) => None,
            Err(error) => Some(Reason::of(error)?),
        };
        Some(Change::Settled { id: *id, invalid })
    }

    /// What time changes: unverified and invalid records whose deadline is over are dropped. Verified ones stay until
    /// somebody takes or removes them.
    pub fn expire(&self, now: Time) -> Vec<Change> {
        let expired = self.leaving.expired(now);
        expired.map(|id| Change::Removed { id }).collect()
    }

    /// What waits for this verifier, in the order in which it is to be verified.
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

    /// The changes that make an empty queue into this one, in the order in which the records came in.
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
            changes.push(Change::Settled { id: *id, invalid });
        }
        changes
    }

    /// Lets a change happen.
    ///
    /// # Errors
    /// It cannot happen to this queue, which stays as it was.
    pub fn apply(&mut self, change: Change) -> Result<(), InconsistentChange> {
        match change {
            Change::Added { record, terms } => self.insert(record, terms),
            Change::Settled { id, invalid } => {
                let inconsistent = InconsistentChange { id };
                let entry = self.entries.get_mut(&id).ok_or(inconsistent)?;
                if entry.state() != State::Unverified {
                    return Err(inconsistent);
                }
                self.leaving.remove(id, entry);
                entry.settle(invalid);
                self.leaving.insert(id, entry);
                Ok(())
            }
            Change::Removed { id } => {
                let entry = self.entries.remove(&id).ok_or(InconsistentChange { id })?;
                self.leaving.remove(id, &entry);
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
        self.leaving.insert(id, &entry);
        self.entries.insert(id, entry);
        self.next_sequence += 1;
        Ok(())
    }
}
