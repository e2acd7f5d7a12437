//! The queue on disk.

use super::{
    entry::{Reason, State, Terms},
    file::{LogFile, StoreError},
    parallel::check_all,
    rules::{Change, Limits, Order, Queue},
};
use crate::{
    attestation::{Party, Time},
    directory::KeyDirectory,
    record::{Record, RecordId, VerifiedRecord},
};
use std::{num::NonZeroUsize, path::Path, sync::Arc};

/// Verdicts are written to disk after this many records, so a crash loses at most this much work.
const BATCH: usize = 512;

/// The result of one round of verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Records that were dropped because their deadline has passed.
    pub expired: Vec<RecordId>,
    /// Records that are valid.
    pub verified: Vec<RecordId>,
    /// Records that are invalid, and why.
    pub invalid: Vec<(RecordId, Reason)>,
    /// Records without a verdict: a key is not known, or the directory or the library failed. They stay until their
    /// deadline.
    pub undecided: Vec<RecordId>,
}

/// A [`Queue`] in its own folder. Only one process can open it. Every change is flushed before it takes effect.
///
/// The file is trusted: anyone who can write to the folder can write verdicts.
#[derive(Debug)]
pub struct QueueStore {
    queue: Queue,
    log: LogFile,
}

impl QueueStore {
    /// Opens the queue in a folder, creating the folder if it is missing.
    ///
    /// A change that was being written when the last process ended is dropped; reported changes are never lost. If the
    /// limits are smaller than before, existing records stay, and no records are added until there is room.
    ///
    /// # Errors
    /// Another process has the queue open, a file cannot be read or written, or the log is corrupt.
    pub fn open(folder: &Path, limits: Limits) -> Result<Self, StoreError> {
        let (log, changes) = LogFile::open(folder)?;
        let mut queue = Queue::new(limits);
        for change in changes {
            queue
                .apply(change)
                .map_err(|source| log.inconsistent(source))?;
        }
        let mut store = Self { queue, log };
        store.log.repair()?;
        match store.log.compact_if_long(&store.queue) {
            Err(error) if store.log.is_poisoned() => Err(error),
            // If compaction fails, the long log has the same content.
            Ok(()) | Err(_) => Ok(store),
        }
    }

    /// The queue in memory.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Adds a record, unverified.
    ///
    /// # Errors
    /// The rules refuse the record ([`Queue::add`]), or a write failed.
    pub fn add(&mut self, record: Record, terms: Terms, now: Time) -> Result<RecordId, StoreError> {
        let id = record.id();
        let changes = self.queue.add(Arc::new(record), terms, now)?;
        self.commit(changes)?;
        Ok(id)
    }

    /// Drops what has expired at `now`, and verifies up to `most` records of this verifier on `threads` threads.
    ///
    /// Verdicts are written continuously. `progress` is called with the number of further records that are done.
    ///
    /// # Errors
    /// Writing a verdict failed. Earlier verdicts are on disk.
    pub fn verify(
        &mut self,
        directory: &dyn KeyDirectory,
        now: Time,
        work: &Work,
        mut progress: impl FnMut(usize),
    ) -> Result<Report, StoreError> {
        let mut report = Report {
            expired: self.expire(now)?,
            ..Report::default()
        };
        let pending = self.queue.pending(work.verifier, work.order);
        let mut waiting = pending.as_slice();
        loop {
            // Undecidable records do not count: otherwise they would keep the records behind them from being verified.
            let decided = report.verified.len() + report.invalid.len();
            let round = BATCH.min(work.most.saturating_sub(decided));
            let (ids, later) = waiting.split_at(round.min(waiting.len()));
            if ids.is_empty() {
                break;
            }
            waiting = later;
            let records: Vec<_> = ids
                .iter()
                .filter_map(|id| self.queue.get(id))
                .map(|entry| entry.record().clone())
                .collect();
            let verdicts = check_all(&records, directory, work.threads);
            let mut changes = Vec::with_capacity(ids.len());
            for (id, verdict) in ids.iter().zip(&verdicts) {
                let change = self.queue.decide(id, verdict);
                match &change {
                    Some(Change::Decided { invalid: None, .. }) => report.verified.push(*id),
                    Some(Change::Decided {
                        invalid: Some(reason),
                        ..
                    }) => report.invalid.push((*id, *reason)),
                    _ => report.undecided.push(*id),
                }
                changes.extend(change);
            }
            self.commit(changes)?;
            progress(ids.len());
        }
        Ok(report)
    }

    /// Drops unverified and invalid records whose deadline has passed. Verified ones stay until they are taken.
    ///
    /// # Errors
    /// A write failed.
    pub fn expire(&mut self, now: Time) -> Result<Vec<RecordId>, StoreError> {
        let changes = self.queue.expire(now);
        let ids = changes.iter().filter_map(|change| match change {
            Change::Removed { id } => Some(*id),
            Change::Added { .. } | Change::Decided { .. } => None,
        });
        let ids = ids.collect();
        self.commit(changes)?;
        Ok(ids)
    }

    /// A verified record, which stays in the queue; `None` if there is no such record or it is not verified.
    ///
    /// To avoid losing a record if delivery fails, deliver it first, and then [`remove`](QueueStore::remove) it.
    pub fn verified(&self, id: &RecordId) -> Option<VerifiedRecord> {
        let entry = self.queue.get(id)?;
        if entry.state() != State::Verified {
            return None;
        }
        let record = Record::clone(entry.record());
        Some(VerifiedRecord::verified_before_unchecked(record))
    }

    /// Takes a verified record out of the queue; `None` if there is no such record or it is not verified.
    ///
    /// # Errors
    /// A write failed.
    pub fn take(&mut self, id: &RecordId) -> Result<Option<VerifiedRecord>, StoreError> {
        let Some(record) = self.verified(id) else {
            return Ok(None);
        };
        self.commit(vec![Change::Removed { id: *id }])?;
        Ok(Some(record))
    }

    /// Removes a record in any state; `false` if there is none.
    ///
    /// # Errors
    /// A write failed.
    pub fn remove(&mut self, id: &RecordId) -> Result<bool, StoreError> {
        if self.queue.get(id).is_none() {
            return Ok(false);
        }
        self.commit(vec![Change::Removed { id: *id }])?;
        Ok(true)
    }

    /// Writes changes, flushes them, and applies them.
    fn commit(&mut self, changes: Vec<Change>) -> Result<(), StoreError> {
        if changes.is_empty() {
            return Ok(());
        }
        self.log.append(&changes)?;
        for change in changes {
            self.queue
                .apply(change)
                .map_err(|source| self.log.inconsistent(source))?;
        }
        // The changes are on disk. If compaction fails, or poisons the store, they still took effect.
        let _ = self.log.compact_if_long(&self.queue);
        Ok(())
    }
}

/// The parameters of one round of verification.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// The verifier whose records are verified.
    pub verifier: Party,
    /// The order.
    pub order: Order,
    /// The maximum number of verdicts. Undecidable records do not count.
    pub most: usize,
    /// The number of threads.
    pub threads: NonZeroUsize,
}

impl Work {
    /// All records of this verifier, on all cores.
    pub fn all(verifier: Party, order: Order) -> Self {
        Self {
            verifier,
            order,
            most: usize::MAX,
            threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        }
    }
}
