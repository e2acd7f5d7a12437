//! The queue on disk.

use super::{
    entry::{Reason, State, Terms},
    file::{LogFile, QueueFiles, StoreError},
    parallel::check_all,
    rules::{Change, InconsistentChange, Limits, Order, Queue},
};
use crate::{
    attestation::{Party, Time},
    directory::KeyDirectory,
    record::{Record, RecordId, VerifiedRecord},
};
use std::{num::NonZeroUsize, sync::Arc};

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

/// A [`Queue`] in its own folder. Only one process can open it. Every change is written to the log, and then its
/// position to the anchor, and both are flushed before it takes effect: before a record is handed out, or is reported.
///
/// Cost of a change: flushing the log, the anchor and the anchor's folder.
///
/// The files are trusted: anyone who can write to the folder can write verdicts.
#[derive(Debug)]
pub struct QueueStore {
    queue: Queue,
    log: LogFile,
}

impl QueueStore {
    /// Opens a queue, creating its folder and its files if they are missing.
    ///
    /// A change that was being written when the last process ended is dropped if it is not whole, and takes effect if it
    /// is; reported changes are never lost. A record whose removal was whole is not handed out any more. If the limits are
    /// smaller than before, existing records stay, and no records are added until there is room.
    ///
    /// Cost: reads the whole log, and hashes it twice.
    ///
    /// # Errors
    /// [`StoreError::InUse`]; [`RolledBack`](StoreError::RolledBack) if the log was restored from a copy or truncated;
    /// [`Unanchored`](StoreError::Unanchored) if there is a log without an anchor; [`Log`](StoreError::Log),
    /// [`Inconsistent`](StoreError::Inconsistent) or [`Anchor`](StoreError::Anchor) if a file is corrupt; or
    /// [`Io`](StoreError::Io).
    pub fn open(files: &QueueFiles, limits: Limits) -> Result<Self, StoreError> {
        let (log, changes) = LogFile::open(files)?;
        let queue = replay(changes, limits).map_err(|source| log.inconsistent(source))?;
        let mut store = Self { queue, log };
        store.log.repair()?;
        match store.log.compact_if_long(&store.queue) {
            Err(error) if store.log.is_poisoned() => Err(error),
            // If compaction fails, the long log has the same content.
            Ok(()) | Err(_) => Ok(store),
        }
    }

    /// Takes over a queue without an anchor: from an earlier version, or after the loss of the anchor. It writes the
    /// log anew, and then makes the anchor. Afterwards the queue can be [opened](QueueStore::open).
    ///
    /// To go on with a log that is known to be rolled back, remove its anchor first.
    ///
    /// # Errors
    /// [`StoreError::Anchor`] with [`Exists`](duet_journal::FileFault::Exists) if there is an anchor;
    /// [`Io`](StoreError::Io), also if there is no log; otherwise as [`QueueStore::open`].
    ///
    /// # Security
    /// The caller vouches for the log. If it is not the latest, records that were handed out since are handed out
    /// again, and records that were added since are lost.
    pub fn adopt(files: &QueueFiles) -> Result<(), StoreError> {
        let limits = Limits {
            records: usize::MAX,
            bytes: usize::MAX,
        };
        LogFile::adopt(files, |changes| replay(changes, limits))
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

    /// Drops records expired at `now`, and verifies up to `most` records of this verifier on `threads` threads.
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
    /// A record is taken at most once: if the process ends during the call, it is gone, or it is still there.
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

/// The queue that these changes make.
fn replay(changes: Vec<Change>, limits: Limits) -> Result<Queue, InconsistentChange> {
    let mut queue = Queue::new(limits);
    for change in changes {
        queue.apply(change)?;
    }
    Ok(queue)
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
