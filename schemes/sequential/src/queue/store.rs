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

/// Verdicts reach the disk after this many records: so much work is lost in a crash.
const BATCH: usize = 512;

/// What one round of verification came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Dropped, because their deadline was over.
    pub expired: Vec<RecordId>,
    /// Found to be good.
    pub verified: Vec<RecordId>,
    /// Found to be bad, and why.
    pub invalid: Vec<(RecordId, Reason)>,
    /// Could not be decided now: a key is not known, or the directory or the library failed. They wait until their deadline.
    pub undecided: Vec<RecordId>,
}

/// A [`Queue`] in a folder of its own: one process at a time, every change flushed before it counts.
///
/// The file is trusted as far as the folder is: whoever may write there may write verdicts.
#[derive(Debug)]
pub struct QueueStore {
    queue: Queue,
    log: LogFile,
}

impl QueueStore {
    /// Opens the queue in a folder, which is made if it is not there.
    ///
    /// A change that was being written when the last process ended is forgotten; nothing that was reported as done is.
    /// With smaller limits than before, records stay, and no more come in until there is room.
    ///
    /// # Errors
    /// Another process has the queue open, a file cannot be read or written, or the log is damaged.
    pub fn open(folder: &Path, limits: Limits) -> Result<Self, StoreError> {
        let (log, changes) = LogFile::open(folder)?;
        let mut queue = Queue::new(limits);
        for change in changes {
            queue
                .apply(change)
                .map_err(|source| log.inconsistent(source))?;
        }
        let mut store = Self { queue, log };
        store.log.mend()?;
        match store.log.compact_if_long(&store.queue) {
            Err(error) if store.log.is_in_doubt() => Err(error),
            // A log that stays long says the same.
            Ok(()) | Err(_) => Ok(store),
        }
    }

    /// What is in the queue.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Takes a record in, unverified.
    ///
    /// # Errors
    /// The rules refuse it ([`Queue::add`]), or it cannot be written.
    pub fn add(&mut self, record: Record, terms: Terms, now: Time) -> Result<RecordId, StoreError> {
        let id = record.id();
        let changes = self.queue.add(Arc::new(record), terms, now)?;
        self.commit(changes)?;
        Ok(id)
    }

    /// Drops what is over at `now`, and decides up to `most` of the records that wait for this verifier on `threads` threads.
    ///
    /// Verdicts are written as they come; `progress` is told how many records more are done.
    ///
    /// # Errors
    /// A verdict cannot be written; those before it are.
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
            // What cannot be decided does not count, or it would keep everything behind it from being verified.
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
                let change = self.queue.settle(id, verdict);
                match &change {
                    Some(Change::Settled { invalid: None, .. }) => report.verified.push(*id),
                    Some(Change::Settled {
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

    /// Drops the unverified and the invalid records whose deadline is over; verified ones stay until they are taken.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn expire(&mut self, now: Time) -> Result<Vec<RecordId>, StoreError> {
        let changes = self.queue.expire(now);
        let ids = changes.iter().filter_map(|change| match change {
            Change::Removed { id } => Some(*id),
            Change::Added { .. } | Change::Settled { .. } => None,
        });
        let ids = ids.collect();
        self.commit(changes)?;
        Ok(ids)
    }

    /// A verified record, which stays where it is; `None` when there is no such record or nothing good is known about it.
    ///
    /// Whoever passes it on before it is removed ([`QueueStore::remove`]) does not lose it when passing it on fails.
    pub fn verified(&self, id: &RecordId) -> Option<VerifiedRecord> {
        let entry = self.queue.get(id)?;
        if entry.state() != State::Verified {
            return None;
        }
        let record = Record::clone(entry.record());
        Some(VerifiedRecord::verified_before_unchecked(record))
    }

    /// Takes a verified record out; `None` when there is no such record or nothing good is known about it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn take(&mut self, id: &RecordId) -> Result<Option<VerifiedRecord>, StoreError> {
        let Some(record) = self.verified(id) else {
            return Ok(None);
        };
        self.commit(vec![Change::Removed { id: *id }])?;
        Ok(Some(record))
    }

    /// Removes a record in whatever state; `false` when there is none.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn remove(&mut self, id: &RecordId) -> Result<bool, StoreError> {
        if self.queue.get(id).is_none() {
            return Ok(false);
        }
        self.commit(vec![Change::Removed { id: *id }])?;
        Ok(true)
    }

    /// Writes changes, flushes them, and lets them happen.
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
        // The changes are on the disk: a log that stays long, or is in doubt from now on, does not undo them.
        let _ = self.log.compact_if_long(&self.queue);
        Ok(())
    }
}

/// What one round of verification is to do.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Whose records.
    pub verifier: Party,
    /// Which first.
    pub order: Order,
    /// How many verdicts at most; records that cannot be decided now do not count.
    pub most: usize,
    /// On how many threads.
    pub threads: NonZeroUsize,
}

impl Work {
    /// Everything that waits for this verifier, on all cores.
    pub fn all(verifier: Party, order: Order) -> Self {
        Self {
            verifier,
            order,
            most: usize::MAX,
            threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        }
    }
}
