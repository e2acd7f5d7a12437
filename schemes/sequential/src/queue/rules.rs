//! The rules of the queue, without clock, disk or thread.

use super::leaving::{Leaving, Offer};
use crate::{
    attestation::{Party, Time},
    chain::VerifyError,
    record::{CheckError, Record, RecordId},
    suite::HopNumber,
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

/// What is agreed about a record when it comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Who will verify it.
    pub verifier: Party,
    /// After this time it is dropped, unless it was verified.
    pub deadline: Time,
    /// What it is worth: more comes first under [`Order::ByValue`], and pushes out less when the queue is full.
    ///
    /// It is for the queue's owner to say, and never for whoever sent the record.
    pub value: u64,
}

/// Why a record will never be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A key was revoked in the record's epoch.
    KeyRevoked(HopNumber),
    /// A key is of another size than the chain.
    MixedModulusSize(HopNumber),
    /// A hop's number has a second spelling.
    NonCanonical(HopNumber),
    /// A hop's number stands for no legal input.
    OutOfRange(HopNumber),
    /// The chain does not end where a first signature begins.
    BadSignature,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::KeyRevoked(hop) => write!(f, "KeyRevoked at hop {hop}"),
            Self::MixedModulusSize(hop) => write!(f, "MixedModulusSize at hop {hop}"),
            Self::NonCanonical(hop) => write!(f, "NonCanonical at hop {hop}"),
            Self::OutOfRange(hop) => write!(f, "OutOfRange at hop {hop}"),
            Self::BadSignature => f.write_str("BadSignature"),
        }
    }
}

impl Reason {
    /// What a failed check says about the record for good; `None` when it may succeed another time.
    pub fn of(error: &CheckError) -> Option<Self> {
        match error {
            CheckError::KeyUnavailable { .. } | CheckError::WrongKey { .. } => None,
            CheckError::KeyRevoked { hop, .. } => Some(Self::KeyRevoked(*hop)),
            CheckError::Signature(error) => match error {
                VerifyError::MixedModulusSize { hop, .. } => Some(Self::MixedModulusSize(*hop)),
                VerifyError::NonCanonical { hop } => Some(Self::NonCanonical(*hop)),
                VerifyError::OutOfRange { hop } => Some(Self::OutOfRange(*hop)),
                VerifyError::StatementCount { .. } | VerifyError::BadSignature => {
                    Some(Self::BadSignature)
                }
                VerifyError::BackEnd { .. } => None,
            },
        }
    }
}

/// What is known about a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Unverified,
    /// Its signatures hold.
    Verified,
    /// They never will.
    Invalid(Reason),
}

/// In which order records are verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The newest first: an old flood does not hold up what comes in now.
    NewestFirst,
    /// The most valuable first; among equals the newest.
    ByValue,
}

/// A record in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    record: Arc<Record>,
    terms: Terms,
    state: State,
    /// Grows with every record that comes in.
    sequence: u64,
    size: usize,
}

impl Entry {
    /// The record: to be forwarded or appended to, whatever its state.
    pub fn record(&self) -> &Arc<Record> {
        &self.record
    }

    /// What was agreed about it.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// What is known about it.
    pub fn state(&self) -> State {
        self.state
    }

    pub(super) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Bytes of the encoded record.
    pub fn size(&self) -> usize {
        self.size
    }
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
            entry.is_some_and(|entry| entry.terms.deadline >= now)
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
        if entry.state != State::Unverified {
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
            .filter(|(_, entry)| entry.state == State::Unverified)
            .filter(|(_, entry)| entry.terms.verifier == verifier)
            .collect();
        pending.sort_by_key(|(_, entry)| {
            let value = match order {
                Order::NewestFirst => 0,
                Order::ByValue => entry.terms.value,
            };
            Reverse((value, entry.sequence))
        });
        pending.into_iter().map(|(id, _)| *id).collect()
    }

    /// The changes that make an empty queue into this one, in the order in which the records came in.
    pub fn snapshot(&self) -> Vec<Change> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|(_, entry)| entry.sequence);
        let mut changes = Vec::with_capacity(2 * entries.len());
        for (id, entry) in entries {
            changes.push(Change::Added {
                record: entry.record.clone(),
                terms: entry.terms,
            });
            let invalid = match entry.state {
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
                if entry.state != State::Unverified {
                    return Err(inconsistent);
                }
                self.leaving.remove(id, entry);
                entry.state = invalid.map_or(State::Verified, State::Invalid);
                self.leaving.insert(id, entry);
                Ok(())
            }
            Change::Removed { id } => {
                let entry = self.entries.remove(&id).ok_or(InconsistentChange { id })?;
                self.leaving.remove(id, &entry);
                self.bytes -= entry.size;
                Ok(())
            }
        }
    }

    fn insert(&mut self, record: Arc<Record>, terms: Terms) -> Result<(), InconsistentChange> {
        let id = record.id();
        let size = record.to_bytes().len();
        let sequence = self.next_sequence;
        if self.entries.contains_key(&id) {
            return Err(InconsistentChange { id });
        }
        let entry = Entry {
            record,
            terms,
            state: State::Unverified,
            sequence,
            size,
        };
        self.leaving.insert(id, &entry);
        self.entries.insert(id, entry);
        self.bytes += size;
        self.next_sequence += 1;
        Ok(())
    }
}
